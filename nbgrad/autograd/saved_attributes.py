"""``grad_fn._saved_self``, ``_saved_dim``, ``_raw_saved_self``: what nodes show of what they have saved. Loaded when
somebody asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nbgrad.autograd.grad_mode import no_grad
from nbgrad.autograd.nodes import Node, place_of
from nbgrad.autograd.saved import Kept, Saved
from nbgrad.autograd.saved_calls import Names, names_at, pack_later, require_unpacked, saved_tensor
from nbgrad.autograd.saved_hooks import packed_by
from nbgrad.autograd.saved_values import values_at
from nbgrad.errors import DTypeError, RunError
from nbgrad.trace import Handle, Trace, holding


class SavedTensor:
    """What a node has saved of one tensor: ``node._raw_saved_self``."""

    __slots__ = ("_pack",)
    _pack: Callable[[Callable[[Handle], Kept]], object] | None  # saves it by what is given; None: it is None

    def __init__(self, *_: object) -> None:
        raise RunError("Trying to create a SavedTensor object from Python is forbidden.")

    def register_hooks(self, pack_hook: Any, unpack_hook: Any = None) -> None:
        """Give ``pack_hook`` the tensor now, and keep what that gives in its place: a derivative reads what
        ``unpack_hook`` makes of it. RuntimeError where it has hooks, was freed, or is None."""
        for hook in (pack_hook, unpack_hook):
            if not callable(hook):
                raise DTypeError(
                    "register_hooks(): incompatible function arguments: pack_hook and unpack_hook must be callable, "
                    f"not {type(hook).__name__}"
                )
        if self._pack is None:
            raise RunError("Calling register_hooks on a saved tensor with value None is forbidden")
        self._pack(lambda a: packed_by(a, pack_hook, unpack_hook))


def attribute(node: Node, name: str) -> Any:
    """The attribute ``name`` of a node. AttributeError for one that is not there; RuntimeError where it was freed."""
    is_raw, short = name.startswith("_raw"), name.partition("saved_")[2]
    places = _names(node)
    found = {} if is_raw else _values(node)
    place = places.get(short)
    if place is not None or (short in places and found.get(short) is None):
        give = _raw if is_raw else _tensor
        return tuple([give(node, k) for k in place]) if isinstance(place, tuple) else give(node, place)
    if short in found:
        return found[short]
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")


def names(node: Node) -> list[str]:
    """The names of what is there."""
    places = [*_names(node)]
    return [f"_saved_{name}" for name in [*places, *_values(node)]] + [f"_raw_saved_{name}" for name in places]


@holding
def _names(trace: Trace, node: Node) -> Names:
    return names_at(place_of(trace, node))


@holding
def _values(trace: Trace, node: Node) -> dict[str, Any]:
    return values_at(place_of(trace, node))


@holding
def _tensor(trace: Trace, node: Node, place: int | None) -> Handle | None:
    return None if place is None else saved_tensor(trace, place_of(trace, node), node._tensor, place)


def _raw(node: Node, place: int | None) -> SavedTensor:
    return _made(None if place is None else partial(pack_later, node._tensor, place))


def _made(pack: Callable[[Callable[[Handle], Kept]], object] | None) -> SavedTensor:
    made = SavedTensor.__new__(SavedTensor)
    made._pack = pack
    return made


def raw_tensors(ctx: Any) -> tuple[SavedTensor, ...]:
    """What a custom function has given to ``save_for_backward``. RuntimeError where that was freed."""
    count = len(ctx.saved_tensors)

    def pack(k: int, pack: Callable[[Handle], Kept]) -> None:
        require_unpacked(ctx._freed, isinstance(ctx._kept and ctx._kept[k], Saved))
        with no_grad():
            ctx._kept[k] = pack(ctx._kept[k].tensor().detach())

    return tuple([_made(None if ctx._kept[k] is None else partial(pack, k)) for k in range(count)])
