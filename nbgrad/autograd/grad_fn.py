"""What made a tensor, looked up in the trie when somebody asks."""

from __future__ import annotations

from nbgrad.calls.base import Call
from nbgrad.graph.spec import Spec
from nbgrad.trace import Builder, Handle, TrieNode, entry_at, is_leaf, requires_grad, share_of

_BY_DIM = ("sum", "mean", "prod")  # a second overload takes dims
_PRODUCTS: dict[tuple[int, ...], str] = {(2, 2): "Mm", (2, 1): "Mv", (1, 1): "Dot"}
_WRITES = {"overwrite_history": "CopyBackwards", "rebase_history": "CopySlices"}


class GradFn:
    """The backward of what made a tensor: its name, as PyTorch prints it."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<{self._name}>"


def grad_fn_of(a: Handle) -> GradFn | None:
    """What made ``a``; None where it is a leaf."""
    if not requires_grad(a) or is_leaf(a):
        return None
    share = share_of(a)
    if share is not None and share.steps:
        return GradFn(_numbered(_title(share.steps[-1][0])))
    entry = a.at
    functions = a.segment.functions if a.segment is not None else []
    if not isinstance(entry, TrieNode):
        assert a.history is not None
        earlier, ix = a.history
        functions = earlier.functions
        entry = entry_at(earlier.struct.end, ix)
    kind = entry.record[0]
    if kind == "function":
        return GradFn(functions[entry.record[1]][0].name + "Backward")
    if kind == "call":
        return GradFn(_numbered(_name_of(entry)))
    if kind in _WRITES:
        return GradFn(_WRITES[kind])
    derivative = Builder().sync(entry).node_of(entry.ix)
    return GradFn(_numbered(_capitals(derivative.op.name)))


def _name_of(entry: TrieNode) -> str:
    """The name of a recorded call, told apart by its operands and static arguments where PyTorch does."""
    _, call, refs, statics = entry.record
    if call.name == "matmul":
        specs = [entry_at(entry, ref).spec for ref in refs]
        return _PRODUCTS.get(tuple([spec.rank for spec in specs if isinstance(spec, Spec)]), "UnsafeView")
    if call.name == "pow" and not statics:
        return "Pow:2" if refs[0] < 0 else "Pow:1" if refs[1] >= 0 else "Pow"
    if call.name in _BY_DIM and statics[0] is not None:
        return f"{call.name.capitalize()}:1"
    return _title(call)


def _title(call: Call) -> str:
    return call.grad_fn or _capitals(call.name)


def _capitals(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _numbered(name: str) -> str:
    """``MulBackward0`` from "Mul", ``PowBackward1`` from "Pow:1"."""
    base, _, number = name.partition(":")
    return f"{base}Backward{number or 0}"
