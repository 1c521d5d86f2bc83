"""Transforms and filters of sampled signals."""

from __future__ import annotations

import cmath
import math

import numpy as np
from numba import njit

from bench.loops import fourier
from tests.numba.numerical.example import example, normal, uniform

example(normal(8, seed=1), uniform(8, seed=2), name="fft_radix_2")(fourier.value)


@njit
def fft_split(z):
    n = len(z)
    if n == 1:
        return z.copy()
    even, odd = fft_split(z[::2].copy()), fft_split(z[1::2].copy())
    out = np.empty_like(z)
    for k in range(n // 2):
        t = cmath.exp(-2j * math.pi * k / n) * odd[k]
        out[k] = even[k] + t
        out[k + n // 2] = even[k] - t
    return out


@example(normal(8, seed=3))
@njit
def fft_recursive(x):
    """The same on complex numbers."""
    z = fft_split(x + 0j)
    total = 0.0
    for k in range(len(z)):
        total += k * abs(z[k]) ** 2
    return total + z[2].real


@example(normal(16, seed=4), 0.11)
@njit
def goertzel(x, frequency):
    """The power at one frequency."""
    c = 2.0 * math.cos(2.0 * math.pi * frequency)
    s1 = s2 = 0.0
    for v in x:
        s1, s2 = v + c * s1 - s2, s1
    return s1 * s1 + s2 * s2 - c * s1 * s2


@example(normal(7, seed=5), normal(3, seed=6))
@njit
def convolution(x, kernel):
    """Same size, zeros beyond the ends, then a rectifier."""
    n, m = len(x), len(kernel)
    y = np.zeros(n)
    for i in range(n):
        for k in range(m):
            at = i + k - m // 2
            if 0 <= at < n:
                y[i] += kernel[k] * x[at]
    return np.sum(np.maximum(y, 0.0) ** 2)


@example(normal(10, seed=7), np.array([0.2, 0.3, 0.1]), np.array([1.2, -0.5, 0.2]))
@njit
def biquad(x, b, a):
    """A filter with feedback, in the transposed direct form II."""
    z1 = z2 = 0.0
    energy = 0.0
    for v in x:
        y = (b[0] * v + z1) / a[0]
        z1 = b[1] * v - a[1] * y + z2
        z2 = b[2] * v - a[2] * y
        energy += y * y
    return energy


@example(uniform(6, seed=8), uniform(6, seed=9))
@njit
def prefix_sums(x, w):
    y = np.empty_like(x)
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        y[i] = total
    return np.sum(w * np.sin(y)) + np.cumsum(y)[-2]


@example(normal(8, seed=10), 0.2)
@njit
def haar_denoise(x, threshold):
    """Wavelets in place, small ones shrunk, and back."""
    n, r = len(x), math.sqrt(0.5)
    size = n
    while size > 1:
        half = size // 2
        buffer = np.empty(size)
        for i in range(half):
            buffer[i] = r * (x[2 * i] + x[2 * i + 1])
            d = r * (x[2 * i] - x[2 * i + 1])
            buffer[half + i] = math.copysign(max(abs(d) - threshold, 0.0), d)
        x[:size] = buffer
        size = half
    while size < n:
        buffer = np.empty(2 * size)
        for i in range(size):
            buffer[2 * i] = r * (x[i] + x[size + i])
            buffer[2 * i + 1] = r * (x[i] - x[size + i])
        size *= 2
        x[:size] = buffer
    return np.sum(x**2) + x[3]


@example(uniform(6, 6, seed=11), uniform(3, 3, seed=12))
@njit
def image_filter(image, kernel):
    """A correlation in two dims, then the largest of each 2 x 2."""
    n, m = image.shape[0] - 2, image.shape[1] - 2
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = (image[i : i + 3, j : j + 3] * kernel).sum()
    total = 0.0
    for i in range(0, n, 2):
        for j in range(0, m, 2):
            total += out[i : i + 2, j : j + 2].max() * (i + 2 * j + 1)
    return total
