"""Fourier transforms of any dims, made of those of rows (ops/fourier.py). Read when one is asked for."""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import all_dims, call, floating, one_dim
from nbgrad.errors import RunError, ShapeError, TensorIndexError
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.compare import cast_to
from nbgrad.ops.tangents import conjugate
from nbgrad.ops.view import slice_at

_NORMS = {"backward": (0.0, 1.0), "ortho": (0.5, 0.5), "forward": (1.0, 0.0)}  # forward, back: powers of 1 / n


def _complex(name: str, x: Node) -> Node:
    x = floating(name, x)
    return cast_to(x, x.spec.dtype.to_complex())


def _along(x: Node, dim: int, routine: str, n: int) -> Node:
    """The transform of one dim, which has as many elements as the routine takes."""
    order = [*[d for d in range(x.spec.rank) if d != dim], dim]
    back = sorted(range(x.spec.rank), key=order.__getitem__)
    x = apply("permute", x, params=(tuple(order),))
    raw = x if routine == "rfft" else apply("view_as_real", x)
    y = apply("fourier", raw, params=(routine, n))
    y = y if routine == "irfft" else apply("view_as_complex", y)
    return apply("permute", y, params=(tuple(back),))


def _fitted(x: Node, dim: int, n: int) -> Node:
    """The first ``n`` elements of a dim; zeros where it has no more."""
    have, shape = x.spec.shape[dim], x.spec.shape
    if have >= n:
        return slice_at(x, 0, dim, n) if have > n else x
    zeros = zeros_of(Spec.of((*shape[:dim], n - have, *shape[dim + 1 :]), x.spec.dtype))
    return apply("cat", x, zeros, params=(dim,))


def _transformed(
    name: str, x: Node, dims: Shape, sizes: list[int], norm: str | None, forward: bool, real: str = ""
) -> Node:
    """The transform of all ``dims``, of sizes ``sizes``. ``real``: what is real, "given" or "made", of the last of them
    half the frequencies."""
    if norm is not None and norm not in _NORMS:
        raise RunError(f'{name}: Invalid normalization mode: "{norm}"')
    for n in sizes:
        if n < 1:
            raise ShapeError(f"{name}: Invalid number of data points ({n}) specified")
    if not dims:
        return x
    if real == "given" and x.spec.dtype.is_complex:
        raise RunError(f"{name} expects a real input tensor, but got {x.spec.dtype.name}")
    x = floating(name, x) if real == "given" else _complex(name, x)
    routine = "fft" if forward else "ifft"
    last, count = dims[-1], sizes[-1]
    for d, n in zip(dims, sizes, strict=True):
        x = _fitted(x, d, n // 2 + 1 if real == "made" and d == last else n)
    others = [*zip(dims, sizes, strict=True)][: -1 if real else None]
    if real == "given":
        x = _along(x, last, "rfft", count)
        x = x if forward else conjugate(x)
    for d, n in reversed(others):
        x = _along(x, d, routine, n)
    if real == "made":
        x = _along(conjugate(x) if forward else x, last, "irfft", count)
    power = _NORMS[norm or "backward"][not forward]
    return x if not power else x * const(prod(sizes) ** -power, x.spec.dtype)


def _one(name: str, x: Node, n: int | None, dim: int, norm: str | None, forward: bool, real: str = "") -> Node:
    if not x.spec.shape:
        raise TensorIndexError(f"{name}: Dimension specified as {dim} but tensor has no dimensions")
    d = one_dim(name, dim, x.spec.rank)
    usual = x.spec.shape[d] if real != "made" else 2 * (x.spec.shape[d] - 1)
    return _transformed(name, x, (d,), [usual if n is None else n], norm, forward, real)


def _several(
    name: str, x: Node, s: Shape | None, dim: Shape | None, norm: str | None, forward: bool, real: str = ""
) -> Node:
    rank = x.spec.rank
    if dim is None:
        count = rank if s is None else len(s)
        if count > rank:
            raise ShapeError(f"{name}: Got shape with {count} values but input tensor only has {rank} dimensions.")
        dims = tuple(range(rank - count, rank))
    else:
        dims = tuple([one_dim(name, d, rank) for d in dim])
        all_dims(name, dims, rank)
    if s is not None and len(s) != len(dims):
        raise ShapeError(f"{name}: When given, dim and shape arguments must have the same length")
    if real and not dims:
        raise ShapeError(f"{name}: must transform at least one axis")
    sizes = [x.spec.shape[d] if s is None or s[k] == -1 else s[k] for k, d in enumerate(dims)]
    if real == "made" and dims and (s is None or s[-1] == -1):
        sizes[-1] = 2 * (x.spec.shape[dims[-1]] - 1)
    return _transformed(name, x, dims, sizes, norm, forward, real)


_LAST_TWO = (-2, -1)


@call("fft_fft", function=False, shown="fft", grad_fn="FftC2C")
def fft(input: Node, n: int | None = None, dim: int = -1, norm: str | None = None) -> Node:
    """The discrete Fourier transform along ``dim``: sums of x_j e^(-2 pi i j k / n) for k = 0, ..., n - 1.

    ``n``: the input is cut, or filled with zeros, to so many elements. ``norm``: "backward" (None) leaves the sums as
    they are, "ortho" divides by sqrt(n), "forward" by n. Real numbers count as complex ones.

    >>> nbgrad.fft.fft(nbgrad.tensor([1.0, 2.0, 3.0]))
    tensor([ 6.0000+0.0000j, -1.5000+0.8660j, -1.5000-0.8660j])
    """
    return _one("fft", input, n, dim, norm, True)


@call("fft_ifft", function=False, shown="ifft", grad_fn="FftC2C")
def ifft(input: Node, n: int | None = None, dim: int = -1, norm: str | None = None) -> Node:
    """The inverse of ``fft``: sums of x_k e^(2 pi i j k / n), by n ("backward"), sqrt(n) or nothing.

    >>> nbgrad.fft.ifft(nbgrad.tensor([6.0, 0.0, 3.0]))
    tensor([3.0000+0.0000j, 1.5000-0.8660j, 1.5000+0.8660j])
    """
    return _one("ifft", input, n, dim, norm, False)


@call("fft_rfft", function=False, shown="rfft", grad_fn="FftR2C")
def rfft(input: Node, n: int | None = None, dim: int = -1, norm: str | None = None) -> Node:
    """``fft`` of real numbers: the n // 2 + 1 frequencies that are not conjugates of others. RuntimeError for complex
    ones.

    >>> nbgrad.fft.rfft(nbgrad.tensor([1.0, 2.0, 3.0]))
    tensor([ 6.0000+0.0000j, -1.5000+0.8660j])
    """
    return _one("rfft", input, n, dim, norm, True, "given")


@call("fft_irfft", function=False, shown="irfft", grad_fn="FftC2R")
def irfft(input: Node, n: int | None = None, dim: int = -1, norm: str | None = None) -> Node:
    """The inverse of ``rfft``: ``n`` real numbers (2 (m - 1) for m frequencies, unless given).

    >>> nbgrad.fft.irfft(nbgrad.tensor([6.0, 2.0]))
    tensor([4., 2.])
    """
    return _one("irfft", input, n, dim, norm, False, "made")


@call("fft_hfft", function=False, shown="hfft", grad_fn="FftC2R")
def hfft(input: Node, n: int | None = None, dim: int = -1, norm: str | None = None) -> Node:
    """``fft`` of numbers of which one half is given, the other being their conjugates in reverse order: ``n`` real ones
    (2 (m - 1) of m, unless given).

    >>> nbgrad.fft.hfft(nbgrad.tensor([1.0, 2.0]))
    tensor([ 3., -1.])
    """
    return _one("hfft", input, n, dim, norm, True, "made")


@call("fft_ihfft", function=False, shown="ihfft", grad_fn="FftR2C")
def ihfft(input: Node, n: int | None = None, dim: int = -1, norm: str | None = None) -> Node:
    """The inverse of ``hfft``: one half of the numbers.

    >>> nbgrad.fft.ihfft(nbgrad.tensor([5.0, -3.0]))
    tensor([1.-0.j, 4.-0.j])
    """
    return _one("ihfft", input, n, dim, norm, False, "given")


@call("fft_fftn", function=False, shown="fftn", grad_fn="FftC2C")
def fftn(input: Node, s: Shape | None = None, dim: Shape | None = None, norm: str | None = None) -> Node:
    """``fft`` along several dims, all unless given, of sizes ``s``.

    >>> nbgrad.fft.fftn(nbgrad.eye(2))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    return _several("fftn", input, s, dim, norm, True)


@call("fft_ifftn", function=False, shown="ifftn", grad_fn="FftC2C")
def ifftn(input: Node, s: Shape | None = None, dim: Shape | None = None, norm: str | None = None) -> Node:
    """``ifft`` along several dims, all unless given, of sizes ``s``.

    >>> nbgrad.fft.ifftn(nbgrad.eye(2))
    tensor([[0.5000+0.j, 0.0000+0.j],
            [0.0000+0.j, 0.5000+0.j]])
    """
    return _several("ifftn", input, s, dim, norm, False)


@call("fft_rfftn", function=False, shown="rfftn", grad_fn="FftR2C")
def rfftn(input: Node, s: Shape | None = None, dim: Shape | None = None, norm: str | None = None) -> Node:
    """``rfft`` along the last of several dims, all unless given, and ``fft`` along the others.

    >>> nbgrad.fft.rfftn(nbgrad.eye(2))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    return _several("rfftn", input, s, dim, norm, True, "given")


@call("fft_irfftn", function=False, shown="irfftn", grad_fn="FftC2R")
def irfftn(input: Node, s: Shape | None = None, dim: Shape | None = None, norm: str | None = None) -> Node:
    """The inverse of ``rfftn``.

    >>> nbgrad.fft.irfftn(nbgrad.eye(2))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.5000]])
    """
    return _several("irfftn", input, s, dim, norm, False, "made")


@call("fft_hfftn", function=False, shown="hfftn", grad_fn="FftC2R")
def hfftn(input: Node, s: Shape | None = None, dim: Shape | None = None, norm: str | None = None) -> Node:
    """``hfft`` along the last of several dims, all unless given, and ``fft`` along the others.

    >>> nbgrad.fft.hfftn(nbgrad.eye(2))
    tensor([[2., 0.],
            [0., 2.]])
    """
    return _several("hfftn", input, s, dim, norm, True, "made")


@call("fft_ihfftn", function=False, shown="ihfftn", grad_fn="FftR2C")
def ihfftn(input: Node, s: Shape | None = None, dim: Shape | None = None, norm: str | None = None) -> Node:
    """The inverse of ``hfftn``.

    >>> nbgrad.fft.ihfftn(nbgrad.eye(2))
    tensor([[0.5000-0.j, 0.0000-0.j],
            [0.0000+0.j, 0.5000+0.j]])
    """
    return _several("ihfftn", input, s, dim, norm, False, "given")


@call("fft_fft2", function=False, shown="fft2", grad_fn="FftC2C")
def fft2(input: Node, s: Shape | None = None, dim: Shape = _LAST_TWO, norm: str | None = None) -> Node:
    """``fftn`` along two dims, the last ones unless given.

    >>> nbgrad.fft.fft2(nbgrad.ones(2, 2))
    tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    return _several("fft2", input, s, dim, norm, True)


@call("fft_ifft2", function=False, shown="ifft2", grad_fn="FftC2C")
def ifft2(input: Node, s: Shape | None = None, dim: Shape = _LAST_TWO, norm: str | None = None) -> Node:
    """``ifftn`` along two dims, the last ones unless given.

    >>> nbgrad.fft.ifft2(nbgrad.ones(2, 2))
    tensor([[1.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    return _several("ifft2", input, s, dim, norm, False)


@call("fft_rfft2", function=False, shown="rfft2", grad_fn="FftR2C")
def rfft2(input: Node, s: Shape | None = None, dim: Shape = _LAST_TWO, norm: str | None = None) -> Node:
    """``rfftn`` along two dims, the last ones unless given.

    >>> nbgrad.fft.rfft2(nbgrad.ones(2, 2))
    tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    return _several("rfft2", input, s, dim, norm, True, "given")


@call("fft_irfft2", function=False, shown="irfft2", grad_fn="FftC2R")
def irfft2(input: Node, s: Shape | None = None, dim: Shape = _LAST_TWO, norm: str | None = None) -> Node:
    """``irfftn`` along two dims, the last ones unless given.

    >>> nbgrad.fft.irfft2(nbgrad.ones(2, 2))
    tensor([[1., 0.],
            [0., 0.]])
    """
    return _several("irfft2", input, s, dim, norm, False, "made")


@call("fft_hfft2", function=False, shown="hfft2", grad_fn="FftC2R")
def hfft2(input: Node, s: Shape | None = None, dim: Shape = _LAST_TWO, norm: str | None = None) -> Node:
    """``hfftn`` along two dims, the last ones unless given.

    >>> nbgrad.fft.hfft2(nbgrad.ones(2, 2))
    tensor([[4., 0.],
            [0., 0.]])
    """
    return _several("hfft2", input, s, dim, norm, True, "made")


@call("fft_ihfft2", function=False, shown="ihfft2", grad_fn="FftR2C")
def ihfft2(input: Node, s: Shape | None = None, dim: Shape = _LAST_TWO, norm: str | None = None) -> Node:
    """``ihfftn`` along two dims, the last ones unless given.

    >>> nbgrad.fft.ihfft2(nbgrad.ones(2, 2))
    tensor([[1.-0.j, 0.-0.j],
            [0.+0.j, 0.+0.j]])
    """
    return _several("ihfft2", input, s, dim, norm, False, "given")
