"""How tensors print: PyTorch's format."""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import indent
from typing import Any

import numpy as np

from nbgrad.autograd.grad_fn import name_of_grad_fn
from nbgrad.autograd.levels import batched, vmap_of
from nbgrad.errors import GradError
from nbgrad.graph import dtypes
from nbgrad.trace import local, values


@dataclass
class Options:
    """What ``set_printoptions`` sets."""

    precision: int = 4
    threshold: float = 1000  # more elements than this are summarised
    edgeitems: int = 3  # shown at each end of a summarised dim
    linewidth: int = 80
    sci_mode: bool | None = None  # None: where numbers differ much, or are large or small


OPTIONS = Options()

Array = np.ndarray[Any, np.dtype[Any]]


def _made_by(x: Any) -> str | None:
    """The name of what made a tensor, for its words; "Invalid" of a view whose place in the graph cannot be told."""
    try:
        return name_of_grad_fn(x)
    except GradError:
        return "Invalid"


def tensor_repr(x: Any) -> str:
    """``tensor([...], dtype=..., grad_fn=...)`` as PyTorch prints it; inside a vmap all that it stands for."""
    if (found := vmap_of([x])) is not None:
        (all_of_them,) = batched([x], found[0])
        depth = 1 + local.trace.vmaps.index(found[0])
        return f"BatchedTensor(lvl={depth}, bdim=0, value=\n{indent(tensor_repr(all_of_them), ' ' * 4)}\n)"
    array = values(x)
    suffixes = [] if x.is_cpu else [f"device='{x.device}'"]
    if array.size == 0 and array.ndim != 1:
        suffixes.append(f"size={tuple(array.shape)}")
    usual = dtypes.get_default_dtype()
    default = (usual, usual.to_complex(), dtypes.int64, dtypes.bool_)
    if x.dtype not in default or (array.size == 0 and x.dtype is not dtypes.get_default_dtype()):
        suffixes.append(f"dtype={x.dtype!r}")
    made_by = _made_by(x)
    if made_by is not None:
        suffixes.append(f"grad_fn=<{made_by}>")
    elif x.requires_grad:
        suffixes.append("requires_grad=True")
    level = local.trace.duals
    if level is not None and (tangent := level.unpacked(x)) is not None:
        suffixes.append(f"tangent={tangent!r}")
    prefix = "tensor("
    body = "[]" if array.size == 0 else _body(array, len(prefix))
    out = prefix + body
    for suffix in suffixes:
        last = len(out) - out.rfind("\n") - 1
        out += f",\n{' ' * len(prefix)}{suffix}" if last + len(suffix) + 3 > OPTIONS.linewidth else f", {suffix}"
    return out + ")"


def _body(array: Array, indent: int) -> str:
    shown = _shown(array)
    write = _writer(shown)
    if array.ndim == 0:
        return str(write(array.item())).strip()
    return _nested(array, indent, write, array.size > OPTIONS.threshold)


def _shown(array: Array) -> Array:
    """The elements that will be printed."""
    if array.size <= OPTIONS.threshold:
        return array
    for dim in range(array.ndim):
        n = array.shape[dim]
        if n > 2 * OPTIONS.edgeitems:
            array = np.take(array, [*range(OPTIONS.edgeitems), *range(n - OPTIONS.edgeitems, n)], axis=dim)
    return array


def _writer(array: Array) -> Any:
    """The function that writes one element, in a common width."""
    flat = array.reshape(-1)
    if array.dtype.kind == "b":
        width = max(len(str(bool(v))) for v in flat)
        return lambda v: str(bool(v)).rjust(width)
    if array.dtype.kind == "c":
        return _complex_writer(flat)
    if array.dtype.kind != "f":
        width = max(len(str(v)) for v in flat.tolist())
        return lambda v: str(v).rjust(width)
    return _float_writer(flat.astype(np.float64))


def _complex_writer(flat: Array) -> Any:
    re, im = (_float_writer(part.astype(np.float64)) for part in (flat.real, flat.imag))

    def write(v: complex) -> str:
        second = im(v.imag).lstrip()
        return f"{re(v.real)}{'' if second[0] in '+-' else '+'}{second}j"

    return write


def _float_writer(flat: Array) -> Any:
    finite = flat[np.isfinite(flat) & (flat != 0)]
    whole = bool(np.all(np.isfinite(finite)) and np.all(finite == np.ceil(finite)))
    sizes = np.abs(finite)
    low, high = (float(sizes.min()), float(sizes.max())) if finite.size else (0.0, 0.0)  # of NumPy's, high / low warns
    scientific = bool(finite.size) and (high / low > 1000.0 or high > 1.0e8 or (not whole and low < 1.0e-4))
    if whole:
        scientific = bool(finite.size) and (high / low > 1000.0 or high > 1.0e8)
    scientific = scientific if OPTIONS.sci_mode is None else OPTIONS.sci_mode

    def plain(v: float) -> str:
        if math.isnan(v) or math.isinf(v):
            return str(v)
        if scientific:
            return f"{v:.{OPTIONS.precision}e}"
        return f"{v:.0f}." if whole else f"{v:.{OPTIONS.precision}f}"

    width = max((len(plain(v)) for v in finite.tolist()), default=1)  # as PyTorch: inf, nan and 0 do not count
    return lambda v: plain(v).rjust(width)


def _nested(array: Array, indent: int, write: Any, summarise: bool) -> str:
    n = array.shape[0]
    cut = summarise and n > 2 * OPTIONS.edgeitems
    if array.ndim == 1:
        return _line(array, indent, write, cut)
    rows = [array[i] for i in range(n)] if not cut else [*array[: OPTIONS.edgeitems], *array[n - OPTIONS.edgeitems :]]
    parts = [_nested(row, indent + 1, write, summarise) for row in rows]
    if cut:
        parts.insert(OPTIONS.edgeitems, "...")
    between = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + between.join(parts) + "]"


def _line(row: Array, indent: int, write: Any, cut: bool) -> str:
    items = row.tolist()
    words = [write(v) for v in (items if not cut else items[: OPTIONS.edgeitems] + items[-OPTIONS.edgeitems :])]
    if cut:
        words.insert(OPTIONS.edgeitems, " ...")
    width = max((len(w) for w in words), default=1)
    per_line = max((OPTIONS.linewidth - indent) // (width + 2), 1)
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
