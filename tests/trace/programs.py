"""Random programs over views, in-place writes, looks and derivatives, for any library with PyTorch's names.

A program is a list of steps; a step names what to do and which tensors of the pool it is done to. The same program runs
on nbgrad, PyTorch and (without derivatives) on plain NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st


@dataclass(frozen=True)
class Step:
    """``name`` done to tensor ``a`` of the pool (and ``b``), with numbers ``n`` and ``m``."""

    name: str
    a: int
    b: int
    n: int
    m: int


class Refused(Exception):
    """The library refused the step."""


def _slice(x: Any, step: Step) -> Any:
    dim = step.m % len(x.shape)
    size = x.shape[dim]
    start = step.n % (size + 1)
    index = [slice(None)] * len(x.shape)
    index[dim] = slice(start, None, 1 + step.b % 3)
    return x[tuple(index)]


def _select(x: Any, step: Step) -> Any:
    return x[step.n % x.shape[0], ...] if x.shape[0] else x[:0]


def _move(x: Any, step: Step) -> Any:
    dims = list(range(len(x.shape)))
    dims = dims[step.n % len(dims) :] + dims[: step.n % len(dims)]
    return x.transpose(dims) if isinstance(x, np.ndarray) else x.permute(dims)


def _flatten(x: Any, step: Step) -> Any:
    return x.reshape(-1)


def _stretch(x: Any, step: Step) -> Any:
    if isinstance(x, np.ndarray):
        return np.broadcast_to(x, (2, *x.shape))
    return x.expand(2, *x.shape)


VIEWS: dict[str, Callable[[Any, Step], Any]] = {
    "slice": _slice,
    "select": _select,
    "move": _move,
    "flatten": _flatten,
    "unsqueeze": lambda x, step: x[None],
    "stretch": _stretch,
    "whole": lambda x, step: x[...],
}


def _number(step: Step) -> float:
    return float(step.n % 5 - 2) or 0.5


def _writeable(view: Any) -> Any:
    """A view that may be written where each of its elements has a place of its own. To NumPy, whatever was broadcast is
    read-only."""
    if isinstance(view, np.ndarray):
        stretched = 0 in [s for s, n in zip(view.strides, view.shape, strict=True) if n > 1]
        view.flags.writeable = not (stretched and view.size)
    return view


def _put(x: Any, index: Any, value: Any) -> None:
    if isinstance(x, np.ndarray):
        _writeable(x[(index, ...) if isinstance(index, int) else index])[...] = value
    else:
        x[index] = value


def _assign(x: Any, step: Step) -> None:
    _put(x, step.m % x.shape[0] if len(x.shape) and x.shape[0] else slice(None) if len(x.shape) else ..., _number(step))


def _assign_slice(x: Any, step: Step) -> None:
    _put(_slice(x, step), ..., _number(step))


def _scale(x: Any, step: Step) -> None:
    x *= _number(step)


def _shift(x: Any, step: Step) -> None:
    x += _number(step)


def _where(x: Any, step: Step) -> None:
    mask = x > _number(step)
    if isinstance(x, np.ndarray):
        x.flags.writeable = True  # one number: also where elements share a place
    x[mask] = 1.5
    _writeable(x)


WRITES: dict[str, Callable[[Any, Step], None]] = {
    "scale": _scale,
    "shift": _shift,
    "assign": _assign,
    "assign_slice": _assign_slice,
    "where": _where,
}


def _write_from(x: Any, y: Any, step: Step) -> None:
    """Write one tensor into (a part of) another, whatever fits."""
    if x.shape == y.shape:
        x[...] = y * _number(step)
    elif len(x.shape) and y.shape == x.shape[1:] and x.shape[0]:
        _put(x, step.m % x.shape[0], y)
    elif len(x.shape) and y.shape == x.shape[1:]:
        x += y
    else:
        x[...] = _number(step)


def _combine(x: Any, y: Any, step: Step) -> Any:
    return x * y if x.shape == y.shape else x * x * _number(step)


NAMES = [
    *VIEWS,
    *VIEWS,
    *WRITES,
    *WRITES,
    "from",
    "from",
    "square",
    "combine",
    "add",
    "clone",
    "detach",
    "unrecorded",
    "look",
    "look",
    "grad",
    "grad",
    "backward",
    "derive",
    "by",
    "by",
    "custom",
    "mask",
    "pick",
    "drop",
]
GRADIENTS = ("unrecorded", "grad", "backward", "derive", "by", "custom")
WITHOUT_GRADIENTS = [n for n in NAMES if n not in GRADIENTS] + ["export", "export", "outside", "outside", "forget"]


def steps(names: list[str], *, most: int = 14) -> st.SearchStrategy[list[Step]]:
    small = st.integers(0, 7)
    return st.lists(st.builds(Step, st.sampled_from(names), small, small, small, small), min_size=2, max_size=most)


def custom_function(library: Any) -> Any:
    """A function with a backward of its own, which is not the derivative of what it computes."""

    class Bend(library.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * x * 3.0

    return Bend.apply


@dataclass
class World:
    """One library running a program. ``log`` is what it could see: values at looks, gradients, refusals.

    Without ``looks`` nothing is looked at before the end; gradients are noted then as they were when asked for.
    """

    library: Any  # a module with PyTorch's names, or NumPy
    looks: bool = True
    log: list[Any] = field(default_factory=list)
    pool: list[Any] = field(default_factory=list)
    leaves: list[Any] = field(default_factory=list)
    exports: list[Any] = field(default_factory=list)  # arrays that share memory with tensors

    @property
    def plain(self) -> bool:
        return self.library is np

    def start(self) -> None:
        shapes = [(4,), (2, 3), (3, 2, 2)]
        for i, shape in enumerate(shapes):
            array = (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) - 2.0 - i) / 3.0  # sums of which round
            if self.plain:
                self.pool.append(array.copy())
                continue
            leaf = self.library.tensor(array, requires_grad=i < 2)
            self.leaves.append(leaf)
            self.pool.append(leaf * 1.0 if i < 2 else leaf)
        if not self.plain:
            self.pool.append(self.leaves[0])
        else:
            self.pool.append(self.pool[0].copy())

    def run(self, program: list[Step]) -> list[Any]:
        self.start()
        for step in program:
            try:
                self.do(step)
            except (RuntimeError, ValueError, IndexError) as error:
                self.log.append(("refused", step.name, str(error)))
        for i, (kind, *seen) in enumerate(self.log):
            if kind == "grad":
                self.log[i] = (kind, [None if g is None else g.tolist() for g in seen[0]])
        self.log.append(("arrays", [x.tolist() for x in self.exports]))
        self.log.append(("end", [self.values(x) for x in self.pool]))
        return self.log

    def values(self, x: Any) -> Any:
        return x.tolist() if self.plain else x.detach().tolist()

    def do(self, step: Step) -> None:
        a = self.pool[step.a % len(self.pool)]
        b = self.pool[step.b % len(self.pool)]
        name = step.name
        if name in VIEWS:
            if not len(a.shape) and name in ("slice", "select", "move"):
                name = "whole"
            if len(a.shape) > 4 and name in ("unsqueeze", "stretch"):
                name = "flatten"
            if name != "flatten" or self._is_contiguous(a):
                self.pool.append(_writeable(VIEWS[name](a, step)))
        elif name in WRITES:
            self._write(name, a, step)
        elif name == "unrecorded":
            with self.library.no_grad():
                self._write("scale" if step.m % 2 else "shift", a, step)
        else:
            getattr(self, "_" + name)(a, b, step)

    def _is_contiguous(self, a: Any) -> bool:
        """Libraries differ in which reshapes copy, where strides allow both."""
        return bool(a.flags["C_CONTIGUOUS"]) if self.plain else bool(a.is_contiguous())

    def _write(self, name: str, a: Any, step: Step) -> None:
        if not len(a.shape) and name == "assign_slice":
            name = "scale"
        WRITES[name](a, step)

    def _from(self, a: Any, b: Any, step: Step) -> None:
        _write_from(a, b, step)

    def _square(self, a: Any, b: Any, step: Step) -> None:
        self.pool.append(a * a)

    def _combine(self, a: Any, b: Any, step: Step) -> None:
        self.pool.append(_combine(a, b, step))

    def _add(self, a: Any, b: Any, step: Step) -> None:
        self.pool.append(a + b if a.shape == b.shape else a + _number(step))

    def _clone(self, a: Any, b: Any, step: Step) -> None:
        self.pool.append(a.copy() if self.plain else a.clone())

    def _detach(self, a: Any, b: Any, step: Step) -> None:
        self.pool.append(a[...] if self.plain else a.detach())

    def _look(self, a: Any, b: Any, step: Step) -> None:
        self.log.append(("look", self.values(a) if self.looks else None))

    def _export(self, a: Any, b: Any, step: Step) -> None:
        self.exports.append(array := a[...] if self.plain else a.detach().numpy())
        if self.plain:
            array.flags.writeable = True  # whatever a library shows of its own

    def _outside(self, a: Any, b: Any, step: Step) -> None:
        """A write that the library does not see."""
        if self.exports:
            array = self.exports[step.b % len(self.exports)]
            array += _number(step)
            self.log.append(("array", array.tolist()))

    def _forget(self, a: Any, b: Any, step: Step) -> None:
        if self.exports:
            del self.exports[step.b % len(self.exports)]

    def _drop(self, a: Any, b: Any, step: Step) -> None:
        if len(self.pool) > 3:
            del self.pool[step.a % len(self.pool)]

    def _mask(self, a: Any, b: Any, step: Step) -> None:
        self.pool.append(a * (a > _number(step)))

    def _pick(self, a: Any, b: Any, step: Step) -> None:
        if len(a.shape) and a.shape[0]:
            self.pool.append(a[[step.n % a.shape[0], step.m % a.shape[0]]])

    def _custom(self, a: Any, b: Any, step: Step) -> None:
        self.pool.append(custom_function(self.library)(a))

    def _grad(self, a: Any, b: Any, step: Step) -> None:
        if a.requires_grad:
            got = self.library.autograd.grad(a.sum(), self.leaves[:2], retain_graph=True, allow_unused=True)
            self._note(got)

    def _by(self, a: Any, b: Any, step: Step) -> None:
        """Gradients by any tensor: computed ones and views too."""
        if a.requires_grad and b.requires_grad:
            wrt = [b, self.leaves[step.m % 2]]
            self._note(self.library.autograd.grad((a * 3.0).sum(), wrt, retain_graph=True, allow_unused=True))

    def _backward(self, a: Any, b: Any, step: Step) -> None:
        if a.requires_grad:
            a.sum().backward(retain_graph=True)
            self._note([x.grad for x in self.leaves[:2]])

    def _derive(self, a: Any, b: Any, step: Step) -> None:
        if a.requires_grad:
            got = self.library.autograd.grad((a * a).sum(), self.leaves[:2], create_graph=True, allow_unused=True)
            self.pool.extend([g for g in got if g is not None])

    def _note(self, gradients: Sequence[Any]) -> None:
        """Write gradients down: those of leaves will be added to."""
        with self.library.no_grad():
            copies = [None if g is None else g.clone() for g in gradients]
        if self.looks:
            [g.tolist() for g in copies if g is not None]
        self.log.append(("grad", copies))
