import os
import pathlib
import re
import subprocess
import sys

import pytest

from nbgrad.kernels.library.emit import family_path
from nbgrad.kernels.library.forms import FAMILIES
from nbgrad.kernels.numba_text import made_by
from nbgrad.numba.differentiate import tape_calls
from nbgrad.runtime.word_code import text_path
from nbgrad.runtime.word_functions import FUNCTIONS

PATHS = {**{what: text_path(what) for what in FUNCTIONS}, **{family: family_path(family) for family in FAMILIES}}
PATHS["tape"] = tape_calls.PATH
TEXTS = {what: pathlib.Path(path).read_text() for what, path in PATHS.items()}


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The texts as Numba makes them here."""
    folder = tmp_path_factory.mktemp("texts")
    command = [sys.executable, "-m", "nbgrad.runtime.write_words", str(folder)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    return {what: pathlib.Path(folder, f"{what}.ll").read_text() for what in TEXTS}


def test_the_texts_that_come_with_the_package_are_those_of_their_source(now: dict[str, str]) -> None:
    if not TEXTS["runner"].startswith(f"; {made_by()}\n"):
        pytest.skip("the texts were made with other versions, which write the same otherwise")
    for what, text in now.items():
        assert text == TEXTS[what], "run python -m nbgrad.runtime.write_words"


@pytest.mark.parametrize("what", list(TEXTS))
def test_the_text_is_the_same_on_every_machine(what: str) -> None:
    assert {*re.findall(r"@llvm\.\w+", TEXTS[what])} <= {"@llvm.smin", "@llvm.smax", "@llvm.fabs"}
    assert not re.search(r"<\d+ x ", TEXTS[what])  # a vector is as long as some machine's registers
    assert "target" not in TEXTS[what]


def test_the_functions_for_float32_are_those_of_every_float() -> None:
    """And of integers, which Numba would add up in 64 bits."""
    script = """if True:
        from nbgrad.graph.dtypes import float64
        from nbgrad.kernels.library.build import functions_text
        from nbgrad.kernels.library.emit import for_items, functions_of
        from nbgrad.kernels.library.forms import ANY, COMPILED

        def defined(text):
            return next(part for part in text.rstrip().split("\\n\\n") if part.startswith("define "))

        def wide(text):
            return for_items(text, float64).replace("_float32", "_float64")

        for form in {form for form in COMPILED if form.items == (ANY,)}:
            name = form.function
            made = defined(functions_text([(name, "float64")]))
            if made != wide(functions_of(form.family)[f"{name}_{ANY}"]):  # values' numbers may tell what else was made
                assert made == wide(defined(functions_text([(name, ANY)]))), name
    """
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "NUMBA_OPT": "0"})
