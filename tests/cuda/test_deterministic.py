"""``use_deterministic_algorithms``: what is added through indices on a GPU, and that plans follow the switch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from tests.runtime.cuda.devices import simulated


@pytest.fixture
def driver() -> Iterator[SimulatedDriver]:
    with override(compile="eager", deterministic=True), simulated(lazy=True) as driver:
        yield driver


def gradient(device: str) -> np.ndarray:
    """Of a table whose rows are looked up many times, of terms of very different sizes."""
    rng = np.random.default_rng(5)
    table = nb.tensor(rng.standard_normal((20, 24)).astype("float32"), device=device, requires_grad=True)
    index = nb.tensor(rng.integers(0, 20, 400), device=device)
    scale = nb.tensor((10.0 ** rng.integers(-6, 6, (400, 24))).astype("float32"), device=device)
    (nb.nn.functional.embedding(index, table) * scale).sum().backward()
    assert table.grad is not None
    return table.grad.cpu().numpy().copy()


def added(device: str) -> np.ndarray:
    rng = np.random.default_rng(6)
    index, values = rng.integers(0, 5, 300), rng.standard_normal(300).astype("float32")
    x = nb.zeros(5, device=device).index_add(0, nb.tensor(index, device=device), nb.tensor(values, device=device))
    return x.cpu().numpy().copy()


@pytest.mark.parametrize("compute", [gradient, added])
def test_sums_through_indices_have_one_order_unless_any_will_do(compute: object, driver: SimulatedDriver) -> None:
    assert callable(compute)
    wanted = compute("cpu")
    assert (compute("cuda") == wanted).all()
    nb.use_deterministic_algorithms(False)
    assert not nb.are_deterministic_algorithms_enabled()
    found = compute("cuda")
    assert (found != wanted).any()  # other bits, as simulated warps come in another order
    np.testing.assert_allclose(found, wanted, rtol=1e-3)
    assert (compute("cpu") == wanted).all()
    nb.use_deterministic_algorithms(True)
    assert (compute("cuda") == wanted).all()


def test_only_a_bool_says_so() -> None:
    with pytest.raises(TypeError, match="mode must be bool, not int"):
        nb.use_deterministic_algorithms(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="warn_only must be bool"):
        nb.use_deterministic_algorithms(True, warn_only=None)  # type: ignore[arg-type]
    assert nb.are_deterministic_algorithms_enabled()
