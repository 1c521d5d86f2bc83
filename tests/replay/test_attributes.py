"""Attributes of tensors in compiled functions: what is read of them is looked at, what is written to them happens."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import nbgrad as nb
from nbgrad import nn
from tests.each import functions
from tests.replay.test_compiled import programs_of
from tests.replay.test_refusals import calls, refused

Case = tuple[Callable[[Any], Any], Callable[[], object]]  # a function, and what happens to what it reads


def held(**attributes: Any) -> Any:
    w = nn.Parameter(nb.ones(2))
    vars(w).update(attributes)
    return w


def a_number() -> Case:
    w = held(scale=2.0)
    return lambda x: x * w.scale, lambda: setattr(w, "scale", 3.0)


def a_text() -> Case:
    w = held(kind="row")
    return lambda x: x * (2 if w.kind == "row" else 3), lambda: setattr(w, "kind", "column")


def a_tensor() -> Case:
    w = held(mask=nb.ones(2))
    return lambda x: x * w.mask, lambda: setattr(w, "mask", nb.zeros(2))


def what_is_in_a_tensor() -> Case:
    w = held(mask=nb.ones(2))
    return lambda x: x * w.mask, lambda: w.mask.zero_()


def a_list() -> Case:
    w = held(dims=[2, 1])
    return lambda x: x * w.dims[0], lambda: w.dims.reverse()


def one_that_comes() -> Case:
    w = held()
    return lambda x: x * getattr(w, "scale", 2.0), lambda: setattr(w, "scale", 3.0)


def one_that_is_asked_for() -> Case:
    w = held()
    return lambda x: x * (3 if hasattr(w, "scale") else 2), lambda: setattr(w, "scale", None)


def one_that_goes() -> Case:
    w = held(scale=3.0)
    return lambda x: x * getattr(w, "scale", 2.0), lambda: delattr(w, "scale")


def all_of_them() -> Case:
    w = held(a=1, b=2)
    return lambda x: x * sum(vars(w).values()), lambda: setattr(w, "c", 3)


def another_dict() -> Case:
    w = held(scale=2.0)
    return lambda x: x * w.scale, lambda: setattr(w, "__dict__", {"scale": 3.0})


def a_hidden_method() -> Case:
    w = held()
    return lambda x: x * w.sum(), lambda: setattr(w, "sum", lambda: 5.0)


def one_of_a_gradient() -> Case:
    w = held()
    w.grad = nb.ones(2)
    return lambda x: x * getattr(w.grad, "scale", 2.0), lambda: setattr(w.grad, "scale", 3.0)


def one_of_what_an_object_holds() -> Case:
    box = SimpleNamespace(w=nb.ones(2))

    def change() -> None:
        box.w = nb.ones(2)
        box.w.scale = 3.0

    return lambda x: x * box.w * getattr(box.w, "scale", 2.0), change


CASES = functions(a_number, one_of_what_an_object_holds)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_a_change_is_seen(make: Callable[[], Case]) -> None:
    function, change = make()
    run = nb.compile(function)
    x = nb.ones(2)
    before = [run(x).tolist() for _ in range(4)]
    assert len(programs_of(run)) == 1 and before == [function(x).tolist()] * 4
    change()
    after = [run(x).tolist() for _ in range(4)]
    assert after == [function(x).tolist()] * 4 != before


def test_a_tensor_in_a_place_may_be_replaced_by_one_with_attributes() -> None:
    box = SimpleNamespace(w=nb.ones(2))
    run = nb.compile(lambda x: x * box.w * getattr(box.w, "scale", 2.0))
    found = []
    for scale in [None] * 6 + [3.0, 4.0, None]:
        box.w = nb.ones(2)
        if scale is not None:
            box.w.scale = scale
        found.append(run(nb.ones(2)).tolist()[0])
    assert found == [2.0] * 6 + [3.0, 4.0, 2.0] and programs_of(run)


@pytest.mark.parametrize("view", [False, True])
def test_an_argument_is_asked_for_its_attributes(view: bool) -> None:
    run = nb.compile(lambda x: x * getattr(x, "scale", 2.0), fullgraph=True)
    x = nb.ones(4)[1:3] if view else nb.ones(2)
    found = []
    for scale in [None] * 4 + [3.0] * 4 + [4.0] * 4:
        if scale is not None:
            x.scale = scale
        found.append(run(x).tolist()[0])
        assert run(nb.ones(2)).tolist() == [2.0, 2.0]
    assert found == [2.0] * 4 + [3.0] * 4 + [4.0] * 4 and len(programs_of(run)) == 2
    del x.scale
    assert run(x).tolist() == [2.0, 2.0]
    run = nb.compile(lambda d: d["x"] * d["x"].scale, fullgraph=True)
    for scale in [3.0] * 4 + [4.0] * 4:
        x.scale = scale
        assert run({"x": x}).tolist() == [scale, scale]


def test_a_new_argument_with_an_attribute_at_each_call() -> None:
    run = nb.compile(lambda x: x * x.scale)
    for k in range(70):
        x = nb.ones(2)
        x.scale = float(k)
        assert run(x).tolist() == [k, k]


def test_numbers_and_tensors_are_written() -> None:
    w = held(n=0, ema=nb.zeros(2))

    def run(x: Any) -> Any:
        w.n = w.n + 1
        w.ema = w.ema * 0.5 + x
        return x * w.n

    compiled = nb.compile(run, fullgraph=True)
    assert [compiled(nb.ones(2)).tolist()[0] for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    assert w.n == 6 and type(w.n) is int and w.ema.tolist() == [1.96875] * 2 and programs_of(compiled)

    def count(x: Any) -> Any:
        x.n = x.n + 1
        return x * x.n

    compiled, x = nb.compile(count, fullgraph=True), held(n=0)
    assert [compiled(x).tolist()[0] for _ in range(6)] == [1, 2, 3, 4, 5, 6] and x.n == 6 and programs_of(compiled)


def test_what_is_new_is_recorded_at_each_call() -> None:
    def mark(x: Any, n: float) -> Any:
        x.mark, x.marks = n, [n]
        return x * n

    def make(x: Any) -> Any:
        y = x * 2
        y.made_of = x
        return y

    w = held(seen=[])

    def note(x: Any) -> Any:
        w.seen.append(1)
        return x * len(w.seen)

    compiled = nb.compile(mark)
    for k in range(6):
        x = nb.ones(2)
        assert compiled(x, float(k)).tolist() == [k, k]
        assert (x.mark, x.marks) == (k, [k]) and type(x.mark) is type(x.marks[0]) is float
    compiled = nb.compile(make)
    for _ in range(6):
        assert compiled(x).made_of is x
    compiled = nb.compile(note)
    assert [compiled(nb.ones(1)).item() for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    compiled = nb.compile(mark, fullgraph=True)
    with pytest.raises(RuntimeError, match="the call gives attributes to a tensor that is an argument"):
        calls(lambda: compiled(nb.ones(2), 1.0))
    refused(make, nb.ones(2), match="a tensor that the function makes, and gives attributes, is kept")
    refused(note, nb.ones(1), match=r"the call changes the length of w\.seen")


def test_what_cannot_be_known_is_refused_only_where_it_is_read() -> None:
    w = held(left=iter([1, 2]), scale=2.0)
    assert nb.compile(lambda x: x * w * w.scale, fullgraph=True)(nb.ones(2)).tolist() == [2.0, 2.0]
    refused(lambda x: x * (2 if w.left else 1), nb.ones(2), match=r"w\.left, a .*list_iterator,", file=__file__)
    w.grad = nb.ones(2)
    w.grad.scale = 2.0
    refused(lambda x: x * w.grad.scale, nb.ones(2), match="the gradient of w, which has attributes,", file=__file__)


def test_what_a_function_gives_back_has_its_attributes() -> None:
    x = held(scale=2.0)
    same = nb.compile(lambda x: (x, x * x.scale), fullgraph=True)
    for _ in range(4):
        again, scaled = same(x)
        assert again is x and scaled.tolist() == [2.0, 2.0] and not vars(scaled)


def test_attributes_that_are_not_read_do_not_matter() -> None:
    w = held(names=set())
    run = nb.compile(lambda x: x * w, fullgraph=True)
    for k in range(6):
        w.names.add(k)
        assert run(nb.ones(2)).tolist() == [1.0, 1.0]
    assert len(programs_of(run)) == 1
