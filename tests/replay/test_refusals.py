"""What running a recording would not repeat: an error with the user's line, or recording at each call."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
import time
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import nn
from tests.replay.test_compiled import plain, programs_of

PACKAGE = os.path.dirname(nb.__file__) + os.sep


def calls(function: Any, *args: Any, n: int = 4) -> None:
    for _ in range(n):
        function(*args)


def refused(function: Any, *args: Any, match: str, file: str = __file__) -> None:
    """With ``fullgraph`` an error at the user's line, or at the one that names what cannot be known."""
    with pytest.raises(RuntimeError, match=match) as caught:
        calls(nb.compile(function, fullgraph=True), *args)
    assert file in str(caught.value)


def test_a_decision_by_a_value() -> None:
    def run(x: Any) -> Any:
        return x * 2 if x.sum() > 0 else x  # the line

    refused(run, nb.ones(2), match=r"looked at(.|\n)*# the line")
    plain = nb.compile(run)
    for k in range(6):
        assert plain(nb.ones(2) * (k - 2)).tolist() == run(nb.ones(2) * (k - 2)).tolist()


def test_looks_at_arguments_and_parameters() -> None:
    w = nb.ones(2)
    refused(lambda x: x * w.tolist()[0], nb.ones(2), match="looked at")
    refused(lambda x: x * float(x[0]), nb.ones(2), match="looked at")
    refused(lambda x: print(x), nb.ones(2), match="looked at")
    refused(lambda x: x[x > 0], nb.ones(2), match="looked at")


def test_a_list_that_grows() -> None:
    losses: list[Any] = []

    def run(x: Any) -> Any:
        y = x * 2
        losses.append(y)
        return y

    refused(run, nb.ones(2), match="losses")
    losses.clear()
    calls(nb.compile(run), nb.ones(2), n=5)
    assert [y.tolist() for y in losses] == [[2.0, 2.0]] * 5


def test_a_tensor_kept_in_an_object_that_nobody_names() -> None:
    keeper = threading.local()  # nobody can look into it
    refused(lambda x: setattr(keeper, "kept", x * 2), nb.ones(2), match=r"^nbgrad.compile: keeper, a _thread.")


def test_a_view_kept_under_a_new_name() -> None:
    kept: dict[str, Any] = {}
    keep, w = kept.setdefault, nb.ones(3)
    refused(lambda x: keep(f"{len(kept)}", w[1:]) * 0 + x, nb.ones(2), match=r"^nbgrad.compile: a tensor .* is kept by")


def test_an_argument_that_is_a_view_and_is_kept_is_told_of() -> None:
    h = SimpleNamespace(t=nb.ones(2))

    @nb.compile
    def run(x: Any) -> Any:
        y = h.t * 2
        h.t = x
        return y

    def call() -> None:
        h.t = nb.ones(2)
        run(nb.ones(3)[1:])

    with pytest.warns(nb.errors.PerformanceWarning, match="an argument that is a view, or has aliases, is kept"):
        calls(call, n=6)


def test_a_number_from_nowhere() -> None:
    def run(x: Any) -> Any:
        return x * time.perf_counter()  # the line

    refused(run, nb.ones(2), match=r"time.perf_counter in test_refusals.py:\d+ is of no kind(.|\n)*# the line")


def test_data_from_nowhere() -> None:
    refused(
        lambda x: x * nb.tensor([float(time.perf_counter_ns() % 1000003)]),
        nb.ones(1),
        match="time.perf_counter_ns in test_refusals",
    )


def test_arrays_that_may_change() -> None:
    array = np.ones(2, np.float32)
    run = nb.compile(lambda x: x * nb.tensor(array), fullgraph=True)
    for k in range(9):
        array[0] = k // 3
        assert run(nb.ones(2)).tolist() == [k // 3, 1.0]
    assert programs_of(run)
    long = np.ones(5000)
    refused(lambda x: x * nb.tensor(long), nb.ones(5000), match="long, a ndarray of 40000 bytes")
    refused(lambda x: x * nb.from_numpy(array), nb.ones(2), match="from_numpy.*pass its result as an argument")
    refused(lambda x, y: x * nb.tensor(y), nb.ones(2), array, match="NumPy argument")


def test_numpy_arguments_without_fullgraph() -> None:
    run = nb.compile(lambda x, y: x * nb.tensor(y))
    for k in range(5):
        assert run(nb.ones(2), np.full(2, float(k), np.float32)).tolist() == [float(k)] * 2


def test_other_operations_at_each_call() -> None:
    turn = threading.local()  # nobody can look into it
    turn.n = 0

    def run(x: Any) -> Any:
        turn.n += 1
        return x.sin() if turn.n % 2 else x.cos()

    refused(run, nb.ones(2), match="turn, a _thread._local, in test_refusals")


def test_changing_what_a_tensor_is() -> None:
    w = nb.ones(2)
    refused(lambda x: x * w.requires_grad_(), nb.ones(2), match="requires_grad_")


def test_derivatives_of_what_was_computed_before() -> None:
    w = nb.ones(2, requires_grad=True)
    back = nb.compile(lambda y: y.backward(), fullgraph=True)

    def step() -> None:
        loss = (w * w).sum()
        loss.item()
        back(loss)

    with pytest.raises(RuntimeError, match="computed before the call"):
        calls(step)


def test_results_of_other_types() -> None:
    refused(lambda x: {1, 2}, nb.ones(2), match="returns a set")


def test_a_form_that_fails_is_given_up_and_said() -> None:
    run = nb.compile(lambda x: x * x.sum().item())
    calls(run, nb.ones(2), n=8)
    assert any(
        "is recorded at each call" in text and "looked at" in text for text in nb.explain(lambda: None).fallbacks
    )


def test_what_is_no_function() -> None:
    with pytest.raises(TypeError, match="must be a function or Module, not int"):
        nb.compile(3)


def test_the_log_says_why_a_call_is_recorded_again(capfd: pytest.CaptureFixture[str]) -> None:
    model = nn.Linear(2, 2)
    scale = 1.0
    run = nb.compile(lambda x: model(x) * scale)
    with nb.config.override(log=frozenset(["compile"])):
        for k in range(8):
            scale = 1.0 if k < 4 else 2.0
            run(nb.ones(2))
    assert "recorded again: scale was 1.0, is 2.0" in capfd.readouterr().err


def test_a_function_that_decides_by_ever_new_numbers_is_not_compiled_for_ever() -> None:
    run = nb.compile(lambda x, n: x.reshape(n, -1).sum(0))
    x = nb.ones(720720)
    for n in [n for n in range(1, 50) if 720720 % n == 0]:
        for _ in range(3):
            assert run(x, n).shape == (720720 // n,)
    assert any("programs: other calls are not compiled" in text for text in nb.explain(lambda: None).fallbacks)


def test_a_gradient_that_was_taken_away_and_is_returned() -> None:
    w = nb.ones(2, requires_grad=True)

    def run(x: Any) -> Any:
        old, w.grad = w.grad, None
        (w * x).sum().backward()
        return old

    refused(run, nb.ones(2), match="found no more")
    w.grad = None
    plain = nb.compile(run)
    assert [None if g is None else g.tolist() for g in [plain(nb.ones(2) * k) for k in range(6)]] == [
        None,
        *[[float(k)] * 2 for k in range(5)],
    ]


def test_a_stream_that_is_begun_anew() -> None:
    def run(x: Any) -> Any:
        nb.manual_seed(5)  # the line
        return x + nb.rand(2)

    refused(run, nb.ones(2), match=r"begun anew(.|\n)*# the line")
    plain = nb.compile(run)
    assert len({str(plain(nb.ones(2)).tolist()) for _ in range(6)}) == 1


def test_a_grad_mode_that_is_left_changed() -> None:
    def run(x: Any) -> Any:
        nb.set_grad_enabled(False)
        return x * 2

    try:
        compiled = nb.compile(run)
        for _ in range(6):
            nb.set_grad_enabled(True)
            compiled(nb.ones(2))
            assert not nb.is_grad_enabled()
    finally:
        nb.set_grad_enabled(True)


class Circle:
    def __init__(self, x: Any) -> None:
        self.itself, self.x = self, x


def test_what_a_call_leaves_in_circles_is_no_reason_and_older_garbage_is_not_looked_for() -> None:
    run = nb.compile(lambda x: Circle(x * 2).x + 1)
    found: list[int] = []

    def note(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            found.append(about["generation"])

    gc.disable()
    gc.callbacks.append(note)
    try:
        for _ in range(5):
            assert run(nb.ones(2)).tolist() == [3.0, 3.0]
    finally:
        gc.callbacks.remove(note)
        gc.enable()
    assert len(programs_of(run)) == 1
    assert set(found) == {0}


class _Slots:
    __slots__ = ("rate",)


class _Double(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def _deletes_a_number() -> Any:
    h = SimpleNamespace(n=1.0, gone=False)

    def run(x: Any) -> Any:
        y = x * h.n
        if h.gone:
            del h.n
        return y

    def call(k: int) -> Any:
        h.n, h.gone = float(k), k in (5, 7)
        return h.run(nb.ones(2)), hasattr(h, "n")

    return h, run, call


def _changes_the_type_of_a_number() -> Any:
    h = SimpleNamespace(n=1.0, whole=False)

    def run(x: Any) -> Any:
        y = x * h.n
        if h.whole:
            h.n = 3
        return y

    def call(k: int) -> Any:
        h.n, h.whole = float(k), k in (5, 7)
        return h.run(nb.ones(2)), repr(h.n)

    return h, run, call


def _deletes_a_tensor() -> Any:
    h = SimpleNamespace(t=None, gone=False)

    def run(x: Any) -> Any:
        y = x * h.t
        if h.gone:
            del h.t
        return y

    def call(k: int) -> Any:
        h.t, h.gone = nb.ones(2) * k, k in (5, 7)
        return h.run(nb.ones(2)), hasattr(h, "t")

    return h, run, call


def _keeps_numbers_in_new_objects() -> Any:
    h = SimpleNamespace(slots=_Slots())

    def run(x: Any, rate: float) -> Any:
        h.new = {"rate": rate * 2, rate: [rate]}
        h.pair = (rate + 1, (rate, "a"))
        h.slots.rate = rate * 3
        return x * rate

    return h, run, lambda k: (h.run(nb.ones(2), k / 4), pickle.dumps((h.new, h.pair, h.slots.rate)))


def _an_option_that_is_a_tensor() -> Any:
    w = nb.ones(2, requires_grad=True)
    optimizer = nb.optim.SGD([w], lr=0.5)
    h = SimpleNamespace()

    def run(x: Any) -> Any:
        optimizer.zero_grad()
        (w * x).sum().backward()
        optimizer.param_groups[0]["lr"] = nb.tensor(0.25)
        optimizer.step()
        return w.detach().clone()

    return h, run, lambda k: h.run(nb.ones(2) * k)


def _a_history_through_a_custom_function() -> Any:
    w = nb.ones(2, requires_grad=True)
    h = SimpleNamespace()

    def call(k: int) -> Any:
        w.grad = None
        h.run(w * k).sum().backward()
        return w.grad

    return h, lambda x: _Double.apply(x) * 3, call


def _a_gradient_written_and_replaced() -> Any:
    w = nb.ones(2, requires_grad=True)
    h = SimpleNamespace()

    def run(x: Any) -> Any:
        kept = w.grad
        kept.mul_(2)
        w.grad = None
        (w * x).sum().backward()

    def call(k: int) -> Any:
        w.grad = before = nb.ones(2) * k
        h.run(nb.ones(2))
        return before, w.grad

    return h, run, call


def _a_gradient_replaced_and_written() -> Any:
    w = nb.ones(2, requires_grad=True)
    h = SimpleNamespace()

    def run(x: Any) -> Any:
        kept = w.grad
        w.grad = None
        (w * x).sum().backward()
        kept.mul_(2)

    def call(k: int) -> Any:
        w.grad = before = nb.ones(2) * k
        h.run(nb.ones(2))
        return before, w.grad

    return h, run, call


def _a_gradient_that_is_assigned() -> Any:
    w = nb.ones(2, requires_grad=True)
    h = SimpleNamespace()

    def run(x: Any) -> Any:
        w.grad = x
        return x * 2

    return h, run, lambda k: (h.run(nb.ones(2) * k), w.grad)


def _an_argument_that_is_a_gradient() -> Any:
    w = nb.ones(2, requires_grad=True)
    h = SimpleNamespace()

    def run(g: Any) -> Any:
        (w * 2).sum().backward()
        return g * 1

    def call(k: int) -> Any:
        given = w.grad if k % 3 == 2 else nb.ones(2) * k
        return h.run(given), given, w.grad

    return h, run, call


def _data_with_views() -> Any:
    h = SimpleNamespace()

    def run(x: Any) -> Any:
        made = nb.tensor([1.0, 2.0])
        return made, made[1:], x * 2

    def call(k: int) -> Any:
        made, view, y = h.run(nb.ones(2))
        view.mul_(k)
        return made, view, y

    return h, run, call


def _data_that_is_kept_and_returned() -> Any:
    h = SimpleNamespace(kept=None, other=None)

    def run(x: Any) -> Any:
        h.kept = h.other = made = nb.tensor([1.0, 2.0])
        return made, x * 2

    def call(k: int) -> Any:
        made, y = h.run(nb.ones(2))
        made.mul_(k)
        return made, h.kept, h.other, h.kept is made, h.other is made, y

    return h, run, call


def _a_view_of_data() -> Any:
    h = SimpleNamespace()
    return h, lambda x: (nb.tensor([1.0, 2.0])[1:], x * 2), lambda k: h.run(nb.ones(2) * k)


def _a_leaf_that_is_made() -> Any:
    h = SimpleNamespace()

    def call(k: int) -> Any:
        leaf, y = h.run(nb.ones(2) * k)
        y.sum().backward()
        return leaf, leaf.grad, leaf.is_leaf

    def run(x: Any) -> Any:
        leaf = nb.tensor([1.0, 2.0], requires_grad=True)
        return leaf, leaf * x

    return h, run, call


def _a_history_from_a_leaf_that_is_made() -> Any:
    h = SimpleNamespace()
    w = nb.ones(2, requires_grad=True)

    def call(k: int) -> Any:
        w.grad = None
        y = h.run(nb.ones(2) * k)
        y.sum().backward()
        return y, w.grad

    return h, lambda x: (nb.full((2,), 3.0, requires_grad=True) * x * w) ** 2, call


def _a_view_that_is_protected() -> Any:
    h = SimpleNamespace()
    w = nb.ones(2, 2, requires_grad=True)

    def run(x: Any) -> Any:
        return (w * x).unbind()[0]

    def call(k: int) -> Any:
        y = h.run(nb.ones(2) * k)
        with pytest.raises(RuntimeError):
            y.add_(1)
        return y

    return h, run, call


def _a_detached_alias_of_a_result() -> Any:
    h = SimpleNamespace()
    w = nb.ones(2, requires_grad=True)

    def run(x: Any) -> Any:
        y = w * x
        return y, y.detach()

    def call(k: int) -> Any:
        y, shown = h.run(nb.ones(2) * k)
        shown.add_(1)
        w.grad = None
        y.sum().backward()
        return y, shown, w.grad

    return h, run, call


def _a_view_of_a_detached_alias_that_requires_grad() -> Any:
    h = SimpleNamespace()

    def run(x: Any) -> Any:
        y = (x * 2).detach().requires_grad_()
        return y[1:]

    return h, run, lambda k: h.run(nb.ones(2) * k)


def _an_argument_that_is_a_view_and_is_kept() -> Any:
    h = SimpleNamespace(t=nb.ones(2))

    def run(x: Any) -> Any:
        y = h.t * 2
        h.t, h.new = x, [x]
        return y

    def call(k: int) -> Any:
        base = nb.ones(3) * k
        y = h.run(x := base[1:])
        base.mul_(2)
        return y, h.t, h.t is x, h.new[0] is x

    return h, run, call


def _an_argument_that_may_be_a_view_and_is_kept() -> Any:
    h = SimpleNamespace(t=nb.ones(2))

    def run(x: Any) -> Any:
        y = h.t * 2
        h.t = x
        return y

    def call(k: int) -> Any:
        base = nb.ones(3) * k
        x = base[1:] if k > 5 else nb.ones(2) * k
        y = h.run(x)
        base.mul_(2)
        return y, h.t, h.t is x

    return h, run, call


def _tensors_that_become_aliases() -> Any:
    h = SimpleNamespace(w=nb.ones(2), v=nb.ones(2))

    def run(x: Any) -> Any:
        h.w.add_(x)
        return h.v * 2

    def call(k: int) -> Any:
        if k == 6:
            h.v.data = h.w
        return h.run(nb.ones(2) * k), h.w.tolist(), h.v.tolist()

    return h, run, call


def _an_alias_of_an_argument_is_kept() -> Any:
    h = SimpleNamespace(t=nb.ones(2))

    def run(x: Any) -> Any:
        y = h.t * 2
        h.t = x.detach()
        return y

    def call(k: int) -> Any:
        x = nb.ones(2) * k
        y = h.run(x)
        x.mul_(2)
        return y, h.t

    return h, run, call


def _arguments_with_odd_keys() -> Any:
    h, key = SimpleNamespace(), (1, 2)
    keys = [key, (1, 2), (1, 3), key]

    def run(batch: Any) -> Any:
        return [x * 2 for x in batch.values()] + [x for k, x in batch.items() if k == key]

    return h, run, lambda k: h.run({keys[k % 4]: nb.ones(2) * k})


@pytest.mark.filterwarnings("ignore::nbgrad.errors.PerformanceWarning")
@pytest.mark.parametrize(
    "make",
    [
        _deletes_a_number,
        _changes_the_type_of_a_number,
        _deletes_a_tensor,
        _keeps_numbers_in_new_objects,
        _an_option_that_is_a_tensor,
        _a_history_through_a_custom_function,
        _a_gradient_written_and_replaced,
        _a_gradient_replaced_and_written,
        _a_gradient_that_is_assigned,
        _an_argument_that_is_a_gradient,
        _data_with_views,
        _data_that_is_kept_and_returned,
        _a_view_of_data,
        _a_leaf_that_is_made,
        _a_history_from_a_leaf_that_is_made,
        _a_view_that_is_protected,
        _a_detached_alias_of_a_result,
        _a_view_of_a_detached_alias_that_requires_grad,
        _an_argument_that_is_a_view_and_is_kept,
        _an_argument_that_may_be_a_view_and_is_kept,
        _tensors_that_become_aliases,
        _an_alias_of_an_argument_is_kept,
        _arguments_with_odd_keys,
    ],
)
def test_what_cannot_be_repeated_does_what_the_plain_call_does(make: Any) -> None:
    (plain_holder, run, plain_call), (holder, other, call) = make(), make()
    plain_holder.run, holder.run = run, nb.compile(other)
    for k in range(1, 10):
        assert plain(call(k)) == plain(plain_call(k)), f"call {k}"


def test_memory_that_nested_code_shares_while_a_call_is_recorded_is_nothing_to_warn_of() -> None:
    """What was read before, and is read again, came in twice."""
    w, x, count, shared = nb.ones(3, requires_grad=True), nb.ones(3), 0, 0

    def share(frame: Any, event: str, _: Any) -> None:
        nonlocal count, shared
        count -= event == "call" and frame.f_code.co_filename.startswith(PACKAGE)
        if not count:
            sys.setprofile(None)
            shared += 1
            w.detach().numpy()

    for n in range(1, 800, 9):
        f = nb.compile(lambda: ((w * x).tanh() + w).sum().backward())
        for _ in range(3):
            count = n
            sys.setprofile(share)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    f()
            finally:
                sys.setprofile(None)
    assert shared > 200


def test_a_look_by_nested_code_when_a_call_has_been_recorded_takes_no_write_from_it() -> None:
    w, x, looks = nb.zeros(2), nb.ones(2), 0

    def look(frame: Any, event: str, _: Any) -> None:
        nonlocal looks
        if event == "return" and frame.f_code.co_name == "released":  # the function has ended, and nothing has run
            looks += 1
            w.tolist()

    @nb.compile
    def step(x: nb.Tensor) -> nb.Tensor:
        w.add_(x)
        return w * 2

    for n in range(1, 12):
        sys.setprofile(look if n < 4 else None)
        try:
            y = step(x)
        finally:
            sys.setprofile(None)
        assert (y.tolist(), w.tolist()) == ([2.0 * n] * 2, [float(n)] * 2), n
    assert looks >= 3
