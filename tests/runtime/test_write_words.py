import os
import pathlib
import re
import subprocess
import sys

import pytest

from nbgrad.kernels.numba_text import made_by
from nbgrad.runtime.word_code import text_of
from nbgrad.runtime.word_functions import FUNCTIONS


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The texts as Numba makes them here."""
    folder = tmp_path_factory.mktemp("texts")
    command = [sys.executable, "-m", "nbgrad.runtime.write_words", str(folder)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    return {what: pathlib.Path(folder, f"{what}.ll").read_text() for what in FUNCTIONS}


def test_the_texts_that_come_with_the_package_are_those_of_their_source(now: dict[str, str]) -> None:
    if not text_of("runner").startswith(f"; {made_by()}\n"):
        pytest.skip("the texts were made with other versions, which write the same otherwise")
    for what, text in now.items():
        assert text == text_of(what), "run python -m nbgrad.runtime.write_words"


@pytest.mark.parametrize("what", list(FUNCTIONS))
def test_the_text_is_the_same_on_every_machine(what: str) -> None:
    assert {*re.findall(r"@llvm\.\w+", text_of(what))} <= {"@llvm.smin", "@llvm.smax"}
    assert " x i" not in text_of(what)  # a vector is as long as some machine's registers
    assert "target" not in text_of(what)
