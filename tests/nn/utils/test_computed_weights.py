"""Weights that are computed, and layers that are fused, beside PyTorch's."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same_mistake, same_module
from tests.samples import floats

pytestmark = pytest.mark.cpu
X, IMAGE = floats(4, 6), floats(2, 3, 5, 6)


def bilinear(t: Any, kind: str, **options: Any) -> Any:
    return getattr(t.nn.utils.parametrizations, kind)(t.nn.Linear(6, 5), **options)


COMPUTED: dict[str, tuple[Any, ...]] = {
    "length": (lambda t: t.nn.utils.weight_norm(t.nn.Linear(6, 5)), X),
    "length of all": (lambda t: t.nn.utils.weight_norm(t.nn.Conv2d(3, 4, 2), dim=None), IMAGE),
    "length by dim": (lambda t: t.nn.utils.weight_norm(t.nn.ConvTranspose2d(3, 4, 2), dim=1), IMAGE),
    "length newer": (lambda t: bilinear(t, "weight_norm"), X),
    "length newer of all": (lambda t: bilinear(t, "weight_norm", dim=None), X),
    "largest": (lambda t: t.nn.utils.spectral_norm(t.nn.Linear(6, 5)), X),
    "largest of a convolution": (lambda t: t.nn.utils.spectral_norm(t.nn.ConvTranspose2d(3, 4, 2)).eval(), IMAGE),
    "largest newer": (lambda t: bilinear(t, "spectral_norm", n_power_iterations=2), X),
    "largest newer still": (lambda t: bilinear(t, "spectral_norm").eval(), X),
    "recurrent": (lambda t: t.nn.utils.parametrizations.weight_norm(t.nn.GRU(6, 3), "weight_hh_l0"), floats(5, 2, 6)),
}


@pytest.mark.parametrize("name", list(COMPUTED))
def test_computed_weights_are_pytorchs(name: str) -> None:
    same_module(*COMPUTED[name])


def test_they_go_and_leave_the_weight() -> None:
    for make, remove in (("weight_norm", "remove_weight_norm"), ("spectral_norm", "remove_spectral_norm")):
        layer = getattr(nb.nn.utils, make)(nb.nn.Linear(6, 5).double()).eval()
        before = layer(nb.tensor(X))
        getattr(nb.nn.utils, remove)(layer)
        np.testing.assert_allclose(layer(nb.tensor(X)).detach().numpy(), before.detach().numpy())
        assert list(layer.state_dict()) == ["bias", "weight"]
        with pytest.raises(ValueError, match="not found"):
            getattr(nb.nn.utils, remove)(layer)
    layer = nb.nn.utils.parametrizations.weight_norm(nb.nn.Linear(6, 5))
    kept = layer.weight.detach().clone()
    nb.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    assert (
        type(layer) is nb.nn.Linear and nb.equal(layer.weight, kept) and list(layer.state_dict()) == ["bias", "weight"]
    )


def symmetric(t: Any) -> Any:
    class Symmetric(t.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, x: Any) -> Any:
            return x.triu()

    return Symmetric()


def skew(t: Any) -> Any:
    class Skew(t.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return x.triu(1) - x.triu(1).transpose(-1, -2)

    return Skew()


def test_the_first_of_two_need_no_right_inverse() -> None:
    def make(t: Any) -> Any:
        layer = t.nn.Linear(6, 6)
        t.nn.utils.parametrize.register_parametrization(layer, "weight", skew(t))
        return t.nn.utils.parametrize.register_parametrization(layer, "weight", symmetric(t))

    same_module(make, X)


def doubled(t: Any) -> Any:
    class Doubled(t.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return x * 2

    return Doubled()


def test_users_parametrizations_are_pytorchs() -> None:
    def make(t: Any) -> Any:
        layer = t.nn.Linear(6, 6)
        t.nn.utils.parametrize.register_parametrization(layer, "weight", symmetric(t))
        return t.nn.utils.parametrize.register_parametrization(layer, "weight", doubled(t))

    own = same_module(make, X)
    parametrize = nb.nn.utils.parametrize
    assert parametrize.is_parametrized(own) and not parametrize.is_parametrized(own, "bias")
    assert parametrize.type_before_parametrizations(own) is nb.nn.Linear
    copied = copy.deepcopy(own)
    assert nb.equal(copied.weight, own.weight) and copied.parametrizations.weight.original is not own.weight
    with parametrize.cached():
        assert own.weight is own.weight
    assert own.weight is not own.weight
    other = parametrize.transfer_parametrizations_and_params(own, nb.nn.Linear(6, 6).double())
    assert nb.equal(other.weight, own.weight)
    parametrize.remove_parametrizations(own, "weight", leave_parametrized=False)
    assert type(own) is nb.nn.Linear


def test_a_computed_weight_is_assigned_and_trained_and_compiled() -> None:
    layer = nb.nn.utils.parametrize.register_parametrization(nb.nn.Linear(6, 6), "weight", symmetric(nb))
    layer.weight = nb.eye(6)
    np.testing.assert_array_equal(layer.weight.detach().numpy(), np.eye(6))
    optimiser, x = nb.optim.SGD(layer.parameters(), lr=0.1), nb.tensor(X).float()

    def step(x: nb.Tensor) -> nb.Tensor:
        optimiser.zero_grad()
        loss = layer(x).square().mean()
        loss.backward()
        optimiser.step()
        return loss

    compiled = nb.compile(step)
    losses = [compiled(x).item() for _ in range(6)]
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.9 * losses[0]
    assert nb.equal(layer.weight, layer.weight.T)


FUSED: dict[str, Any] = {
    "convolution": (lambda t: (t.nn.Conv2d(3, 4, 2, bias=False), t.nn.BatchNorm2d(4)), IMAGE, "fuse_conv_bn_eval", ()),
    "transposed": (lambda t: (t.nn.ConvTranspose2d(3, 4, 2), t.nn.BatchNorm2d(4)), IMAGE, "fuse_conv_bn_eval", (True,)),
    "linear": (lambda t: (t.nn.Linear(6, 5), t.nn.BatchNorm1d(5, affine=True)), X, "fuse_linear_bn_eval", ()),
}


@pytest.mark.parametrize("name", list(FUSED))
def test_a_fused_layer_does_what_both_did(name: str) -> None:
    make, array, function, more = FUSED[name]
    layer, norm = [m.double() for m in make(nb)]
    x = nb.tensor(array)
    for _ in range(3):
        norm(layer(x) + 0.5)
    layer.eval(), norm.eval()
    fused = getattr(nb.nn.utils, function)(layer, norm, *more)
    np.testing.assert_allclose(fused(x).detach().numpy(), norm(layer(x)).detach().numpy(), rtol=1e-10)
    with pytest.raises(RuntimeError, match="eval"):
        getattr(nb.nn.utils, function)(layer.train(), norm, *more)


def test_skipped_starting_values() -> None:
    assert repr(nb.nn.utils.skip_init(nb.nn.Conv1d, 2, 3, 1)) == "Conv1d(2, 3, kernel_size=(1,), stride=(1,))"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.nn.utils.weight_norm(t.nn.utils.weight_norm(t.nn.Linear(2, 3))),
        lambda t: t.nn.utils.spectral_norm(t.nn.utils.spectral_norm(t.nn.Linear(2, 3))),
        lambda t: t.nn.utils.spectral_norm(t.nn.Linear(2, 3), n_power_iterations=0),
        lambda t: t.nn.utils.spectral_norm(t.nn.Linear(2, 3, bias=False), "bias"),
        lambda t: t.nn.utils.parametrizations.spectral_norm(t.nn.Linear(2, 3), n_power_iterations=0),
        lambda t: t.nn.utils.parametrizations.spectral_norm(t.nn.Linear(2, 3), "weigth"),
        lambda t: t.nn.utils.parametrize.register_parametrization(t.nn.Linear(2, 3), "weigth", doubled(t)),
        lambda t: t.nn.utils.parametrize.register_parametrization(t.nn.Linear(2, 3), "weight", t.nn.Flatten(0)),
        lambda t: t.nn.utils.parametrize.remove_parametrizations(t.nn.Linear(2, 3), "weight"),
        lambda t: t.nn.utils.parametrize.remove_parametrizations(
            t.nn.utils.parametrizations.weight_norm(t.nn.Linear(2, 3)), "weight", leave_parametrized=False
        ),
        lambda t: setattr(
            t.nn.utils.parametrize.register_parametrization(t.nn.Linear(2, 2), "weight", doubled(t)), "weight", t.eye(2)
        ),
        lambda t: t.nn.utils.skip_init(len),
        lambda t: t.nn.utils.skip_init(t.nn.ReLU),
        lambda t: t.nn.utils.get_total_norm([t.tensor([float("inf")])], error_if_nonfinite=True),
    ],
)
def test_mistakes_are_pytorchs(wrong: Any) -> None:
    same_mistake(lambda t: wrong(t))


def test_norms_of_all_and_gradients_scaled_by_them() -> None:
    w = nb.tensor([3.0, 4.0], requires_grad=True)
    w.grad = nb.tensor([3.0, 4.0])
    assert nb.nn.utils.get_total_norm([w.detach(), w.detach()], 1.0).item() == 14
    assert nb.nn.utils.get_total_norm([]).item() == 0
    nb.nn.utils.clip_grads_with_norm_([w], 2.5, nb.nn.utils.get_total_norm(w.grad))
    np.testing.assert_allclose(w.grad.numpy(), [1.5, 2.0], rtol=1e-6)
    with pytest.warns(FutureWarning, match="deprecated"):
        assert nb.nn.utils.clip_grad_norm([w], 1.0).item() == pytest.approx(2.5)


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6)])
@pytest.mark.parametrize("how", [None, "matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("base", [True, False])
def test_orthogonal_weights(shape: tuple[int, int], how: str | None, base: bool) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    start, found = np.random.default_rng(0).standard_normal(shape), []
    for m in (nb, torch):
        layer = m.nn.Linear(shape[1], shape[0], dtype=m.float64)
        with m.no_grad():
            layer.weight.copy_(m.tensor(start))
        m.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=how, use_trivialization=base)
        original, w = layer.parametrizations.weight.original, layer.weight
        q = w if shape[0] >= shape[1] else w.mT
        assert (q.mT @ q - m.eye(min(shape), dtype=m.float64)).abs().max() < 1e-12
        (w * m.tensor(start)).sum().backward()
        found.append([sorted(layer.state_dict()), *[x.detach().numpy() for x in (w, original, original.grad)]])
    assert found[0][0] == found[1][0]
    for mine, theirs in zip(found[0][1:], found[1][1:], strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-10)


def test_an_orthogonal_weight_is_set_and_what_cannot_be_one_is_refused() -> None:
    make = nb.nn.utils.parametrizations.orthogonal
    layer, new = make(nb.nn.Linear(3, 3)), nb.linalg.qr(nb.randn(3, 3)).Q
    layer.weight = new
    assert (layer.weight - new).abs().max() < 1e-6
    with pytest.raises(ValueError, match="Expected a matrix or batch of matrices"):
        make(nb.nn.Linear(2, 2), "bias")
    with pytest.raises(ValueError, match="orthogonal_map has to be one of"):
        make(nb.nn.Linear(2, 2), orthogonal_map="qr")
    plain = make(nb.nn.Linear(3, 3), use_trivialization=False)
    with pytest.raises(NotImplementedError, match="use_trivialization"):
        plain.weight = new


def test_a_module_with_parametrizations_is_copied_and_not_pickled() -> None:
    layer = nb.nn.utils.parametrizations.weight_norm(nb.nn.Linear(2, 3))
    other = copy.deepcopy(layer)
    assert other.weight.tolist() == layer.weight.tolist()
    assert {id(p) for p in other.parameters()}.isdisjoint(id(p) for p in layer.parameters())
    with pytest.raises(RuntimeError, match="state_dict"):
        pickle.dumps(layer)
