"""Transforms: there and back, Jacobians against autograd's, shapes, caches; beside PyTorch's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.func import jacrev

torch = pytest.importorskip("torch", reason="compares with torch itself")
D = nb.distributions
POINTS = [0.3, -1.2, 0.8]
SHARES = [0.2, 0.5, 0.9]
MATRIX = [[0.4, -0.3], [0.7, -0.2]]


def both(make: Any) -> tuple[Any, Any]:
    """The same transform of ours and of PyTorch's; ``make(distributions, tensor)``."""
    return make(D, lambda x: nb.tensor(x, dtype=nb.float64)), make(
        torch.distributions, lambda x: torch.tensor(x, dtype=torch.float64)
    )


# Name: what makes it, where it is looked at.
TRANSFORMS: dict[str, tuple[Any, Any]] = {
    "abs": (lambda d, t: d.AbsTransform(), POINTS),
    "affine": (lambda d, t: d.AffineTransform(t([1.0, 2.0, 0.5]), t([0.5, -3.0, 2.0])), POINTS),
    "affine of numbers": (lambda d, t: d.AffineTransform(1.0, -2.0), POINTS),
    "affine of vectors": (lambda d, t: d.AffineTransform(1.0, t([0.5, -3.0, 2.0]), event_dim=1), POINTS),
    "exp": (lambda d, t: d.ExpTransform(), POINTS),
    "power": (lambda d, t: d.PowerTransform(t([2.0, 0.5, -1.5])), SHARES),
    "sigmoid": (lambda d, t: d.SigmoidTransform(), POINTS),
    "softplus": (lambda d, t: d.SoftplusTransform(), POINTS),
    "tanh": (lambda d, t: d.TanhTransform(), POINTS),
    "inverse": (lambda d, t: d.SigmoidTransform().inv, SHARES),
    "softmax": (lambda d, t: d.SoftmaxTransform(), POINTS),
    "stick breaking": (lambda d, t: d.StickBreakingTransform(), POINTS),
    "lower cholesky": (lambda d, t: d.LowerCholeskyTransform(), MATRIX),
    "positive definite": (lambda d, t: d.PositiveDefiniteTransform(), MATRIX),
    "correlations": (lambda d, t: d.CorrCholeskyTransform(), POINTS),
    "cumulative": (lambda d, t: d.CumulativeDistributionTransform(d.Normal(t(0.5), t(2.0))), POINTS),
    "compose": (lambda d, t: d.ComposeTransform([d.AffineTransform(t(0.5), t(2.0)), d.TanhTransform()]), POINTS),
    "compose of vectors": (
        lambda d, t: d.ComposeTransform([d.TanhTransform(), d.StickBreakingTransform(), d.ExpTransform()]),
        POINTS,
    ),
    "identity": (lambda d, t: d.identity_transform, POINTS),
    "independent": (lambda d, t: d.IndependentTransform(d.ExpTransform(), 1), POINTS),
    "reshape": (lambda d, t: d.ReshapeTransform((2, 2), (4,)), MATRIX),
    "cat": (lambda d, t: d.CatTransform([d.ExpTransform(), d.TanhTransform()], 0, [1, 2]), POINTS),
    "cat of vectors": (
        lambda d, t: d.CatTransform(
            [d.StickBreakingTransform(), d.IndependentTransform(d.ExpTransform(), 1)], 0, [1, 1]
        ),
        MATRIX,
    ),
    "stack": (lambda d, t: d.StackTransform([d.ExpTransform(), d.TanhTransform()], 1), MATRIX),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_values_jacobians_and_shapes_are_pytorchs(name: str) -> None:
    make, value = TRANSFORMS[name]
    ours, theirs = both(make)
    x, t = nb.tensor(value, dtype=nb.float64), torch.tensor(value, dtype=torch.float64)
    if name == "cat of vectors":  # PyTorch's cannot join pieces of which one has another size
        ours, theirs = both(lambda d, t: d.CatTransform([d.IndependentTransform(d.ExpTransform(), 1)] * 2, 0, [1, 1]))
    y, there = ours(x), theirs(t)
    np.testing.assert_allclose(y.numpy(), there.numpy(), rtol=1e-12)
    assert ours.bijective == theirs.bijective
    assert repr(ours.codomain).replace("nbgrad.", "torch.") == repr(theirs.codomain)
    assert (ours.domain.event_dim, ours.codomain.event_dim) == (theirs.domain.event_dim, theirs.codomain.event_dim)
    assert tuple(ours.forward_shape((5, *x.shape))) == tuple(theirs.forward_shape((5, *t.shape)))
    assert tuple(ours.inverse_shape(y.shape)) == tuple(theirs.inverse_shape(there.shape))
    np.testing.assert_allclose(ours.inv(y).numpy(), theirs.inv(there).numpy(), rtol=1e-9, atol=1e-12)
    if not ours.bijective:
        for transform, a, b in ((ours, x, y), (theirs, t, there)):
            with pytest.raises(NotImplementedError):
                transform.log_abs_det_jacobian(a, b)
        return
    np.testing.assert_allclose(ours.inv(y).numpy(), x.numpy(), rtol=1e-9)
    want = theirs.log_abs_det_jacobian(t, there).numpy()
    np.testing.assert_allclose(ours.log_abs_det_jacobian(x, y).numpy(), want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.inv.log_abs_det_jacobian(y, x).numpy(), -want, rtol=1e-9, atol=1e-12)
    if ours.domain.event_dim == 0 and name not in ("cat", "stack"):
        assert np.array_equal(np.sign(np.asarray(ours.sign)), np.sign(np.asarray(theirs.sign)))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_jacobians_are_those_of_autograd(name: str) -> None:
    make, value = TRANSFORMS[name]
    transform, _ = both(make)
    if not transform.bijective or name in ("cat of vectors", "compose of vectors"):
        return  # the Jacobian of what goes from n numbers to others than n is none of all n
    x = nb.tensor(value, dtype=nb.float64)
    found = transform.log_abs_det_jacobian(x, transform(x)).numpy()
    jacobian = jacrev(transform)(x).numpy()
    if name == "correlations":  # the elements below the diagonal are free
        jacobian = jacobian[np.tril_indices(3, -1)]
    if transform.codomain is D.constraints.simplex:  # the last is 1 less the others
        jacobian = jacobian[:-1]
    size = x.numel()
    matrix = jacobian.reshape(size, size)
    want = np.log(np.abs(np.diag(matrix))) if found.ndim else np.linalg.slogdet(matrix)[1]
    np.testing.assert_allclose(found.reshape(-1), want, rtol=1e-9)


def test_a_cache_gives_the_very_tensor_back() -> None:
    x = nb.tensor([0.1, 0.7])
    for make in (
        lambda: D.ExpTransform(cache_size=1),
        lambda: D.ExpTransform().with_cache(),
        lambda: D.AffineTransform(1, 2, cache_size=1),
    ):
        transform = make()
        y = transform(x)
        assert transform(x) is y
        assert transform.inv(y) is x
    assert D.ExpTransform().inv(D.ExpTransform()(x)) is not x
    transform = D.TanhTransform()
    assert transform.inv.inv is transform
    assert transform.with_cache(0) is transform
    with pytest.raises(ValueError, match="cache_size"):
        D.ExpTransform(cache_size=2)


def test_equality_and_pickles() -> None:
    pairs = [
        lambda: D.ExpTransform(),
        lambda: D.AffineTransform(nb.ones(2), 2.0),
        lambda: D.PowerTransform(nb.tensor(2.0)),
    ]
    for make in pairs:
        assert make() == make()
        assert make().inv == make().inv
        assert D.ComposeTransform([make()]) == D.ComposeTransform([make()])
        assert pickle.loads(pickle.dumps(make())) == make()
    assert D.ExpTransform() != D.TanhTransform()
    assert D.AffineTransform(1, 2) != D.AffineTransform(1, 3)


CONSTRAINTS = {
    "real": (lambda c, t: c.real, [1.0, np.nan, np.inf]),
    "real_vector": (lambda c, t: c.real_vector, [[1.0, np.nan], [1.0, 2.0]]),
    "positive": (lambda c, t: c.positive, [1.0, 0.0, -1.0]),
    "nonnegative": (lambda c, t: c.nonnegative, [1.0, 0.0, -1.0]),
    "greater_than": (lambda c, t: c.greater_than(t(2.0)), [1.0, 2.0, 3.0]),
    "greater_than_eq": (lambda c, t: c.greater_than_eq(2.0), [1.0, 2.0, 3.0]),
    "less_than": (lambda c, t: c.less_than(2.0), [1.0, 2.0, 3.0]),
    "unit_interval": (lambda c, t: c.unit_interval, [1.0, 0.0, -1e-9, 1.1]),
    "interval": (lambda c, t: c.interval(-2.0, 3.0), [-3.0, 2.0, 4.0]),
    "half_open_interval": (lambda c, t: c.half_open_interval(-2.0, 3.0), [-2.0, 3.0]),
    "boolean": (lambda c, t: c.boolean, [0.0, 1.0, 0.5]),
    "integer_interval": (lambda c, t: c.integer_interval(0, 3), [0.0, 3.0, 1.5, 4.0]),
    "nonnegative_integer": (lambda c, t: c.nonnegative_integer, [0.0, 1.5, -1.0]),
    "positive_integer": (lambda c, t: c.positive_integer, [0.0, 1.0, 2.5]),
    "one_hot": (lambda c, t: c.one_hot, [[0.0, 1.0], [1.0, 1.0], [0.5, 0.5]]),
    "simplex": (lambda c, t: c.simplex, [[0.3, 0.7], [0.3, 0.6], [-0.1, 1.1]]),
    "multinomial": (lambda c, t: c.multinomial(3), [[1.0, 2.0], [3.0, 1.0]]),
    "lower_triangular": (lambda c, t: c.lower_triangular, [[[1.0, 0.0], [2.0, -1.0]], [[1.0, 1.0], [2.0, 1.0]]]),
    "lower_cholesky": (lambda c, t: c.lower_cholesky, [[[1.0, 0.0], [2.0, -1.0]], [[1.0, 0.0], [2.0, 1.0]]]),
    "corr_cholesky": (lambda c, t: c.corr_cholesky, [[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [2.0, 1.0]]]),
    "square": (lambda c, t: c.square, [[[1.0, 0.0], [0.6, 0.8]]]),
    "symmetric": (lambda c, t: c.symmetric, [[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.5], [0.5, 1.0]]]),
    "positive_semidefinite": (
        lambda c, t: c.positive_semidefinite,
        [[[1.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [2.0, 1.0]]],
    ),
    "positive_definite": (lambda c, t: c.positive_definite, [[[1.0, 0.5], [0.5, 1.0]], [[1.0, 2.0], [2.0, 1.0]]]),
    "independent": (lambda c, t: c.independent(c.positive, 1), [[1.0, 2.0], [1.0, 0.0]]),
    "cat": (lambda c, t: c.cat([c.positive, c.real], -1, [1, 2]), [[1.0, -2.0, 0.0], [-1.0, 0.0, 0.0]]),
    "stack": (lambda c, t: c.stack([c.positive, c.real], -1), [[1.0, -2.0], [-1.0, 0.0]]),
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_sets_are_pytorchs(name: str) -> None:
    make, value = CONSTRAINTS[name]
    ours = make(D.constraints, lambda x: nb.tensor(x, dtype=nb.float64))
    theirs = make(torch.distributions.constraints, lambda x: torch.tensor(x, dtype=torch.float64))
    want = theirs.check(torch.tensor(value, dtype=torch.float64)).numpy()
    assert np.array_equal(ours.check(nb.tensor(value, dtype=nb.float64)).numpy(), want)
    if name not in ("cat", "stack", "greater_than"):
        assert np.array_equal(ours.check(np.array(value)), want)
    assert (ours.is_discrete, ours.event_dim) == (theirs.is_discrete, theirs.event_dim)
    if name != "greater_than":
        assert repr(ours) == repr(theirs)
    for registry in ("biject_to", "transform_to"):
        try:
            there = getattr(torch.distributions, registry)(theirs)
        except NotImplementedError:
            with pytest.raises(NotImplementedError):
                getattr(D, registry)(ours)
            continue
        transform = getattr(D, registry)(ours)
        shape = there.inverse_shape((2, *np.shape(value)[1:]) if np.ndim(value) > 1 else (2,))
        z = np.linspace(-1.0, 1.5, int(np.prod(shape))).reshape(tuple(shape))
        got = transform(nb.tensor(z)).numpy()
        np.testing.assert_allclose(got, there(torch.tensor(z)).numpy(), rtol=1e-9)
        assert bool(ours.check(nb.tensor(got)).all())


def test_a_set_of_ones_own_has_a_transform() -> None:
    class Even(D.constraints.Constraint):  # type: ignore[name-defined,misc]
        pass

    @D.transform_to.register(Even)
    def onto(constraint: Any) -> Any:
        return D.AffineTransform(0, 2)

    assert D.transform_to(Even())(nb.tensor(1.5)).item() == 3.0
    with pytest.raises(NotImplementedError, match="Even"):
        D.biject_to(Even())
    with pytest.raises(TypeError, match="Expected constraint"):
        D.biject_to.register(int, onto)
    assert D.constraints.is_dependent(D.Uniform.support)
    with pytest.raises(ValueError, match="dependent"):
        D.constraints.dependent.check(nb.ones(1))
