"""Functions that hold views, and tensors whose memory NumPy sees: compiled, they do what they do plainly."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.runtime.unchanged import can_tell
from tests.replay.test_compiled import plain, programs_of

CALLS = 7


def numbers(*shape: int) -> Any:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def compared(make: Callable[[], tuple[Callable[..., Any], Callable[[int], Any]]], *, is_compiled: bool = True) -> None:
    """``make`` gives a function of a number, and what happens after each call, which gives all there is to see."""
    found = []
    for change in (lambda f: f, lambda f: nb.compile(f, fullgraph=is_compiled)):
        step, after = make()
        run = change(step)
        found.append([[plain(run(0.5 * k)), plain(after(k))] for k in range(CALLS)])
    assert found[0] == found[1]
    if is_compiled:
        assert len(programs_of(run)) == 1


def refused(make: Callable[[], Any], match: str) -> None:
    with pytest.raises(RuntimeError, match=match) as caught:
        compared(make)
    assert "test_held_memory.py" in str(caught.value)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "row": lambda x: x[1],
    "rows": lambda x: x[1:3],
    "columns": lambda x: x[:, 1:3],
    "transposed": lambda x: x.T,
    "of a view": lambda x: x[1:].T[2:],
    "strided": lambda x: x[::2, 1::2],
    "expanded": lambda x: x[0].expand(3, 4),
    "a number": lambda x: x[1, 2],
    "empty": lambda x: x[1:1],
    "reshaped": lambda x: x.view(2, 6),
    "a dim as two": lambda x: x.view(3, 2, 2),
    "diagonal": lambda x: x[:, :3].diagonal(),
    "split": lambda x: x.split(1)[2],
    "detached": lambda x: x[1].detach(),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_a_view_is_read_as_its_base_is_now(view: Any, dtype: Any) -> None:
    def make() -> Any:
        base = nb.tensor((numbers(3, 4) * 5).astype(dtype))
        v = view(base)

        def after(k: int) -> Any:
            base[k % 3] = 2 + k
            return v

        return lambda a: ((v * a).sum(), v + 0), after

    compared(make)


@pytest.mark.cpu
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("view", [lambda x: x, *VIEWS.values()], ids=["itself", *VIEWS])
def test_memory_that_numpy_sees_is_read_as_it_is_now(view: Any, order: Any) -> None:
    def make() -> Any:
        array = np.array(numbers(3, 4), order=order)
        v = view(nb.from_numpy(array))

        def after(k: int) -> Any:
            array[k % 3] += 1 + k
            return array.tolist()

        return lambda a: ((v * a).sum(), v + 0), after

    if order == "F" and view is VIEWS["reshaped"]:  # which strides cannot express
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            make()
    else:
        compared(make)


@pytest.mark.parametrize("name", [name for name in VIEWS if name != "expanded"])
def test_what_is_written_to_a_view_reaches_its_base_and_other_views(name: str) -> None:
    view = VIEWS[name]

    def make() -> Any:
        base = nb.tensor(numbers(3, 4))
        v, other = view(base), base[:, 1:]

        def step(a: float) -> Any:
            before = other.sum()
            v.mul_(0.5).add_(a)
            other[0] = a
            base.sub_(0.25)
            return before, other.sum(), v.sum()

        def after(k: int) -> Any:
            other[1] += k
            return base, v, other

        return step, after

    compared(make)


def test_what_is_pending_when_the_call_comes() -> None:
    def make() -> Any:
        base = nb.tensor(numbers(3, 4))
        v, pending = base[1], [base[2] * 1]

        def step(a: float) -> Any:
            v.add_(a)
            return v * 2

        def after(k: int) -> Any:
            late, pending[0] = pending[0], v + base[0] * k  # read before the next call writes
            base[1, 1] = k
            return late, base.clone()

        return step, after

    compared(make)


def test_an_epoch_over_held_data() -> None:
    """Rows of memory that NumPy sees are taken in the function, by a number."""
    array, batch = numbers(40, 4), 5

    def make() -> Any:
        x, mean = nb.from_numpy(array.copy()), nb.zeros(4)
        w = nb.tensor(numbers(4), requires_grad=True)

        def step(k: int) -> Any:
            loss = ((x[k * batch : (k + 1) * batch] @ w - x[3, 1]) ** 2).mean()
            loss.backward()
            with nb.no_grad():
                w.sub_(0.1 * w.grad)
                mean.copy_(x[k * batch])
            w.grad = None
            return loss.detach()

        return step, w, mean

    found = []
    for change in (lambda f: f, lambda f: nb.compile(f, fullgraph=True)):
        step, *state = make()
        run = change(step)
        found.append([[plain(run(k)), plain(state)] for k in range(CALLS)])
    assert found[0] == found[1]
    assert len(programs_of(run)) == 1


@pytest.mark.parametrize("kind", ["leaf by itself", "of a leaf"])  # others are refused once the leaf is written
def test_views_that_require_grad(kind: str) -> None:
    def make() -> Any:
        w = nb.tensor(numbers(3, 4), requires_grad=kind != "leaf by itself")
        if kind == "leaf by itself":
            v = w[1].requires_grad_()
        else:
            v = w[1]
        p = v if kind == "leaf by itself" else w

        def step(a: float) -> Any:
            loss = (v * v * a).sum() + (p * a).sum()
            loss.backward()
            with nb.no_grad():
                p.sub_(0.1 * p.grad)
            p.grad = None
            return loss.detach()

        return step, lambda k: (w, v, v.requires_grad)

    compared(make)


def test_a_view_with_a_history_is_recorded_at_each_call_and_that_is_said_once() -> None:
    def make() -> Any:
        w = nb.tensor(numbers(3, 4), requires_grad=True)
        v = w[1]

        def after(k: int) -> Any:
            g, w.grad = w.grad, None
            return g, w, v

        return lambda a: (v * v * a).sum().backward(), after

    with pytest.warns(nb.errors.PerformanceWarning, match=r"make it in the function") as told:
        compared(make, is_compiled=False)
    assert len(told) == 1
    refused(make, match="make it in the function")


def test_a_history_that_a_view_gets_between_calls() -> None:
    def make() -> Any:
        w = nb.tensor(numbers(3, 4), requires_grad=True)
        v = w[1]
        logged = []

        def step(a: float) -> Any:
            (v * v * a).sum().backward()
            with nb.no_grad():
                w.sub_(0.1 * w.grad)
            w.grad = None

        def after(k: int) -> Any:
            if k == 5:
                logged.append((v * 2).sum())
                logged[0].tolist()
            return w

        return step, after

    compared(make, is_compiled=False)


@pytest.mark.cpu
def test_a_backward_later_reads_what_was_there() -> None:
    def make() -> Any:
        array, w = numbers(3, 4), nb.tensor(numbers(4), requires_grad=True)
        x = nb.from_numpy(array)

        def step(a: float) -> Any:
            return (x * w * w * a).sum()

        def after(loss: Any) -> Any:
            array[1] += 1
            w.grad = None
            loss.backward()
            return w.grad

        return step, after

    found = []
    for change in (lambda f: f, lambda f: nb.compile(f, fullgraph=True)):
        step, after = make()
        run = change(step)
        found.append([plain(after(run(0.5 * k))) for k in range(CALLS)])
    assert found[0] == found[1]


@pytest.mark.cpu
def test_memory_outlives_the_array_s_name() -> None:
    array = numbers(100, 100)
    expected = float(array[50:].sum())
    rows = nb.from_numpy(array)[50:]
    run = nb.compile(lambda a, x=rows: x.sum() * a, fullgraph=True)
    del array, rows
    for _ in range(CALLS):
        gc.collect()
        others = np.full((100, 100), 7, np.float32)
        assert run(1.0).tolist() == expected
        del others


@pytest.mark.cpu
def test_a_tensor_that_numpy_comes_to_see_and_sees_no_more() -> None:
    def make() -> Any:
        w = nb.tensor(numbers(3, 4))
        v = w[1]
        seen: list[Any] = []

        def after(k: int) -> Any:
            if k % 8 == 3:
                seen.append(w.numpy())
            if k % 8 == 6:
                seen.clear()
            for array in seen:
                array[1] += 1
            return w

        return lambda a: (v * a).sum() + w.sum(), after

    found = []
    for change in (lambda f: f, nb.compile):
        step, after = make()
        run = change(step)
        found.append([[plain(run(0.5 * k)), plain(after(k))] for k in range(20)])
    assert found[0] == found[1]
    assert len(programs_of(run)) == 2


@pytest.mark.cpu
def test_writing_memory_that_numpy_sees_is_as_without_compile() -> None:
    def make() -> Any:
        array = numbers(3, 4)
        x, y = nb.from_numpy(array), nb.from_numpy(array[1:])

        def step(a: float) -> Any:
            x.add_(a)
            return y.sum()

        def after(k: int) -> Any:
            array[2] += k
            return array.tolist()

        return step, after

    with pytest.warns(nb.errors.PerformanceWarning, match=r"clone\(\)") as told:
        compared(make, is_compiled=False)
    assert len(told) == 1
    refused(make, match="is written: write a clone")


@pytest.mark.cpu
def test_a_function_that_writes_the_array_itself() -> None:
    def make() -> Any:
        array = numbers(50, 40)
        x = nb.from_numpy(array)

        def step(a: float) -> Any:
            y = x * 2
            array[0] += 1
            return (x + y).sum() * a

        return step, lambda k: array.tolist()

    with pytest.warns(nb.errors.PerformanceWarning, match="names an array"):
        compared(make, is_compiled=False)


@pytest.mark.parametrize("imported", [False, True])
def test_another_view_in_the_same_place(imported: bool) -> None:
    """It is recorded again; those that come back find their program."""
    array = numbers(8, 4)
    base = nb.from_numpy(array) if imported else nb.tensor(array)
    rows = [base[0], base[1]]
    holder = {"v": rows[0]}

    def step(a: float) -> Any:
        return (holder["v"] * a).sum()

    run = nb.compile(step, fullgraph=True)
    for k in range(24):
        holder["v"] = rows[k // 6 % 2]
        base[k % 3] += 1
        assert plain(run(0.5)) == plain(step(0.5))
    assert len(programs_of(run)) == 2


def test_ever_other_views_in_the_same_place() -> None:
    base = nb.tensor(numbers(8, 4))
    holder = {"v": base[0]}

    def step(a: float) -> Any:
        return (holder["v"] * a).sum()

    run = nb.compile(step)

    def calls() -> None:
        for k in range(12):
            holder["v"] = base[k % 8]
            assert plain(run(0.5)) == plain(step(0.5))

    with pytest.warns(nb.errors.PerformanceWarning, match=r"holder\['v'\] is another view, .* pass it as an argument"):
        calls()


def test_a_base_that_is_given_other_data() -> None:
    def make() -> Any:
        base = nb.tensor(numbers(3, 4))
        v = base[1]

        def after(k: int) -> Any:
            if k == 4:
                base.data = nb.tensor(numbers(3, 4) + 1)
            base.add_(1)
            v.sub_(0.5)
            return base, v

        return lambda a: (base.sum() * a, v * 2), after

    found = []
    for change in (lambda f: f, nb.compile):
        step, after = make()
        run = change(step)
        found.append([[plain(run(0.5 * k)), plain(after(k))] for k in range(CALLS)])
    assert found[0] == found[1]


def test_an_argument_that_is_the_base_of_a_held_view() -> None:
    def make() -> Any:
        base = nb.tensor(numbers(3, 4))
        v = base[1]

        def step(x: Any, a: float) -> Any:
            v.add_(a)
            return x.sum()

        return step, base

    found = []
    for change in (lambda f: f, nb.compile):
        step, base = make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", nb.errors.PerformanceWarning)
            run = change(step)
            found.append([plain(run(x, 0.5)) for _ in range(CALLS) for x in (nb.ones(3, 4), base, base[1])])
    assert found[0] == found[1]


@pytest.mark.cpu
@pytest.mark.skipif(not can_tell(), reason="this Python keeps its objects elsewhere")
@pytest.mark.parametrize("writes", [False, True])
def test_steady_calls(writes: bool) -> None:
    def make() -> Any:
        array, base = numbers(30, 40), nb.tensor(numbers(30, 40))
        x, v, t = nb.from_numpy(array), base[1], base.T
        f = nb.from_numpy(np.asfortranarray(array))[2:]

        def step(a: float) -> Any:
            loss = (x[2:, 1:] * a).sum() + (v * x).sum() + (t * a).sum() + f.sum()
            if writes:
                v.mul_(0.5)
                t[1].add_(a)
            return loss

        def after(k: int) -> Any:
            array[k % 3] += 1
            late = (v + 1, base[2, 2] * k) if k > 12 else ()
            if k == 16:
                v.add_(1)
            return base * 1, late

        return step, after

    found = []
    with nb.config.override(compile="eager"):
        for change in (lambda f: f, lambda f: nb.compile(f, fullgraph=True)):
            step, after = make()
            run = change(step)
            found.append([[plain(run(0.5 * k)), plain(after(k))] for k in range(30)])
        assert found[0] == found[1]
        (program,) = programs_of(run)
        assert max(state[0] for state in program.idle) >= 3


def test_threads_that_write_two_views_of_one_tensor() -> None:
    base = nb.zeros(2, 512)
    rows = [base[0], base[1]]
    runs = [nb.compile(lambda a, v=v: v.add_(a) * 1, fullgraph=True) for v in rows]

    def work(run: Any) -> None:
        for _ in range(40):
            run(1.0)

    threads = [threading.Thread(target=work, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert base.tolist() == [[40.0] * 512] * 2


ALIAS_WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "copy_": lambda h, a: h.detach().copy_(a),
    "copy_ of a result": lambda h, a: h.detach().copy_(a * 2),
    "data": lambda h, a: h.data.copy_(a),
    "zero_": lambda h, a: h.data.zero_(),
    "an index": lambda h, a: h.detach().__setitem__(slice(None), a),
    "two aliases": lambda h, a: (h.detach().copy_(a), h.detach().add_(1)),
    "a part": lambda h, a: h.detach()[:2].copy_(a[:2]),
    "a gradient": lambda h, a: h.grad.data.copy_(a),
}


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("name", ALIAS_WRITES)
def test_a_write_through_an_alias_that_nobody_reads_is_made(name: str, requires_grad: bool) -> None:
    """As a target network takes its weights: ``target.data.copy_(weight)``."""
    found = []
    for compiled in (lambda f: f, nb.compile):
        h = nb.zeros(3, requires_grad=requires_grad)
        h.grad = nb.zeros(3)

        def step(a: Any, h: Any = h) -> Any:
            ALIAS_WRITES[name](h, a)
            return a * 1

        run = compiled(step)
        found.append([])
        for k in range(8):
            run(nb.ones(3) * k)
            found[-1].append([h.tolist(), h.grad.tolist()])
            with nb.no_grad():
                h.add_(0.5)
    assert found[0] == found[1]
