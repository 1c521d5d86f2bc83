"""What a function returns, taken apart and put together again: nested containers of tensors, numbers and the rest."""

from __future__ import annotations

import weakref
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgrad.calls.base import CALLS
from nbgrad.calls.views import ViewStep
from nbgrad.number import Number, code_of, value_of
from nbgrad.replay.arguments import DATA_DEPENDENT
from nbgrad.trace import (
    CUSTOM,
    PLAIN,
    Handle,
    Leaf,
    alias_of,
    entry_of,
    is_leaf,
    is_view,
    local,
    make_tensor,
    others_of,
    record,
    requires_grad,
    seen_through,
    share_of,
    sharing,
    spec_of,
    tensor_types,
)

if TYPE_CHECKING:
    from nbgrad.replay.recorder import Recorder


class Template(NamedTuple):
    """How a result is made anew, as Python expressions: ``text`` of the result, ``state`` of what is left in the places
    of tensors. ``y0``... are the results that are computed, ``tensors`` numbers them by id; ``p0``... are ``parts``:
    ("known", place) or ("value", it); n[code] are ``numbers``, by code. ``shown`` are the ids of results that show the
    memory of another one."""

    text: str
    state: str
    tensors: dict[int, int]
    shown: set[int]
    parts: list[tuple[str, Any]]
    numbers: list[str]


class ResultWalk:
    """One way through a result, whose ``template`` is wanted. Tensors are known by their ``places``, or were born in
    the call ``watched``. Objects that the function has held before stay what they are; those that were ``given`` to it
    are refused, by id. ``copies`` are what a program computes in the place of a tensor, by its id. (No closures that
    name themselves: they would keep tensors until garbage is collected.)
    """

    def __init__(self, watched: Recorder, places: dict[int, Any], given: Collection[int]) -> None:
        self._made = Template("", "", {}, set(), [], [])
        self.copies: dict[int, Handle] = {}
        self._seen: dict[int, int] = {}  # by id of an object that may be met again, -1 while it is being looked at
        self._watched, self._places, self._given = watched, places, given

    def template(self, result: Any, state: list[Any]) -> Template:
        """How the result is made, and what stands in the places of tensors."""
        text = self.through(result)
        left = f"({''.join([f'{self.kept(a)}, ' for a in state])})"
        return self._made._replace(text=text, state=left)

    def _part(self, kind: str, what: Any) -> str:
        self._made.parts.append((kind, what))
        return f"p{len(self._made.parts) - 1}"

    def _code(self, code: str) -> str:
        self._made.numbers.append(code)
        return f"n[{code!r}]"

    def through(self, x: Any) -> str:
        """The expression of ``x``."""
        kind = type(x)
        if kind in tensor_types:
            return self._tensor(x)
        if kind is Number:
            return self._code(x.code)
        if kind in DATA_DEPENDENT or id(x) in self._watched.captured.objects:
            return self._part("value", x)
        if self._seen.get(id(x), -1) >= 0:
            return f"again{self._seen[id(x)]}"
        if kind in (dict, list, tuple) or (isinstance(x, tuple) and hasattr(x, "_fields")):
            return self._several(x)
        return self._refused(
            f"the function returns a {kind.__name__}: tensors, numbers, and lists, tuples and dicts of them can be"
        )

    def _refused(self, why: str) -> str:
        self._watched.refuse_at_end(why)
        return "None"

    def _several(self, x: Any) -> str:
        if id(x) in self._seen or (id(x) in self._given and not isinstance(x, tuple)):
            return self._refused("the function returns a container that it was given, or one with itself inside")
        self._seen[id(x)] = -1
        if isinstance(x, dict):
            items = "".join([f"{self._part('value', key)}: {self.through(item)}, " for key, item in x.items()])
            return self._once(x, f"{{{items}}}")
        items = "".join([f"{self.through(item)}, " for item in x])
        name = self._part("value", type(x)) if hasattr(x, "_fields") else ""
        return self._once(x, f"[{items}]" if type(x) is list else f"{name}({items})")

    def _once(self, x: Any, text: str) -> str:
        """An object that may be met again."""
        number = self._seen[id(x)] = len(self._seen)
        return f"(again{number} := {text})"

    def _tensor(self, a: Handle) -> str:
        if id(a) in self._places:
            return self._part("known", self._places[id(a)])
        if id(a) in self._seen:
            return f"again{self._seen[id(a)]}"
        if vars(a):
            return self._refused("a tensor that the function makes, and gives attributes, is kept")
        share = share_of(a)
        if share is None:
            return self._computed(a) if id(a) not in self._watched.born_here else self._copy(a)
        if share.root is None and requires_grad(a) and is_leaf(a):
            return self._refused("the function returns a leaf that may share its memory: return a clone() of it")
        if is_view(a):
            return self._view(a)
        known = next((b for b in others_of(a) if id(b) in self._places or id(b) in self._made.tensors), None)
        if known is not None:
            return self._alias(a, known)
        if id(a) in self._watched.born_here:
            return self._refused("the function returns a tensor of the program's own data that has views or aliases")
        entry_of(local.trace, a)  # another one that shows its memory may have been written
        return self._computed(a)

    def _computed(self, a: Handle) -> str:
        return f"y{self._made.tensors.setdefault(id(a), len(self._made.tensors))}"

    def _copy(self, a: Handle) -> str:
        """A copy of a tensor, computed in the call: of one that is not, or that keeps more than it shows."""
        if requires_grad(a) and is_leaf(a):
            return self._refused("the function returns a leaf that it has made")
        if id(a) not in self.copies:
            self.copies[id(a)] = record(CALLS["clone"], (a,))
        return self._computed(self.copies[id(a)])

    def _view(self, a: Handle) -> str:
        share, (root, steps, is_alias) = sharing(a), self._watched.way_to(a)
        is_known = id(root) in self._places
        is_protected = share.kind == CUSTOM or (share.kind != PLAIN and share.counted != share.counter[0])
        is_older = root._share and root._share.steps and not is_known
        if is_protected or is_older or requires_grad(a) != requires_grad(root):
            return self._refused("the function returns a view with a history of its own: clone() it")
        if not is_known and id(root) in self._watched.born_here:
            return self._refused("the function returns a view of a tensor of the program's own data: clone() it")
        base = self._tensor(root)
        if is_alias:
            base = f"detach({base}, counts={share.counter is sharing(root).counter})"
            if not steps:
                self._made.shown.add(id(a))
                return self._once(a, base)
        codes = [[self._code(code) if (code := code_of(n)) is not None else repr(n) for n in s[2]] for s in steps]
        numbers = [f"({''.join([f'{code}, ' for code in several])})" for several in codes]
        share.steps = tuple([(*s[:2], tuple(map(value_of, s[2])), s[3]) for s in share.steps])
        state = Leaf.of(spec_of(a), requires_grad(a), not requires_grad(a), a._at.inference)
        self._made.shown.add(id(a))
        bare = tuple([(call, marks, (), statics) for call, marks, _, statics in steps])
        is_own = share.root is not None and alias_of(share.root) is a and not is_alias
        made = self._part("value", (bare, share.kind, state, share.born is not None, is_own))
        return self._once(a, f"view_at({', '.join([base, *numbers])}, made={made})")

    def _alias(self, a: Handle, known: Handle) -> str:
        if requires_grad(a):
            return self._refused("the function returns tensors that share memory, with histories of their own")
        self._made.shown.add(id(a))
        counts = sharing(a).counter is sharing(known).counter
        return self._once(a, f"detach({self._tensor(known)}, counts={counts})")

    def kept(self, a: Any) -> str:
        """The same of what is left in the place of a tensor: what no result and no other tensor shows."""
        if type(a) not in tensor_types or id(a) in self._places or vars(a) or share_of(a) is None:
            return self.through(a)
        shown = {id(b) for b in (self._watched.way_to(a)[0], *others_of(a))}
        is_known = not shown.isdisjoint([*self._places, *self._made.tensors])
        if is_known or id(a) in self._seen or self._watched.arguments.show_memory_of([a]):
            return self._refused("a view or an alias of another tensor is kept: clone() it")
        return self._copy(a) if is_view(a) else self._tensor(a)


def view_at(root: Handle, *numbers: Any, made: tuple[tuple[ViewStep, ...], int, Leaf, bool, bool]) -> Handle:
    """What a result shows of another one, or of a tensor that was there, with these numbers in its steps."""
    bare, kind, state, is_detached, is_own = made
    steps = tuple([(call, marks, own, statics) for (call, marks, _, statics), own in zip(bare, numbers, strict=True)])
    y = make_tensor()
    y._at = state
    y._share = share = seen_through(root, steps, kind)
    share.seen, share.born = -1, local.trace.segment.token if is_detached else None
    if is_own and root._share is not None:
        root._share.shown = weakref.ref(y)
    return y
