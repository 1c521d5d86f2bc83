"""``gradcheck`` in all its modes: what is right passes, and each kind of mistake is found."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd import gradcheck, gradgradcheck
from nbgrad.autograd.gradcheck import get_numerical_jacobian
from tests.squares import Square

MODES: dict[str, dict[str, Any]] = {
    "backward": {},
    "forward": {"check_forward_ad": True, "check_backward_ad": False},
    "both": {"check_forward_ad": True},
    "batched": {"check_batched_grad": True},
    "batched forward": {"check_forward_ad": True, "check_batched_forward_grad": True},
    "fast": {"fast_mode": True, "check_forward_ad": True},
    "dtypes": {"check_grad_dtypes": True},
}


def point(*shape: int) -> Any:
    return (nb.arange(1.0, 1.0 + nb.Size(shape).numel()).reshape(shape).double() / 3).requires_grad_()


class Wrong(Square):
    """x^2 whose gradient is a little too large."""

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 2.01 * x


class Drawn(nb.autograd.Function):
    """x whose gradient is a little different each time."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * (1 + 1e-7 * nb.rand(g.shape, dtype=nb.float64))


class Fixed(nb.autograd.Function):
    """x whose gradient is 1 whatever arrives."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return nb.ones_like(g)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_right_passes(mode: str) -> None:
    how = MODES[mode]
    assert gradcheck(lambda x, y: (x.sin() * y, (x @ y.T).sum()), (point(2, 3), point(2, 3)), **how)
    assert gradcheck(lambda x: x[1:] * 2, point(3), **how)
    assert gradcheck(lambda x: x.sum(), point(1), **how)


@pytest.mark.parametrize("mode", ["backward", "both", "fast", "batched"])
def test_a_wrong_gradient_is_found(mode: str) -> None:
    how = {**MODES[mode], "check_forward_ad": False}
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(Wrong.apply, point(3), **how)
    assert not gradcheck(Wrong.apply, point(3), raise_exception=False, **how)


def test_gradients_that_are_drawn_are_found() -> None:
    with pytest.raises(RuntimeError, match="not reentrant"):
        gradcheck(Drawn.apply, point(3))
    assert gradcheck(Drawn.apply, point(3), nondet_tol=1e-5)


@pytest.mark.parametrize("is_fast", [False, True])
def test_a_gradient_that_does_not_depend_on_the_cotangent_is_found(is_fast: bool) -> None:
    with pytest.raises(RuntimeError, match="backward not multiplied by grad_output: where the gradient of output 0"):
        gradcheck(Fixed.apply, nb.ones(1, dtype=nb.float64, requires_grad=True), fast_mode=is_fast)


def test_second_derivatives_in_all_modes() -> None:
    def f(x: Any, y: Any) -> Any:
        return x.sin() * y, (x * x).sum()

    args = point(3), point(3)
    for how in (
        {},
        {"check_fwd_over_rev": True},
        {"check_fwd_over_rev": True, "check_rev_over_rev": False},
        {"check_batched_grad": True},
        {"fast_mode": True},
        {"gen_non_contig_grad_outputs": True},
    ):
        assert gradgradcheck(f, args, **how)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradgradcheck(lambda x: Wrong.apply(x) * x, point(3))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"masked": True}, "sparse"),
        ({"check_batched_grad": True, "check_backward_ad": False}, "requires check_backward_ad"),
        ({"check_batched_forward_grad": True}, "requires check_forward_ad"),
        ({"check_backward_ad": False}, "nothing to check"),
    ],
)
def test_what_does_not_go_together(how: dict[str, bool], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        gradcheck(nb.sin, point(3), **how)


@pytest.mark.parametrize("mode", MODES)
def test_inputs_without_elements(mode: str) -> None:
    assert gradcheck(lambda x, y: nb.cat((x, y)).sin(), (point(0, 2), point(2, 2)), **MODES[mode])


def test_outputs_that_require_no_grad_must_not_move() -> None:
    assert gradcheck(lambda x: (x.detach() * 0, x.detach() > 0), point(3))
    with pytest.raises(RuntimeError, match="expected to be zero, as no output requires grad, but output 1 moves with"):
        gradcheck(lambda x, y: ((y > 0), y.detach() * 2), (point(3), point(3)))
    assert not gradcheck(lambda x: x.detach(), point(3), raise_exception=False)
    assert gradcheck(lambda x: (x * 2, x.detach()), point(3))  # of outputs of both kinds, those are looked at that do


def test_what_differences_cannot_tell() -> None:
    with pytest.raises(RuntimeError, match="input has a dimension with stride 0"):
        gradcheck(nb.sin, nb.ones(1, dtype=nb.float64).expand(3).requires_grad_())
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"):
        assert gradcheck(nb.sin, nb.ones(2, requires_grad=True))


def test_jacobians_by_differences() -> None:
    a, b, c = point(2), point(2), nb.ones(2, dtype=nb.float64)

    def f(inputs: Any) -> Any:
        return inputs[0] * 2 + inputs[1].sum() * inputs[2], inputs[0]

    by_a, by_b = get_numerical_jacobian(f, (a, b, c), eps=1e-6)
    assert nb.allclose(by_a, 2 * nb.eye(2, dtype=nb.float64))
    assert nb.allclose(by_b, nb.ones(2, 2, dtype=nb.float64))
    (only,) = get_numerical_jacobian(f, (a, b, c), target=b)
    assert nb.allclose(only, by_b)
    with pytest.raises(ValueError, match="Expected grad_out"):
        get_numerical_jacobian(f, (a, b, c), grad_out=2.0)
