"""What is recorded at once equals what is recorded operation by operation, whoever shows the memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.nn import Parameter
from nbgrad.optim import by_parameter as optimizers
from nbgrad.trace import recording
from nbgrad.trace.thread import local
from tests.each import functions
from tests.trace.test_rollback import interrupted_after

OPTIMIZERS: list[tuple[type, dict[str, Any]]] = [
    (nb.optim.SGD, {}),
    (nb.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}),
    (nb.optim.SGD, {"momentum": 0.5, "nesterov": True, "maximize": True}),
    (nb.optim.Adam, {}),
    (nb.optim.Adam, {"weight_decay": 0.1, "amsgrad": True}),
    (nb.optim.AdamW, {"maximize": True}),
]

Seen = list[Any]


def plainly(structure: Any, tensors: Any, numbers: Any, body: Callable[[], None]) -> None:
    body()


def loss_of(params: Sequence[nb.Tensor]) -> nb.Tensor:
    loss: nb.Tensor = sum(((p * p).sum() + p.sum() for p in params), nb.tensor(0.0))
    return loss


def train(params: Sequence[nb.Tensor], optimizer: Any) -> None:
    optimizer.zero_grad()
    loss_of(params).backward()
    optimizer.step()


def fresh(n: int = 3) -> list[nb.Tensor]:
    return [(nb.arange(4, dtype=nb.float32) / 3 + k).requires_grad_() for k in range(n)]


def state_of(optimizer: Any) -> Seen:
    return [v.tolist() for s in optimizer.state.values() for v in s.values() if isinstance(v, nb.Tensor)]


def plain_steps(kind: type, options: dict[str, Any]) -> Seen:
    params = fresh()
    optimizer = kind(params, lr=0.1, **options)
    for _ in range(4):
        train(params, optimizer)
    return [p.tolist() for p in params] + state_of(optimizer)


def looks_between(kind: type, options: dict[str, Any]) -> Seen:
    params, seen = fresh(), []
    optimizer = kind(params, lr=0.1, **options)
    for step in range(6):
        train(params, optimizer)
        if step % 2:
            seen.append(params[step % 3].tolist())
    return seen + state_of(optimizer)


def aliases_and_views(kind: type, options: dict[str, Any]) -> Seen:
    params = fresh()
    optimizer = kind(params, lr=0.1, **options)
    train(params, optimizer)
    train(params, optimizer)
    alias, view, array = params[0].detach(), params[1].detach()[1:3], params[2].detach().numpy()
    seen = []
    for _ in range(3):
        train(params, optimizer)
        seen += [alias.tolist(), view.tolist(), params[2].tolist()]
    with nb.no_grad():
        params[0] += 1
        alias -= 0.5
    train(params, optimizer)
    del array
    train(params, optimizer)
    return [*seen, alias.tolist(), view.tolist(), *[p.tolist() for p in params]]


def a_gradient_for_two(kind: type, options: dict[str, Any]) -> Seen:
    params = fresh()
    optimizer = kind(params, lr=0.1, **options)
    for step in range(5):
        optimizer.zero_grad()
        loss_of(params).backward()
        if step % 2:
            params[1].grad = params[0].grad
        else:
            params[2].grad = None
        nb.manual_seed(0) if step % 3 else params[0].grad.tolist()
        optimizer.step()
    return [p.tolist() for p in params] + state_of(optimizer)


def gradients_read_again(kind: type, options: dict[str, Any]) -> Seen:
    params, kept = fresh(), []
    optimizer = kind(params, lr=0.1, **options)
    for _ in range(4):
        train(params, optimizer)
        kept.append(sum(p.grad.sum() + (p.detach() * p.grad).sum() for p in params))
        params[0].grad.mul_(2)
        optimizer.step()
    return [k.item() for k in kept] + [p.tolist() for p in params]


def old_values_in_a_graph(kind: type, options: dict[str, Any]) -> Seen:
    params = fresh()
    optimizer = kind(params, lr=0.1, **options)
    for _ in range(4):
        before = (params[0] * params[1]).exp()
        train(params, optimizer)
        before.sum().backward()  # with the values of then
        optimizer.step()
    return [p.tolist() for p in params]


def numbers_of_all_kinds(kind: type, options: dict[str, Any]) -> Seen:
    params = fresh()
    optimizer = kind(params, lr=0.1, **options)
    for lr in (1, 0.5, nb.tensor(0.25), nb.tensor([0.1, 0.2]).numpy()[0], 0.5):
        optimizer.param_groups[0]["lr"] = lr
        train(params, optimizer)
    return [p.tolist() for p in params]


def a_state_in_another_order(kind: type, options: dict[str, Any]) -> Seen:
    params = fresh()
    optimizer = kind(params, lr=0.1, **options)
    train(params, optimizer)
    train(params, optimizer)
    saved = optimizer.state_dict()
    saved["state"] = {k: dict(reversed(v.items())) for k, v in saved["state"].items()}
    optimizer.load_state_dict(saved)
    train(params, optimizer)
    train(params, optimizer)
    return [p.tolist() for p in params]


def parameters_of_a_module(kind: type, options: dict[str, Any]) -> Seen:
    nb.manual_seed(0)
    model = nb.nn.Sequential(nb.nn.Linear(3, 4), nb.nn.Tanh(), nb.nn.Linear(4, 1))
    optimizer = kind(model.parameters(), lr=0.1, **options)
    x = nb.arange(6, dtype=nb.float32).reshape(2, 3)
    for _ in range(5):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
    return [p.tolist() for p in model.parameters()]


SITUATIONS = functions(plain_steps, parameters_of_a_module)


@pytest.mark.parametrize(("kind", "options"), OPTIMIZERS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_recorded_at_once_or_one_by_one_is_the_same(
    situation: Callable[..., Seen], kind: type, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = [situation(kind, options), situation(kind, options)]
    monkeypatch.setattr(optimizers, "record_block", plainly)
    assert twice == [situation(kind, options)] * 2


def calls_of(code: Any, body: Callable[[], None]) -> int:
    """How often the function with ``code`` is called while ``body`` runs."""
    count = 0

    def watch(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is code

    sys.setprofile(watch)
    try:
        body()
    finally:
        sys.setprofile(None)
    return count


def test_a_step_that_came_before_records_no_operation() -> None:
    model = nb.nn.Sequential(nb.nn.Linear(13, 11), nb.nn.Linear(11, 7), nb.nn.Linear(7, 1))  # no other test's structure
    optimizer = nb.optim.Adam(model.parameters())
    x = nb.ones(2, 13)
    counts = []
    for _ in range(5):
        optimizer.zero_grad()
        model(x).sum().backward()
        counts.append(calls_of(recording.record_on.__code__, optimizer.step))
    assert counts[0] > 20
    assert counts[-1] == 0


def test_a_step_leaves_the_grad_mode_as_it_is() -> None:
    params = fresh()
    optimizer = nb.optim.SGD(params, lr=0.1)
    for _ in range(3):
        train(params, optimizer)
        assert (params[0] * 2).requires_grad
        with nb.no_grad():
            optimizer.step()
            assert not (params[0] * 2).requires_grad


def test_views_of_a_parameter_that_are_gone_are_forgotten() -> None:
    p = Parameter(nb.ones(3))
    optimizer = nb.optim.SGD([p], lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        (p[:2].sum() + p[1:].sum()).backward()
        optimizer.step()
    assert p._share is None


def test_after_ctrl_c_in_a_step_every_parameter_has_its_old_value_or_its_new_one() -> None:
    struck = 0
    for attempt in range(-1, 150):
        params = fresh(8)
        optimizer = nb.optim.Adam(params, lr=0.5)
        for _ in range(2 if attempt >= 0 else 4):  # at the first attempt, to have it known
            train(params, optimizer)
        before = [p.tolist() for p in params]
        optimizer.zero_grad()
        loss_of(params).backward()
        try:
            with interrupted_after(max(attempt, 0) * 1e-6):
                optimizer.step()
        except KeyboardInterrupt:
            struck += attempt >= 0
        assert len(local.trace.live) == local.trace.node.ix + 1
        after = [p.tolist() for p in params]
        if attempt < 0:
            continue
        moved = [a != b for a, b in zip(after, before, strict=True)]
        assert all(moved) or not any(moved)
        train(params, optimizer)
        assert [p.tolist() for p in params] != after
    assert struck


def steps_in_short_segments(steps: int, looks: bool) -> tuple[list[int], Seen]:
    """How many operations each of some steps records, and what comes of them; segments are cut from 20 entries on."""
    params = fresh(9)
    optimizer = nb.optim.AdamW(params, lr=0.1)
    for p in params:
        p.grad = nb.ones(4)
    counts = []
    for _ in range(steps):
        counts.append(calls_of(recording.record_on.__code__, optimizer.step))
        if looks:
            params[0].tolist()
    return counts, [p.tolist() for p in params]


@pytest.mark.parametrize("looks", [True, False])
def test_a_long_step_is_in_one_segment(looks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "SEGMENT_LENGTH", 20)
    before = local.trace.segment
    counts, short = steps_in_short_segments(5, looks)
    assert counts[0] > 10
    assert counts[-1] == 0
    assert local.trace.segment is not before
    assert local.trace.node.ix < 2 * counts[0] + 100  # without a look, too
    monkeypatch.undo()
    assert steps_in_short_segments(5, looks)[1] == short
