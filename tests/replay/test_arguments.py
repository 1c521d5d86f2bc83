"""Arguments of compiled functions: containers that the function changes, tensors that share memory."""

from __future__ import annotations

import contextlib
import json
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.runtime.buffers import Buffer
from tests.each import functions
from tests.replay.test_compiled import plain, programs_of, randn
from tests.replay.test_refusals import refused

CALLS = 6


def fill(box: Any) -> Any:
    box["y"] = box["x"] * 2
    return box["y"] + 1


def take(box: Any) -> Any:
    return box.pop("x") * 2


def grow(box: Any) -> Any:
    box["list"].append(box["x"] + 1)
    return box["x"] * 2


@pytest.mark.parametrize("function", [fill, take, grow])
@pytest.mark.parametrize("view", [False, True], ids=["tensor", "view"])
def test_containers_that_are_changed(function: Callable[[Any], Any], view: bool) -> None:
    base = randn(CALLS, 3)
    found = []
    for run in (function, nb.compile(function)):
        found.append([])
        for k in range(CALLS):
            box = {"x": base[k] if view else randn(3, seed=k), "list": [base[1]]}
            found[-1].append([plain(run(box)), plain(box)])
    assert found[0] == found[1]


def test_changing_a_container_is_refused() -> None:
    refused(fill, {"x": randn(3)}, match="changes a list or dict that it was given")


def write_first(a: Any, b: Any) -> Any:
    a.add_(1)
    return b * 2


def write_second(a: Any, b: Any) -> Any:
    b.add_(1)
    return a * 2


def rows(k: int, base: Any) -> tuple[Any, Any]:
    return base[k % 3], base[k % 3]


def a_row_and_all(k: int, base: Any) -> tuple[Any, Any]:
    return base[k % 3], base


def a_detached_alias(k: int, base: Any) -> tuple[Any, Any]:
    return base, base.detach()


@pytest.mark.parametrize("function", [write_first, write_second])
@pytest.mark.parametrize("arguments", [rows, a_row_and_all, a_detached_alias])
def test_arguments_that_share_memory_and_are_written(function: Any, arguments: Any) -> None:
    found = []
    for run in (function, nb.compile(function)):
        base = randn(4, 4)
        found.append([[plain(run(*arguments(k, base))), plain(base)] for k in range(CALLS)])
    assert found[0] == found[1]


@pytest.mark.parametrize("how", ["a tensor of its own", "with an alias", "a view", "NumPy's"])
def test_one_tensor_given_twice_is_one_object(how: str) -> None:
    kept: list[Any] = []

    def step(x: Any, y: Any) -> Any:
        return x * 2 if x is y else x * 3

    def keeping(x: Any, y: Any) -> Any:
        kept[:] = [x[:1], y]
        return x * y

    a, b = (nb.ones(6)[:3] if how == "a view" else nb.ones(3) for _ in range(2))
    others = [a.numpy() if how == "NumPy's" else a.detach()] if how != "a tensor of its own" else []
    for function, expected in ((step, (2.0, 3.0)), (keeping, (1.0, 1.0))):
        run = nb.compile(function)
        for _ in range(CALLS):
            assert run(a, a).tolist() == [expected[0]] * 3
            assert run(a, b).tolist() == [expected[1]] * 3
    run(a, a)
    kept[0].mul_(1.0)
    assert kept[1] is a
    assert len(others) == (how != "a tensor of its own")


def test_memory_shared_with_numpy_in_two_arguments() -> None:
    array = np.arange(6, dtype=np.float32)
    run = nb.compile(write_first)
    first, second = nb.from_numpy(array), nb.from_numpy(array[2:])
    for k in range(CALLS):
        assert run(first, second).tolist() == [2.0 * (n + k + 1) for n in range(2, 6)]


@pytest.mark.parametrize("sees", ["nobody", "NumPy"])
@pytest.mark.parametrize("first", [0, 4])
def test_an_argument_that_is_a_row_of_memory_of_which_the_function_writes_another(sees: str, first: int) -> None:
    found = []
    for change in (lambda f: f, nb.compile):
        array = np.arange(15, dtype=np.float32).reshape(5, 3)
        base = nb.from_numpy(array) if sees == "NumPy" else nb.tensor(array)
        row = base[2]

        def step(x: Any, a: float, row: Any = row) -> Any:
            if a >= first:
                row.add_(1)
            return x * a

        run = change(step)
        found.append([])
        for k in range(2 * CALLS):
            x = nb.from_numpy(array[k % 5]) if sees == "NumPy" else base[k % 5]
            found[-1].append([run(x, float(k)).tolist(), base.tolist()])
    assert found[0] == found[1]


def write_a_row(x: Any, base: Any, row: Any) -> list[Any]:
    row.add_(1)
    return [x * 2, base.sum()]


def write_the_base(x: Any, base: Any, row: Any) -> list[Any]:
    before = x * 3
    base.mul_(2)
    return [x + before, row * 2]


def write_the_argument(x: Any, base: Any, row: Any) -> list[Any]:
    x.zero_()
    return [row + 1, base * 2, x.mul_(4)]


def write_a_part(x: Any, base: Any, row: Any) -> list[Any]:
    part, alias, read = x[1:], x.detach(), x[:1] * 1
    base.add_(1)
    part.mul_(2)
    row[0] = 7.0
    return [x.clone(), part, alias[1], read, base * 1]


def write_again(x: Any, base: Any, row: Any) -> list[Any]:
    row.add_(1)
    a = x * 1
    x.add_(2)
    b = base[2] * 1
    row.add_(4)
    return [a, b, x * 1]


def write_as_numpy(x: Any, base: Any, row: Any) -> list[Any]:
    before = x + 1
    x.numpy()[1] = 3.0
    return [before, x * 1, row * 2, base.sum()]


def write_what_is_saved(x: Any, base: Any, row: Any) -> list[Any]:
    w = nb.ones(3, requires_grad=True)
    part = x[:2]
    y = (w * x).sum() + (w[:2] * part).sum()
    row.mul_(2)
    y.backward()
    return [w.grad, part.clone(), x.clone()]


WRITES = functions(write_a_row, write_what_is_saved)


@pytest.mark.parametrize("kind", ["a row", "an alias", "NumPy's"])
@pytest.mark.parametrize("first", [0, 2, 3])
@pytest.mark.parametrize("change", WRITES)
def test_the_first_call_that_writes_what_its_argument_shows(change: Any, first: int, kind: str) -> None:
    """The calls before did not."""
    found = []
    for compiled in (lambda f: f, nb.compile):
        array = np.arange(15, dtype=np.float32).reshape(5, 3)
        base = nb.from_numpy(array) if kind == "NumPy's" else nb.tensor(array)
        row = base[2]

        def step(x: Any, k: float, base: Any = base, row: Any = row) -> list[Any]:
            return change(x, base, row) if k >= first else [x * k, base * k, row * k]

        run = compiled(step)
        found.append([])
        for k in range(8):
            x = base.detach()[2] if kind == "an alias" else base[k % 5]
            found[-1].append(plain([run(x, float(k)), x, base, row]))
    assert found[0] == found[1]


class Kept:
    """What a function keeps of its argument."""

    def __init__(self) -> None:
        self.last, self.known = nb.ones(3), nb.ones(3)


def keep(kept: Kept, x: Any, k: int) -> None:
    kept.last = x


def keep_an_alias(kept: Kept, x: Any, k: int) -> None:
    kept.last = x.detach()


def keep_a_part(kept: Kept, x: Any, k: int) -> None:
    kept.last = x[:2]


def keep_elsewhere(kept: Kept, x: Any, k: int) -> None:
    kept.__dict__["other"] = x[1:]


def keep_and_write(kept: Kept, x: Any, k: int) -> None:
    kept.last = x.detach()
    kept.known.mul_(0.5)
    kept.known = kept.last


def keep_and_fail(kept: Kept, x: Any, k: int) -> None:
    kept.last = x[1:]
    if k % 2:
        raise KeyError("meanwhile")


@pytest.mark.parametrize("change", [keep, keep_an_alias, keep_a_part, keep_elsewhere, keep_and_write, keep_and_fail])
def test_what_a_function_keeps_of_an_argument_shows_the_callers_memory(change: Any) -> None:
    found = []
    for compiled in (lambda f: f, nb.compile):
        base, kept = randn(4, 3), Kept()

        def step(x: Any, k: int, kept: Kept = kept) -> Any:
            change(kept, x, k)
            return x * 1

        run = compiled(step)
        for k in range(8):
            with contextlib.suppress(KeyError):
                run(base[k % 4], k)
            base.mul_(2)
            kept.last.add_(0.5)
            found.append([plain([base, *vars(kept).values()])])
    half = len(found) // 2
    assert found[:half] == found[half:]


@pytest.mark.parametrize("shown", [lambda x: x, lambda x: x.detach(), lambda x: x[:]])
def test_what_a_function_keeps_of_a_tensor_of_its_own_shows_that_memory(shown: Any) -> None:
    kept = Kept()

    def step(x: Any) -> Any:
        kept.last = shown(x)
        return x * 1

    run = nb.compile(step)
    for _ in range(8):
        x = nb.ones(3)
        run(x)
        kept.last.mul_(0.5)
        assert x.tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("written", [True, False])
def test_an_argument_that_is_returned_is_the_callers(written: bool) -> None:
    base, other = randn(4, 3), randn(4, 3)

    def step(x: Any, box: Any) -> Any:
        if written:
            base.add_(1)
        return {"x": x, "inner": (box["y"], x * 2)}

    run = nb.compile(step)
    for k in range(CALLS):
        x, y = base[k % 4], other[1]
        result = run(x, {"y": y})
        assert result["x"] is x and result["inner"][0] is y


def test_an_alias_made_after_numpy_has_let_go_of_the_memory() -> None:
    found = []
    for change in (lambda f: f, nb.compile):
        w = randn(3).requires_grad_()
        alias = w.detach()
        w.detach().numpy()

        def step(a: Any, w: Any = w) -> Any:
            with nb.no_grad():
                a.mul_(2)
                w.add_(1)
                return a + 0

        run, other = change(step), w.detach()
        found.append([plain([run(other), w, alias]) for _ in range(CALLS)])
    assert found[0] == found[1]


@pytest.mark.parametrize("write_argument", [True, False])
def test_views_of_what_the_function_writes(write_argument: bool) -> None:
    found = []
    for change in (lambda f: f, nb.compile):
        w = randn(4, 4)

        def step(v: Any, w: Any = w) -> Any:
            (v if write_argument else w).add_(1)
            return (w if write_argument else v) * 2

        run = change(step)
        found.append([[plain(run(w[k % 3])), plain(w)] for k in range(CALLS)])
    assert found[0] == found[1]


def test_views_that_are_only_read_run_again() -> None:
    text = randn(40)
    run = nb.compile(lambda x, y: (x * y * text[:8]).sum(), fullgraph=True)
    for k in range(CALLS):
        x, y = text[k : k + 8], text[k + 1 : k + 9]
        assert plain(run(x, y)) == plain((x * y * text[:8]).sum())
    assert len(programs_of(run)) == 1


@pytest.mark.parametrize("kind", ["view", "numpy"])
def test_memory_that_others_see_is_written_where_a_tensor_of_its_own_was_before(kind: str) -> None:
    """The program of the calls before writes what its argument has, and that would be a copy."""
    found = []
    for run in (write_first, nb.compile(write_first)):
        other, seen = randn(4), []
        for _ in range(CALLS):
            run(randn(4), other)
        array = np.arange(5, dtype=np.float32)
        base = nb.tensor(array) if kind == "view" else nb.from_numpy(array)
        for _ in range(CALLS):
            seen.append((plain(run(base[1:] if kind == "view" else base[:4], other)), plain(base)))
        found.append(seen)
    assert found[0] == found[1]


def test_an_argument_that_shows_what_the_function_writes_where_one_of_its_own_was_before() -> None:
    found = []
    for change in (lambda f: f, nb.compile):
        w, p = randn(4, 4), randn(4, 4).requires_grad_()
        p.grad = randn(4, 4)

        def step(v: Any, w: Any = w, p: Any = p) -> Any:
            w.add_(1)
            p.grad.mul_(2)
            return v * 2

        run = change(step)
        for _ in range(CALLS):
            run(randn(4))
        found.append([plain(run(x)) for _ in range(CALLS) for x in (w[0], p.grad[1], randn(4))])
    assert found[0] == found[1]


def test_writing_an_argument_that_shares_memory_is_refused() -> None:
    base = randn(4, 4)
    with pytest.raises(RuntimeError, match="shares its memory"):
        nb.compile(write_first, fullgraph=True)(base[0], base)


class Keeper:
    last: Any = None

    def itself(self, x: Any) -> Any:
        self.last = x
        return x * 2

    def a_view(self, x: Any) -> Any:
        self.last = x[1:]
        return x * 2

    def for_a_backward(self, x: Any) -> Any:
        return (x * self.weight * self.weight).sum()

    def __init__(self) -> None:
        self.weight = nb.ones(4, requires_grad=True)


@pytest.mark.parametrize("name", ["itself", "a_view"])
@pytest.mark.parametrize("imported", [True, False])
def test_arguments_that_are_kept_outlive_the_memory_they_showed(name: str, imported: bool) -> None:
    array = np.arange(600, dtype=np.float32).reshape(6, 100)
    expected = array.tolist()
    base = nb.from_numpy(array) if imported else nb.tensor(array)
    keeper = Keeper()
    run = nb.compile(getattr(keeper, name))
    kept = []
    for k in range(6):
        run(base[k])
        kept.append(keeper.last)
    del array, base
    others = [nb.zeros(600) for _ in range(9)]
    assert [x.tolist() for x in kept] == [row[-len(kept[0]) :] for row in expected]
    assert len(others) == 9


@pytest.mark.cpu
def test_a_backward_after_a_compiled_call_reads_what_its_argument_was() -> None:
    array = np.arange(24, dtype=np.float32).reshape(6, 4)
    base, keeper = nb.from_numpy(array), Keeper()
    run = nb.compile(keeper.for_a_backward)
    for k in range(6):
        loss = run(base[k])
        before = array[k].tolist()
        array[k] = -1
        keeper.weight.grad = None
        loss.backward()
        assert keeper.weight.grad.tolist() == [2 * x for x in before]


@pytest.mark.cpu
def test_views_and_imported_memory_are_read_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.arange(600, dtype=np.float32).reshape(6, 100)
    imported, plain_base = nb.from_numpy(array), nb.tensor(array)
    run = nb.compile(lambda x, y: (x * y).sum(), fullgraph=True)
    expected = [plain((imported[k] * plain_base[k]).sum()) for k in range(6)]
    for k in range(4):
        run(imported[k], plain_base[k])
    copies: list[int] = []
    copy = Buffer.from_numpy

    def from_numpy(array: Any) -> Buffer:
        copies.append(array.nbytes)  # a fused program that is ready only now has its constants copied
        return copy(array)

    monkeypatch.setattr(Buffer, "from_numpy", staticmethod(from_numpy))
    found = [run(imported[k], plain_base[k]) for k in range(6)]
    monkeypatch.undo()
    assert array[0].nbytes not in copies
    assert [plain(x) for x in found] == expected


def test_numbers_that_decide_by_turns() -> None:
    sizes = nb.compile(lambda x, n: x[:n].sum() + nb.zeros(n).sum() + n, fullgraph=True)
    x = randn(9)
    for k in range(12):
        n = 2 + k % 4
        assert plain(sizes(x, n)) == plain(x[:n].sum() + nb.zeros(n).sum() + n)
    assert len(programs_of(sizes)) == 4


def test_numbers_that_decide_otherwise_at_each_call() -> None:
    run = nb.compile(lambda x, t: x * np.exp(t), fullgraph=True)
    with pytest.raises(RuntimeError, match=r"numbers decide otherwise at each call.*a0 == "):
        plain([run(nb.ones(1), 0.1 * k) for k in range(40)])


class Batch:
    def __init__(self) -> None:
        self.x = nb.ones(2)


@pytest.mark.parametrize(
    ("function", "make", "why"),
    [
        (lambda batch: batch.x * 2, lambda k: Batch(), "given another Batch each time"),
        (lambda scales: nb.ones(2) * scales[0], lambda k: [k / 3], "values in containers, are others each time"),
    ],
)
def test_calls_that_are_never_the_same_are_said(function: Any, make: Any, why: str) -> None:
    run = nb.compile(function)
    for k in range(70):
        run(make(k))
    assert any(why in text for text in nb.explain(lambda: None).fallbacks)


@dataclass
class Data:
    x: Any
    y: Any
    scale: float = 2.0

    def product(self) -> Any:
        return self.x * self.y * self.scale


@dataclass(frozen=True, slots=True)
class Frozen:
    x: Any
    y: Any

    def product(self) -> Any:
        return self.x * self.y


RECORDS: list[Callable[..., Any]] = [Data, Frozen, SimpleNamespace]


@pytest.mark.parametrize("kind", RECORDS)
def test_records_are_taken_apart(kind: Callable[..., Any]) -> None:
    run = nb.compile(lambda batch: batch.x * batch.y, fullgraph=True)
    for k in range(CALLS):
        x, y = randn(3), randn(3)
        assert run(kind(x=x, y=y)).tolist() == (x * y).tolist()
        assert run([kind(x=x, y=y[:] if k % 2 else y)][0]).tolist() == (x * y).tolist()
    assert len(programs_of(run)) == 1


@pytest.mark.parametrize("kind", [Data, Frozen])
def test_methods_of_records(kind: Callable[..., Any]) -> None:
    run = nb.compile(lambda batch: batch.product(), fullgraph=True)
    for _ in range(CALLS):
        batch = kind(x=randn(3), y=randn(3))
        assert run(batch).tolist() == batch.product().tolist()
    assert len(programs_of(run)) == 1


def test_other_values_in_records_are_other_programs() -> None:
    run = nb.compile(lambda batch: batch.product(), fullgraph=True)
    for k in range(2 * CALLS):
        batch = Data(x=randn(3), y=randn(3), scale=1.0 + k % 2)
        assert run(batch).tolist() == batch.product().tolist()
        batch.extra = k % 2
    assert len(programs_of(run)) == 2


@pytest.mark.parametrize("view", [False, True], ids=["tensor", "view"])
def test_records_that_are_changed(view: bool) -> None:
    def change(batch: Any) -> Any:
        batch.y = batch.x * 2
        return batch.y + 1

    base = randn(CALLS, 3)
    run = nb.compile(change)
    for k in range(CALLS):
        batch = SimpleNamespace(x=base[k] if view else base[k].clone(), y=None)
        assert run(batch).tolist() == (base[k] * 2 + 1).tolist()
        assert batch.y.tolist() == (base[k] * 2).tolist()


@pytest.mark.parametrize("kind", [OrderedDict, lambda **items: defaultdict(list, items)])
def test_other_dicts_are_dicts(kind: Callable[..., Any]) -> None:
    run = nb.compile(lambda box: box["x"] * box["y"], fullgraph=True)
    for k in range(CALLS):
        x, y = randn(3), randn(3)
        assert run(kind(x=x, y=y[:] if k % 2 else y)).tolist() == (x * y).tolist()
    assert len(programs_of(run)) == 1


def test_a_tensor_of_a_number_has_the_dtype_of_a_float_while_it_is_recorded() -> None:
    made = nb.compile(lambda x, a, n: (x * a, nb.tensor(a), nb.as_tensor(n), nb.tensor([a, a])))
    for _ in range(4):
        dtypes = [y.dtype for y in made(nb.ones(2), 0.5, 3)]
        assert dtypes == [nb.float32, nb.float32, nb.int64, nb.float32]


def test_what_asks_for_the_class_of_a_number_gets_a_plain_one() -> None:
    told = nb.compile(lambda x, a: (x * a, json.dumps(a), type(a) is float))
    for k in range(8):
        assert told(nb.ones(2), 0.5 + k % 2)[1:] == (str(0.5 + k % 2), True)


def test_an_argument_that_a_step_holds_too_is_bound_under_both_names() -> None:
    histories = []
    for wrap in (lambda f: f, lambda f: nb.compile(f, fullgraph=True)):
        ps = [nb.full((2,), 1.0 + k).requires_grad_() for k in range(3)]
        optimizer = nb.optim.SGD(ps, lr=0.1, momentum=0.9)

        def step(params: Any, x: Any, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = sum((p * x).pow(2).sum() for p in params)
            loss.backward()
            optimizer.step()
            return loss.detach()

        run, found = wrap(step), []
        for k in range(12):
            found.append(plain(run(ps, nb.ones(2) * k)))
        other = nb.full((2,), 9.0).requires_grad_()
        for given in ([ps[0], ps[1], other], [ps[1], ps[0], ps[2]], [other, other, ps[0]], ps):
            for _ in range(4):
                found.append([plain(run(given, nb.ones(2))), plain(other), plain(ps)])
                other.grad = None
        histories.append(found)
        if run is not step:
            assert len(programs_of(run)) >= 2
    assert histories[0] == histories[1]


@pytest.mark.parametrize("write", [lambda w: w.sub_(1), lambda w: w.mul_(1).add_(2), lambda w: w.data.add_(1)])
def test_a_write_to_an_argument_reaches_its_detached_alias(write: Any) -> None:
    def step(w: Any, d: Any) -> Any:
        with nb.no_grad():
            write(w)
        return d * 2

    for wrap in (lambda f: f, nb.compile):
        run = wrap(step)
        for _ in range(4):
            w, d = nb.ones(2, requires_grad=True), nb.ones(2)
            assert run(w, d).tolist() == [2.0, 2.0]
        for _ in range(4):
            w = nb.ones(2, requires_grad=True)
            result = run(w, w.detach())
            assert result.tolist() == [2 * x for x in w.tolist()]
            assert run(w, nb.ones(2)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("alias", [lambda y: y.detach(), lambda y: y.detach()[:], lambda y: y[:].data[...]])
def test_a_detached_alias_of_memory_that_others_see_has_a_history_of_its_own(alias: Any) -> None:
    w = nb.tensor([2.0, 3.0], requires_grad=True)

    def step(y: Any) -> Any:
        shown = alias(y)
        part = shown[:1]
        shown[1:] = w[1:] * 5.0
        return y.requires_grad, shown.requires_grad, part.requires_grad, y.tolist()

    found = []
    for wrap in (lambda f: f, nb.compile):
        y = nb.tensor([1.0, 2.0])
        array, run = y.numpy(), wrap(step)
        found.append([*[run(y) for _ in range(3)], array.tolist()])
    assert found[0] == found[1]
    assert not found[0][0][0]


def test_a_write_that_changes_nothing_is_a_write() -> None:
    def step(x: Any, y: Any, k: int) -> Any:
        x.mul_(k)
        return y + 1

    for wrap in (lambda f: f, nb.compile):
        run = wrap(step)
        base = nb.ones(4)
        found = [run(base[:3], base[1:], 1 if k < 4 else 2).tolist() for k in range(8)]
        assert found[-1] == [17.0, 17.0, 2.0]


@pytest.mark.parametrize("made", [OrderedDict, partial(defaultdict, list), dict], ids=["ordered", "default", "plain"])
def test_a_dict_of_any_class_that_is_returned(made: Any) -> None:
    base = nb.ones(4)
    run = nb.compile(lambda x: made({"x": x, "y": [x * 2]}))
    for _ in range(4):
        result = run(base[1:])
        assert type(result) is type(made()) and [*result] == ["x", "y"]
        assert result["x"].tolist() == [1.0] * 3 and result["y"][0].tolist() == [2.0] * 3


KEPT: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda w: None,
    "an alias": lambda w: w.data,
    "NumPy's view": lambda w: w.detach().numpy(),
    "a view": lambda w: w[1:],
    "a view of an alias": lambda w: w.detach()[:2],
}


def halve_without_gradient(w: Any) -> None:
    with nb.no_grad():
        w.mul_(0.5)


def halve_for_numpy(w: Any) -> None:
    w.detach().numpy()[...] *= 0.5


def give_other_data(w: Any) -> None:
    w.data = w.data * 0.5


HALVED: dict[str, Callable[[Any], Any]] = {
    "through an alias that is gone": lambda w: w.data.mul_(0.5),
    "itself": halve_without_gradient,
    "by NumPy": halve_for_numpy,
    "by other data": give_other_data,
}


@pytest.mark.filterwarnings("ignore:nbgrad")  # what shares its memory is recorded at each call
@pytest.mark.parametrize("has_gradient", [True, False])
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("halve", HALVED)
def test_an_argument_that_is_written_between_calls(halve: str, kept: str, has_gradient: bool) -> None:
    found = []
    for wrap in (lambda f: f, nb.compile):
        w = nb.tensor([0.5, -1.0, 2.0], requires_grad=has_gradient)
        other, run, seen = KEPT[kept](w), wrap(lambda x: (x * x).sum()), []
        for k in range(6):
            seen.append(run(w).item())
            if k in (1, 3):
                HALVED[halve](w)
        found.append(seen)
        del other
    assert found[0] == found[1]
