"""A kernel's text that LLVM does not take, which would be a bug of ours, is one error and no lasting damage."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.errors import RunError
from nbgrad.kernels import compile as compiling


def test_it_is_an_error_of_the_value_that_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    emitted = compiling.emitted

    def broken(texts: Any, target: Any) -> str:
        text = emitted(texts, target)
        return text.replace("fmul", "no_operation") if "fmul" in text else text

    x = nb.tensor([1.0, 2.0, 5.0])
    with override(compile="eager"):
        monkeypatch.setattr(compiling, "emitted", broken)
        y, z = (x * 3.0 * x).sqrt(), -x
        with pytest.raises(RunError, match="LLVM refuses the text of a kernel, which is a bug of nbgrad"):
            y.tolist()
        assert z.tolist() == [-1.0, -2.0, -5.0]
        monkeypatch.undo()
        for _ in range(3):
            assert (nb.tensor([1.0, 2.0]) + 3.0).tolist() == [4.0, 5.0]
