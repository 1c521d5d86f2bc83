"""What made a tensor, looked up in the trie when somebody asks."""

from __future__ import annotations

from nbgrad.trace.handle import Handle
from nbgrad.trace.trie import TrieNode


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
    if not a.at.requires_grad or a.at.is_leaf:
        return None
    if a.rare is not None and a.rare.base is not None:
        return GradFn(_pretty(a.rare.chain[-1][0].name))
    entry = a.at
    functions = a.chapter.functions if a.chapter is not None else []
    if not isinstance(entry, TrieNode):
        assert a.history is not None
        segment, ix = a.history
        functions = segment.functions
        entry = segment.struct.end
        while entry.ix > ix:
            assert entry.parent is not None
            entry = entry.parent
    kind = entry.record[0]
    if kind == "function":
        return GradFn(functions[entry.record[1]][0].name + "Backward")
    return GradFn(_pretty(entry.record[1].name if kind == "call" else kind))


def _pretty(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "Backward0"
