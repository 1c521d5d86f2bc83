"""The readable text of a kernel."""

from __future__ import annotations

from nbgrad.kernels.listing import descriptor_words, listing
from nbgrad.tape.kernel import KernelText, Operand, Reduction, Stmt


def test_a_listing_has_one_line_for_everything_the_kernel_does() -> None:
    text = KernelText(
        "row",
        1,
        1,
        (
            Operand("float32", 1, "in"),
            Operand("float64", 0, "table"),
            Operand("int64", 2, "index"),
            Operand("float32", 2, "out"),
            Operand("float32", 0, "out"),
        ),
        (
            Stmt("take", (1, 2), (), "float64"),
            Stmt("cast", (5,), ("float32",), "float32"),
            Stmt("mul", (0, 6), (), "float32"),
        ),
        ((7, 3),),
        (Reduction("sum", (7,), (4,)), Reduction("argmax", (0, 2), (-1, 4))),
    )
    assert listing(text) == (
        f"kernel {text.symbol}  # row, 1 dims, 1 reduced\n"
        "  in0 = in f32  # consecutive\n"
        "  table1 = table f64  # gathered from\n"
        "  index2 = index i64  # computed from the position\n"
        "  out3 = out f32  # any stride\n"
        "  out4 = out f32  # the same along the row\n"
        "  for each element [i0, r0]:\n"
        "    t0 = take(table1, index2)  # f64\n"
        "    t1 = cast(t0, float32)  # f32\n"
        "    t2 = mul(in0, t1)  # f32\n"
        "    out3[...] = t2\n"
        "    out4 = sum of t2  # over r\n"
        "    _, out4 = argmax of in0, index2  # over r\n"
    )
    words = descriptor_words(text)
    assert words[:6] == ["i0", "r0", "extra0", "extra1", "extra2", "extra3"]
    assert words[6:12] == ["in0", "in0 by i0", "in0 by r0", "table1", "table1 by i0", "table1 by r0"]
    assert len(words) == 6 + 3 * 5


def test_what_follows_reductions_stands_behind_them() -> None:
    operands = (
        Operand("float32", 1, "in"),
        Operand("float32", 0, "out"),
        Operand("float32", 0, "late"),
        Operand("float32", 0, "out"),
    )
    finish = (Stmt("mul", (5, 2), (), "float32"), Stmt("add", (7, 6), (), "float32"))
    folds = (Reduction("sum", (4,), (1,)), Reduction("amax", (0,), (-1,)))
    text = KernelText("row", 1, 1, operands, (Stmt("exp", (0,), (), "float32"),), (), folds, finish, ((8, 3),))
    assert listing(text).splitlines()[5:] == [
        "  for each element [i0, r0]:",
        "    t0 = exp(in0)  # f32",
        "    s0 = out1 = sum of t0  # over r",
        "    s1 = amax of in0  # over r",
        "  then for each output [i0]:",
        "    t1 = mul(s0, late2)  # f32",
        "    t2 = add(t1, s1)  # f32",
        "    out3[...] = t2",
    ]


def test_library_kernels_list_their_operands() -> None:
    text = KernelText("gemm", 1, 0, (Operand("float32", 1, "in"), Operand("float32", 1, "out")))
    assert listing(text).splitlines()[1:] == ["  in0 = in f32  # consecutive", "  out1 = out f32  # consecutive"]
