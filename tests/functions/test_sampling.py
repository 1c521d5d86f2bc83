"""Random numbers of given distributions: their shares and moments, what cannot be drawn, and equal seeds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

N = 20_000  # shares of so many numbers are off by less than 4 / sqrt(N), three parts in a hundred


def share(x: Any) -> float:
    return float(x.double().mean())


def test_normal_numbers_have_their_mean_and_deviation() -> None:
    nb.manual_seed(0)
    x = nb.normal(2.0, 3.0, (N,))
    assert abs(share(x) - 2) < 0.1 and abs(float(x.std()) - 3) < 0.1
    assert nb.normal(0.0, 1.0, (2, 3), dtype=nb.float64, requires_grad=True).requires_grad
    means, spreads = nb.tensor([[0.0], [100.0]]), nb.tensor([0.0, 1.0, 1e-3])
    y = nb.normal(means, spreads)
    assert y.shape == (2, 3) and y[:, 0].tolist() == [0.0, 100.0]
    assert abs(float(y[1, 2]) - 100) < 0.01
    assert nb.normal(5.0, nb.zeros(2)).tolist() == [5.0, 5.0]
    z = nb.zeros(N).normal_(1.0, 0.5)
    assert abs(share(z) - 1) < 0.03 and abs(float(z.std()) - 0.5) < 0.03


def test_uniform_numbers_fill_their_range() -> None:
    nb.manual_seed(0)
    x = nb.zeros(N).uniform_(-1.0, 3.0)
    assert -1 <= float(x.min()) < -0.99 and 2.99 < float(x.max()) < 3 and abs(share(x) - 1) < 0.05


def test_bernoullis_numbers_are_1_as_often_as_they_should() -> None:
    nb.manual_seed(0)
    p = nb.tensor([0.0, 0.25, 1.0]).reshape(3, 1).expand(3, N)
    found = nb.bernoulli(p).mean(1).tolist()
    assert found[0] == 0 and found[2] == 1 and abs(found[1] - 0.25) < 0.03
    assert abs(share(nb.zeros(N, dtype=nb.int64).bernoulli_(0.5)) - 0.5) < 0.03
    assert nb.bernoulli(p, 1.0).min() == 1
    assert set(nb.zeros(100).bernoulli_(nb.full((100,), 0.5)).tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("replacement", [True, False])
def test_places_are_drawn_by_weight(replacement: bool) -> None:
    nb.manual_seed(0)
    weights = nb.tensor([0.0, 1.0, 3.0, 0.0]).expand(N, 4)
    first = nb.multinomial(weights, 1, replacement)[:, 0]
    assert first.dtype is nb.int64
    assert abs(share(first == 2) - 0.75) < 0.03 and abs(share(first == 1) - 0.25) < 0.03
    both = nb.multinomial(weights, 2, replacement)
    equal = share(both[:, 0] == both[:, 1])
    assert abs(equal - (0.25**2 + 0.75**2)) < 0.03 if replacement else equal == 0
    assert weights[0].multinomial(2, replacement).shape == (2,)


def test_many_places_of_many_weights_take_no_memory_for_each_pair() -> None:
    nb.manual_seed(0)
    n, k = 5000, 3000
    weights = nb.rand(n) * (nb.arange(n) % 3 > 0)

    def drawn() -> list[int]:
        return nb.multinomial(weights, k, replacement=True).tolist()  # type: ignore[return-value]

    explained = nb.explain(drawn)
    assert min(weights[explained.result].tolist()) > 0
    expected = float((weights * nb.arange(n)).sum() / weights.sum())
    assert abs(float(np.mean(explained.result)) - expected) < 4 * n / k**0.5 / 3
    sizes = [int(size) for step in explained.steps for size in re.findall(r"\d+", " ".join(_shapes(step["graph"])))]
    assert max(sizes) < 2 * n


def _shapes(graph: str) -> list[str]:
    """The shapes in a graph's text, sizes multiplied out."""
    return [str(np.prod([int(n) for n in found.split(",")])) for found in re.findall(r"\[(\d[\d,]*)\]", graph)]


def test_equal_seeds_draw_the_same_and_generators_have_streams_of_their_own() -> None:
    def draw(generator: Any = None) -> list[Any]:
        p = nb.full((5,), 0.5)
        drawn = [nb.normal(p, 1.0, generator=generator), nb.bernoulli(p, generator=generator)]
        drawn += [nb.multinomial(p, 3, generator=generator), nb.zeros(3).uniform_(generator=generator)]
        return [x.tolist() for x in drawn]

    nb.manual_seed(3)
    first = draw()
    own = nb.Generator()
    own.manual_seed(3)
    assert draw(own) == first != draw()


MISTAKES: list[tuple[Callable[[], Any], type[Exception]]] = [
    (lambda: nb.normal(0.0, -1.0, (2,)), RuntimeError),
    (lambda: nb.normal(nb.zeros(2), nb.tensor([1.0, -1.0])), RuntimeError),
    (lambda: nb.normal(0.0, 1.0), TypeError),
    (lambda: nb.bernoulli(nb.tensor([0.5, 1.5])), RuntimeError),
    (lambda: nb.bernoulli(nb.zeros(2), -0.5), RuntimeError),
    (lambda: nb.zeros(2).uniform_(1.0, 0.0), RuntimeError),
    (lambda: nb.zeros(2, dtype=nb.int64).normal_(), RuntimeError),
    (lambda: nb.multinomial(nb.tensor([1, 2]), 1), RuntimeError),
    (lambda: nb.multinomial(nb.ones(2, 2, 2), 1), RuntimeError),
    (lambda: nb.multinomial(nb.ones(2), 0), RuntimeError),
    (lambda: nb.multinomial(nb.ones(2), 3), RuntimeError),
    (lambda: nb.multinomial(nb.zeros(2), 1), RuntimeError),
    (lambda: nb.multinomial(nb.ones(2, 0), 1, replacement=True), RuntimeError),
    (lambda: nb.multinomial(nb.tensor([1.0, 0.0]), 2), RuntimeError),
    (lambda: nb.multinomial(nb.tensor([1.0, -1.0]), 1), RuntimeError),
    (lambda: nb.multinomial(nb.tensor([1.0, float("inf")]), 1), RuntimeError),
]


@pytest.mark.parametrize("k", range(len(MISTAKES)))
def test_what_cannot_be_drawn_is_refused(k: int) -> None:
    run, error = MISTAKES[k]
    with pytest.raises(error, match="line"):
        run()


def test_no_gradients_go_to_what_says_how_to_draw() -> None:
    p = nb.full((3,), 0.5, requires_grad=True)
    for x in (nb.normal(p, p), nb.bernoulli(p), nb.multinomial(p, 1)):
        assert not x.requires_grad


def test_weights_of_a_compiled_function_are_drawn_anew_at_each_call() -> None:
    @nb.compile
    def noisy(x: nb.Tensor) -> nb.Tensor:
        return x + nb.normal(0.0, 1.0, (4,))

    found = np.array([noisy(nb.zeros(4)).tolist() for _ in range(5)])
    assert len(np.unique(found)) == 20


@pytest.mark.parametrize("dtype", [nb.complex64, nb.complex128])
def test_complex_normal_numbers_have_half_of_the_variance_in_each_part(dtype: nb.dtype) -> None:
    nb.manual_seed(0)
    mean = nb.full((20_000,), 2 - 1j, dtype=dtype)
    for x in (
        nb.normal(mean, 3.0),
        nb.normal(mean, nb.full((20_000,), 3.0)),
        nb.normal(0.0, 3.0, (20_000,), dtype=dtype) + mean,
    ):
        assert x.dtype is dtype and abs(x.mean().item() - (2 - 1j)) < 0.1
        assert [part.var().item() for part in (x.real, x.imag)] == pytest.approx([4.5, 4.5], rel=0.05)
