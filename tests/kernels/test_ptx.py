"""PTX of every kernel of the samples: made by LLVM, assembled where NVIDIA's assembler is there."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from nbgrad.kernels.emit import FORMS, WARP_FORMS
from nbgrad.kernels.ptx import emitted, ptx_text, ptx_texts
from nbgrad.kernels.target import CUDA_ARCHES, cuda
from nbgrad.tape.kernel import SPECIALS, KernelText, Operand, Reduction, Stmt
from nbgrad.tape.lapack_words import LAYOUTS
from tests.kernels.corpus import gpu_texts, sample_texts
from tests.kernels.test_scatter_rows import text_of
from tests.ptxas import Usage, assemble, ptxas

BATCHES = 12
PARTS = 4  # of a batch
SOME = 16  # one in so many kernels is assembled for the other architectures, too


@cache
def all_texts() -> list[KernelText]:
    """All kernels, a few that no sample needs among them; of those that LLVM is told the same of, as of a draft and of
    what comes after it, one."""
    rows = [text_of(dtype, steps=2, zeros=zeros) for dtype in ("float32", "float64") for zeros in (False, True)]
    texts = [*rows, *sorted(gpu_texts(), key=lambda text: text.form == "gemm")]
    codes = {emitted([text], cuda(CUDA_ARCHES[0])).replace(text.symbol, "kernel"): text for text in texts}
    return list(codes.values())


def batch(number: int, of: int) -> list[KernelText]:
    """One in ``of`` of all kernels."""
    return all_texts()[number::of]


@pytest.mark.parametrize("number", range(BATCHES))
def test_every_kernel_of_the_samples_has_ptx_for_all_gpus(number: int, tmp_path: Path) -> None:
    """Assembled for sm_80 where that can be done: the assembler works on it while LLVM makes the next part."""
    texts = batch(number, BATCHES)
    parts = [texts[k::PARTS] for k in range(PARTS)]
    with ThreadPoolExecutor(1) as assembler:
        waiting = []
        for k, part in enumerate(parts):
            for arch, made in ptx_texts(part, CUDA_ARCHES).items():
                check(part, arch, made)
                if arch == "sm_80" and ptxas() is not None:
                    folder = tmp_path / str(k)
                    folder.mkdir()
                    waiting.append(assembler.submit(assemble, made, arch, folder))
        for part, usages in zip(parts, waiting, strict=False):
            check_usages(part, usages.result())


def check(texts: list[KernelText], arch: str, made: str) -> None:
    assert f".target {arch}\n" in made
    assert set(re.findall(r"\.entry (\w+)\(", made)) == {text.symbol for text in texts}
    assert ".ftz" not in made and ".approx" not in made
    for name in ("add", "sub", "mul", "fma", "div", "sqrt"):
        assert not re.search(rf"\t{name}\.f(32|64)", made), f"{name} does not say how it rounds"


def check_usages(texts: list[KernelText], usages: list[Usage]) -> None:
    assert {u.symbol for u in usages} >= {text.symbol for text in texts}
    assert not [u for u in usages if u.spilled]


def test_code_made_for_all_gpus_is_what_each_gets() -> None:
    """But for the numbers of calls, a comment: LLVM counts on from module to module."""
    texts = batch(0, 5 * SOME)
    for arch, made in ptx_texts(texts, CUDA_ARCHES).items():
        assert without_numbers(ptx_text(texts, arch)) == without_numbers(made)


def without_numbers(made: str) -> str:
    return re.sub(r"// callseq \d+", "// callseq", made)


@pytest.mark.skipif(ptxas() is None, reason="no ptxas: install nvidia-cuda-nvcc or put it on the path")
def test_some_kernels_are_assembled_for_other_gpus(tmp_path: Path) -> None:
    """``python -m bench.ptx`` does it for all."""
    texts = batch(0, SOME)
    for arch, made in ptx_texts(texts, [arch for arch in CUDA_ARCHES if arch != "sm_80"]).items():
        check_usages(texts, assemble(made, arch, tmp_path))


@pytest.mark.skipif(ptxas() is None, reason="no ptxas: install nvidia-cuda-nvcc or put it on the path")
def test_ptx_is_assembled(tmp_path: Path) -> None:
    [text] = [square_plus()]
    [usage] = assemble(ptx_text([text], "sm_80"), "sm_80", tmp_path)
    assert usage.symbol == text.symbol and usage.registers > 0 and usage.stack == 0


def square_plus(dtype: str = "float32") -> KernelText:
    """out = a * a + a"""
    operands = (Operand(dtype, 1, "in"), Operand(dtype, 1, "out"))
    stmts = (Stmt("mul", (0, 0), (), dtype), Stmt("add", (2, 0), (), dtype))
    return KernelText("map", 1, 0, operands, stmts, ((3, 1),))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_and_sums_are_rounded_one_by_one(dtype: str) -> None:
    made = ptx_text([square_plus(dtype)], "sm_80")
    assert f"mul.rn.f{dtype[5:]}" in made and f"add.rn.f{dtype[5:]}" in made and "fma" not in made


def test_lanes_meet_by_shuffles() -> None:
    operands = (Operand("float32", 1, "in"), Operand("float32", 0, "out"))
    text = KernelText("row", 1, 1, operands, (), (), (Reduction("sum", (0,), (1,)),))
    made = ptx_text([text], "sm_80")
    assert re.findall(r"shfl\.sync\.down\.b32 .*?, (\d+), 31, -1;", made) == ["16", "8", "4", "2", "1"]


def spaces(text: KernelText) -> set[str]:
    """How a kernel's loads and stores say where they go."""
    return set(re.findall(r"\t((?:ld|st)(?:\.[a-z]+)*)(?:\.v\d)?\.b\d+ \t[^;]*\[%rd", ptx_text([text], "sm_80")))


def test_loads_and_stores_name_the_memory_of_the_device() -> None:
    assert spaces(square_plus()) == {"ld.global.nc", "ld.global", "st.global"}
    with_scratch = next(text for text in sample_texts() if any(o.role == "scratch" for o in text.operands))
    assert spaces(with_scratch) == {"ld.global.nc", "ld.global", "st.global", "ld", "st"}


def test_every_form_but_those_that_call_the_cpus_code_has_a_version_for_warps() -> None:
    short = {"short_row"}  # warps have short rows by a trait of "row"
    assert set(WARP_FORMS) == set(FORMS) - set(LAYOUTS) - {"native", "fourier", *SPECIALS} - short
