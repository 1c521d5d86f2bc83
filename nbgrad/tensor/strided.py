"""Where a tensor lies in its memory; views by strides; shapes that change in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

from nbgrad.calls.arguments import int_of, ints_of
from nbgrad.errors import GradError, RunError
from nbgrad.graph.layout import Layout, strided
from nbgrad.tensor.protocols import Protocols
from nbgrad.trace import bring_up, flush, is_alone, local, offset_of, set_data, tensor_of, way_to, whole_behind


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


Shown = TypeVar("Shown", bound="Strided")


class Strided(Protocols):
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
        root: Any = way_to(self)[0]
        first = offset_of(self) if storage_offset is None else int_of("as_strided", "storage_offset", storage_offset)
        start, count = first - offset_of(root), root.numel()
        reach = [(n - 1) * s for n, s in zip(sizes, strides, strict=True)]
        last = start + sum(reach)
        if start < 0 or (last >= count and 0 not in sizes) or not root.is_contiguous():
            raise RunError(
                f"as_strided(): sizes {list(sizes)}, strides {list(strides)}, storage offset {first} are out of bounds "
                f"for memory of {count} elements, or that has gaps"
            )
        if 0 in sizes:
            return root.reshape(-1)[:0].view(sizes)
        view = root.reshape(-1)[start : last + 1]
        for d, (n, step) in enumerate(zip(sizes, strides, strict=True)):
            window = 1 + sum(reach[d + 1 :])
            if n == 1 or not step:
                view = view[..., :window].unsqueeze(-2).expand(*sizes[:d], n, window)
            else:
                view = view.unfold(-1, window, step)
        return view[..., 0]

    def set_(self, source: Any) -> Self:
        """Show the memory of ``source``, of this dtype and device. RuntimeError for a tensor that requires grad."""
        other = tensor_of("set_", "source", source)
        if other.dtype is not self.dtype or other.device != self.device:
            raise RunError(
                f"set_(): source has dtype {other.dtype} on {other.device}, not {self.dtype} on {self.device}"
            )
        return _become(self, "set_", lambda: other)

    def squeeze_(self, dim: Any = None) -> Self:
        """In-place version of :meth:`squeeze`, for a tensor that does not require grad."""
        return _become(self, "squeeze_", lambda: self.squeeze() if dim is None else self.squeeze(dim))

    def swapaxes_(self, dim0: int, dim1: int) -> Self:
        """In-place version of :meth:`swapaxes`, for a tensor that does not require grad."""
        return _become(self, "swapaxes_", lambda: self.transpose(dim0, dim1))

    def swapdims_(self, dim0: int, dim1: int) -> Self:
        """In-place version of :meth:`swapdims`, for a tensor that does not require grad."""
        return _become(self, "swapdims_", lambda: self.transpose(dim0, dim1))

    def t_(self) -> Self:
        """In-place version of :meth:`t`, for a tensor that does not require grad."""
        return _become(self, "t_", lambda: self.t())

    def transpose_(self, dim0: int, dim1: int) -> Self:
        """In-place version of :meth:`transpose`, for a tensor that does not require grad."""
        return _become(self, "transpose_", lambda: self.transpose(dim0, dim1))

    def unsqueeze_(self, dim: int) -> Self:
        """In-place version of :meth:`unsqueeze`, for a tensor that does not require grad."""
        return _become(self, "unsqueeze_", lambda: self.unsqueeze(dim))


def _become(x: Shown, what: str, make: Callable[[], Any]) -> Shown:
    """``x``, which shows from now on what ``make`` gives: of another tensor its memory, of its own a copy, as nobody
    else shows that."""
    instead = "" if what == "set_" else f"; write x = x.{what[:-1]}(...)"
    if x.requires_grad:
        raise GradError(f"{what}(): the shape of a tensor that requires grad cannot change in place{instead}")
    if instead:
        flush(local.trace)  # who shows what is known of what is in memory
        bring_up(x)
        if not is_alone(x):
            why = "the shape of a view, or of a tensor that has views, cannot change in place"
            raise RunError(f"{what}(): {why}{instead}")
    set_data(x, make().clone() if instead else make())
    return x
