"""One object per text."""

from __future__ import annotations

from nbgrad.tape.kernel import KernelText, Operand, intern


def test_equal_texts_become_one_object() -> None:
    def make() -> KernelText:
        return KernelText("map", 1, 0, (Operand("float32", 1, "in"), Operand("float32", 1, "out")), (), ((0, 1),))

    a, b = make(), make()
    assert a is not b
    assert a == b
    assert hash(a) == hash(b)
    assert intern(a) is intern(b)
