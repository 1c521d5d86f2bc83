"""Parameters that modules compute: ``module.weight`` is what a module makes of another one, whenever it is read."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import refused
from nbgrad.errors import ArgumentError, RunError
from nbgrad.nn.containers import ModuleList
from nbgrad.nn.module import Module
from nbgrad.nn.named import ModuleDict
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache: dict[tuple[int, str], Any] = {}
_depth = 0  # of ``cached``


@contextmanager
def cached() -> Iterator[None]:
    """A context in which each parametrised tensor is computed once, when it is first read.

    >>> with nbgrad.nn.utils.parametrize.cached():
    ...     pass
    """
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The modules that compute a tensor, and what they begin with: ``original``, or ``original0`` and so on."""

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not len(modules):
            raise ArgumentError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        new = _inverted(modules, original)
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if not self.is_tensor and not all(isinstance(x, Tensor) for x in new):
            raise ArgumentError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...)")
        if self.is_tensor:
            if original.dtype is not new.dtype and not unsafe:
                raise ArgumentError(f"When `right_inverse` outputs one tensor, its dtype must stay: got {new.dtype}")
            with no_grad():
                original.data = new.data
            self._keep("original", original)
        else:
            for k, part in enumerate(new):
                self._keep(f"original{k}", Parameter(part) if isinstance(original, Parameter) else part)
        if not unsafe:
            self._check(original)

    def _keep(self, name: str, value: Tensor) -> None:
        if isinstance(value, Parameter):
            self.register_parameter(name, value)
        else:
            self.register_buffer(name, value)

    def _check(self, original: Tensor) -> None:
        """The tensor has to have the dtype and the shape that it had."""
        with no_grad():
            made = self()
        if not isinstance(made, Tensor):
            raise ArgumentError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        if made.dtype is not original.dtype or (self.is_tensor and made.shape != original.shape):
            raise ArgumentError(
                f"Registering a parametrization may not change the dtype or the shape of the tensor: got "
                f"{list(made.shape)} and {made.dtype}, expected {list(original.shape)} and {original.dtype}"
            )

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the tensor becomes ``value``."""
        with no_grad():
            new = _inverted([*self], value, must=True)
            parts = [new] if self.is_tensor else [*new]
            if len(parts) != self.ntensors:
                raise ArgumentError(f"'right_inverse' must return {self.ntensors} tensors, got {len(parts)}")
            for name, part in zip(self._names(), parts, strict=True):
                getattr(self, name).data = part.data

    def _names(self) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{k}" for k in range(self.ntensors)]

    def forward(self) -> Any:
        first, *others = self
        made = first(*[getattr(self, name) for name in self._names()])
        for module in others:
            made = module(made)
        return made


def _inverted(modules: Sequence[Module], value: Any, *, must: bool = False) -> Any:
    """What the modules make ``value`` of, the last one first, as far as they say."""
    with no_grad():
        for module in reversed(modules):
            if hasattr(module, "right_inverse"):
                try:
                    value = module.right_inverse(value)
                except NotImplementedError:
                    if must:
                        raise
            elif must:
                raise RunError(
                    f"parametrization {type(module).__name__} has no right_inverse: its tensor cannot be set"
                )
    return value


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a tensor of ``module``, any or that of a name, is computed by modules.

    >>> nbgrad.nn.utils.parametrize.is_parametrized(nbgrad.nn.Linear(1, 1))
    False
    """
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def type_before_parametrizations(module: Module) -> type:
    """The class of ``module`` without the one that parametrisations have made of it."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let ``parametrization`` compute the parameter or buffer ``tensor_name`` of ``module``, from what
    is now ``module.parametrizations.<tensor_name>.original``; further ones go on with what those before give.

    With a method ``right_inverse`` the tensor can be assigned to, and begins as it is where this is the first one.
    ValueError where there is no such tensor, or shape or dtype would change (``unsafe``: not looked at).

    >>> class Symmetric(nbgrad.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = nbgrad.nn.utils.parametrize.register_parametrization(nbgrad.nn.Linear(2, 2), "weight", Symmetric())
    >>> nbgrad.equal(layer.weight, layer.weight.T)
    True
    """
    if not isinstance(module, Module):
        raise refused("register_parametrization", "module", module, "Module")
    if is_parametrized(module, tensor_name):
        known: Any = module.parametrizations[tensor_name]
        if not unsafe:
            with no_grad():
                now = getattr(module, tensor_name)
                new = parametrization(now)
            for one in (new, _inverted([parametrization], new)):
                if not isinstance(one, Tensor) or one.dtype is not now.dtype or one.shape != now.shape:
                    raise ArgumentError("A parametrization may not change the dtype or the shape of the tensor")
        known.append(parametrization)
        known.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ArgumentError(
            f"Module '{module}' does not have a parameter, buffer or parametrized element '{tensor_name}'"
        )
    made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    made.train(module.training)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        cls = type(module)
        known = {"__module__": cls.__module__, "__deepcopy__": _copied, "__reduce_ex__": _refuse_pickling}
        module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), known)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _computed(tensor_name))
    module.parametrizations[tensor_name] = made
    return module


def _copied(module: Any, memo: dict[int, Any]) -> Any:
    made = memo[id(module)] = object.__new__(type(module))
    made.__dict__.update(copy.deepcopy(module.__getstate__(), memo))
    return made


def _refuse_pickling(module: Any, protocol: Any) -> Any:
    raise RunError(
        f"{type(module).__name__}: modules with parametrizations are not pickled, for their class is made at run time: "
        "save state_dict(), and load it into a module made alike"
    )


def _computed(name: str) -> property:
    def read(module: Any) -> Any:
        if not _depth:
            return module.parametrizations[name]()
        key = (id(module), name)
        if key not in _cache:
            _cache[key] = module.parametrizations[name]()
        return _cache[key]

    def write(module: Any, value: Any) -> None:
        module.parametrizations[name].right_inverse(value)

    return property(read, write)


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make ``tensor_name`` an ordinary parameter or buffer again, with its value now, or its original's without
    ``leave_parametrized``. ValueError where it is none, or has several originals.

    >>> layer = nbgrad.nn.utils.parametrizations.weight_norm(nbgrad.nn.Linear(2, 2))
    >>> nbgrad.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    Linear(in_features=2, out_features=2, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(f"Module {module} does not have a parametrization on {tensor_name}")
    made: Any = module.parametrizations[tensor_name]
    if not made.is_tensor and not leave_parametrized:
        raise ArgumentError("Cannot leave unparametrized a tensor that has several originals")
    original = made.original if made.is_tensor else made.original0
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name)
        if made.is_tensor and original.shape == value.shape:
            original.data = value.detach().clone()
        else:
            original = Parameter(value) if isinstance(original, Parameter) else value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Let ``to_module`` compute its tensors, all or that of a name, as ``from_module`` does, from copies.

    >>> one, two = nbgrad.nn.utils.parametrizations.weight_norm(nbgrad.nn.Linear(2, 2)), nbgrad.nn.Linear(2, 2)
    >>> made = nbgrad.nn.utils.parametrize.transfer_parametrizations_and_params(one, two)
    >>> nbgrad.equal(one.weight, made.weight)
    True
    """
    if not is_parametrized(from_module):
        return to_module
    names: Any = [*from_module.parametrizations] if tensor_name is None else [tensor_name]
    for name in names:
        source: Any = from_module.parametrizations[name]
        if name not in to_module._parameters and name not in to_module._buffers:
            with no_grad():
                to_module.register_parameter(name, Parameter(getattr(from_module, name)))
        for module in source:
            register_parametrization(to_module, name, copy.deepcopy(module), unsafe=True)
        target: Any = to_module.parametrizations[name]
        for part in source._names():
            getattr(target, part).data = getattr(source, part).detach().clone()
    return to_module


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
