"""Runs a few Builder calls on arrays, without an operator of their own in the table."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from nbgrad.graph.op import OPS, Kind, Op
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText, Operand, Stmt
from tests.kernels.harness import call

_names = (f"probe{i}" for i in itertools.count())


def _no_rule(*args: Any) -> Any:
    raise AssertionError("a probe has only a body")


def probe(emit: Callable[..., Any], inputs: list[Any], result: str, target: Target) -> tuple[int, Any]:
    """(code, array of dtype ``result``) of ``emit(b, *vectors)`` over 1-d inputs."""
    name = next(_names)
    operands = (*[Operand(str(x.dtype), 1, "in") for x in inputs], Operand(result, 1, "out"))
    last = len(operands)
    text = KernelText("map", 1, 0, operands, (Stmt(name, tuple(range(len(inputs))), (), result),), ((last, last - 1),))
    out = np.zeros(inputs[0].size, result)
    with mock.patch.dict(OPS, {name: Op(name, Kind.MAP, _no_rule, _no_rule, emit=emit)}):
        code = call(text, [*inputs, out], [out.size], target=target)
    return code, out
