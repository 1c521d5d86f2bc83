"""Random plain programs beside PyTorch, or beside a model of it where it is not installed."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from tests.fuzz import model
from tests.fuzz.programs import Writer
from tests.fuzz.reference import Model, PyTorch, reference
from tests.fuzz.views import VOCABULARIES, difference, differences, tell, write

pytestmark = [pytest.mark.fuzz, pytest.mark.cpu, pytest.mark.filterwarnings("ignore")]

COUNT = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 2, 20)
PART = 10  # programs of one test


@pytest.mark.parametrize("first", range(0, COUNT, PART))
def test_programs_do_what_pytorchs_do(first: int) -> None:
    for seed in range(first, first + PART):
        lines = write(seed, reference())
        found = difference(lines, reference())
        assert found is None, "\n".join([f"seed {seed}: {found.kind}: {found.detail}", *lines])


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is the reference here")
@pytest.mark.parametrize("first", range(0, COUNT, PART))
def test_the_model_does_what_pytorch_does(first: int) -> None:
    theirs, ours = PyTorch(), Model()
    for seed in range(first, first + PART):
        words = VOCABULARIES[seed % len(VOCABULARIES)]._replace(**ours.words)
        lines = Writer(seed, 20, theirs, words).write_all()
        found = next(differences(tell(model, lines), tell(theirs.module, lines), lines), None)
        assert found is None, "\n".join([f"seed {seed}: {found.kind}: {found.detail}", *lines])
