"""Libraries that are written for any array, on tensors, with derivatives."""

import doctest
import importlib
import os
import sys

import numpy as np
import pytest

import nbgrad as nb
from tests.fresh import printed

SCIPY = """
import nbgrad as nb
from scipy import cluster, constants, integrate, optimize, special, stats

def leaf(values):
    return nb.tensor(values, dtype=nb.float64, requires_grad=True)

x, y, m = leaf([1.0, 2.0, 4.5, 3.0]), leaf([2.0, 1.0, 5.0, 3.5]), leaf([[2.0, 1.0], [1.0, 3.0]])
for f, *inputs in (
    (stats.skew, x), (stats.kurtosis, x), (stats.zscore, x), (stats.gmean, x), (stats.sem, x), (stats.variation, x),
    (stats.entropy, x), (lambda x: stats.quantile(x, 0.4), x), (stats.circmean, x),
    (special.logsumexp, x), (special.softmax, x), (special.xlogy, x, y), (special.expit, x), (special.ndtr, x),
    (integrate.trapezoid, x), (lambda x: integrate.cumulative_trapezoid(x, initial=0), x),
    (optimize.rosen, x), (optimize.rosen_der, x), (optimize.rosen_hess, x), (cluster.vq.whiten, m),
    (lambda x: constants.convert_temperature(x, "C", "K"), x),
):
    assert nb.autograd.gradcheck(f, tuple(inputs), atol=1e-4), f
print("done", special.gammaln(x.detach()).tolist()[:2])
"""


def test_scipy_works_on_tensors_and_derivatives_pass():
    scipy = pytest.importorskip("scipy")
    if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17):
        pytest.skip("the functions that are used here take any array from SciPy 1.17 on")
    env = {"SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join(sys.path)}  # read at SciPy's import
    assert printed("-c", SCIPY, **env) == "done [0.0, 0.0]\n"


def test_einops():
    einops = pytest.importorskip("einops.array_api", reason="einops is not installed")
    x = nb.rand(2, 6, 4, dtype=nb.float64, requires_grad=True)

    def f(x):
        split = einops.rearrange(x, "b (h w) c -> b c h w", h=3)
        return einops.reduce(split, "b c h w -> b h", "mean"), einops.repeat(x, "b n c -> (b k) c n", k=2)

    means, repeated = f(x)
    assert nb.allclose(means, x.reshape(2, 3, 8).mean(-1)) and nb.equal(repeated[1], x[0].mT)
    assert nb.autograd.gradcheck(f, (x,))
    packed, shapes = einops.pack([x, x[:, 0]], "b * c")
    assert packed.shape == (2, 7, 4)
    assert nb.equal(einops.unpack(packed, shapes, "b * c")[1], x[:, 0])


def test_einops_itself():
    einops = pytest.importorskip("einops", reason="einops is not installed")
    room = importlib.import_module("nbgrad.utils.einops")
    assert doctest.testmod(room, extraglobs={"nbgrad": nb}) == (0, 2)
    x = nb.rand(2, 6, 4, dtype=nb.float64, requires_grad=True)

    def f(x):
        split = einops.rearrange(x, "b (h w) c -> b c h w", h=3)
        folded = [einops.reduce(split, "b c h w -> b h", how) for how in ("min", "max", "sum", "mean", "prod")]
        moved = [einops.repeat(x, "b n c -> (b k) c n", k=2), einops.rearrange([x, 2 * x], "k b n c -> b k n c")]
        return (*folded, *moved, einops.pack([x, x[:, 0]], "b * c")[0], einops.einsum(x, x, "b n c, b m c -> b n m"))

    for got, want in zip(f(x), f(x.detach().numpy()), strict=True):
        assert np.allclose(got.detach().numpy(), want)
    assert nb.autograd.gradcheck(f, (x,))
    assert einops.reduce(x > 2, "b n c ->", "any").item() is False and einops.asnumpy(x).shape == (2, 6, 4)
    net = nb.nn.Sequential(room.Rearrange("b n c -> b (n c)"), nb.nn.Linear(24, 3), room.Reduce("b c -> b", "max"))
    assert nb.equal(net(x.float()), net[1](x.float().reshape(2, 24)).amax(1))
    assert nb.equal(nb.vmap(lambda x: einops.rearrange(x, "n c -> c n"))(x), x.mT)


@pytest.mark.parametrize("equation", ["ij,jk,kl->il", "ij,jk,kl->li", "ij,jk,kl->", "ij,jk,kl->lji", "ij,jk,lk->i"])
def test_opt_einsum(equation):
    opt_einsum = pytest.importorskip("opt_einsum", reason="opt_einsum is not installed")
    a, b, c = (nb.rand(3, 3, dtype=nb.float64, requires_grad=True) for _ in range(3))
    for backend in ("auto", "numpy"):
        got = opt_einsum.contract(equation, a, b, c, backend=backend)
        assert nb.allclose(got, nb.einsum(equation, a, b, c))
    assert nb.autograd.gradcheck(lambda *x: opt_einsum.contract(equation, *x), (a, b, c))
    expression = opt_einsum.contract_expression(equation, (3, 3), (3, 3), (3, 3))
    assert nb.equal(expression(a, b, c), got)
