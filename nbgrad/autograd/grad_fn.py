"""The name of what made a tensor, looked up in the trie when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbgrad.calls.base import Call
from nbgrad.graph.spec import Spec
from nbgrad.trace import Book, Builder, Handle, TrieNode, entry_at, is_leaf, origin, requires_grad, share_of

_PRODUCTS: dict[tuple[int, ...], str] = {(2, 2): "Mm", (2, 1): "Mv", (1, 1): "Dot"}
_CHECKED = ("LinalgCholesky", "LinalgInv", "LinalgSolve")  # PyTorch makes them of those that tell whether it worked
_WRITES = dict.fromkeys(["overwrite_history", "rebase_history", "call"], "CopyBackwards")
_WRITES |= {"put": "CopySlices", "variable": "AliasBackward0", "dual": "ViewBackward0"}


_PADS = {"constant": "ConstantPadNd", "reflect": "ReflectionPad{}D", "replicate": "ReplicationPad{}D"}
# PyTorch's other overloads of a call, by its operands (below 0: no tensors) and static arguments.
_OVERLOADS: dict[str, Callable[[Sequence[int], Sequence[Any]], str]] = {
    "clamp": lambda refs, _: "Clamp:1" if max(refs[1:]) < 0 else "",
    "div": lambda _, statics: "Div:2" if statics and statics[0] is not None else "",
    "lerp": lambda refs, _: "Lerp:1" if refs[2] >= 0 else "",
    "pad": lambda _, statics: _PADS.get(statics[1], "").format(len(statics[0]) // 2),
    "scatter": lambda refs, _: "Scatter:1" if refs[2] < 0 else "",
    "squeeze": lambda _, statics: "" if statics[0] is None else "Squeeze:1" if type(statics[0]) is int else "Squeeze:2",
    "sub": lambda refs, _: "Rsub:1" if refs[0] < 0 else "",
}


class GradientEdge(NamedTuple):
    """Output ``output_nr`` of a node of the graph: what a gradient goes to. ``ownership_token`` is always None."""

    node: Any
    output_nr: int
    ownership_token: None = None


def name_of_grad_fn(a: Handle) -> str | None:
    """The name of what made ``a``, for printing: nothing is recorded. None where ``a`` is a leaf."""
    if not requires_grad(a) or is_leaf(a):
        return None
    share = share_of(a)
    if share is not None and share.steps:
        return _numbered(_title(share.steps[-1][0]))
    if isinstance(a._at, TrieNode):
        assert a._segment is not None
        return name_at(*origin(a._segment, a._at))
    assert a._history is not None
    earlier, ix = a._history
    return name_at(*origin(earlier, entry_at(earlier.end, ix)))


def name_at(book: Book, entry: TrieNode) -> str:
    """The name of the node at an entry."""
    kind = entry.record[0]
    if kind == "function":
        return _name_of_function(book, entry.record[1])
    if kind == "call" and entry.record[1].name != "copy_":
        return _numbered(_name_of(entry))
    if kind == "view":
        return _numbered(_title(entry.record[1]))
    if kind in _WRITES:
        return _WRITES[kind]
    builder = Builder().sync(entry)
    derivative = builder.node_of(entry.ix)
    for index, edge in enumerate(builder.functions):
        if derivative.inputs and derivative.inputs[0] in edge.boundaries:  # a custom function's backward applied it
            return _name_of_function(book, index)
    return _numbered(_capitals(derivative.op.name))


def _name_of_function(book: Book, index: int) -> str:
    return str(book.functions[index][0].name) + "Backward"


def _name_of(entry: TrieNode) -> str:
    """The name of a recorded call, told apart by its operands and static arguments where PyTorch does."""
    _, call, refs, statics = entry.record
    if call.name == "matmul":
        specs = [entry_at(entry, ref).spec for ref in refs]
        return _PRODUCTS.get(tuple([spec.rank for spec in specs if isinstance(spec, Spec)]), "UnsafeView")
    if call.name == "pow" and not statics:
        return "Pow:2" if refs[0] < 0 else "Pow:1" if refs[1] >= 0 else "Pow"
    if call.by_dim and statics[0] is not None:
        return f"{call.name.capitalize()}:1"
    overload = _OVERLOADS.get(call.name)
    return _title(call) if overload is None else overload(refs, statics) or _title(call)


def _title(call: Call) -> str:
    title = call.grad_fn or _capitals(call.name)
    return f"{title}Ex" if title in _CHECKED else title


def _capitals(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace(".", "_").split("_"))


def _numbered(name: str) -> str:
    """``MulBackward0`` from "Mul", ``PowBackward1`` from "Pow:1"."""
    base, _, number = name.partition(":")
    return f"{base}Backward{number or 0}"
