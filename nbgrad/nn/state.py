"""A model's state as a dict of tensors: taking it, putting it back, and clearing gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgrad.autograd import no_grad
from nbgrad.errors import DTypeError, StateError
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


def collect(module: Module, prefix: str = "", keep_vars: bool = False) -> dict[str, Tensor]:
    """Parameters and saved buffers of ``module`` by dotted name, a shared one under each of its names."""
    return {name: tensor if keep_vars else tensor.detach() for name, tensor in _members(module, prefix)}


def _members(module: Module, prefix: str) -> Iterator[tuple[str, Tensor]]:
    for name, param in module._parameters.items():
        if param is not None:
            yield prefix + name, param
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._unsaved_buffers:
            yield prefix + name, buffer
    for name, child in module._modules.items():
        if child is not None:
            yield from _members(child, f"{prefix}{name}.")


def load(module: Module, given: Mapping[str, Any], strict: bool) -> IncompatibleKeys:
    """Copy ``given`` into ``module``; StateError with all complaints, before anything is written."""
    if not isinstance(given, Mapping):
        raise DTypeError(f"Expected state_dict to be dict-like, got {type(given).__name__}.")
    own = dict(_members(module, ""))
    keys = IncompatibleKeys([k for k in own if k not in given], [k for k in given if k not in own])
    pairs = [(name, tensor, given[name]) for name, tensor in own.items() if name in given]
    complaints = _key_complaints(keys) if strict else []
    complaints += [text for text in (_misfit(*pair) for pair in pairs) if text]
    if complaints:
        lines = "\n\t".join(complaints)
        raise StateError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{lines}")
    with no_grad():
        for _, tensor, value in pairs:
            tensor.copy_(value)
    return keys


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
