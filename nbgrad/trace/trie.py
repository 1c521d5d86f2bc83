"""The trie of everything recorded so far: one node per (what was recorded before, what was recorded now).

A trie node caches what the operation gives (spec, gradient flag), so a structure seen before is recorded without
inferring, building or differentiating anything. Plans hang at the nodes where a trace was flushed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from nbgrad.calls.base import CALLS_BY_NUMBER
from nbgrad.calls.key import BOOL, COMPLEX, FLOAT, INT, NONE, split_key
from nbgrad.graph.interned import Interned
from nbgrad.graph.node import Node
from nbgrad.graph.spec import Spec

Record = tuple[Any, ...]
Aliases = tuple[int, "Aliases | None"]

NO_FORM = -(1 << 20)


class Kind(NamedTuple):
    """One kind of op record.

    ``graph(builder, entry, *arguments)`` gives its node, None for an event. ``baseline(baseline, entry, *arguments)``
    takes it into the baseline program, and says whether a kernel of it may refuse its input. ``sources(*arguments)``
    are the entries that it sends cotangents on to, directly. ``has_grad``: it always has a derivative, otherwise the
    columns say. ``is_alias``: it is what a view shows. ``inference(*arguments)``: it is an inference tensor.
    ``n_inputs``: how many tensors from memory it brings in.
    """

    graph: Callable[..., Node | None]
    baseline: Callable[..., bool | None] | None = None
    sources: Callable[..., Sequence[int]] = lambda *_: ()
    has_grad: bool = False
    is_alias: bool = False
    inference: Callable[..., bool] = lambda *_: False
    n_inputs: int = 0


KINDS: dict[str, Kind] = {}  # by name, see kinds.py


class TrieNode(dict[Any, "TrieNode"]):
    """What the trace is after recording an entry at ``parent``, which knows it under ``key``; as a dict, where it goes
    from here.

    A call has the key that calls have (calls/key.py), with the entries of its operands. Other entries are given their
    ``record``.

    ``ix`` numbers the entries of a trace from 0; ``n_scalars`` and ``n_inputs`` count the numbers and the tensors from
    memory up to here. ``spec`` is None for events, which have no value. ``leaf`` is the entry that brought in the leaf
    tensor whose identity this value has, or -1. ``view`` says that the value shares memory with its first operand,
    ``lazy_view`` is the kind of view that it is (storage.py; 0: none, None: not yet known). ``aliases`` are the entries
    of views up to here, as (the last one, those before). ``inference`` says that it was made in inference mode.
    ``meta`` belongs to the kind of record. ``can_fail``: a kernel of it may refuse its input; ``site`` is the user's
    line that made it then; the segment knows the one of this time (``note_line`` in grow.py). ``form`` and
    ``owner`` are for the baseline tier (baseline_builder.py): how the value looks, and the entry whose cotangent it
    shares.

    A node is in its parent only on the way to a plan (``link``): most structures never come again.

    ``cached`` is where it went from here last time: most programs go there again, and to look at what its ``call``,
    ``first`` and ``second`` are takes half the time of a look-up (``cache_next``).
    """

    __slots__ = (
        *("aliases", "cached", "call", "can_fail", "first", "form", "given", "inference", "ix", "key", "lazy_view"),
        *("leaf", "meta", "n_inputs", "n_scalars", "owner", "parent", "plans", "requires_grad", "second", "site"),
        *("spec", "view"),
    )

    call: Any
    first: Any
    second: Any

    def __init__(self, parent: TrieNode | None, key: Any, given: Record | None = None) -> None:
        self.parent = parent
        self.key = key
        self.given = given
        self.cached = NOBODY
        self.aliases: Aliases | None
        if parent is None:
            self.owner = self.ix = -1
            self.n_scalars = self.n_inputs = 0
            self.aliases = None
        else:
            self.owner = self.ix = parent.ix + 1
            self.n_scalars, self.n_inputs, self.aliases = parent.n_scalars, parent.n_inputs, parent.aliases
        self.form = NO_FORM
        self.leaf = -1
        self.requires_grad = self.view = self.inference = self.can_fail = False
        self.spec: Spec | None = None
        self.lazy_view: int | None = None
        self.plans: dict[bytes, Any] | None = None
        self.meta: Any = None
        self.site = ""

    @property
    def is_linked(self) -> bool:
        """Whether the trie leads here."""
        return self.parent is None or self.parent.get(self.key) is self

    @property
    def is_alias(self) -> bool:
        """Whether what stands for this entry shows memory, and has no value of its own."""
        return self.aliases is not None and self.aliases[0] == self.ix

    def be_alias(self) -> None:
        """Be an entry of a view."""
        self.aliases = (self.ix, None if self.parent is None else self.parent.aliases)

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a trie node belongs to its process")

    @property
    def record(self) -> Record:
        """(kind of entry, ...); of a call: ("call", call, operands, static arguments)."""
        if self.given is not None:
            return self.given
        refs, statics = split_key(self.key)
        return ("call", CALLS_BY_NUMBER[self.key[0]], refs, statics)

    @property
    def is_leaf(self) -> bool:
        return self.leaf >= 0 or not self.requires_grad

    @property
    def in_memory(self) -> Leaf:
        """What a tensor that stands for this becomes when its value is there."""
        assert self.spec is not None
        return Leaf.of(self.spec, self.requires_grad, self.is_leaf, self.inference)


NOBODY: TrieNode = TrieNode.__new__(TrieNode)  # before any went there
NOBODY.call = NOBODY.first = NOBODY.second = None


def cache_next(before: TrieNode, node: TrieNode, call: Any, first: Any = None, second: Any = None) -> TrieNode:
    """``node``, where ``before`` is likely to go again next time: what led there is ``call`` on the entries ``first``
    and ``second``. Whoever compares them says what they are; they are the same each time, as the path to an entry is.
    """
    node.call, node.first, node.second = call, first, second
    before.cached = node  # last: other threads may look there at once
    return node


def link(node: TrieNode) -> None:
    """Let the trie lead to ``node``. Where another thread was quicker, to its own."""
    while (parent := node.parent) is not None and parent.setdefault(node.key, node) is node and not parent.is_linked:
        node = parent


def stand_in(mark: int) -> TrieNode:
    """What a number operand has in place of an entry."""
    node = TrieNode(None, None)
    node.ix = node.owner = node.form = mark
    return node


STAND_INS = {mark: stand_in(mark) for mark in (FLOAT, INT, BOOL, NONE, COMPLEX)}
A_FLOAT, AN_INT = STAND_INS[FLOAT], STAND_INS[INT]


def path_between(start: TrieNode, end: TrieNode) -> list[TrieNode] | None:
    """The entries after ``start`` up to ``end``; None where ``end`` does not come after ``start``."""
    path = []
    node = end
    while node is not start:
        if node.parent is None or node.ix <= start.ix:
            return None
        path.append(node)
        node = node.parent
    path.reverse()
    return path


def entry_at(end: TrieNode, ix: int) -> TrieNode:
    """Entry ``ix`` of the path that ends with ``end``."""
    while end.ix > ix:
        assert end.parent is not None
        end = end.parent
    return end


class Leaf:
    """State of a tensor that holds its value in memory: the key with which it enters a trace. Interned as long as
    somebody has it. ``shown`` says of what it is a view, and how, where that has no entry: what shows its memory in
    turn depends on it. ``plain`` is the state of one with its value that has no gradient, once somebody asked."""

    __slots__ = ("__weakref__", "form", "inference", "is_leaf", "ix", "plain", "record", "requires_grad", "spec")
    _all: ClassVar[Interned[Leaf]] = Interned()
    lazy_view: ClassVar[int] = 0
    is_alias: ClassVar[bool] = False

    def __init__(self, spec: Spec, requires_grad: bool, is_leaf: bool, inference: bool) -> None:
        self.spec, self.requires_grad, self.is_leaf, self.inference = spec, requires_grad, is_leaf, inference
        self.ix, self.form = -1, NO_FORM
        self.plain: Leaf | None = None
        self.record: Record = ("leaf", self)

    @staticmethod
    def of(spec: Spec, requires_grad: bool, is_leaf: bool, inference: bool = False, shown: Any = None) -> Leaf:
        key = (spec, requires_grad, is_leaf, inference, shown)
        found = Leaf._all.get(key)
        if found is None:
            found = Leaf._all.one(key, lambda: Leaf(*key[:4]))
        return found

    @property
    def in_memory(self) -> Leaf:
        return self
