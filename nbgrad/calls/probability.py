"""What only ``nbgrad.distributions`` needs: gamma samples, and values that must meet a condition.

It alone imports this file.
"""

from __future__ import annotations

import functools

import nbgrad.ops.gamma_sample
import nbgrad.ops.zeta  # noqa: F401  the derivative of digamma
from nbgrad.calls.base import TensorNode, broadcasted, call
from nbgrad.calls.creation import normal_from, positions, uniform_from
from nbgrad.graph.dtypes import DType, float64, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.loop import unknown, written
from nbgrad.ops.view import expand_to

_APART = 1 << 44  # of two numbers that an element may need: there are fewer elements


def _number(value: float) -> Node:
    return const(value, float64)


def _bits(position: Node, block: Node, seed: Node, stream: Node, word: int) -> Node:
    return apply("philox", position + block * _APART, seed, stream, params=(word,))


@functools.cache
def _trying() -> tuple[str, tuple[Node, ...], list[Node]]:
    """The loop that draws numbers w until one is taken: its text, what stands for (position, seed, stream, d, c) in it,
    and what it reads that stays.

    A normal number n gives w = 1 + c n, taken where log(u) < n^2 / 2 + d (1 - w^3 + log(w^3)): then d w^3 is a gamma
    number of concentration d + 1/3. Source: Marsaglia and Tsang 2000, "A simple method for generating gamma variables".
    """
    block, before = unknown(int64), unknown(float64)
    place = position, seed, stream, d, c = (*[unknown(int64) for _ in range(3)], unknown(float64), unknown(float64))
    first, second = [_bits(position, block, seed, stream, word) for word in (0, 1)]
    n = normal_from(first, second, float64)
    u = uniform_from(_bits(position, block + 1, seed, stream, 0), float64)
    w = n * c + 1.0
    bound = n * n * 0.5 + d * (apply("log", w) * 3.0 - w * w * w + 1.0)
    refused = apply("bit_or", apply("le", w, _number(0)), apply("ge", apply("log1p", -u), bound))
    text, fixed = written([block, before], refused, [block + 2, w])
    return text, place, fixed


@call("standard_gamma_of", function=False, shown="standard_gamma", grad_fn="StandardGamma")
def standard_gamma_of(seed: Node, stream: Node, input: TensorNode, *, shape: Shape, dtype: DType) -> Node:
    """The logarithms of numbers of gamma distributions of the concentrations ``input``, differentiable by these.

    Below concentration 1 it is a number of one more, times a uniform number to the power of 1 / concentration.
    """
    a = cast_to(input, float64)
    given = apply("detach", a)
    is_small = apply("lt", given, _number(1))
    d = apply("where", is_small, given + 1.0, given) - 1 / 3
    text, place, fixed = _trying()
    position = positions(shape)
    known = dict(zip(place, (position, seed, stream, d, 1.0 / apply("sqrt", d * 9.0)), strict=True))
    stays = [known.get(x, x) for x in fixed]
    true = apply("le", const(0, int64), const(0, int64))
    w = apply("loop", true, const(0, int64), _number(1), *stays, params=(text, 1))
    share = uniform_from(_bits(position, const(-1, int64), seed, stream, 0), float64)
    power = apply("where", is_small, apply("log1p", -share) / given, _number(0))
    found = apply("log", w) * 3.0 + apply("log", d) + power
    return cast_to(apply("gamma_sample", a, expand_to(found, shape)), dtype)


@call("require_of", function=False, shown="require")
def require_of(input: Node, condition: TensorNode, *, message: str) -> Node:
    """``input``; ValueError with the message from the read that computes it, where the bool ``condition`` is false."""
    x, mask = broadcasted("require", input, condition)
    return apply("require", x, mask, params=(message,))
