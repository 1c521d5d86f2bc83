"""From declarations to what the user calls: functions, methods and in-place methods for every entry of CALLS."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import CALLS, Call
from nbgrad.errors import NbgradError
from nbgrad.graph.dtypes import float32
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.trace.alias import require_writable, write_checked
from nbgrad.trace.builder import is_view_of
from nbgrad.trace.handle import local
from nbgrad.trace.record import fast_unary, record

# Static parameters that the user may also spread over positional arguments: x.reshape(2, 3).
SPREAD = ("shape", "dims", "sizes", "size", "repeats")


def static(value: Any) -> Any:
    """A static argument as a hashable value: lists become tuples."""
    return tuple([static(v) for v in value]) if isinstance(value, (list, tuple)) else value


def spread(given: tuple[Any, ...], named: Any) -> Any:
    """The sizes of ``x.reshape(2, 3)``, ``x.reshape((2, 3))`` or ``x.reshape(shape=(2, 3))``."""
    if named is not None:
        return static(named)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        return static(given[0])
    return static(given)


def function_of(call: Call) -> Callable[..., Any]:
    """``nbgrad.name`` (and ``Tensor.name``): binds arguments as the declaration says and records the call."""
    if len(call.operands) == 1 and not call.statics and not call.variadic and not _is_view(call):
        made = fast_unary(call)
        made.__name__ = made.__qualname__ = call.name
    else:
        made = _compile(call, call.name, "return record(call, {operands}, {statics})")
    return _dressed(made, call)


def _is_view(call: Call) -> bool:
    """Whether the result shows the operand's memory: tried on a matrix."""
    matrix = input_node(0, Spec.of((2, 3), float32))
    try:
        return is_view_of(call.on((matrix,), ()), matrix)
    except NbgradError:  # it takes no floating matrix: then it computes something
        return False


def inplace_of(call: Call) -> Callable[..., Any]:
    """``Tensor.name_``: the same, written into the tensor."""
    first = call.operands[0]
    body = (
        f"require_writable(local.trace, {first}, {call.name + '_'!r})\n"
        "    value = record(call, {operands}, {statics})\n"
        f"    write_checked({first}, value, {call.name + '_'!r})\n"
        f"    return {first}"
    )
    made = _compile(call, call.name + "_", body)
    made.__doc__ = f"In-place version of :meth:`{call.name}`."
    return made


def _dressed(made: Callable[..., Any], call: Call) -> Callable[..., Any]:
    made.__doc__ = call.build.__doc__
    made.__module__ = "nbgrad"
    return made


def _compile(call: Call, name: str, body: str) -> Callable[..., Any]:
    """A function with the declaration's signature and ``body``; written as source so that binding costs nothing
    extra."""
    parameters = list(inspect.signature(call.build).parameters.values())
    scope: dict[str, Any] = {
        "call": call,
        "local": local,
        "record": record,
        "require_writable": require_writable,
        "spread": spread,
        "static": static,
        "write_checked": write_checked,
    }
    heads: list[str] = []
    statics: dict[str, str] = {n: f"static({n})" for n in call.statics}
    keyword_only = False
    for p in parameters:
        if p.name in SPREAD and p.name in call.statics:
            heads += [f"*{p.name}_", f"{p.name}=None"]
            statics[p.name] = f"spread({p.name}_, {p.name})"
            keyword_only = True
            continue
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            heads.append("*")
            keyword_only = True
        if p.default is p.empty:
            heads.append(p.name)
        else:
            scope[f"default_{p.name}"] = p.default
            heads.append(f"{p.name}=default_{p.name}")
    operands = f"tuple({call.operands[0]})" if call.variadic else f"({''.join(n + ', ' for n in call.operands)})"
    filled = body.format(operands=operands, statics=f"({''.join(statics[n] + ', ' for n in call.statics)})")
    source = f"def {name}({', '.join(heads)}):\n    {filled}\n"
    exec(compile(source, f"<nbgrad {name}>", "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made


def functions() -> dict[str, Callable[..., Any]]:
    """All public functions by name."""
    return {name: function_of(call) for name, call in CALLS.items() if call.function}


def attach_methods(tensor: type) -> None:
    """Give ``tensor`` the methods that CALLS declares and it does not define itself."""
    for name, call in CALLS.items():
        if call.method and call.method not in tensor.__dict__:
            setattr(tensor, call.method, function_of(call))
        if call.inplace and name + "_" not in tensor.__dict__:
            setattr(tensor, name + "_", inplace_of(call))
