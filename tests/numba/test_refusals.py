"""Things that cannot work with Numba: each is an error that says what, at the user's line; none is a wrong number."""

from __future__ import annotations

import importlib
import re
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, NbgradError
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


LOOKS: dict[str, Callable[[Any], Any]] = {
    "item": lambda x: x * x[0].item(),
    "float": lambda x: x * float(x[1]),
    "tolist": lambda x: nb.tensor(x.tolist()),
    "numpy": lambda x: nb.tensor(x.detach().numpy()) * 2.0,
    "a text": lambda x: x * len(str(x)),
    "data": lambda x: nb.tensor(x.data.numpy()) * 2.0,
}


@pytest.mark.xfail(
    strict=True, reason="nbgrad.numba.njit notices looks at what was computed, not at its arguments' memory"
)
@pytest.mark.parametrize("look", LOOKS)
def test_a_look_at_an_argument_is_refused(look: str) -> None:
    with pytest.raises(ArgumentError, match="looks at values"):
        nbgrad.numba.njit(LOOKS[look], np.zeros(3))


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 100
