"""A backward over values that several streams have made runs on the stream that calls it, and waits for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.trace.flushing import flush
from nbgrad.trace.thread import local


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


def test_it_runs_on_the_stream_that_calls_it() -> None:
    with recorded() as driver:
        x, s, other = on_cuda(1.0, 2.0), nb.cuda.Stream(), nb.cuda.Stream()
        with s:
            loss = (x * x).sum()
            loss.item()
        with other:
            driver.log.clear()
            loss.backward()
            assert {stream for what, stream, _ in driver.log if what == "work"} == {other.cuda_stream}
            assert x.grad.tolist() == [2.0, 4.0]


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
