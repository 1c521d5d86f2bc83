"""Ordinary differential equations: explicit, adaptive, symplectic and implicit steps."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from bench.loops import lorenz
from tests.numba.numerical.example import example, normal, uniform

example(np.array([1.0, 1.5, 2.0]), 10.0, 28.0, 8 / 3, 0.005, 40, name="lorenz_rk4")(lorenz.value)


@njit
def van_der_pol(y, mu):
    return np.array([y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]])


@example(np.array([2.0, 0.1]), 1.3, 0.57, slow=True)
@njit
def adaptive_rkf45(y, mu, end):
    """Fehlberg's pair; the step is what the error allows."""
    t, h, tried = 0.0, 0.1, 0
    while t < end and tried < 200:
        tried += 1
        h = min(h, end - t)
        k1 = h * van_der_pol(y, mu)
        k2 = h * van_der_pol(y + k1 / 4, mu)
        k3 = h * van_der_pol(y + 3 / 32 * k1 + 9 / 32 * k2, mu)
        k4 = h * van_der_pol(y + (1932 * k1 - 7200 * k2 + 7296 * k3) / 2197, mu)
        k5 = h * van_der_pol(y + 439 / 216 * k1 - 8 * k2 + 3680 / 513 * k3 - 845 / 4104 * k4, mu)
        k6 = h * van_der_pol(y - 8 / 27 * k1 + 2 * k2 - 3544 / 2565 * k3 + 1859 / 4104 * k4 - 11 / 40 * k5, mu)
        error = np.abs(k1 / 360 - 128 / 4275 * k3 - 2197 / 75240 * k4 + k5 / 50 + 2 / 55 * k6).max()
        if error > 1e-6:
            h *= 0.5
            continue
        t += h
        y = y + 25 / 216 * k1 + 1408 / 2565 * k3 + 2197 / 4104 * k4 - k5 / 5
        h *= 1.5 if error < 1e-8 else 1.0
    return y[0] * y[1] + y[0]


@njit
def pull(positions, masses, out):
    out[:] = 0.0
    for i in range(len(masses)):
        for j in range(i):
            d = positions[j] - positions[i]
            r2 = np.sum(d * d) + 0.05
            out[i] += masses[j] * d / r2**1.5
            out[j] -= masses[i] * d / r2**1.5


@example(normal(3, 2, seed=1), normal(3, 2, seed=2), 1.0 + uniform(3, seed=3), 0.02, slow=True)
@njit
def leapfrog_bodies(x, v, masses, dt):
    """Symplectic steps of bodies that pull each other; positions and speeds are written in place."""
    a = np.empty_like(x)
    pull(x, masses, a)
    for _ in range(10):
        v += 0.5 * dt * a
        x += dt * v
        pull(x, masses, a)
        v += 0.5 * dt * a
    energy = 0.0
    for i in range(len(masses)):
        energy += 0.5 * masses[i] * (v[i] ** 2).sum()
    return energy + x[0, 0]


@example(uniform(6, seed=4), np.zeros(6), 3.0, 0.1, 0.05)
@njit
def springs(x, v, k, damping, dt):
    """Masses in a row, the first one held, by the semi-implicit method of Euler."""
    n = len(x)
    for _ in range(30):
        for i in range(1, n):
            f = -k * (x[i] - x[i - 1] - 1.0) - damping * v[i]
            if i + 1 < n:
                f += k * (x[i + 1] - x[i] - 1.0)
            v[i] += dt * f
        for i in range(1, n):
            x[i] += dt * v[i]
    return x[-1] + np.sum(v * v)


@njit
def times(p, q):
    return np.array(
        [
            p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
        ]
    )


@example(np.array([0.9, 0.1, -0.2, 0.3]), np.array([0.3, 1.2, -0.7]), np.array([1.0, 2.0, 3.0]), slow=True)
@njit
def spinning_top(q, omega, inertia):
    """A free body's attitude as a quaternion, normalised after each step (Euler's equations)."""
    dt = 0.02
    for _ in range(25):
        torque = np.cross(omega, inertia * omega)
        omega = omega - dt * torque / inertia
        turn = np.zeros(4)
        turn[1:] = omega
        q = q + 0.5 * dt * times(q, turn)
        q /= np.linalg.norm(q)
    return q[0] + 2.0 * q[1] * q[3] + omega[2]


@example(np.array([0.04, 30.0, 10.0]), 0.01, slow=True)
@njit
def implicit_euler(rates, dt):
    """Stiff kinetics; each step is solved by Newton's method, with the Jacobian written by hand."""
    y = np.array([1.0, 0.2, 0.1])
    jacobian = np.empty((3, 3))
    for _ in range(20):
        new = y.copy()
        for _ in range(15):
            a, b, c = rates[0] * new[0], rates[1] * new[1] ** 2, rates[2] * new[1] * new[2]
            residual = new - y - dt * np.array([c - a, a - b - c, b])
            jacobian[0] = np.array([1.0 + dt * rates[0], -dt * rates[2] * new[2], -dt * rates[2] * new[1]])
            jacobian[1, 0] = -dt * rates[0]
            jacobian[1, 1] = 1.0 + dt * (2.0 * rates[1] * new[1] + rates[2] * new[2])
            jacobian[1, 2] = dt * rates[2] * new[1]
            jacobian[2] = np.array([0.0, -2.0 * dt * rates[1] * new[1], 1.0])
            change = np.linalg.solve(jacobian, residual)
            new -= change
            if np.abs(change).max() < 1e-14:
                break
        y = new
    return y[0] + 2.0 * y[1] + 3.0 * y[2]


@example(1.0, 0.8, 0.05)
@njit
def adams_bashforth(y, k, h):
    """A method of two steps: the slope before is kept."""
    before = 0.0
    for step in range(40):
        slope = -k * y * y + math.sin(step * h)
        y += h * (1.5 * slope - 0.5 * before if step > 0 else slope)
        before = slope
    return y


@example(0.5, 1.0, 9.81)
@njit
def pendulum_period(angle, length, gravity):
    """The time of the first zero, found between two steps by a straight line."""
    theta, omega, t, dt = angle, 0.0, 0.0, 0.01
    while True:
        new_omega = omega - dt * gravity / length * math.sin(theta)
        new = theta + dt * new_omega
        if new < 0.0:
            return 4.0 * (t + dt * theta / (theta - new))
        theta, omega = new, new_omega
        t += dt
