"""Which streams a backward runs on: those of the forward pass, waited for by the stream that calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.trace.flushing import flush
from nbgrad.trace.handle import local


class Recording:
    """Writes down what is enqueued where, in order: ("work", stream, 0), or ("wait", stream, the other one)."""

    def __init__(self, driver: Any, patch: pytest.MonkeyPatch) -> None:
        self.log: list[tuple[str, int, int]] = []
        self.driver = driver
        self._stood_for: dict[int, int] = {}  # by event
        for name in ("launch", "record", "stream_waits"):
            patch.setattr(driver, name, self._writing(name, getattr(driver, name)))

    def _writing(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            getattr(self, "_" + name)(*arguments)
            return call(*arguments)

        return called

    def _launch(self, function: int, grid: Any, stream: int, arguments: Any) -> None:
        self.log.append(("work", stream, 0))

    def _record(self, event: int, stream: int) -> None:
        self._stood_for[event] = stream

    def _stream_waits(self, stream: int, event: int) -> None:
        self.log.append(("wait", stream, self._stood_for[event]))


@contextmanager
def recorded() -> Iterator[Recording]:
    with override(cuda="simulated"), pytest.MonkeyPatch.context() as patch:
        yield Recording(gpu(0).driver, patch)
        flush(local.trace)


def on_cuda(*values: float) -> nb.Tensor:
    return nb.tensor(values, device="cuda", requires_grad=True)


def work(log: Sequence[tuple[str, int, int]]) -> list[int]:
    """The streams that work was enqueued on, in order, repetitions left out."""
    streams = [stream for what, stream, _ in log if what == "work"]
    return [s for i, s in enumerate(streams) if i == 0 or s != streams[i - 1]]


def test_each_derivative_runs_where_its_operation_ran() -> None:
    with recorded() as driver:
        a, b = nb.cuda.Stream(), nb.cuda.Stream()
        for _ in range(4):  # unfused, fused
            x, y = on_cuda(1.0, 2.0), on_cuda(3.0, 4.0)
            nb.cuda.synchronize()
            with nb.cuda.stream(a):
                p = (x * x).tanh()
            with nb.cuda.stream(b):
                q = (y * y).tanh()
            loss = (p * q).sum()
            loss.item()
            driver.log.clear()
            loss.backward()
            done = list(driver.log)
            assert set(work(done)) == {0, a.cuda_stream, b.cuda_stream}
            assert work(done)[-1] in (a.cuda_stream, b.cuda_stream), "the leaves come last"
            first = next(i for i, (what, *_) in enumerate(done) if what == "work")
            last = max(i for i, (what, *_) in enumerate(done) if what == "work")
            for stream in (a.cuda_stream, b.cuda_stream):
                assert ("wait", stream, 0) in done[: first + 1], "it comes after what the caller's stream has to do"
                assert ("wait", 0, stream) in done[last:], "the caller's stream comes after it"
            np.testing.assert_allclose(x.grad.tolist(), d_tanh_square(x) * np.tanh(np.square(y.tolist())), rtol=1e-6)
            np.testing.assert_allclose(y.grad.tolist(), d_tanh_square(y) * np.tanh(np.square(x.tolist())), rtol=1e-6)


def d_tanh_square(x: nb.Tensor) -> Any:
    value = np.array(x.tolist(), "f")
    return 2 * value * (1 - np.tanh(value * value) ** 2)


def test_a_backward_called_on_another_stream_goes_back_to_that_of_the_forward_pass() -> None:
    with recorded() as driver:
        x, s = on_cuda(1.0, 2.0), nb.cuda.Stream()
        loss = (x * x).sum()
        with s:
            driver.log.clear()
            loss.backward()
            assert ("work", 0, 0) in driver.log and driver.log[-1] == ("wait", s.cuda_stream, 0)
        assert x.grad.tolist() == [2.0, 4.0]


def test_forward_and_backward_on_one_stream_are_one_program() -> None:
    with recorded() as driver, nb.cuda.Stream() as s:
        x = on_cuda(1.0, 2.0)
        loss = (x * x).sum()
        loss.item()
        driver.log.clear()
        loss.backward()
        assert work(driver.log) == [s.cuda_stream] and not any(what == "wait" for what, *_ in driver.log)


FUNCTIONS: dict[str, Callable[[nb.Tensor, nb.Tensor, Any, Any], nb.Tensor]] = {}


def function(f: Callable[[nb.Tensor, nb.Tensor, Any, Any], nb.Tensor]) -> Any:
    FUNCTIONS[f.__name__] = f
    return f


@function
def branches(x: nb.Tensor, y: nb.Tensor, a: Any, b: Any) -> nb.Tensor:
    with a:
        p = (x @ y).softmax(1)
    with b:
        q = x.T.exp() * p[0] - y
    return (p * q).sum() + (x * y).sum()


@function
def one_leaf_on_all(x: nb.Tensor, y: nb.Tensor, a: Any, b: Any) -> nb.Tensor:
    with a:
        p = (x * y).sin()
    with b:
        q = (x + p).cos() * 2
    return ((p + q) * x).mean()


@function
def there_and_back(x: nb.Tensor, y: nb.Tensor, a: Any, b: Any) -> nb.Tensor:
    z = x * 2
    for _ in range(2):
        with a:
            z = z * y
        with b:
            z = z.tanh() + x
    return z.pow(2).sum()


@function
def views(x: nb.Tensor, y: nb.Tensor, a: Any, b: Any) -> nb.Tensor:
    with a:
        p = (x * y).reshape(-1)
        p[1:3] *= 2
    with b:
        q = p.view(3, 3).T[1:]
    return q.sum() * q.exp().mean()


def gradients(name: str, streams: tuple[Any, Any], second: bool) -> list[list[float]]:
    rng = np.random.default_rng(5)
    x, y = [nb.tensor(rng.standard_normal((3, 3)), device="cuda", requires_grad=True) for _ in range(2)]
    loss = FUNCTIONS[name](x, y, *streams)
    if second:
        (first,) = nb.autograd.grad(loss, x, create_graph=True)
        (first * first).sum().backward()
    else:
        loss.backward(retain_graph=True)
        loss.backward()
    return [x.grad.tolist(), y.grad.tolist()]


class _Same:
    """No other stream: values are looked at where the others change streams."""

    def __enter__(self) -> None:
        nb.cuda.synchronize()

    def __exit__(self, *error: object) -> None:
        nb.cuda.synchronize()


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_bits_are_those_of_one_stream(name: str, second: bool) -> None:
    with recorded():
        expected = gradients(name, (_Same(), _Same()), second)
        a, b = nb.cuda.Stream(), nb.cuda.Stream()
        for streams in ((a, b), (a, a), (a, b), (b, a), (a, b)):
            assert gradients(name, streams, second) == expected
        with a:
            assert gradients(name, (b, a), second) == expected


def test_a_function_of_the_users_goes_back_on_the_stream_that_it_was_called_on() -> None:
    seen: list[nb.cuda.Stream] = []

    class Doubled(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            seen.append(nb.cuda.current_stream())
            return g * 2

    with recorded():
        s, other = nb.cuda.Stream(), nb.cuda.Stream()
        for _ in range(3):
            x = on_cuda(1.0, 2.0)
            with s:
                y = Doubled.apply(x * 3)
            with other:
                (y * y).sum().backward()
                assert nb.cuda.current_stream() == other
            assert x.grad.tolist() == [72.0, 144.0]
        assert seen == [s] * 3


def test_a_gradient_of_the_cpu_waits_for_nothing_of_its_own() -> None:
    with recorded():
        w, s = nb.tensor([1.0, 2.0], requires_grad=True), nb.cuda.Stream()
        for k in range(3):
            with s:
                y = (w * 2).cuda() ** 2
            (y.cpu() + w).sum().backward()
            assert w.grad.tolist() == [9.0 * (k + 1), 17.0 * (k + 1)]


def test_a_stream_is_current_again_after_ctrl_c_on_the_way_out() -> None:
    def interrupt(*arguments: int) -> None:
        raise KeyboardInterrupt

    with recorded() as driver, pytest.MonkeyPatch.context() as patch:
        before, context = nb.cuda.current_stream(), nb.cuda.stream(nb.cuda.Stream())
        context.__enter__()
        x = on_cuda(1.0) * 2
        patch.setattr(driver.driver, "copy_in", interrupt)
        with pytest.raises(KeyboardInterrupt):
            context.__exit__()
        patch.undo()
        assert nb.cuda.current_stream() == before and x.tolist() == [2.0]
