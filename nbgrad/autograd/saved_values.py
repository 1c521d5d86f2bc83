"""What else nodes show of what they have saved, by PyTorch's names: numbers, sizes and other arguments, such as
``grad_fn._saved_dim``. Loaded when somebody asks."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np

from nbgrad.calls.key import BOOL, COMPLEX, FLOAT, INT, NONE
from nbgrad.graph.spec import contiguous_strides
from nbgrad.trace import Spot, entry_at, from_values

_REDUCTIONS: Final = {"none": 0, "mean": 1, "sum": 2}
_FACTORS: Final = ("alpha", "beta", "value")  # 1 where they were left out
_OF_DIMS: Final = ("sum", "nansum", "mean", "var", "std", "amax", "amin", "logsumexp", "norm", "vector_norm")
_KEEP_INPUT: Final = ("conv", "layer_norm", "batch_norm", "group_norm")  # what other nodes call "self"

_KINDS: Final[dict[int, Callable[[Any], Any]]] = {BOOL: bool, INT: int, FLOAT: float, COMPLEX: complex}

Values = dict[str, Any]


def values_at(spot: Spot) -> Values:
    """The arguments of the call at ``spot`` by name, and the sizes of its operands. No tensors are among them."""
    book, entry = spot
    if entry.record[0] != "call":
        return {}
    _, call, refs, statics = entry.record
    found: Values = {}
    assert entry.parent is not None
    numbers = iter(book.scalars[entry.parent.n_scalars : entry.n_scalars])
    for k, ref in enumerate(refs):
        name = "" if call.variadic else call.operands[k]
        if ref >= 0:
            name = "self" if not k and name in ("input", "") and not keeps_input(call.name) else name
            spec = entry_at(entry, ref).spec
            found |= _sizes_of(name, spec.shape if spec is not None else ())
        elif ref == NONE:
            found[name] = 1 if name in _FACTORS else None
        else:
            number: complex = next(numbers)
            number = complex(number, next(numbers)) if ref == COMPLEX else number
            found["self" if name == "input" else name] = _KINDS[ref](number)
    if not call.variadic:
        found |= {name: 1 if name in _FACTORS else None for name in call.operands[len(refs) :]}
    found |= dict(zip(call.statics, statics, strict=False))
    for name in found.keys() & {"reduction"}:
        found[name] = _REDUCTIONS.get(found[name], found[name])
    if call.name == "matmul":
        found |= {name.replace("other", "mat2"): value for name, value in found.items()}
    if call.name.removeprefix("linalg.") in _OF_DIMS and isinstance(found.get("dim"), int):
        found["dim"] = (found["dim"],)
    rule = _RULES.get(call.name)
    if rule is not None:
        found |= rule(found)
    if call.name.startswith(("conv", "max_pool", "avg_pool")):
        found |= _repeated(found, len(next(value for name, value in found.items() if name.endswith("_sizes"))) - 2)
    if call.name.startswith("conv"):
        found |= {"transposed": "transpose" in call.name, "bias_sym_sizes_opt": found.get("bias_sizes", (0,))}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def keeps_input(call: str) -> bool:
    """Whether PyTorch calls the first operand ``input``: that of others is ``self``."""
    return call.startswith(_KEEP_INPUT)


def _sizes_of(name: str, shape: tuple[int, ...]) -> Values:
    rank = len(shape)
    found: Values = {f"{name}_sizes": shape, f"{name}_sym_sizes": shape, f"{name}_dim": rank}
    found |= {f"{name}_sym_strides": contiguous_strides(shape), f"{name}_sym_numel": prod(shape)}
    for d, n in enumerate(shape):
        found |= {f"{name}_sym_argsize_{d}": n, f"{name}_sym_argsize_minus_{rank - d}": n}
    return found


def _number(name: str) -> Callable[[Values], Values]:
    """An operand that is a number to us, and a tensor of one to PyTorch."""

    def rule(found: Values) -> Values:
        number = found.get(name)
        return {} if number is None else {name: from_values(np.asarray(number))}

    return rule


def _slice(found: Values) -> Values:
    start, step = found["start"], found["step"]
    return {"end": start + max(found["length"] - 1, 0) * step + (found["length"] > 0)}


def _repeated(found: Values, n: int) -> Values:
    """What a window has along each of ``n`` dims."""
    given = {name: found.get(name, 0) for name in ("kernel_size", "stride", "padding", "dilation", "output_padding")}
    return {name: () if x is None else (x,) * n if isinstance(x, int) else x for name, x in given.items()}


def _several(*names: str) -> Callable[[Values], Values]:
    """Arguments that are sequences to PyTorch."""
    return lambda found: {k: (found[k],) if isinstance(found[k], int) else found[k] or () for k in names}


_RULES: Final[dict[str, Callable[[Values], Values]]] = {
    "mul": _number("other"),
    "div": _number("other"),
    "square": lambda _: {"exponent": 2},
    **dict.fromkeys(
        ("var", "std"), lambda found: {"correction": 1 if found["correction"] is None else found["correction"]}
    ),
    "swapaxes": lambda found: {"dim0": found["axis0"], "dim1": found["axis1"]},
    "pad": lambda found: {"padding": found["pad"]},
    "softplus": lambda found: {name: found[name] or default for name, default in (("beta", 1), ("threshold", 20))},
    "sub": lambda found: {} if found["alpha"] is None else {"alpha": found["alpha"]},
    "slice": _slice,
    "select": lambda found: {"index": found["start"]},
    "split": lambda found: {"split_size": found["length"]},
    "norm": lambda found: {"ord": 2 if found["p"] == "fro" else found["p"]},
    "roll": _several("shifts", "dims"),
    "flip": _several("dims"),
    "elu": lambda _: {"scale": 1, "input_scale": 1},
    "relu6": lambda _: {"min_val": 0, "max_val": 6},
    "index_add": lambda found: {"source_dim": found["source_dim"]},
    "linalg.svd": lambda found: {"full_matrices": found["full"]},
    "unfold": lambda found: (
        {"kernel_size": found["size"], "dilation": found["apart"], "stride": found["step"]} if "apart" in found else {}
    ),
    "embedding": lambda found: {
        "padding_idx": -1 if found["padding_idx"] is None else found["padding_idx"],
        "scale_grad_by_freq": False,
        "sparse": False,
    },
    "group_norm": lambda found: {
        "group": found["num_groups"],
        "N": found["input_sizes"][0],
        "C": found["input_sizes"][1],
        "HxW": prod(found["input_sizes"][2:]),
    },
}
