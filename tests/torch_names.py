"""Every documented name of PyTorch's dense part, and what of it is here: ``fixtures/torch_names.txt``.

    python -m tests.torch_names        asks PyTorch anew (where torch is installed), in some minutes

A line is a name and letters: ``t`` it is there; beside PyTorch's own samples it has the same ``v`` values, ``g``
gradients, ``s`` second derivatives; ``f`` forward mode agrees with gradients, ``b`` vmap with a loop. What was right
once is not written as wrong: that is an error. The page ``docs/torch_names.md`` has the sums.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import signal
import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

TABLE = Path(__file__).parent / "fixtures" / "torch_names.txt"
PAGE = Path(__file__).parent.parent / "docs" / "torch_names.md"
ROOMS = ("", "Tensor", "linalg", "special", "fft", "autograd", "utils.data")
ASPECTS = {
    "t": "there",
    "v": "values",
    "g": "gradients",
    "s": "second derivatives",
    "f": "forward mode",
    "b": "vmap",
}
SAMPLES = 4  # of each dtype
SECONDS = 20  # for an operator
CLOSE = 1e-5

# What belongs to other kinds of tensors, devices and tools: a name with one of these in it is not counted.
_OTHERS = (
    "sparse coo csr csc bsr bsc quant qint quint q_ dequant fbgemm mkldnn miopen cudnn xla ipu xpu mps mtia "
    "vulkan maia ComplexHalf float8 uint16 "
    "uint32 uint64 jit script sym_ chalf profiler Profiler kineto export trace_ "
    "Script Type Graph Future vitals distributed fake_ choose_qparams DataPipe functional_datapipe "
    "guaranteed_datapipes runtime_validation argument_validation non_deterministic DataChunk native_ nested "
    "rename hsmm spmm dsmm smm sspaddmm hspmm from_file unify parse_ merge_type import_ir wait fork Capsule "
    "Storage cond while_loop import_module reinforce batch_norm_ _copy dlpack thread_safe prepare_multi "
    "hash_tensor slice_inverse Logger SymInt SymFloat SymBool"
)
OTHERS = tuple(_OTHERS.split())
# Functions of nn.functional that stand in torch, too.
_NN = (
    "adaptive_avg_pool1d adaptive_max_pool1d affine_grid_generator alpha_dropout avg_pool1d batch_norm bilinear "
    "binary_cross_entropy_with_logits celu_ channel_shuffle constant_pad_nd conv_tbc convolution "
    "cosine_embedding_loss ctc_loss dropout embedding embedding_bag embedding_renorm_ feature_alpha_dropout "
    "feature_dropout grid_sampler group_norm gru hinge_embedding_loss instance_norm kl_div layer_norm lstm "
    "margin_ranking_loss max_pool norm_except_dim pairwise_distance poisson_nll_loss rms_norm rnn rrelu selu_ "
    "threshold_ triplet_margin_loss"
)
NN = tuple(_NN.split())


def documented(torch: Any) -> Iterator[str]:
    """The names that are counted, such as "Tensor.abs"."""
    for room in ROOMS:
        home = _at(torch, room)
        for name in dir(home):
            found = getattr(home, name)
            if name.startswith("_") or inspect.ismodule(found) or not callable(found) or not found.__doc__:
                continue
            if any(part in name for part in OTHERS) or (not room and name.startswith(NN)):
                continue
            if getattr(found, "__module__", "") in ("typing", "collections.abc", "warnings"):
                continue
            yield f"{room}.{name}".lstrip(".")


def _at(lib: Any, name: str) -> Any:
    for part in filter(None, name.split(".")):
        lib = getattr(lib, part)
    return lib


def is_there(lib: Any, name: str) -> bool:
    """Whether ``lib`` has it."""
    try:
        _at(lib, name)
    except AttributeError:
        return False
    return True


def recorded() -> dict[str, str]:
    """The letters of each name."""
    rows = [line.partition(" ") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return {name: letters for name, _, letters in rows}


def summary(table: dict[str, str]) -> list[str]:
    """The rows of the page's table: of each room how many names have each letter."""
    lines = ["| | names | " + " | ".join(ASPECTS.values()) + " |", "| --- |" + " ---: |" * (len(ASPECTS) + 1)]
    for room in ROOMS:
        inside = [s for name, s in table.items() if name.rpartition(".")[0] == room]
        counts = [sum(letter in s for s in inside) for letter in ASPECTS]
        lines.append(f"| `{f'torch.{room}'.rstrip('.')}` | {len(inside)} | " + " | ".join(map(str, counts)) + " |")
    return lines


class _Skipped(Exception):
    """A sample that means nothing here."""


class _Late(BaseException):
    """An operator took more than SECONDS."""


def _converted(nb: Any, value: Any, leaves: list[Any]) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        made = nb.tensor(value.detach().numpy().copy())
        if value.requires_grad:
            leaves.append(made.requires_grad_())
        return made
    if isinstance(value, torch.dtype):
        return getattr(nb, str(value).removeprefix("torch."))
    if isinstance(value, (torch.layout, torch.memory_format)):
        raise _Skipped
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, (list, tuple)):
        items = [_converted(nb, x, leaves) for x in value]
        return items if isinstance(value, list) else tuple(items)
    return value


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [x for item in value for x in _leaves(item)]
    return [value] if getattr(value, "requires_grad", False) else []


def _flat(value: Any) -> list[Any]:
    return [x for item in value for x in _flat(item)] if isinstance(value, (list, tuple)) else [value]


def _agree(a: Any, b: Any, tolerance: float = CLOSE) -> bool:
    if not hasattr(a, "detach"):
        return bool(a == b) or str(a).replace("torch", "nbgrad") == str(b)
    x, y = a.detach().resolve_neg().numpy(force=True), b.detach().numpy()
    return x.shape == y.shape and x.dtype == y.dtype and bool(np.allclose(x, y, tolerance, tolerance, equal_nan=True))


def _weighted(lib: Any, tensors: list[Any], shift: int) -> Any:
    total: Any = 0
    for k, x in enumerate(tensors):
        weights = np.cos(np.arange(x.numel()) + k + shift).reshape(tuple(x.shape))
        total = total + (x * lib.tensor(weights, dtype=x.dtype)).sum()
    return total


def _derivatives(lib: Any, results: list[Any], leaves: list[Any]) -> list[list[Any]]:
    """First and second ones, zeros for None."""
    found = []
    for shift in range(2):
        moving = [x for x in results if getattr(x, "requires_grad", False)]
        if not moving:
            break
        how = {"create_graph": not shift, "retain_graph": True, "allow_unused": True}
        results = lib.autograd.grad(_weighted(lib, moving, shift), leaves, **how)
        results = [lib.zeros_like(x) if g is None else g for x, g in zip(leaves, results, strict=True)]
        found.append(results)
    return found


class _Operator:
    """What is right of one of PyTorch's operators: letters that no sample contradicts."""

    def __init__(self, nb: Any, info: Any, function: Callable[..., Any]) -> None:
        self.nb, self.info, self.function = nb, info, function
        self.right, self.wrong = {"t"}, set[str]()

    def letters(self) -> str:
        return "".join([x for x in ASPECTS if x in self.right - self.wrong])

    def say(self, letter: str, is_right: bool) -> None:
        (self.right if is_right else self.wrong).add(letter)

    def run(self) -> None:
        import torch

        for dtype in (torch.float64, torch.int64):
            if dtype in self.info.dtypes:
                moves = dtype is torch.float64 and self.info.supports_autograd
                samples = list(itertools.islice(self.info.sample_inputs("cpu", dtype, requires_grad=moves), 300))
                for sample in samples[:: max(1, len(samples) // SAMPLES)][:SAMPLES]:
                    with contextlib.suppress(_Skipped):
                        self.sample(torch, sample)

    def sample(self, torch: Any, sample: Any) -> None:
        given = [sample.input, *sample.args]
        try:
            want = _flat(self.info.op(*given, **sample.kwargs))
        except Exception:
            return
        leaves: list[Any] = []
        args = [_converted(self.nb, x, leaves) for x in given]
        named = {k: _converted(self.nb, x, leaves) for k, x in sample.kwargs.items() if k != "device"}
        try:
            got = _flat(self.function(*args, **named))
            self.say("v", len(got) == len(want) and all(map(_agree, want, got)))
        except Exception:
            self.say("v", False)
            return
        theirs = _leaves([given, list(sample.kwargs.values())])
        if leaves and len(theirs) == len(leaves):
            self.derivatives(torch, want, theirs, got, leaves)
            self.forward_and_batched(args, named, leaves)

    def derivatives(self, torch: Any, want: list[Any], theirs: list[Any], got: list[Any], leaves: list[Any]) -> None:
        try:
            wanted = _derivatives(torch, want, theirs)
        except Exception:
            return
        try:
            found = _derivatives(self.nb, got, leaves)
        except Exception:
            found = []
        for letter, a, b in itertools.zip_longest("gs", wanted, found):
            if a is not None:
                zeros = [self.nb.zeros_like(x) for x in leaves]
                self.say(letter, all(map(_agree, a, b or (zeros if found else []))))

    def forward_and_batched(self, args: list[Any], named: dict[str, Any], leaves: list[Any]) -> None:
        """J v beside J^T u, and two examples beside each other."""
        nb, first = self.nb, leaves[0]

        def function(x: Any) -> Any:
            swapped = [x if a is first else a for a in args]
            return [y for y in _flat(self.function(*swapped, **named)) if hasattr(y, "shape") and y.is_floating_point()]

        if not any(a is first for a in args):
            return
        try:
            results = function(first)
            if not any(y.requires_grad for y in results):
                return
            tangent = nb.cos(nb.arange(first.numel(), dtype=first.dtype)).reshape(first.shape)
            (grad,) = _derivatives(nb, results, [first])[0]
            _, moved = nb.func.jvp(lambda x: tuple(function(x)), (first.detach(),), (tangent,))
            pairs = [m for m, y in zip(moved, results, strict=True) if y.requires_grad]
            self.say("f", _agree_numbers(_weighted(nb, pairs, 0), (grad * tangent).sum()))
        except Exception:
            self.say("f", False)
        try:
            both = nb.stack([first.detach(), first.detach() * 0.5])
            together = nb.func.vmap(lambda x: tuple(function(x)))(both)
            apart = [nb.stack(rows) for rows in zip(*[function(x) for x in both.unbind(0)], strict=True)]
            self.say(
                "b",
                all(np.allclose(a.detach(), b.detach(), equal_nan=True) for a, b in zip(together, apart, strict=True)),
            )
        except Exception:
            self.say("b", False)


def _agree_numbers(a: Any, b: Any) -> bool:
    return bool(np.isclose(a.item(), b.item(), 1e-6, 1e-8, equal_nan=True))


def _operators() -> Any:
    """PyTorch's own samples of its operators. Their file wants a package that is not needed for that."""
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", stand_in)
    from torch.testing._internal.common_methods_invocations import op_db

    return op_db


def asked_anew() -> dict[str, str]:
    """The letters of each name, by PyTorch."""
    import torch

    import nbgrad as nb

    table = {name: "t" * is_there(nb, name) for name in documented(torch)}
    for info in _operators():
        names = [n for n in (info.name, f"Tensor.{info.name}") if n in table and "t" in table[n]]
        if not names or info.name.startswith("nn."):
            continue
        operator = _Operator(nb, info, _at(nb, names[0]))
        signal.alarm(SECONDS)
        with contextlib.suppress(_Late), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            operator.run()
        signal.alarm(0)
        for name in names:
            known = set(table[name]) - {"t"}
            found = operator.letters()
            table[name] = "".join([x for x in found if x == "t" or not known or x in known]) if known else found
    return table


def main() -> None:
    """Write table and page anew; RuntimeError where something that was right is no longer."""

    def late(*_: Any) -> None:
        raise _Late

    signal.signal(signal.SIGALRM, late)
    table = asked_anew()
    before = recorded() if TABLE.exists() else {}
    lost = [
        f"{name}: {old} was {table[name]}"
        for name, old in before.items()
        if name in table and set(old) - set(table[name])
    ]
    if lost:
        raise RuntimeError("no longer right: " + "; ".join(lost))
    TABLE.write_text("".join([f"{name} {letters}\n" for name, letters in sorted(table.items())]), encoding="utf-8")
    head = PAGE.read_text(encoding="utf-8").partition("\n| |")[0].rstrip()
    PAGE.write_text(head + "\n\n" + "\n".join(summary(table)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
