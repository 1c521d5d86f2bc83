from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn
F = nn.functional


def test_modules_are_their_functions_with_their_arguments() -> None:
    x = nb.linspace(-4, 4, 24).reshape(2, 3, 2, 2)
    for module, want in (
        (nn.Hardswish(), F.hardswish(x)),
        (nn.Hardsigmoid(), F.hardsigmoid(x)),
        (nn.Tanhshrink(), F.tanhshrink(x)),
        (nn.Softshrink(1.0), F.softshrink(x, 1.0)),
        (nn.Hardshrink(1.0), F.hardshrink(x, 1.0)),
        (nn.Threshold(1.0, 7.0), F.threshold(x, 1.0, 7.0)),
        (nn.CELU(2.0), F.celu(x, 2.0)),
        (nn.GLU(0), F.glu(x, 0)),
        (nn.Softmin(1), F.softmin(x, 1)),
        (nn.Softmin(1), F.softmax(-x, 1)),
        (nn.Softmax2d(), F.softmax(x, 1)),
        (nn.PReLU(3, 0.5), F.prelu(x, nb.full((3,), 0.5))),
    ):
        assert module(x).tolist() == want.tolist()
    with pytest.raises(ValueError, match="Softmax2d"):
        nn.Softmax2d()(x[0, 0])


@pytest.mark.parametrize("module", [nn.Hardswish, nn.Hardsigmoid, nn.CELU, lambda **kw: nn.Threshold(0.0, 1.0, **kw)])
def test_they_write_into_their_input_where_they_are_told_to(module) -> None:
    x = nb.linspace(-4, 4, 9)
    want = module()(x).tolist()
    assert module(inplace=True)(x) is x
    assert x.tolist() == want


def test_a_prelu_learns_its_slope() -> None:
    module = nn.PReLU()
    assert [name for name, _ in module.named_parameters()] == ["weight"] and repr(module) == "PReLU(num_parameters=1)"
    module(nb.tensor([-3.0, 2.0])).sum().backward()
    assert module.weight.grad.tolist() == [-3.0]


def test_the_derivative_of_hardswish_at_infinity_is_that_of_its_piece() -> None:
    x = nb.tensor([-nb.inf, -4.0, 0.0, 4.0, nb.inf], requires_grad=True)
    F.hardswish(x).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]


@pytest.mark.parametrize("name", ["celu", "elu", "hardtanh", "leaky_relu", "relu", "selu"])
def test_functions_that_write_their_input(name: str) -> None:
    x = nb.tensor([-2.0, 0.5, 3.0])
    want = getattr(F, name)(x).tolist()
    assert getattr(F, f"{name}_")(x) is x
    assert x.tolist() == want
