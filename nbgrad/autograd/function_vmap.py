"""Custom functions inside vmap: what their ``vmap`` gives for all examples, or a function made of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nbgrad.autograd.function import Function
from nbgrad.autograd.function_call import Call, FunctionCtx
from nbgrad.autograd.levels import batched, examples, vmap_of
from nbgrad.autograd.tree import broadcast_prefix, flatten, unflatten
from nbgrad.autograd.vmap import is_dim, moved, vmap
from nbgrad.calls.base import CALLS
from nbgrad.errors import RunError, TensorIndexError
from nbgrad.graph.dtypes import bool_
from nbgrad.trace import Handle, Vmap, local, record, shows_same, spec_of


class VmapInfo(NamedTuple):
    """What ``vmap`` of a custom function is told: how many examples there are, and the ``randomness``."""

    batch_size: int
    randomness: str


def over_examples(function: type[Function], args: Sequence[Any]) -> tuple[Any, Vmap, bool] | None:
    """The result of ``function`` for one example, computed for all, the vmap whose examples these are, and whether
    it may show memory of an argument; None where no argument depends on examples."""
    leaves, tree = flatten(args)
    found = vmap_of([x for x in leaves if isinstance(x, Handle)])
    if found is None:
        return None
    has_vmap = function.vmap is not Function.vmap
    if function.setup_context is Function.setup_context:
        raise RunError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            f"override the setup_context staticmethod: {function.__name__} does not"
        )
    if has_vmap and function.generate_vmap_rule:
        raise RunError(
            f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an overridden "
            "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to "
            "avoid ambiguity"
        )
    level, dependent = found
    flags = iter(dependent)
    dims = [0 if isinstance(x, Handle) and next(flags) else None for x in leaves]
    own = iter(batched([x for x, d in zip(leaves, dims, strict=True) if d == 0], level))
    every, in_dims = [x if d is None else next(own) for x, d in zip(leaves, dims, strict=True)], unflatten(tree, dims)
    info = VmapInfo(level.size, level.randomness)
    known = _count_shown()
    if has_vmap:
        given = function.vmap(info, in_dims, *unflatten(tree, every))
        shows = isinstance(given, tuple) and _shows(flatten(given[0])[0], every)
    else:
        made = _generated(function, info, in_dims)
        given = made.apply(*unflatten(tree, every)), 0
        shows = made._shows_input
    return _examples_of(given, level), level, shows or _count_shown() > known


def _count_shown() -> int:
    """How much was found to show the same, in all vmaps that are open."""
    return sum([len(level.shown) for level in local.trace.vmaps])


def _shows(outputs: Sequence[Any], inputs: Sequence[Any]) -> bool:
    """Whether an output shows memory of an input."""
    ys, xs = ([x for x in each if isinstance(x, Handle)] for each in (outputs, inputs))
    return any(shows_same(x, y) for x in xs for y in ys)


def _examples_of(given: Any, level: Vmap) -> Any:
    """What stands for one example of what a ``vmap`` gave."""
    if not isinstance(given, tuple) or len(given) != 2:
        got = f"{len(given)} returns" if isinstance(given, tuple) else f"a {type(given)}"
        raise RunError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got {got} instead"
        )
    output, out_dims = given
    outputs, tree = flatten(output)
    dims = broadcast_prefix(out_dims, tree, is_dim)
    if dims is None:
        raise RunError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{flatten(out_dims)[1]} but output has structure {tree}"
        )
    places = [i for i, y in enumerate(outputs) if isinstance(y, Handle)]
    for i, hole in zip(
        places, examples([_first(outputs[i], dims[i], level.size) for i in places], "vmap"), strict=True
    ):
        outputs[i] = hole
        level.entries.append(hole._at)
    return unflatten(tree, outputs)


def _first(y: Handle, dim: int | None, size: int) -> Handle:
    """``y`` with its dim of examples, or a new one, in front."""
    shape = spec_of(y).shape
    if dim is None:
        return record(CALLS["expand"], (y,), ((size, *shape),))  # type: ignore[no-any-return]
    if not -len(shape) <= dim < len(shape):
        raise TensorIndexError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got {dim})"
        )
    return moved(y, dim % len(shape), 0)


OTHER, NOTHING = -1, -2


def _whose(x: Any, known: Sequence[Any]) -> int:
    """Which of ``known`` a tensor is; OTHER: none of them, NOTHING: no tensor."""
    return NOTHING if x is None else next((i for i, y in enumerate(known) if y is x), OTHER)


def _dims(xs: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, ...]:
    """``dims`` of those that there are."""
    return tuple([d if isinstance(x, Handle) else None for x, d in zip(xs, dims, strict=True)])


def _generated(function: type[Function], info: VmapInfo, in_dims: tuple[Any, ...]) -> type[Function]:
    """A custom function of all examples: every method of ``function`` under vmap."""

    def each(code: Any, dims: Sequence[Any], *args: Any) -> Any:
        """What ``code`` gives for all examples."""
        carrier = record(CALLS["filled"], (), ((info.batch_size,), bool_, 0))  # there may be no other examples
        return vmap(lambda _, *own: code(*own), (0, *dims), randomness=info.randomness)(carrier, *args)

    def some(code: Any, dims: Sequence[Any], *args: Any) -> list[Any]:
        """The same of ``code`` that gives several, None among them."""
        given: list[bool] = []

        def run(*own: Any) -> Any:
            found = code(*own)
            given[:] = [x is not None for x in found]
            return tuple([x for x in found if x is not None])

        results = iter(each(run, dims, *args))
        return [next(results) if is_given else None for is_given in given]

    class AllExamples(Function):
        generate_vmap_rule = True  # of a vmap around this one

        @staticmethod
        def forward(*args: Any) -> Any:
            def run(*own: Any) -> Any:
                output = function.forward(*own)
                AllExamples._shows_input |= function._shows_input or _shows(flatten(output)[0], own)
                return output

            return each(run, in_dims, *args)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            is_one = isinstance(output, Handle)
            outputs = (output,) if is_one else tuple(output)
            ctx.one = one = FunctionCtx(ctx.needs_input_grad)
            known, known_dims = (*inputs, *outputs), (*in_dims, *[0] * len(outputs))

            def run(given: Any, *own: Any) -> Any:
                function.setup_context(one, own, given[0] if is_one else given)
                if one._dirty:
                    raise RunError(
                        f"You tried to vmap over {function.__name__}, which writes its input in place (mark_dirty): "
                        "call it outside of vmap"
                    )
                ctx.call = Call(function, one, own, given)
                saved = (*one._saved, *one._saved_for_forward)
                ctx.refs = [_whose(x, (*own, *given)) for x in saved]
                ctx.constant = [i for i in range(len(given)) if _whose(given[i], one._not_differentiable) >= 0]
                return tuple([x for x, ref in zip(saved, ctx.refs, strict=True) if ref == OTHER])

            others = iter(each(run, (0, *in_dims), outputs, *inputs))
            saved = [None if r == NOTHING else next(others) if r == OTHER else known[r] for r in ctx.refs]
            ctx.dims = [None if r == NOTHING else 0 if r == OTHER else known_dims[r] for r in ctx.refs]
            count = len(one._saved)
            ctx.saved_dims, ctx.forward_dims = ctx.dims[:count], ctx.dims[count:]
            one.forget()
            ctx.save_for_backward(*saved[:count])
            ctx.save_for_forward(*saved[count:])
            ctx.mark_non_differentiable(*[outputs[i] for i in ctx.constant])
            ctx.set_materialize_grads(False)  # that is done for each example

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            call, one = ctx.call, ctx.one

            def run(gs: Any, *own: Any) -> Any:
                one._saved = list(own)
                return call.pull_back([gs[i] for i in call.places])

            every = some(run, (_dims(grads, [0] * len(grads)), *ctx.saved_dims), grads, *ctx.saved_tensors)
            one.forget()
            return tuple(
                [
                    record(CALLS["sum"], (g,), ((0,), False, None)) if g is not None and d is None else g
                    for g, d in zip(every, in_dims, strict=True)
                ]
            )

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            call, one = ctx.call, ctx.one

            def run(ts: Any, *own: Any) -> Any:
                one._saved_for_forward = list(own)
                return call.push_forward(list(ts))

            found = some(run, (_dims(tangents, in_dims), *ctx.forward_dims), tangents, *ctx.saved_tensors)
            one.forget()
            every: list[Any] = [None] * call.count
            for i, t in zip(call.places, found, strict=True):
                every[i] = t
            return tuple(every)

    AllExamples.__name__ = function.__name__
    return AllExamples
