"""Derivatives by differences, in float64: what a vjp rule is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np

from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node
from nbgrad.ops.source import input_node
from nbgrad.transform.vjp import vjp
from tests.samples import Array, spec_of, weights_like

MOST = 100  # elements that are moved one by one
DIRECTIONS = 20  # along which more of them are moved together: an error in any of them shows along each
STEP = 1e-5  # central differences: the error is about STEP^2 of the third derivative plus 1e-16 / STEP
RTOL, ATOL = 2e-6, 2e-7


def directions(shape: tuple[int, ...]) -> Iterator[Array]:
    """Along which an array of ``shape`` is moved: each element by itself, or all of many at once, up or down."""
    size = prod(shape)
    if size <= MOST:
        for place in range(size):
            yield np.eye(1, size, place).reshape(shape)
        return
    signs = np.random.default_rng(size).choice((-1.0, 1.0), (DIRECTIONS, *shape))
    yield from signs


def check_slopes(f: Callable[[Array], float], x: Array, gradient: Array, what: str) -> None:
    """That ``gradient`` is df/dx: its products with directions against central differences of fourth order."""
    got, want = [], []
    for direction in directions(x.shape):
        far_low, low, high, far_high = [f(x + k * STEP * direction) for k in (-2, -1, 1, 2)]
        want.append((8 * (high - low) - (far_high - far_low)) / (12 * STEP))
        got.append(np.sum(gradient * direction))
    close(np.array(got), np.array(want), what)


class Gradients:
    """The derivatives of sum(w * root) by the floating ``nodes``, as a graph over the inputs and w."""

    def __init__(self, root: Node, nodes: Sequence[Node], inputs: Sequence[Array], scalars: Sequence[float | int]):
        self.root, self.nodes, self.scalars = root, list(nodes), scalars
        self.wrt = [i for i, x in enumerate(nodes) if x.spec.dtype.is_floating_point]
        self.weight = input_node(len(inputs), root.spec)
        self.values = [*inputs, weights_like(root.spec)]
        self.grads = vjp([root], [self.weight], [nodes[i] for i in self.wrt])

    def run(self, roots: Sequence[Node], values: Sequence[Array] | None = None) -> list[Array]:
        return interpret(roots, self.values if values is None else values, self.scalars)

    def with_input(self, i: int, x: Array) -> list[Array]:
        values = list(self.values)
        values[i] = x
        return values

    def gradient(self, k: int) -> Array:
        """The derivative by the k-th floating input; zeros where there is no path."""
        grad = self.grads[k]
        return np.zeros(self.values[self.wrt[k]].shape) if grad is None else self.run([grad])[0]

    def check_first_order(self) -> None:
        """vjp against differences of the value."""
        for k, i in enumerate(self.wrt):

            def loss(x: Array, i: int = i) -> float:
                return float(np.sum(self.values[-1] * self.run([self.root], self.with_input(i, x))[0]))

            check_slopes(loss, self.values[i], self.gradient(k), f"derivative by input {i}")

    def check_second_order(self) -> None:
        """vjp of vjp against differences of vjp."""
        for k, i in enumerate(self.wrt):
            grad = self.grads[k]
            if grad is None:
                continue
            v = weights_like(grad.spec)
            direction = input_node(len(self.values), grad.spec)
            values = [*self.values, v]
            for j, second in zip(self.wrt, vjp([grad], [direction], [self.nodes[j] for j in self.wrt]), strict=True):

                def slope(x: Array, j: int = j, grad: Node = grad, v: Array = v) -> float:
                    return float(np.sum(v * self.run([grad], self.with_input(j, x))[0]))

                got = np.zeros(self.values[j].shape) if second is None else self.run([second], values)[0]
                check_slopes(slope, self.values[j], got, f"second derivative by inputs {i}, {j}")

    def check_adjoint(self) -> None:
        """<u, J v> = <J'u, v>: J v comes from differentiating J'u by u."""
        for k, i in enumerate(self.wrt):
            grad = self.grads[k]
            if grad is None:
                continue
            v = weights_like(grad.spec) - 0.25
            tangent = vjp([grad], [input_node(len(self.values), grad.spec)], [self.weight])[0]
            pulled = self.run([grad])[0]
            pushed = np.zeros(self.root.spec.shape)
            if tangent is not None:
                pushed = self.run([tangent], [*self.values, v])[0]
            close(np.sum(self.values[-1] * pushed), np.sum(pulled * v), f"adjoint by input {i}", rtol=1e-11)


def close(got: Array, want: Array, what: str, rtol: float = RTOL) -> None:
    scale = float(np.max(np.abs(want), initial=1.0))
    np.testing.assert_allclose(got, want, rtol=rtol, atol=ATOL * scale, err_msg=what)


__all__ = ["Gradients", "check_slopes", "close", "spec_of"]
