"""What reducing no elements gives."""

from __future__ import annotations

import pytest

from nbgrad import errors
from nbgrad.graph.dtypes import bool_, float32, int8
from nbgrad.ops.reduce import identity


def test_each_reduction_begins_with_what_changes_nothing() -> None:
    assert [identity(name, float32) for name in ("sum", "prod", "amax", "amin")] == [0, 1, float("-inf"), float("inf")]
    assert [identity(name, int8) for name in ("amax", "amin")] == [-128, 127]
    assert [identity(name, bool_) for name in ("amax", "amin")] == [False, True]


def test_a_reduction_that_does_not_say_what_it_begins_with_is_refused() -> None:
    with pytest.raises(errors.MissingRuleError, match="xor: nothing says"):
        identity("xor", int8)
