"""Object code: complete, repeatable, loadable in numbers, and alike in every batch."""

from __future__ import annotations

import re
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest

from nbgrad.kernels.compile import _loops_as_written, asm_text, compile_kernels, llvm_text
from nbgrad.kernels.engine import Engine, new_machine
from nbgrad.kernels.target import Target, host, named
from nbgrad.tape.kernel import KernelText, Operand, Reduction, Stmt
from tests.fresh import printed
from tests.kernels.harness import SIGNATURE, TARGETS, same_bits
from tests.kernels.objects import undefined_symbols

FUNCTIONS = ("exp", "log", "sin", "cos", "tanh", "sqrt", "floor", "round")


def unary(*ops: str, dtype: str = "float32") -> KernelText:
    """out = ops one after the other."""
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    stmts = tuple([Stmt(op, (0 if i == 0 else 1 + i,), (), dtype) for i, op in enumerate(ops)])
    return KernelText("map", 1, 0, operands, stmts, ((1 + len(ops), 1),))


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF")
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
def test_code_needs_nothing_from_outside_but_fma_on_old_cpus(target: Target) -> None:
    texts = [unary(*FUNCTIONS), unary(*FUNCTIONS * 3, dtype="float64")]
    operands = (Operand("float64", 1, "in"), Operand("float64", 0, "out"))
    for form, rank in (("row", 1), ("column", 1)):
        stmts = (Stmt("fmod", (0, 0), (), "float64"), Stmt("cast", (2,), ("int64",), "int64"))
        out = (operands[0], Operand("float64", int(form == "column"), "out"))
        texts.append(KernelText(form, rank, 1, out, stmts, (), (Reduction("amax", (2,), (1,)),)))
    needed = undefined_symbols(compile_kernels(texts, target))
    assert needed <= (set() if target.has_fma else {"fma", "fmaf"})


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
def test_the_same_texts_give_the_same_object(target: Target) -> None:
    texts = [unary("exp"), unary("tanh", "floor")]
    assert compile_kernels(texts, target) == compile_kernels(texts, target)


def test_another_process_gives_the_same_object() -> None:
    script = (
        "import hashlib, sys; from nbgrad.kernels.compile import compile_kernels;"
        "from nbgrad.kernels.target import named; from nbgrad.tape.kernel import KernelText;"
        "t = KernelText.from_json(sys.argv[1]);"
        "print(hashlib.sha256(compile_kernels([t], named('haswell'))).hexdigest())"
    )
    import hashlib

    text = unary("exp", "log")
    here = hashlib.sha256(compile_kernels([text], named("haswell"))).hexdigest()
    assert printed("-c", script, text.to_json()).strip() == here


def test_a_kernel_has_the_same_bits_alone_and_in_a_batch() -> None:
    """In a batch, kernels share the copies of elementary functions."""
    texts = [unary(*FUNCTIONS[:6] * n) for n in (1, 2, 3)]
    x = np.linspace(0.1, 0.9, 100).astype("float32")
    together = Engine()
    together.load(compile_kernels(texts, host()))
    for text in texts:
        alone = Engine()
        alone.load(compile_kernels([text], host()))
        results = []
        for engine in (alone, together):
            out = np.zeros_like(x)
            desc = np.array([x.size, x.ctypes.data, 4, out.ctypes.data, 4], np.int64)
            assert SIGNATURE(engine.address(text.symbol))(desc.ctypes.data, 0, x.size) == 0
            results.append(out)
        assert same_bits(*results)


def test_one_engine_holds_many_objects() -> None:
    engine = Engine()
    addresses = set()
    for n in range(60):
        text = unary(*["neg", "sqrt"] * (n // 2), *["abs"] * (n % 2 + 1))
        engine.load(compile_kernels([text], host()))
        addresses.add(engine.address(text.symbol))
    assert len(addresses) == 60
    assert 0 not in addresses


def test_an_unknown_symbol_has_no_address() -> None:
    assert Engine().address("nbk_nobody") == 0


def test_texts_for_logs_name_the_kernel() -> None:
    text = unary("exp")
    assert f"define i32 @{text.symbol}" in llvm_text(text)
    assert re.search(rf"^{text.symbol}:", asm_text(text, named("haswell")), re.M)
    assert "ymm" in asm_text(text, named("haswell"))


def test_code_carries_no_fast_math_and_no_contraction() -> None:
    operands = tuple(Operand("float32", 1, role) for role in ("in", "in", "out"))
    stmts = (Stmt("mul", (0, 1), (), "float32"), Stmt("add", (3, 0), (), "float32"))
    text = KernelText("map", 1, 0, operands, stmts, ((4, 2),))
    assert "fast" not in llvm_text(text)
    assert "fmadd" not in asm_text(text, named("haswell"))


def test_whole_vectors_are_stored_without_a_mask_where_masked_stores_take_long() -> None:
    text = unary(*["sigmoid"] * 8)  # too much code for a main loop beside the masked one
    with_avx2, with_avx512 = (llvm_text(text, named(cpu)) for cpu in ("haswell", "skylake-avx512"))
    plain = re.compile(r"store <\d+ x float> %")
    assert "masked.store" in with_avx2
    assert plain.search(with_avx2)
    assert "masked.store" in with_avx512
    assert not plain.search(with_avx512)


_COUNTING = """
define void @nbc_counting(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %scaled = mul i64 %i, 24
  %at = getelementptr i8, ptr %p, i64 %scaled
  store i64 %i, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def test_what_others_compile_with_llvm_is_made_as_ever() -> None:
    def code() -> str:
        return str(new_machine(host()).emit_assembly(llvm.parse_assembly(_COUNTING)))

    before = code()
    compile_kernels([unary("exp")], host())
    asm_text(unary("exp"))
    assert code() == before
    with _loops_as_written([unary("exp")]):
        assert code() != before
    assert code() == before
