"""Max pooling that says where the largest elements are, pooling to a given size, and putting elements back."""

from __future__ import annotations

from math import prod
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.functions.creation import zeros
from nbgrad.nn.functions.windows import Sizes, counted, each, flat, largest, numbered, pooled
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

Both = tuple[Tensor, Tensor]
_pad = function_of(CALLS["pad"])
_POOLS = {k: function_of(CALLS[f"max_pool{k}d"]) for k in (1, 2, 3)}


def with_indices(spatial: int, input: Tensor, size: Any, *options: Any) -> Both:
    """(max pooling of ``input``, the number of each of its elements among those of its channel of the input)."""
    values = _POOLS[spatial](input, size, *options)
    return values, _indices(spatial, input, values.shape, size, *options)


def _indices(
    spatial: int, input: Any, out: Any, size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, *_: Any
) -> Any:
    """Where the largest elements are: window places are looked at one after the other, those outside lose."""
    name, counts = f"max_pool{spatial}d", tuple(out[len(out) - spatial :])
    sizes, apart = each(name, "kernel_size", size, spatial), each(name, "dilation", dilation, spatial)
    steps = each(name, "stride", size if stride in (None, ()) else stride, spatial)
    before, shape = each(name, "padding", padding, spatial), tuple(input.shape[input.dim() - spatial :])
    around: list[int] = []
    for n, k, s, p, d, m in zip(shape, sizes, steps, before, apart, counts, strict=True):
        around[:0] = [p, max((m - 1) * s + d * (k - 1) + 1 - n - p, 0)]
    with no_grad():
        wide = _pad(input.detach(), tuple(around))
        numbers = _pad(counted(prod(shape), input.device).reshape(shape), tuple(around), value=-1)
        best: Any = None
        for place in range(prod(sizes)):
            where: tuple[Any, ...] = (...,)
            for j in range(spatial):
                k = place // prod(sizes[j + 1 :]) % sizes[j]
                where = (*where, slice(k * apart[j], k * apart[j] + (counts[j] - 1) * steps[j] + 1, steps[j]))
            seen, at = wide[where], numbers[where]
            if best is None:
                best, found = seen, at.expand(seen.shape)
                continue
            better = ((seen > best) | (seen != seen) | (found < 0)) & (at >= 0)
            best, found = seen.where(better, best), at.expand(seen.shape).where(better, found)
    return found


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of every window; shapes (N, C, L) or (C, L); see ``max_pool2d``.

    >>> nbgrad.nn.functional.max_pool1d(nbgrad.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    if return_indices:
        return with_indices(1, input, kernel_size, stride, padding, dilation, ceil_mode)
    return _POOLS[1](input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of every window; the first of equal ones gets the derivative, NaN is larger than all.

    Windows begin every ``stride`` elements (``kernel_size`` unless given) of the input with ``padding`` elements around
    it that are smaller than all. Shapes: (N, C, H, W) or (C, H, W). With ``return_indices`` also the place of each
    element among the H W of its channel, int64. RuntimeError where no window fits.

    >>> nbgrad.nn.functional.max_pool2d(nbgrad.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    if return_indices:
        return with_indices(2, input, kernel_size, stride, padding, dilation, ceil_mode)
    return _POOLS[2](input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """``max_pool2d`` of volumes: shapes (N, C, D, H, W) or (C, D, H, W).

    >>> nbgrad.nn.functional.max_pool3d(nbgrad.arange(8.0).reshape(1, 2, 2, 2), 2)
    tensor([[[[7.]]]])
    """
    if return_indices:
        return with_indices(3, input, kernel_size, stride, padding, dilation, ceil_mode)
    return _POOLS[3](input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Both:
    """``max_pool1d`` and the place of each element in its channel of the input, int64; shapes (N, C, L) or (C, L).

    ``return_indices`` changes nothing.

    >>> nbgrad.nn.functional.max_pool1d_with_indices(nbgrad.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    return with_indices(1, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Both:
    """``max_pool2d`` and the place of each element among the H W of its channel; shapes (N, C, H, W) or (C, H, W).

    >>> nbgrad.nn.functional.max_pool2d_with_indices(nbgrad.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    (tensor([[[3.]]]), tensor([[[1]]]))
    """
    return with_indices(2, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Both:
    """``max_pool3d`` and the place of each element among the D H W of its channel; (N, C, D, H, W), or without N.

    >>> nbgrad.nn.functional.max_pool3d_with_indices(nbgrad.arange(8.0).reshape(1, 2, 2, 2), 2)
    (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
    return with_indices(3, input, kernel_size, stride, padding, dilation, ceil_mode)


def _adaptive(spatial: int, input: Tensor, output_size: Any, *, indices: bool) -> Both:
    """Part i of a dim of n elements holds those from floor(i n / count) up to ceil((i + 1) n / count)."""
    name = f"adaptive_max_pool{spatial}d"
    x = pooled(name, input, spatial)
    shape = tuple(x.shape[x.dim() - spatial :])
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * spatial
    counts = each(name, "output_size", [own if m is None else m for m, own in zip(given, shape, strict=False)], spatial)
    if len(given) != spatial or min(counts) < 0:
        raise ShapeError(f"{name}: internal error: output_size.size() == {spatial}: got {list(given)}")
    if 0 in shape:
        raise ShapeError(f"{name}: Expected input to have non-zero size for non-batch dimensions, got {list(x.shape)}")
    if min(counts) and all(n % m == 0 for n, m in zip(shape, counts, strict=True)):
        size = tuple([n // m for n, m in zip(shape, counts, strict=True)])
        return with_indices(spatial, x, size) if indices else (_POOLS[spatial](x, size), x)
    return largest(x, numbered(shape, [_parts(n, m, x.device) for n, m in zip(shape, counts, strict=True)]), spatial)


def _parts(n: int, count: int, device: Any) -> Any:
    """The places of each of ``count`` parts of n elements, all as many as the longest has: the last one repeats."""
    start = [i * n // count for i in range(count)]
    longest = max([-(-(i + 1) * n // count) - s for i, s in enumerate(start)], default=1)
    i = counted(count, device)
    end = ((i + 1) * n + count - 1) // max(count, 1)
    return ((i * n // max(count, 1)).unsqueeze(1) + counted(longest, device)).minimum(end.unsqueeze(1) - 1)


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: int, return_indices: bool = False) -> Both:
    """``adaptive_max_pool1d`` and the places of its elements in the input.

    >>> nbgrad.nn.functional.adaptive_max_pool1d_with_indices(nbgrad.tensor([[1.0, 3.0, 2.0]]), 2)
    (tensor([[3., 3.]]), tensor([[1, 1]]))
    """
    return _adaptive(1, input, output_size, indices=True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Both:
    """``adaptive_max_pool2d`` and the places of its elements among the H W of a channel.

    >>> nbgrad.nn.functional.adaptive_max_pool2d_with_indices(nbgrad.arange(9.0).reshape(1, 3, 3), (1, None))[1]
    tensor([[[6, 7, 8]]])
    """
    return _adaptive(2, input, output_size, indices=True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Both:
    """``adaptive_max_pool3d`` and the places of its elements among the D H W of a channel.

    >>> nbgrad.nn.functional.adaptive_max_pool3d_with_indices(nbgrad.arange(8.0).reshape(1, 2, 2, 2), 1)[1]
    tensor([[[[7]]]])
    """
    return _adaptive(3, input, output_size, indices=True)


def adaptive_max_pool1d(input: Tensor, output_size: int, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` parts as equal as they can be; shapes (N, C, L) or (C, L).

    With ``return_indices`` also where it is, int64.

    >>> nbgrad.nn.functional.adaptive_max_pool1d(nbgrad.tensor([[1.0, 3.0, 2.0]]), 2)
    tensor([[3., 3.]])
    """
    both = _adaptive(1, input, output_size, indices=return_indices)
    return both if return_indices else both[0]


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` parts; None keeps a size. Shapes (N, C, H, W) or (C, H, W).

    >>> nbgrad.nn.functional.adaptive_max_pool2d(nbgrad.arange(9.0).reshape(1, 3, 3), (2, 1))
    tensor([[[5.],
             [8.]]])
    """
    both = _adaptive(2, input, output_size, indices=return_indices)
    return both if return_indices else both[0]


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` parts; None keeps a size. Shapes (N, C, D, H, W), or without N.

    >>> nbgrad.nn.functional.adaptive_max_pool3d(nbgrad.arange(8.0).reshape(1, 2, 2, 2), (1, 1, 2))
    tensor([[[[6., 7.]]]])
    """
    both = _adaptive(3, input, output_size, indices=return_indices)
    return both if return_indices else both[0]


def _unpool(
    spatial: int, input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    """Zeros with the elements of ``input`` at ``indices`` of their channel."""
    name = f"max_unpool{spatial}d"
    x, at = pooled(name, input, spatial), tensor_of(name, "indices", indices)
    if at.dtype.is_floating_point or at.dtype.name != "int64":
        raise DTypeError(f"{name}: elements in indices should be type int64 but got: {at.dtype.name}")
    if tuple(at.shape) != tuple(x.shape):
        raise ShapeError(f"{name}: Expected shape of indices to be {list(x.shape)}, but got {list(at.shape)}")
    size = each(name, "kernel_size", kernel_size, spatial)
    step = size if stride in (None, ()) else each(name, "stride", stride, spatial)
    usual = [
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(x.shape[-spatial:], step, each(name, "padding", padding, spatial), size, strict=True)
    ]
    out = usual if output_size is None else _given_size(name, output_size, usual, step)
    lead = x.shape[: x.dim() - spatial]
    start: Any = zeros(*lead, prod(out), dtype=x.dtype, device=x.device)
    return start.scatter(-1, flat(at, spatial), flat(x, spatial)).reshape(*lead, *out)  # type: ignore[no-any-return]


def _given_size(name: str, given: Any, usual: list[int], step: tuple[int, ...]) -> list[int]:
    """The last dims of ``given``, each less than a step from the usual ones."""
    out = [int(n) for n in given]
    if len(out) > len(usual):
        out = out[2:] if len(out) == len(usual) + 2 else out[1:]
    if len(out) != len(usual):
        raise ArgumentError(f"{name}: output_size should be a sequence of {len(usual)} numbers, but got {list(given)}")
    for n, m, s in zip(out, usual, step, strict=True):
        if not m - s < n < m + s:
            raise ArgumentError(f"{name}: invalid output_size {out}: {n} must be between {m - s} and {m + s}")
    return out


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Any = None,
) -> Tensor:
    """Zeros with the elements of ``input`` where ``max_pool1d`` has found them; shapes (N, C, L) or (C, L).

    ``output_size`` is that of the pooling's input, where several are possible. ValueError for one that is not.

    >>> nbgrad.nn.functional.max_unpool1d(nbgrad.tensor([[3.0, 2.0]]), nbgrad.tensor([[1, 2]]), 2)
    tensor([[0., 3., 2., 0.]])
    """
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Any = None,
) -> Tensor:
    """Zeros with the elements of ``input`` where ``max_pool2d`` has found them; shapes (N, C, H, W) or (C, H, W).

    >>> nbgrad.nn.functional.max_unpool2d(nbgrad.tensor([[[3.0]]]), nbgrad.tensor([[[1]]]), 2)
    tensor([[[0., 3.],
             [0., 0.]]])
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Any = None,
) -> Tensor:
    """Zeros with the elements of ``input`` where ``max_pool3d`` has found them; shapes (N, C, D, H, W), or without N.

    >>> nbgrad.nn.functional.max_unpool3d(nbgrad.ones(1, 1, 1, 1), nbgrad.tensor([[[[7]]]]), 2).sum()
    tensor(1.)
    """
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)
