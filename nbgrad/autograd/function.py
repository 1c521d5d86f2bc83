"""Functions with a derivative written by the user."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

from nbgrad.autograd.function_call import Call, FunctionCtx, record_function
from nbgrad.autograd.later import later
from nbgrad.autograd.saved import Saved, packing
from nbgrad.calls.base import CALLS
from nbgrad.errors import GradError, MissingRuleError, RunError, warn_here
from nbgrad.trace import (
    CUSTOM,
    Handle,
    Vmap,
    base_of,
    cannot_be_saved,
    detach,
    get_mode,
    grad_mode,
    local,
    record,
    require_kept,
    requires_grad,
    share_of,
    sharing,
    shows_same,
    spec_of,
    state_of,
    write,
)


def _over_examples(function: type[Function], args: Sequence[Any]) -> tuple[Any, Vmap, bool] | None:
    """The result for one example of a vmap, which that is, and whether it may show memory of an
    argument, where the function says what it is for all of them."""
    if function.vmap is Function.vmap and not function.generate_vmap_rule:
        return None
    from nbgrad.autograd.function_vmap import over_examples

    return over_examples(function, args)


def _note_shown(level: Vmap, args: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Let vmap watch over arguments and outputs that should show the same memory, and do not."""
    storages = [sharing(x).storage for x in (*args, *outputs) if isinstance(x, Handle)]
    level.shown.extend([(storage, storage.version) for storage in storages])


class _BackwardClass:
    """The class of the nodes that a function makes."""

    def __get__(self, _: object, owner: type[Function]) -> type:
        return later("nodes").class_of_function(owner.__name__)  # type: ignore[no-any-return]


class Function:
    """Base of functions with a derivative of their own: static methods ``forward`` and ``backward``; use ``apply``.

    >>> class Square(nbgrad.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 2 * x * g
    >>> x = nbgrad.tensor(3.0, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor(6.)
    """

    @staticmethod
    def forward(*args: Any) -> Any:
        """Compute the outputs. With ``ctx`` as first argument what the derivative needs goes to
        ``ctx.save_for_backward`` here, without it in ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """What ``forward`` does with ``ctx``, where it is defined without one: it is called after it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """One gradient (or None) per argument of ``forward``, from one cotangent per output."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    _backward_cls = _BackwardClass()
    clear_saved_tensors_on_access = False  # True: the first look at ``ctx.saved_tensors`` lets go what was saved
    vjp = backward  # another name, of which a function defines one

    @classmethod
    def _pull_back(cls) -> Callable[..., Any]:
        """``backward``, by whatever name it goes."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RunError(
                f"{cls.__name__}: Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        return cls.vjp

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """One tangent per output of ``forward``, from one per argument: for forward mode (``func.jvp``, ``jacfwd``,
        ``hessian``). What it needs goes to ``ctx.save_for_forward``."""
        raise MissingRuleError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    _shows_input = False  # of one that is made for vmap: whether that was seen
    generate_vmap_rule = False  # True: inside ``vmap`` all methods are run under vmap themselves

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """``(output, out_dims)``: what ``forward`` gives for all examples, and the dims along which they lie in it
        (None: the same for all). ``info`` has ``batch_size`` and ``randomness``, ``in_dims`` the dims in ``args``."""
        raise MissingRuleError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_here(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself.",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RunError(
            f"{type(self).__name__}: a legacy autograd function with a non-static forward method cannot be called. "
            f"Make forward and backward static methods that take a ctx, and call {type(self).__name__}.apply(...)"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` and remember the call for differentiation.

        With ``setup_context``, that gets all arguments of ``forward`` in their order, defaults among them, and
        ``backward`` gives a gradient for each. Without, arguments given by name have no gradient.
        """
        is_apart = cls.setup_context is not Function.setup_context
        if is_apart and (kwargs or cls.forward.__defaults__):
            bound = signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, {}
        needs = tuple([isinstance(a, Handle) and requires_grad(a) for a in args])
        ctx, trace = FunctionCtx(needs), local.trace
        ctx._clears = cls.clear_saved_tensors_on_access
        enabled = trace.grad_enabled
        for a in args:
            if isinstance(a, Handle):
                require_kept(a)  # before anything is written
        every = _over_examples(cls, args) if trace.vmaps else None
        tangents = None if trace.duals is None else _tangents(trace.duals, args)
        with grad_mode(enabled), grad_mode(False):  # see grad_mode: two, where nothing else goes back
            if not is_apart:
                result = cls.forward(ctx, *args, **kwargs)
            else:
                result = cls.forward(*args) if every is None else every[0]
                cls.setup_context(ctx, args, result)
        outputs = list(result) if isinstance(result, (tuple, list)) else [result]
        if ctx._dirty:
            _check_dirty(cls.__name__, ctx._dirty, args, outputs, needs if enabled else ())
        if not enabled or not any(needs):
            given, dirty = {id(a): need for a, need in zip(args, needs, strict=True)}, {id(x) for x in ctx._dirty}
            for y in outputs if enabled else ():
                if isinstance(y, Handle) and y._share is not None and id(y) not in given and base_of(y) is not None:
                    share = share_of(y)
                    assert share is not None
                    share.kind = CUSTOM
            outputs = [
                _detached(y, given[id(y)], id(y) in dirty) if isinstance(y, Handle) and id(y) in given else y
                for y in outputs
            ]
            if tangents is not None:
                _push_at_once(trace.duals, Call(cls, ctx, args, outputs), tangents, args, outputs, ctx._dirty)
            if every is not None and every[2]:
                _note_shown(every[1], args, outputs)
            return tuple(outputs) if isinstance(result, (tuple, list)) else outputs[0]
        for x in ctx._saved:
            if x is not None and x._at.inference:
                raise cannot_be_saved()
        if every is not None:
            every[1].calls.append(ctx)
        call = Call(cls, ctx, args, outputs)
        made = record_function(call, args, [outputs[i] for i in call.places], ctx._dirty, every is not None)
        for i, y in zip(call.places, made if len(made) == 1 else _once_each(call, args, outputs, made), strict=True):
            if ctx._saved:
                ctx._saved = [y if x is outputs[i] else x for x in ctx._saved]
            if ctx._saved_for_forward:
                ctx._saved_for_forward = [y if x is outputs[i] else x for x in ctx._saved_for_forward]
            if ctx._dirty and any(x is outputs[i] for x in ctx._dirty):
                while not write(outputs[i], y, f"{cls.__name__}.apply", state_of(outputs[i])):
                    pass
                if outputs[i]._grad is not None:
                    outputs[i].grad = None  # PyTorch begins anew, too
            else:
                outputs[i] = y
        if tangents is not None:
            for y, t in zip(made, _moved(call, tangents), strict=True):
                trace.duals.begin_at(y, t)
        if every is not None and every[2]:
            _note_shown(every[1], args, outputs)
        keep = Saved if packing.hooks is None else packing.hooks.packed
        ctx._kept = [None if x is None else keep(x) for x in ctx._saved]
        asked = ctx._saved_for_forward if local.trace.transforms else ()  # outside nobody asks for tangents
        ctx._kept_for_forward, ctx._saved_for_forward = [None if x is None else Saved(x) for x in asked], []
        return tuple(outputs) if isinstance(result, (tuple, list)) else outputs[0]


def _check_dirty(
    name: str, dirty: Sequence[Handle], args: Sequence[Any], outputs: Sequence[Any], needs: Sequence[bool]
) -> None:
    written = {id(x) for x in dirty}
    if not written <= {id(y) for y in outputs}:
        raise RunError(
            f"{name}: Some elements marked as dirty during the forward method were not returned as output. Return all "
            "inputs that it modifies in place"
        )
    if not written <= (inputs := {id(a) for a in args}):
        if any(id(x) not in inputs and base_of(x) is not None for x in dirty):
            raise RunError(
                f"{name}: mark_dirty is for inputs of forward, but it received a tensor that was not an input."
            )
        warnings.warn(
            f"{name}: mark_dirty is for inputs of forward; what it has made itself may be written freely", stacklevel=3
        )
    if len(outputs) > 1 and any(needs) and any(base_of(x) is not None for x in dirty):
        raise RunError(
            f"{name}: your Function modifies inplace an input that is a view of another Tensor, and has several "
            "outputs: gradients of the base would be wrong. Give it a clone() of the view, or one output alone"
        )


def _once_each(call: Call, args: Sequence[Any], outputs: Sequence[Any], made: list[Handle]) -> list[Handle]:
    """What was ``made`` of the outputs: of what is given twice, and is no input, one tensor, as in PyTorch."""
    inputs = {id(a) for a in args} - {id(x) for x in call.ctx._dirty}
    last = {id(outputs[i]): k for k, i in enumerate(call.places)}
    return [made[k if id(outputs[i]) in inputs else last[id(outputs[i])]] for k, i in enumerate(call.places)]


def _tangents(level: Any, args: Sequence[Any]) -> list[Handle | None]:
    """The tangents of arguments in a dual level."""
    found = iter(level.tangents([a for a in args if isinstance(a, Handle)]))
    return [next(found) if isinstance(a, Handle) else None for a in args]


def _moved(call: Call, tangents: list[Handle | None]) -> Sequence[Handle | None]:
    """The tangents of the outputs that are differentiable."""
    return [None] * len(call.places) if tangents.count(None) == len(tangents) else call.push_forward(tangents)


def _push_at_once(
    level: Any,
    call: Call,
    tangents: list[Handle | None],
    args: Sequence[Any],
    outputs: list[Any],
    dirty: Sequence[Handle],
) -> None:
    """Give outputs that have no derivative otherwise the tangents by the user's ``jvp``, and no others."""
    given = [*tangents]
    for i, t in zip(call.places, _moved(call, tangents), strict=True):
        for a, before in zip(args, given, strict=True):
            if t is not None and before is not None:
                _check_tangent(call.name, a, outputs[i], before, t, any(x is a for x in dirty))
        y, before = level.ended(outputs[i]), outputs[i]
        level.begin_at(y, t)
        if any(x is before for x in dirty):
            while not write(before, y, f"{call.name}.apply", state_of(before)):
                pass
        else:
            outputs[i] = y


def _check_tangent(name: str, a: Handle, y: Handle, given: Handle, t: Handle, is_dirty: bool) -> None:
    """RuntimeError where ``y`` is ``a``, written, or shows its memory, and tangents are not alike."""
    if is_dirty and t is not given and (y is a or shows_same(a, y)):
        raise RunError(
            f"{name}.jvp: An inplace custom Function is not modifying the forward mode gradients inplace. If the "
            "forward is modifying an input inplace, then the jvp function must modify the corresponding gradient "
            "inplace."
        )
    if is_dirty or not shows_same(a, y):
        return
    base, of = base_of(t), "" if base_of(t) is None else " of the " + ("given" if base_of(a) is None else "same base")
    if base is None or base is not (base_of(given) or given):
        raise RunError(
            f"{name}.jvp: A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
            f"returning a view{of}"
        )


def _detached(x: Handle, did_need: bool, is_dirty: bool) -> Handle:
    """An input that is given back where nothing is differentiated. It may have lost its history when it was written."""
    if did_need or requires_grad(x):
        return detach(x)
    if is_dirty:
        return x
    with grad_mode(False):
        return record(CALLS["view"], (x,), (spec_of(x).shape,))  # type: ignore[no-any-return]


class InplaceFunction(Function):
    """A function whose instances say whether it shall write its argument: ``apply`` does not look at that."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class _Once(Function):
    """The result of a backward that cannot be differentiated."""

    @staticmethod
    def forward(value: Handle, *sources: Any) -> Handle:
        return record(CALLS["clone"], (value,))  # type: ignore[no-any-return]

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        return _Once.apply(*args), in_dims[0]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise GradError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a ``backward`` whose formula cannot be differentiated: trying to is an error, not a wrong number."""

    @functools.wraps(backward)
    def once(ctx: Any, *grad_outputs: Any) -> Any:
        enabled = get_mode()[0]
        with grad_mode(False):
            given = backward(ctx, *grad_outputs)
        read = (*grad_outputs, *ctx.saved_tensors) if local.trace.transforms else grad_outputs
        sources = [x for x in read if isinstance(x, Handle) and requires_grad(x)]
        if not enabled or not sources:
            return given
        results = given if isinstance(given, tuple) else (given,)
        return tuple([_Once.apply(g, *sources) if isinstance(g, Handle) else g for g in results])

    return once
