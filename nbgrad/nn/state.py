"""A model's state as a dict of tensors: taking it, putting it back, and clearing gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbgrad.autograd import no_grad
from nbgrad.errors import DTypeError, RunError, StateError
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor
from nbgrad.trace import local

if TYPE_CHECKING:
    from nbgrad.nn.module import Module


class IncompatibleKeys(NamedTuple):
    """What ``load_state_dict(strict=False)`` left alone."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys!r}, unexpected_keys={self.unexpected_keys!r})"


EXTRA: Final = "_extra_state"


def collect(module: Module, prefix: str = "", keep_vars: bool = False) -> dict[str, Any]:
    """Parameters and saved buffers of ``module`` by dotted name, a shared one under each of its names."""
    found: dict[str, Any] = {}
    _collect(module, prefix, keep_vars, found)
    return found


def _collect(module: Module, prefix: str, keep_vars: bool, found: dict[str, Any]) -> None:
    hooks = module._hooks
    for _, hook in hooks.of("state_dict_pre") if hooks is not None else ():
        hook(module, prefix, keep_vars)
    for name, tensor in _own_members(module, prefix):
        found[name] = tensor if keep_vars else tensor.detach()
    if _has_more(module, "get_extra_state"):
        found[prefix + EXTRA] = module.get_extra_state()
    for name, child in module._modules.items():
        if child is not None:
            _collect(child, f"{prefix}{name}.", keep_vars, found)
    for _, hook in hooks.of("state_dict_post") if hooks is not None else ():
        if hook(module, found, prefix, {}) is not None:
            raise RunError("state_dict post-hook must return None")


def _has_more(module: Module, method: str) -> bool:
    """Whether the module's class defines ``get_extra_state`` or ``set_extra_state``."""
    base = [cls for cls in type(module).__mro__ if cls.__name__ == "Module" and cls.__module__ == "nbgrad.nn.module"]
    return getattr(type(module), method) is not getattr(base[0], method)


def _own_members(module: Module, prefix: str) -> Iterator[tuple[str, Tensor]]:
    for name, param in module._parameters.items():
        if param is not None:
            yield prefix + name, param
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._unsaved_buffers:
            yield prefix + name, buffer


def _members(module: Module, prefix: str) -> Iterator[tuple[str, Tensor]]:
    yield from _own_members(module, prefix)
    for name, child in module._modules.items():
        if child is not None:
            yield from _members(child, f"{prefix}{name}.")


def load(module: Module, given: Mapping[str, Any], strict: bool, assign: bool = False) -> IncompatibleKeys:
    """Copy ``given`` into ``module``; StateError with all complaints, before anything is written."""
    if not isinstance(given, Mapping):
        raise DTypeError(f"Expected state_dict to be dict-like, got {type(given).__name__}.")
    given, keys, said = dict(given), IncompatibleKeys([], []), list[str]()
    inner = list(module.named_modules(remove_duplicate=False))
    for path, part in inner:
        for _, hook in part._hooks.of("load_pre") if part._hooks is not None else ():
            prefix = f"{path}." if path else ""
            hook(part, given, prefix, {}, strict, keys.missing_keys, keys.unexpected_keys, said)
    own = dict(_members(module, ""))
    more = {f"{path}.{EXTRA}" if path else EXTRA: part for path, part in inner if _has_more(part, "set_extra_state")}
    keys.missing_keys.extend([k for k in (*own, *more) if k not in given])
    keys.unexpected_keys.extend([k for k in given if k not in own and k not in more])
    pairs = [(name, tensor, given[name]) for name, tensor in own.items() if name in given]
    after = [(part, hook) for _, part in inner if part._hooks is not None for _, hook in part._hooks.of("load_post")]
    complaints = [*said, *_key_complaints(keys)] if strict and not after else said
    complaints += [text for text in (_misfit(*pair) for pair in pairs) if text]
    _refuse(module, complaints)
    with no_grad():
        for name, tensor, value in pairs:
            if assign:
                _assign(module, name, tensor, value)
            else:
                tensor.copy_(value)
    for name, part in more.items():
        if name in given:
            part.set_extra_state(given[name])
    for part, hook in after[::-1]:
        if hook(part, keys) is not None:
            raise RunError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return values"
            )
    if after and strict:
        _refuse(module, _key_complaints(keys))
    return keys


def _assign(module: Module, name: str, before: Tensor, value: Tensor) -> None:
    """Let ``value`` stand where ``before`` stood."""
    path, _, own = name.rpartition(".")
    holder = module.get_submodule(path)
    if own in holder._parameters:
        same = isinstance(value, Parameter) and value.requires_grad == before.requires_grad
        holder._parameters[own] = value if same else Parameter(value, before.requires_grad)  # type: ignore[assignment]
    else:
        holder._buffers[own] = value


def _refuse(module: Module, complaints: list[str]) -> None:
    if complaints:
        lines = "\n\t".join(complaints)
        raise StateError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{lines}")


def _key_complaints(keys: IncompatibleKeys) -> list[str]:
    texts = []
    for title, names in (("Missing", keys.missing_keys), ("Unexpected", keys.unexpected_keys)):
        if names:
            quoted = ", ".join(f'"{name}"' for name in names)
            texts.append(f"{title} key(s) in state_dict: {quoted}. ")
    return texts


def _misfit(name: str, tensor: Tensor, value: Any) -> str:
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{name}", expected a Tensor from checkpoint but received '
            f"{type(value).__name__}"
        )
    if tuple(value.shape) != tuple(tensor.shape):
        return (
            f"size mismatch for {name}: copying a param with shape {tuple(value.shape)} from checkpoint, "
            f"the shape in current model is {tuple(tensor.shape)}."
        )
    return ""


def zero_gradients(tensors: Iterable[Tensor], set_to_none: bool) -> None:
    """Forget the gradients of ``tensors``, or write zeros into them (cutting them from any graph)."""
    is_watched = local.trace.watcher is not None
    for tensor in tensors:
        grad = tensor._grad
        if grad is None:
            continue
        if not set_to_none:
            if grad.requires_grad:  # it came with create_graph=True; zeros have no history
                grad = tensor.grad = grad.detach()
            grad.zero_()
        elif is_watched:
            tensor.grad = None
        else:
            tensor._grad = None
