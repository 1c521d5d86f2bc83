"""Coefficients of erf in float32, four at a time: one for each stretch of its argument, see ``errorfunction.py``."""

from __future__ import annotations

from typing import Final, NamedTuple

Row = tuple[float, ...]


class ErfTable(NamedTuple):
    """Four stretches end at 2 ``near``, 4 ``near``, 8 ``near`` and ``top``, before which erf rounds to 1.

    Numbers stand in the order of the last two bits of the exponent of an argument that is at least ``near``: 2 to 4,
    below 1/2, 1/2 to 1, 1 to 2. Around ``centres`` c, the ``rows`` r are of a polynomial in t = x - c: erf(x) =
    x + x r(x) near 0, ``values`` + t r(t) elsewhere, where centres are floats with an erf close to one.
    """

    near: float
    top: float
    centres: Row
    values: Row
    rows: tuple[Row, ...]


# Remez fits, each coefficient rounded before the higher ones were fitted anew. Errors relative to erf: 2^-29.3 below
# 1/2, 2^-32.5 below 2, 2^-26.9 beyond.
ERF: Final = ErfTable(
    near=0.25,
    top=3.953125,
    centres=(3.0015554, 0.0, 0.7516239, 1.5040846),
    values=(0.9999781, 0.0, 0.71219844, 0.96658796),
    rows=(
        (0.00013789242, 0.12837917, 0.6413652, 0.117479876),
        (-0.00041394553, 0.0, -0.4820654, -0.17669967),
        (0.0007841786, -0.3761261, 0.027766656, 0.1380211),
        (-0.0010382904, 0.0, 0.15025365, -0.044897933),
        (0.0010000868, 0.112828515, -0.053529557, -0.014399119),
        (-0.0007268455, 0.0, -0.02667424, 0.019193685),
        (0.00041284127, -0.026758373, 0.01902033, -0.0047761025),
        (-0.00014635459, 0.0, 0.0025968638, -0.0023265816),
        (-1.210479e-05, 0.0047195298, -0.007875955, 0.0015352332),
        (2.4510333e-05, 0.0, -0.0028815516, -2.9431045e-05),
    ),
)
