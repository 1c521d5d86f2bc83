"""Iterations with a way out: roots, fixed points, minima."""

from __future__ import annotations

import math

from numba import njit

from tests.numba.numerical.example import example


@njit
def cubic(x, a, b):
    return x * x * x + b * x - a


@njit
def cubic_slope(x, b):
    return 3.0 * x * x + b


@example(3.0, 1.4)
@njit
def bisection(a, b):
    """Halving finds where the root is; the Newton step at the end knows how it moves."""
    low, high = 0.0, 4.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if cubic(middle, a, b) < 0.0:
            low = middle
        else:
            high = middle
    x = 0.5 * (low + high)
    return x - cubic(x, a, b) / cubic_slope(x, b)


@example(3.0, 1.4, 1.0)
@njit
def newton(a, b, x):
    while True:
        step = cubic(x, a, b) / cubic_slope(x, b)
        x -= step
        if abs(step) < 1e-14:
            break
    return x


@example(3.0, 1.4)
@njit
def secant(a, b):
    x0, x1 = 0.5, 2.0
    f0, f1 = cubic(x0, a, b), cubic(x1, a, b)
    for _ in range(50):
        if f1 == f0:
            break
        x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
        f1 = cubic(x1, a, b)
        if abs(x1 - x0) < 1e-13:
            break
    return x1


@example(3.0, 1.4, rtol=1e-6)
@njit
def brent(a, b):
    """Brent 1973: inverse quadratic interpolation, secants and halves by turns, and a Newton step at the end."""
    left, right = 0.0, 4.0
    fl, fr = cubic(left, a, b), cubic(right, a, b)
    if abs(fl) < abs(fr):
        left, right, fl, fr = right, left, fr, fl
    old, fo, before, halved = left, fl, left, True
    for _ in range(100):
        if fr == 0.0 or abs(right - left) < 1e-10:
            break
        if fl != fo and fr != fo:
            s = left * fr * fo / ((fl - fr) * (fl - fo))
            s += right * fl * fo / ((fr - fl) * (fr - fo)) + old * fl * fr / ((fo - fl) * (fo - fr))
        else:
            s = right - fr * (right - left) / (fr - fl)
        last = abs(right - old) if halved else abs(old - before)
        inside = min(0.75 * left + 0.25 * right, right) < s < max(0.75 * left + 0.25 * right, right)
        halved = not inside or abs(s - right) >= 0.5 * last or last < 1e-10
        if halved:
            s = 0.5 * (left + right)
        fs = cubic(s, a, b)
        before, old, fo = old, right, fr
        if fl * fs < 0.0:
            right, fr = s, fs
        else:
            left, fl = s, fs
        if abs(fl) < abs(fr):
            left, right, fl, fr = right, left, fr, fl
    return right - cubic(right, a, b) / cubic_slope(right, b)


@example(0.8, 0.9)
@njit
def fixed_point(a, b):
    """Steffensen's method for x = a cos(b x)."""
    x = 0.5
    for _ in range(100):
        y = a * math.cos(b * x)
        z = a * math.cos(b * y)
        curve = z - 2.0 * y + x
        if abs(curve) < 1e-12:
            break
        x = x - (y - x) ** 2 / curve
    return a * math.cos(b * a * math.cos(b * x))


@example(1.2, 0.4, rtol=1e-6)
@njit
def golden_section(a, b):
    """The least value, which moves as the function does where it is least."""
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    low, high = -2.0, 2.0
    c, d = high - ratio * (high - low), low + ratio * (high - low)
    fc, fd = a * c * c - b * math.sin(c), a * d * d - b * math.sin(d)
    while high - low > 1e-8:
        if fc < fd:
            high, d, fd = d, c, fc
            c = high - ratio * (high - low)
            fc = a * c * c - b * math.sin(c)
        else:
            low, c, fc = c, d, fd
            d = low + ratio * (high - low)
            fd = a * d * d - b * math.sin(d)
    return min(fc, fd)


@example(0.7, 0.3)
@njit
def kepler(mean, eccentricity):
    anomaly = mean if eccentricity < 0.8 else math.pi
    for _ in range(30):
        step = (anomaly - eccentricity * math.sin(anomaly) - mean) / (1.0 - eccentricity * math.cos(anomaly))
        anomaly -= step
        if abs(step) < 1e-13:
            break
    return anomaly
