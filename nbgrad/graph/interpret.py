"""A graph run in NumPy, node by node: no compiler, plain tracebacks. What every compiled answer is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nbgrad.errors import ArgumentError, LinAlgError, NbgradError, RunError, TensorIndexError
from nbgrad.graph.half import readable, stored
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.quiet import quietly, refusing_division

Array = np.ndarray[Any, np.dtype[Any]]

CHECKS: Final = ("check_index", "wrap_index", "require")  # operators whose reference says what is bad; users know none


def interpret(roots: Sequence[Node], inputs: Sequence[Array], scalars: Sequence[float | int] = ()) -> list[Array]:
    """The values of ``roots``: each operator's NumPy reference, one after the other.

    Raises what a compiled plan raises: RunError for an integer division by zero, TensorIndexError for an index,
    LinAlgError for a matrix.
    """
    values: dict[Node, Array] = {}
    for node in toposort(roots):
        value = _value(node, values, inputs, scalars)
        if value.dtype != node.spec.dtype.numpy:
            value = value.astype(node.spec.dtype.numpy)
        if value.shape != node.spec.shape:
            raise AssertionError(f"{node}: the reference gave shape {value.shape}")
        values[node] = value
    return [values[root] for root in roots]


def _value(node: Node, values: dict[Node, Array], inputs: Sequence[Array], scalars: Sequence[float | int]) -> Array:
    name = node.op.name
    if name == "input":
        return np.asarray(inputs[node.params[0]])
    if name == "scalar":
        return number(scalars[node.params[0]], node)
    if name == "const":
        return number(node.params[0], node)
    # Integers divided by zero fail in a kernel; NumPy would give 0 and a warning.
    called = refusing_division if node.spec.dtype.kind in "iu" else quietly
    arrays = [values[x] for x in node.inputs]
    if name == "cast":
        arrays = [readable(arrays[0], node.inputs[0].spec.dtype)]
    try:
        return np.asarray(called(node.op.reference, *arrays, *node.params))
    except FloatingPointError:
        raise division_by_zero(node) from None
    except IndexError as error:
        raise index_out_of_range(node, str(error)) from None
    except ArgumentError as error:
        raise ArgumentError(f"{error.args[0]}{at_site(node)}") from None
    except np.linalg.LinAlgError as error:
        raise matrix_refused(node, str(error)) from None
    except OverflowError:
        if name != "check_probability":
            raise
        raise no_probability(node, node.params[0]) from None


def number(value: float | int, node: Node) -> Array:
    """A Python number as a 0-d array of ``node``'s dtype; too large floats become infinite, integers wrap."""
    dtype = node.spec.dtype
    if isinstance(value, int) and dtype.kind in "iu":
        return np.asarray(value & 0xFFFF_FFFF_FFFF_FFFF, np.uint64).astype(dtype.numpy)
    return stored(np.asarray(value), dtype)


def division_by_zero(node: Node) -> NbgradError:
    """The error of an integer division by zero in ``node``; the text names ZeroDivisionError, as PyTorch's does."""
    return RunError(f"{node.op.name}: integer division by zero (ZeroDivisionError){at_site(node)}")


def index_out_of_range(node: Node, what: str = "") -> NbgradError:
    """The error of an index outside its dim in ``node``."""
    by = "" if node.op.name in CHECKS else f"{node.op.name}: "
    return TensorIndexError(f"{what or by + 'index out of range'}{at_site(node)}")


def no_probability(node: Node, of: str) -> NbgradError:
    """The error of a number outside 0 to 1 in what ``node`` checks."""
    return RunError(f"all elements of {of} should be between 0 and 1{at_site(node)}")


def matrix_refused(node: Node, why: str) -> NbgradError:
    """The error of a matrix that ``node`` cannot take apart."""
    return LinAlgError(f"linalg.{node.op.name}: {why}{at_site(node)}")


def native_raised(node: Node) -> NbgradError:
    """The error of a function of the user's own that raised."""
    name = node.params[0].name
    return RunError(f"{name}: raised an exception; call it on NumPy arrays to see which{at_site(node)}")


def at_site(node: Node) -> str:
    return f"\n  in {node.site}" if node.site else ""
