"""``grad_fn`` names what made a tensor, in PyTorch's words."""

from typing import Any

import pytest

import nbgrad as nb


class Cube(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 3 * ctx.saved_tensors[0] ** 2 * g


def written(x: Any) -> Any:
    y = x * 1
    y[0] = 1.0
    return y


MADE = [
    (lambda x: x + 1, "AddBackward0"),
    (lambda x: 2 * x, "MulBackward0"),
    (lambda x: x**2, "PowBackward0"),
    (lambda x: x**x, "PowBackward1"),
    (lambda x: 2**x, "PowBackward2"),
    (lambda x: x @ x, "MmBackward0"),
    (lambda x: x @ nb.ones(2), "MvBackward0"),
    (lambda x: nb.concat([x, x]), "CatBackward0"),
    (lambda x: nb.deg2rad(x), "Deg2RadBackward0"),
    (lambda x: nb.selu(x), "EluBackward0"),
    (lambda x: x.sum(), "SumBackward0"),
    (lambda x: x.sum(0), "SumBackward1"),
    (lambda x: x.max(), "MaxBackward1"),
    (lambda x: x.t(), "TBackward0"),
    (lambda x: x[0], "SelectBackward0"),
    (lambda x: x[1:], "SliceBackward0"),
    (lambda x: x[nb.tensor([0])], "IndexBackward0"),
    (lambda x: x.flatten(), "ViewBackward0"),
    (lambda x: x.double(), "ToCopyBackward0"),
    (lambda x: x.expm1(), "Expm1Backward0"),
    (lambda x: nb.linalg.det(x), "LinalgDetBackward0"),
    (lambda x: nb.linalg.inv(x + nb.eye(2)), "LinalgInvExBackward0"),
    (lambda x: nb.nn.functional.conv1d(x, x[None]), "ConvolutionBackward0"),
    (lambda x: (x * 1).copy_(x), "torch::autograd::CopyBackwards"),
    (written, "torch::autograd::CopySlices"),
    (Cube.apply, "CubeBackward"),
]


@pytest.mark.parametrize(("make", "name"), MADE, ids=[name for _, name in MADE])
def test_a_result_names_what_made_it(make: Any, name: str) -> None:
    x = nb.ones(2, 2, requires_grad=True)
    y = make(x)
    assert y.grad_fn.name() == name
    y.tolist()  # the same when its value is there
    assert y.grad_fn.name() == name
    assert repr(y.grad_fn) == f"<{name.rpartition('::')[2]}>"


def test_a_gradient_that_can_be_differentiated_is_named_after_its_last_operation() -> None:
    x = nb.ones(2, requires_grad=True)
    (g,) = nb.autograd.grad((x * x).sum(), x, create_graph=True)
    assert g.grad_fn.name() == "AddBackward0"
    assert x.grad_fn is None


class ByCube(nb.autograd.Function):
    """A number whose derivative another custom function computes."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x.sum()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return Cube.apply(g * ctx.saved_tensors[0])


def test_a_gradient_of_a_custom_function_is_named_after_it() -> None:
    x = nb.ones(2, requires_grad=True)
    (g,) = nb.autograd.grad(ByCube.apply(x), x, create_graph=True)
    for _ in range(2):
        assert g.grad_fn.name() == "CubeBackward"
        assert g.tolist() == [1.0, 1.0]  # the same when its value is there
    (product,) = nb.autograd.grad(ByCube.apply(x * 3), x, create_graph=True)
    assert product.grad_fn.name() == "MulBackward0"
