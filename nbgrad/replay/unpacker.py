"""The argument unpacker: one generated function from a call's arguments straight to a bound call.

It is written from the key of a form: it looks whether the arguments are of that layout, and takes them apart.
"""

# ruff: noqa: F401  (the code that is written names what is imported here)

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from nbgrad.replay.arguments import DICTS, FLOATING, HIGHEST, LOWEST, Attributed, Inside, Known, Value, modes_of
from nbgrad.replay.bound_call import MISSED
from nbgrad.replay.code import Code
from nbgrad.trace import is_alone, tensor_types, threads

_MOST_VALUES: Final = 1 << 10  # among arguments, with those in their containers: code for more takes long to compile


_NEVER: Final = "False"  # required where only ``Arguments`` can take apart what is there


class Unpacker:
    """Lines that take arguments apart. Each value gets a name, and what the key says of it is required."""

    def __init__(self, form: Any) -> None:
        self._form = form
        self._objects = {id(x): x for x in form.objects}
        self._code = Code(globals() | {"form": form})
        self._tensors: list[str] = []
        self._numbers: list[str] = []
        self._count = 0

    def function(self, epoch: list[int]) -> Callable[..., Any]:
        """A function (trace, args, kwargs) -> result, or MISSED where these are not alike in all that the key of a form
        holds, or no bound call can be made."""
        modes, names, same, *layouts = self._form.key
        self._code.scope["epoch"] = epoch
        self._require(
            str(not same),  # what is given twice only ``Arguments`` takes apart
            f"epoch[0] == {epoch[0]}",
            f"modes_of(trace) == {self._code.name_of(modes)}",
        )
        count = len(layouts) - len(names)
        self._items("args", layouts[:count])
        self._items("kwargs", layouts[count:], names, is_dict=True)
        tensors = self._tensors
        if len(tensors) == 2:
            self._require(f"{tensors[0]} is not {tensors[1]}")
        elif tensors[2:]:
            self._require(f"len({{{', '.join([f'id({t})' for t in tensors])}}}) == {len(tensors)}")
        self._require("form.programs")
        call = f"return program.bound_call({', '.join([*tensors, *self._numbers])})"
        self._code.lines += [
            "program = form.programs[0]",
            "if not program.given:",
            f"    {call}",
            "with threads.lock:",
            f"    if {' and '.join([f'{t}._page is None' for t in tensors]) or True}:",  # none was written meanwhile
            f"        {call}",
            "return MISSED",
        ]
        return self._code.function("unpack(trace, args, kwargs)")  # type: ignore[no-any-return]

    def _require(self, *conditions: str) -> None:
        self._code.lines += [f"if not ({' and '.join(conditions)}):", "    return MISSED"]

    def _items(self, whole: str, layouts: Sequence[Any], names: Sequence[Any] = (), *, is_dict: bool = False) -> None:
        """The items of ``whole``, a list or tuple, or a dict that has them by ``names``."""
        if not all(type(name) is str for name in names) or self._count + len(layouts) > _MOST_VALUES:
            return self._require(_NEVER)
        items = [f"v{k}" for k in range(self._count, self._count + len(layouts))]
        self._count += len(items)
        if is_dict:
            self._require(f"tuple({whole}) == {tuple(names)}" if names else f"not {whole}")
        else:
            self._require(f"len({whole}) == {len(items)}")
        if items:
            self._code.lines.append(f"{', '.join(items)}, = {whole}{'.values()' if is_dict else ''}")
        for item, layout in zip(items, layouts, strict=True):
            self._value(item, layout)

    def _value(self, name: str, layout: Any) -> None:
        if isinstance(layout, type):
            is_small = [f"{LOWEST} <= {name} <= {HIGHEST}"] if layout is int else []
            self._require(f"type({name}) is {layout.__name__}", *is_small)
            self._numbers.append(name)
            return
        if not isinstance(layout, (Value, Known, Inside)):
            own = f"not {name}.__dict__"
            if isinstance(layout, Attributed):
                layout, known = layout
                own = f"{name}.__dict__ is {self._code.name_of(self._objects[known.id])}"
            state = self._code.name_of(layout)
            self._require(f"type({name}) in tensor_types", f"{name}._at is {state}", f"{name}._page is None", own)
            self._require(f"{name}._share is None or is_alone({name})")
            self._tensors.append(name)
            return
        is_kind = f"type({name}) is {self._code.name_of(kind := layout.kind)}"
        if isinstance(layout, Known):
            self._require(f"{name} is {self._code.name_of(self._objects[layout.id])}")
        elif isinstance(layout, Value):  # NaN is NaN, and -0.0 is not 0.0
            text = f"repr({name}) == {str(layout.value)!r}" if kind in FLOATING else ""
            self._require(is_kind, text or f"{name} == {self._code.name_of(layout.value)}")
        else:
            is_dict = not issubclass(kind, (list, tuple))
            if kind is defaultdict or (is_dict and kind not in DICTS and not kind.__dictoffset__):
                return self._require(_NEVER)
            self._require(is_kind)
            whole = name if not is_dict or kind in DICTS else f"vars({name})"
            self._items(whole, layout.items, layout.names, is_dict=is_dict)
