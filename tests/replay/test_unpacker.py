"""Arguments that a steady call takes as they come are those of its form, in every respect that decides something."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.replay import compiled as module
from nbgrad.runtime.unchanged import can_tell

pytestmark = pytest.mark.skipif(not can_tell(), reason="this Python keeps its objects elsewhere")


@pytest.fixture(autouse=True)
def fused_at_once() -> Iterator[None]:
    with nb.config.override(compile="eager"):
        yield


class Pair(NamedTuple):
    first: Any
    second: Any


class OtherPair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Record:
    x: Any
    scale: Any


@pytest.fixture
def taken_apart(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One for each call whose arguments were taken apart in the ordinary way."""
    seen: list[int] = []

    class Counted(module.Arguments):
        __slots__ = ()

        def __init__(self, *given: Any) -> None:
            seen.append(1)
            super().__init__(*given)

    monkeypatch.setattr(module, "Arguments", Counted)
    return seen


def kinds(x: Any) -> Any:
    """What tells types and values of a nest of arguments."""
    if hasattr(x, "backward"):
        return x * 2
    if isinstance(x, (list, tuple)):
        return [type(x).__name__, *[kinds(item) for item in x]]
    if isinstance(x, dict):
        return {key: kinds(item) for key, item in x.items()}
    if isinstance(x, (Record, SimpleNamespace)):
        return {key: kinds(item) for key, item in vars(x).items()}
    return getattr(x, "__name__", x)


def plain(x: Any) -> Any:
    if hasattr(x, "backward"):
        return str(x.dtype), x.requires_grad, x.tolist()
    if isinstance(x, (list, tuple)):
        return [plain(item) for item in x]
    if isinstance(x, dict):
        return {key: plain(item) for key, item in x.items()}
    return type(x), repr(x)


def f(*args: Any, **kwargs: Any) -> Any:
    tensors = [a for a in (*args, *kwargs.values()) if hasattr(a, "backward")]
    others = [a for a in (*args, *kwargs.values()) if not hasattr(a, "backward")]
    total: Any = 0.0
    for a in tensors:
        total = total + a.sum() * (1 + len(others))
    if len(tensors) > 1 and tensors[0] is tensors[1]:
        total = total + 100
    return [total, kinds(args), kinds(kwargs)]


def x(k: float = 1.0, n: int = 3) -> Any:
    y = nb.full((n,), float(k))
    y.tolist()  # it is in memory
    return y


def wanting_grad() -> Any:
    return nb.ones(3, requires_grad=True)


Call = tuple[tuple[Any, ...], dict[str, Any]]


def call(*args: Any, **kwargs: Any) -> Call:
    return args, kwargs


# (a call as the steady ones, others that differ from it)
CALLS: dict[str, tuple[Callable[[], Call], list[Callable[[], Call]]]] = {
    "tensor": (
        lambda: call(x()),
        [
            lambda: call(x(n=4)),
            lambda: call(nb.ones(3, 1)),
            lambda: call(nb.ones(3, dtype=nb.float64)),
            lambda: call(nb.ones(3, dtype=nb.int64)),
            lambda: call(wanting_grad()),
            lambda: call(nb.ones(5)[1:4]),
            lambda: call(nb.ones(3) * 3),
            lambda: call(nb.from_numpy(np.ones(3, np.float32))),
            lambda: call(nb.nn.Parameter(nb.ones(3))),
            lambda: call(1.0),
            lambda: call(None),
            lambda: call(),
            lambda: call(x(), x()),
            lambda: call(x=x()),
            lambda: call(x(), x=x()),
        ],
    ),
    "two": (
        lambda: call(x(1), x(2)),
        [
            lambda: call(*[x(3)] * 2),
            lambda: call(x(1), x(2).expand(2, 3)),
            lambda: call(x(1), x(2, n=1)),
        ],
    ),
    "three": (
        lambda: call(x(1), x(2), x(3)),
        [lambda: (lambda a, b: call(a, b, a))(x(1), x(2)), lambda: (lambda a, b: call(a, b, b))(x(1), x(2))],
    ),
    "numbers": (
        lambda: call(x(), 2.0, 3),
        [
            lambda: call(x(), 2, 3),
            lambda: call(x(), 2.0, 3.0),
            lambda: call(x(), 2.0, True),
            lambda: call(x(), 2.0, np.float64(3.0)),
            lambda: call(x(), 2.0, None),
            lambda: call(x(), float("nan"), 3),
            lambda: call(x(), -0.0, -3),
        ],
    ),
    "names": (
        lambda: call(x(), scale=2.0, other=x(2)),
        [
            lambda: call(x(), other=x(2), scale=2.0),
            lambda: call(x(), scale=2.0),
            lambda: call(x(), scale=2.0, others=x(2)),
            lambda: call(x(), 2.0, other=x(2)),
            lambda: call(x(), scale=2, other=x(2)),
        ],
    ),
    "list": (
        lambda: call([x(1), x(2), 2.0, "a", None, True, 0.0]),
        [
            lambda: call([x(1), x(2), 2.0, "a", None, True]),
            lambda: call((x(1), x(2), 2.0, "a", None, True, 0.0)),
            lambda: call([x(1), x(2), 2.5, "a", None, True, 0.0]),
            lambda: call([x(1), x(2), 2, "a", None, True, 0.0]),
            lambda: call([x(1), x(2), 2.0, "b", None, True, 0.0]),
            lambda: call([x(1), x(2), 2.0, "a", False, True, 0.0]),
            lambda: call([x(1), x(2), 2.0, "a", None, 1, 0.0]),
            lambda: call([x(1), x(2), 2.0, "a", None, True, -0.0]),
            lambda: call([x(1), x(2), 2.0, "a", None, True, float("nan")]),
        ],
    ),
    "nan": (lambda: call([x(), float("nan")]), [lambda: call([x(), 1.0]), lambda: call([x(), -float("nan")])]),
    "dict": (
        lambda: call({"a": x(1), "b": [x(2)]}),
        [
            lambda: call({"b": [x(2)], "a": x(1)}),
            lambda: call({"a": x(1), "c": [x(2)]}),
            lambda: call({"a": x(1), "b": [x(2)], "c": 1}),
            lambda: call({"a": x(1)}),
        ],
    ),
    "keys that are no names": (lambda: call({1: x(1), "b": x(2)}), [lambda: call({2: x(1), "b": x(2)})]),
    "named tuple": (lambda: call(Pair(x(1), 2)), [lambda: call(OtherPair(x(1), 2)), lambda: call((x(1), 2))]),
    "records": (
        lambda: call(Record(x(1), 2.0), SimpleNamespace(x=x(2))),
        [
            lambda: call(Record(x(1), 3.0), SimpleNamespace(x=x(2))),
            lambda: call(Record(x(1), 2.0), SimpleNamespace(y=x(2))),
            lambda: call(SimpleNamespace(x=x(1), scale=2.0), SimpleNamespace(x=x(2))),
        ],
    ),
    "objects": (lambda: call(x(), len, Pair), [lambda: call(x(), max, Pair), lambda: call(x(), len, OtherPair)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_arguments_get_what_they_get_without_compile(name: str, taken_apart: list[int]) -> None:
    usual, others = CALLS[name]
    compiled = nb.compile(f)
    expected = plain(f(*usual()[0], **usual()[1]))
    for other in others:
        for _ in range(8):
            args, kwargs = usual()
            assert plain(compiled(*args, **kwargs)) == expected
        if name != "keys that are no names":
            before = len(taken_apart)
            args, kwargs = usual()
            assert plain(compiled(*args, **kwargs)) == expected
            assert len(taken_apart) == before
        args, kwargs = other()
        assert plain(compiled(*args, **kwargs)) == plain(f(*args, **kwargs))


def steady_function(taken_apart: list[int]) -> tuple[Any, Any]:
    """(a function whose calls are steady, its argument)."""
    w = nb.full((3,), 2.0)
    compiled, a = nb.compile(lambda a: (a * w).sum() + nb.ones(1)), nb.ones(3, requires_grad=True)
    for _ in range(8):
        compiled(a)
    before = len(taken_apart)
    assert compiled(a).item() == 7
    assert len(taken_apart) == before + 1, "its result has a history, so it is not steady"
    for _ in range(8):
        with nb.no_grad():
            compiled(a)
    before = len(taken_apart)
    with nb.no_grad():
        assert compiled(a).item() == 7
    assert len(taken_apart) == before
    return compiled, a


def test_grad_mode_inference_and_default_dtype_are_looked_at(taken_apart: list[int]) -> None:
    compiled, a = steady_function(taken_apart)
    assert compiled(a).requires_grad
    with nb.no_grad():
        assert not compiled(a).requires_grad
    with nb.inference_mode():
        assert compiled(a).is_inference()
    with nb.no_grad():
        assert not compiled(a).is_inference()
        nb.set_default_dtype(nb.float64)
        try:
            assert compiled(a).dtype == nb.float64
        finally:
            nb.set_default_dtype(nb.float32)
        assert compiled(a).dtype == nb.float32


def test_a_change_of_settings_has_it_recorded_anew(taken_apart: list[int]) -> None:
    compiled, a = steady_function(taken_apart)
    with nb.config.override(passes="-fuse"), nb.no_grad():
        before = len(taken_apart)
        assert compiled(a).item() == 7
        assert len(taken_apart) == before + 1


def test_part_of_another_recording_is_recorded(taken_apart: list[int]) -> None:
    compiled, a = steady_function(taken_apart)
    outer = nb.compile(lambda a: compiled(a) * 2, fullgraph=True)
    with nb.no_grad():
        for _ in range(6):
            assert outer(a).item() == 14


def test_views_see_what_a_steady_call_writes(taken_apart: list[int]) -> None:
    add = nb.compile(lambda a: a.add_(1))
    a = nb.zeros(4)
    for _ in range(8):
        add(a)
    before = len(taken_apart)
    add(a)
    assert len(taken_apart) == before
    view = a[1:3]
    for k in range(10, 20):
        add(a)
        assert view.tolist() == [k] * 2
        assert a.tolist() == [k] * 4


def test_another_thread_has_modes_of_its_own(taken_apart: list[int]) -> None:
    compiled, a = steady_function(taken_apart)
    found = []

    def work() -> None:
        found.append(compiled(a).requires_grad)

    with nb.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert not compiled(a).requires_grad
    assert found == [True]


def test_guards_are_looked_at(taken_apart: list[int]) -> None:
    options = SimpleNamespace(scale=2.0, names=["a"])
    compiled = nb.compile(lambda a: a * (options.scale if "a" in options.names else 0.0))
    a = nb.ones(3)
    for _ in range(8):
        compiled(a)
    before = len(taken_apart)
    assert compiled(a).tolist() == [2.0] * 3
    assert len(taken_apart) == before
    options.scale = 3.0
    assert compiled(a).tolist() == [3.0] * 3
    options.names.clear()
    assert compiled(a).tolist() == [0.0] * 3
    del options.names
    with pytest.raises(AttributeError):
        compiled(a)


def test_an_argument_that_the_function_reaches_or_whose_gradient_it_is(taken_apart: list[int]) -> None:
    histories = []
    for compiled in (False, True):
        w = nb.linspace(-1, 1, 8).requires_grad_()

        def step(v: Any, w: Any = w) -> Any:
            w.grad = None
            loss = (w * v).sum()
            loss.backward()
            with nb.no_grad():
                w.sub_(0.1 * w.grad)
            return loss.detach()

        g: Any = nb.compile(step) if compiled else step
        v, found = nb.linspace(0, 1, 8), []
        for _ in range(10):
            found.append(g(v).item())
        if compiled:
            before = len(taken_apart)
        found.append(g(v).item())
        if compiled:
            assert len(taken_apart) == before
        for other in (w.grad, w.detach(), v, w.grad, v):
            found += [g(other).item(), w.tolist(), w.grad.tolist()]
        histories.append(found)
    assert histories[0] == histories[1]


@pytest.mark.parametrize("how", ["data", "set_", "written before"])
def test_an_argument_that_is_a_view_may_become_another_tensor(how: str) -> None:
    def become(a: Any) -> Any:
        if how == "written before":
            a.add_(1.0)
        if how == "set_":
            a.set_(nb.full((2,), 7.0))
        else:
            a.data = nb.full((2,), 7.0)
        return a

    compiled = nb.compile(become)
    for _ in range(5):
        base = nb.arange(4.0)
        view = base[1:3]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert compiled(view) is view
        view.add_(1.0)
        assert view.tolist() == [8.0, 8.0]
        assert base.tolist() == ([0.0, 2.0, 3.0, 3.0] if how == "written before" else [0.0, 1.0, 2.0, 3.0])
