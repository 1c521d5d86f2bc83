"""erf: float32 by a polynomial for each of four stretches of its argument, float64 by e^(-x^2).

erf picks its coefficients by lane in float32, out of four stretches that end at powers of 2, from registers: four
floats are a quarter of 512 bits, and lanes are exchanged within quarters in one cycle everywhere. Sixteen stretches
need six coefficients instead of ten, but an EPYC takes two cycles for an exchange beyond quarters, and AVX2 needs two
of them: erf takes 0.82 ns an element instead of 1.95, a GELU 1.0 instead of 1.56. In float64, where AVX2 would have to
load them for each lane, it is made of e^(-x^2) beyond 1, which its derivative needs as well: a kernel that has both
computes that once. Option prices with all their derivatives take 15 ns an option of one core instead of 20.
"""

from __future__ import annotations

from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32
from nbgrad.kernels.elementary.errorfunction_table import ERF
from nbgrad.kernels.elementary.parts import LAYOUT, const_like, horner

NEAR: Final = 1.0  # where the formulas of float64 meet
TOP: Final = 6.0  # where erf rounds to 1

# erf(x) / x - 1 as a polynomial in x^2 - 1/2, for |x| < NEAR. Remez, each coefficient rounded before the higher ones
# were fitted anew, as are those below. Error relative to erf: 2^-59.1.
NEAR_R: Final = (
    -0.03453126133013269,
    -0.2810721780454342,
    0.07940998675593507,
    -0.018283884489154658,
    0.0034802744966558785,
    -0.0005611894220743818,
    7.829649540429834e-05,
    -9.614809083371979e-06,
    1.053643893558024e-06,
    -1.042020641798627e-07,
    9.391135532867363e-09,
    -7.822672430281182e-10,
    5.518079875851807e-11,
)

# e^(x^2) (1 - erf(x)) as a polynomial in (x - 1) / (x + 3), for x from NEAR to TOP. Error relative to erf: 2^-56.9.
FAR_Q: Final = (
    0.427583576155807,
    -1.0928480591356053,
    1.3770969228177563,
    -1.2234841077057355,
    0.7239166897926249,
    -0.22394701699346933,
    -0.02236905261094502,
    0.04261992250945068,
    -0.002060384576646082,
    -0.008805320114856397,
    0.0011004503192492123,
    0.0013235710191920524,
)


def erf(b: Builder, x: Value) -> Value:
    """Keeps -0; +-1 at +-infinity. Error below 0.65 ULP in float32, 0.8 in float64.

    In float64 it takes e^(-x^2), which its derivative needs, too: where one kernel computes both, that is done once. By
    stretches each lane of AVX2 would have to load its coefficients: twice as many instructions. In float32 they are
    chosen from registers, which is half as many as two formulas take.
    """
    if b.dtype_of(x) is float32:
        return b.function("erf_by_stretch", x)
    return b.function("erf_by_bell", x, b.function("exp", b.neg(b.mul(x, x))))


def erf_by_bell(b: Builder, x: Value, bell: Value) -> Value:
    """erf(x) with ``bell`` = e^(-x^2), in float64: x + x R(x^2) for small |x|, else +-(1 - bell Q(|x|)).

    R and Q are polynomials around points where rounding counts most: the middle of R's range, the lower end of Q's.
    There Q's argument also makes good what rounding took from x^2: 0.8 ULP instead of 0.9.
    """
    size, top, one = b.abs(x), const_like(b, TOP, x), const_like(b, 1.0, x)
    held = b.select(b.gt(size, top), top, size)  # NaN stays
    z = b.mul(held, held)
    near = b.fma(x, horner(b, b.sub(z, const_like(b, 0.5, x)), NEAR_R), x)
    s = b.div(b.sub(held, one), b.add(held, const_like(b, 3.0, x)))
    s = b.fma(b.fma(held, b.neg(held), z), const_like(b, FAR_Q[0] / FAR_Q[1], x), s)
    far = b.copysign(b.fma(b.neg(bell), horner(b, s, FAR_Q), one), x)
    return b.select(b.lt(size, const_like(b, NEAR, x)), near, far)


def erf_by_stretch(b: Builder, x: Value) -> Value:
    """In float32: x + x r(t) near 0, else +-(erf(c) + t r(t)), t = |x| - c; c and r are those of its stretch.

    Stretches end at powers of 2, so the last bits of the exponent number them: four numbers are what a register's
    quarter holds, from where all processors choose at full speed.
    """
    table, layout = ERF, LAYOUT[float32]
    size, top, least = b.abs(x), const_like(b, table.top, x), const_like(b, table.near, x)
    held = b.select(b.gt(size, top), top, size)  # NaN stays
    numbered = b.select(b.lt(held, least), least, held)
    stretch = b.lshr(b.bitcast(numbered, layout.bits), layout.fraction)
    centre, value, *rows = b.pick(stretch, (table.centres, table.values, *table.rows), float32)
    t = b.sub(held, centre)
    r = rows[-1]
    for row in reversed(rows[:-1]):
        r = b.fma(r, t, row)
    near = b.lt(held, const_like(b, 2.0 * table.near, x))
    return b.copysign(b.fma(r, t, b.select(near, held, value)), x)
