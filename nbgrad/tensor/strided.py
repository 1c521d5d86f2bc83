"""Where a tensor lies in its memory; views by strides; shapes that change in place."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Self, TypeVar

from numpy.lib.stride_tricks import as_strided

from nbgrad.autograd.function_call import be_view
from nbgrad.autograd.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad
from nbgrad.autograd.variable import increment_version
from nbgrad.calls.arguments import int_of, ints_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, GradError, RunError, ShapeError
from nbgrad.graph.dtypes import DType, int64
from nbgrad.graph.layout import Layout, strided
from nbgrad.graph.spec import contiguous_strides
from nbgrad.tensor.described import Described
from nbgrad.tensor.surface import spread
from nbgrad.trace import (
    CUSTOM,
    INFERENCE,
    NO_GRAD,
    PLAIN,
    Handle,
    Trace,
    be_shown,
    bring_up,
    entry_of,
    exported,
    fast_static,
    flush,
    holding,
    imported,
    is_constant,
    is_only_view,
    is_shown_once,
    local,
    memory_of,
    new_tensor,
    offset_of,
    record,
    refuse,
    require_kept,
    require_writable,
    requires_grad,
    set_data,
    share_of,
    sharing,
    show_as,
    tensor_of,
    way_to,
    whole_behind,
)


class UntypedStorage:
    """The memory behind a tensor: where it is, and how large."""

    __slots__ = ("_whole",)

    def __init__(self, whole: Any) -> None:
        self._whole = whole

    @property
    def device(self) -> Any:
        return self._whole.device

    def data_ptr(self) -> int:
        """The address of the first byte: the same for all tensors that show this memory."""
        return self._whole.data_ptr()  # type: ignore[no-any-return]

    def nbytes(self) -> int:
        """How many bytes it has."""
        return self._whole.nbytes  # type: ignore[no-any-return]

    size = __len__ = nbytes


class TypedStorage(UntypedStorage):
    """The same memory, counted in elements of the tensor's dtype."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        return self._whole.dtype

    def size(self) -> int:
        """How many elements it has."""
        return self._whole.nbytes // self._whole.itemsize  # type: ignore[no-any-return]

    __len__ = size

    def __getitem__(self, index: int) -> Any:
        """One of its elements. IndexError for one that is not there."""
        return self._whole.detach().reshape(-1)[int_of("storage", "index", index)].item()

    def tolist(self) -> list[Any]:
        """Its elements."""
        return self._whole.detach().reshape(-1).tolist()  # type: ignore[no-any-return]


_IMPORT_ALL = "import the whole array, or write x.clone().as_strided(...)"
MANY = 8  # steps after which a tensor whose shape changes in place shows its memory in one
_view = fast_static(CALLS["view"])
Shown = TypeVar("Shown", bound="Strided")


class Strided(Described):
    """The part of a tensor that knows of memory."""

    __slots__ = ()

    @property
    def layout(self) -> Layout:
        return strided

    def storage_offset(self) -> int:
        """Where in its memory the first element lies, in elements."""
        return offset_of(self)

    def untyped_storage(self) -> UntypedStorage:
        """The memory that this tensor shows, or shows a part of."""
        return UntypedStorage(whole_behind(self)[1])

    def storage(self) -> TypedStorage:
        """The memory that this tensor shows, or shows a part of, counted in elements."""
        return TypedStorage(whole_behind(self)[1])

    def view(self, *sizes: Any, size: Any = None, dtype: Any = None) -> Any:
        """``view(2, 3)`` or ``view((2, 3))``: the same elements in another shape, which shares memory; RuntimeError
        where strides do not allow that.

        ``view(dtype)``: the same memory read as another dtype, the bits as they are: the last dim gets longer or
        shorter where elements differ in size. Writes on either side are seen on the other; no gradient passes. It is
        for the CPU, and runs what is recorded so far.

        >>> nbgrad.tensor([1.0, -2.0]).view(nbgrad.int32)
        tensor([ 1065353216, -1073741824], dtype=nbgrad.int32)
        """
        try:
            if dtype is None:
                return _view(self, (ints_of("view", "size", spread(sizes, size)),))
        except DTypeError:
            if len(sizes) != 1 or not isinstance(dtype := sizes[0], DType):
                raise
        else:
            if sizes or size is not None or not isinstance(dtype, DType):
                raise DTypeError(f"view() takes sizes or a dtype, got {(*sizes, dtype)}")
        return _as_dtype(self, dtype)

    def as_strided(self, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
        """A view of the memory behind this tensor: element (i, j, ...) lies at ``storage_offset`` (that of this tensor
        for None) plus i * stride[0] + j * stride[1] and so on.

        RuntimeError where that leads out of the memory, or a stride is negative.

        >>> nbgrad.arange(6).as_strided((2, 3), (2, 1), 1)
        tensor([[1, 2, 3],
                [3, 4, 5]])
        """
        sizes, strides = ints_of("as_strided", "size", size), ints_of("as_strided", "stride", stride)
        if len(sizes) != len(strides) or any(n < 0 for n in (*sizes, *strides)):
            raise RunError(
                f"as_strided(): size {list(sizes)} and stride {list(strides)} must be as many, none negative"
            )
        first = offset_of(self) if storage_offset is None else int_of("as_strided", "storage_offset", storage_offset)
        last = first - offset_of(self) + sum([(n - 1) * s for n, s in zip(sizes, strides, strict=True)])
        root: Any = memory_of(self)[0]
        if root is self or not local.trace.grad_enabled:
            return _window(root, sizes, strides, first, self.is_complex())
        if first >= offset_of(self) and last < self.numel() and self.is_contiguous():
            return _window(self, sizes, strides, first, self.is_complex())
        with no_grad():
            view = _window(root, sizes, strides, first, self.is_complex())
        is_passed = requires_grad(self) and not is_constant(self) and self.numel()
        return _made_of(self, view, _within(self, sizes, strides, first) if is_passed else None)

    def as_strided_(self, size: Any, stride: Any, storage_offset: int | None = None) -> Self:
        """In-place version of :meth:`as_strided`."""
        return _reshaped(self, "as_strided_", lambda x: x.as_strided(size, stride, storage_offset))

    def set_(self, source: Any, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Self:
        """Show the memory of ``source``, a tensor or a storage, of this dtype and device; where ``size`` is given, what
        :meth:`as_strided` shows of it (row-major for no ``stride``). RuntimeError for a tensor that requires grad.

        >>> nbgrad.empty(0).set_(nbgrad.arange(6.0).untyped_storage(), 1, (2, 2), (3, 1))
        tensor([[1., 2.],
                [4., 5.]])
        """
        is_storage = isinstance(source, UntypedStorage)
        other = source._whole.detach() if is_storage else tensor_of("set_", "source", source)
        if other.dtype is not self.dtype or other.device != self.device:
            raise RunError(
                f"set_(): source has dtype {other.dtype} on {other.device}, not {self.dtype} on {self.device}"
            )
        if is_storage or size is not None:
            sizes = (other.numel(),) if size is None else ints_of("set_", "size", size)
            other = other.as_strided(sizes, contiguous_strides(sizes) if stride is None else stride, storage_offset)
        if self.requires_grad and (is_grad_enabled() or not self.is_leaf):
            raise GradError(
                "set_(): the memory of a tensor that requires grad cannot change in place; that of a leaf can under "
                "no_grad()"
            )
        set_data(self, other)
        return self

    def resize_(self, *sizes: Any, memory_format: Any = None) -> Self:
        """Have these sizes: the elements that lie in memory from the first one on, row by row, and zeros where that is
        too small (PyTorch leaves what was there).

        RuntimeError where it requires grad, and where a view, or what others show, should grow.

        >>> nbgrad.arange(6).resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
        """
        shape = ints_of("resize_", "size", spread(sizes, None))
        return _resized(self, shape)

    def resize_as_(self, the_template: Any, *, memory_format: Any = None) -> Self:
        """``resize_`` to the sizes of another tensor."""
        return _resized(self, tensor_of("resize_as_", "the_template", the_template).shape)

    def squeeze_(self, dim: Any = None) -> Self:
        """In-place version of :meth:`squeeze`."""
        dims = () if dim is None else (dim,)
        if self.squeeze(*dims).dim() == self.dim():
            require_writable(local.trace, self, "squeeze_()")
            return self
        return _reshaped(self, "squeeze_", lambda x: x.squeeze(*dims))

    def swapaxes_(self, axis0: int, axis1: int) -> Self:
        """In-place version of :meth:`swapaxes`."""
        return _reshaped(self, "swapaxes_", lambda x: x.transpose(axis0, axis1))

    def swapdims_(self, dim0: int, dim1: int) -> Self:
        """In-place version of :meth:`swapdims`."""
        return _reshaped(self, "swapdims_", lambda x: x.transpose(dim0, dim1))

    def t_(self) -> Self:
        """In-place version of :meth:`t`."""
        return _reshaped(self, "t_", lambda x: x.t())

    def transpose_(self, dim0: int, dim1: int) -> Self:
        """In-place version of :meth:`transpose`."""
        return _reshaped(self, "transpose_", lambda x: x.transpose(dim0, dim1))

    def unsqueeze_(self, dim: int) -> Self:
        """In-place version of :meth:`unsqueeze`."""
        return _reshaped(self, "unsqueeze_", lambda x: x.unsqueeze(dim))


def _window(root: Any, sizes: tuple[int, ...], strides: tuple[int, ...], first: int, as_complex: bool) -> Any:
    """What :meth:`Strided.as_strided` shows of the memory of ``root``."""
    before = offset_of(root)
    if root.is_complex() and not as_complex:
        root, before = record(CALLS["view_as_real"], (root,)), 2 * before
    elif as_complex and not root.is_complex():
        root, before = record(CALLS["view_as_complex"], (root.reshape(-1, 2),)), before // 2
    row, step = _row_of(root)
    if any(s % step for s in (*strides, first)):
        raise RunError(
            f"as_strided(): sizes {list(sizes)}, strides {list(strides)}, storage offset {first} lead to what lies "
            f"between the elements of an imported array, which are {step} apart; {_IMPORT_ALL}"
        )
    strides, first = tuple([s // step for s in strides]), first // step
    reach = [(n - 1) * s for n, s in zip(sizes, strides, strict=True)]
    start, count = first - before, row.numel()
    last = start + sum(reach)
    if start < 0 or (last >= count and 0 not in sizes):
        raise RunError(
            f"as_strided(): sizes {list(sizes)}, strides {list(strides)}, storage offset {first} are out of bounds "
            f"for memory of {count} elements"
        )
    if 0 in sizes:
        return row[:0].view(sizes)
    view = row[start : last + 1]
    for d, (n, step) in enumerate(zip(sizes, strides, strict=True)):
        window = 1 + sum(reach[d + 1 :])
        if not step:
            view = view[..., :window].unsqueeze(-2).expand(*sizes[:d], n, window)
        else:
            view = view.unfold(-1, window, step)
    return view[..., 0]


def _within(x: Any, sizes: tuple[int, ...], strides: tuple[int, ...], first: int) -> Any:
    """What ``as_strided`` shows of the memory of ``x``, as a copy: zeros where that is no element of ``x``."""
    last = [x.storage_offset(), first]
    last[0] += sum([(n - 1) * s for n, s in zip(x.shape, x.stride(), strict=True)])
    last[1] += sum([(n - 1) * s for n, s in zip(sizes, strides, strict=True)])
    places = x.new_ones(max(*last, x.numel()) + 1, dtype=int64).cumsum(0) - 1
    at = places.new_full(places.shape, -1)  # by place in memory, which element of x lies there
    at[places.as_strided(x.shape, x.stride(), x.storage_offset()).reshape(-1)] = places[: x.numel()]
    shown = at.as_strided(sizes, strides, first)
    return x.reshape(-1)[shown].masked_fill(shown < 0, 0)


@holding
def _made_of(trace: Trace, a: Handle, view: Handle, history: Handle | None) -> Handle:
    """``view``, which shows memory that ``a`` is a view of, as one that was made of ``a``: protected as that is, with
    the place in the graph that ``history`` has, which is of the same values. None: it has no place."""
    require_kept(a)
    own, y = share_of(a), view
    if history is not None:
        y = new_tensor(trace, "rebase_history", entry_of(trace, history).ix, entry_of(trace, view).ix, -1)
        be_view(trace, y, view, CUSTOM)
    is_plain = own is None or (own.root is None and own.kind in (NO_GRAD, INFERENCE))
    sharing(y).kind = PLAIN if is_plain else own.kind  # type: ignore[union-attr]
    return y


def _row_of(root: Any) -> tuple[Any, int]:
    """The elements of memory in one row, and how far apart they lie."""
    if root.is_contiguous():
        row = root.reshape(-1)
        return (row if row.numel() != 1 else row.unsqueeze(-1)[0]), 1  # one element may have any stride
    strides = root.stride()
    try:
        row = root.permute(sorted(range(len(strides)), key=lambda d: -strides[d])).view(-1)
    except ShapeError:
        raise RunError(
            f"as_strided(): an imported array of strides {list(strides)} is no row of elements as far apart; "
            f"{_IMPORT_ALL}"
        ) from None
    if row.stride(0) < 1:
        raise RunError(f"as_strided(): an imported array has negative strides; {_IMPORT_ALL}")
    return row, row.stride(0)


def _as_dtype(x: Any, dtype: DType) -> Any:
    """What the memory of ``x`` means in another dtype."""
    if dtype is x.dtype:
        return x.detach()
    old, new = x.dtype.itemsize, dtype.itemsize
    what = f"to view {x.dtype.name} as {dtype.name} (different element sizes)"
    if old != new:
        if not x.dim():
            raise RunError(f"self.dim() cannot be 0 {what}")
        ratio, last = new // old or 1, x.dim() - 1
        measured = [("self.size(-1)", x.shape[-1]), ("self.storage_offset()", x.storage_offset())]
        measured += [(f"self.stride({d})", x.stride(d)) for d in range(last)]
        for name, count in measured[:2]:
            if count % ratio:
                raise RunError(f"{name} must be divisible by {ratio} {what}, but got {count}")
        if x.stride(-1) != 1:
            raise RunError(f"self.stride(-1) must be 1 {what}, but got {x.stride(-1)}")
        for name, count in measured[2:]:
            if count % ratio:
                raise RunError(f"{name} must be divisible by {ratio} {what}, but got {count}")
    if x.is_cuda:
        raise RunError("view(dtype): memory of a CUDA device cannot be read as another dtype; use x.cpu().view(dtype)")
    return over(exported(x.detach()).view(dtype.numpy), dtype)


def over(array: Any, dtype: DType | None = None) -> Any:
    """A tensor that shares the memory of ``array``, which means ``dtype``. What shows elements several times is a view
    of a row in which each is once. ValueError for strides that are no multiples of the elements' size, and for such
    repeats in negative steps."""
    if array.flags.c_contiguous or not array.flags.writeable:
        return imported(array, dtype)
    size = array.itemsize
    if any(s % size for s in array.strides):
        raise ArgumentError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the "
            "memory."
        )
    reach = 0
    for step, n in sorted([(abs(s), n) for n, s in zip(array.shape, array.strides, strict=True) if n > 1]):
        if step <= reach:
            break
        reach += (n - 1) * step
    else:
        return imported(array, dtype)
    if any(s < 0 for s in array.strides):
        raise ArgumentError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides that show an "
            "element several times are not supported. (You can probably work around this by making a copy of your "
            "array with array.copy().)"
        )
    strides = [s // size for s in array.strides]
    count = 1 + sum([(n - 1) * s for n, s in zip(array.shape, strides, strict=True)])
    row: Any = imported(as_strided(array, (count,), (size,)), dtype)
    return row.as_strided(array.shape, strides, 0).detach()


def _resized(x: Shown, shape: tuple[int, ...]) -> Shown:
    if x.requires_grad and not (local.trace.inference and x.is_inference()):
        raise GradError("cannot resize variables that require grad")
    if any(n < 0 for n in shape):
        raise RunError(f"resize_(): Trying to create tensor with negative dimension: {list(shape)}")
    if shape == x.shape:
        return x
    is_shared = _bring_out(x, "resize_", "resize a clone()")
    root: Any = way_to(x)[0]
    count, there = prod(shape), root.numel() + offset_of(root) - offset_of(x)
    if is_shared and count > there:
        raise RunError(
            "resize_(): Trying to resize storage that is not resizable: other tensors show this memory, or NumPy; "
            "resize a clone()"
        )
    if is_shared:
        _show(x, lambda y: y.as_strided(shape, contiguous_strides(shape), y.storage_offset()))
    else:
        made: Any = x.new_zeros((count,))
        kept = min(count, there)
        made[:kept] = x.as_strided((kept,), (1,), x.storage_offset())
        set_data(x, made.view(shape).clone())
        increment_version(x)
    return x


def _reshaped(x: Shown, what: str, make: Callable[[Any], Any]) -> Shown:
    """``x``, which shows its memory from now on as ``make(x)`` does, with the gradient of that."""
    require_writable(local.trace, x, f"{what}()")
    is_leaf, instead = x.is_leaf, f"write x = x.{what[:-1]}(...)"
    _bring_out(x, what, instead)
    if x.requires_grad and is_leaf and not is_constant(x):
        set_data(x, make(x))
    else:
        _show(x, make)
    return x


def _show(x: Any, make: Callable[[Any], Any]) -> None:
    """Let ``x``, which is in memory and no leaf with gradient, show that as ``make(x)`` does."""
    if memory_of(x)[0] is x:
        be_shown(x)
    root: Any
    root, steps = memory_of(x)
    with inference_mode(x.is_inference()), enable_grad():
        view = make(x)
        if len(steps) > MANY and not x.requires_grad and root.is_contiguous() and root.dtype is x.dtype:
            view = root.as_strided(view.shape, view.stride(), view.storage_offset())
        show_as(x, view)


def _bring_out(x: Any, what: str, instead: str) -> bool:
    """Have ``x`` in memory, whose shape is to change; gives whether others show that."""
    trace = local.trace
    refuse(f"{what}() changes the shape of a tensor in place, which may be the caller's")
    if trace.duals is not None or trace.vmaps:
        raise RunError(f"{what}(): no shape changes in place inside a dual level or vmap; {instead}")
    flush(trace)  # who shows what is known of what is in memory
    bring_up(x)
    return not (is_shown_once(x) or is_only_view(x))
