import pytest

from nbgrad.runtime.word_code import text_of
from nbgrad.runtime.word_functions import FUNCTIONS
from nbgrad.runtime.write_words import text_now


@pytest.mark.parametrize("what", list(FUNCTIONS))
def test_the_text_that_comes_with_the_package_is_that_of_its_source(what: str) -> None:
    assert text_of(what) == text_now(what), "run python -m nbgrad.runtime.write_words"


@pytest.mark.parametrize("what", list(FUNCTIONS))
def test_the_text_is_the_same_on_every_machine(what: str) -> None:
    assert "llvm." not in text_of(what)
    assert "declare" not in text_of(what)
