"""What a function reaches is looked at again at each call; tests/replay/test_kinds.py has a table of the kinds."""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import nn
from nbgrad.calls.base import CALLS
from nbgrad.replay.captured_state import CapturedState
from nbgrad.replay.captured_walk import Unknown
from nbgrad.replay.instructions import Ran
from nbgrad.tensor.surface import Later, method_of
from tests.replay.test_compiled import plain, programs_of, randn
from tests.replay.test_refusals import refused


def draws_from_python(x: Any) -> Any:
    return x * (2.0 if random.random() < 0.2 else 3.0)


def draws_from_numpy(x: Any) -> Any:
    return x * (2.0 if np.random.rand() < 0.2 else 3.0)


def draws_from_a_generator() -> Callable[[Any], Any]:
    generator = np.random.default_rng(3)
    return lambda x: x * (2.0 if generator.random() < 0.2 else 3.0)


def draws_from_an_object() -> Callable[[Any], Any]:
    generator = random.Random(3)
    return lambda x: x * (2.0 if generator.random() < 0.2 else 3.0)


def goes_on() -> Callable[[Any], Any]:
    scales = iter([1.0] * 5 + [2.0] * 50)
    return lambda x: x * next(scales)


@pytest.mark.parametrize(
    "make",
    [lambda: draws_from_python, lambda: draws_from_numpy, draws_from_a_generator, draws_from_an_object, goes_on],
    ids=["python", "numpy", "generator", "object", "iterator"],
)
def test_decisions_by_what_goes_on_at_each_call_are_taken_at_each_call(make: Any) -> None:
    found = []
    for change in (nb.compile, lambda f: f):
        random.seed(1)
        np.random.seed(1)
        run = change(make())
        found.append([run(nb.ones(1)).item() for _ in range(40)])
    assert found[0] == found[1]
    refused(make(), nb.ones(1), match=r"is of no kind that can be looked at", file=__file__)


def test_what_other_methods_use_does_not_matter() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.w = nb.ones(2, requires_grad=True)
            self.batches = iter(range(100))
            self.seen = 0

        def next_batch(self) -> Any:
            self.seen += 1
            return nb.ones(2) * next(self.batches)

        def step(self, x: Any) -> Any:
            return (self.w * x).sum()

    trainer = Trainer()
    step = nb.compile(trainer.step, fullgraph=True)
    assert [step(trainer.next_batch()).item() for _ in range(6)] == [0, 2, 4, 6, 8, 10]
    assert len(programs_of(step)) == 1


def test_a_compiled_module_shares_its_attributes() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = 2.0
            self.layer = nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return self.layer(x) * self.scale if self.training else x

    net = Net()
    compiled = nb.compile(net, fullgraph=True)
    x = randn(3, 2)
    for change in (lambda: None, lambda: setattr(net, "scale", 3.0), net.eval, compiled.train):
        change()
        for _ in range(4):
            assert plain(compiled(x)) == plain(net(x))
    compiled.layer = nn.Linear(2, 2)
    for _ in range(4):
        assert plain(compiled(x)) == plain(net(x))


def test_a_compiled_module_may_be_copied() -> None:
    model = nb.compile(nn.Sequential(nn.Linear(3, 4), nn.Tanh()), fullgraph=True)
    x = randn(5, 3)
    for _ in range(3):
        model(x)
    other = copy.deepcopy(model)
    with nb.no_grad():
        for p in other.parameters():
            p.zero_()
    for _ in range(4):
        assert not other(x).any()
        assert model(x).any()


def test_items_of_a_tuple_are_not_looked_at_again() -> None:
    points = [(0.5, 2.0), (1.5, (3.0, nb.tensor(4.0)))]

    def step(x: Any) -> Any:
        (a, b), (c, (d, e)) = points
        return x * a + x * b + x * c + x * d * e

    compiled = nb.compile(step, fullgraph=True)
    x = randn(3)
    for _ in range(4):
        compiled(x)
    (program,) = programs_of(compiled)
    places = [g.label for g in program.captured.guards if "points[" in g.label]
    assert places[:3] == ["points[0]", "points[1]", "points[1][1][1]"]  # the last says what kind of tensor it is
    assert set(places[3:]) == {"the attributes of points[1][1][1]"}
    points[1] = (1.5, (30.0, nb.tensor(4.0)))
    assert plain(compiled(x)) == plain(step(x))


def clear_states(o: Any, p: Any, q: Any, r: Any) -> None:
    o.state.clear()


def replace_a_state(o: Any, p: Any, q: Any, r: Any) -> None:
    o.state[p] = {"momentum_buffer": nb.ones(3)}


def swap_states(o: Any, p: Any, q: Any, r: Any) -> None:
    o.state[p], o.state[q] = o.state[q], o.state[p]


def replace_a_group(o: Any, p: Any, q: Any, r: Any) -> None:
    o.param_groups[0] = dict(o.param_groups[0], lr=0.01)


def replace_a_parameter(o: Any, p: Any, q: Any, r: Any) -> None:
    o.param_groups[0]["params"][0] = r


@pytest.mark.parametrize("change", [clear_states, replace_a_state, swap_states, replace_a_group, replace_a_parameter])
def test_an_optimizer_that_holds_as_many_other_things(change: Callable[..., None]) -> None:
    found = []
    for wrap in (lambda f: f, nb.compile):
        p, q, r = [nb.tensor([1.0, -2.0, k]).requires_grad_() for k in (3.0, 4.0, 5.0)]
        optimizer = nb.optim.SGD([p, q], lr=0.1, momentum=0.9)

        def step(o: Any = optimizer, p: Any = p, q: Any = q, r: Any = r) -> Any:
            o.zero_grad()
            loss = (p * p).sum() + (q * q * q).tanh().sum() + (r * r).sum()
            loss.backward()
            o.step()
            return loss.detach()

        run, losses = wrap(step), []
        for k in range(16):
            losses.append(plain(run()))
            if k in (5, 9):
                change(optimizer, p, q, r)
        found.append([losses, plain([p, q, r])])
    assert found[0] == found[1]


def test_a_method_that_is_made_meanwhile_is_the_class_as_it_was(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nb.Tensor, "sqrt", Later(nb.Tensor, "sqrt", functools.partial(method_of, CALLS["sqrt"])))
    compiled, x = nb.compile(lambda x: x * 2.0, fullgraph=True), randn(3)
    with nb.log("compile"):
        expected = plain(compiled(x))
        assert type(vars(nb.Tensor)["sqrt"]) is Later  # a first call makes those that it calls
        assert nb.Tensor.sqrt is vars(nb.Tensor)["sqrt"]
        assert plain(compiled(x)) == expected
        assert "recorded again" not in capsys.readouterr().err
        monkeypatch.setattr(nb.Tensor, "sqrt", lambda self: self)
        assert plain(compiled(x)) == expected
        assert "recorded again" in capsys.readouterr().err


def test_what_ran_and_is_not_reached_is_unknown() -> None:
    """Something has called it that the walk does not know."""
    ran = Ran()
    ran.offsets = {code: {*range(0, 99, 2)} for code in (goes_on.__code__, draws_from_an_object.__code__)}
    with pytest.raises(Unknown, match="draws_from_an_object, which ran"):
        CapturedState([("f", goes_on)], ran)
