"""A loop on each element: what its body computes of its state, again and again, until the element has enough.

Its body is a text, so that it is hashed, kept and sent as any other part of a kernel. The first line has the dtypes of
the state, the second those of what stays as it is. Each line after them is a statement: operator, numbers of the values
that it reads, dtype, params; values are numbered: state, what stays, statements. The last line says whether to go on,
and the next state. The derivative is a loop with more state (forward mode): it has derivatives itself.
"""

from __future__ import annotations

import functools
import json
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.errors import MissingRuleError
from nbgrad.graph.dtypes import DType, by_name
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.op import MAP, Params, lookup
from nbgrad.graph.quiet import quietly, refusing_division
from nbgrad.graph.spec import Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.compare import cast_to
from nbgrad.ops.family import elementwise, map_shape

_COST: Final = 500.0  # so that nobody computes it twice
_REMEMBERED: Final = 1024  # texts

Statement = tuple[str, tuple[int, ...], str, tuple[Any, ...]]


class Body(NamedTuple):
    """What a text says."""

    state: tuple[str, ...]
    fixed: tuple[str, ...]
    stmts: tuple[Statement, ...]
    going: int
    following: tuple[int, ...]


def unknown(dtype: DType) -> Node:
    """What stands for a number that a body is given."""
    return Node(lookup("input"), (), ("?",), Spec.of((), dtype))


def written(state: Sequence[Node], going: Node, following: Sequence[Node]) -> tuple[str, list[Node]]:
    """The text of a body that computes ``going`` and ``following`` of ``state``; and what it reads that stays."""
    numbers = {x: k for k, x in enumerate(state)}
    order = [x for x in toposort([going, *following]) if x not in numbers]
    fixed = [x for x in order if not x.inputs]
    numbers |= {x: k for k, x in enumerate(fixed, len(numbers))}
    lines: dict[str, int] = {}
    for x in order:
        if x.inputs:
            if x.op.kind is not MAP:
                raise MissingRuleError(f"{x.op.name}: not an operation on one element, so not possible in a loop")
            args = ",".join([str(numbers[a]) for a in x.inputs])
            line = f"{x.op.name} {args} {x.spec.dtype.name} {json.dumps(x.params, separators=(',', ':'))}"
            numbers[x] = lines.setdefault(line, len(state) + len(fixed) + len(lines))
    heads = [" ".join([x.spec.dtype.name for x in given]) for given in (state, fixed)]
    ends = " ".join([str(numbers[x]) for x in (going, *following)])
    return "\n".join([*heads, *lines, ends]), fixed


@functools.lru_cache(_REMEMBERED)
def body_of(text: str) -> Body:
    """``text``, read."""
    state, fixed, *lines, ends = text.split("\n")
    stmts = []
    for op, args, dtype, params in [line.split(" ", 3) for line in lines]:
        stmts.append((op, tuple([int(a) for a in args.split(",")]), dtype, tuple(json.loads(params))))
    going, *following = [int(k) for k in ends.split()]
    return Body(tuple(state.split()), tuple(fixed.split()), tuple(stmts), going, tuple(following))


def _run(body: Body, given: Sequence[Any], compute: Callable[[Statement, list[Any]], Any]) -> tuple[Any, list[Any]]:
    """Whether to go on, and the next state, where ``compute`` does what a statement says."""
    values = [*given]
    for stmt in body.stmts:
        values.append(compute(stmt, [values[a] for a in stmt[1]]))
    return values[body.going], [values[k] for k in body.following]


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(map_shape("loop", specs), by_name(body_of(params[0]).state[params[1]]))


def _emit(b: Any, going: Any, *rest: Any) -> Any:
    *given, text, which = rest
    body = body_of(text)
    count = len(body.state)

    def step(state: Sequence[Any]) -> tuple[Any, list[Any]]:
        return _run(body, [*state, *given[count:]], lambda stmt, args: lookup(stmt[0]).emit(b, *args, *stmt[3]))  # type: ignore[misc]

    return b.repeat(text, going, given[:count], given[count:], step)[which]


_ran: deque[tuple[str, tuple[Any, ...], list[Any]]] = deque(maxlen=8)  # the next results of one loop are in there


def _reference(going: Any, *rest: Any) -> Any:
    *given, text, which = rest
    for name, arrays, state in _ran:
        if name == text and all(a is b for a, b in zip(arrays, (going, *given), strict=True)):
            return state[which]
    state = _last_state(text, going, given)
    _ran.append((text, (going, *given), state))
    return state[which]


def _last_state(text: str, going: Any, given: Sequence[Any]) -> list[Any]:
    """The elements that go on are fewer in each round."""
    body = body_of(text)
    shape = np.broadcast_shapes(*[np.shape(x) for x in (going, *given)])
    values = [np.array(np.broadcast_to(x, shape)).reshape(-1) for x in given]
    left = np.flatnonzero(np.broadcast_to(going, shape))
    count = len(body.state)
    while left.size:
        goes_on, following = _run(body, [x[left] for x in values], _computed)
        for x, new in zip(values[:count], following, strict=True):
            x[left] = new
        left = left[np.broadcast_to(goes_on, left.shape)]
    return [x.reshape(shape) for x in values[:count]]


def _computed(stmt: Statement, args: list[Any]) -> Any:
    op, _, dtype, params = stmt
    called = refusing_division if by_name(dtype).kind in "iu" else quietly
    return np.asarray(called(lookup(op).reference, *args, *params)).astype(dtype)


class Derivative(NamedTuple):
    """A body with tangents beside its state. ``tangent[j, k]`` is the number in the state of state j by seed k, where
    it is not 0 always; ``state`` and ``fixed`` are what it is given: nodes, or the numbers of what the body was."""

    text: str
    tangent: dict[tuple[int, int], int]
    state: list[Node | int]
    fixed: list[Node | int]


@functools.lru_cache(_REMEMBERED)
def _derivative(text: str, seeds: tuple[int, ...]) -> Derivative:
    """That by the values ``seeds`` which the body is given."""
    body = body_of(text)
    count = len(body.state)
    given = [unknown(by_name(name)) for name in (*body.state, *body.fixed)]
    starts = {(seed, k): const(1.0, given[seed].spec.dtype) for k, seed in enumerate(seeds)}
    moving = {place: x for place, x in starts.items() if place[0] < count}
    while True:
        dots = {place: unknown(given[place[0]].spec.dtype) for place in moving}
        going, following, found = _with_tangents(body, given, {**starts, **dots})
        if found.keys() <= moving.keys():
            break
        moving |= {(j, k): const(0.0, given[j].spec.dtype) for j, k in found if (j, k) not in moving}
    nexts = [found.get((j, k), const(0.0, given[j].spec.dtype)) for j, k in dots]
    made, fixed = written([*given[:count], *dots.values()], going, [*following, *nexts])
    number = {x: k for k, x in enumerate(given)}
    places = {place: k for k, place in enumerate(moving, count)}
    return Derivative(made, places, [*range(count), *moving.values()], [number.get(x, x) for x in fixed])


def _with_tangents(
    body: Body, given: list[Node], dots: dict[tuple[int, int], Node]
) -> tuple[Node, list[Node], dict[tuple[int, int], Node]]:
    """What the body gives, and the tangents of its next state by (number, seed). ``dots`` are those of the given."""
    tangents: dict[Node, dict[int, Node]] = {x: {} for x in given}
    for (j, k), dot in dots.items():
        tangents[given[j]][k] = dot

    def compute(stmt: Statement, args: list[Any]) -> Node:
        y = apply(stmt[0], *args, params=stmt[3])
        tangents[y] = {}
        if y.spec.dtype.is_floating_point:
            for k in sorted({k for x in args for k in tangents[x]}):
                dot = _tangent(y, [tangents[x].get(k) for x in args])
                if dot is not None:
                    tangents[y][k] = dot
        return y

    going, following = _run(body, given, compute)
    return going, following, {(j, k): dot for j, x in enumerate(following) for k, dot in tangents[x].items()}


def _tangent(y: Node, dots: list[Node | None]) -> Node | None:
    """Of one element the pullback of a tangent is a product with the same derivative, so the rules are the same."""
    if y.op.name == "cast":
        return None if dots[0] is None else cast_to(dots[0], y.spec.dtype)
    if y.op.vjp is None:
        raise MissingRuleError(f"{y.op.name} has no vjp rule: it is not differentiable")
    total: Node | None = None
    by_seed = _partials(y, tuple([k for k, dot in enumerate(dots) if dot is not None])) if y.op is loop else {}
    for k, dot in enumerate(dots):
        if dot is not None:
            partial = by_seed.get(k)
            part = partial and dot * partial if y.op is loop else y.op.vjp(dot, y, y.inputs, y.params)[k]
            if part is not None and part.op.name != "expand":  # zeros
                total = part if total is None else total + part
    return total


def _partials(y: Node, seeds: tuple[int, ...]) -> dict[int, Node]:
    """The derivative of a loop's result by each of its inputs ``seeds``, where it is not 0 always."""
    (text, which), (going, *given) = y.params, y.inputs
    derivative = _derivative(text, tuple([seed - 1 for seed in seeds]))
    state, fixed = [[given[x] if isinstance(x, int) else x for x in part] for part in derivative[2:]]
    return {
        seed: apply("loop", going, *state, *fixed, params=(derivative.text, derivative.tangent[which, k]))
        for k, seed in enumerate(seeds)
        if (which, k) in derivative.tangent
    }


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    seeds = tuple([k for k, x in enumerate(inputs) if x.spec.dtype.is_floating_point and not _is_number(x)])
    partials = _partials(y, seeds)
    return tuple([g * partials[k] if k in partials else zeros_of(x.spec) for k, x in enumerate(inputs)])


def _is_number(x: Node) -> bool:
    while x.op.name == "cast":
        x = x.inputs[0]
    return x.op.name in ("const", "scalar")


# inputs: which elements begin, the state, what stays; params: (text, number of the result in the state)
loop = elementwise("loop", infer=_infer, vjp=_vjp, emit=_emit, reference=_reference, cost=_COST)
