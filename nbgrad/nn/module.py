"""The base of all models: calls, the tree of modules, training mode, dtype, printing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypeVar

from nbgrad.autograd import no_grad
from nbgrad.autograd.hooks import RemovableHandle
from nbgrad.device import Device, as_device, cpu
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.functions.creation import empty
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import DType
from nbgrad.nn import hooks, state
from nbgrad.nn.parameter import Parameter
from nbgrad.nn.registry import Registry
from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.conversions import target_of

_T = TypeVar("_T")


class Module(Registry):
    """A function with parameters, buffers (tensors that are saved but not learned) and modules inside it.

    Subclasses call ``super().__init__()`` first, assign Parameters and Modules to attributes, and define ``forward``.
    """

    training: bool
    _hooks: hooks.Hooks | None = None  # most have none

    def __init__(self) -> None:
        super().__init__()
        self.training = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass has its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooks is None and not hooks.is_any:
            return self.forward(*args, **kwargs)
        return hooks.call(self, args, kwargs)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before each ``forward``; what it gives, if anything, are the arguments: a tuple,
        or one value. With ``with_kwargs`` it is ``hook(module, args, kwargs)``, and gives ``(args, kwargs)``.
        ``prepend``: before the hooks there are."""
        handle = self._own_hooks().add("forward_pre", hook, prepend=prepend)
        if with_kwargs:
            self._own_hooks().with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after each ``forward``; what it gives, if anything, is the output. With
        ``with_kwargs`` it is ``hook(module, args, kwargs, output)``. ``prepend``: before the hooks there are.
        ``always_call``: also where ``forward`` raises.

        >>> layer = nbgrad.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, args, output: output * 2)
        >>> layer(nbgrad.ones(2))
        tensor([2., 2.])
        >>> handle.remove()
        """
        how = {"prepend": prepend, "with_kwargs": with_kwargs, "always_call": always_call}
        return hooks.registered_forward(self._own_hooks(), hook, **how)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when gradients reach this module's outputs; what it gives, if anything,
        goes on in their place."""
        return self._own_hooks().add("backward_pre", hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when gradients have passed this module; what it gives, if
        anything, goes on in place of ``grad_input``. Of arguments that are no tensors the gradient is None."""
        return self._own_hooks().add("backward", hook, prepend=prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``register_full_backward_hook``, by its name of long ago."""
        return self.register_full_backward_hook(hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before each ``state_dict``."""
        return self._own_hooks().add("state_dict_pre", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after each ``state_dict``; it may change that."""
        return self._own_hooks().add("state_dict_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``
        before each ``load_state_dict``: it may change the dict, which is a copy, and add to the lists."""
        return self._own_hooks().add("load_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after each ``load_state_dict``; keys that it takes out are no
        error."""
        return self._own_hooks().add("load_post", hook)

    def _own_hooks(self) -> hooks.Hooks:
        if self._hooks is None:
            self._hooks = hooks.Hooks()
        return self._hooks

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module ("") and all inside it, with dotted names; a shared one once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all inside it, a shared one once, unless ``remove_duplicate`` is False."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly inside this one, a shared one once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly inside this one, a shared one once."""
        return (module for _, module in self.named_children())

    def get_submodule(self, target: str) -> Module:
        """The module with a dotted name; "" is this one. AttributeError where there is none."""
        found: Module = self
        for name in target.split(".") if target else ():
            inner = found._modules.get(name)
            if inner is None:
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = inner
        return found

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put ``module`` in the place of a dotted name; with ``strict`` there has to be one. ValueError for no name and
        no module, AttributeError where a name on the way is no module's."""
        path, _, name = target.rpartition(".")
        if not name:
            raise ArgumentError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ArgumentError(f"`module` is not an nn.Module, found {type(module).__name__}")
        parent = self.get_submodule(path)
        before = parent._modules.get(name)
        if (strict or hasattr(parent, name)) and before is None:
            problem = "is not an nn.Module" if hasattr(parent, name) else "does not exist"
            raise AttributeError(f"{type(parent).__name__}: `{name}` {problem}")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with a dotted name. AttributeError where there is none."""
        found: Parameter = self._member(target, "_parameters", "nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with a dotted name. AttributeError where there is none."""
        found: Tensor = self._member(target, "_buffers", "a buffer")
        return found

    def _member(self, target: str, table: str, kind: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = getattr(module, table).get(name)
        if found is None:
            problem = f"`{name}` is not {kind}" if hasattr(module, name) else f"has no attribute `{name}`"
            raise AttributeError(f"{type(module).__name__}: {problem}")
        return found

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Every parameter with its dotted name; a shared one once, under its first name."""
        return self._named(lambda m: m._parameters, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter, a shared one once."""
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Every buffer with its dotted name; a shared one once, under its first name."""
        return self._named(lambda m: m._buffers, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer, a shared one once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(
        self, table: Callable[[Module], Mapping[str, _T | None]], prefix: str, recurse: bool, once: bool
    ) -> Iterator[tuple[str, _T]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else iter([(prefix, self)])
        for path, module in modules:
            for name, member in table(module).items():
                if member is None or id(member) in seen:
                    continue
                if once:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def train(self, mode: bool = True) -> Self:
        """Set training mode here and in all modules inside."""
        if not isinstance(mode, bool):
            raise ArgumentError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether gradients are wanted for all parameters: False freezes the module."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or write zeros into them with ``set_to_none=False``."""
        state.zero_gradients(self.parameters(), set_to_none)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call ``fn`` on every module inside, then on this one: the way to initialise a model."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move all parameters and buffers to a device and convert the floating ones, in place: ``to(device)``,
        ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``."""
        device, dtype, *_ = target_of("to", args, dict(kwargs))
        if dtype is not None and not dtype.is_floating_point:
            raise DTypeError(f"nn.Module.to only accepts floating point dtypes, but got desired dtype={dtype!r}")
        return self._convert(dtype, device)

    def cuda(self, device: Any = None) -> Self:
        """Move all parameters and buffers to a CUDA device, the current one unless given. RuntimeError without one."""
        return self._convert(None, as_device("cuda" if device is None else device))

    def cpu(self) -> Self:
        """Move all parameters and buffers to the CPU."""
        return self._convert(None, cpu)

    def type(self, dst_type: Any) -> Self:
        """Make all parameters and buffers of a dtype, in place: a dtype, or the name of a tensor class."""
        return self._apply(lambda x: x.type(dst_type))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Move all parameters and buffers to a device without their values, which are not set there."""
        place = None if device is None else as_device(device)
        return self._apply(
            lambda x: empty(*x.shape, dtype=x.dtype, device=x.device if place is None else place), recurse
        )

    def float(self) -> Self:
        """Make floating parameters and buffers float32, in place."""
        return self._convert(dtypes.float32)

    def double(self) -> Self:
        """Make floating parameters and buffers float64, in place."""
        return self._convert(dtypes.float64)

    def half(self) -> Self:
        """Make floating parameters and buffers float16, in place."""
        return self._convert(dtypes.float16)

    def bfloat16(self) -> Self:
        """Make floating parameters and buffers bfloat16, in place."""
        return self._convert(dtypes.bfloat16)

    def _convert(self, dtype: DType | None, device: Device | None = None) -> Self:
        return self._apply(
            lambda x: x.to(x.device if device is None else device, dtype if x.dtype.is_floating_point else None)
        )

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Put ``fn`` of it in place of each parameter's data, gradient and buffer; the parameter stays: optimisers hold
        on to it."""
        with no_grad():
            for param in self.parameters(recurse):
                data = fn(param)
                if data is not param:
                    grad, param.grad = param.grad, None
                    param.data = data
                    param.grad = None if grad is None else fn(grad)
            for module in self.modules() if recurse else (self,):
                for name, buffer in module._buffers.items():
                    if buffer is not None and (new := fn(buffer)) is not buffer:
                        module._buffers[name] = new
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Have calls of this module run compiled, by ``nbgrad.compile`` with these arguments. Copies are not."""
        made = import_module("nbgrad").compile(self.forward, *args, **kwargs)
        self.__dict__.update(forward=made, _compiled=made)

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles have: all but the compiled ``forward``."""
        if "_compiled" not in self.__dict__:
            return self.__dict__
        return {name: value for name, value in self.__dict__.items() if name not in ("forward", "_compiled")}

    def get_extra_state(self) -> Any:
        """What else belongs to ``state_dict``, under "_extra_state": for modules that define it and
        ``set_extra_state``."""
        raise RunError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Take what ``get_extra_state`` gave."""
        raise RunError("Reached a code path in Module.set_extra_state() that should never be called.")

    def state_dict(
        self, *args: Any, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Parameters and saved buffers by dotted name, sharing memory with the module.

        Copy them (``copy.deepcopy`` or ``nbgrad.save``) to keep today's values. ``keep_vars`` gives the Parameters
        themselves instead of detached tensors. They go into the dict ``destination``, where one is given.
        """
        if args:  # as it was long ago
            destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args) :])[:3]
        found = state.collect(self, prefix, keep_vars)
        if destination is None:
            return found
        destination.update(found)
        return destination

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> state.IncompatibleKeys:
        """Copy values from ``state_dict`` into parameters and buffers of the same names; with ``assign`` the tensors of
        ``state_dict`` take their places.

        RuntimeError lists all missing and unexpected keys (with ``strict``) and all shapes that differ; nothing is
        written then.
        """
        return state.load(self, state_dict, strict, assign)

    def extra_repr(self) -> str:
        """The module's own arguments, for printing."""
        return ""

    def __repr__(self) -> str:
        own = self.extra_repr()
        lines = own.split("\n") if own else []
        inside = [f"({name}): {indent(repr(module))}" for name, module in self._modules.items()]
        if not inside and len(lines) <= 1:
            return f"{type(self).__name__}({own})"
        return "\n  ".join([f"{type(self).__name__}(", *lines, *inside]) + "\n)"


def indent(text: str) -> str:
    """``text`` with all lines after the first set in by two."""
    return text.replace("\n", "\n  ")
