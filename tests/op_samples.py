"""Samples of every operator: ordinary inputs, edge cases, 0-d and empty ones, and inputs that must fail."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from nbgrad.errors import DTypeError, LinAlgError, NbgradError, RunError, ShapeError, TensorIndexError
from nbgrad.graph.dtypes import float32, float64, int64
from nbgrad.graph.op import LATER
from tests.samples import EDGES, INF, LIMITS, NAN, Array, OpSample, array, bools, f32, floats, ints

for _file in LATER:  # operators that are defined when somebody asks for them
    import_module(f"nbgrad.ops.{_file}")

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


def ok(*inputs: Array, params: tuple[Any, ...] = ()) -> OpSample:
    return OpSample(inputs, params)


def edge(*inputs: Array, params: tuple[Any, ...] = ()) -> OpSample:
    """Values only: not differentiable there, or not by differences."""
    return OpSample(inputs, params, smooth=False)


def fails(error: type[Exception], *inputs: Array, params: tuple[Any, ...] = ()) -> OpSample:
    return OpSample(inputs, params, smooth=False, error=error)


def unary(low: float = -2.0, high: float = 2.0, *, integers: bool = False, bool_too: bool = False) -> list[OpSample]:
    """A map of one input: float64, float32, 0-d, empty, edge values; where meaningful integers and bool."""
    samples = [
        ok(floats(2, 3, low=low, high=high)),
        ok(floats(low=low, high=high)),
        ok(floats(0, 3)),
        ok(f32(5, low=low, high=high)),
        edge(array(EDGES)),
        edge(array(EDGES, "float64")),
    ]
    if integers:
        samples += [edge(ints(7, low=0, dtype=d)) for d in INTEGERS] + [edge(array(LIMITS, "int64"))]
    if bool_too:
        samples.append(edge(bools(5)))
    return samples


def pairs(dtype: str) -> tuple[Array, Array]:
    """Every edge value against every other."""
    n = len(EDGES)
    return array([a for a in EDGES for _ in range(n)], dtype), array(EDGES * n, dtype)


def binary(
    low: float = -2.0, high: float = 2.0, *, integers: bool = False, bool_too: bool = False, edges: bool = True
) -> list[OpSample]:
    """A map of two inputs: equal shapes, 0-d beside larger ones, empty; inputs that differ in shape or dtype fail."""
    x, y = floats(2, 3, low=low, high=high), floats(2, 3, low=low, high=high, seed=1)
    samples = [
        ok(x, y),
        ok(x, y[1, 1, ...]),
        ok(x[0, 1, ...], y),
        ok(x[0, 0, ...], y[0, 2, ...]),
        ok(floats(0), floats(0)),
        ok(f32(4, low=low, high=high), f32(4, low=low, high=high, seed=2)),
        fails(ShapeError, floats(2), floats(3)),
        fails(ShapeError, floats(2, 1), floats(2, 3)),
        fails(DTypeError, floats(2), f32(2)),
    ]
    if edges:
        samples += [edge(*pairs("float32")), edge(*pairs("float64"))]
    if integers:
        samples += [edge(ints(9, low=0, dtype=d), ints(9, low=1, dtype=d, seed=1)) for d in INTEGERS]
        samples.append(edge(ints(12), array([1, -1, 2, -2, 3, -3] * 2, "int64")))
    if bool_too:
        samples.append(edge(array([0, 0, 1, 1], "bool"), array([0, 1, 0, 1], "bool")))
    return samples


def compared() -> list[OpSample]:
    """A comparison: edge values, equal ones, integers with their limits, bool."""
    limits = array(LIMITS, "int64")
    return [*binary(integers=True, bool_too=True), edge(limits, limits[::-1].copy())]


def reduced(*params: Any, integers: bool = True, empty: bool = True) -> list[OpSample]:
    """A reduction over the inner, an outer, a middle dim, all dims and none."""
    x = floats(2, 3, 2)
    samples = [ok(x, params=(dims, *params)) for dims in [(2,), (0,), (1,), (0, 2), (0, 1, 2), ()]]
    samples += [ok(floats(), params=((), *params)), ok(f32(3, 4), params=((1,), *params))]
    samples.append(edge(array([[1.0, float("nan")], [INF, -INF]]), params=((1,), *params)))
    if integers:
        samples += [edge(ints(3, 4, low=0, dtype=d), params=((0,), *params)) for d in INTEGERS]
    if empty:
        samples += [ok(floats(0, 3), params=((0,), *params)), ok(floats(3, 0), params=((0,), *params))]
    return samples


def composite(*params: Any, empty: bool = True) -> list[OpSample]:
    """A formula over dims: floats only."""
    x = floats(2, 3, 2)
    samples = [ok(x, params=(dims, *params)) for dims in [(2,), (0,), (1,), (0, 1, 2)]]
    samples.append(ok(f32(3, 4), params=((1,), *params)))
    return samples + ([ok(floats(3, 0), params=((0,), *params))] if empty else [])


BITS = binary(edges=False)[6:8]  # only the failing shapes apply: bits are of integers
INTEGER_PAIRS = [edge(ints(9, low=0, dtype=d), ints(9, low=1, dtype=d, seed=1)) for d in INTEGERS]
ZERO_DIVISION = fails(RunError, ints(3), array([1, 0, 2], "int64"))
SHIFTS = [edge(ints(9, low=0, high=100, dtype=d), ints(9, low=0, high=8, dtype=d, seed=1)) for d in INTEGERS] + [
    edge(array([-5, 7, -1, 3, 1, -9], "int64"), array([64, -1, 63, 1, 62, 100], "int64")),
    edge(array([200, 7, 1], "uint8"), array([8, 1, 7], "uint8")),
]
EXTREMES = [  # of nothing they are the identity: -infinity and infinity, True for all() and False for any()
    edge(bools(2, 3), params=((1,),)),
    edge(bools(0, 3), params=((0,),)),
    edge(floats(0, 3), params=((0,),)),
    ok(floats(0, 3), params=((1,),)),
]
POSITIVES = floats(2, 3, low=0.5, high=4.0)
SQUARES = floats(2, 3, 3) + 3 * np.eye(3)  # far from singular
POSITIVE = SQUARES @ SQUARES.swapaxes(-1, -2)
SINGULAR = array([[[1, 2], [2, 4]]], "float64")
LOWER, UPPER = np.tril(SQUARES), np.triu(SQUARES)
PACKED = floats(2, 12)  # 3 values and 3 vectors of 3 elements
ROUNDS = """float64 int64
float64 int64 int64
mul 0,2 float64 []
sin 5 float64 []
add 1,3 int64 []
lt 7,4 bool []
8 6 7"""  # s, i = sin(s * c), i + 1 as long as i is below 4
INDEX = array([[2, 0, 1], [1, 1, 4]], "int64")
SIZE = array(5, "int64")


def special(name: str, low: float, high: float) -> list[OpSample]:
    """A special function of one number, and where it has no value or a large one."""
    shapes = [(2, 3), (), (0, 3)]
    return [
        *[ok(floats(*shape, low=low, high=high), params=(name,)) for shape in shapes],
        ok(f32(5, low=low, high=high), params=(name,)),
        edge(array(EDGES), params=(name,)),
        edge(array(EDGES, "float64"), params=(name,)),
    ]


GAMMA: list[OpSample] = [  # below 0 where the result is not the difference of larger numbers
    ok(floats(2, 3, low=0.5, high=4.0)),
    ok(floats(2, 3, low=-0.4, high=-0.1)),
    edge(array([0.0, -0.0, 1.0, 2.0, 1e-30, -1e-30, -1.0, -7.0, INF, -INF, NAN, 60], "float32")),
    edge(array([0.0, -0.0, 1.0, 2.0, 1e-30, -1e-30, -1.0, -7.0, INF, -INF, NAN, 60], "float64")),
    edge(f32(3, 4, low=0.1, high=9)),
    edge(f32()),
    edge(floats(0, 2)),
    edge(floats(60, low=3, high=40)),
]

OP_SAMPLES: dict[str, list[OpSample]] = {
    # sources
    "input": [],  # bound by whoever runs the graph: every other sample starts with them
    "scalar": [],  # likewise: every call sample with a number
    "const": [edge(params=(2.5, float32)), edge(params=(7, int64)), edge(params=(INF, float64))],
    "iota": [edge(params=((2, 3), 1)), edge(params=((2, 3), 0)), edge(params=((0, 2), 0)), edge(params=((4,), 0))],
    # arithmetic
    "add": binary(integers=True, bool_too=True),
    "sub": binary(integers=True),
    "mul": binary(integers=True, bool_too=True),
    "div": binary(0.5, 2.0),
    "neg": unary(integers=True),
    "floor_divide": [*binary(0.5, 2.0, integers=True), ZERO_DIVISION, edge(floats(50, low=-9, high=9), floats(50))],
    "trunc_divide": [*BITS, *INTEGER_PAIRS, edge(ints(12), array([1, -1, 2, -2, 3, -3] * 2, "int64")), ZERO_DIVISION],
    "remainder": [*binary(0.5, 2.0, integers=True), ZERO_DIVISION, edge(floats(50, low=-9, high=9), floats(50))],
    "fmod": [*binary(0.5, 2.0, integers=True), ZERO_DIVISION, edge(floats(50, low=-9, high=9), floats(50))],
    "sqrt": unary(0.1, 3.0),
    "sign": unary(integers=True, bool_too=True),
    "abs": unary(integers=True),
    "floor": unary(),
    "ceil": unary(),
    "trunc": unary(),
    "round": [*unary(), edge(array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997, 8388609.0]))],
    "bit_and": [*BITS, *INTEGER_PAIRS, edge(bools(6), bools(6, seed=1))],
    "bit_or": [*BITS, *INTEGER_PAIRS, edge(bools(6), bools(6, seed=1))],
    "bit_xor": [*BITS, *INTEGER_PAIRS, edge(bools(6), bools(6, seed=1))],
    "bit_not": [edge(ints(5, dtype=d, low=0)) for d in INTEGERS] + [edge(bools(5)), edge(bools(0))],
    "shift_left": SHIFTS,
    "shift_right": SHIFTS,
    "copy": unary(integers=True, bool_too=True),
    "hypot": binary(0.5, 2.0),
    "copysign": binary(0.5, 2.0),
    "exponent": [
        *[edge(array([*EDGES, 0.75, -8.0, 1e30], d)) for d in ("float32", "float64")],
        ok(floats(2, 3, low=0.3, high=0.4)),
    ],
    "nextafter": [edge(*pairs("float32")), edge(*pairs("float64")), edge(floats(2, 3), floats(2, 3, seed=1))],
    # special functions
    "bessel_i": [
        *[ok(floats(2, 3, low=0.5, high=4.0), params=(n, scaled)) for n in (0, 1) for scaled in (False, True)],
        *[ok(floats(2, 3, low=-12.0, high=-6.0), params=(n, scaled)) for n in (0, 1) for scaled in (False, True)],
        *[edge(array(EDGES, d), params=(n, True)) for n in (0, 1) for d in ("float32", "float64")],
        edge(f32(3, 4), params=(0, False)),
        edge(f32(3, 4), params=(1, False)),
    ],
    "digamma": GAMMA,
    "lgamma": GAMMA,
    "special": [
        *[s for name in ("bessel_j0", "bessel_j1") for s in special(name, 0.5, 4.0)],
        *[s for name in ("bessel_y0", "bessel_y1") for s in special(name, 0.5, 4.0)],
        *[s for name in ("modified_bessel_k0", "modified_bessel_k1") for s in special(name, 0.5, 4.0)],
        *[s for name in ("scaled_modified_bessel_k0", "scaled_modified_bessel_k1") for s in special(name, 0.5, 4.0)],
        *special("log_ndtr", -2.0, 2.0),
        *special("ndtri", 0.1, 0.9),
        *[s for name in ("airy_ai", "airy_ai_slope") for s in special(name, -4.0, 3.0)],
        *[ok(POSITIVES, floats(2, 3, low=0.5, high=4.0, seed=1), params=(name,)) for name in ("igamma", "igammac")],
        ok(POSITIVES, floats(2, 3, low=0.1, high=0.9, seed=1), params=("gammaincinv",)),
        *[edge(*pairs("float64"), params=(name,)) for name in ("igamma", "igammac")],
        fails(ShapeError, floats(2), floats(3), params=("igamma",)),
        fails(DTypeError, floats(2), f32(2), params=("igamma",)),
    ],
    "trigamma": [
        ok(array([0.5, 4.0, -1.3, 30.0, 0.1], "float64")),
        ok(array([0.5, 4.0], "float32")),
        edge(array([0.0, -1.0, -7.0, INF, -INF, NAN, 1e300, -1000.25])),
        edge(floats(0, 2)),
    ],
    "zeta": [
        edge(POSITIVES + 1, floats(2, 3, low=0.5, high=4.0, seed=1)),
        edge(floats(2, 3, low=1.1, high=60), floats(2, 3, low=1, high=60, seed=1)),
        edge(array([2, 3, 4, 2, 7, 5], "float64"), floats(6, low=-40, high=0)),
        edge(array([2, 3, 2, 4, 900, 1200], "float64"), array([-1000.5, -999.25, -0.5, -33.3, -3.5, -3.5], "float64")),
        edge(
            array([1, 1, 0.5, 2, 3, 2.5, 2, NAN, 2], "float64"), array([2, -1, 2, 0, -4, -1.5, INF, 1, NAN], "float64")
        ),
        edge(f32(5, low=2, high=6), f32(5, low=1, high=9, seed=1)),
        edge(f32(), f32(seed=1)),
        edge(floats(0), floats(0)),
        fails(DTypeError, floats(2), f32(2)),
    ],
    "gamma_sample": [
        edge(array([0.01, 0.5, 1.0, 3.0, 300.0], "float64"), array([-900.0, -2.0, 0.5, 1.5, 5.8], "float64")),
        edge(array(2.0, "float64"), array(0.5, "float64")),
        edge(floats(0, 2), floats(0, 2)),
        edge(array([INF, NAN, 1.0], "float64"), array([INF, NAN, -INF], "float64")),
    ],
    **dict.fromkeys(("igamma_input", "igammac_input", "zeta_input"), unary()),
    # comparison and choice
    "erfc": unary(),
    "ndtr": unary(-2.0, 2.0),
    "erfcx": [*unary(-2.0, 2.0), edge(floats(40, low=-2, high=40))],  # SciPy's loses digits further below
    "erfinv": unary(-0.9, 0.9),
    "signbit": [edge(array([-0.0, 0.0, -INF, INF, -1.5, 2.0], d)) for d in ("float32", "float64")],
    "lt": compared(),
    "le": compared(),
    "gt": compared(),
    "ge": compared(),
    "eq": compared(),
    "ne": compared(),
    "where": [
        ok(bools(2, 3), floats(2, 3), floats(2, 3, seed=1)),
        ok(bools(3), floats(3), floats()),
        ok(bools(), floats(3), floats(3, seed=1)),
        ok(bools(3), floats(), floats(seed=1)),
        ok(bools(0), floats(0), floats(0)),
        edge(bools(3), ints(3), ints(3, seed=1)),
        edge(bools(3), bools(3, seed=1), bools(3, seed=2)),
        edge(bools(13), array(EDGES), array(EDGES[::-1])),
        fails(DTypeError, ints(3), floats(3), floats(3)),
        fails(DTypeError, bools(3), floats(3), f32(3)),
        fails(ShapeError, bools(3), floats(2), floats(2)),
    ],
    "maximum": binary(integers=True, bool_too=True),
    "minimum": binary(integers=True, bool_too=True),
    "relu": unary(integers=True),
    "cast": [
        ok(f32(3), params=("float64",)),
        ok(floats(3), params=("float64",)),
        edge(array([1.7, -1.7, 0.0, 300.5, -3.2]), params=("int64",)),
        edge(array([1.7, 0.2, 200.5], "float64"), params=("uint8",)),
        edge(ints(5, low=-300, high=300), params=("int8",)),
        edge(ints(5), params=("float32",)),
        edge(array([2**53 + 1, -(2**63)], "int64"), params=("float64",)),
        edge(array(EDGES), params=("bool",)),
        edge(ints(5), params=("bool",)),
        edge(bools(5), params=("float32",)),
        edge(bools(0), params=("int64",)),
        edge(array(EDGES), params=("float64",)),
        edge(array([*EDGES, 1e300, 1e-300], "float64"), params=("float32",)),
    ],
    # elementary functions
    "exp": unary(),
    "expm1": unary(),
    "log": unary(0.1, 3.0),
    "log1p": unary(-0.8, 2.0),
    "logit": unary(0.1, 0.9),
    "log2": [*unary(0.1, 3.0), edge(array([2.0**k for k in range(-149, 128)])), edge(array([0.7071068, 0.70710677]))],
    "log10": [*unary(0.1, 3.0), edge(array([10.0**k for k in range(-300, 300)], "float64"))],
    "sin": unary(),
    "cos": unary(),
    "tanh": unary(),
    "sigmoid": unary(),
    "erf": unary(),
    "asin": unary(-0.9, 0.9),
    "acos": unary(-0.9, 0.9),
    "atan": unary(),
    "atan2": binary(0.5, 2.0),
    "sinh": unary(),
    "cosh": unary(),
    "asinh": unary(),
    "acosh": unary(1.2, 3.0),
    "atanh": unary(-0.9, 0.9),
    "logaddexp": binary(),
    "pow": [
        *binary(0.2, 2.0),
        ok(floats(3, low=-2, high=-1), array([2.0, 3.0, -2.0], "float64")),
        edge(ints(12, low=-3, high=4), ints(12, low=-3, high=9, seed=2)),
        edge(array([3, -7, 2, 2, 1, -1, 0, 5], "int64"), array([40, 22, 63, 64, 2**62, 2**62 + 1, 0, -3], "int64")),
        edge(array([3, 200, 2, 0], "uint8"), array([5, 2, 8, 0], "uint8")),
    ],
    # views
    "reshape": [
        ok(floats(2, 3), params=((3, 2),)),
        ok(floats(1, 1), params=((),)),
        ok(floats(), params=((1,),)),
        ok(floats(0, 3), params=((5, 0),)),
        edge(ints(4), params=((2, 2),)),
        fails(ShapeError, floats(2, 3), params=((4,),)),
    ],
    "permute": [
        ok(floats(2, 3, 4), params=((2, 0, 1),)),
        ok(floats(2, 3), params=((1, 0),)),
        ok(floats(), params=((),)),
        ok(floats(0, 3), params=((1, 0),)),
        edge(bools(2, 3), params=((1, 0),)),
    ],
    "expand": [
        ok(floats(3, 1), params=((2, 3, 4),)),
        ok(floats(), params=((2, 2),)),
        ok(floats(1), params=((0,),)),
        ok(floats(2, 3), params=((2, 3),)),
        edge(ints(1, 2), params=((3, 2),)),
        fails(ShapeError, floats(2), params=((3,),)),
        fails(ShapeError, floats(2, 3), params=((3,),)),
    ],
    "slice": [
        ok(floats(5, 2), array(1, "int64"), params=(0, 3, 1)),
        ok(floats(2, 5), array(4, "int64"), params=(1, 3, -2)),
        ok(floats(2, 5), array(4, "int64"), params=(1, 5, -1)),
        ok(floats(4), array(3, "int64"), params=(0, 0, 1)),
        ok(floats(0, 2), array(0, "int64"), params=(0, 0, -1)),
        edge(ints(6), array(0, "int64"), params=(0, 3, 2)),
    ],
    "diagonal": [
        ok(floats(4, 4), params=(0, 1, 0)),
        ok(floats(3, 5), params=(0, 1, 2)),
        ok(floats(5, 3), params=(0, 1, -2)),
        ok(floats(3, 2, 4), params=(2, 0, 1)),
        ok(floats(3, 2), params=(0, 1, 5)),
        ok(floats(0, 3), params=(0, 1, 0)),
        edge(ints(3, 3), params=(1, 0, 1)),
    ],
    "window": [
        ok(floats(7), params=(0, 3, 1, 1)),
        ok(floats(2, 8, 3), params=(1, 2, 3, 2)),
        ok(floats(6), params=(0, 2, 2, 1)),
        ok(floats(2), params=(0, 3, 1, 1)),
        ok(floats(0, 3), params=(1, 2, 1, 1)),
        edge(ints(5), params=(0, 2, 1, 1)),
    ],
    # reductions
    "sum": reduced(),
    "prod": [*reduced(), ok(array([[2.0, 0.0, 3.0], [0.0, 0.0, 1.0]], "float64"), params=((1,),))],
    "amax": [*reduced(empty=False), *EXTREMES],
    "amin": [*reduced(empty=False), *EXTREMES],
    "argmax": [*reduced(empty=False), edge(array([[1, 3, 3], [2, 2, 1]], "int64"), params=((1,),))],
    "argmin": [*reduced(empty=False), edge(array([[3, 1, 1], [2, 1, 1]], "int64"), params=((1,),))],
    # library kernels
    "matmul": [
        ok(floats(2, 3), floats(3, 2, seed=1)),
        ok(floats(2, 2, 3), floats(2, 3, 1, seed=1)),
        ok(floats(2, 0), floats(0, 3)),
        ok(floats(0, 2), floats(2, 3)),
        ok(f32(3, 4), f32(4, 2, seed=1)),
        edge(ints(2, 3), ints(3, 2, seed=1)),
        fails(ShapeError, floats(2, 3), floats(2, 3)),
        fails(ShapeError, floats(1, 2, 3), floats(2, 3, 2)),
        fails(ShapeError, floats(3), floats(3, 2)),
        fails(DTypeError, floats(2, 3), f32(3, 2)),
    ],
    "cat": [
        ok(floats(2, 3), floats(1, 3, seed=1), params=(0,)),
        ok(floats(2, 1), floats(2, 3, seed=1), floats(2, 0), params=(1,)),
        ok(floats(2), params=(0,)),
        edge(ints(2), ints(3), params=(0,)),
        fails(ShapeError, floats(2, 3), floats(2, 2), params=(0,)),
        fails(ShapeError, floats(2, 3), floats(2), params=(0,)),
        fails(DTypeError, floats(2), f32(2), params=(0,)),
    ],
    "put_slice": [
        ok(floats(5, 2), floats(3, 2, seed=1), array(1, "int64"), params=(0, 3, 1)),
        ok(floats(2, 5), floats(2, 3, seed=1), array(4, "int64"), params=(1, 3, -2)),
        ok(floats(4), floats(0), array(0, "int64"), params=(0, 0, 1)),
        edge(ints(4), ints(2, seed=1), array(0, "int64"), params=(0, 2, 2)),
    ],
    "overlap_add": [
        ok(floats(5, 3), params=(0, 7, 1, 1)),
        ok(floats(2, 3, 4, 2), params=(1, 10, 3, 2)),
        ok(floats(3, 2), params=(0, 6, 2, 1)),
        ok(floats(2, 2), params=(0, 7, 3, 1)),
        ok(floats(0, 3), params=(0, 2, 1, 1)),
        ok(f32(3, 3), params=(0, 8, 2, 1)),
        edge(ints(4, 2), params=(0, 5, 1, 1)),
    ],
    "sort_key": [
        *[edge(array(EDGES, d), params=(down,)) for d in ("float32", "float64") for down in (False, True)],
        *[edge(ints(7, low=0, dtype=d), params=(True,)) for d in INTEGERS],
        edge(array(LIMITS, "int64"), params=(False,)),
        edge(bools(5), params=(False,)),
        edge(f32(), params=(False,)),
        edge(f32(0, 2), params=(False,)),
    ],
    "order": [
        *[edge(ints(n, dtype=d)) for n in (1, 5, 48, 49, 200) for d in ("int32", "int64")],
        *[edge(array(LIMITS * 20, "int64")), edge(ints(3, 1, 60, low=0, high=3, dtype="int32"))],
        edge(ints(2, 70, low=-(2**62), high=2**62)),
        *[edge(ints(2, 900, low=-99, dtype="int32"), params=(k,)) for k in (1, 24, 25, 900)],
        *[edge(ints(2, 900, low=-99), params=(k,)) for k in (1, 3, 300)],
        *[edge(array([[*range(900, 0, -1)]], "int64"), params=(k,)) for k in (2, 30)],
        edge(ints(3, 4), params=(0,)),
        edge(ints(0, 3)),
        edge(ints(3, 0)),
    ],
    "cumsum": [
        ok(floats(5), params=(0, False)),
        ok(floats(2, 4, 3), params=(1, False)),
        ok(floats(3, 4), params=(1, True)),
        ok(floats(0, 3), params=(0, False)),
        ok(f32(4, 2), params=(0, True)),
        edge(ints(5), params=(0, False)),
        edge(ints(300, dtype="uint8", low=0), params=(0, False)),
        edge(array([1.0, INF, 2.0, -INF, 3.0]), params=(0, False)),
    ],
    "cummax": [
        *[
            edge(ints(4, 7, 3, low=-9, dtype=d), params=(dim, b))
            for d in ("int32", "int64")
            for dim, b in ((1, False), (2, True))
        ],
        edge(ints(0, 3), params=(0, False)),
        edge(array(LIMITS, "int64"), params=(0, False)),
    ],
    "cumprod": [
        ok(floats(5), params=(0, False)),
        ok(floats(2, 4, 3), params=(1, True)),
        ok(floats(9, 4), params=(1, True)),
        ok(floats(10, 4), params=(1, False)),
        ok(floats(0, 3), params=(0, False)),
        ok(floats(2, 0), params=(1, False)),
        ok(f32(1, 3), params=(0, False)),
        ok(array([2.0, 0.0, 3.0, 0.0, 4.0]), params=(0, False)),
        edge(ints(9), params=(0, False)),
        edge(array([1.0, INF, 2.0, -0.0, 3.0]), params=(0, False)),
    ],
    "recurrence": [
        ok(floats(4), floats(5), params=(0, False)),
        ok(floats(9, 3), floats(9, 4), params=(1, False)),
        ok(floats(10, 3), floats(10, 4), params=(1, True)),
        ok(floats(2, 3, 3), floats(2, 4, 3), params=(1, True)),
        ok(floats(2, 0), floats(2, 1), params=(1, False)),
        ok(f32(3, 2), f32(4, 2), params=(0, False)),
        edge(ints(4), ints(5), params=(0, True)),
        edge(array([0.0, INF, 1.0]), array([1.0, INF, 2.0, -0.0]), params=(0, False)),
    ],
    "pad": [
        ok(floats(2, 3), array(0.0, "float64"), params=(((1, 0), (2, 3)),)),
        ok(floats(2), array(0.0, "float64"), params=(((0, 0),),)),
        ok(floats(0), array(0.0, "float64"), params=(((1, 2),),)),
        edge(ints(3), array(-7, "int64"), params=(((1, 1),),)),
        edge(f32(2, 2), array(INF), params=(((0, 1), (1, 0)),)),
    ],
    # indices
    "wrap_index": [
        edge(array([-5, -1, 0, 4], "int64"), SIZE),
        edge(ints(0), SIZE),
        fails(TensorIndexError, array([5], "int64"), SIZE),
        fails(TensorIndexError, array([-6], "int64"), SIZE),
    ],
    "check_index": [
        edge(array([0, 1, 4], "int64"), SIZE),
        edge(ints(0), SIZE),
        fails(TensorIndexError, array([5], "int64"), SIZE),
        fails(TensorIndexError, array([-1], "int64"), SIZE),
    ],
    "check_probability": [
        ok(array([0.25, 0.5, 0.75]), params=("input",)),
        edge(array([0.0, 1.0, -0.0]), params=("target",)),
        edge(f32(0), params=("input",)),
        *[fails(RunError, array([0.5, bad]), params=("input",)) for bad in (-1e-6, 1.5, NAN, -INF)],
        fails(RunError, array([0.5, 2.0]), params=("target",)),
    ],
    "require": [
        ok(floats(3), array([1, 1, 1], "bool"), params=("said",)),
        edge(ints(2, 3), array(1, "bool"), params=("said",)),
        edge(f32(0), array([], "bool"), params=("said",)),
        *[fails(NbgradError, floats(2), array(bad, "bool"), params=("said",)) for bad in ([1, 0], 0)],
    ],
    "within": [
        edge(array([-2, -1, 0, 3, 4, 9], "int64"), array(4, "int64"), params=(True,)),
        edge(ints(0), array(0, "int64"), params=(False,)),
    ],
    "guard": [
        edge(floats(2, 3), bools(2, 3)),
        edge(f32(7), array(1, "bool")),
        edge(ints(0), array([], "bool")),
        fails(DTypeError, floats(2), floats(2)),
    ],
    "take": [
        ok(floats(5), INDEX),
        ok(floats(5), array(3, "int64")),
        ok(floats(5), array([], "int64")),
        edge(ints(5), INDEX),
        fails(TensorIndexError, floats(4), INDEX),
    ],
    "chosen": [
        ok(floats(3, 4), array([1, 0, 3], "int64"), params=((1,),)),
        ok(floats(3, 4, 2), array([[1, 0], [3, 3], [2, 1]], "int64"), params=((1,),)),
        ok(floats(4), array(2, "int64"), params=((0,),)),
        edge(ints(2, 3), array([2, 0], "int64"), params=((1,),)),
        edge(array([[0.0, -0.0]]), array([1], "int64"), params=((1,),)),
    ],
    "scatter_add": [
        ok(floats(5), array([1, 0, 1, 4], "int64"), floats(4, seed=1)),
        ok(floats(5), array([], "int64"), floats(0)),
        edge(ints(3), array([2, 2, 2], "int64"), ints(3, seed=1)),
        fails(TensorIndexError, floats(4), array([4], "int64"), floats(1)),
    ],
    "scatter_put": [
        ok(floats(5), array([3, 0, 1], "int64"), floats(3, seed=1)),
        ok(floats(5), array([], "int64"), floats(0)),
        edge(floats(3), array([2, 2, 0], "int64"), floats(3, seed=1)),  # the last of equal places stays
        fails(TensorIndexError, floats(4), array([4], "int64"), floats(1)),
    ],
    "scatter_extreme": [
        *[ok(floats(5), array([3, 0, 3, 1], "int64"), floats(4, seed=1), params=(b, True)) for b in (True, False)],
        *[edge(ints(3), array([0, 0, 1], "int64"), ints(3, seed=1), params=(b, True)) for b in (True, False)],
        edge(array([-INF, 1.0, -INF], "float64"), array([2, 0, 2], "int64"), floats(3, seed=1), params=(True, False)),
        edge(floats(3), array([], "int64"), floats(0), params=(True, True)),
        fails(TensorIndexError, floats(4), array([4], "int64"), floats(1), params=(True, True)),
    ],
    "scatter_product": [
        ok(floats(5), array([3, 0, 3, 1], "int64"), floats(4, seed=1)),
        ok(array([0.0, 2.0, 0.5], "float64"), array([0, 1, 1, 1, 0], "int64"), array([2, 0, 3, 0, 0], "float64")),
        edge(ints(3), array([0, 0, 1], "int64"), ints(3, seed=1)),
        edge(floats(3), array([], "int64"), floats(0)),
        fails(TensorIndexError, floats(4), array([4], "int64"), floats(1)),
    ],
    "scatter_recurrence": [
        ok(floats(5), array([3, 0, 3, 1], "int64"), floats(4, seed=1), floats(4, seed=2)),
        ok(floats(2), array([1, 1, 1], "int64"), array([0.0, 2.0, 0.0], "float64"), floats(3, seed=2)),
        edge(ints(3), array([0, 0, 1], "int64"), ints(3, seed=1), ints(3, seed=2)),
        edge(floats(3), array([], "int64"), floats(0), floats(0)),
        fails(TensorIndexError, floats(4), array([4], "int64"), floats(1), floats(1)),
    ],
    "roll": [
        ok(floats(5), params=((0,), (2,))),
        ok(floats(2, 3, 4), params=((2, 0), (3, 1))),
        ok(floats(0, 3), params=((1,), (1,))),
        edge(bools(4), params=((0,), (3,))),
    ],
    # random bits
    "philox": [
        edge(ints(6, low=0, high=2**40), array(42, "int64"), array(7, "int64"), params=(0,)),
        edge(ints(6, low=0, high=2**40), array(-42, "int64"), array(2**62, "int64"), params=(1,)),
        edge(ints(0), array(1, "int64"), array(0, "int64"), params=(0,)),
    ],
    "lshr": [edge(array(LIMITS, "int64"), params=(1,)), edge(array(LIMITS, "int64"), params=(40,))],
    # formulas
    "softmax": composite(),
    "log_softmax": composite(),
    "logsumexp": [*composite(), edge(array([[INF, 1.0], [-INF, -INF], [1.0, float("nan")]]), params=((1,),))],
    "var": composite(1) + composite(0, empty=False) + [edge(f32(2, 1), params=((1,), 1))],
    "std": composite(1) + composite(0, empty=False) + [edge(f32(2, 1), params=((1,), 1))],
    "norm2": composite(),
    "norm_p": composite(3.0) + composite(1.5, empty=False) + composite(0.5, empty=False) + composite(-2.0, empty=False),
    "standardize": composite(0.1),
    "rms_normalize": composite(0.1),
    "after": [ok(floats(2, 3), floats()), ok(floats(0), floats()), edge(array(EDGES), array(1.0))],
    "convolution": [
        ok(floats(2, 3, 5, 4), floats(3, 1, 3, 2), params=((1, 1), ((1, 1), (0, 1)), (1, 1), 3)),
        ok(floats(2, 2, 7), floats(2, 1, 2), params=((2,), ((1, 0),), (2,), 2)),
        ok(floats(2, 3, 6), floats(4, 3, 2, seed=1), params=((1,), ((0, 0),), (1,), 1)),
        ok(floats(2, 4, 5), floats(2, 2, 2, seed=1), params=((2,), ((1, 0),), (1,), 2)),
        ok(floats(2, 2, 5, 4), floats(3, 2, 3, 2, seed=1), params=((1, 1), ((0, 0), (0, 0)), (1, 1), 1)),
        ok(floats(1, 2, 5, 6), floats(2, 1, 2, 2, seed=1), params=((2, 1), ((1, 1), (0, 2)), (1, 2), 2)),
        ok(floats(0, 2, 4), floats(3, 2, 2), params=((1,), ((0, 0),), (1,), 1)),
        ok(f32(2, 1, 4, 4), f32(2, 1, 3, 3, seed=1), params=((1, 1), ((1, 1), (1, 1)), (1, 1), 1)),
        ok(f32(16, 1, 10, 10), f32(2, 1, 2, 2, seed=1), params=((1, 1), ((0, 0), (0, 0)), (1, 1), 1)),
    ],
    "max_pool": [
        ok(floats(2, 7), params=((3,), (2,), (1,))),
        ok(floats(2, 4, 6), params=((2, 2), (2, 2), (1, 1))),
        ok(floats(2, 5, 6), params=((2, 3), (1, 2), (2, 1))),
        ok(f32(3, 4, 4), params=((2, 2), (2, 2), (1, 1))),
        edge(array([[1.0, NAN, 2.0, 3.0], [INF, 1.0, -INF, -INF]]), params=((2,), (1,), (1,))),
        edge(ints(2, 6), params=((2,), (2,), (1,))),
    ],
    "sum_pool": [
        ok(floats(2, 7), params=((3,), (2,), (1,))),
        ok(floats(2, 4, 6), params=((2, 2), (2, 2), (1, 1))),
        ok(floats(2, 5, 6), params=((2, 3), (1, 2), (2, 1))),
        ok(floats(4), params=((1,), (1,), (1,))),
        edge(ints(2, 6), params=((2,), (2,), (1,))),
    ],
    "inv": [
        ok(SQUARES),
        ok(SQUARES[0].astype("float32")),
        edge(floats(0, 2, 2)),
        edge(floats(2, 0, 0)),
        fails(LinAlgError, SINGULAR),
        fails(ShapeError, floats(2, 3)),
    ],
    "solve": [
        ok(SQUARES, floats(2, 4, 3)),
        ok(SQUARES[0].astype("float32"), f32(1, 3)),
        edge(SQUARES, floats(2, 0, 3)),
        fails(LinAlgError, SINGULAR, floats(1, 3, 2)),
        fails(ShapeError, SQUARES, floats(2, 4, 2)),
        fails(ShapeError, SQUARES, floats(4, 3)),
        fails(DTypeError, SQUARES, f32(2, 4, 3)),
    ],
    "solve_triangular": [
        ok(LOWER, floats(2, 4, 3), params=(False, False)),
        ok(UPPER, floats(2, 1, 3), params=(True, False)),
        ok(UPPER, floats(2, 4, 3), params=(True, True)),
        ok(LOWER, floats(2, 4, 3), params=(False, True)),
        ok(LOWER[0].astype("float32"), f32(2, 3), params=(False, False)),
        fails(ShapeError, SQUARES, floats(2, 4, 2), params=(True, False)),
    ],
    "cholesky": [  # of one triangle, but with the derivative of both: tests/linalg/ has differences
        edge(POSITIVE),
        edge(POSITIVE[0].astype("float32")),
        fails(LinAlgError, SINGULAR - 1),
        fails(ShapeError, floats(2, 3)),
    ],
    "lu_diagonal": [ok(SQUARES), edge(SINGULAR), edge(f32(4, 4)), fails(ShapeError, floats(3))],
    "lu": [
        ok(SQUARES),
        ok(floats(2, 4, 3) + 3 * np.eye(4, 3)[::-1]),
        ok(floats(3, 5) + 3 * np.eye(3, 5)[::-1]),
        edge(SINGULAR),
        edge(f32(4, 4)),
        edge(floats(0, 3)),
        fails(ShapeError, floats(3)),
    ],
    "adjugate": [ok(SQUARES), ok(floats(1, 1, low=1)), edge(SINGULAR), edge(floats(3, 3, seed=1).astype("float32"))],
    "adjugate_vjp": [  # whose derivative by A is that of matrices that are not singular
        ok(SQUARES, floats(*SQUARES.shape, seed=1)),
        edge(SINGULAR, floats(*SINGULAR.shape)),
        edge(f32(3, 3), f32(3, 3)),
        fails(ShapeError, floats(3), floats(3)),
    ],
    "det": [ok(SQUARES), ok(floats(0, 0)), edge(SINGULAR), fails(ShapeError, floats(3))],
    "logabsdet": [ok(SQUARES), ok(SQUARES[0].astype("float32")), edge(SINGULAR), fails(ShapeError, floats(3))],
    "qr": [
        ok(floats(2, 4, 3)),
        ok(SQUARES),
        ok(f32(3, 2)),
        edge(floats(2, 0)),
        fails(ShapeError, floats(3)),
        fails(ShapeError, floats(2, 3)),
    ],
    "qr_complete": [
        edge(floats(2, 4, 3)),
        edge(floats(2, 4)),
        edge(f32(4, 2)),
        edge(floats(2, 0)),
        edge(floats(0, 2)),
        fails(ShapeError, floats(3)),
    ],
    "eigh": [  # as cholesky
        edge(POSITIVE, params=(False,)),
        edge(SQUARES, params=(True,)),
        edge(SQUARES, params=(True, True)),
        edge(POSITIVE, params=(False, True)),
        edge(POSITIVE[0].astype("float32"), params=(False,)),
        fails(ShapeError, floats(2, 3), params=(False,)),
    ],
    "svd": [
        ok(floats(2, 4, 3), params=(False,)),
        ok(floats(2, 3), params=(False,)),
        ok(f32(3, 3), params=(False,)),
        edge(floats(4, 2), params=(True,)),
        edge(floats(2, 4), params=(True,)),
        ok(floats(2, 4, 3), params=(None,)),
        ok(f32(3, 4), params=(None,)),
        fails(ShapeError, floats(3), params=(False,)),
    ],
    **{
        f"lstsq_{driver}": [
            edge(floats(2, 4, 3), floats(2, 2, 4, seed=1), params=(1e-9,)),
            edge(floats(3, 4), floats(1, 3, seed=1), params=(1e-9,)),
            edge(f32(3, 3), f32(2, 3, seed=1), params=(1e-6,)),
            edge(np.diag([1.0, 0.5, 0.01]), floats(2, 3), params=(1e-9 if driver == "gels" else 0.1,)),
            fails(ShapeError, floats(4, 3), floats(2, 3), params=(1e-9,)),
            *([fails(LinAlgError, np.diag([1.0, 0.0]), floats(1, 2), params=(1e-9,))] if driver == "gels" else ()),
        ]
        for driver in ("gels", "gelsy", "gelsd")
    },
    "lstsq": [edge(floats(4, 3), floats(2, 4), floats(7), params=("gelsy", 1e-9))],
    "pinv": [
        ok(floats(2, 4, 3), params=(0.0, 1e-6)),
        ok((floats(2, 3, 4) + 4.0 * np.eye(3, 4)).astype("float32"), params=(0.0, 1e-6)),  # far from singular
        edge(SINGULAR, params=(0.0, 1e-6)),
        edge(floats(4, 3), params=(2.5, 0.0)),
    ],
    # these have the derivative of the matrix, which the packed row was made of
    "eigh_values": [edge(SQUARES, PACKED, params=())],
    "eigh_vectors": [edge(SQUARES, PACKED, params=())],
    "svd_values": [edge(floats(2, 3, 1), floats(2, 5), params=(False,))],
    "svd_left": [edge(floats(2, 3, 1), floats(2, 5), params=(False,))],
    "svd_right": [edge(floats(2, 3, 1), floats(2, 11), params=(True,))],
    "tie": [edge(floats(3), floats(2, seed=1)), edge(ints(2), floats(3))],
    "flat": [ok(floats(2, 3)), edge(array(EDGES))],
    "leaky_relu": [ok(floats(2, 3), floats()), edge(array(EDGES), array(0.25))],
    "binary_cross_entropy": [
        ok(floats(2, 3, low=0.1, high=0.9), floats(2, 3, low=0, high=1, seed=1)),
        edge(array([0.0, 1.0, 0.0, 1.0, 1e-30, 0.5]), array([0.0, 0.0, 1.0, 1.0, 1.0, 0.25])),
        edge(floats(0), floats(0)),
    ],
    "loop": [
        ok(bools(3), floats(3), ints(3), floats(3, seed=1), array(1, "int64"), array(4, "int64"), params=(ROUNDS, 0)),
        ok(bools(), floats(), ints(2, 3), floats(), array(1, "int64"), array(4, "int64"), params=(ROUNDS, 0)),
        edge(bools(3), floats(3), ints(3), floats(), array(1, "int64"), array(4, "int64"), params=(ROUNDS, 1)),
        edge(bools(0), floats(0), ints(), floats(), array(1, "int64"), array(4, "int64"), params=(ROUNDS, 0)),
    ],
    "overwrite_history": [edge(floats(3), floats(3, seed=1)), edge(floats(3), floats(3, seed=1), params=(True,))],
    "rebase_history": [edge(floats(3), floats(3, seed=1)), edge(floats(2, 2), f32(3))],
    "detach": [edge(floats(3)), edge(ints(2))],
    "transfer": [ok(floats(3), params=(0, 0)), ok(floats(2, 2), params=(1, 0)), edge(ints(2), params=(0, 1))],
}

# Operators other rooms define for their own books: they carry history and never a value. And what calls a function of
# the user's own, see tests/numba/test_operator.py.
# Of complex numbers, read when somebody asks for them: tests/test_complex.py and tests/test_fft.py have their samples.
OF_COMPLEX = {"complex", "conj", "fourier", "imag", "modulus", "real", "sgn", "tan", "view_as_complex", "view_as_real"}
WITHOUT_VALUE = {"boundary", "example", "native"}
