"""What PyTorch answers to every call sample, stored in ``fixtures/calls.json`` so that tests need no PyTorch.

    python -m tests.torch_answers               writes the file anew (where torch is installed)
    python -m tests.torch_answers squash        writes the answers to samples of these names, and keeps the others

A name that PyTorch has not, or spells otherwise, stands in ``SPELLED``.

An answer is {"dtype", "shape", "values", "grads"} or {"error": class name}. ``grads`` are those of sum(w * result), w
being ``weights_like``, by floating tensors of the sample (by position); None where the result does not depend on it.
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from nbgrad.graph.dtypes import DType, by_name
from nbgrad.graph.spec import Spec
from tests.call_samples import CALL_SAMPLES
from tests.samples import CallSample, weights_like

ANSWERS = Path(__file__).parent / "fixtures" / "calls.json"

Answer = dict[str, Any]

# Calls that are parts of a function of PyTorch, or take static what it takes at run time.
SPELLED: dict[str, Callable[..., Any]] = {
    "pow_static": lambda torch, x, exponent, floating=False: torch.pow(x, float(exponent) if floating else exponent),
    "where_self": lambda torch, x, condition, other: x.where(condition, other),
    "max_values": lambda torch, x, dim, keepdim=False: torch.max(x, dim, keepdim).values,
    "min_values": lambda torch, x, dim, keepdim=False: torch.min(x, dim, keepdim).values,
    "max_indices": lambda torch, x, dim, keepdim=False: torch.max(x, dim, keepdim).indices,
    "min_indices": lambda torch, x, dim, keepdim=False: torch.min(x, dim, keepdim).indices,
    "frexp_exponent": lambda torch, x: torch.frexp(x).exponent,
    "frexp_mantissa": lambda torch, x: torch.frexp(x).mantissa,
    "cummax_indices": lambda torch, x, dim: torch.cummax(x, dim).indices,
    "cummin_indices": lambda torch, x, dim: torch.cummin(x, dim).indices,
    "fill_diagonal": lambda torch, x, value, wrap=False: x.clone().fill_diagonal_(value, wrap),
    "max_all": lambda torch, x: torch.max(x),
    "min_all": lambda torch, x: torch.min(x),
    "median_all": lambda torch, x: torch.median(x),
    "nanmedian_all": lambda torch, x: torch.nanmedian(x),
    "vector_norm": lambda torch, *args, **kwargs: torch.linalg.vector_norm(*args, **kwargs),
    "to_dtype": lambda torch, x, dtype: x.to(dtype),
    "detach_value": lambda torch, x: x.detach(),
    "einsum_of": lambda torch, operands, equation: torch.einsum(equation, *operands),
    "tensordot_of": lambda torch, a, b, of_input, of_other: torch.tensordot(a, b, (of_input, of_other)),
    "repeat_each": lambda torch, x, repeats, dim=None: torch.repeat_interleave(x, repeats, dim),
    "resample": lambda torch, x, scale, dim, size, mode, align_corners=None: torch.nn.functional.interpolate(
        x, size, mode=mode, align_corners=align_corners
    ),
    "one_hot": lambda torch, x, num_classes: torch.nn.functional.one_hot(x, num_classes),
    "batch_norm": lambda torch, *args, **kwargs: torch.nn.functional.batch_norm(*_with_momentum(args), **kwargs),
    "binary_cross_entropy_with_logits": lambda torch, *args, **kwargs: (
        torch.nn.functional.binary_cross_entropy_with_logits(*args[:3], pos_weight=args[3], **kwargs)
        if len(args) > 3
        else torch.nn.functional.binary_cross_entropy_with_logits(*args, **kwargs)
    ),
    "kl_div": lambda torch, *args, **kwargs: torch.nn.functional.kl_div(*args, **kwargs),
    "embedding": lambda torch, *args, **kwargs: torch.nn.functional.embedding(*args, **kwargs),
    "margin_ranking_loss": lambda torch, *args, **kwargs: torch.nn.functional.margin_ranking_loss(*args, **kwargs),
    "hinge_embedding_loss": lambda torch, *args, **kwargs: torch.nn.functional.hinge_embedding_loss(*args, **kwargs),
    "cosine_embedding_loss": lambda torch, *args, **kwargs: torch.nn.functional.cosine_embedding_loss(*args, **kwargs),
    "soft_margin_loss": lambda torch, *args, **kwargs: torch.nn.functional.soft_margin_loss(*args, **kwargs),
    "triplet_margin_loss": lambda torch, *args, **kwargs: torch.nn.functional.triplet_margin_loss(*args, **kwargs),
    "poisson_nll_loss": lambda torch, *args, **kwargs: torch.nn.functional.poisson_nll_loss(*args, **kwargs),
    "attention_weights": lambda torch, query, key, *args, **kwargs: _attention(
        torch, query, key, torch.eye(key.shape[-2], dtype=key.dtype), *args, **kwargs
    ),
    "polygamma": lambda torch, x, n: torch.polygamma(n, x),
    "scaled_dot_product_attention": lambda torch, *args, **kwargs: _attention(torch, *args, **kwargs),
}

# Tensors by which PyTorch has no derivative: class weights, running averages, signs. By position among
# the tensors, where there are several.
CONSTANT = {
    "binary_cross_entropy": (2,),
    "binary_cross_entropy_with_logits": (2, 3),
    "nll_loss": (2,),
    "cross_entropy": (2,),
    "batch_norm": (1, 2),
    "soft_margin_loss": (1,),
    "igamma": (0,),
    "igammac": (0,),
    "zeta": (0,),
    "nextafter": (0, 1),
}

REFUSED = ("igamma", "igammac", "nextafter", "zeta")  # to ask for a derivative by those is an error


def constants(sample: CallSample) -> tuple[int, ...]:
    """Which tensors of ``sample`` are such."""
    several = sum(isinstance(x, np.ndarray) for x in (*sample.args, *sample.kwargs.values())) > 1
    return CONSTANT.get(sample.name, ()) if several else ()


def _with_momentum(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of ``batch_norm`` with the momentum that PyTorch has after ``training``."""
    return (*args[:6], 0.1, *args[6:]) if len(args) > 6 else args


def _attention(
    torch: Any, query: Any, key: Any, value: Any, mask: Any = None, is_causal: bool = False, **kw: Any
) -> Any:
    """With PyTorch by the formula's own backend: the fused ones have no derivative by a mask."""
    with contextlib.ExitStack() as backend:
        if torch.__name__ == "torch":  # nbgrad has the formula alone
            backend.enter_context(torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH))
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal, **kw)


def _function(torch: Any, name: str) -> Callable[..., Any]:
    if name in SPELLED:
        return lambda *args, **kwargs: SPELLED[name](torch, *args, **kwargs)
    for home in (torch, torch.Tensor, torch.nn.functional, torch.special):
        if hasattr(home, name):
            found: Callable[..., Any] = getattr(home, name)
            return found
    raise AssertionError(f"PyTorch has no {name}")


def answer(sample: CallSample) -> Answer:
    """What PyTorch says to ``sample``."""
    import torch

    tensors: list[Any] = []

    def convert(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            varies = value.dtype.kind == "f" and len(tensors) not in constants(sample)
            tensors.append(torch.from_numpy(value.copy()).requires_grad_(varies))
            return tensors[-1]
        if isinstance(value, DType):
            return getattr(torch, value.name)
        return type(value)(map(convert, value)) if isinstance(value, (list, tuple)) else value

    args = [convert(a) for a in sample.args]
    kwargs = {k: convert(v) for k, v in sample.kwargs.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = _function(torch, sample.name)(*args, **kwargs)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            kind = next(c for c in type(error).__mro__ if c in (RuntimeError, TypeError, ValueError, IndexError))
            return {"error": kind.__name__}
        told: Answer = stored(result.detach().numpy())
        if sample.grad and result.requires_grad:
            # PyTorch has no derivative of floor_divide, nor of a scatter that reads a part of its source.
            with contextlib.suppress(RuntimeError):
                told["grads"] = _gradients(torch, result, tensors)
    return told


def _gradients(torch: Any, result: Any, tensors: list[Any]) -> dict[str, Any]:
    spec = Spec.of(tuple(result.shape), by_name(str(result.dtype).removeprefix("torch.")))
    cotangent = torch.from_numpy(np.asarray(weights_like(spec)))
    wrt = {str(i): t for i, t in enumerate(tensors) if t.requires_grad}
    found = torch.autograd.grad(result, list(wrt.values()), cotangent, allow_unused=True)
    return {i: None if g is None else stored(g.numpy()) for i, g in zip(wrt, found, strict=True)}


def stored(x: Any) -> Answer:
    """An array as JSON: floats with the digits that bring back the same bits."""
    flat = x.ravel()
    values = [str(v) for v in flat] if x.dtype.kind == "f" else flat.astype(int).tolist()
    return {"dtype": x.dtype.name, "shape": list(x.shape), "values": values}


def restored(told: Answer) -> Any:
    """The array of a stored answer."""
    values = [float(v) for v in told["values"]] if told["dtype"].startswith("f") else told["values"]
    return np.array(values, dtype=told["dtype"]).reshape(told["shape"])


def all_answers(names: Iterable[str] = CALL_SAMPLES) -> dict[str, list[Answer]]:
    return {name: [answer(sample) for sample in CALL_SAMPLES[name]] for name in names}


def read() -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = json.loads(ANSWERS.read_text())
    return found


if __name__ == "__main__":
    known = {name: told for name, told in read().items() if name in CALL_SAMPLES} if sys.argv[1:] else {}
    answers = known | all_answers(sys.argv[1:] or CALL_SAMPLES)
    lines = [f"{json.dumps(name)}: {json.dumps(told)}" for name, told in sorted(answers.items())]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
