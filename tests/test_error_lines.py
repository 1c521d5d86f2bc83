"""What fails while it runs names the user's line of this time, where another line recorded the same before: in plain
code, in derivatives, in compiled calls. What only a derivative finds names the operator's line and the derivative's."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import pytest

import nbgrad as nb
from nbgrad.config import override

Call = Callable[[Any, Any], Any]


@numba.njit  # type: ignore[misc]
def _double(x: Any, y: Any) -> None:
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError("negative")
        y[i] = 2 * x[i]


@numba.njit  # type: ignore[misc]
def _double_backward(x: Any, y: Any, gy: Any, gx: Any) -> None:
    for i in range(len(x)):
        if x[i] > 100:
            raise ValueError("too large")
        gx[i] = 2 * gy[i]


NAMES = {"nb": nb, "double": nb.operator(_double, _double_backward)}
FAILS = {  # a scalar made of x and y, good arguments, bad ones
    "solve": ("nb.linalg.solve(x, y).sum()", ([[4.0]], [1.0]), ([[0.0]], [1.0])),
    "embedding": ("nb.nn.functional.embedding(y, x).sum()", ([[4.0], [5.0]], [1, 0]), ([[4.0], [5.0]], [1, 9])),
    "integer division": ("(x * (7 // y)).sum()", ([4.0, 5.0], [1, 2]), ([4.0, 5.0], [1, 0])),
    "operator": ("double(x).sum() + y", ([4.0, 5.0], 1.0), ([-4.0, 5.0], 1.0)),
}
BACKWARD_FAILS = ("double(x).sum() + y", ([4.0, 5.0], 1.0), ([400.0, 5.0], 1.0))

GRADIENTS = {  # the body of a function of x and y, whose derivative is asked for in its second line
    "backward": "z = f(x, y)\n    z.backward()\n    return x.grad",
    "backward from an earlier segment": "z = f(x, y); (x * 2).sum().item()\n    z.backward()\n    return x.grad",
    "grad": "z = f(x, y)\n    g, = nb.autograd.grad(z, x)\n    return g",
    "grad twice": "z, grad = f(x, y), nb.autograd.grad\n    return grad(z, x, retain_graph=True)[0] + grad(z, x)[0]",
    "func.grad": "z = None\n    return nb.func.grad(f)(x, y)",
}


def written_at(file: str, source: str) -> Call:
    """A function of x and y, whose line is the first of ``file``."""
    return eval(compile(f"lambda x, y: {source}", f"{file}.py", "eval"), NAMES)  # type: ignore[no-any-return]


def gradient_at(file: str, source: str, body: str, wrap: Callable[[Call], Call] = lambda f: f) -> Call:
    """The gradient by x, asked for in the third line of ``file``'s caller."""
    names = NAMES | {"f": written_at(file, source)}
    exec(compile(f"def run(x, y):\n    {body}", f"{file}_caller.py", "exec"), names)
    run = wrap(names["run"])
    return lambda x, y: run(x.requires_grad_(), y)


def messages(make: Callable[[str], Call], good: Any, bad: Any) -> list[tuple[str, str]]:
    """(file, error) of two functions that do the same, which fail for the first time and after good calls."""
    first, second = make("first"), make("second")
    found = []
    for times in range(5):
        for function in (first, second) * times:
            assert function(*map(nb.tensor, good)).isfinite().all().item()
        for file, function in (("second", second), ("first", first)):
            with pytest.raises(nb.errors.NbgradError) as caught:
                function(*map(nb.tensor, bad)).tolist()
            found.append((file, str(caught.value)))
    return found


def plain(f: Call) -> Call:
    return f


tiers = pytest.mark.parametrize("compiled", ["background", "eager"])
operators = pytest.mark.parametrize("name", FAILS)
calls = pytest.mark.parametrize("wrap", [plain, nb.compile])
ways = pytest.mark.parametrize(("how", "wrap"), [*[(how, plain) for how in GRADIENTS], ("backward", nb.compile)])


@tiers
@calls
@operators
def test_an_operator_names_its_line(name: str, wrap: Any, compiled: str) -> None:
    source, good, bad = FAILS[name]
    with override(compile=compiled):
        for file, text in messages(lambda file: wrap(written_at(file, source)), good, bad):
            assert text.endswith(f"\n  in {file}.py:1")


@tiers
@ways
@operators
def test_an_operator_whose_derivative_is_taken_names_its_line(name: str, how: str, wrap: Any, compiled: str) -> None:
    source, good, bad = FAILS[name]
    with override(compile=compiled):
        for file, text in messages(lambda file: gradient_at(file, source, GRADIENTS[how], wrap), good, bad):
            assert f"\n  in {file}.py:1" in text
            assert "differentiated" not in text or text.endswith(f"differentiated at {file}_caller.py:3")


@tiers
@ways
def test_a_backward_that_raises_names_the_line_of_the_operator_and_its_own(how: str, wrap: Any, compiled: str) -> None:
    source, good, bad = BACKWARD_FAILS
    with override(compile=compiled):
        for file, text in messages(lambda file: gradient_at(file, source, GRADIENTS[how], wrap), good, bad):
            assert text.endswith(f"\n  in {file}.py:1, differentiated at {file}_caller.py:3")


@tiers
def test_a_derivative_that_solves_with_a_singular_matrix_names_both_lines(compiled: str) -> None:
    source, good, bad = "(nb.linalg.solve(x, y) * 2).sum()", *FAILS["solve"][1:]
    body = "x, y = x.detach(), y.requires_grad_(); z = f(x, y)\n    return nb.autograd.grad(z, y)[0]"
    with override(compile=compiled):
        for file, text in messages(lambda file: gradient_at(file, source, body), good, bad):
            assert text.endswith(f"\n  in {file}.py:1, differentiated at {file}_caller.py:3")


def test_a_line_of_the_standard_library_is_not_the_users() -> None:
    w = nb.ones(2, requires_grad=True)
    net = nb.nn.Linear(2, 2)
    with ThreadPoolExecutor(1) as pool:
        for use in (
            lambda: copy.deepcopy([w * 2]),
            lambda: nb.func.functional_call(net, {"weight": net.weight}, (w,), strict=True),
            lambda: functools.reduce(nb.matmul, [nb.ones(2, 3)] * 2),
            lambda: pool.submit(lambda: nb.ones(2) @ nb.ones(3)).result(),
        ):
            with pytest.raises(RuntimeError, match=r"test_error_lines\.py, line \d+:  lambda: "):
                use()
