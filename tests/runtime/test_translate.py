"""Word functions give compiled what they give in Python, which here is their definition."""

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import pytest

from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host
from nbgrad.runtime.expressions import NotAWordFunctionError
from nbgrad.runtime.intrinsics import atomic_load, atomic_store, fetch_add, greater, lesser, load, store, swap
from nbgrad.runtime.native import native_code
from nbgrad.runtime.translate import translated

LIMIT = 100
NUMBERS = (0, 1, 2, 3, 7, 63, 64, 101, -1, -2, -7, -64)


def arithmetic(x: int, y: int) -> int:
    z = x * y - (x ^ y) + (x & -y)
    z += x | 5
    return (z << 3) - (z >> 2)


def divided(x: int, y: int) -> int:
    if y == 0:
        return LIMIT
    return x // y


def compared(x: int, y: int) -> int:
    found = x < y
    inside = -2 <= x < y
    return found + 2 * (x == y) + 4 * inside + 8 * (x != y) + 16 * (not x > 1) + 32 * (x >= y)


def decided(x: int, y: int) -> int:
    if x > 0 and (y > 0 or x > 5) and not (x == 7 and y == 7):
        return 1
    if x or y < 0:
        return 2
    return 3


def guarded(x: int, y: int) -> int:
    """Dividing by 0 would end the process: what decides comes first."""
    return (y != 0 and x // y > 1) + (y == 0 or x // y < 0)


def endless(x: int, y: int) -> int:
    steps = 0
    while True:
        if x > LIMIT:
            return steps
        if x <= 0:
            x = 1
        else:
            x += x
        steps += 1


def both_ends(x: int, y: int) -> tuple[int, int]:
    return lesser(x, y), greater(x, y)


def several(x: int, y: int) -> int:
    low, high = both_ends(x, y)
    return 1000 * high + low


def nothing(x: int, y: int) -> None:
    if x > y:
        return


def calls(x: int, y: int) -> int:
    nothing(x, y)
    answer: int
    if x > y:
        answer = several(x, several(y, x))
    else:
        answer = endless(y, x)
    return answer


def turns(x: int, y: int) -> int:
    total = 0
    for i in range(x):
        if i & 1:
            continue
        for k in range(i, y, 3):
            total += k
        i += 10
    while total > LIMIT:
        total -= x + 1
        if total & 1:
            continue
        total -= 1
    return total


def memory(words: int, n: int) -> int:
    store(words, 0, load(words, 1) + n)
    before = fetch_add(words, 1, n)
    before += swap(words, 2, before)
    atomic_store(words, 3, atomic_load(words, 2) * n)
    return before


def spread(x: int, y: int) -> int:
    return (x + y) * -7046029254386353131


def read_again(x: int, y: int) -> int:
    z = x + y + x
    z += x
    if y > x:
        x, z = both_ends(z, y)
        z += x
    while x < z and x > 0:
        z -= x
        x += x
    return z * x + z + x


PURE = (read_again, turns, arithmetic, divided, compared, decided, guarded, endless, several, calls)


@pytest.fixture(scope="module")
def compiled() -> Callable[[Any], Any]:
    functions = {f.__name__: f for f in (*PURE, memory, spread)}
    engine = Engine()
    engine.load(native_code(host(), translated(functions)))

    def find(function: Any) -> Any:
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(engine.address(function.__name__))

    find.engine = engine  # type: ignore[attr-defined]
    return find


@pytest.mark.parametrize("function", PURE)
def test_compiled_functions_give_what_python_gives(function: Any, compiled: Callable[[Any], Any]) -> None:
    native = compiled(function)
    for x, y in itertools.product(NUMBERS, NUMBERS):
        assert native(x, y) == function(x, y), (x, y)


def test_a_block_reads_each_variable_once() -> None:
    lines = translated({"arithmetic": arithmetic}).splitlines()
    assert len([line for line in lines if " load " in line]) == 0  # it is one block, which has set all of them
    read = [line.split(" = ")[1] for line in translated({"memory": memory}).splitlines() if "inttoptr" in line]
    assert len(read) == len({*read}) == 1


def test_memory_is_changed_as_in_python(compiled: Callable[[Any], Any]) -> None:
    answers = []
    for function in (memory, compiled(memory)):
        words = (ctypes.c_int64 * 4)(5, 6, 7, 8)
        answers.append((function(ctypes.addressof(words), 3), list(words)))
    assert answers[0] == answers[1]


def test_words_wrap(compiled: Callable[[Any], Any]) -> None:
    assert compiled(spread)(1 << 62, 6) == _wrapped(spread(1 << 62, 6))


def _wrapped(x: int) -> int:
    return (x + (1 << 63)) % (1 << 64) - (1 << 63)


def with_builtin(x: int) -> int:
    return abs(x)


def with_power(x: int) -> int:
    return x**2


def with_global_list(x: int) -> int:
    return NUMBERS[x]


def without_result(x: int) -> int:
    if x:
        return 1
    x += 1


def with_unset(x: int) -> int:
    return unset_before + x  # type: ignore[name-defined]  # noqa: F821


def with_break(x: int) -> int:
    while x:
        break
    return x


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (with_builtin, "abs(x)"),
        (with_power, "x ** 2"),
        (with_global_list, "NUMBERS[x]"),
        (without_result, "its end is reached"),
        (with_unset, "unset_before is neither"),
        (with_break, "break"),
    ],
)
def test_anything_else_is_refused(function: Any, said: str) -> None:
    with pytest.raises(NotAWordFunctionError) as caught:
        translated({"f": function})
    assert said in str(caught.value)
    assert function.__name__ in str(caught.value)


def test_what_a_function_calls_comes_in_and_is_not_seen_outside() -> None:
    module = llvm.parse_assembly(translated({"calls": calls}))
    names = {f.name: f.linkage for f in module.functions}
    assert {name.rpartition(".")[2] for name in names} == {"calls", "nothing", "several", "endless", "both_ends"}
    assert [name for name, linkage in names.items() if linkage == llvm.Linkage.external] == ["calls"]
