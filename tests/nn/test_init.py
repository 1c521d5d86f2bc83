from __future__ import annotations

import math

import numpy as np
import pytest

import nbgrad as nb

init = nb.nn.init


@pytest.fixture(autouse=True)
def seeded() -> None:
    nb.manual_seed(0)


def parameter(*shape: int) -> nb.Tensor:
    return nb.nn.Parameter(nb.zeros(*shape))


def spread(p: nb.Tensor) -> tuple[float, float, float]:
    values = p.detach().numpy()
    return float(values.mean()), float(values.std()), float(np.abs(values).max())


def test_each_function_writes_in_place_and_gives_its_tensor_back() -> None:
    p = parameter(3, 2)
    for function in (init.zeros_, init.ones_, init.uniform_, init.normal_, init.xavier_uniform_, init.xavier_normal_):
        assert function(p) is p
        assert p.is_leaf
        assert p.requires_grad
    assert init.constant_(p, 2.5).tolist() == [[2.5, 2.5]] * 3
    assert init.ones_(p).tolist() == [[1.0, 1.0]] * 3
    assert init.zeros_(p).tolist() == [[0.0, 0.0]] * 3


def test_uniform_and_normal_have_the_given_range_and_moments() -> None:
    values = init.uniform_(parameter(200, 100), 2.0, 5.0).detach().numpy()
    assert values.min() >= 2.0
    assert values.max() < 5.0
    assert abs(values.mean() - 3.5) < 0.03  # 20,000 draws: standard error 0.006
    mean, std, _ = spread(init.normal_(parameter(200, 100), 1.0, 0.5))
    assert abs(mean - 1.0) < 0.02
    assert abs(std - 0.5) < 0.015


def test_xavier_takes_both_fans() -> None:
    bound = 2.0 * math.sqrt(6 / 300)
    _, std, largest = spread(init.xavier_uniform_(parameter(200, 100), gain=2.0))
    assert largest <= bound * (1 + 1e-6)
    assert abs(std - bound / math.sqrt(3)) < 0.03 * std
    _, std, _ = spread(init.xavier_normal_(parameter(200, 100)))
    assert abs(std - math.sqrt(2 / 300)) < 0.03 * std


@pytest.mark.parametrize(("mode", "fan"), [("fan_in", 100), ("fan_out", 200)])
def test_kaiming_takes_one_fan(mode: str, fan: int) -> None:
    _, std, largest = spread(init.kaiming_uniform_(parameter(200, 100), mode=mode, nonlinearity="relu"))
    assert largest <= math.sqrt(6 / fan) * (1 + 1e-6)
    assert abs(std - math.sqrt(2 / fan)) < 0.03 * std
    _, std, _ = spread(init.kaiming_normal_(parameter(200, 100), a=1.0, mode=mode))
    assert abs(std - math.sqrt(1 / fan)) < 0.03 * std


def test_windows_count_in_the_fans() -> None:
    _, _, largest = spread(init.kaiming_uniform_(parameter(8, 4, 3, 3), nonlinearity="linear"))
    assert largest <= math.sqrt(3 / 36) * (1 + 1e-6)


def test_gains() -> None:
    assert init.calculate_gain("linear") == 1
    assert init.calculate_gain("conv2d") == 1
    assert init.calculate_gain("tanh") == 5 / 3
    assert init.calculate_gain("relu") == math.sqrt(2)
    assert init.calculate_gain("leaky_relu", 0.5) == math.sqrt(2 / 1.25)
    with pytest.raises(ValueError, match="Unsupported nonlinearity"):
        init.calculate_gain("cube")


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        init.xavier_uniform_(parameter(3))
    with pytest.raises(ValueError, match="not supported"):
        init.kaiming_normal_(parameter(3, 2), mode="fan")
    with pytest.warns(UserWarning, match="zero-element"):
        init.kaiming_uniform_(parameter(3, 0))


def test_the_same_seed_draws_the_same_numbers() -> None:
    first = init.normal_(parameter(10)).tolist()
    nb.manual_seed(0)
    assert init.normal_(parameter(10)).tolist() == first


def test_trunc_normal_stays_between_its_edges() -> None:
    nb.manual_seed(0)
    values = init.trunc_normal_(nb.empty(5000), mean=1.0, std=2.0, a=0.0, b=2.0).numpy()
    assert values.min() >= 0.0
    assert values.max() <= 2.0
    assert abs(values.mean() - 1.0) < 0.05
    wide = init.trunc_normal_(nb.empty(5000)).numpy()
    assert 0.8 < wide.std() < 0.95  # 0.88 for a normal distribution cut at two deviations
    with pytest.warns(UserWarning, match="more than 2 std"):
        init.trunc_normal_(nb.empty(3), mean=9.0)


def test_eye_and_dirac_pass_their_input_on() -> None:
    assert init.eye_(nb.empty(2, 3)).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    x = nb.arange(16.0).reshape(1, 2, 2, 4)
    weight = init.dirac_(nb.empty(2, 2, 3, 3))
    assert nb.conv2d(x, weight, padding=1).tolist() == x.tolist()
    grouped = init.dirac_(nb.empty(4, 1, 3, 3), groups=4)
    assert nb.conv2d(x.repeat(1, 2, 1, 1), grouped, padding=1, groups=4)[:, 2:].tolist() == x.tolist()
    for function, shape in ((init.eye_, (2,)), (init.dirac_, (2, 2))):
        with pytest.raises(ValueError, match="dimensions are supported"):
            function(nb.empty(*shape))


@pytest.mark.parametrize("shape", [(4, 7), (7, 4), (3, 2, 3)])
def test_orthogonal_rows_or_columns_have_length_gain(shape: tuple[int, ...]) -> None:
    m = init.orthogonal_(nb.empty(*shape), gain=2.0).numpy().reshape(shape[0], -1)
    gram = m @ m.T if m.shape[0] <= m.shape[1] else m.T @ m
    np.testing.assert_allclose(gram, 4 * np.eye(len(gram)), atol=1e-5)
    with pytest.raises(ValueError, match="2 or more dimensions"):
        init.orthogonal_(nb.empty(3))
