from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn
F = nn.functional
X = nb.tensor([[-2.0, -0.5, 0.0, 1.5]])


@pytest.mark.parametrize(
    ("module", "function"),
    [
        (nn.ReLU(), F.relu),
        (nn.Tanh(), F.tanh),
        (nn.Sigmoid(), F.sigmoid),
        (nn.GELU(), F.gelu),
        (nn.GELU("tanh"), lambda x: F.gelu(x, approximate="tanh")),
        (nn.SiLU(), F.silu),
        (nn.ELU(2.0), lambda x: F.elu(x, 2.0)),
        (nn.LeakyReLU(0.2), lambda x: F.leaky_relu(x, 0.2)),
        (nn.SELU(), F.selu),
        (nn.Mish(), F.mish),
        (nn.LogSigmoid(), F.logsigmoid),
        (nn.Hardtanh(-1.5, 0.5), lambda x: F.hardtanh(x, -1.5, 0.5)),
        (nn.ReLU6(), F.relu6),
        (nn.Softplus(2.0, 5.0), lambda x: F.softplus(x, 2.0, 5.0)),
        (nn.Softmax(dim=1), lambda x: F.softmax(x, 1)),
        (nn.LogSoftmax(dim=1), lambda x: F.log_softmax(x, 1)),
    ],
)
def test_a_module_is_its_function(module: nn.Module, function: object) -> None:
    assert module(X).tolist() == function(X).tolist()
    assert module(X).tolist() != X.tolist()


@pytest.mark.parametrize(
    "module", [nn.ReLU(True), nn.SiLU(True), nn.ELU(inplace=True), nn.LeakyReLU(inplace=True), nn.ReLU6(True)]
)
def test_in_place_ones_write_into_their_input(module: nn.Module) -> None:
    x = nb.tensor([-1.0, 1.0])
    assert module(x) is x
    assert x[0].item() != -1.0


def test_activations_print_their_arguments() -> None:
    assert repr(nn.GELU()) == "GELU(approximate='none')"
    assert repr(nn.ReLU(inplace=True)) == "ReLU(inplace=True)"
    assert repr(nn.LeakyReLU(0.2)) == "LeakyReLU(negative_slope=0.2)"
    assert repr(nn.Hardtanh(-2.0, 2.0)) == "Hardtanh(min_val=-2.0, max_val=2.0)"
    assert repr(nn.Softmax(dim=1)) == "Softmax(dim=1)"


def test_bounds_that_cross_are_refused() -> None:
    for mistake in (lambda: nn.Hardtanh(1.0, 0.0), lambda: F.hardtanh(X, 1.0, 0.0)):
        with pytest.raises(ValueError, match="min_val"):
            mistake()
