"""Complex numbers: how they are made of parts and taken apart, and every operator that knows them, by these parts.

An operator keeps its record: shape rule and derivative are the same on complex numbers (``holomorphic`` in
ops/tangents.py). ``ON_COMPLEX`` says what computes it: for what treats both parts alike, the operator itself on each
part; for the rest a formula. ``canonicalize`` puts that in its place (passes/pairs.py), so kernels see real numbers.

Source of the formulas for functions: Kahan 1987, "Branch cuts for complex elementary functions", where nothing else is
said.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, prod
from typing import Any, Final

import numpy as np

from nbgrad.errors import DTypeError, ShapeError
from nbgrad.graph.dtypes import bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ON_COMPLEX, Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import leading
from nbgrad.ops.compare import cast_to
from nbgrad.ops.family import map_shape, same_dtype
from nbgrad.ops.tangents import conjugate, holomorphic, is_zeros, linear
from nbgrad.ops.view import expand_to, reshape_to, slice_at

Pair = tuple[Node, Node]
Nodes = tuple[Node, ...]


# Together and apart


def _complex_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(map_shape("complex", specs), same_dtype("complex", specs).to_complex())


def _complex_reference(re: Any, im: Any) -> Any:
    re, im = np.broadcast_arrays(re, im)
    made = np.empty(re.shape, np.result_type(re.dtype, np.complex64))
    made.real, made.imag = re, im
    return made


def _part_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    if not specs[0].dtype.is_complex:
        raise DTypeError(f"real and imaginary parts are those of complex numbers, not of {specs[0].dtype.name}")
    return Spec.of(specs[0].shape, specs[0].dtype.to_real())


def _as_real_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of((*_part_infer(specs, params).shape, 2), specs[0].dtype.to_real())


def _as_real_reference(x: Any) -> Any:
    half = x.itemsize // 2
    return np.lib.stride_tricks.as_strided(x.real, (*x.shape, 2), (*x.strides, half), writeable=x.flags.writeable)


def _as_complex_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    shape = specs[0].shape
    if specs[0].dtype.name not in ("float32", "float64"):
        raise DTypeError(
            f"view_as_complex is only supported for float32 and float64 tensors, but got {specs[0].dtype.name}"
        )
    if not shape or shape[-1] != 2:
        raise ShapeError(f"view_as_complex: Tensor must have a last dimension of size 2, got shape {list(shape)}")
    return Spec.of(shape[:-1], specs[0].dtype.to_complex())


def _as_complex_reference(x: Any) -> Any:
    rows = x if x.strides[-1] == x.itemsize else np.ascontiguousarray(x)
    return rows.view(np.result_type(x.dtype, np.complex64))[..., 0]


def _zero(x: Node) -> Node:
    return const(0, x.spec.dtype)


define(
    Op(
        "complex",  # of real and imaginary parts
        Kind.MAP,
        _complex_infer,
        _complex_reference,
        vjp=lambda g, y, i, p: (apply("real", g), apply("imag", g)),
        jvp=linear,
    )
)
define(
    Op(
        "real",
        Kind.VIEW,
        _part_infer,
        lambda x: x.real,
        vjp=lambda g, y, i, p: (apply("complex", g, _zero(g)),),
        jvp=linear,
        batch=leading,
    )
)
define(
    Op(
        "imag",
        Kind.VIEW,
        _part_infer,
        lambda x: x.imag,
        vjp=lambda g, y, i, p: (apply("complex", _zero(g), g),),
        jvp=linear,
        batch=leading,
    )
)
define(
    Op(
        "view_as_real",  # (...) as (..., 2): what lies in memory
        Kind.VIEW,
        _as_real_infer,
        _as_real_reference,
        vjp=lambda g, y, i, p: (apply("view_as_complex", g),),
        jvp=linear,
        batch=leading,
    )
)
define(
    Op(
        "view_as_complex",
        Kind.VIEW,
        _as_complex_infer,
        _as_complex_reference,
        vjp=lambda g, y, i, p: (apply("view_as_real", g),),
        jvp=linear,
        batch=leading,
    )
)


def parts_of(z: Node) -> Pair:
    """Real and imaginary part."""
    return (z.inputs[0], z.inputs[1]) if z.op.name == "complex" else (apply("real", z), apply("imag", z))


def _whole(re: Node, im: Node) -> Node:
    return apply("complex", re, im)


# What has no complex derivative


def _same(specs: tuple[Spec, ...], params: Params) -> Spec:
    return specs[0]


def _conj(inputs: Nodes, params: Params) -> Node:
    re, im = parts_of(inputs[0])
    return _whole(re, -im)


def _modulus(inputs: Nodes, params: Params) -> Node:
    return apply("hypot", *parts_of(inputs[0]))


def _scaled(x: Node, by: Node) -> Node:
    """Complex numbers times real ones."""
    return x * cast_to(by, x.spec.dtype)


def _modulus_vjp(g: Node, y: Node, inputs: Nodes, params: Params) -> tuple[Node | None, ...]:
    """g z / |z|, and 0 where z is, as in PyTorch."""
    return (_scaled(apply("sgn", inputs[0]), g),)


def _sgn(inputs: Nodes, params: Params) -> Node:
    re, im = parts_of(inputs[0])
    size = apply("hypot", re, im)
    size = apply("where", apply("eq", size, _zero(size)), const(1, size.spec.dtype), size)
    return _whole(re / size, im / size)


def _sgn_vjp(g: Node, y: Node, inputs: Nodes, params: Params) -> tuple[Node | None, ...]:
    """(g - s Re(conj(s) g)) / |z| with s = z / |z|: what turns it; 0 where z is 0."""
    size = apply("modulus", inputs[0])
    is_zero, one = apply("eq", size, _zero(size)), const(1, size.spec.dtype)
    slope = apply("where", is_zero, _zero(size), one / apply("where", is_zero, one, size))
    return (_scaled(g - _scaled(y, apply("real", conjugate(y) * g)), slope),)


define(
    Op(
        "conj",
        Kind.COMPOSITE,
        _same,
        np.conj,
        vjp=lambda g, y, i, p: (conjugate(g),),
        jvp=linear,
        decompose=_conj,
        batch=leading,
    )
)
define(Op("modulus", Kind.COMPOSITE, _part_infer, np.abs, vjp=_modulus_vjp, decompose=_modulus, batch=leading))
define(
    Op(
        "sgn",
        Kind.COMPOSITE,
        _same,
        lambda x: np.divide(x, np.abs(x), out=np.zeros_like(x), where=x != 0),
        vjp=_sgn_vjp,
        decompose=_sgn,
        batch=leading,
    )
)


define(
    Op(  # -i tanh(i z); of real numbers it is made of others
        "tan",
        Kind.COMPOSITE,
        _same,
        np.tan,
        vjp=holomorphic(lambda g, y, i, p: (g * (y * y + 1.0),)),
        decompose=lambda inputs, params: _whole(*_turned(_tanh)(parts_of(inputs[0]))),
        batch=leading,
    )
)


# Arithmetic


def _is_zero(x: Node) -> bool:
    return is_zeros(x) or (x.op.name == "const" and x.params[0] == 0)


def _mul(z: Pair, w: Pair) -> Pair:
    """A factor without imaginary part scales: an infinity stays one, where PyTorch adds 0 times infinity."""
    (a, b), (c, d) = z, w
    if _is_zero(d):
        return a * c, b * c
    if _is_zero(b):
        return a * c, a * d
    return a * c - b * d, a * d + b * c


def _div(z: Pair, w: Pair) -> Pair:
    """By the ratio of the divisor's smaller part to its larger one, so that no square overflows. By 0: both parts.

    Source: Smith 1962, "Algorithm 116: complex division".
    """
    (a, b), (c, d) = z, w
    if _is_zero(d):
        return a / c, b / c
    wide = apply("ge", apply("abs", c), apply("abs", d))
    large, small = _either(wide, c, d), _either(wide, d, c)
    first, second = _either(wide, a, b), _either(wide, b, a)
    is_zero = apply("eq", large, _zero(large))
    ratio = apply("where", is_zero, _zero(large), small / large)
    scale = large + small * ratio
    turned = _either(wide, second - first * ratio, first * ratio - second)
    return (first + second * ratio) / scale, turned / scale


def _either(test: Node, x: Node, y: Node) -> Node:
    return apply("where", test, x, y)


def _number(value: float, like: Node) -> Node:
    return const(value, like.spec.dtype)


def _apply(name: str, *inputs: Node) -> Node:
    return apply(name, *inputs)


# Roots, exponentials, logarithms


def _sqrt(z: Pair) -> Pair:
    """t = sqrt((|a| + |z|) / 2) is the larger part of the root, b / (2 t) the other."""
    a, b = z
    zero = _zero(a)
    size = _apply("sqrt", _apply("abs", a) * 0.5 + _apply("hypot", a, b) * 0.5)
    is_zero = _apply("eq", size, zero)
    other = _apply("abs", b) / (_either(is_zero, _number(1, a), size) * 2.0)
    is_endless = _apply("eq", _apply("abs", b), _number(inf, b))
    other = _either(is_endless, _apply("abs", b), other)
    right = _apply("bit_not", _apply("lt", a, zero))
    return _either(right, size, other), _apply("copysign", _either(right, other, size), b)


def _exp(z: Pair) -> Pair:
    a, b = z
    size = _apply("exp", a)
    return size * _apply("cos", b), _either(_apply("eq", b, _zero(b)), b, size * _apply("sin", b))


def _expm1(z: Pair) -> Pair:
    """e^a cos(b) - 1 = (e^a - 1) cos(b) - 2 sin(b / 2)^2."""
    a, b = z
    half = _apply("sin", b * 0.5)
    return _apply("expm1", a) * _apply("cos", b) - half * half * 2.0, _exp(z)[1]


def _log(z: Pair) -> Pair:
    """log |z|; near 1 by |z|^2 - 1, which is exact to more digits there."""
    a, b = z
    size = _apply("hypot", a, b)
    large, small = (_apply(name, _apply("abs", a), _apply("abs", b)) for name in ("maximum", "minimum"))
    one = _number(1, a)
    is_near = _apply("bit_and", _apply("gt", size, _number(0.5, a)), _apply("lt", size, _number(2, a)))
    excess = (large - one) * (large + one) + small * small
    near = _apply("log1p", _either(is_near, excess, _zero(a))) * 0.5
    return _either(is_near, near, _apply("log", size)), _apply("atan2", b, a)


def _log1p(z: Pair) -> Pair:
    a, b = z
    excess = a * (a + 2.0) + b * b
    is_near = _apply("lt", _apply("abs", excess), _number(0.5, a))
    near = _apply("log1p", _either(is_near, excess, _zero(a))) * 0.5
    return _either(is_near, near, _log((a + 1.0, b))[0]), _apply("atan2", b, a + 1.0)


def _pow(z: Pair, w: Pair) -> Pair:
    """exp(w log z); 0 to the power of 0 is 1, to one with positive real part 0."""
    (a, b), (c, d) = z, w
    is_zero = _apply("bit_and", _apply("eq", a, _zero(a)), _apply("eq", b, _zero(b)))
    one = _number(1, a)
    found = _exp(_mul(_log((_either(is_zero, one, a), b)), w))
    is_one = _apply("bit_and", _apply("eq", c, _zero(c)), _apply("eq", d, _zero(d)))
    positive = _apply("gt", c, _zero(c))
    at_zero = _either(is_one, one, _either(positive, _zero(c), _number(float("nan"), c)))
    rest = _either(_apply("bit_or", is_one, positive), _zero(c), _number(float("nan"), c))
    return _either(is_zero, at_zero, found[0]), _either(is_zero, rest, found[1])


def _sigmoid(z: Pair) -> Pair:
    """1 / (1 + e^-z), to the left e^z / (1 + e^z): no exponential overflows."""
    a, b = z
    right = _apply("ge", a, _zero(a))
    power = _exp((-_apply("abs", a), _either(right, -b, b)))
    one = _number(1, a)
    found = _div((one, _zero(a)), (power[0] + one, power[1]))
    left = _mul(power, found)
    return _either(right, found[0], left[0]), _either(right, found[1], left[1])


# Angles


def _sin(z: Pair) -> Pair:
    a, b = z
    return _apply("sin", a) * _apply("cosh", b), _apply("cos", a) * _apply("sinh", b)


def _cos(z: Pair) -> Pair:
    a, b = z
    return _apply("cos", a) * _apply("cosh", b), -(_apply("sin", a) * _apply("sinh", b))


def _turned(function: Callable[[Pair], Pair]) -> Callable[[Pair], Pair]:
    """-i f(i z), which is tan for tanh, asinh for asin."""

    def formula(z: Pair) -> Pair:
        re, im = function((-z[1], z[0]))
        return im, -re

    return formula


def _sinh(z: Pair) -> Pair:
    a, b = z
    return _apply("sinh", a) * _apply("cos", b), _apply("cosh", a) * _apply("sin", b)


def _cosh(z: Pair) -> Pair:
    a, b = z
    return _apply("cosh", a) * _apply("cos", b), _apply("sinh", a) * _apply("sin", b)


def _tanh(z: Pair) -> Pair:
    """(sinh(a) cosh(a) + i sin(b) cos(b)) / (sinh(a)^2 + cos(b)^2), where nothing cancels; far out it is 1 or -1."""
    a, b = z
    far = 20.0  # 1 - tanh is below 2^-53 from here on
    is_far = _apply("gt", _apply("abs", a), _number(far, a))
    near = _either(is_far, _number(1, a), a)
    sinh, sin, cos = _apply("sinh", near), _apply("sin", b), _apply("cos", b)
    scale = sinh * sinh + cos * cos
    rest = _apply("exp", _apply("abs", a) * -2.0) * 4.0
    re = _either(is_far, _apply("sign", a), sinh * _apply("cosh", near) / scale)
    return re, sin * cos * _either(is_far, rest, _number(1, a) / scale)


def _roots(z: Pair) -> tuple[Pair, Pair]:
    """sqrt(1 - z) and sqrt(1 + z)."""
    a, b = z
    return _sqrt((1.0 - a, -b)), _sqrt((a + 1.0, b))


def _asin(z: Pair) -> Pair:
    (p, q), (r, s) = _roots(z)
    return _apply("atan2", z[0], p * r - q * s), _apply("asinh", p * s - q * r)


def _acos(z: Pair) -> Pair:
    (p, q), (r, s) = _roots(z)
    return _apply("atan2", p, r) * 2.0, _apply("asinh", r * q - s * p)


def _acosh(z: Pair) -> Pair:
    a, b = z
    (p, q), (r, s) = _sqrt((a - 1.0, b)), _sqrt((a + 1.0, b))
    return _apply("asinh", p * r + q * s), _apply("atan2", q, r) * 2.0


def _atanh(z: Pair) -> Pair:
    a, b = z
    size = _apply("abs", a)
    rest = 1.0 - size
    re = _apply("log1p", size * 4.0 / (rest * rest + b * b)) * 0.25
    return _apply("copysign", re, a), _apply("atan2", b * 2.0, rest * (size + 1.0) - b * b) * 0.5


# Products of many


def _matmul(z: Pair, w: Pair) -> Pair:
    (a, b), (c, d) = z, w
    product = "matmul"
    if _is_zero(d):
        return _apply(product, a, c), _apply(product, b, c)
    if _is_zero(b):
        return _apply(product, a, c), _apply(product, a, d)
    re = _apply(product, a, c) - _apply(product, b, d)
    return re, _apply(product, a, d) + _apply(product, b, c)


def _rows(x: Node, dims: tuple[int, ...]) -> Node:
    """``dims`` as one last dim."""
    kept = [d for d in range(x.spec.rank) if d not in dims]
    shape = [x.spec.shape[d] for d in kept]
    return reshape_to(apply("permute", x, params=((*kept, *dims),)), (*shape, prod([x.spec.shape[d] for d in dims])))


def _prod(node: Node, inputs: Nodes) -> Node:
    """Halves are multiplied element by element, until one is left."""
    x = _rows(inputs[0], node.params[0])
    last = x.spec.rank - 1
    while (n := x.spec.shape[last]) > 1:
        half = n // 2
        y = slice_at(x, 0, last, half) * slice_at(x, half, last, half)
        x = y if n == 2 * half else apply("cat", y, slice_at(x, 2 * half, last, 1), params=(last,))
    return reshape_to(x, node.spec.shape) if x.spec.size else expand_to(const(1, x.spec.dtype), node.spec.shape)


# The table


def _cast(node: Node, inputs: Nodes) -> Node:
    (x,), dtype = inputs, node.spec.dtype
    if not x.spec.dtype.is_complex:
        re = cast_to(x, dtype.to_real())
        return _whole(re, expand_to(_zero(re), re.spec.shape))
    re, im = parts_of(x)
    if dtype.is_complex:
        return _whole(cast_to(re, dtype.to_real()), cast_to(im, dtype.to_real()))
    if dtype is bool_:
        return apply("bit_or", cast_to(re, bool_), cast_to(im, bool_))
    return cast_to(re, dtype)


def _alike(node: Node, inputs: Nodes) -> Node:
    """The operator itself on real parts, and on imaginary ones."""
    spec = Spec.of(node.spec.shape, node.spec.dtype.to_real())
    split = [parts_of(x) if x.spec.dtype.is_complex else (x, x) for x in inputs]
    made = []
    for k in (0, 1):
        parts = [x[k] for x in split]
        is_nothing = all(_is_zero(x) for x, given in zip(parts, inputs, strict=True) if given.spec.dtype.is_complex)
        zeros = expand_to(const(0, spec.dtype), spec.shape)
        made.append(zeros if is_nothing and inputs else Node(node.op, tuple(parts), node.params, spec, node.site))
    return _whole(*made)


def _by_parts(formula: Callable[..., Pair]) -> Callable[[Node, Nodes], Node]:
    return lambda node, inputs: _whole(*formula(*[parts_of(x) for x in inputs]))


def _compared(name: str, joined: str) -> Callable[[Node, Nodes], Node]:
    def formula(node: Node, inputs: Nodes) -> Node:
        (a, b), (c, d) = (parts_of(x) for x in inputs)
        return apply(joined, apply(name, a, c), apply(name, b, d))

    return formula


def _filled(node: Node, inputs: Nodes) -> Node | None:
    """Parts of the shape of the whole, of which one may be a number."""
    shape = node.spec.shape
    parts = [expand_to(x, shape) for x in inputs]
    return None if parts == [*inputs] else _whole(parts[0], parts[1])


def _input(node: Node, inputs: Nodes) -> Node:
    position, spec, *place = node.params
    raw = Spec.of((*spec.shape, 2), spec.dtype.to_real())
    return _apart(Node(node.op, (), (position, raw, *place), raw, node.site))


def _const(node: Node, inputs: Nodes) -> Node:
    number, part = complex(node.params[0]), node.spec.dtype.to_real()
    return _whole(const(number.real, part), const(number.imag, part))


def _apart(raw: Node) -> Node:
    """The complex numbers that lie in ``raw``, of shape (..., 2)."""
    *shape, _ = raw.spec.shape
    return _whole(*[reshape_to(slice_at(raw, k, len(shape), 1), tuple(shape)) for k in (0, 1)])


def _as_real(node: Node, inputs: Nodes) -> Node:
    """The parts as they lie in memory; what they were taken from, where that is so."""
    parts = parts_of(inputs[0])
    raw = [_taken_from(x, k) for k, x in enumerate(parts)]
    if raw[0] is not None and raw[0] is raw[1]:
        return raw[0]
    shape = (*node.spec.shape[:-1], 1)
    return apply("cat", *[reshape_to(x, shape) for x in parts], params=(len(shape) - 1,), site=node.site)


def _taken_from(x: Node, k: int) -> Node | None:
    """The array whose part ``k`` is ``x``."""
    if x.op.name != "reshape" or (cut := x.inputs[0]).op.name != "slice":
        return None
    raw, start = cut.inputs
    is_part = raw.spec.shape == (*x.spec.shape, 2) and cut.params == (x.spec.rank, 1, 1)
    return raw if is_part and start.op.name == "const" and start.params[0] == k else None


def _cumprod(node: Node, inputs: Nodes) -> Node:
    """In rounds, after each of which an element has seen twice as far back.

    Source: Hillis and Steele 1986, "Data parallel algorithms".
    """
    (dim, backwards), (x,) = node.params, inputs
    x, reach, n = _ordered(x, dim, backwards), 1, x.spec.shape[dim]
    while reach < n:
        before, here = slice_at(x, 0, dim, n - reach), slice_at(x, reach, dim, n - reach)
        x = apply("cat", slice_at(x, 0, dim, reach), before * here, params=(dim,))
        reach *= 2
    return _ordered(x, dim, backwards)


def _recurrence(node: Node, inputs: Nodes) -> Node:
    """The same for y_i = x_i + a_i y_h, where a round joins what two stretches multiply by and add."""
    (dim, backwards), (a, x) = node.params, inputs
    n, reach = x.spec.shape[dim], 1
    a, x = (_ordered(y, dim, backwards) for y in (a, x))
    a = apply("cat", slice_at(x, 0, dim, 1), a, params=(dim,))  # the first links nothing
    while reach < n:
        (a_before, a_here), (x_before, x_here) = (
            (slice_at(y, 0, dim, n - reach), slice_at(y, reach, dim, n - reach)) for y in (a, x)
        )
        a, x = (
            apply("cat", slice_at(y, 0, dim, reach), joined, params=(dim,))
            for y, joined in ((a, a_here * a_before), (x, x_here + a_here * x_before))
        )
        reach *= 2
    return _ordered(x, dim, backwards)


def _ordered(x: Node, dim: int, backwards: bool) -> Node:
    n = x.spec.shape[dim]
    return apply("copy", slice_at(x, n - 1, dim, n, -1)) if backwards and n else x


_ALIKE: Final = (
    "add after boundary cat copy cumsum diagonal example expand guard neg overlap_add pad permute put_slice reshape "
    "scatter_add scatter_put slice sub sum take transfer where window"
)
_COMPOSITES: Final = "conj convolution detach flat modulus overwrite_history rebase_history roll sgn sum_pool tan tie"
_LOGARITHMS: Final = {"log2": 2.0, "log10": 10.0}
_FORMULAS: Final[dict[str, Callable[..., Pair]]] = {
    "mul": _mul,
    "div": _div,
    "sqrt": _sqrt,
    "exp": _exp,
    "expm1": _expm1,
    "log": _log,
    "log1p": _log1p,
    "pow": _pow,
    "sigmoid": _sigmoid,
    "sin": _sin,
    "cos": _cos,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "asin": _asin,
    "acos": _acos,
    "acosh": _acosh,
    "atanh": _atanh,
    "asinh": _turned(_asin),
    "atan": _turned(_atanh),
    "matmul": _matmul,
}


def _based(base: float) -> Callable[[Pair], Pair]:
    def formula(z: Pair) -> Pair:
        re, im = _log(z)
        return re / _number(log(base), re), im / _number(log(base), im)

    return formula


ON_COMPLEX |= {
    **dict.fromkeys(_ALIKE.split(), _alike),
    **dict.fromkeys(_COMPOSITES.split(), lambda node, inputs: node.op.decompose(inputs, node.params)),  # type: ignore
    **{name: _by_parts(formula) for name, formula in _FORMULAS.items()},
    **{name: _by_parts(_based(base)) for name, base in _LOGARITHMS.items()},
    "cast": _cast,
    "complex": _filled,
    "const": _const,
    "cumprod": _cumprod,
    "eq": _compared("eq", "bit_and"),
    "imag": lambda node, inputs: parts_of(inputs[0])[1],
    "input": _input,
    "ne": _compared("ne", "bit_or"),
    "prod": _prod,
    "recurrence": _recurrence,
    "real": lambda node, inputs: parts_of(inputs[0])[0],
    "view_as_complex": lambda node, inputs: _apart(inputs[0]),
    "view_as_real": _as_real,
}
