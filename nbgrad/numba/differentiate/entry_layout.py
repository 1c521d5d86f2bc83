"""What an entry of a group holds, and LLVM text that reads and writes it.

An entry is ``{f64 partials[], u32 places[], u32 group}``, without padding. Constants are part of the code.

Of a group that a loop writes alone, entries in a row are one, a *run*, as far as they are alike: operands that the loop
does not change are there once (*fixed*), and so are places that go on in equal steps, by the first and the step. It is
``{f64 fixed partials[], u32 fixed places[], {u32 first, step} places[], {f64 partials[]} items[count], u32 count, u32
group}``. Whether an item continues the run is asked when it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Group(NamedTuple):
    """What the code of an entry depends on; names are ``%r`` of records, ``%p`` of places, ``%d`` of numbers."""

    records: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    seen: tuple[str, ...]
    places: int
    partials: int
    fixed: tuple[str, ...] | None = None  # of a run

    @property
    def size(self) -> int:
        """Of an entry, in bytes; of a run, with one item. At least 4 for each result, so that ``MOST_PLACES`` holds."""
        if self.fixed is not None:
            return self.head + self.item + 8
        return max(8 * self.partials + 4 * self.places + 4, 4 * len(self.seen))

    @property
    def head(self) -> int:
        return 8 * len(self.chosen("%d", True)) + 4 * len(self.chosen("%p", True)) + 8 * len(self.chosen("%p", False))

    @property
    def item(self) -> int:
        return max(8 * len(self.chosen("%d", False)), 4 * len(self.seen))

    def chosen(self, kind: str, is_fixed: bool) -> list[str]:
        """The partials or places of a run that are fixed, or those that are not."""
        n = self.partials if kind == "%d" else self.places
        return [name for k in range(n) if ((name := f"{kind}{k}") in (self.fixed or ())) is is_fixed]


def distinct(names: object) -> list[str]:
    return list(dict.fromkeys(names))  # type: ignore[call-overload]


def phi(name: str, start: str, others: Sequence[str]) -> str:
    incoming = [f"[ %{name}.0, %{start} ]", *[f"[ %{name}.{k + 1}, %{other} ]" for k, other in enumerate(others)]]
    return f"  %{name} = phi i64 {', '.join(incoming)}"


def address(name: str, base: str, offset: int) -> list[str]:
    return [f"  %{name}.a = add i64 {base}, {offset}", f"  %{name}.p = inttoptr i64 %{name}.a to ptr"]


def load(kind: str, name: str, base: str, offset: int) -> list[str]:
    return [*address(name, base, offset), f"  %{name} = load {kind}, ptr %{name}.p, align 4"]


def word(name: str, k: int) -> list[str]:
    return [f"  %{name}.p = getelementptr i64, ptr %tape, i64 {k}", f"  %{name} = load i64, ptr %{name}.p"]


def store(kind: str, name: str, value: str, base: str, offset: int) -> list[str]:
    return [*address(name, base, offset), f"  store {kind} {value}, ptr %{name}.p, align 4"]
