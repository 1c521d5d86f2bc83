"""Things that cannot work with Numba: each is an error that says what, at the user's line; none is a wrong number."""

from __future__ import annotations

import importlib
import re
import traceback

import pytest

from nbgrad.errors import NbgradError
from tests.numba.refused.case import CASES

for form in ("elementwise", "operator", "export", "differentiate"):
    importlib.import_module(f"tests.numba.refused.{form}")


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_work_is_an_error_at_the_line(name: str) -> None:
    case = CASES[name]
    with pytest.raises(case.kind, match=case.text) as caught:
        case.attempt(case.function)
    said = str(caught.value)
    if not isinstance(caught.value, NbgradError):  # Numba's own: where it is called, or the line that it compiled
        said += "\n".join([f"{f.filename}:{f.lineno}" for f in traceback.extract_tb(caught.value.__traceback__)])
    assert re.search(case.place, said, re.MULTILINE), said


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 100
