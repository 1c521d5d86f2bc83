"""Hooks on modules: code of the user's that runs before and after ``forward``, and when gradients pass the module."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from nbgrad.autograd import Function
from nbgrad.autograd.engine import zeros
from nbgrad.autograd.function_call import Call, FunctionCtx, record_function
from nbgrad.autograd.hooks import RemovableHandle
from nbgrad.errors import DTypeError, RunError
from nbgrad.graph.spec import Spec
from nbgrad.tensor import Tensor
from nbgrad.trace import local, require_kept, spec_of

if TYPE_CHECKING:
    from nbgrad.nn.module import Module

Table = OrderedDict[int, Callable[..., Any]]


class Hooks:
    """The hooks of a module, or of all modules, by kind and number."""

    KINDS: Final = (
        "forward_pre",
        "forward",
        "backward_pre",
        "backward",
        "state_dict_pre",
        "state_dict_post",
        "load_pre",
        "load_post",
    )

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {kind: OrderedDict() for kind in self.KINDS}
        self.with_kwargs: OrderedDict[int, bool] = OrderedDict()
        self.always: OrderedDict[int, bool] = OrderedDict()

    def add(self, kind: str, hook: Callable[..., Any], *, prepend: bool = False) -> RemovableHandle:
        table = self.tables[kind]
        handle = RemovableHandle(table, extra_dict=[self.with_kwargs, self.always])
        table[handle.id] = hook
        if prepend:
            table.move_to_end(handle.id, last=False)
        return handle

    def of(self, kind: str) -> list[tuple[int, Callable[..., Any]]]:
        return list(self.tables[kind].items())


every = Hooks()  # those of all modules
is_any = False  # whether there was any of those yet: a call of a module asks


def of_every() -> Hooks:
    """The hooks of all modules, to be added to."""
    global is_any
    is_any = True
    return every


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The module's result, with its hooks and those of all modules."""
    both = (every, module._hooks) if module._hooks is not None else (every,)
    for hooks in both:
        for number, hook in hooks.of("forward_pre"):
            args, kwargs = _before(module, hook, args, kwargs, with_kwargs=number in hooks.with_kwargs)
    backward_pre, backward = ([hook for hooks in both for _, hook in hooks.of(k)] for k in ("backward_pre", "backward"))
    passing = _Passing(module, backward_pre, backward) if backward_pre or backward else None
    if passing is not None:
        args = passing.enter(args)
    todo = [(number, hook, hooks) for hooks in both for number, hook in hooks.of("forward")]
    try:
        result = module.forward(*args, **kwargs)
        while todo:
            number, hook, hooks = todo.pop(0)
            given = hook(module, args, kwargs, result) if number in hooks.with_kwargs else hook(module, args, result)
            result = result if given is None else given
    except Exception:
        for number, hook, hooks in todo:
            if number in hooks.always:  # whatever happens; what it gives has nowhere to go
                hook(module, args, kwargs, None) if number in hooks.with_kwargs else hook(module, args, None)
        raise
    return result if passing is None else passing.leave(result)


def _before(
    module: Module, hook: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, with_kwargs: bool
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as the hook wants them."""
    given = hook(module, args, kwargs) if with_kwargs else hook(module, args)
    if given is None:
        return args, kwargs
    if not with_kwargs:
        return (given if isinstance(given, tuple) else (given,)), kwargs
    if not isinstance(given, tuple) or len(given) != 2:
        raise RunError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {type(given).__name__}."
        )
    args, kwargs = given
    return args, kwargs


class _Passing:
    """One call of a module that is told of the gradients of its inputs and outputs."""

    def __init__(self, module: Module, before: Sequence[Any], after: Sequence[Any]) -> None:
        self.module, self.before, self.after = module, before, after
        self.places: list[int] = []  # of arguments that require grad
        self.specs: list[Spec | None] = []  # of arguments that are tensors
        self.out_places: list[int] = []
        self.out_specs: list[Spec] = []
        self.outputs = 0
        self.arrived: tuple[Any, ...] = ()

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.specs = [spec_of(x) if isinstance(x, Tensor) else None for x in args]
        self.places = [i for i, x in enumerate(args) if isinstance(x, Tensor) and x.requires_grad]
        if not self.places:
            return args
        found = dict(zip(self.places, _through(self.to_inputs, [args[i] for i in self.places]), strict=True))
        return tuple([found.get(i, x) for i, x in enumerate(args)])

    def leave(self, result: Any) -> Any:
        """The result, of which the gradients come here first."""
        parts = (result,) if isinstance(result, Tensor) else result
        if not isinstance(parts, (tuple, list)):
            return result
        places = [i for i, x in enumerate(parts) if isinstance(x, Tensor) and x.requires_grad]
        if not places:
            return result
        self.outputs, self.out_places, self.out_specs = len(parts), places, [spec_of(parts[i]) for i in places]
        found = dict(zip(places, _through(self.to_outputs, [parts[i] for i in places]), strict=True))
        if isinstance(result, Tensor):
            return found[0]
        made = [found.get(i, x) for i, x in enumerate(parts)]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)

    def to_outputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """What goes on into the module, of the gradients of its outputs: zeros of one that was not used, of which hooks
        hear as None."""
        arrived: tuple[Any, ...] = self._spread(grads, self.out_places, self.outputs)
        for hook in self.before:
            given = hook(self.module, arrived)
            arrived = arrived if given is None else self._checked("backward pre", given, arrived)
        self.arrived = arrived
        if not self.places:
            for hook in self.after:
                if hook(self.module, (None,) * len(self.specs), arrived) is not None:
                    raise RunError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
        return tuple(
            [
                zeros(spec) if arrived[i] is None else arrived[i]
                for i, spec in zip(self.out_places, self.out_specs, strict=True)
            ]
        )

    def to_inputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """What goes on behind the module. Hooks do not hear of what came past its outputs: derivatives of gradients."""
        if not self.arrived:
            return grads
        found: tuple[Any, ...] = self._spread(grads, self.places, len(self.specs))
        found = tuple(
            [zeros(spec) if g is None and spec is not None else g for g, spec in zip(found, self.specs, strict=True)]
        )
        for hook in self.after:
            given = hook(self.module, found, self.arrived)
            found = found if given is None else self._checked("backward", given, found)
        self.arrived = ()
        return tuple([found[i] for i in self.places])

    @staticmethod
    def _spread(grads: tuple[Any, ...], places: Sequence[int], count: int) -> tuple[Any, ...]:
        found = dict(zip(places, grads, strict=True))
        return tuple([found.get(i) for i in range(count)])

    @staticmethod
    def _checked(kind: str, given: Any, before: tuple[Any, ...]) -> tuple[Any, ...]:
        wanted = "a tuple with one for each (None where there is none) was expected"
        if not isinstance(given, (tuple, list)):
            error = RunError if isinstance(given, Tensor) else DTypeError
            raise error(f"{kind} hook returned a {type(given).__name__} in place of {len(before)} gradients: {wanted}")
        if len(given) != len(before):
            raise RunError(f"{kind} hook returned {len(given)} gradients, but the module has {len(before)}: {wanted}")
        return tuple(given)


class BackwardHookFunction(Function):
    """Tensors as they are; their gradients are what a function makes of them."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return ctx.change(grads)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return tangents


def _through(change: Callable[[tuple[Any, ...]], tuple[Any, ...]], tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    """``BackwardHookFunction`` of tensors that require grad, without what ``apply`` asks of functions that it does not
    know."""
    trace = local.trace
    if not trace.grad_enabled:
        return tensors
    for x in tensors:
        require_kept(x)
    ctx = FunctionCtx((True,) * len(tensors))
    ctx.change = change  # type: ignore[attr-defined]
    ctx.set_materialize_grads(False)
    made = record_function(Call(BackwardHookFunction, ctx, tensors, tensors), tensors, tensors, (), False)
    if trace.duals is not None:
        for y, t in zip(made, trace.duals.tangents(tensors), strict=True):
            trace.duals.begin_at(y, t)
    return made  # type: ignore[return-value]


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, args)`` before the ``forward`` of every module, and before the module's own hooks; what it
    gives, if anything, are the arguments."""
    return of_every().add("forward_pre", hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after the ``forward`` of every module; what it gives, if anything, is the
    output. ``with_kwargs``: ``hook(module, args, kwargs, output)``. ``always_call``: also where ``forward`` raises."""
    return registered_forward(of_every(), hook, with_kwargs=with_kwargs, always_call=always_call)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` when gradients reach any module; what it gives, if anything, goes on."""
    return of_every().add("backward_pre", hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` when gradients have passed any module; what it gives, if anything,
    goes on in place of ``grad_input``."""
    return of_every().add("backward", hook)


def registered_forward(
    hooks: Hooks, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool, always_call: bool
) -> RemovableHandle:
    handle = hooks.add("forward", hook, prepend=prepend)
    if with_kwargs:
        hooks.with_kwargs[handle.id] = True
    if always_call:
        hooks.always[handle.id] = True
    return handle
