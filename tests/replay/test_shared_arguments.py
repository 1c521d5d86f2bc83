"""Arguments of compiled functions that share memory with other tensors: what a call shows of them, and gives back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.replay.test_compiled import plain, randn

CALLS = 10
PARTS: dict[str, Callable[[Any, Any, int], list[Any]]] = {
    "a part": lambda x, base, i: [x[1:] * 2],
    "a part of a part": lambda x, base, i: [x[1:][:2][1] + base[0]],
    "a part by a number": lambda x, base, i: [x[i:].sum(), x[i] * 2],
    "an alias": lambda x, base, i: [x.detach() * 2, x.data[1:] + 1],
    "parts and aliases": lambda x, base, i: [x.detach()[1:] * x[:-1] + x.detach()[:-1]],
    "what is given back": lambda x, base, i: [x[1:], x.detach(), x.detach()[:2], x.view(2, 2), x],
    "what is given back by a number": lambda x, base, i: [x[i:], x.detach()[i], x],
    "the base": lambda x, base, i: [base[2] + x, base.detach()[1] - x, base * 2],
    "parts of the base": lambda x, base, i: [base[2][1:] + x[1:], base[1].detach() * x.detach()],
    "the base given back": lambda x, base, i: [base[2], x[:1], base.detach()],
    "other strides": lambda x, base, i: [x.as_strided((2,), (2,)) * 1],
    "a gradient": lambda x, base, i: [nb.func.grad(lambda z: (z[1:] * x[1:] * x.detach()[:-1]).sum())(x)],
    "all, several times": lambda x, base, i: [x * x + x[i] * x.sum()],
}
KINDS: dict[str, Callable[[Any, Any, int], Any]] = {
    "a row": lambda base, array, k: base[k],
    "an alias": lambda base, array, k: base.detach()[k].detach(),
    "NumPy's": lambda base, array, k: nb.from_numpy(array[k]),
}


@pytest.mark.filterwarnings("ignore:nbgrad")  # some are recorded at each call
@pytest.mark.parametrize("kind", ["a row", "an alias", pytest.param("NumPy's", marks=pytest.mark.cpu)])
@pytest.mark.parametrize("imported", [False, True])
@pytest.mark.parametrize("holds", [False, True])
@pytest.mark.parametrize("part", PARTS)
def test_parts_of_an_argument_that_shares_memory(part: str, holds: bool, imported: bool, kind: str) -> None:
    found = []
    for wrap in (lambda f: f, nb.compile):
        array = np.arange(24, dtype=np.float32).reshape(6, 4)
        base = nb.from_numpy(array) if imported else nb.tensor(array)
        held = base if holds else base.clone()

        def step(x: Any, i: int, held: Any = held) -> list[Any]:
            return PARTS[part](x, held, i)

        run = wrap(step)
        seen = []
        for k in range(CALLS):
            x = KINDS[kind](base, array, k % 5)
            y = run(x, 1 + k // 3 % 2)
            seen.append(plain(y))
            base.mul_(0.5)
            array[k % 5] += 1.0
            seen += [plain(y), plain(base)]
            if len(y) > 2:
                y[0].add_(1)
                y[1].mul_(2)
                seen += [plain(y), plain(base), plain(x)]
        found.append(seen)
    assert found[0] == found[1]


WINDOWS: dict[str, Callable[[Any], Any]] = {  # of 3 times 4 elements, or 4 times 3
    "a whole": lambda base: base.view(3, 4),
    "itself": lambda base: base,
    "a row, expanded": lambda base: base[0].expand(3, 4),
    "a column, expanded": lambda base: base[:, :1].expand(3, 4),
    "transposed": lambda base: base.view(4, 3).t(),
    "columns": lambda base: base.repeat(1, 2)[:, 1:5],
    "an alias": lambda base: base.detach(),
    "an alias of a row, expanded": lambda base: base[0].expand(3, 4).detach(),
    "an alias, transposed": lambda base: base.view(4, 3).detach().t(),
}
READS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape(-1),
    "flatten": lambda x: x.flatten(),
    "transposed": lambda x: x.t().reshape(-1),
    "contiguous": lambda x: x.contiguous(),
    "a part": lambda x: x[1:].reshape(-1),
}


@pytest.mark.filterwarnings("ignore:nbgrad")
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("first", WINDOWS)
def test_whether_a_view_is_given_does_not_depend_on_the_arguments_of_other_functions(first: str, read: str) -> None:
    """Those of one shape whose elements lie otherwise."""
    for kind in (first, *WINDOWS):
        found = []
        for wrap in (lambda f: f, nb.compile):
            base = nb.arange(12.0).reshape(3, 4).clone()
            x, seen = WINDOWS[kind](base), []
            run, memory = wrap(lambda x: READS[read](x)), base if x._base is None else x._base
            for _ in range(3):
                y = run(x)
                memory.add_(1)
                seen.append(plain(y))
            found.append(seen)
        assert found[0] == found[1], kind


USES: dict[str, Callable[[Any, Any], Any]] = {
    "both": lambda x, held: x * held,
    "parts": lambda x, held: x[1:] * held[:1],
    "aliases": lambda x, held: x.detach() * held.detach()[0],
    "parts of aliases": lambda x, held: x.detach()[1:] * held.detach()[:1],
}
HELD: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {  # what is given, and what the function holds
    "what it is an alias of": lambda base, row: (base.detach(), base.requires_grad_()),
    "a part of it": lambda base, row: (row, row[1:2]),
    "itself": lambda base, row: (row, row),
}


@pytest.mark.filterwarnings("ignore:nbgrad")
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("held", HELD)
def test_an_argument_that_shares_memory_with_what_the_function_holds(held: str, use: str) -> None:
    found = []
    for wrap in (lambda f: f, nb.compile):
        base, other, seen = randn(4, 4), randn(4, 4, seed=2), []
        given, known = HELD[held](base, base[0])
        others = HELD[held](other, other[0])[0]

        def step(x: Any, known: Any = known) -> Any:
            return USES[use](x, known).detach()

        run = wrap(step)
        for k in range(CALLS):
            seen.append(plain(run(given if k % 4 else others)))
            with nb.no_grad():
                base.add_(1)
        found.append(seen)
    assert found[0] == found[1]


def test_a_part_is_given_of_what_a_detached_alias_has_written() -> None:
    found = []
    for wrap in (lambda f: f, nb.compile):
        base, w = nb.arange(12.0).reshape(3, 4).clone(), nb.ones(4, requires_grad=True)
        row, alias = base[1], base.detach()
        run, loss_of = wrap(lambda x: x * 2 + x[1:].sum()), wrap(lambda x, w=w: (x * w * w).sum())
        for _ in range(6):
            alias.add_(1)
            found.append(plain([alias, run(row)]))
            loss = loss_of(row)
            alias.add_(1)
            w.grad = None
            loss.backward()
            found.append(plain([alias, w.grad]))
    assert found[:12] == found[12:]


def test_an_argument_is_read_again_after_a_backward_that_failed() -> None:
    base, w = nb.arange(12.0).reshape(3, 4).clone(), nb.ones(4, requires_grad=True)

    def step(g: Any, x: Any) -> Any:
        y = w * w * 3
        y.backward(nb.ones(4))
        try:
            y.backward(g)
        except RuntimeError:  # a second time
            return x * 2 + g * x
        return y

    run = nb.compile(step)
    for k in range(6):
        g, x = base[1], base[k % 3]
        assert run(g, x).tolist() == (x * 2 + g * x).tolist()


@pytest.mark.parametrize("shown", [lambda w: w.detach(), lambda w: w.detach()[:]])
def test_a_parameter_that_the_first_calls_did_not_name_is_not_taken_for_its_alias_that_is_an_argument(
    shown: Callable[[Any], Any],
) -> None:
    def told(wrap: Callable[[Any], Any]) -> Any:
        w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)

        def run(x: Any, k: int) -> Any:
            if k == 100:
                print("never: what has not run is not looked at")
            if k > 5:
                (x * w * w).sum().backward()
                return w * 1
            return x * 2

        f = wrap(run)
        results = [f(shown(w), k) for k in range(9)]
        return plain(results), plain(w.grad), [y.requires_grad for y in results]

    assert told(nb.compile) == told(lambda f: f)


@pytest.mark.filterwarnings("ignore:nbgrad")  # they are recorded at each call
@pytest.mark.parametrize("is_read_before", [False, True])
@pytest.mark.parametrize("kind", ["a transpose", "a part", "an alias", "an alias of what was read", "NumPy's"])
def test_an_argument_that_shares_memory_and_becomes_a_leaf(kind: str, is_read_before: bool) -> None:
    def f(x: Any) -> Any:
        y = x.sum() if is_read_before else 1.0
        x.requires_grad_()
        return x * 2 + y, x

    base = nb.ones(4, 3)
    if kind == "an alias of what was read":
        base.sum().item()
    make: Callable[[], Any] = {
        "a transpose": lambda: nb.ones(3, 2).t(),
        "a part": lambda: nb.ones(4, 3)[:2].t(),
        "NumPy's": lambda: nb.from_numpy(np.ones((2, 3), np.float32)),
    }.get(kind, base.detach)
    run = nb.compile(f)
    for _ in range(CALLS):
        y, x = run(make())
        assert y.requires_grad and x.requires_grad and x.is_leaf
        y.sum().backward()
        assert x.grad.tolist() == nb.full(x.shape, 2.0).tolist()


@pytest.mark.filterwarnings("ignore:nbgrad")
def test_an_argument_that_shares_memory_and_is_given_other_data() -> None:
    def f(x: Any) -> Any:
        x.data = x * 2
        return x + 1

    run = nb.compile(f)
    assert [run(nb.ones(4, 3)[:2]).tolist() for _ in range(CALLS)] == [[[3.0] * 3] * 2] * CALLS
