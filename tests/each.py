"""One test for all samples of a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import pytest


def functions(first: Any, last: Any) -> list[Any]:
    """The functions of a file from one to another: a table of cases that forgets none."""
    names = first.__globals__
    lines = range(first.__code__.co_firstlineno, last.__code__.co_firstlineno + 1)
    found = [f for f in names.values() if isinstance(f, FunctionType) and f.__globals__ is names]
    return [f for f in found if f.__code__.co_firstlineno in lines]


def each(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Any]:
    """A test for each name, of all its ``cases``: ``pytest.param``s with ids like ``name-0``.

    To find, begin and report a test takes pytest as long as most samples take. What fails says which sample it was.
    """
    named: dict[str, list[Any]] = {}
    for case in cases:
        named.setdefault(case.id.rpartition("-")[0], []).append(case)

    def test_of(check: Callable[..., None]) -> Any:
        def test(of: str) -> None:
            for case in named[of]:
                try:
                    check(*case.values)
                except BaseException as error:
                    error.add_note(f"the sample {case.id}")
                    raise

        test.__doc__, test.__module__ = check.__doc__, check.__module__
        return pytest.mark.parametrize("of", named)(test)

    return test_of
