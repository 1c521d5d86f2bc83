"""How many elements lie in intervals: histc, histogram, histogramdd."""

from __future__ import annotations

from math import isfinite, prod
from typing import Any, NamedTuple

from nbgrad.calls.arguments import flag_of, float_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import DTypeError, DTypeNotImplementedError, RunError
from nbgrad.functions.ramps import linspace
from nbgrad.graph.dtypes import int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of


@writes_out("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of ``bins`` intervals of one width from ``min`` to ``max``, in the input's dtype.

    They go from the least to the largest element where both are equal. What lies outside, and NaN, counts nowhere.

    RuntimeError for no bins, a ``max`` below ``min``, bounds that are not finite and integers. No derivative.

    >>> nbgrad.histc(nbgrad.tensor([1.0, 2.0, 1.0]), 4, 0, 3)
    tensor([0., 2., 1., 0.])
    """
    x: Any = tensor_of("histc", "input", input).detach().reshape(-1)
    if not x.is_floating_point():
        raise DTypeNotImplementedError(f"histc(): not implemented for {x.dtype.name}: expected floats")
    count = int_of("histc", "bins", bins)
    low, high = float_of("histc", "min", min), float_of("histc", "max", max)
    if count <= 0:
        raise RunError(f"histc(): bins must be > 0, but got {count}")
    if high < low:
        raise RunError("histc(): max must be larger than min")
    if low == high and x.numel():
        low, high = x.min().item(), x.max().item()
    if not (isfinite(low) and isfinite(high)):
        raise RunError(f"histc(): range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    inside = (x >= low) & (x <= high)
    width = high - low or 1.0  # of equal numbers so large that one more is no other
    places = ((x - low) / width * count).clamp(max=count - 1)
    places = record(CALLS["where"], (inside, places, 0.0)).to(int64)
    return x.new_zeros(count).scatter_add(0, places, inside.to(x.dtype))  # type: ignore[no-any-return]


class Histogram(NamedTuple):
    """What lies in each interval, and where these begin and end."""

    hist: Tensor
    bin_edges: Any


@writes_out("histogram")
def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Histogram:
    """(hist, bin_edges): how many elements lie in each interval, or the sum of their ``weight``; with ``density``, over
    the total and the interval's width. An interval has its left end, the last one its right end, too.

    ``bins`` is a number of intervals of one width from ``range`` (None: of the elements), or a vector of their ends.
    RuntimeError for no bins, ranges that are not finite, and weights of another shape. It looks at values; there is no
    derivative.

    >>> nbgrad.histogram(nbgrad.tensor([1.0, 2.0, 2.0, 5.0]), 4).hist
    tensor([1., 2., 0., 1.])
    """
    if isinstance(bins, Tensor) and range is not None:
        raise DTypeError("histogram() received an invalid combination of arguments: a vector of edges has no 'range'")
    x = _floats("histogram", input).reshape(-1, 1)
    weights = None if weight is None else tensor_of("histogram", "weight", weight)
    if weights is not None:
        if weights.shape != input.shape:
            raise RunError(
                f"histogram(): weight has shape {list(weights.shape)} and input {list(input.shape)}: they must be equal"
            )
        weights = weights.reshape(-1)
    found = histogramdd(x, (bins,), range=range, weight=weights, density=density)
    return Histogram(found.hist, found.bin_edges[0])


def histogramdd(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Histogram:
    """(hist, bin_edges): how many points, whose coordinates are the last dim of ``input``, lie in each cell of a grid;
    the edges are a tuple of a vector for each coordinate.

    ``bins`` is a number of intervals for all coordinates, a sequence with one for each, or one of vectors of edges;
    ``range`` has the least and the largest coordinate of each, one after the other. The rest is as in ``histogram``.

    >>> nbgrad.histogramdd(nbgrad.tensor([[0.0, 1.0], [1.0, 0.0]]), 2).hist
    tensor([[0., 1.],
            [1., 0.]])
    """
    name = "histogramdd"
    points = _floats(name, input)
    if points.dim() < 2:
        raise RunError(f"{name}(): input tensor should have at least 2 dimensions, but got {points.dim()}")
    points = points.reshape(-1, points.shape[-1])
    edges = _edges(name, points, bins, range)
    shape = [len(e) - 1 for e in edges]
    place: Any = 0
    inside: Any = True
    for column, e, size in zip(points.unbind(1), edges, shape, strict=True):
        at = record(CALLS["searchsorted"], (e, column.contiguous(), None), (False, True, None)) - 1
        at = record(CALLS["where"], (column == e[-1], size - 1, at))
        inside = (at >= 0) & (at < size) & inside
        place = place * size + at
    counted = points.new_ones(len(points)) if weight is None else _weights(name, weight, input)
    counted = record(CALLS["where"], (inside, counted, 0.0))
    place = record(CALLS["where"], (inside, place, 0))
    hist = points.new_zeros(prod(shape)).scatter_add(0, place, counted).reshape(shape)
    if flag_of(name, "density", density):
        hist = hist / hist.sum()
        for d, e in enumerate(edges):
            hist = hist / e.diff().reshape([-1 if k == d else 1 for k, _ in enumerate(edges)])
    return Histogram(hist, tuple(edges))


def _floats(name: str, input: Any) -> Any:
    x = tensor_of(name, "input", input)
    if not x.is_floating_point() or x.dtype.is_half:
        raise DTypeNotImplementedError(f"{name}(): not implemented for {x.dtype.name}: expected floats")
    return x.detach()


def _weights(name: str, weight: Any, input: Any) -> Any:
    given = tensor_of(name, "weight", weight)
    if given.shape != input.shape[:-1]:
        raise RunError(
            f"{name}(): if weight tensor is provided it should have the same shape as the input tensor excluding its "
            f"innermost dimension, but got {list(given.shape)}"
        )
    if given.dtype is not input.dtype:
        raise DTypeError(
            f"{name}(): input tensor and weight tensor should have the same dtype, but got "
            f"{input.dtype.name} and {given.dtype.name}"
        )
    return given.detach().reshape(-1)


def _edges(name: str, points: Any, bins: Any, range: Any) -> list[Any]:
    """The ends of the intervals of each coordinate."""
    n = points.shape[1]
    given = list(bins) if isinstance(bins, (tuple, list)) else [bins] * n
    if len(given) != n:
        raise RunError(f"{name}(): The size of bins must be equal to the innermost dimension of the input, {n}")
    if range is not None:
        ends = [float_of(name, "range", x) for x in range] if isinstance(range, (tuple, list)) else []
        if len(ends) != 2 * n:
            raise RunError(f"{name}(): range should have {2 * n} elements, if specified")
    edges = []
    for d, one in enumerate(given):
        if isinstance(one, Tensor):
            if one.dim() != 1 or len(one) < 2 or one.dtype is not points.dtype:
                raise RunError(f"{name}(): bins tensor should be a vector of {points.dtype.name} for dimension {d}")
            edges.append(one.detach())
            continue
        count = int_of(name, "bins", one)
        if count <= 0:
            raise RunError(f"{name}(): bins must be > 0, but got {count} for dimension {d}")
        column = points[:, d]
        low, high = (0.0, 1.0) if not len(points) else (column.min().item(), column.max().item())
        low, high = (low, high) if range is None else ends[2 * d : 2 * d + 2]
        if not (isfinite(low) and isfinite(high)):
            raise RunError(f"{name}: dimension {d}'s range [{low}, {high}] is not finite")
        if low > high:
            raise RunError(f"{name}: min should not exceed max, but got min {low} max {high} for dimension {d}")
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges.append(linspace(low, high, count + 1, dtype=points.dtype, device=points.device))
    return edges
