"""Hurwitz's zeta function, the sum of (q + k)^-s over k = 0, 1, ...: derivatives of ``digamma`` are made of it."""

from __future__ import annotations

import functools
from math import factorial, inf, nan, pi
from typing import Any, Final

import numpy as np

from nbgrad.graph.dtypes import float64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import over_elements
from nbgrad.ops.compare import cast_to
from nbgrad.ops.family import infer_same
from nbgrad.ops.loop import unknown, written
from nbgrad.ops.tangents import symmetric
from nbgrad.system.imports import import_module

# Bernoulli's numbers B_2, B_4, ...
BERNOULLI: Final = (
    1 / 6,
    -1 / 30,
    1 / 42,
    -1 / 30,
    5 / 66,
    -691 / 2730,
    7 / 6,
    -3617 / 510,
    43867 / 798,
    -174611 / 330,
)
BEYOND: Final = 10  # from q = s + BEYOND on the formula with them is exact to 2^-58
NOTHING: Final = 2.0**-60  # a term of this share ends the sum
STEEP: Final = 1000.0  # for a larger s what lies far from 0 adds nothing


def _number(value: float) -> Node:
    return const(value, float64)


@functools.cache
def _summing() -> tuple[str, Node, Node, list[Node]]:
    """The loop that adds a^-s to a total and 1 to a, until a is ``end`` or the terms are nothing: its text, what stands
    for s and ``end`` in it, and what it reads that stays."""
    a, total, s, end = [unknown(float64) for _ in range(4)]
    term, after = apply("pow", a, -s), a + 1.0
    counts = apply("bit_or", apply("lt", a, _number(1)), apply("gt", term, total * NOTHING))
    going = apply("bit_and", apply("lt", after, end), counts)
    text, fixed = written([a, total], going, [after, total + term])
    return text, s, end, fixed


def _tail(s: Node, a: Node) -> Node:
    """The sum from a = s + BEYOND or more on, by Euler and Maclaurin."""
    power = apply("pow", a, -s)
    factor, share, square = s / a, a / (s - 1.0) + 0.5, a * a
    for j, number in enumerate(BERNOULLI, 1):
        share = share + factor * (number / factorial(2 * j))
        factor = factor * (s + (2.0 * j - 1)) * (s + 2.0 * j) / square
    return apply("where", apply("eq", power, _number(0)), power, power * share)


def _formula(inputs: tuple[Node, ...], params: Params) -> Node:
    """The first terms one by one. Of a q far below 0, where s must be whole, those far below 0 are the difference of
    two tails."""
    dtype = inputs[0].spec.dtype
    s, q = [cast_to(x, float64) for x in inputs]
    below = apply("floor", q)
    fraction, far = q - below, apply("minimum", apply("floor", s), _number(STEEP)) + (BEYOND + 1.0)
    is_far = apply("lt", q, -far)
    first, end = apply("where", is_far, fraction - far, q), s + float(BEYOND)
    text, for_s, for_end, fixed = _summing()
    stays = [{for_s: s, for_end: end}.get(x, x) for x in fixed]
    begins = apply("lt", first, end)
    a, total = [apply("loop", begins, first, _number(0), *stays, params=(text, k)) for k in range(2)]
    total = total + apply("where", apply("lt", a, end), _number(0), _tail(s, a))
    is_odd = apply("ne", apply("floor", s * 0.5) * 2.0, s)
    skipped = _tail(s, far + 1.0 - fraction) - _tail(s, 1.0 - q)
    skipped = apply("where", is_odd, -skipped, skipped)
    skipping = apply("bit_and", is_far, apply("lt", s, _number(STEEP)))
    total = total + apply("where", skipping, skipped, _number(0))
    is_pole = apply("bit_and", apply("eq", q, below), apply("le", q, _number(0)))
    total = apply("where", apply("bit_or", is_pole, apply("eq", s, _number(1))), _number(inf), total)
    return cast_to(apply("where", apply("lt", s, _number(1)), _number(nan), total), dtype)


def _trigamma(inputs: tuple[Node, ...], params: Params) -> Node:
    """Zeta(2, x) without a loop: BEYOND terms and the rest of Euler and Maclaurin; below 0 mirrored."""
    dtype = inputs[0].spec.dtype
    x = cast_to(inputs[0], float64)
    is_left = apply("lt", x, _number(0))
    first = apply("where", is_left, 1.0 - x, x)
    total = _tail(_number(2), first + float(BEYOND))
    for k in reversed(range(BEYOND)):
        step = 1.0 / (first + float(k))
        total = total + step * step
    whole = apply("round", x)
    beyond = apply("where", apply("eq", x, whole), _number(0), x - whole)  # -infinity, too, is a pole
    mirror = pi / apply("sin", apply("where", is_left, beyond, _number(0.5)) * pi)
    return cast_to(apply("where", is_left, mirror * mirror - total, total), dtype)


def _trigamma_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    (x,) = inputs
    return (g * (apply("zeta", cast_to(_number(3), x.spec.dtype), x) * -2.0),)


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    s, q = inputs
    return zeros_of(g.spec), g * (-s * apply("zeta", s + 1.0, q))


def _reference(s: Any, q: Any) -> Any:
    """SciPy's, which adds one term after the other to a ``q`` below 0: from far below they are mirrored."""
    zeta = import_module("scipy.special").zeta
    s64, q64 = np.asarray(s, np.float64), np.asarray(q, np.float64)
    is_far = (q64 < -1000) & np.isfinite(q64) & (s64 % 1 == 0)
    rest, sign = q64 - np.floor(q64), np.where(s64 % 2 == 0, 1, -1)
    mirrored = zeta(s64, rest) + sign * (zeta(s64, 1 - rest) - zeta(s64, 1 - np.where(is_far, q64, 0)))
    is_far &= np.isfinite(mirrored)
    found = np.where(is_far, mirrored, zeta(s64, np.where(is_far, 1, q64)))
    return np.asarray(np.where(s64 < 1, nan, found)).astype(s.dtype)


define(  # zeta(2, x), the derivative of digamma
    Op(
        "trigamma",
        Kind.COMPOSITE,
        infer_same("trigamma"),
        lambda x: _reference(np.full_like(x, 2), x),
        vjp=_trigamma_vjp,
        jvp=symmetric(_trigamma_vjp),
        decompose=_trigamma,
        batch=over_elements,
    )
)
define(  # inputs (s, q); ``constant`` makes s, by which it has no derivative
    Op(
        "zeta",
        Kind.COMPOSITE,
        infer_same("zeta"),
        _reference,
        vjp=_vjp,
        jvp=symmetric(_vjp),
        decompose=_formula,
        batch=over_elements,
    )
)
