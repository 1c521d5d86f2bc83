"""Every public function says what it gives, and the examples in docstrings run."""

import doctest

import pytest

import nbgrad
from nbgrad.calls.base import CALLS

INTERNAL = {
    "nbgrad.calls.creation",
    "nbgrad.calls.subscript",
    "nbgrad.calls.dropout",
}  # behind creation.py and index expressions


class AnyDevice(doctest.OutputChecker):
    """Takes what a GPU's tensor prints for what a CPU's does: examples are written for the CPU."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, got.replace(", device='cuda:0'", ""), optionflags)


PUBLIC = [name for name, call in CALLS.items() if call.build.__module__ not in INTERNAL]


def test_a_function_is_documented_in_a_sentence() -> None:
    first = {name: (CALLS[name].build.__doc__ or "").strip().partition("\n")[0] for name in PUBLIC}
    assert not {name for name, line in first.items() if not 10 < len(line) <= 120}


@pytest.mark.parametrize("name", [n for n in PUBLIC if ">>>" in (CALLS[n].build.__doc__ or "")])
def test_the_examples_of_a_function_run(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(CALLS[name].build.__doc__ or "", {"nbgrad": nbgrad}, name, name, 0)
    assert doctest.DocTestRunner(AnyDevice()).run(example).failed == 0
