"""L-BFGS on Rosenbrock's valley, beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

OPTIONS: list[dict[str, Any]] = [
    {"lr": 0.001, "max_iter": 7},
    {"lr": 0.2, "history_size": 2},
    {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "lr": 3.0, "history_size": 3, "max_eval": 9},
    {"line_search_fn": "strong_wolfe", "max_iter": 30, "tolerance_change": 1e-5},
]


def valley(lib: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """The optimiser of two parameters, one of which lies in a matrix, and its closure."""
    x, y = lib.tensor([-1.5], dtype=lib.float64), lib.tensor([[2.0]], dtype=lib.float64)
    x.requires_grad_()
    y.requires_grad_()
    optimizer = lib.optim.LBFGS([x, y], **options)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((1 - x) ** 2).sum() + 100 * ((y - x**2) ** 2).sum()
        loss.backward()
        return loss

    return optimizer, closure


def trained(lib: Any, options: dict[str, Any]) -> tuple[list[float], Any]:
    """Losses and points of four steps, and the state of the optimiser."""
    optimizer, closure = valley(lib, options)
    found = []
    for _ in range(4):
        found += [optimizer.step(closure).item(), *[p.item() for p in optimizer.param_groups[0]["params"]]]
    return found, optimizer.state_dict()["state"][0]


@pytest.mark.parametrize("options", OPTIONS)
def test_lbfgs_goes_where_pytorchs_does(options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    (got, state), (want, expected) = trained(nb, options), trained(torch, options)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-8)  # rounding grows along the valley
    assert (state["n_iter"], state["func_evals"]) == (expected["n_iter"], expected["func_evals"])
    assert set(state) == set(expected) - {"al"}  # scratch memory there


def test_the_search_finds_the_bottom() -> None:
    optimizer, closure = valley(nb, {"line_search_fn": "strong_wolfe", "max_iter": 100, "tolerance_change": 0.0})
    assert optimizer.step(closure).item() == pytest.approx(12.5)
    assert closure().item() < 1e-15
    np.testing.assert_allclose([p.item() for p in optimizer.param_groups[0]["params"]], 1.0, rtol=1e-7)


def test_lbfgs_goes_on_from_its_saved_state() -> None:
    (first, loss), (second, other) = (valley(nb, OPTIONS[2] | {"max_iter": 4}) for _ in range(2))
    first.step(loss)
    second.load_state_dict(first.state_dict())
    with nb.no_grad():
        for p, q in zip(first.param_groups[0]["params"], second.param_groups[0]["params"], strict=True):
            q.copy_(p)
    for _ in range(2):
        assert first.step(loss).item() == second.step(other).item()


def test_a_compiled_function_with_its_step_runs_as_written() -> None:
    (first, loss), (second, other) = (valley(nb, OPTIONS[2] | {"max_iter": 3}) for _ in range(2))
    step = nb.compile(lambda: second.step(other))
    assert [first.step(loss).item() for _ in range(4)] == [step().item() for _ in range(4)]


def test_what_it_cannot_do_is_refused() -> None:
    x, y = (nb.ones(1, requires_grad=True) for _ in range(2))
    with pytest.raises(ValueError, match="doesn't support per-parameter options"):
        nb.optim.LBFGS([{"params": [x]}, {"params": [y]}])
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        nb.optim.LBFGS([x], lr=-1)
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        nb.optim.LBFGS([x], line_search_fn="armijo").step(lambda: x.sum())
    with pytest.raises(TypeError, match="closure"):
        nb.optim.LBFGS([x]).step()


def test_vectors_are_saved_as_tensors() -> None:
    point = nb.tensor([3.0, -1.0], requires_grad=True)
    optimizer = nb.optim.LBFGS([point], max_iter=3)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (point**4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    state = optimizer.state_dict()["state"][0]
    vectors = [state["d"], state["prev_flat_grad"], *state["old_dirs"], *state["old_stps"]]
    assert len(vectors) == 4 and all(isinstance(x, nb.Tensor) and x.shape == (2,) for x in vectors)


@pytest.mark.parametrize("options", [{"max_iter": 4}, {"lr": 0.1, "max_iter": 2}, {"line_search_fn": "strong_wolfe"}])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_go_where_pytorchs_do(dtype: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    (got, ours), (want, theirs) = half_trained(nb, dtype, options), half_trained(torch, dtype, options)
    rtol = 2e-2 if dtype == "bfloat16" else 4e-3  # some roundings: PyTorch's sums and weights are halves
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * got[0] * 0.1)
    assert (ours["n_iter"], ours["func_evals"]) == (theirs["n_iter"], theirs["func_evals"])
    for key in ("d", "prev_flat_grad"):
        assert str(ours[key].dtype).split(".")[1] == str(theirs[key].dtype).split(".")[1] == dtype
    assert half_trained(nb, dtype, options, is_loaded=True)[0] == got  # what is kept is saved without loss


def half_trained(
    package: Any, dtype: str, options: dict[str, Any], is_loaded: bool = False
) -> tuple[list[float], dict[str, Any]]:
    """Losses of four steps, the point in the end, and the state of the optimiser."""
    point = package.tensor([1.5, -2.0, 0.5], dtype=getattr(package, dtype), requires_grad=True)
    factor = package.tensor([1.0, 2.0, 0.5], dtype=getattr(package, dtype))
    optimizer = package.optim.LBFGS([point], **options)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((point * factor - 1) ** 2).sum()
        loss.backward()
        return loss

    losses = []
    for _ in range(4):
        if is_loaded:
            saved, optimizer = optimizer.state_dict(), package.optim.LBFGS([point], **options)
            optimizer.load_state_dict(saved)
        losses.append(optimizer.step(closure).item())
    return [*losses, *point.detach().float().tolist()], optimizer.state_dict()["state"][0]


def test_a_loss_without_slope_ends_the_search() -> None:
    params = [nb.zeros(3), nb.zeros(2)]
    for tolerance in (float("inf"), -float("inf")):
        loss = nb.optim.LBFGS(params, 0.01, tolerance_grad=tolerance).step(lambda: nb.tensor([10]))
        assert loss.tolist() == [10]
    assert [p.tolist() for p in params] == [[0.0] * 3, [0.0] * 2]
