"""The text that the builder writes is what LLVM takes, line by line."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from nbgrad.kernels import ir

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
F32, F64, VOID = ir.FLOAT, ir.DOUBLE, ir.VOID
POINTER = ir.PointerType()
FOUR = ir.VectorType(F32, 4)


def new(result: ir.Type, *args: ir.Type, name: str = "f") -> tuple[ir.Module, ir.Function, ir.IRBuilder]:
    module = ir.Module("test")
    function = ir.Function(module, ir.FunctionType(result, args), name)
    return module, function, ir.IRBuilder(function)


def verified(module: ir.Module) -> str:
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    return str(parsed)


def test_a_type_is_one_object_however_often_it_is_named() -> None:
    assert ir.IntType(64) is I64
    assert ir.VectorType(ir.FLOAT, 4) is FOUR
    assert ir.PointerType(addrspace=1) is not POINTER
    assert str(ir.ArrayType(FOUR, 2)) == "[2 x <4 x float>]"


def test_constants_are_written_as_llvm_reads_them() -> None:
    assert I64(-3).text == "-3"
    assert I1(True).text == "1"
    assert FOUR(None).text == "zeroinitializer"
    assert ir.Constant(ir.VectorType(I32, 2), [4, 5]).text == "<i32 4, i32 5>"


def test_a_float_that_is_not_given_by_its_bits_is_refused() -> None:
    with pytest.raises(TypeError, match="floats are written by their bits"):
        F32(0.1)


def test_every_instruction_on_integers_is_taken_by_llvm() -> None:
    module, function, b = new(I64, I64, I64)
    x, y = function.args
    for write in (b.add, b.sub, b.mul, b.udiv, b.sdiv, b.urem, b.and_, b.or_, b.xor, b.shl, b.lshr, b.ashr):
        x = write(x, y)
    x = b.neg(b.not_(x))
    for how in ("<", "<=", ">", ">=", "==", "!="):
        x = b.select(b.icmp_signed(how, x, y), x, y)
        x = b.select(b.icmp_unsigned(how, x, y), y, x)
    x = b.sext(b.trunc(x, I32), I64)
    x = b.zext(b.trunc(x, I32), I64)
    b.ret(b.fptosi(b.sitofp(b.fptoui(b.uitofp(x, F64), I64), F64), I64))
    text = verified(module)
    for word in (
        "udiv",
        "sdiv",
        "urem",
        "ashr",
        "icmp slt",
        "icmp ult",
        "icmp uge",
        "sext",
        "zext",
        "uitofp",
        "fptoui",
    ):
        assert word in text


def test_a_conversion_to_the_same_type_writes_nothing() -> None:
    _, function, b = new(I64, I64)
    assert b.bitcast(function.args[0], I64) is function.args[0]
    assert not b.block.lines


def test_every_instruction_on_floats_and_vectors_is_taken_by_llvm() -> None:
    module, function, b = new(FOUR, FOUR, FOUR)
    x, y = function.args
    for write in (b.fadd, b.fsub, b.fmul, b.fdiv):
        x = write(x, y)
    x = b.select(b.fcmp_unordered("!=", x, y), b.fneg(x), y)
    x = b.select(b.fcmp_ordered("==", x, y), x, y)
    x = b.select(b.not_(b.fcmp_ordered("<", x, y)), x, y)
    wide = b.shuffle_vector(x, y, ir.Constant(ir.VectorType(I32, 8), range(8)))
    assert wide.type is ir.VectorType(F32, 8)
    one = b.extract_element(wide, I32(5))
    assert one.type is F32
    one = b.fptrunc(b.fpext(one, F64), F32)
    b.ret(b.insert_element(ir.undefined(FOUR), b.bitcast(b.bitcast(one, I32), F32), I32(0)))
    text = verified(module)
    assert "fcmp une <4 x float>" in text
    assert "fcmp oeq <4 x float>" in text
    assert "shufflevector" in text


def test_arithmetic_is_written_once_in_a_block() -> None:
    module, function, b = new(I64, I64, I64)
    first = b.add(*function.args)
    assert b.add(*function.args) is first
    assert b.sub(*function.args) is not first
    after = b.append_basic_block("after")
    b.branch(after)
    b.position_at_end(after)
    again = b.add(*function.args)
    assert again is not first  # not every way to another block has to lead through the first
    b.ret(b.mul(first, again))
    assert verified(module).count(" add ") == 2


def test_memory_is_reached_by_places_of_a_kind_and_by_bare_addresses() -> None:
    module, function, b = new(I64, POINTER)
    row = b.alloca(ir.ArrayType(I64, 4), align=64)
    b.store(b.load(function.args[0], typ=I64, invariant=True), b.gep(row, [I64(0), I64(3)]), align=8)
    address = b.add(b.ptrtoint(row, I64), I64(24))
    b.atomic_rmw("add", b.inttoptr(address, POINTER), I64(1), "monotonic")
    b.ret(b.load(b.gep(b.inttoptr(address, POINTER), [I64(0)], source_etype=I64), typ=I64, align=8))
    text = verified(module)
    assert "alloca [4 x i64], align 64" in text
    assert "!invariant.load" in text


def test_a_global_is_written_with_all_that_it_has() -> None:
    module, function, b = new(I64)
    table = ir.GlobalVariable(module, ir.ArrayType(I64, 2), "table", addrspace=1)
    table.linkage, table.global_constant, table.align = "internal", True, 16
    table.initializer = ir.FormattedConstant(table.kind, "[i64 7, i64 8]")
    there = b.addrspacecast(b.gep(table, [I64(0), I64(1)]), POINTER)
    b.ret(b.load(there, typ=I64))
    assert "@table = internal addrspace(1) constant [2 x i64] [i64 7, i64 8], align 16" in verified(module)
    assert function.module is module


def test_branches_end_their_blocks_and_what_is_done_once_comes_first() -> None:
    module, function, b = new(I64, I64)
    x = function.args[0]
    before = b.block
    with b.if_then(b.icmp_signed("<", x, I64(0)), is_rare=True):
        with b.goto_entry_block():
            late = b.mul(x, I64(3))
        inside = b.block
    joined = b.phi([(x, before), (late, inside)])
    with b.if_else(b.icmp_signed("==", joined, I64(5))) as (then, otherwise):
        with then:
            b.ret(I64(1))
        with otherwise:
            joined = b.add(joined, I64(1))
    b.ret(joined)
    text = verified(module)
    assert before.lines[-1].endswith("mul i64 %a0, 3")
    assert '!{!"branch_weights", i32 1, i32 99}' in text
    assert before.end


def test_a_block_that_has_ended_takes_no_other_end() -> None:
    _, _, b = new(VOID)
    b.ret_void()
    with pytest.raises(AssertionError, match="has ended"):
        b.ret_void()


def test_functions_are_declared_called_and_named_once() -> None:
    module, function, b = new(VOID, I64, name="caller")
    function.attributes |= {"nounwind", "noinline"}
    function.linkage = "internal"
    other = ir.Function(module, ir.FunctionType(I64, [I64]), "elsewhere")
    nothing = ir.Function(module, ir.FunctionType(VOID, []), "llvm.donothing")
    b.call(other, [function.args[0]])
    b.call(nothing, [])
    b.ret_void()
    text = verified(module)
    assert 'define internal void @"caller"(i64 %a0) noinline nounwind' in str(module)
    assert "declare i64 @elsewhere(i64)" in text
    with pytest.raises(ValueError, match="'elsewhere' already"):
        ir.Function(module, other.function_type, "elsewhere")


def test_llvm_refuses_lines_whose_types_do_not_fit() -> None:
    module, function, b = new(I64, I32)
    b.ret(b.add(I64(1), function.args[0]))
    with pytest.raises(RuntimeError, match="i32"):
        verified(module)
