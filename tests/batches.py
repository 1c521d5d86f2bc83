"""Graphs of many examples beside those of one: what the tests of batching rules compare."""

from __future__ import annotations

from itertools import product

import numpy as np

from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, toposort
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import every
from nbgrad.ops.source import input_node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.tape.lapack_words import LAYOUTS
from nbgrad.transform.batch import batch
from nbgrad.transform.vjp import vjp
from tests.samples import Array, OpSample, floats

Flags = tuple[bool, ...]

# What adds up elements, in an order of its own, once composites are their formulas: these, and LAPACK. All else has the
# same bits, whatever stands beside it.
SUMS = {"sum", "prod", "matmul", *LAYOUTS}


def example(x: Array, k: int) -> Array:
    """Another input like ``x``, which an operator takes where it takes ``x``."""
    if x.dtype.kind == "f":
        return (x * x.dtype.type(0.5**k)).astype(x.dtype)
    return np.flip(x) if k % 2 else x


def choices(count: int) -> list[Flags]:
    """All ways to have some of the inputs batched."""
    return [flags for flags in product([True, False], repeat=count) if any(flags)]


class Cases:
    """``outputs`` of ``nodes``, and values of these for a few examples."""

    def __init__(self, outputs: list[Node], nodes: list[Node], arrays: list[Array]) -> None:
        self.outputs, self.nodes = outputs, nodes
        self.examples = [[example(np.asarray(x), k) for x in arrays] for k in range(6)]
        self.has_sums = any(x.op.name in SUMS for x in toposort(canonicalize(outputs)))
        self._alone: dict[tuple[int, ...], list[Array]] = {}

    def given(self, flags: Flags, size: int) -> list[Array]:
        """The inputs of the graph for all examples, the first ``size``."""
        stacked = [np.stack([e[k] for e in self.examples])[:size] for k in range(len(self.nodes))]
        return [x if b else self.examples[0][k] for k, (x, b) in enumerate(zip(stacked, flags, strict=True))]

    def batched(self, flags: Flags, size: int) -> list[Node]:
        """The outputs for all examples."""
        holes = {x: with_dim(x, size) for x, b in zip(self.nodes, flags, strict=True) if b}
        return all_examples(self.outputs, holes, size)

    def check(self, flags: Flags, size: int) -> None:
        together = interpret(self.batched(flags, size), self.given(flags, size))
        for got, y in zip(together, self.outputs, strict=True):
            assert got.shape == (size, *y.spec.shape)
        for e in range(size):
            self.check_one([x[e] for x in together], [e if b else 0 for b in flags])

    def alone(self, which: tuple[int, ...]) -> list[Array]:
        """The outputs for the examples ``which``, one number for each input."""
        if which not in self._alone:
            self._alone[which] = interpret(self.outputs, [self.examples[e][k] for k, e in enumerate(which)])
        return self._alone[which]

    def check_one(self, got: list[Array], which: list[int]) -> None:
        """``got`` is the result for the examples ``which``."""
        for a, b in zip(got, self.alone(tuple(which)), strict=True):
            assert a.dtype == b.dtype
            if a.shape == b.shape and a.tobytes() == b.tobytes():
                continue  # as nearly always, in a hundredth of the time that NumPy takes to say so
            if b.dtype.kind == "f" and self.has_sums:  # of a dozen numbers, some of which cancel
                np.testing.assert_allclose(a, b, rtol=64 * np.finfo(b.dtype).eps, atol=64 * np.finfo(b.dtype).eps)
            else:
                np.testing.assert_array_equal(a, b)

    def check_twice(self, inner: Flags, outer: Flags) -> None:
        """Two dims of examples: 2 inside of 3."""
        holes = {x: with_dim(x, 2) for x, b in zip(self.nodes, inner, strict=True) if b}
        rows = [holes.get(x, x) for x in self.nodes]
        every_row = {x: with_dim(x, 3) for x, b in zip(rows, outer, strict=True) if b}
        outputs = all_examples(all_examples(self.outputs, holes, 2), every_row, 3)
        flags = list(zip(outer, inner, strict=True))
        given = []
        for k, (o, i) in enumerate(flags):
            grid = np.array([e[k] for e in self.examples]).reshape(3, 2, *self.nodes[k].spec.shape)
            given.append(grid[(slice(None) if o else 0, slice(None) if i else 0)])
        together = interpret(outputs, given)
        for a, b in product(range(3), range(2)):
            self.check_one([x[a, b] for x in together], [a * 2 * o + b * i for o, i in flags])


def with_dim(x: Node, size: int) -> Node:
    """The input node ``x`` for ``size`` examples."""
    return input_node(x.params[0], Spec.of((size, *x.spec.shape), x.spec.dtype))


def all_examples(outputs: list[Node], holes: dict[Node, Node], size: int) -> list[Node]:
    found = batch(outputs, holes, size)
    return [every(found.get(y, y), y in found, size) for y in outputs]


def values_of(name: str, sample: OpSample) -> Cases:
    nodes = list(sample.nodes())
    return Cases([apply(name, *nodes, params=sample.params)], nodes, list(sample.inputs))


def gradients_of(name: str, sample: OpSample) -> Cases:
    """The cotangent of the result is one input more."""
    nodes = list(sample.nodes())
    y = apply(name, *nodes, params=sample.params)
    g = input_node(len(nodes), y.spec)
    grads = [x for x in vjp([y], [g], nodes) if x is not None]
    return Cases(grads, [*nodes, g], [*sample.inputs, floats(*y.spec.shape, dtype=y.spec.dtype.name, seed=5)])
