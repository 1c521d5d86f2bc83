"""A weight as its direction and its length, computed before each call."""

from __future__ import annotations

import warnings
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError, RunError
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter

__all__ = ["remove_weight_norm", "weight_norm"]


def lengths(v: Any, dim: int | None) -> Any:
    """The 2-norms of the slices along ``dim``, for None or -1 of all elements."""
    if dim is None or dim == -1:
        return v.norm()
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return v.norm(2, others, keepdim=True) if others else v.abs()


class _WeightNorm:
    """What is called before each ``forward``: the weight from its direction and length."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, dim

    def weight(self, module: Module) -> Any:
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return v * (g / lengths(v, self.dim))

    def __call__(self, module: Module, args: Any) -> None:
        setattr(module, self.name, self.weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """``module`` whose parameter ``name`` becomes g v / |v|, by parameters ``name_g`` and ``name_v``; lengths are those
    of slices along ``dim``, for None one of all. ``parametrizations.weight_norm`` is the newer way.

    RuntimeError where there is one of this name already. Source: Salimans and Kingma 2016, "Weight normalization".

    >>> layer = nbgrad.nn.utils.weight_norm(nbgrad.nn.Linear(2, 3))
    >>> [name for name, _ in layer.named_parameters()], layer.weight_g.shape
    (['bias', 'weight_g', 'weight_v'], nbgrad.Size([3, 1]))
    """
    warnings.warn(
        "`nn.utils.weight_norm` is deprecated in favor of `nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    for hook in hooks_of(module, _WeightNorm):
        if hook.name == name:
            raise RunError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    weight, made = getattr(module, name), _WeightNorm(name, dim)
    delattr(module, name)
    with no_grad():
        length = lengths(weight, dim)
    module.register_parameter(f"{name}_g", Parameter(length))
    module.register_parameter(f"{name}_v", Parameter(weight.data))
    setattr(module, name, made.weight(module))
    module.register_forward_pre_hook(made)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """``module`` with an ordinary parameter ``name`` again. ValueError where ``weight_norm`` was not called.

    >>> layer = nbgrad.nn.utils.remove_weight_norm(nbgrad.nn.utils.weight_norm(nbgrad.nn.Linear(2, 3)))
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight']
    """
    hook = taken(module, _WeightNorm, name)
    if hook is None:
        raise ArgumentError(f"weight_norm of '{name}' not found in {module}")
    with no_grad():
        weight = hook.weight(module)
    for part in (name, f"{name}_g", f"{name}_v"):
        delattr(module, part)
    module.register_parameter(name, Parameter(weight))
    return module


def hooks_of(module: Module, kind: type) -> list[Any]:
    """The hooks of a class that run before ``forward``."""
    if module._hooks is None:
        return []
    return [hook for _, hook in module._hooks.of("forward_pre") if isinstance(hook, kind)]


def taken(module: Module, kind: type, name: str) -> Any:
    """The hook of a class for ``name``, which is no longer one; None where there is none."""
    if module._hooks is not None:
        for number, hook in module._hooks.of("forward_pre"):
            if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
                del module._hooks.tables["forward_pre"][number]
                return hook
    return None


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
