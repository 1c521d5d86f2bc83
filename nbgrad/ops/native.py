"""A function of the user's own, in machine code, as an operator: it is called by its address, without the GIL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgrad.errors import GradError, RunError
from nbgrad.graph.interpret import at_site
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import one_by_one
from nbgrad.ops.view import reshape_to, slice_at

Results = tuple[Spec, ...]


class Native:
    """The function; nothing of it changes. Its arguments are row-major arrays: the inputs, then one of zeros for each
    result, which it writes.

    That of ``backward`` gets the inputs, the results and a cotangent of each, and writes the gradient of each floating
    input.
    """

    name: str
    backward: Native | None
    is_launched: bool = False  # by a GPU, and not called

    def address(self, specs: Sequence[Spec], results: Sequence[Spec]) -> int:
        """The entry for arguments of these dtypes and ranks, see ``kernels/library/native.py``; of one that a GPU
        launches its number."""
        raise NotImplementedError

    def launched(self, number: int) -> Any:
        """The kernel of that number, see ``runtime/cuda/driver.py``."""
        raise NotImplementedError

    def results(self, specs: tuple[Spec, ...]) -> Results:
        """What inputs of ``specs`` give."""
        raise NotImplementedError

    def on_arrays(self, *arrays: Any) -> None:
        """The function itself, in Python."""
        raise NotImplementedError


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    """One result as it is; several are one array, one after the other."""
    results: Results = params[1]
    return results[0] if len(results) == 1 else Spec.of((sum([r.size for r in results]),), results[0].dtype)


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    native, results = params
    if native.backward is None:
        raise GradError(f"{native.name}: has no derivative; give operator() a backward for it{at_site(y)}")
    wanted = tuple([x.spec for x in inputs if x.spec.dtype.is_floating_point])
    given = (*inputs, *parts(y, results), *parts(g, results))
    found = iter(parts(apply("native", *given, params=(native.backward, wanted), site=y.site), wanted))
    return tuple([next(found) if x.spec.dtype.is_floating_point else None for x in inputs])


def parts(y: Node, results: Results) -> list[Node]:
    """The results out of the operator's one."""
    if len(results) == 1:
        return [y]
    found, start = [], 0
    for r in results:
        found.append(reshape_to(slice_at(y, start, 0, r.size), r.shape))
        start += r.size
    return found


def _reference(*given: Any) -> Any:
    *arrays, native, results = given
    outs = [np.zeros(r.shape, r.dtype.numpy) for r in results]
    try:
        native.on_arrays(*[np.ascontiguousarray(a) for a in arrays], *outs)
    except Exception as error:
        raise RunError(f"{native.name}: raised {type(error).__name__}: {error}") from error
    return outs[0] if len(results) == 1 else np.concatenate([out.reshape(-1) for out in outs])


native = define(
    Op("native", Kind.LIBRARY, _infer, _reference, vjp=_vjp, batch=one_by_one, can_fail=ALWAYS)
)  # params: (Native, Results)
