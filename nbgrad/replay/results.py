"""What a function returns, taken apart and put together again: nested containers of tensors, numbers and the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.number import Number, value_of
from nbgrad.trace.handle import Handle
from nbgrad.trace.record import record, tensor_types
from nbgrad.trace.storage import is_leaf, requires_grad

LEAVES = frozenset(["tensor", "known", "number", "value"])  # of a template's shape
_CONSTANT = frozenset([str, bytes, bool, type(None), int, float, complex])


class Template:
    """The structure of a result. ``shape`` is a nest of tuples: ("tensor", k), ("known", place), ("number", code),
    ("value", it), ("list"/"tuple"/"dict"/class, items...). ``tensors`` numbers the results that are computed, by id."""

    def __init__(self, shape: Any, tensors: dict[int, int]) -> None:
        self.shape = shape
        self.tensors = tensors

    def __len__(self) -> int:
        return len(self.tensors)


def template_of(
    result: Any, places: dict[int, Any], born: dict[int, object], refuse: Callable[[str], None]
) -> tuple[Any, Template]:
    """(result as the caller gets it, its template). Views become tensors of their own: a program's results share no
    memory. Numbers become plain."""
    walk = _Walk(places, born, refuse)
    made, shape = walk.through(result)
    return made, Template(shape, walk.tensors)


class _Walk:
    """One way through a result. (No closures that name themselves: they would keep tensors until garbage is
    collected.)"""

    def __init__(self, places: dict[int, Any], born: dict[int, object], refuse: Callable[[str], None]) -> None:
        self.tensors: dict[int, int] = {}
        self._copies: dict[int, Handle] = {}
        self._places, self._born, self._refuse = places, born, refuse

    def through(self, x: Any) -> tuple[Any, Any]:
        """(``x`` for the caller, its shape)."""
        kind = type(x)
        if kind in tensor_types:
            return self._tensor(x)
        if kind is Number:
            return value_of(x), ("number", x.code)
        if kind in _CONSTANT:
            return x, ("value", kind, x)
        if kind is dict:
            items = [self.through(item) for item in x.values()]
            return dict(zip(x, [a for a, _ in items], strict=True)), ("dict", tuple(x), tuple([t for _, t in items]))
        if kind in (list, tuple) or (isinstance(x, tuple) and hasattr(x, "_fields")):
            items = [self.through(item) for item in x]
            made = [a for a, _ in items]
            return (kind(*made) if hasattr(x, "_fields") else kind(made)), (kind, tuple([t for _, t in items]))
        self._refuse(
            f"the function returns a {kind.__name__}: tensors, numbers, and lists, tuples and dicts of them can be"
        )
        return x, ("value", kind, None)

    def _tensor(self, a: Handle) -> tuple[Any, Any]:
        if id(a) in self._places:
            return a, ("known", self._places[id(a)])
        if a.share is not None and is_leaf(a) and requires_grad(a):  # a copy would be no leaf
            self._refuse("the function returns a leaf that may share its memory: return a clone() of it")
            return a, ("value", type(a), None)
        if a.share is not None or id(a) in self._born:
            if id(a) not in self._copies:
                self._copies[id(a)] = record(CALLS["clone"], (a,))
            a = self._copies[id(a)]
        return a, ("tensor", self.tensors.setdefault(id(a), len(self.tensors)))


def builder_of(shape: Any) -> Callable[[list[Any], Callable[[Any], Any], dict[str, Any]], Any]:
    """A function (computed tensors, place -> tensor, numbers by code) -> result."""
    scope: dict[str, Any] = {}

    def named(x: Any) -> str:
        name = f"x{len(scope)}"
        scope[name] = x
        return name

    text = expression(shape, named, "t[{}]", lambda place: f"known({named(place)})")
    return eval(f"lambda t, known, n: {text}", scope)  # type: ignore[no-any-return]


def expression(shape: Any, named: Callable[[Any], str], tensor: str, known: Callable[[Any], str]) -> str:
    """Python code for a result: ``named`` gives an object a name, ``tensor`` is how a computed tensor is written, with
    {} for its number, ``known`` writes the tensor at a place; ``n`` are the numbers by code."""
    kind, what = shape[:2] if shape[0] != "value" else (shape[0], shape[2])
    if kind == "tensor":
        return tensor.format(what)
    if kind == "number":
        return f"n[{what!r}]"
    if kind in ("known", "value"):
        return known(what) if kind == "known" else named(what)
    inner = [expression(s, named, tensor, known) for s in shape[-1]]
    if kind == "dict":
        return f"{{{', '.join([f'{named(key)}: {x}' for key, x in zip(what, inner, strict=True)])}}}"
    items = "".join([f"{x}, " for x in inner])
    if hasattr(kind, "_fields"):
        return f"{named(kind)}({items})"
    return f"[{items}]" if kind is list else f"({items})"


def parts_in(shape: Any, kind: str) -> list[Any]:
    """Of a result the parts of one ``kind``: the places of the "known", the code of each "number"."""
    if shape[0] in LEAVES:
        return [shape[1]] if shape[0] == kind else []
    return [x for inner in shape[-1] for x in parts_in(inner, kind)]
