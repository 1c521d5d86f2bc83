"""Each use of Numba's private API does what it is there for: run with every version of Numba that is supported."""

from __future__ import annotations

import ast
import ctypes
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import cfunc, njit, types

from nbgrad.errors import DTypeError
from nbgrad.kernels import numba_linking, numba_target
from nbgrad.kernels.compile import compile_kernels, compile_njit, emitted_body, optimised_code
from nbgrad.kernels.engine import Engine, maker_of
from nbgrad.kernels.frame import body_name
from nbgrad.kernels.numba_target import KERNEL, CFunction, kernel_function, kernel_module, llvm_module
from nbgrad.kernels.target import host
from nbgrad.log import fallbacks
from tests.kernels.corpus import sample_texts
from tests.kernels.harness import SIGNATURE
from tests.kernels.objects import machine_code, undefined_symbols
from tests.runtime.texts import chain, computes

PACKAGE = Path(numba_target.__file__).resolve().parents[1]
PUBLIC = {"numba", "numba.types", "numba.njit", "numba.cfunc", "numba.cuda"}


def imports_of_numba(path: Path) -> set[str]:
    found, text = set(), path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "numba" in text else ():
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "numba" and not name.startswith("numba.extending.")}


def test_numbas_private_api_is_used_in_one_file() -> None:
    users = {path for path in PACKAGE.rglob("*.py") if imports_of_numba(path) - PUBLIC}
    assert users == {Path(numba_target.__file__)}


def test_a_module_holds_its_functions_and_nothing_else() -> None:
    def product(a: int, b: int) -> int:
        return a * b + 1

    def difference(a: int, b: int) -> int:
        return a - b

    words = types.int64(types.int64, types.int64)
    module = llvm_module([CFunction("nbt_product", product, words), CFunction("nbt_difference", difference, words)])
    module.verify()
    assert {f.name for f in module.functions if not f.is_declaration} == {"nbt_product", "nbt_difference"}
    assert not [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    assert not list(module.global_variables)  # where Numba keeps a function's Python objects
    assert not re.search("noalias|NRT_|lifetime", str(module))
    code = optimised_code(module, host())
    engine = Engine()
    engine.load(code)
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    assert call(engine.address("nbt_product"))(6, 7) == 43
    assert call(engine.address("nbt_difference"))(6, 7) == -1


def test_numba_asks_the_subtarget_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    hooks = ("add_ir_module", "add_linking_library", "_optimize_functions", "_optimize_final_module")

    def noting(name: str, own: Any) -> Any:
        return lambda self, *args: (asked.append((name, *args)), own(self, *args))[1]

    for name in (*hooks, "_finalize_final_module"):
        monkeypatch.setattr(numba_target._Library, name, noting(name, getattr(numba_target._Library, name)))
    codegen = numba_target._context().codegen()
    monkeypatch.setattr(codegen, "_add_module", None)  # to its engine
    monkeypatch.setattr(codegen, "_module_pass_manager", None)
    monkeypatch.setattr(codegen, "_function_pass_manager", None)
    llvm_module([CFunction("nbt_plus", lambda a: a + 1, types.int64(types.int64))])
    assert {name for name, *_ in asked} == {*hooks, "_finalize_final_module"}
    assert ("add_linking_library", numba_target.rtsys.library) in asked  # which is what it passes over


def test_a_pointer_is_one_for_c() -> None:
    module = llvm_module([CFunction("nbt_word", lambda p, k: p[k], types.int64(numba_target.WORDS, types.int64))])
    assert re.search(r"define i64 @nbt_word\(ptr %\w+, i64 %\w+\)", str(module))


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF")
def test_a_chain_has_the_machine_code_that_llvmlite_makes_of_its_text() -> None:
    own, direct = compile_njit(chain(11), host()), compile_kernels([chain(11)], host())
    assert machine_code(own) == machine_code(direct)
    assert maker_of(own) == f"@njit, numba {numba.__version__}"
    assert maker_of(direct).startswith("llvmlite ")


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF")
def test_every_form_is_compiled_and_needs_nothing_from_outside() -> None:
    first = {text.form: text for text in sample_texts() if not text.is_draft}
    assert len(first) > 8
    for text in first.values():
        code = compile_njit(text, host())
        assert undefined_symbols(code) <= undefined_symbols(compile_kernels([text], host())), text.form
        assert maker_of(code).startswith("@njit")


def test_kernels_are_named_by_their_symbols_and_loaded_together() -> None:
    engine = Engine()
    for number in range(20, 30):
        engine.load(compile_njit(chain(number), host()))
    assert all(computes(number, engine.address(chain(number).symbol)) for number in range(20, 30))


def test_the_same_function_is_compiled_by_numba_alone_for_arrays_and_pointers() -> None:
    text = chain(5)
    body = emitted_body(text, host())
    kernel = njit(kernel_function(text.symbol, body_name(text.symbol), body))

    pointed = cfunc(KERNEL)(lambda desc, begin, end: kernel(desc, begin, end))
    x, y = np.arange(9, dtype=np.float32), np.zeros(9, np.float32)
    desc = np.array([9, x.ctypes.data, 4, y.ctypes.data, 4])
    assert kernel(desc, 0, 9) == 0
    assert (y == (x * x + x) * x).all()
    y[:] = 0
    assert SIGNATURE(pointed.address)(desc.ctypes.data, 0, 9) == 0
    assert (y == (x * x + x) * x).all()
    for wrong in (desc.astype(float), desc[::2], desc.astype(np.int32)):
        with pytest.raises(DTypeError, match=r"test_numba_target.py, line \d+:  kernel\(wrong"):
            kernel(wrong, 0, 9)


def test_the_text_in_a_function_of_the_users_is_inlined_there() -> None:
    text = chain(6)
    kernel = njit(kernel_function(text.symbol, body_name(text.symbol), emitted_body(text, host())))
    kernel.compile(KERNEL)
    [asm] = kernel.inspect_asm().values()
    assert "vaddps" in asm or host().level not in ("avx2", "avx512")
    assert f"{body_name(text.symbol)}:" not in asm


def test_where_numba_fails_llvmlite_makes_the_kernel_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> Any:
        raise AttributeError("this version has no such thing")

    monkeypatch.setattr(numba_target, "kernel_module", fail)
    assert compile_njit(chain(7), host()) == compile_kernels([chain(7)], host())
    assert any("no @njit functions" in text and "no such thing" in text for text in fallbacks())


def test_what_is_no_kernel_is_refused_before_numba_sees_it() -> None:
    text = chain(3)
    bad = type(text)(text.form, text.rank, 0, text.operands, (text.stmts[0]._replace(op="no_such"),), ((2, 1),))
    with pytest.raises(Exception, match="no_such"):
        compile_njit(bad, host())


def test_the_kernel_abi_is_numbas_signature() -> None:
    assert str(KERNEL) == "(int64*, int64, int64) -> int32"
    text = chain(8)
    module = kernel_module(text.symbol, body_name(text.symbol), emitted_body(text, host()))
    assert f"define i32 @{text.symbol}(ptr " in str(module)


def test_functions_are_typed_and_every_block_comes_after_those_that_lead_to_it() -> None:
    def f(x: float, n: int) -> float:
        y = x if x > 1.0 and n < 3 else 2.0
        for i in range(n):
            y += i
        return y

    made = numba_target.typed_function(f, (numba.types.float64, numba.types.int64))
    place = {label: k for k, label in enumerate(made.blocks)}
    [(header, loop)] = made.loops.items()
    for label, block in made.blocks.items():
        for target in block.terminator.get_targets():
            assert place[target] > place[label] or (target == header and label in loop)
    assert str(made.types["y"]) == "float64"
    assert any(isinstance(stmt, numba_target.numba_ir.Assign) for stmt in made.blocks[header].body)


def test_the_python_function_of_what_numba_made_is_known() -> None:
    def f(x: float) -> float:
        return x

    assert numba_target.python_function(njit(f)) is f
    assert numba_target.python_function(numba.vectorize(f)) is f
    assert numba_target.python_function(f) is None


def test_a_guarded_dispatcher_asks_before_it_compiles() -> None:
    asked: list[Any] = []

    def plus(x: Any, y: Any = None) -> Any:
        return x + 1

    def refusal(kinds: Any) -> str:
        asked.append(kinds)
        return "" if kinds[0] == types.int64 else "plus: an int64"

    def refuse(x: Any, y: Any) -> None:
        if not isinstance(x, int):
            raise TypeError("plus: an int")

    f = numba_target.GuardedDispatcher(plus, refusal, refuse)
    g = njit(lambda x: f(x) * 2)
    assert [f(1), f(2), g(3), f(4, y=None)] == [2, 3, 8, 5]
    assert {*asked} == {(types.int64, types.Omitted(None)), (types.int64, types.none)}
    with pytest.raises(TypeError, match=r"plus: an int$"):
        f(1.0)
    with pytest.raises(numba.TypingError, match="plus: an int64") as refused:
        g(1.0)
    assert "g = njit(lambda x: f(x) * 2)" in str(refused.value)
    with pytest.raises(TypeError, match="plus cannot be pickled"):
        pickle.dumps(f)


def test_a_function_is_written_for_the_types_of_a_call_and_asked_of_its_values() -> None:
    asked: list[Any] = []
    written: list[Any] = []

    def write(*kinds: Any) -> Any:
        written.append(kinds)
        return (lambda x, y: x + y) if kinds[0] == types.int64 else (lambda x, y: x * y)

    def parameters(x: Any, y: Any = 2) -> Any: ...

    f = numba_linking.WrittenDispatcher(parameters, {}, write, lambda *given: asked.append(given), dict)
    assert [f(1), f(2, 5), f(1.5), f(y=3, x=1), njit(lambda x: f(x))(True)] == [3, 7, 3.0, 4, 2]
    assert [given[0] for given in asked] == [1, 2, 1.5]
    assert written == [(kind, types.int64) for kind in (types.int64, types.int64, types.float64, types.boolean)]
    assert pickle.loads(pickle.dumps(f)) == {}  # what remakes it gives that
