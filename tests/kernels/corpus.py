"""The kernels that the samples of the operators need, one by one and fused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import lookup
from nbgrad.kernels.traits import for_gpu
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.lapack_words import LAYOUTS
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import Tape
from tests.op_samples import OP_SAMPLES
from tests.samples import Array, OpSample, input_node, spec_of


def sample_graph(name: str, samples: Sequence[OpSample]) -> tuple[list[Node], list[Array]]:
    """(roots, inputs): the operator ``name`` on every one of its ``samples``."""
    inputs: list[Array] = []
    roots = []
    for sample in samples:
        nodes = [input_node(len(inputs) + i, spec_of(x)) for i, x in enumerate(sample.inputs)]
        inputs += sample.inputs
        roots.append(apply(name, *nodes, params=sample.params))
    return roots, inputs


# LAPACK's operators, and formulas that begin with one, are the CPU's alone.
_OF_LAPACK = {*LAYOUTS, "adjugate_vjp", "det", "logabsdet", "pinv"}


def valid_samples() -> Iterator[tuple[str, list[OpSample]]]:
    """Each operator that all devices have, with the samples that have a value."""
    for name, samples in OP_SAMPLES.items():
        valid = [s for s in samples if s.error is None]
        if valid and name not in _OF_LAPACK and not lookup(name).is_for_cpus:
            yield name, valid


def tapes(roots: Sequence[Node], *, gpu: bool = False) -> list[Tape]:
    """The tape with a kernel for each operator, and the fused one: a CPU's, or a GPU's."""
    canonical = canonicalize(roots)
    graph = optimise(canonical)
    found = [
        lower(canonical, one_by_one(canonical), padded=True, gpu=gpu),
        lower(graph, grouped(graph, gpu=gpu), padded=False, gpu=gpu),
    ]
    return [for_gpu(tape) for tape in found] if gpu else found


@cache
def _sample_tapes(gpu: bool = False) -> tuple[Tape, ...]:
    return tuple([tape for name, samples in valid_samples() for tape in tapes(sample_graph(name, samples)[0], gpu=gpu)])


def sample_texts() -> tuple[KernelText, ...]:
    """All kernels of all samples, each once."""
    return _texts_of(_sample_tapes())


def gpu_texts() -> tuple[KernelText, ...]:
    """The same as a GPU has them."""
    return _texts_of(_sample_tapes(gpu=True))


def _texts_of(programs: Sequence[Tape]) -> tuple[KernelText, ...]:
    return tuple(dict.fromkeys([i.text for tape in programs for i in tape.instructions]))
