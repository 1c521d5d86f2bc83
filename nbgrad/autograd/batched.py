"""Many cotangents at once: ``grad(is_grads_batched=True)``. Loaded when somebody asks for it."""

from __future__ import annotations

from nbgrad.autograd.engine import grad
from nbgrad.autograd.levels import batched, examples, inside_vmap
from nbgrad.errors import ArgumentError, RunError, ShapeError, TensorIndexError
from nbgrad.trace import Handle, Trace, spec_of


def grad_batched(
    trace: Trace,
    outs: tuple[Handle, ...],
    wrt: tuple[Handle, ...],
    seeds: tuple[Handle, ...],
    retain: bool,
    create_graph: bool,
    unused: bool,
    materialize: bool,
) -> tuple[Handle | None, ...]:
    """What ``grad`` gives for a batch of cotangents, ``seeds``: the request for one, for all of them."""
    if len(seeds) != len(outs):
        raise RunError("grad(): is_grads_batched=True needs a batch of grad_outputs for every output")
    _require_batches(outs, seeds)
    size = _batch_size(seeds)
    one = examples(seeds, "grad(is_grads_batched=True)")
    with inside_vmap(trace, one, size, "same") as level:
        found = grad(outs, wrt, one, retain, create_graph, allow_unused=unused, materialize_grads=materialize)
        rows = iter(batched([g for g in found if g is not None], level))
    return tuple([None if g is None else next(rows) for g in found])


def _require_batches(outs: tuple[Handle, ...], seeds: tuple[Handle, ...]) -> None:
    """Each of ``seeds`` has one dim more than its output, in front."""
    for k, (y, g) in enumerate(zip(outs, seeds, strict=True)):
        wanted, got = spec_of(y).shape, spec_of(g).shape
        if got[1:] != wanted or not got:
            raise ShapeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{k}] has a shape of {list(got)} and output[{k}] has "
                f"a shape of {list(wanted)}."
            )


def _batch_size(seeds: tuple[Handle, ...]) -> int:
    """How many cotangents each of ``seeds`` holds along its first dim."""
    shapes = [g._at.spec.shape for g in seeds if g._at.spec is not None]
    sizes = {shape[0] if shape else 0 for shape in shapes}
    if len(sizes) > 1:
        raise ArgumentError(f"grad(): grad_outputs differ in their first dim, the batch: {[list(s) for s in shapes]}")
    if sizes == {0}:
        raise TensorIndexError(
            "grad(): is_grads_batched=True needs at least one cotangent along the first dim of grad_outputs, got "
            f"shapes {[list(s) for s in shapes]}"
        )
    return sizes.pop()
