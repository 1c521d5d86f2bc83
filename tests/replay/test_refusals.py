"""What running a recording would not repeat: an error with the user's line, or recording at each call."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
import time
import warnings
from textwrap import indent
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


class _Double(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


UNREPEATABLE = {  # (surroundings, what is compiled, a call by its number)
    "deletes a number": (
        "h = N(n=1.0, gone=False)",
        "x: y = x * h.n\nif h.gone: del h.n\nreturn y",
        "h.n, h.gone = float(k), k in (5, 7)\nreturn run(nb.ones(2)), hasattr(h, 'n')",
    ),
    "changes the type of a number": (
        "h = N(n=1.0, whole=False)",
        "x: y = x * h.n\nif h.whole: h.n = 3\nreturn y",
        "h.n, h.whole = float(k), k in (5, 7)\nreturn run(nb.ones(2)), repr(h.n)",
    ),
    "deletes a tensor": (
        "h = N(t=None, gone=False)",
        "x: y = x * h.t\nif h.gone: del h.t\nreturn y",
        "h.t, h.gone = nb.ones(2) * k, k in (5, 7)\nreturn run(nb.ones(2)), hasattr(h, 't')",
    ),
    "keeps numbers in new objects": (
        "class Slots: __slots__ = ('rate',)\nh = N(slots=Slots())",
        "x, rate: h.new = {'rate': rate * 2, rate: [rate]}\nh.pair = (rate + 1, (rate, 'a'))\nh.slots.rate = rate * 3\n"
        "return x * rate",
        "return run(nb.ones(2), k / 4), pickle.dumps((h.new, h.pair, h.slots.rate))",
    ),
    "an option that is a tensor": (
        "w = nb.ones(2, requires_grad=True); opt = nb.optim.SGD([w], lr=0.5)",
        "x: opt.zero_grad()\n(w * x).sum().backward()\nopt.param_groups[0]['lr'] = nb.tensor(0.25)\nopt.step()\n"
        "return w.detach().clone()",
        "return run(nb.ones(2) * k)",
    ),
    "a history through a custom function": (
        "w = nb.ones(2, requires_grad=True)",
        "x: return _Double.apply(x) * 3",
        "w.grad = None\nrun(w * k).sum().backward()\nreturn w.grad",
    ),
    "a gradient written and replaced": (
        "w = nb.ones(2, requires_grad=True)",
        "x: kept = w.grad\nkept.mul_(2)\nw.grad = None\n(w * x).sum().backward()",
        "w.grad = before = nb.ones(2) * k\nrun(nb.ones(2))\nreturn before, w.grad",
    ),
    "a gradient replaced and written": (
        "w = nb.ones(2, requires_grad=True)",
        "x: kept = w.grad\nw.grad = None\n(w * x).sum().backward()\nkept.mul_(2)",
        "w.grad = before = nb.ones(2) * k\nrun(nb.ones(2))\nreturn before, w.grad",
    ),
    "a gradient that is assigned": (
        "w = nb.ones(2, requires_grad=True)",
        "x: w.grad = x\nreturn x * 2",
        "return run(nb.ones(2) * k), w.grad",
    ),
    "an argument that is a gradient": (
        "w = nb.ones(2, requires_grad=True)",
        "g: (w * 2).sum().backward()\nreturn g * 1",
        "given = w.grad if k % 3 == 2 else nb.ones(2) * k\nreturn run(given), given, w.grad",
    ),
    "data with views": (
        "",
        "x: made = nb.tensor([1.0, 2.0])\nreturn made, made[1:], x * 2",
        "made, view, y = run(nb.ones(2))\nview.mul_(k)\nreturn made, view, y",
    ),
    "data that is kept and returned": (
        "h = N(kept=None, other=None)",
        "x: h.kept = h.other = made = nb.tensor([1.0, 2.0])\nreturn made, x * 2",
        "made, y = run(nb.ones(2))\nmade.mul_(k)\nreturn made, h.kept, h.other, h.kept is made, h.other is made, y",
    ),
    "a view of data": ("", "x: return nb.tensor([1.0, 2.0])[1:], x * 2", "return run(nb.ones(2) * k)"),
    "a leaf that is made": (
        "",
        "x: leaf = nb.tensor([1.0, 2.0], requires_grad=True)\nreturn leaf, leaf * x",
        "leaf, y = run(nb.ones(2) * k)\ny.sum().backward()\nreturn leaf, leaf.grad, leaf.is_leaf",
    ),
    "a history from a leaf that is made": (
        "w = nb.ones(2, requires_grad=True)",
        "x: return (nb.full((2,), 3.0, requires_grad=True) * x * w) ** 2",
        "w.grad = None\ny = run(nb.ones(2) * k)\ny.sum().backward()\nreturn y, w.grad",
    ),
    "a view that is protected": (
        "w = nb.ones(2, 2, requires_grad=True)",
        "x: return (w * x).unbind()[0]",
        "y = run(nb.ones(2) * k)\nwith pytest.raises(RuntimeError): y.add_(1)\nreturn y",
    ),
    "a detached alias of a result": (
        "w = nb.ones(2, requires_grad=True)",
        "x: y = w * x\nreturn y, y.detach()",
        "y, shown = run(nb.ones(2) * k)\nshown.add_(1)\nw.grad = None\ny.sum().backward()\nreturn y, shown, w.grad",
    ),
    "a view of a detached alias that requires grad": (
        "",
        "x: y = (x * 2).detach().requires_grad_()\nreturn y[1:]",
        "return run(nb.ones(2) * k)",
    ),
    "an argument that is a view and is kept": (
        "h = N(t=nb.ones(2))",
        "x: y = h.t * 2\nh.t, h.new = x, [x]\nreturn y",
        "base = nb.ones(3) * k\ny = run(x := base[1:])\nbase.mul_(2)\nreturn y, h.t, h.t is x, h.new[0] is x",
    ),
    "an argument that may be a view and is kept": (
        "h = N(t=nb.ones(2))",
        "x: y = h.t * 2\nh.t = x\nreturn y",
        "base = nb.ones(3) * k\nx = base[1:] if k > 5 else nb.ones(2) * k\ny = run(x)\nbase.mul_(2)\n"
        "return y, h.t, h.t is x",
    ),
    "tensors that become aliases": (
        "h = N(w=nb.ones(2), v=nb.ones(2))",
        "x: h.w.add_(x)\nreturn h.v * 2",
        "if k == 6: h.v.data = h.w\nreturn run(nb.ones(2) * k), h.w.tolist(), h.v.tolist()",
    ),
    "an alias of an argument is kept": (
        "h = N(t=nb.ones(2))",
        "x: y = h.t * 2\nh.t = x.detach()\nreturn y",
        "x = nb.ones(2) * k\ny = run(x)\nx.mul_(2)\nreturn y, h.t",
    ),
    "arguments with odd keys": (
        "key = (1, 2); keys = [key, (1, 2), (1, 3), key]",
        "batch: return [x * 2 for x in batch.values()] + [x for k, x in batch.items() if k == key]",
        "return run({keys[k % 4]: nb.ones(2) * k})",
    ),
}


def _call_of(name: str, wrap: Any) -> Any:
    """How a case is called where ``wrap`` is put around what it compiles: closures both, as in a user's function."""
    before, run, call = UNREPEATABLE[name]
    arguments, _, body = run.partition(": ")
    parts = [indent(before, " "), f" def run({arguments}):", indent(body, "  "), " run = wrap(run)", " def call(k):"]
    source = "\n".join(["def make():", *parts, indent(call, "  "), " return call"])
    names = {**globals(), "N": SimpleNamespace, "pickle": pickle, "wrap": wrap}
    exec(source, names)
    return names["make"]()


@pytest.mark.filterwarnings("ignore::nbgrad.errors.PerformanceWarning")
@pytest.mark.parametrize("name", UNREPEATABLE)
def test_what_cannot_be_repeated_does_what_the_plain_call_does(name: str) -> None:
    plain_call, call = _call_of(name, lambda f: f), _call_of(name, nb.compile)
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
