"""What the language has beside loops over arrays: tuples, lists, closures, recursion, generators, views, masks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit, typed

from tests.numba.numerical.example import example, normal, uniform

SCALE = 1.7
TABLE = uniform(5, seed=1)


@njit
def polar(x, y):
    return math.hypot(x, y), math.atan2(y, x)


@example(0.8, -1.1)
@njit
def tuples(x, y):
    """Of floats and others, taken apart and handed on."""
    r, angle = polar(x, y)
    pair = (r * SCALE, (angle, 3))
    x, y = y, pair[1][0] * pair[1][1]
    return pair[0] * x + y * sum((x, y, r))


@example(uniform(6, seed=2), slow=True)
@njit
def lists(x):
    """That grow, shrink and are sorted."""
    found = [x[0], x[1] * x[2]]
    for v in x[3:]:
        found.append(found[-1] * v + 1.0)
    last = found.pop()
    found.sort()
    total = 0.0
    for a, b in zip(found, x):  # noqa: B905  (Numba knows no strict)
        total += a * b
    return total + last * max(found) + sum([v * v for v in found])


@example(uniform(5, seed=3))
@njit
def typed_lists(x):
    queue = typed.List()
    for v in x:
        queue.append(v * v)
    while len(queue) > 1:
        queue.append(queue.pop(0) * 0.5 + queue.pop(0))
    return queue[0] ** 2


@example(uniform(6, seed=4))
@njit
def dictionaries(x):
    sums = {0: 0.0}
    for i, v in enumerate(x):
        sums[i % 3] = sums.get(i % 3, 0.0) + v * v
    return sums[0] * sums[1] - sums[2]


@example(uniform(4, seed=5), 0.6)
@njit
def nested_functions(x, k):
    square = x[1] * k

    def scaled(v):
        return v * square + k

    return scaled(x[0]) * scaled(scaled(x[2])) + TABLE[1]


@njit
def tree_sum(x, low, high):
    if high - low == 1:
        return x[low] * x[low]
    middle = (low + high) // 2
    return math.sqrt(tree_sum(x, low, middle) + 1.0) * tree_sum(x, middle, high)


@example(uniform(7, seed=6))
@njit
def recursion(x):
    return tree_sum(x, 0, len(x))


@njit
def running_products(x):
    product = 1.0
    for v in x:
        product *= v
        yield product


@example(uniform(5, seed=7))
@njit
def generators(x):
    total = 0.0
    for k, p in enumerate(running_products(x)):
        total += k * p
    return total


@example(uniform(2, 3, 4, seed=8))
@njit
def cubes(a):
    """Three dims, sums along axes, transposed views."""
    total = 0.0
    for i, j, k in np.ndindex(a.shape):
        total += a[i, j, k] * (i + 2 * j + 3 * k)
    b = a.transpose((2, 0, 1))
    return total + (b[1] * b[2]).sum() + np.sum(a, axis=0)[1, 2] ** 2 + a.reshape((6, 4))[5, 0]


@example(normal(9, seed=9))
@njit
def slices(x):
    """Views that are written to: with steps, backwards, overlapping."""
    x[1:-1] = 0.5 * (x[2:] + x[:-2])
    x[::2] *= 1.5
    y = x[::-1]
    y[:3] += x[3:6]
    return np.sum(x * y) + x[-2:].prod()


@example(normal(8, seed=10), np.array([0, 3, 3, 1]), slow=True)
@njit
def masks(x, places):
    """Elements chosen by conditions and by numbers, repeated ones too."""
    y = x.copy()
    y[x < 0.0] = 0.25
    y[places] += 1.0
    return np.sum(y * x) + (x[x > 0.3] ** 3).sum() + (x[places] * y[places]).sum() + np.where(x > 0, x, y * y).sum()


@example(uniform(12, seed=11), 2.0)
@njit
def early_exits(x, limit):
    total, k = 0.0, 0
    while True:
        if k >= len(x):
            break
        v = x[k]
        k += 1
        if v < 0.2:
            continue
        total += v * v
        if total > limit:
            return total * v
    return total


@example(uniform(6, seed=12).astype(np.float32), np.float32(0.4), rtol=1e-5)
@njit
def single_precision(x, rate):
    """Numbers of float32 stay such: constants are of float32, too."""
    level = x[0]
    loss = np.float32(0.0)
    for v in x[1:]:
        loss += (v - level) ** np.float32(2.0)
        level += rate * (v - level)
    return loss + np.exp(-level)


@example(normal(4, 4, seed=13).astype(np.float32), normal(4, seed=14), rtol=1e-5)
@njit
def mixed_precision(a, x):
    """A matrix of float32, a vector of float64."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += math.sin(a[i, j] * x[j])
    return total


class Point(NamedTuple):
    x: float
    y: float


@example(normal(3, seed=15))
@njit
def named_tuples(x):
    a, b = Point(x[0], x[1]), Point(x[1] * x[2], x[0])
    return (a.x - b.x) ** 2 + a.y * b.y


@example(uniform(4, seed=16), 0.7)
@njit
def defaults_and_keywords(x, rate, power=3, offset=2):
    return np.sum(rate * x**power) + weighted(rate, scale=offset * rate) + weighted(rate)


@njit
def weighted(v, scale=2.0):
    return v * v * scale


@example(1.3, 0.7, 3)
@njit
def scalar_functions(a, b, n):
    """The functions of ``math`` and the operators of Python's numbers."""
    r = a
    for i in range(n):
        r = math.hypot(r, b) + math.atan2(a, r) + r**0.5 + b**-2 + a % b + abs(-r) / (i + 1) + 2**b
        r = math.log1p(r) + math.erf(b) + math.asinh(r) - math.expm1(-r) + math.tan(b) * math.degrees(0.01 * r)
    return math.copysign(r, -a) + np.fmod(r, b) + a // b + math.floor(r) * a + round(r, 1) * b


@example(uniform(6, seed=17), uniform(6, seed=18), slow=True)
@njit
def array_functions(x, y):
    """NumPy's functions of whole arrays."""
    z = np.sqrt(np.abs(x)) * y + np.maximum(x, y) / (1.0 + np.exp(-x)) + np.clip(x, 0.3, 0.7)
    z = z + np.interp(x, np.linspace(0.0, 1.0, 5), np.arange(5.0) ** 2)
    return (
        np.sum(z * z) + z.std() + np.diff(z)[2] * np.outer(x, y)[1, 2] + np.concatenate((x, z))[8] + z.max() * z.min()
    )


@example(normal(5, seed=19))
@njit
def caught_exceptions(x):
    """The way of an exception that is caught is the way of the derivative."""
    total = 0.0
    for v in x:
        try:
            if v < 0.0:
                raise ValueError
            total += math.sqrt(v)
        except Exception:
            total += v * v
    return total
