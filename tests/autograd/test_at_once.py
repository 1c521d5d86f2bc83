"""A backward that recurs runs without being recorded, all of it or nothing, whoever comes between."""

from __future__ import annotations

import gc
import signal
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd.at_once import AtOnce
from nbgrad.config import override
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.runner import RunOver

STEPS = 12
RATE = 0.1


class Model:
    """Three numbers that are trained; ``known`` says of each backward whether it ran at once."""

    def __init__(self) -> None:
        self.w = nb.tensor([1.0, -2.0, 3.0], requires_grad=True)
        self.b = nb.tensor(0.5, requires_grad=True)
        self.loss: Any = None

    def forward(self) -> nb.Tensor:
        self.loss = ((self.w * self.w + self.b) * 0.5).sum()
        return self.loss

    def update(self) -> None:
        with nb.no_grad():
            for p in (self.w, self.b):
                p -= RATE * p.grad
                p.grad.zero_()

    def step(self) -> None:
        self.forward().backward()
        self.update()

    def values(self) -> list[Any]:
        return [x.tolist() for x in (self.w, self.b, self.w.grad, self.b.grad, self.loss)]


@pytest.fixture
def at_once(one_thread: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether each backward that could run at once did so."""
    found: list[bool] = []
    run = AtOnce.run

    def watched(self: AtOnce, *given: Any) -> bool | None:
        found.append(False)
        done = run(self, *given)
        found[-1] = done is True
        return done

    monkeypatch.setattr(AtOnce, "run", watched)
    return found


def trained(meanwhile: Callable[[Model, int], None] = lambda *_: None) -> list[Any]:
    """The values after each step but the first ones; ``meanwhile`` is called before each backward."""
    model, seen = Model(), []
    for step in range(STEPS):
        loss = model.forward()
        meanwhile(model, step)
        loss.backward()
        model.update()
        if step == STEPS - 1:
            seen += model.values()
    return seen


def by_hand() -> list[Any]:
    w, b = [1.0, -2.0, 3.0], 0.5
    for _ in range(STEPS):
        grads = list(w)
        loss = sum((x * x + b) * 0.5 for x in w)
        w, b = [x - RATE * g for x, g in zip(w, grads, strict=True)], b - RATE * 1.5
    return [w, b, [0.0] * 3, 0.0, loss]


@pytest.mark.cpu
def test_a_loop_runs_its_backwards_at_once_and_learns_the_same(at_once: list[bool]) -> None:
    for _ in range(3):
        found = trained()
        assert found[0] == pytest.approx(by_hand()[0], rel=1e-5)
        assert found[1] == pytest.approx(by_hand()[1], rel=1e-5)
        assert found[2:4] == by_hand()[2:4]
        assert found[4] == pytest.approx(by_hand()[4], rel=1e-5)
    assert at_once[-STEPS // 2 :] == [True] * (STEPS // 2)


@pytest.mark.cpu
def test_the_bits_are_those_of_the_long_way(at_once: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    trained()
    found = trained()
    assert any(at_once)
    monkeypatch.setattr(AtOnce, "bits", lambda self, trace: None)
    assert trained() == found


@pytest.mark.cpu
def test_another_who_is_held_or_another_switch_is_another_run(at_once: list[bool]) -> None:
    trained()
    held: list[Any] = []

    def hold(model: Model, step: int) -> None:
        if step % 3 == 0:
            held.append(model.w * model.w)  # recorded, and asked for later
        elif step % 3 == 1:
            held.append(model.loss)

    expected = by_hand()
    with override(passes="-fuse"):
        assert trained()[0] == pytest.approx(expected[0], rel=1e-5)
    assert trained(hold)[0] == pytest.approx(expected[0], rel=1e-5)
    assert all(nb.isfinite(x).all() for x in held)


@pytest.mark.cpu
def test_a_second_backward_through_the_graph_is_refused(at_once: list[bool]) -> None:
    model = Model()
    for _ in range(STEPS):
        model.step()
    loss = model.forward()
    loss.backward()
    assert at_once[-1]
    before = model.w.grad.tolist()
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()
    assert model.w.grad.tolist() == before


class Struck(Exception):
    """What a handler raises."""


def during_run(monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> None:
    """Have ``work`` come, as a signal's handler, when the next run has computed its results."""
    run = Executable.run

    def watched(self: Executable, *given: Any) -> Any:
        monkeypatch.setattr(Executable, "run", run)
        outs = run(self, *given)
        before = signal.signal(signal.SIGUSR1, lambda *_: work())
        try:
            signal.raise_signal(signal.SIGUSR1)
        except BaseException as stop:
            raise RunOver(stop, outs) from None
        finally:
            signal.signal(signal.SIGUSR1, before)
        return outs

    monkeypatch.setattr(Executable, "run", watched)


def known(at_once: list[bool]) -> Model:
    """A model whose next backward runs at once."""
    model = Model()
    for _ in range(10 * STEPS):  # another test's handler may have come in between there, which casts doubt on it
        model.step()
    assert at_once[-1]
    return model


@pytest.mark.cpu
def test_what_a_handler_raises_leaves_all_as_it_was(at_once: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def raises() -> None:
        raise Struck

    model = known(at_once)
    loss = model.forward()
    during_run(monkeypatch, raises)
    with pytest.raises(Struck):
        loss.backward()
    assert [model.w.grad.tolist(), model.b.grad.tolist()] == [[0.0] * 3, 0.0]
    loss.backward()
    assert model.w.grad.tolist() == model.w.tolist()
    assert model.b.grad.item() == 1.5


@pytest.mark.cpu
def test_what_a_handler_adds_to_a_gradient_is_added(at_once: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    model = known(at_once)
    loss = model.forward()
    during_run(monkeypatch, lambda: model.w.grad.add_(10.0))
    loss.backward()
    assert at_once[-1] is False
    assert model.w.grad.tolist() == pytest.approx([x + 10.0 for x in model.w.tolist()])
    assert model.b.grad.item() == 1.5


@pytest.mark.cpu
def test_a_handler_reads_what_was_there_before_or_after(at_once: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    model, seen = known(at_once), []
    loss = model.forward()
    during_run(monkeypatch, lambda: seen.extend([model.w.grad.tolist(), model.w.tolist(), loss.item()]))
    loss.backward()
    assert seen[0] in ([0.0] * 3, model.w.grad.tolist())
    assert seen[1:] == [model.w.tolist(), loss.item()]
    assert model.w.grad.tolist() == model.w.tolist()


@pytest.mark.cpu
def test_gradients_that_are_none_are_made_unless_a_handler_has_given_one(
    at_once: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    w, one = nb.tensor([1.0, 2.0], requires_grad=True), nb.ones(2)
    one.tolist()
    for step in range(STEPS):
        w.grad = None
        loss = (w * w).sum()
        if step == STEPS - 1:
            during_run(monkeypatch, lambda: setattr(w, "grad", one))
        loss.backward()
        assert step < STEPS - 1 or not at_once[-1]
    assert w.grad is one
    assert one.tolist() in ([1.0, 1.0], [3.0, 5.0])  # behind the backward, or before


@pytest.mark.cpu
def test_finalizers_of_what_ends_find_all_done(at_once: list[bool]) -> None:
    """A finalizer that runs in the midst, and uses what the backward gives its value to."""
    model = known(at_once)
    seen: list[Any] = []
    for _ in range(4):
        dropped = model.w * 2.0  # nobody else has it when the backward ends
        weakref.finalize(dropped, lambda: seen.append([model.w.grad.tolist(), model.w.tolist()]))
        loss = model.forward()
        del dropped
        loss.backward()
        expected = model.w.tolist()
        assert model.w.grad.tolist() == expected
        model.update()
    gc.collect()
    assert len(seen) == 4
    assert all(grad in ([0.0] * 3, w) for grad, w in seen)


@pytest.mark.cpu
def test_one_that_fails_is_found_out_in_the_long_way(at_once: list[bool]) -> None:
    table = nb.ones(4).requires_grad_()
    for place in [1, 2, 3, 1, 2, 3, 0, 9, 1]:
        table.grad = None
        loss = (table[nb.tensor([place])] * 2).sum()
        if place == 9:
            with pytest.raises(IndexError):
                loss.backward()
            continue
        loss.backward()
        assert table.grad.tolist() == [2.0 * (k == place) for k in range(4)]


@pytest.mark.cpu
def test_steps_with_views_and_with_indices_run_at_once(at_once: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody holds of them; a view that somebody holds is still one."""
    places, held = nb.tensor([0, 2, 2]), []

    def losses() -> list[Any]:
        w, seen = nb.tensor([[1.0, -2.0], [3.0, 4.0], [0.5, 0.25]], requires_grad=True), []
        for step in range(2 * STEPS):
            view = w.t().reshape(2, 3)
            loss = (w[places] * view.reshape(-1)[2:5].reshape(3, 1)).square().mean()
            held[:] = [view] if step == STEPS else []
            del view
            loss.backward(create_graph=False)
            seen += [loss.item(), w.grad.tolist(), *[x.tolist() for x in held]]
            with nb.no_grad():
                w -= 1e-3 * w.grad
                w.grad.zero_()
        return seen

    losses()
    n = len(at_once)
    quick = losses()
    assert any(at_once[n:])
    monkeypatch.setattr(AtOnce, "bits", lambda self, trace: None)
    assert quick == losses()


@pytest.mark.cpu
def test_an_index_that_is_none_fails_at_its_line(at_once: list[bool]) -> None:
    table, places = nb.ones(4).requires_grad_(), nb.tensor([1])
    for _ in range(10 * STEPS):
        table.grad = None
        (table[places] * 2).sum().backward()
    assert at_once[-1]
    table.grad, places = None, nb.tensor([9])
    loss = (table[places] * 2).sum()
    line = _line_before()
    with pytest.raises(IndexError, match=rf"test_at_once\.py:{line}$"):
        loss.backward()
    assert table.grad is None
    loss = (table[nb.tensor([3])] * 2).sum()
    loss.backward()
    assert table.grad.tolist() == [0.0, 0.0, 0.0, 2.0]


def _line_before() -> int:
    frame = sys._getframe(1)
    return frame.f_lineno - 1


@pytest.mark.cpu
def test_hooks_and_long_ways_come_back(at_once: list[bool]) -> None:
    model = known(at_once)
    handle = model.w.register_hook(lambda g: g * 2.0)
    model.forward().backward()
    assert model.w.grad.tolist() == [2.0 * x for x in model.w.tolist()]
    handle.remove()
    model.update()
    n = len(at_once)
    for _ in range(10 * STEPS):
        model.step()
    assert any(at_once[n:])


@pytest.mark.cpu
def test_a_loop_whose_results_have_aliases_does_not_run_twice_each_time(
    one_thread: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[None] = []
    run = Executable.run
    monkeypatch.setattr(Executable, "run", lambda *given: (runs.append(None), run(*given))[1])

    def loop() -> tuple[int, list[float]]:
        p, n = nb.tensor([1.0, 2.0], requires_grad=True), len(runs)
        for _ in range(10 * STEPS):
            (p * p).sum().backward()
            with nb.no_grad():
                p -= 1e-4 * p.grad
                p.grad.zero_()
            shown = p.detach()
        return len(runs) - n, shown.tolist()

    loop()
    quick, values = loop()
    monkeypatch.setattr(AtOnce, "bits", lambda self, trace: None)
    usual, expected = loop()
    assert values == expected
    assert quick < 1.1 * usual


def _under(mode: Callable[[], Any], work: Callable[[Model], Any]) -> Callable[[Model], Any]:
    def held(model: Model) -> Any:
        with mode():
            made = work(model)
            made_before = model.w * 3.0
        return [made, made_before]

    return held


def _doubled(model: Model) -> Any:
    return model.w * 2.0


def _dual(model: Model) -> Any:
    with nb.autograd.forward_ad.dual_level():
        x = nb.autograd.forward_ad.make_dual(model.w.detach(), nb.ones(3))
        model.loss.backward(retain_graph=True)
        model.w.grad.zero_()
        model.b.grad.zero_()
        return nb.autograd.forward_ad.unpack_dual(x * x).tangent


def _backward_within(mode: Callable[[], Any]) -> Callable[[Model], Any]:
    """The derivatives asked for within ``mode``, and what is recorded there behind them."""

    def held(model: Model) -> Any:
        matrix = nb.ones(2, 2)
        with mode():
            model.loss.backward(retain_graph=True)
            behind = [model.w * 2.0, matrix @ matrix]
        model.w.grad.zero_()
        model.b.grad.zero_()
        return behind

    return held


def _part(model: Model) -> Any:
    part = model.w.grad[:2]
    part.mul_(1.0)
    return part


def _given(model: Model) -> Any:
    model.w.grad = model.w.grad + 1.0  # pending, and another one than before
    return model.w.grad


MEANWHILE: dict[str, Callable[[Model], Any]] = {
    "nothing": lambda model: None,
    "held": _doubled,
    "no_grad": _under(nb.no_grad, _doubled),
    "inference": _under(nb.inference_mode, lambda model: model.w * 2.0),
    "autocast": _under(lambda: nb.autocast("cpu"), lambda model: model.w.reshape(1, 3) @ model.w.reshape(3, 1)),
    "backward within no_grad": _backward_within(nb.no_grad),
    "backward within autocast": _backward_within(lambda: nb.autocast("cpu")),
    "backward within anomaly": _backward_within(nb.autograd.detect_anomaly),
    "dual": _dual,
    "a view of the gradient": _part,
    "another gradient": _given,
    "an alias": lambda model: model.w.detach(),
    "a copy": lambda model: model.w.grad.clone(),
}


def _said(held: Any) -> Any:
    """All that a tensor says of itself."""
    if isinstance(held, list):
        return [_said(x) for x in held]
    return None if held is None else (held.requires_grad, held.dtype, held.tolist())


@pytest.mark.cpu
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("name", MEANWHILE)
@pytest.mark.parametrize("always", [True, False])
def test_whatever_is_done_meanwhile_gives_the_same(
    at_once: list[bool], monkeypatch: pytest.MonkeyPatch, name: str, always: bool
) -> None:
    """In each step, or in one of a loop that ran at once before."""

    def seen() -> list[Any]:
        found: list[Any] = []

        def meanwhile(model: Model, step: int) -> None:
            if (always and step > 0) or step == STEPS - 3:
                found.append((MEANWHILE[name](model), step))

        values = trained(meanwhile)
        return [values, [_said(held) for held, _ in found]]

    trained()
    n = len(at_once)
    quick = seen()
    assert always or any(at_once[n:])
    monkeypatch.setattr(AtOnce, "bits", lambda self, trace: None)
    assert quick == seen()
