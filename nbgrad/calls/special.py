"""Special functions: gamma, Bessel and zeta functions, the normal distribution, orthogonal polynomials. Integers are
computed in the default float.

Few programs need them, so nobody imports this file but ``functions/special.py``, which is read when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import nbgrad.ops.zeta  # noqa: F401  defines it
from nbgrad.calls.base import TensorNode, broadcasted, call, floating, promoted
from nbgrad.calls.elementary import xlogy as times_log
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError
from nbgrad.graph.dtypes import bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.bessel import bessel_i
from nbgrad.ops.compare import cast_to
from nbgrad.ops.loop import unknown, written
from nbgrad.ops.special import constant, special
from nbgrad.ops.view import reshape_to

_MODIFIED: Final = {"i0e": (0, True), "i1": (1, False), "i1e": (1, True)}  # order, and whether it is scaled
_BELOW: Final = "NaN below 0."
# Of one number, in ``nbgrad.special`` alone.
_UNARY: Final = {
    "i0e": "exp(-abs(input)) times ``i0``.",
    "i1": "The modified Bessel function of the first kind of order 1.",
    "i1e": "exp(-abs(input)) times ``i1``.",
    "bessel_j0": "The Bessel function of the first kind of order 0.",
    "bessel_j1": "The Bessel function of the first kind of order 1.",
    "bessel_y0": f"The Bessel function of the second kind of order 0; {_BELOW}",
    "bessel_y1": f"The Bessel function of the second kind of order 1; {_BELOW}",
    "modified_bessel_k0": f"The modified Bessel function of the second kind of order 0; {_BELOW}",
    "modified_bessel_k1": f"The modified Bessel function of the second kind of order 1; {_BELOW}",
    "scaled_modified_bessel_k0": "exp(input) times ``modified_bessel_k0``.",
    "scaled_modified_bessel_k1": "exp(input) times ``modified_bessel_k1``.",
    "airy_ai": "The Airy function Ai.",
    "erfcx": "exp(input^2) times erfc(input), which neither overflows nor is 0 where input is large.",
    "log_ndtr": "The logarithm of ``ndtr``, accurate where that is small, too.",
    "ndtri": "What a share ``input`` of a standard normal distribution is below; NaN outside [0, 1].",
}


def _title(name: str) -> str:
    """What PyTorch calls the backward of one that stands in ``torch.special`` alone."""
    return "Special" + "".join([part.capitalize() for part in name.split("_")])


def _declare_unary(name: str, text: str) -> None:
    def build(input: Node) -> Node:
        x = floating(name, input)
        if name in _MODIFIED:
            return bessel_i(*_MODIFIED[name], x)
        return apply(name, x) if name == "erfcx" else special(name, x)

    build.__doc__ = text
    title = {"i0e": "SpecialI0E", "i1e": "SpecialI1E"}.get(name, _title(name))
    call(name, function=False, grad_fn=title)(build)


for _name, _text in _UNARY.items():
    _declare_unary(_name, _text)


@call(method=True, inplace=True)
def lgamma(input: Node) -> Node:
    """The logarithm of the absolute value of the gamma function; infinite at 0 and negative whole numbers.

    >>> nbgrad.lgamma(nbgrad.tensor([0.5, 1.0, 5.0]))
    tensor([0.5724, 0.0000, 3.1781])
    """
    return apply("lgamma", floating("lgamma", input))


@call(method=True, inplace=True)
def digamma(input: Node) -> Node:
    """The derivative of ``lgamma``; NaN for negative whole numbers.

    >>> nbgrad.digamma(nbgrad.tensor([1.0, 0.5]))
    tensor([-0.5772, -1.9635])
    """
    return apply("digamma", floating("digamma", input))


@call(method=True, inplace=True)
def polygamma(input: Node, n: int) -> Node:
    """The n-th derivative of ``digamma``; infinite at 0 and negative whole numbers. RuntimeError for a negative ``n``.

    >>> nbgrad.polygamma(1, nbgrad.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    if n < 0:
        raise ArgumentError("polygamma(n, x) does not support negative n.")
    x = floating("polygamma", input)
    if n == 0:
        return apply("digamma", x)
    size = float(math.factorial(n)) if n <= 170 else math.inf
    if n == 1:
        return apply("trigamma", x)
    return _zeta(const(n + 1, x.spec.dtype), x) * const(size if n % 2 else -size, x.spec.dtype)


@call(method=True, inplace=True)
def i0(input: Node) -> Node:
    """The modified Bessel function of the first kind of order 0.

    >>> nbgrad.i0(nbgrad.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661])
    """
    return bessel_i(0, False, floating("i0", input))


@call(method=True, inplace=True)
def mvlgamma(input: Node, p: int) -> Node:
    """The logarithm of the multivariate gamma function of ``p`` dims. RuntimeError for ``p`` below 1, and for bool.

    >>> nbgrad.mvlgamma(nbgrad.tensor([2.0, 3.0]), 2)
    tensor([0.4516, 1.5502])
    """
    if input.spec.dtype is bool_:
        raise DTypeError("mvlgamma: The input tensor may not be a boolean tensor.")
    if p < 1:
        raise ArgumentError("mvlgamma: p has to be greater than or equal to 1")
    x = floating("mvlgamma", input)
    shape = (*x.spec.shape, p)
    ramp = cast_to(apply("iota", params=(shape, x.spec.rank)), x.spec.dtype)
    terms = apply("lgamma", apply("expand", reshape_to(x, (*x.spec.shape, 1)), params=(shape,)) - ramp * 0.5)
    return apply("sum", terms, params=((x.spec.rank,),)) + p * (p - 1) / 4 * math.log(math.pi)


@call(method=True, inplace=True)
def igamma(input: Node, other: TensorNode) -> Node:
    """The regularised lower incomplete gamma function of shape ``input``, from 0 to ``other``. Floating point only. By
    ``input`` it has no derivative (RuntimeError).

    >>> nbgrad.igamma(nbgrad.tensor([1.0, 2.0]), nbgrad.tensor([1.0, 1.0]))
    tensor([0.6321, 0.2642])
    """
    return _incomplete("igamma", input, other)


@call(method=True, inplace=True)
def igammac(input: Node, other: TensorNode) -> Node:
    """1 - igamma(input, other), accurate where that is small, too.

    >>> nbgrad.igammac(nbgrad.tensor([1.0, 2.0]), nbgrad.tensor([1.0, 1.0]))
    tensor([0.3679, 0.7358])
    """
    return _incomplete("igammac", input, other)


def _incomplete(name: str, input: Node, other: Node) -> Node:
    a, x = promoted(input, other)
    if not a.spec.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"{name}: not implemented for {a.spec.dtype.name}: expected floats")
    return special(name, constant(name, a), x)


@call(number_first=True, function=False, grad_fn="SpecialZeta")
def zeta(input: Node, other: Node) -> Node:
    """Hurwitz's zeta function: the sum of (other + k)^-input over k = 0, 1, ...; infinite for an ``input`` of 1, NaN
    below. By ``input`` it has no derivative (RuntimeError).

    >>> nbgrad.special.zeta(nbgrad.tensor([2.0, 4.0]), 1)
    tensor([1.6449, 1.0823])
    """
    s, q = promoted(input, other, floating=True)
    return _zeta(constant("zeta", s), q)


def _zeta(s: Node, q: Node) -> Node:
    return apply("zeta", *broadcasted("zeta", s, q))


@call(number_first=True, function=False, grad_fn="SpecialXlog1Py")
def xlog1py(input: Node, other: Node) -> Node:
    """input * log(1 + other), and 0 where input is 0 (NaN where other is NaN).

    >>> nbgrad.special.xlog1py(nbgrad.tensor([0.0, 2.0]), nbgrad.tensor([-1.0, 1.0]))
    tensor([0.0000, 1.3863])
    """
    x, y = broadcasted("xlog1py", *promoted(input, other, floating=True))
    zero, least = const(0, x.spec.dtype), const(-1, x.spec.dtype)
    # Where the product would be 0 times infinity; its derivative there would be infinity, or NaN.
    beyond = apply("bit_or", apply("le", y, least), apply("eq", y, const(math.inf, x.spec.dtype)))
    is_nothing = apply("bit_and", apply("eq", x, zero), beyond)
    return apply("where", is_nothing, zero, x * apply("log1p", apply("where", is_nothing, zero, y)))


@call(function=False, grad_fn="SpecialEntr")
def entr(input: Node) -> Node:
    """-input * log(input); 0 of 0, and minus infinity below.

    >>> nbgrad.special.entr(nbgrad.tensor([0.5, 0.0, -1.0]))
    tensor([0.3466, 0.0000,   -inf])
    """
    x = floating("entr", input)
    zero = const(0, x.spec.dtype)
    return apply("where", apply("lt", x, zero), const(-math.inf, x.spec.dtype), zero - times_log(x, x))


@call(function=False, grad_fn="SpecialNdtr")
def ndtr(input: Node) -> Node:
    """The share of a standard normal distribution below ``input``.

    >>> nbgrad.special.ndtr(nbgrad.tensor([0.0, 1.0]))
    tensor([0.5000, 0.8413])
    """
    return apply("ndtr", floating("ndtr", input))


@call(function=False, grad_fn="SpecialSphericalBesselJ0")
def spherical_bessel_j0(x: Node) -> Node:
    """The spherical Bessel function of the first kind of order 0: sin(x) / x.

    >>> nbgrad.special.spherical_bessel_j0(nbgrad.tensor([0.0, 1.0]))
    tensor([1.0000, 0.8415])
    """
    x = floating("spherical_bessel_j0", x)
    zero, one = const(0, x.spec.dtype), const(1, x.spec.dtype)
    is_zero, is_infinite = apply("eq", x, zero), apply("eq", apply("abs", x), const(math.inf, x.spec.dtype))
    angle = apply("where", apply("bit_or", is_zero, is_infinite), one, x)
    at_zero = one - x * x / const(6, x.spec.dtype)  # which has the first three derivatives there
    rest = apply("where", is_infinite, zero, apply("sin", angle) / angle)
    return apply("where", is_zero, at_zero, rest)


Formula = Callable[..., Any]


def _chebyshev(k: Any, x: Any, before: Any, y: Any) -> Any:
    return x * y * 2.0 - before


# Orthogonal polynomials: whose, that of degree 1, and that of degree k + 1 by those of degrees k - 1 and k.
_POLYNOMIALS: Final[dict[str, tuple[str, Formula, Formula]]] = {
    "chebyshev_polynomial_t": ("Chebyshev's polynomial of the first kind", lambda x: x, _chebyshev),
    "chebyshev_polynomial_u": ("Chebyshev's polynomial of the second kind", lambda x: x * 2.0, _chebyshev),
    "chebyshev_polynomial_v": ("Chebyshev's polynomial of the third kind", lambda x: x * 2.0 - 1.0, _chebyshev),
    "chebyshev_polynomial_w": ("Chebyshev's polynomial of the fourth kind", lambda x: x * 2.0 + 1.0, _chebyshev),
    "hermite_polynomial_h": (
        "The physicist's Hermite polynomial",
        lambda x: x * 2.0,
        lambda k, x, before, y: (x * y - k * before) * 2.0,
    ),
    "hermite_polynomial_he": (
        "The probabilist's Hermite polynomial",
        lambda x: x,
        lambda k, x, before, y: x * y - k * before,
    ),
    "laguerre_polynomial_l": (
        "Laguerre's polynomial",
        lambda x: 1.0 - x,
        lambda k, x, before, y: ((k * 2.0 + 1.0 - x) * y - k * before) / (k + 1.0),
    ),
    "legendre_polynomial_p": (
        "Legendre's polynomial",
        lambda x: x,
        lambda k, x, before, y: ((k * 2.0 + 1.0) * x * y - k * before) / (k + 1.0),
    ),
}


def _of_degree(x: Node, n: Node, first: Formula, following: Formula) -> Node:
    """The polynomial of degree n, 0 for a negative one: from degree 1 on a loop."""
    dtype = x.spec.dtype
    n = apply("trunc", n)
    zero, one = const(0, dtype), const(1, dtype)
    state, stays = [unknown(dtype) for _ in range(3)], [unknown(dtype) for _ in range(2)]
    (k, before, y), (point, degree) = state, stays
    text, fixed = written(state, apply("lt", k + 1.0, degree), [k + 1.0, y, following(k, point, before, y)])
    given = {point: x, degree: n}
    begins = apply("lt", one, n)
    y = apply("loop", begins, one, one, first(x), *[given.get(f, f) for f in fixed], params=(text, 2))
    return apply("where", apply("lt", n, one), apply("where", apply("lt", n, zero), zero, one), y)


def _declare_polynomial(name: str, text: str, of: Callable[[Node, Node], Node]) -> None:
    def build(x: Node, n: Node) -> Node:
        return of(*broadcasted(name, *promoted(x, n, floating=True)))

    build.__doc__ = text
    call(name, function=False, number_first=True, grad_fn=_title(name))(build)


def _declare_polynomials(name: str, whose: str, first: Formula, following: Formula) -> None:
    text = f"{whose} of degree ``n``, whole numbers; 0 for a negative one."
    _declare_polynomial(name, text, lambda x, n: _of_degree(x, n, first, following))
    if following is _chebyshev:
        shifted = f"``{name}`` of 2 x - 1."
        _declare_polynomial(f"shifted_{name}", shifted, lambda x, n: _of_degree(x * 2.0 - 1.0, n, first, following))


for _name, _polynomial in _POLYNOMIALS.items():
    _declare_polynomials(_name, *_polynomial)
