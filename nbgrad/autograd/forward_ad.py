"""Forward mode on tensors: duals, which carry a tangent along, inside a dual level. Names and errors are PyTorch's.

Nothing is computed beside an operation. A dual is an entry of the trace like others, with a place of its own, and the
level writes down which tangent begins there. Who asks for a tangent (``unpack_dual``) has it made of what was recorded
since, from the duals to the tensor, as ``func.jvp`` does; so programs without a level pay nothing.

Two things differ from ``func.jvp``. Tangents go where values go, not where gradients come from: through ``no_grad``,
through writes into tensors without a history, to gradients (forward over reverse). And nothing requires grad that did
not before: so when a segment ends, what a derivative would read is gone. Therefore the level has the tangents of all
tensors that somebody holds then computed with the rest; in the next segment these begin there. What a gradient will
read has a tangent, too, for which the segment keeps what is needed. A custom function is run forward by its own
``jvp``, at once.

>>> from nbgrad.autograd import forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(nbgrad.tensor([1.0, 2.0]), nbgrad.tensor([1.0, 0.0]))
...     forward_ad.unpack_dual(x * x).tangent
tensor([2., 0.])
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple, TypeVar

from nbgrad.autograd.dual_values import beside, cast, layout, placed
from nbgrad.autograd.engine import zeros
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, RunError, ShapeError
from nbgrad.trace import (
    Handle,
    Segment,
    Trace,
    TrieNode,
    advance,
    bits_of,
    books,
    detach,
    entry_of,
    held_entries,
    holding,
    keep_views,
    local,
    new_tensor,
    others_of,
    record,
    refuse,
    requires_grad,
    root_of,
    sharing,
    spec_of,
    state_of,
    tensor_of,
    write,
)

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")
Tangent = Handle | None
Book = dict[int, tuple[Any, ...]]  # by ids of tensors
LEVEL = -1  # among entries

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """What ``unpack_dual`` gives: the value, and its tangent or None."""

    primal: Any
    tangent: Any


class dual_level:
    """A context manager, or decorator, inside which duals can be made. Tangents end with it. RuntimeError where this
    thread is inside one already: levels cannot be nested, as in PyTorch.

    >>> from nbgrad.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(nbgrad.tensor(3.0), nbgrad.tensor(1.0))
    ...     forward_ad.unpack_dual(x**2)
    UnpackedDualTensor(primal=tensor(9.), tangent=tensor(6.))
    """

    def __enter__(self) -> int:
        return _enter()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()

    def __call__(self, function: F) -> F:
        @wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with dual_level():
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


def enter_dual_level() -> int:
    """Begin a dual level of this thread, and give its number, 0. RuntimeError inside another one."""
    refuse("enter_dual_level() opens a level that may stay open: write `with dual_level():`")
    return _enter()


def _enter() -> int:
    trace = local.trace
    if trace.duals is not None:
        raise RunError("Nested forward mode AD is not supported at the moment")
    trace.duals = Level()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the dual level: no tensor has a tangent any more. RuntimeError where none is open, or ``level`` is not the
    number of the one that is."""
    trace = local.trace
    if trace.duals is None:
        raise RunError("Dual level must be a positive number: no dual level is open")
    if level not in (None, 0):
        raise RunError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    trace.duals = None


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A tensor with the value and the history of ``tensor``, and ``tangent``, of the same shape. Of its results,
    ``unpack_dual`` gives the tangents. It shows the memory of ``tensor``: what is written there afterwards it sees, and
    keeps its tangent; what is written in place to it writes both. Of what requires grad, is a view or lies in memory
    that others see it has a copy, which is not written.

    RuntimeError outside a dual level, and where one of the two has a tangent already; ValueError where one is not of a
    floating point dtype.

    >>> from nbgrad.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(nbgrad.tensor([0.0, 0.0]), nbgrad.tensor([1.0, 2.0]))
    ...     forward_ad.unpack_dual(x.sin()).tangent
    tensor([1., 2.])
    """
    open_level = _level(level)
    if open_level is None:
        raise RunError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, x in (("primal", tensor), ("tangent", tangent)):
        spec = spec_of(tensor_of("make_dual", name, x))
        if not spec.dtype.is_inexact:
            raise ArgumentError(f"Expected {name} to be floating point or complex, but got: {spec.dtype}")
    if spec_of(tensor).shape != spec_of(tangent).shape:
        raise ShapeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(spec_of(tensor).shape)} while the given forward gradient is of size "
            f"{list(spec_of(tangent).shape)}."
        )
    before = open_level.tangents([tensor, tangent])
    if before[0] is not None:
        raise RunError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if before[1] is not None:
        raise RunError(
            "Setting a forward grad that itself has a forward gradient at the same level 0 is not supported."
        )
    return open_level.dual(tensor, tangent)


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """``(primal, tangent)`` of a tensor: its value without the tangent, and that; None where it depends on no dual, or
    outside a dual level. The primal shows the memory of ``tensor``, as ``detach()`` does; of what requires grad it is a
    value by itself, with that history.

    >>> from nbgrad.autograd import forward_ad
    >>> forward_ad.unpack_dual(nbgrad.tensor(1.0))
    UnpackedDualTensor(primal=tensor(1.), tangent=None)
    """
    tensor_of("unpack_dual", "tensor", tensor)
    open_level = _level(level)
    tangent = None if open_level is None else open_level.unpacked(tensor)
    if open_level is None or tangent is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(open_level.ended(tensor) if requires_grad(tensor) else detach(tensor), tangent)


def _is_fwd_grad_enabled() -> bool:
    """Whether tangents are computed: always inside a dual level."""
    return True


def __getattr__(name: str) -> Any:
    if name == "_current_level":  # PyTorch's number of the innermost level
        return -1 if local.trace.duals is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _level(number: int | None) -> Level | None:
    """The dual level that is open, if any. RuntimeError where it has another number than is asked for."""
    level: Level | None = local.trace.duals
    if number is not None and number > 0:
        raise RunError(f"Invalid level given to forward_ad: {number}. The only one is 0")
    return None if number is not None and number < 0 else level


class Level:
    """What a dual level knows of tensors, by their ids. ``_held`` are those from memory: their value, and its tangent.
    ``_given`` are the tangents that users gave, and their state then, by what stands for them here: ``unpack_dual``
    gives the same object. ``_made`` are what ``make_dual`` gave, the tangent of each, and whether it is a copy;
    ``_along`` the roots of these tangents, and the dual tensors of each. The tangents of a segment's entries are in its
    ``duals``, and at ``LEVEL`` whose they are. ``_taken`` are tensors of the running segment that another thread has
    brought into memory, and what they stood for. ``_is_differentiable``: a tangent that a user gave requires grad.
    ``_is_following``: what a write of the user's brings about is being written."""

    def __init__(self) -> None:
        self._held: Book = {}
        self._given: Book = {}
        self._made: Book = {}
        self._along: Book = {}
        self._taken: list[tuple[Handle, TrieNode]] = []
        self._is_differentiable = self._is_flushing = self._is_following = False

    def _known(self, segment: Segment) -> dict[int, Any]:
        """The tangents of entries of the running segment, which are those of no level before."""
        known = segment.duals
        if known.get(LEVEL) is not self:
            known.clear()
            known[LEVEL] = self
        return known

    def dual(self, tensor: Handle, tangent: Handle) -> Handle:
        """What ``make_dual`` gives."""
        if layout(tangent) != layout(tensor):
            tangent = record(CALLS["clone"], (tangent,))
        y = beside(tensor)
        y, is_copy = (placed(tensor), True) if y is None else (y, False)
        self._is_differentiable |= requires_grad(tangent)
        root = root_of(tangent)
        for x in (y, root):
            sharing(x).watched = True  # who writes it asks
        self._give(y, tangent)
        _note(self._made, y, tangent, is_copy)
        _, others = self._along.get(id(root), (None, []))
        _note(self._along, root, [*others, weakref.ref(y)])
        return y

    def _give(self, y: Handle, tangent: Handle) -> None:
        """From here on ``y`` has this tangent of the user's, and ``unpack_dual`` gives it."""
        along = placed(cast(tangent, spec_of(y)))
        sharing(tangent)  # whose version tells of writes
        _note(self._given, along, tangent, state_of(tangent))
        self.begin_at(y, along)

    def follows(self, a: Handle) -> bool:
        """Whether something is to follow a write of ``a``: the tangent of a dual, or the duals of a tangent."""
        return not self._is_following and (id(root := root_of(a)) in self._made or id(root) in self._along)

    def write(self, a: Handle, *how: Any) -> bool:
        """``write``; then the tangent that was given for a dual is what it has now, or its duals have that."""
        self._is_following = True
        try:
            done: bool = write(a, *how)
            if done:
                self._follow(root_of(a))
            return done
        finally:
            self._is_following = False

    def _follow(self, root: Handle) -> None:
        """``root`` was written: a dual, or the tangent of some."""
        made, source = self._made.get(id(root)), root
        if made is not None:
            (t,), tangent = self.tangents([root]), made[1]
            value = zeros(spec_of(tangent)) if t is None else cast(t, spec_of(tangent))
            write(tangent, value, "make_dual", state_of(tangent))
            self._give(root, tangent)
            source = root_of(tangent)
        for y in [y for ref in self._along[id(source)][1] if (y := ref()) is not None and y is not root]:
            tangent, value = self._made[id(y)][1], placed(y)
            self._give(value, tangent)
            write(y, value, "make_dual", state_of(y))
            self._give(y, tangent)

    def begin_at(self, y: Handle, tangent: Tangent) -> None:
        """Give ``y``, whose entry is its own, this tangent, or none; it may be in memory by now."""
        if y._page is not None:
            self._known(local.trace.segment)[y._at.ix] = tangent
        elif tangent is not None:
            self.hold([(y, tangent)])

    def end_at(self, trace: Trace, twin: Handle) -> None:
        """A detached tensor has no tangent."""
        if twin._page is not None:
            self._known(trace.segment)[twin._at.ix] = None

    def ended(self, tensor: Handle) -> Handle:
        """The same value, and history, without a tangent."""
        y = placed(tensor)
        self.begin_at(y, None)
        return y

    def unpacked(self, tensor: Handle) -> Tangent:
        """The tangent of ``tensor``, for the user: the one that was given, where that was not written since."""
        (found,) = self.tangents([tensor])
        if found is None:
            return None
        if (known := self._given.get(id(found))) is None:
            return self.ended(found)
        given: Handle = known[1]
        state = known[2]
        if state_of(given) != state:
            raise RunError(
                "unpack_dual: this tangent was written after make_dual, which keeps what it was. PyTorch would follow; "
                "make another dual of what is there now"
            )
        return given

    def refuse_write(self, a: Handle, what: str) -> None:
        """RuntimeError where ``a`` shows what ``make_dual`` gave, which is a copy of its primal."""
        made = self._made.get(id(root_of(a)))
        if made is not None and made[2] and not self._is_following:
            raise RunError(
                f"{what}: the dual tensor that make_dual gives is not written in place: PyTorch writes its primal with "
                "it, nbgrad would not. Write a clone() of it"
            )

    def refuse_history(self, a: Handle, what: str) -> None:
        """RuntimeError where ``a``, which gets a history by a write, shows the memory of a dual, which would not."""
        if any(id(y) in self._made for y in others_of(a)):
            raise RunError(
                f"{what}: a tensor that requires grad is written into the primal of a dual, which sees the values "
                "but would not require grad with it, as in PyTorch. Make the dual after the write"
            )

    def exporting(self, a: Handle) -> list[tuple[Handle, Handle]]:
        """Others will see the memory of ``a``: the tensors that show it too, and their tangents. RuntimeError where
        that is one with a tangent."""
        if self.tangents([a])[0] is not None:
            raise RunError("Can't call numpy() on a Tensor that has a tangent. Use tensor.detach().numpy() instead.")
        others = [*others_of(a)]
        return [(y, t) for y, t in zip(others, self.tangents(others), strict=True) if t is not None]

    def take(self, a: Handle, entry: TrieNode) -> None:
        """Another thread has brought ``a`` into memory, which stood for an entry of the running segment."""
        self._taken.append((a, entry))

    def come_in(self, a: Handle, entry: TrieNode) -> None:
        """``a``, whose memory others see, was read, and is ``entry``."""
        if (held := self._held.get(id(a))) is not None and held[1] is a._buffer:
            self._known(local.trace.segment)[entry.ix] = held[2]

    def tangents(self, outputs: Sequence[Handle]) -> list[Tangent]:
        """The tangents of tensors, as tensors that nobody else has."""
        return _tangents(self, outputs)

    def of_entry(self, trace: Trace, entry: TrieNode) -> Tangent:
        """The tangent of an entry of the running segment."""
        return self.find_at(trace, [entry.ix], [entry.requires_grad])[0]

    def find_at(self, trace: Trace, refs: Sequence[int], require_grad: Sequence[bool]) -> list[Tangent]:
        known = self._known(trace.segment)
        while self._taken:
            y, entry = self._taken.pop()
            if (t := self.of_entry(trace, entry)) is not None:
                self.hold([(y, t)])
        for key, (_, entry, value) in trace.segment.entered.items():
            if (held := self._held.get(key)) is not None and held[1] is value:
                known.setdefault(entry.ix, held[2])
        wanted = [ref for ref in dict.fromkeys(refs) if ref not in known]
        given = tuple(self._places(trace)) if wanted or self._is_flushing else ()  # then it says what has to be kept
        if any(t is not None for _, t in given):
            begin = tuple([(place, -1 if t is None else entry_of(trace, t).ix) for place, t in given])
            event = advance(trace, ("tangents", tuple(wanted), begin))
            for place, (ref, is_there) in enumerate(zip(wanted, event.meta, strict=True)):
                if is_there:
                    keeps = (self._is_differentiable and trace.grad_enabled) or require_grad[refs.index(ref)]
                    known[ref] = new_tensor(trace, "out", event.ix, place, trace.transforms if keeps else -1)
        return [known.get(ref) for ref in refs]

    def _places(self, trace: Trace) -> Iterator[tuple[tuple[int, int], Tangent]]:
        """Where tangents begin, or end: None."""
        for k, book, last in books(trace):
            if book.duals.get(LEVEL) is self:
                yield from [((k, ix), t) for ix, t in book.duals.items() if LEVEL < ix <= last]

    def around(self, flush: Callable[..., R]) -> Callable[..., R]:
        """``flush``, and what a level does before and after. Where an instruction fails it is called inside itself."""
        return flush if self._is_flushing else partial(self._flush, flush)

    def _flush(self, flush: Callable[..., R], trace: Trace, *how: Any) -> R:
        self._is_flushing = True
        try:
            fresh = self._before_flush(trace)
            done = flush(trace, *how)
            self.hold(fresh)
            return done
        finally:
            self._is_flushing = False

    def _before_flush(self, trace: Trace) -> list[tuple[Handle, Handle]]:
        """A segment ends: what of it somebody holds, what views show among it, and its tangent."""
        keep_views(trace)
        held = [y for y, entry in held_entries(trace, bits_of(trace.live)) if _may_have_tangent(entry)]
        fresh = [(y, t) for y, t in zip(held, self.tangents(held), strict=True) if t is not None]
        for y in held:  # which may have been written since it came in
            self._held.pop(id(y), None)
        return fresh

    def hold(self, pairs: Sequence[tuple[Handle, Handle]]) -> None:
        """What is in memory has these tangents."""
        for y, t in pairs:
            if y._page is None:
                _note(self._held, y, y._buffer, t)


def _note(book: Book, a: Handle, *known: Any) -> None:
    """Write down what is known of ``a``, as long as it lives."""
    key = id(a)
    book[key] = weakref.ref(a, lambda _: book.pop(key, None)), *known


def _may_have_tangent(entry: TrieNode) -> bool:
    """Whether what stands for an entry has a value of its own, of a floating point dtype."""
    return not entry.is_alias and entry.spec is not None and entry.spec.dtype.is_inexact


@holding
def _tangents(trace: Trace, level: Level, outputs: Sequence[Handle]) -> list[Tangent]:
    return level.find_at(trace, [entry_of(trace, y).ix for y in outputs], [requires_grad(y) for y in outputs])
