"""The integral of samples: trapezoid and cumulative_trapezoid."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, broadcasted, call, floating, one_dim, promoted
from nbgrad.calls.reduce import cumsum
from nbgrad.errors import DTypeError, ShapeError, TensorIndexError
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.view import reshape_to, slice_at


@call(aliases=("trapz",))
def trapezoid(y: Node, x: TensorNode | None = None, *, dx: Node | None = None, dim: int = -1) -> Node:
    """The integral along ``dim`` by the trapezoidal rule: of samples at ``x``, or ``dx`` apart (1 unless given).

    ``x`` is a vector, or broadcasts to y. Integers are computed in the default float. IndexError for a 0-d y,
    RuntimeError for another number of places than samples.

    >>> nbgrad.trapezoid(nbgrad.tensor([1.0, 2.0, 4.0]), dx=0.5)
    tensor(2.2500)
    """
    areas, d = _areas("trapezoid", y, x, dx, dim)
    return apply("sum", areas, params=((d,),)) * 0.5


@call()
def cumulative_trapezoid(y: Node, x: TensorNode | None = None, *, dx: Node | None = None, dim: int = -1) -> Node:
    """The integrals along ``dim`` from the first sample to each of the others: ``trapezoid``, summed up on the way.

    >>> nbgrad.cumulative_trapezoid(nbgrad.tensor([1.0, 2.0, 4.0]), dx=0.5)
    tensor([0.7500, 2.2500])
    """
    areas, d = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(areas, d) * 0.5


def _areas(name: str, y: Node, x: Node | None, dx: Node | None, dim: int) -> tuple[Node, int]:
    """Twice the area between each two samples along ``dim``; and that dim counted from 0."""
    if not y.spec.shape:
        raise TensorIndexError(f"{name}: y has no dims")
    if x is not None and dx is not None:
        raise DTypeError(f"{name}(): got both 'x' and 'dx': give the places of the samples, or their distance")
    d = one_dim(name, dim, y.spec.rank)
    n = y.spec.shape[d]
    length = max(n - 1, 0)

    def steps(op: str, samples: Node) -> Node:
        return apply(op, slice_at(samples, min(1, n), d, length), slice_at(samples, 0, d, length))

    if x is None:
        heights = steps("add", floating(name, y))
        factor = const(1, heights.spec.dtype) if dx is None else dx
        area = apply("mul", *broadcasted(name, *promoted(heights, factor)))
    else:
        size = (n,) if x.spec.rank == 1 else x.spec.shape
        lead = y.spec.rank - x.spec.rank
        spread = tuple([n if k == d else 1 for k in range(y.spec.rank)]) if x.spec.rank == 1 else (1,) * lead + size
        if x.spec.shape != size or lead < 0 or spread[d : d + 1] != (n,):
            raise ShapeError(
                f"{name}: There must be one `x` value for each sample point: got x {list(x.spec.shape)} for y "
                f"{list(y.spec.shape)} along dim {d}"
            )
        heights, places = promoted(y, x, floating=True)
        widths = steps("sub", reshape_to(places, spread))
        area = apply("mul", *broadcasted(name, steps("add", heights), widths))
    return area, d
