"""The way from a call's arguments straight to a steady call, as one generated function: it looks whether they are like
those of a form whose program is steady, and takes them apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np

from nbgrad.device import default_place
from nbgrad.graph.dtypes import get_default_dtype
from nbgrad.replay.arguments import BY_VALUE, DICTS, HIGHEST, LOWEST, inside, is_bound
from nbgrad.replay.bound_call import MISSED, never
from nbgrad.replay.code import Code
from nbgrad.trace.handle import Handle, Trace, threads
from nbgrad.trace.record import tensor_types
from nbgrad.trace.storage import is_alone, is_simple

_MOST_VALUES: Final = 1 << 10  # among arguments, with those in their containers: code for more takes long to compile


class _NoHead(Exception):
    """There is something among the arguments that only ``Arguments`` takes apart."""


def head_of(
    form: Any, epoch: list[int], trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., Any]:
    """A function (trace, args, kwargs) -> result, or MISSED where these are not alike in all that the key of a form
    holds, or no steady call can be made."""
    head = _Head()
    try:
        head.modes(trace, epoch)
        head.items("args", args, is_outer=True)
        head.items("kwargs", kwargs, is_outer=True)
        return head.function(form)
    except _NoHead:
        return never


class _Head:
    """Lines that take arguments apart. Each value gets a name, and what the key says of it is required."""

    def __init__(self) -> None:
        self._code = Code({"MISSED": MISSED, "dtype": get_default_dtype, "place": default_place, "threads": threads})
        self._code.scope["is_alone"] = is_alone
        self._tensors: dict[int, str] = {}
        self._numbers: list[str] = []
        self._count = 0

    def modes(self, trace: Trace, epoch: list[int]) -> None:
        self._code.scope["epoch"] = epoch
        self._require(
            f"trace.grad_enabled is {trace.grad_enabled}",
            f"trace.inference is {trace.inference}",
            f"dtype() is {self._code.name_of(get_default_dtype())}",
            f"epoch[0] == {epoch[0]}",
            f"place() == {default_place()}",
        )

    def items(self, whole: str, items: Collection[Any], *, is_outer: bool = False) -> None:
        """The items of ``whole``, a list or tuple, or a dict that has them by name."""
        names = [f"v{k}" for k in range(self._count, self._count + len(items))]
        self._count += len(items)
        if self._count > _MOST_VALUES or (isinstance(items, dict) and not all(type(key) is str for key in items)):
            raise _NoHead
        if not isinstance(items, dict):
            self._require(f"len({whole}) == {len(items)}")
        else:
            self._require(f"tuple({whole}) == {tuple(items)}" if items else f"not {whole}")
        if names:
            self._code.lines.append(f"{', '.join(names)}, = {whole}{'.values()' if isinstance(items, dict) else ''}")
        for name, item in zip(names, items.values() if isinstance(items, dict) else items, strict=True):
            self._value(name, item, is_outer)

    def _require(self, *conditions: str) -> None:
        self._code.lines += [f"if not ({' and '.join(conditions)}):", "    return MISSED"]

    def _value(self, name: str, x: Any, is_outer: bool) -> None:
        kind = type(x)
        is_kind = f"type({name}) is {self._code.name_of(kind)}"
        if kind in tensor_types:
            self._tensor(name, x, is_kind)
        elif is_outer and is_bound(x):
            self._require(is_kind, *([f"{LOWEST} <= {name} <= {HIGHEST}"] if kind is int else []))
            self._numbers.append(name)
        elif kind in BY_VALUE:
            self._plain(name, x, is_kind)
        elif (items := inside(x)) is not None:
            is_row = isinstance(x, (list, tuple))
            if kind is defaultdict or not (is_row or kind in DICTS or hasattr(x, "__dict__")):
                raise _NoHead
            self._require(is_kind)
            self.items(name if is_row or kind in DICTS else f"vars({name})", x if is_row else items)
        elif isinstance(x, (np.ndarray, np.generic)):
            raise _NoHead
        else:
            self._require(f"{name} is {self._code.name_of(x)}")

    def _plain(self, name: str, x: Any, is_kind: str) -> None:
        """A value that is known by its kind and what it is: NaN is NaN, and -0.0 is not 0.0."""
        if type(x) in (float, complex):
            self._require(is_kind, f"repr({name}) == {repr(x)!r}")
        else:
            self._require(is_kind, f"{name} == {self._code.name_of(x)}")

    def _tensor(self, name: str, a: Handle, is_kind: str) -> None:
        if a.page is not None or id(a) in self._tensors or (a.share is not None and not is_simple(a.share)):
            raise _NoHead
        state = self._code.name_of(a.at)
        self._require(
            is_kind, f"{name}.at is {state}", f"{name}.page is None", f"({name}.share is None or is_alone({name}))"
        )
        self._tensors[id(a)] = name

    def function(self, form: Any) -> Callable[..., Any]:
        tensors = [*self._tensors.values()]
        if len(tensors) == 2:
            self._require(f"{tensors[0]} is not {tensors[1]}")
        elif tensors[2:]:
            self._require(f"len({{{', '.join([f'id({t})' for t in tensors])}}}) == {len(tensors)}")
        self._code.scope["form"] = form
        self._require("form.programs")
        steady = f"return program.steady.call({', '.join([*tensors, *self._numbers])})"
        self._code.lines += [
            "program = form.programs[0]",
            "if not program.writes:",
            f"    {steady}",
            "with threads.lock:",
            f"    if {' and '.join([f'{t}.page is None' for t in tensors]) or True}:",  # none was written meanwhile
            f"        {steady}",
            "return MISSED",
        ]
        function: Callable[..., Any] = self._code.function("head(trace, args, kwargs)")
        return function
