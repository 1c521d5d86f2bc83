"""What operators save for their derivatives, by PyTorch's names: ``grad_fn._saved_self`` and its like, and what hooks
on saved tensors are given. Loaded when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from nbgrad.autograd.grad_fn import name_at
from nbgrad.autograd.hooks import NodeHook, hooks_of_node
from nbgrad.autograd.saved import Kept, with_history_of
from nbgrad.autograd.saved_values import keeps_input
from nbgrad.errors import GradError, RunError
from nbgrad.trace import (
    FREED,
    HOLE,
    OWN,
    ROOT,
    SHARED,
    EarlierSegment,
    Handle,
    Hooks,
    Segment,
    Spot,
    Trace,
    TrieNode,
    advance,
    bring_in,
    builder_of,
    detach,
    entry_at,
    entry_of,
    holding,
    local,
    missing,
    new_tensor,
    path_between,
    released,
    spec_of,
    spot_of,
    tensor_at,
    threads,
)
from nbgrad.transform.reads import RESULT, places_read

_RESULT, _BOTH = {"result": RESULT}, {"result": RESULT, "self": 0}
_PAIR, _SELF, _PLACED = {"self": 0, "other": 1}, {"self": 0}, {"self": 0, "index": 1}

# By the name of a node without "Backward": what PyTorch saves, where that is not what our derivative reads anyway. Of
# these an operand is saved only where the other one requires grad.
_NAMED: Final[dict[str, dict[str, int]]] = {
    **dict.fromkeys(["Exp", "Exp2", "Expm1", "Reciprocal", "Relu", "Rsqrt", "Sigmoid", "Sqrt", "Tan", "Tanh"], _RESULT),
    **dict.fromkeys(["Softmax", "LogSoftmax", "SpecialNdtri"], _RESULT),
    **dict.fromkeys(["Amax", "Amin", "Cumprod", "Logcumsumexp", "Logsumexp", "Prod", "Std"], _BOTH),
    **dict.fromkeys(["Maximum", "Minimum", "Fmax", "Fmin", "Atan2", "Xlogy", "Logaddexp"], _PAIR),
    **dict.fromkeys(["Max:1", "Min:1", "Median", "LinalgVectorNorm"], _BOTH),
    **dict.fromkeys(["Var", "Angle", "Pow"], _SELF),
    **dict.fromkeys(["Gather", "Take"], _PLACED),
    "LinalgInvEx": {"inverse": RESULT},
    "LinalgCholeskyEx": {"L": RESULT},
    "LinalgDet": {"A": 0, "result": RESULT},
    "LinalgSolveEx": {"A": 0, "result": RESULT},
    "LinalgSolveTriangular": {"self": 0, "result": RESULT},
    "LinalgPinv": {"self": 0, "result": RESULT},
    "Complex": {"real": 0, "imag": 1},
    "Embedding": {"indices": 0},
    "NativeLayerNorm": {"input": 0, "weight": 1, "bias": 2},
    "NativeGroupNorm": {"input": 0, "weight": 1},
    "NativeBatchNorm": {"input": 0, "running_mean": 1, "running_var": 2, "weight": 3},
    "Pow:1": {"self": 0, "exponent": 1, "result": RESULT},
    "Pow:2": {"exponent": 1, "result": RESULT},
}
_ONE_FOR_THE_OTHER: Final = {
    "Mul": {"self": 0, "other": 1},
    "Mm": {"self": 0, "mat2": 1},
    "Mv": {"self": 0, "vec": 1},
    "Dot": {"self": 0, "tensor": 1},
    "Bmm": {"self": 0, "mat2": 1},
}


def saved_by_call(entry: TrieNode, title: str) -> dict[str, int]:
    """The names of what the call at ``entry`` saves, and which operand each is, or RESULT."""
    refs = entry.record[2]
    by = [r >= 0 and entry_at(entry, r).requires_grad for r in refs]
    if title in _ONE_FOR_THE_OTHER:
        named = {name: k for name, k in _ONE_FOR_THE_OTHER[title].items() if by[1 - k]}
    elif title == "Div":
        named = {"other": 1, **({"self": 0} if by[1] else {})}
    elif title in _NAMED:
        named = _NAMED[title]
    else:
        call = entry.record[1]
        names = [*call.operands, *[f"{call.operands[-1]}{k}" for k in range(len(refs))]]
        named = {names[k] if k >= 0 else "result": k for k in _read(entry)}
        named = {"self" if name == "input" and not keeps_input(call.name) else name: k for name, k in named.items()}
    return {name: k for name, k in named.items() if k == RESULT or refs[k] >= 0}


def _read(entry: TrieNode) -> tuple[int, ...]:
    at = [entry_at(entry, r) if r >= 0 else None for r in entry.record[2]]
    wanted = tuple([k for k, x in enumerate(at) if x is not None and x.requires_grad])
    _, call, refs, statics = entry.record
    return places_read(call, tuple(refs), statics, tuple([None if x is None else x.spec for x in at]), wanted)


def _title(book: Any, entry: TrieNode) -> str:
    name, _, number = name_at(book, entry).partition("Backward")
    return f"{name}:{number}" if f"{name}:{number}" in _NAMED else name


Names = dict[str, int | tuple[int | None, ...] | None]  # operands, RESULT, or None for what need not be saved


def names_at(spot: Spot) -> Names:
    """The names of what the node at ``spot`` has saved: operands by their places, or RESULT."""
    book, entry = spot
    if entry.record[0] != "call":
        return {}
    title = _title(book, entry)
    found: Names = dict.fromkeys(_ONE_FOR_THE_OTHER.get(title, ("self", "other") if title == "Div" else ()))
    found |= saved_by_call(entry, title)
    _, call, refs, statics = entry.record
    if title == "Stack":
        found = {"tensors": tuple(range(len(refs)))}
    elif call.name == "index":
        places = iter(range(1, len(refs)))
        found = {"indices": tuple([next(places) if d in statics[0] else None for d in range(max(statics[0]) + 1)])}
    return found


def packed_at(spot: Spot) -> SavedByCall | None:
    """Who has packed what the node at ``spot`` saves."""
    own = hooks_of_node(spot[0].hooks.get(spot[1].ix, Hooks()), None)
    return own[0].__self__ if own else None  # type: ignore[attr-defined]


def saved_tensor(trace: Trace, spot: Spot, node: Handle, k: int) -> Handle:
    """What the call at ``spot``, the place of ``node``, has saved of operand ``k``. GradError where that was freed."""
    packed = packed_at(spot)
    return _read_at(trace, spot, node, k) if packed is None else packed.tensor(trace, spot, k)


def _read_at(trace: Trace, spot: Spot, node: Handle, place: int) -> Handle:
    """The value of operand ``place`` of the call at ``spot``, or its result, as its derivative would read it; ``node``
    has its place in the graph. GradError where that was freed."""
    book, entry = spot
    ref = entry.ix if place == RESULT else entry.record[2][place]
    at = entry_of(trace, node).ix
    bring_in(trace, [at])
    builder = builder_of(trace, trace.node)
    is_own = book is trace.segment
    k = OWN if is_own else next(k for k, other in enumerate(trace.segment.earlier) if other.leaves is book.leaves)
    top, value = [builder.inside(k).node_of(ix) for ix in (entry.ix, ref)]
    if top in builder.freed and builder.saves(top):
        raise GradError(FREED)
    for _ in missing(builder, trace.segment, [value]):
        raise RunError("this value was not kept: the derivative is computed without it")
    leaf = book.leaves.get(ref)
    if leaf is not None and (
        leaf._buffer in book.buffers if isinstance(book, EarlierSegment) else entry_of(trace, leaf).ix == ref
    ):
        return leaf
    return _standing_at(trace, entry_at(trace.node, ref) if is_own else advance(trace, ("past", k, ref)))


def _standing_at(trace: Trace, entry: TrieNode) -> Handle:
    """A tensor with the value of an entry of the running segment, and its history: the one that stands for it where
    somebody holds that."""
    known = trace.live[entry.ix]
    if isinstance(known, Handle) and known._at is entry and known._page is trace.page:
        return known
    ix = entry.ix
    return new_tensor(trace, *(("rebase_history", ix, ix, -1) if entry.requires_grad else ("detach", ix, False)))


def require_unpacked(is_freed: bool, is_plain: bool) -> None:
    """RuntimeError for what was freed, or is saved through hooks."""
    if is_freed:
        raise RunError(
            "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph "
            "are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
            "through the graph a second time or if you need to access saved variables after calling backward."
        )
    if not is_plain:
        raise RunError(
            "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks "
            "is allowed at a time."
        )


class SavedByCall:
    """What one call has saved through hooks, and its derivative by that."""

    name = "saved"
    takes: Sequence[bool] = ()
    depth = 0

    def __init__(self, trace: Trace, spot: Spot, read: Callable[[int], Handle] | None = None) -> None:
        """``read`` gives the value of an operand, or the result, of a call of which others come after it."""
        book, entry = spot
        _, self._call, self._refs, self._statics = entry.record
        self._numbers = tuple(book.scalars[entry.parent.n_scalars : entry.n_scalars])  # type: ignore[union-attr]
        at = [entry_at(entry, r) if r >= 0 else None for r in self._refs]
        self._specs = [None if x is None else x.spec for x in at]
        self._wanted = [k for k, x in enumerate(at) if x is not None and x.requires_grad]
        self.named = set(saved_by_call(entry, _title(book, entry)).values())
        self._packed: dict[int, Kept] | None = {}
        self._values: dict[int, Handle] = {}
        if not self.named:
            return
        found = {k: entry if k == RESULT else at[k] for k in {*self.named, *_read(entry)}}
        self._values = {k: read(k) if read else _value(trace, x) for k, x in found.items() if x is not None}
        book.hooks.setdefault(entry.ix, Hooks())[-1] = NodeHook(self.pull_back, None)
        if book is trace.segment:
            advance(trace, ("packed", entry.ix, tuple([r for r in self._refs if r >= 0])))

    def pack(self, pack: Callable[[Handle], Kept]) -> None:
        """Save it."""
        assert self._packed is not None
        values, self._values = self._values, {}
        for k in sorted(values):
            if k in self.named:
                self._packed[k] = pack(values[k])
            elif k != RESULT:  # PyTorch's derivative does without it; a result can be computed of the operands
                self._packed[k] = _AsItIs(values[k])

    def pack_one(self, k: int, pack: Callable[[Handle], Kept]) -> None:
        """Save operand ``k``, or the result, so. RuntimeError where it was, or is freed."""
        require_unpacked(self._packed is None, self._packed is None or isinstance(self._packed[k], _AsItIs))
        assert self._packed is not None
        self._packed[k] = pack(self._packed[k].tensor())

    def tensor(self, trace: Trace, spot: Spot, k: int) -> Handle:
        """What the call at ``spot`` has saved of operand ``k``, or its result, with the history of that."""
        if self._packed is None:
            raise GradError(FREED)
        found = released(trace, self._packed[k].tensor)
        book, entry = spot
        entry = entry if k == RESULT else entry_at(entry, self._refs[k])
        return with_history(found, tensor_at(trace, book, entry), entry.spec) if entry.requires_grad else found

    def pull_back(self, spot: Spot, g: Handle) -> list[Handle]:
        """The cotangents of operands that require grad, of the call at ``spot``, where ``g`` arrives."""
        trace = local.trace
        if self._packed is None:
            raise GradError(FREED)
        kept = {k: self.tensor(trace, spot, k) for k in self._packed}
        ix = {k: entry_of(trace, x).ix for k, x in kept.items()}
        refs = tuple([ix.get(k, HOLE if r >= 0 else r) for k, r in enumerate(self._refs)])
        holes = tuple([spec for k, spec in enumerate(self._specs) if refs[k] == HOLE])
        how = self._call, refs, self._statics, holes, entry_of(trace, g).ix, ix.get(RESULT, -1)
        return [new_tensor(trace, "pulled", *how, k, trace.grad_enabled, numbers=self._numbers) for k in self._wanted]

    def free(self) -> None:
        """A derivative without ``retain_graph`` has used it up."""
        self._packed = None


def pack_later(node: Handle, k: int, pack: Callable[[Handle], Kept]) -> None:
    """Save what the call with the place of ``node`` in the graph reads of operand ``k``, or its result, so from now on.
    RuntimeError where that was freed, or is saved through hooks."""
    _saved_by(node, k).pack_one(k, pack)


@holding
def _saved_by(trace: Trace, node: Handle, k: int) -> SavedByCall:
    spot = spot_of(trace, node)
    packed = packed_at(spot)
    if packed is None:
        try:
            packed = SavedByCall(trace, spot, lambda place: detach(_read_at(trace, spot_of(trace, node), node, place)))
        except GradError:
            packed = SavedByCall.__new__(SavedByCall)
            packed._packed = None
            return packed
        packed.pack(_AsItIs)
    return packed


class _AsItIs:
    def __init__(self, value: Handle) -> None:
        self._value = value

    def tensor(self) -> Handle:
        return self._value


def _value(trace: Trace, entry: TrieNode) -> Handle:
    return new_tensor(trace, "detach", entry.ix, False)


def with_history(a: Handle, place: Handle, spec: Any) -> Handle:
    """The value of ``a`` as a tensor with the history of ``place``."""
    require_spec(a, spec)
    return with_history_of(place, a)


def require_spec(a: Handle, spec: Any) -> None:
    """RuntimeError where what was unpacked is not like what was packed."""
    if spec_of(a) is not spec:
        raise RunError(f"unpack_hook gave {spec_of(a)} for a saved tensor {spec}")


class Listener:
    """Hears of the calls that a trace records: called after each operation, from ``begin`` to ``end``. The trace does
    not rest as others do meanwhile."""

    def __init__(self, trace: Trace) -> None:
        self._trace, self._rest = trace, trace.rest
        self.outer: Any = trace.saver
        self._is_busy = False
        self.go_on()

    def begin(self) -> None:
        self._save_by(self, SHARED if self._rest is False else self._rest)

    def end(self) -> None:
        """Have the one that there was before hear of it again."""
        self._save_by(self.outer, SHARED if self._rest is False and threads.several else self._rest)

    def _save_by(self, saver: Any, rest: bool | object) -> None:
        trace = self._trace
        trace.saver, trace.rest = saver, rest
        if not trace.is_in_hand:
            trace.taken = rest

    def __call__(self) -> None:
        if self._is_busy:
            return
        self._is_busy = True
        try:
            self.hear(self._segment, self._node)
        finally:
            self._is_busy = False
            self.go_on()

    def go_on(self) -> None:
        """What was recorded so far is none of its business."""
        self._segment, self._node = self._trace.segment, self._trace.node

    def hear(self, segment: Segment, node: TrieNode) -> None:
        """An operation was recorded behind ``node`` of that segment, or in one after it."""
        raise NotImplementedError


class Saver(Listener):
    """Has the calls that a trace records save what they do through hooks."""

    def __init__(self, trace: Trace, pack: Callable[[Handle], Kept]) -> None:
        super().__init__(trace)
        self._pack = pack

    def hear(self, segment: Segment, node: TrieNode) -> None:
        for call in _saved_since(segment, node):
            call.pack(self._pack)


@holding
def _saved_since(trace: Trace, segment: Segment, node: TrieNode) -> list[SavedByCall]:
    calls = [entry for entry in calls_since(trace, segment, node) if entry.requires_grad]
    return [SavedByCall(trace, (trace.segment, entry)) for entry in calls]


def calls_since(trace: Trace, segment: Segment, node: TrieNode) -> list[TrieNode]:
    """The calls recorded behind ``node`` of that segment; of one after it, all. Function transforms are left alone."""
    if trace.transforms or trace.vmaps or trace.duals is not None:
        return []
    path = path_between(node, trace.node) if trace.segment is segment else None
    path = path_between(ROOT, trace.node) or [] if path is None else path
    return [entry for entry in path if entry.record[0] == "call"]
