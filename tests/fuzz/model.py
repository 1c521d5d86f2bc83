"""What PyTorch does with views, writes and derivatives, in NumPy: the reference where PyTorch is not installed.

Memory is NumPy's; a tensor also knows which ``places`` of its storage it shows, so that any view's derivative is a
gather or a scatter of places. A storage counts its writes. A view that finds the count moved takes its place in the
graph from its base again; a write through a view gives the base a new one. test_views.py compares this model with
PyTorch, where that is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

PLAIN, NO_GRAD, SEVERAL, CUSTOM = "plain", "no_grad", "several", "custom"  # how a view was made
REFUSED = {
    NO_GRAD: "A view was created in no_grad mode and its base or another view of its base has been modified inplace",
    SEVERAL: "Output 0 of UnbindBackward0 is a view and its base or another view of its base has been modified inplace",
    CUSTOM: "Output 0 of Function is a view and its base or another view of its base has been modified inplace",
}


class Mode:
    grad = True


@contextmanager
def grad_mode(on: bool) -> Iterator[None]:
    before, Mode.grad = Mode.grad, on
    try:
        yield
    finally:
        Mode.grad = before


class DType:
    def __init__(self, of: Any) -> None:
        self.of = np.dtype(of)
        self.is_floating_point = self.of.kind == "f"

    def __repr__(self) -> str:
        return self.of.name


DTYPES = {np.dtype(t): DType(t) for t in (np.float64, np.float32, np.int64, np.bool_)}
float64, float32 = DTYPES[np.dtype(np.float64)], DTYPES[np.dtype(np.float32)]


class Saved:
    """A tensor that a derivative reads, and how often it was written then."""

    def __init__(self, x: Tensor) -> None:
        self.x, self.count = x, x.counter[0]

    def get(self) -> Tensor:
        if self.x.counter[0] != self.count:
            raise RuntimeError("one of the variables needed has been modified by an inplace operation")
        return self.x


Edge = tuple["Node", int]


class Node:
    """Where values come from: from cotangents of its results to those of ``inputs``. A leaf's has no inputs."""

    def __init__(self, inputs: Sequence[Edge | None], back: Callable[..., Sequence[Any]], leaf: Tensor | None = None):
        self.inputs, self.back, self.leaf, self.specs = list(inputs), back, leaf, list[Any]()


class Tensor:
    def __init__(self, array: Any, places: Any = None, base: Tensor | None = None) -> None:
        self.array = np.asarray(array, order="C" if places is None else None)
        self.memory = self.array.reshape(-1) if base is None else base.memory
        self.places = np.arange(self.array.size).reshape(self.array.shape) if places is None else places
        self.base, self.kind = base, PLAIN
        self.counter = [0] if base is None else base.counter
        self.seen = self.counter[0]
        self.flag, self.edge, self._grad = False, None, None
        self._accumulate: Node | None = None

    # --- what is asked

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    dtype = property(lambda self: DTYPES[self.array.dtype])
    T = property(lambda self: self.permute(*reversed(range(self.ndim))))
    mT = property(lambda self: self.transpose(-1, -2))
    data = property(lambda self: self._alias([0]), lambda self, y: self._renew(y))
    is_leaf = property(lambda self: self.grad_edge() is None)
    requires_grad = property(lambda self: self.asks(), lambda self, on: self._set_flag(on))

    def asks(self) -> bool:
        return bool(self.flag or self.edge or (self.base is not None and not self.flag and self.base.asks()))

    @property
    def grad(self) -> Any:
        return self._grad

    @grad.setter
    def grad(self, g: Any) -> None:
        self._grad = g

    def grad_edge(self) -> Edge | None:
        """Its place in the graph, as its base has it now."""
        base = self.base
        if base is not None and (self.edge or base.asks()) and self.seen != self.counter[0]:
            if self.kind is not PLAIN:
                raise RuntimeError(REFUSED[self.kind])
            with grad_mode(True):
                self.edge = gather(base, self._within(base)).edge or (Node([None], lambda g: [None]), 0)
            self.seen = self.counter[0]
        return self.edge

    def _within(self, base: Tensor) -> Any:
        """Which elements of ``base`` it shows."""
        inverse = np.zeros(int(base.places.max(initial=-1)) + 1, np.int64)
        inverse[base.places.ravel()] = np.arange(base.places.size)
        return inverse[self.places]

    def into(self) -> Edge | None:
        """Where an operation's derivative by it goes."""
        edge = self.grad_edge()
        if edge is None and self.flag:
            self._accumulate = self._accumulate or Node([], lambda g: [], self)
            return self._accumulate, 0
        return edge

    def stride(self) -> tuple[int, ...]:
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def numel(self) -> int:
        return int(self.array.size)

    def tolist(self) -> Any:
        return self.array.tolist()

    def item(self) -> Any:
        return self.array.item()

    def __bool__(self) -> bool:
        return bool(self.array)

    def any(self) -> Tensor:
        return Tensor(self.array.any())

    def numpy(self) -> Any:
        if self.asks():
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self.array

    # --- views

    def _view(self, way: Callable[[Any], Any], kind: str = PLAIN) -> Tensor:
        array, places = way(self.array), way(self.places)
        if not np.shares_memory(array, self.array) and array.size:
            raise RuntimeError("view size is not compatible with input tensor's size and stride")
        index = way(np.arange(self.array.size).reshape(self.shape))
        edge = gather(self, index).edge if Mode.grad else None
        root = self if self.base is None else self.base
        y = Tensor(array, places, root)
        y.edge = edge
        y.kind = self.kind
        if y.kind is PLAIN:
            y.kind = kind if Mode.grad else NO_GRAD
        return y

    def __getitem__(self, index: Any) -> Tensor:
        if (basic := basic_index(index)) is not None:
            return self._view(lambda x: x[(..., *basic)] if not any(i is Ellipsis for i in basic) else x[basic])
        return gather(self, np.arange(self.array.size).reshape(self.shape)[plain(index)])

    def permute(self, *dims: int) -> Tensor:
        return self._view(lambda x: x.transpose(dims))

    def transpose(self, a: int, b: int) -> Tensor:
        if not self.ndim:
            return self._view(lambda x: x[...])
        return self._view(lambda x: x.swapaxes(a, b))

    def t(self) -> Tensor:
        return self._view(lambda x: x.T)

    def view(self, *shape: int) -> Tensor:
        return self._view(lambda x: x.reshape(shape))

    def view_as(self, other: Tensor) -> Tensor:
        return self.view(*other.shape)

    def reshape(self, *sizes: Any) -> Tensor:
        shape = sizes[0] if isinstance(sizes[0], tuple) else sizes
        if np.shares_memory(self.array.reshape(shape), self.array) or not self.array.size:
            return self.view(*shape)
        return gather(self, np.arange(self.array.size).reshape(shape))

    def flatten(self) -> Tensor:
        return self if self.ndim == 1 else self.reshape(-1)

    def expand(self, *shape: int) -> Tensor:
        return self._view(lambda x: np.broadcast_to(x, shape))

    def unsqueeze(self, dim: int) -> Tensor:
        return self._view(lambda x: np.expand_dims(x, dim))

    def squeeze(self) -> Tensor:
        return self._view(np.squeeze)

    def narrow(self, dim: int, start: int, size: int) -> Tensor:
        return self._view(lambda x: x[(slice(None),) * dim + (slice(start, start + size),)])

    def select(self, dim: int, i: int) -> Tensor:
        return self._view(lambda x: x[(slice(None),) * dim + (i, ...)])

    def unfold(self, dim: int, size: int, step: int) -> Tensor:
        return self._view(lambda x: np.lib.stride_tricks.sliding_window_view(x, size, dim, writeable=True))

    def diagonal(self) -> Tensor:
        return self._view(lambda x: np.lib.stride_tricks.as_strided(x.diagonal(), writeable=True))

    def unbind(self, dim: int) -> list[Tensor]:
        return [self._view(lambda x, i=i: x[i, ...], SEVERAL) for i in range(self.shape[0])]

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.unbind(0))

    def split(self, size: int) -> list[Tensor]:
        return [self._view(lambda x, i=i: x[i : i + size], SEVERAL) for i in range(0, self.shape[0], size)]

    def chunk(self, n: int) -> list[Tensor]:
        return self.split(max(-(-self.shape[0] // n), 1))

    def _alias(self, counter: list[int]) -> Tensor:
        y = Tensor(self.array, self.places)
        y.memory = self.memory
        y.counter, y.seen = counter, counter[0]
        return y

    def detach(self) -> Tensor:
        return self._alias(self.counter)

    def _renew(self, y: Tensor) -> None:
        self.array, self.places, self.memory = y.array, y.places, y.memory

    # --- flags

    def requires_grad_(self, on: bool = True) -> Tensor:
        return self if on and self.edge else self._set_flag(on)

    def _set_flag(self, on: bool) -> Tensor:
        if self.edge:
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        self.flag = on
        return self

    def detach_(self) -> Tensor:
        if self.base is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        self.flag, self.edge = False, None
        return self

    # --- writes

    def _assign(self, new: Tensor, at: Any = None) -> Tensor:
        """``new``, which was computed, in the memory of this tensor, and in its place in the graph; of its elements,
        those at ``at`` in row-major order."""
        at = np.arange(self.array.size).reshape(self.shape) if at is None else np.unique(at)
        base, asks = self.base, self.asks() or new.asks()
        if Mode.grad and asks:
            if base is not None and self.kind is not PLAIN:
                raise RuntimeError(REFUSED[self.kind].replace("has been", "is being"))
            if (self.asks() and self.edge is None and base is None) or self.flag:
                raise RuntimeError("a leaf Variable that requires grad is being written")
            if self.asks() and base is not None and base.edge is None:
                raise RuntimeError("a view of a leaf Variable that requires grad is being written")
            root = self if base is None else base
            edge = put(root, self._within(root).ravel()[at], gather(new, at)).edge
        self.memory[self.places.ravel()[at].ravel()] = new.array.ravel()[
            at
        ].ravel()  # where one place comes several times, the last stays
        self.counter[0] += 1
        if Mode.grad and asks:
            root.edge, root.seen = edge, self.counter[0]
        return self

    def _other(self, x: Any) -> Tensor:
        return x if isinstance(x, Tensor) else Tensor(np.asarray(x, self.array.dtype))

    def copy_(self, x: Any) -> Tensor:
        if (
            isinstance(x, Tensor)
            and self.array.size
            and any(n > 1 and s == 0 for n, s in zip(self.shape, self.stride(), strict=True))
        ):
            raise RuntimeError("unsupported operation: more than one element of the written-to tensor")
        x = self._other(x)
        if np.broadcast_shapes(self.shape, x.shape) != self.shape:
            raise RuntimeError("The size of tensor a must match the size of tensor b")
        return self._assign(cast(spread(x, self.shape), self.array.dtype))

    def fill_(self, x: Any) -> Tensor:
        return self.copy_(x)

    def zero_(self) -> Tensor:
        return self.copy_(0.0)

    def _op(self, name: str, *x: Any) -> Tensor:
        return self.copy_(getattr(self.clone(), name)(*x))

    def mul_(self, x: Any) -> Tensor:
        return self._op("__mul__", x)

    def add_(self, x: Any) -> Tensor:
        return self._op("__add__", x)

    def sub_(self, x: Any) -> Tensor:
        return self._op("__sub__", x)

    def sin_(self) -> Tensor:
        return self._op("sin")

    def neg_(self) -> Tensor:
        return self._op("__neg__")

    def clamp_(self, low: float, high: float) -> Tensor:
        return self._op("clamp", low, high)

    __imul__, __iadd__, __isub__ = mul_, add_, sub_

    def masked_fill_(self, mask: Tensor, x: float) -> Tensor:
        return self._assign(where(mask, self._other(x), self.clone()), np.flatnonzero(mask.array))

    def index_fill_(self, dim: int, index: Tensor, x: float) -> Tensor:
        at = np.arange(self.array.size).reshape(self.shape)[index.array]
        return self._assign(put(self.clone(), at, self._other(x)), at)

    def __setitem__(self, index: Any, x: Any) -> None:
        x = self._other(x)
        if basic_index(index) is not None:
            self[index].copy_(x)
            return
        at = np.arange(self.array.size).reshape(self.shape)[plain(index)]
        self._assign(put(self.clone(), at, spread(x, at.shape)), at)

    # --- values

    def clone(self) -> Tensor:
        return gather(self, np.arange(self.array.size).reshape(self.shape))

    def __mul__(self, x: Any) -> Tensor:
        a, b = together(self, self._other(x))
        saved = [Saved(b) if a.asks() else None, Saved(a) if b.asks() else None]

        def back(g: Tensor) -> list[Any]:
            return [s and g * s.get() for s in saved]

        return result(a.array * b.array, [a, b], back)

    def __add__(self, x: Any) -> Tensor:
        a, b = together(self, self._other(x))
        return result(a.array + b.array, [a, b], lambda g: [g, g])

    __rmul__, __radd__ = __mul__, __add__

    def __neg__(self) -> Tensor:
        return self * -1.0

    def __sub__(self, x: Any) -> Tensor:
        return self + -self._other(x)

    def __rsub__(self, x: Any) -> Tensor:
        return -self + x

    def __gt__(self, x: float) -> Tensor:
        return Tensor(self.array > x)

    def _unary(self, value: Any, slope: Callable[[Tensor, Tensor], Tensor], of_result: bool = False) -> Tensor:
        keep: list[Saved] = []
        y = result(value, [self], lambda g: [g * slope(keep[0].get(), g)])
        keep.append(Saved(y if of_result else self))
        return y

    def sin(self) -> Tensor:
        return self._unary(np.sin(self.array), lambda x, g: x.cos())

    def cos(self) -> Tensor:
        return self._unary(np.cos(self.array), lambda x, g: -x.sin())

    def tanh(self) -> Tensor:
        return self._unary(np.tanh(self.array), lambda y, g: 1.0 - y * y, of_result=True)

    def exp(self) -> Tensor:
        return self._unary(np.exp(self.array), lambda y, g: y, of_result=True)

    def relu(self) -> Tensor:
        return where(Tensor(~(self.array <= 0)), self, Tensor(np.zeros_like(self.array)))

    def round(self) -> Tensor:
        return result(self.array.round(), [self], lambda g: [Tensor(np.zeros_like(g.array))])

    def clamp(self, low: float, high: float) -> Tensor:
        inside = Tensor((self.array >= low) & (self.array <= high))
        return where(inside, self, Tensor(self.array.clip(low, high)))

    def sum(self, dim: int | None = None) -> Tensor:
        shape = () if dim is None else self.array.sum(dim).shape
        index = np.arange(int(np.prod(shape))).reshape(shape)
        index = np.broadcast_to(index if dim is None else np.expand_dims(index, dim), self.shape)
        return scatter(self, index, shape)

    def mean(self) -> Tensor:
        return self.sum() * (1.0 / self.numel() if self.numel() else np.nan)

    def flip(self, dim: int) -> Tensor:
        return gather(self, np.flip(np.arange(self.array.size).reshape(self.shape), dim))

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        return gather(self, np.arange(self.array.size).reshape(self.shape)[index.array])

    def backward(self, retain_graph: bool = False, inputs: Any = None) -> None:
        edges = None if inputs is None else [x.into() for x in inputs]
        found = derivatives(self, edges, False)
        for x, g in zip(inputs or [], found, strict=True) if inputs else []:
            accumulate(x, g)


def plain(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(plain(i) for i in index)
    return index.array if isinstance(index, Tensor) else index


def basic_index(index: Any) -> tuple[Any, ...] | None:
    """An index that gives a view, as NumPy has it; also by 0-d tensors of integers."""
    parts = index if isinstance(index, tuple) else (index,)
    parts = tuple(
        int(i.array) if isinstance(i, Tensor) and i.ndim == 0 and i.array.dtype.kind == "i" else i for i in parts
    )
    fits = all(i is None or i is Ellipsis or (isinstance(i, (int, slice)) and not isinstance(i, bool)) for i in parts)
    return (parts if any(i is Ellipsis for i in parts) else (*parts, ...)) if fits else None


def result(array: Any, inputs: Sequence[Tensor], back: Callable[..., Any]) -> Tensor:
    y = Tensor(array)
    edges = [x.into() if Mode.grad else None for x in inputs]
    if Mode.grad and any(x.asks() for x in inputs):
        y.edge = (Node(edges, back), 0)
        y.edge[0].specs = [y.shape]
    return y


def cast(x: Tensor, dtype: Any) -> Tensor:
    before = x.array.dtype
    return x if before == dtype else result(x.array.astype(dtype), [x], lambda g: [cast(g, before)])


def gather(x: Tensor, index: Any) -> Tensor:
    return result(x.array.ravel()[index], [x], lambda g: [scatter(g, index, x.shape)])


def scatter(x: Tensor, index: Any, shape: tuple[int, ...]) -> Tensor:
    total = np.zeros(int(np.prod(shape)), x.array.dtype)
    np.add.at(total, index.ravel(), x.array.ravel())
    return result(total.reshape(shape), [x], lambda g: [gather(g, index)])


def put(x: Tensor, index: Any, value: Tensor) -> Tensor:
    """``x`` with ``value`` at some places."""
    array, rest = x.array.flatten(), np.ones(x.array.size, x.array.dtype)
    array[index.ravel()] = np.broadcast_to(value.array, index.shape).ravel()
    rest[index.ravel()] = 0.0
    small = value.shape

    def back(g: Tensor) -> list[Tensor]:
        kept = g * Tensor(rest.reshape(x.shape)) if rest.any() else Tensor(np.zeros(x.shape, rest.dtype))
        return [kept, narrow_to(gather(g, index), small)]

    return result(array.reshape(x.shape), [x, value], back)


def narrow_to(g: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The cotangent of what was spread."""
    if g.shape == shape:
        return g
    index = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), g.shape)
    return scatter(g, index, shape)


def spread(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    if x.shape == shape:
        return x
    return gather(x, np.broadcast_to(np.arange(x.array.size).reshape(x.shape), shape))


def together(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    shape = np.broadcast_shapes(a.shape, b.shape)
    kinds = [x.array.dtype for x in (a, b) if x.ndim or (a.ndim == b.ndim)] or [a.array.dtype]
    dtype = np.result_type(*kinds)
    return cast(spread(a, shape), dtype), cast(spread(b, shape), dtype)


def where(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    a, b = together(a, b)
    c, saved = condition.array, Saved(condition)

    def back(g: Tensor) -> list[Tensor]:
        saved.get()
        return [g * Tensor(c.astype(g.array.dtype)), g * Tensor((~c).astype(g.array.dtype))]

    return result(np.where(c, a.array, b.array), [a, b], back)


def cat(parts: Sequence[Tensor]) -> Tensor:
    array = np.concatenate([x.array for x in parts])
    starts = np.cumsum([0] + [x.shape[0] for x in parts])

    def back(g: Tensor) -> list[Tensor]:
        whole = np.arange(array.size).reshape(array.shape)
        return [gather(g, whole[i:j]) for i, j in pairwise(starts)]

    return result(array, parts, back)


def stack(parts: Sequence[Tensor]) -> Tensor:
    return cat([x.unsqueeze(0) for x in parts])


def tensor(data: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    array = np.array(data, dtype.of if dtype else None)
    if dtype is None and array.dtype.kind == "f":
        array = array.astype(np.float32)
    return Tensor(array).requires_grad_(requires_grad)


def full(shape: tuple[int, ...], number: float, dtype: DType, requires_grad: bool = False) -> Tensor:
    return Tensor(np.full(shape, number, dtype.of)).requires_grad_(requires_grad)


# --- derivatives


def accumulate(x: Tensor, g: Tensor | None) -> None:
    if g is not None:
        with grad_mode(False):
            x._grad = g.clone() if x._grad is None else x._grad.add_(g)


def derivatives(root: Tensor, wanted: Sequence[Edge | None] | None, create_graph: bool) -> list[Tensor | None]:
    """Of a 0-d ``root`` by places in the graph; of None: by all leaves, to which they are added."""
    edge = root.into()
    if edge is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if root.array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if wanted is not None and any(e is None for e in wanted):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    grads: dict[Edge, Tensor] = {edge: Tensor(np.ones(root.shape, root.array.dtype))}
    order, needed = ordered(edge[0]), {e[0] for e in wanted or [] if e is not None}
    for node in reversed(order):
        if wanted is None or any(to is not None and to[0] in needed for to in node.inputs):
            needed.add(node)
    with grad_mode(create_graph):
        for node in order:
            if node.leaf is not None:
                if wanted is None:
                    accumulate(node.leaf, grads.get((node, 0)))
                continue
            if not any(to is not None and to[0] in needed for to in node.inputs):
                continue
            got = [grads.get((node, k)) for k in range(len(node.specs))]
            if all(g is None for g in got):
                continue
            got = [Tensor(np.zeros(s)) if g is None else g for g, s in zip(got, node.specs, strict=True)]
            for to, g in zip(node.inputs, node.back(*got), strict=True):
                if to is not None and g is not None:
                    grads[to] = grads[to] + g if to in grads else g
    return [] if wanted is None else [grads.get(e) for e in wanted if e is not None]


def ordered(root: Node) -> list[Node]:
    """Each before what it was computed from."""
    order: list[Node] = []
    done: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, last = stack.pop()
        if last:
            order.append(node)
        elif node not in done:
            done.add(node)
            stack.append((node, True))
            stack += [(to[0], False) for to in node.inputs if to is not None]
    return order[::-1]


def grad(
    root: Tensor, inputs: Any, retain_graph: bool = False, create_graph: bool = False, allow_unused: bool = False
) -> list[Any]:
    wanted = [x.into() for x in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    found = derivatives(root, wanted, create_graph)
    if not allow_unused and any(g is None for g in found):
        raise RuntimeError("One of the differentiated Tensors appears to not have been used in the graph.")
    return [g if g is None or create_graph else g.detach() for g in found]


class Function:
    """Functions of the user's own."""

    @classmethod
    def apply(cls, *inputs: Tensor) -> Any:
        context = SimpleNamespace(saved=[])
        context.save_for_backward = lambda *x: context.saved.extend(Saved(t) for t in x)
        edges = [x.into() if Mode.grad else None for x in inputs]
        asks = Mode.grad and any(x.asks() for x in inputs)
        with grad_mode(False):
            outputs = cls.forward(context, *inputs)  # type: ignore[attr-defined]
        several = isinstance(outputs, tuple)
        outputs = list(outputs) if several else [outputs]

        def back(*g: Tensor) -> Any:
            context.saved_tensors = [s.get() for s in context.saved]
            found = cls.backward(context, *g)  # type: ignore[attr-defined]
            return found if isinstance(found, tuple) else [found]

        node = Node(edges, back)
        node.specs = [y.shape for y in outputs]
        for k, y in enumerate(outputs):
            if any(y is x for x in inputs):
                outputs[k] = y = y._view(lambda x: x[...]) if Mode.grad else y.detach()
                y.kind = NO_GRAD if y.base is not None else PLAIN
            if asks:
                y.edge = (node, k)
                y.kind = CUSTOM if y.base is not None else PLAIN
                y.seen = y.counter[0]
        return tuple(outputs) if several else outputs[0]


autograd = SimpleNamespace(grad=grad, Function=Function)


def no_grad() -> Any:
    return grad_mode(False)


def enable_grad() -> Any:
    return grad_mode(True)


set_grad_enabled = grad_mode
