"""Gradients of leaves that lie without gaps, but not row-major, are laid out as they are; strides are PyTorch's."""

from __future__ import annotations

import gc
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.trace import permuted_leaves


def with_data(view: Any, *, before: bool) -> Any:
    x = nb.ones(view.shape, requires_grad=before)
    x.data = view
    return x.requires_grad_()


LEAVES: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "transposed": (lambda: nb.ones(3, 2).t().requires_grad_(), (1, 2)),
    "permuted": (lambda: nb.ones(2, 3, 4, 5).permute(3, 1, 0, 2).requires_grad_(), (1, 20, 60, 5)),
    "a parameter": (lambda: nb.nn.Parameter(nb.ones(3, 2).t()), (1, 2)),
    "empty_strided": (lambda: nb.empty_strided((2, 3), (1, 2)).fill_(1.0).requires_grad_(), (1, 2)),
    "data before": (lambda: with_data(nb.ones(3, 2).t(), before=False), (1, 2)),
    "data after": (lambda: with_data(nb.ones(3, 2).t(), before=True), (1, 2)),
    "every other": (lambda: nb.ones(4)[::2].requires_grad_(), (1,)),
    "expanded": (lambda: nb.ones(1).expand(4).detach().requires_grad_(), (1,)),
    "a part": (lambda: nb.ones(4, 4)[:, 1:3].requires_grad_(), (2, 1)),
    "row-major": (lambda: nb.ones(2, 3).requires_grad_(), (3, 1)),
    "without elements": (lambda: nb.ones(0, 2).t().requires_grad_(), (1, 2)),
}


def weighted(x: Any) -> Any:
    return (x * x * nb.arange(float(x.numel())).reshape(x.shape)).sum()


@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_has_the_strides_of_its_leaf(name: str, create_graph: bool) -> None:
    make, strides = LEAVES[name]
    x = make()
    wanted = 2 * nb.arange(float(x.numel())).reshape(x.shape)
    for k in range(1, 4):
        weighted(x).backward(create_graph=create_graph)
        assert x.grad.stride() == strides and nb.equal(x.grad.detach(), k * wanted)
        assert x.grad.requires_grad is create_graph
    x.grad = None
    weighted(x).backward()
    assert x.grad.stride() == strides and nb.equal(x.grad, wanted)
    assert nb.equal(nb.autograd.grad(weighted(x), x)[0], wanted)


@pytest.mark.parametrize("name", ["SGD", "Adam", "LBFGS"])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_optimisers_step_as_on_row_major_ones(name: str, is_compiled: bool) -> None:
    def trained(x: Any) -> Any:
        optimizer = getattr(nb.optim, name)([x], lr=0.1)

        def loss() -> Any:
            optimizer.zero_grad(set_to_none=False)
            found = weighted(x - 3)
            found.backward()
            return found

        step = nb.compile(lambda: optimizer.step(loss)) if is_compiled and name != "LBFGS" else None
        for _ in range(5):
            optimizer.step(loss) if step is None else step()
        return x.detach().clone()

    assert nb.allclose(trained(nb.ones(3, 2).t().requires_grad_()), trained(nb.ones(2, 3, requires_grad=True)))


def test_leaves_that_are_gone_are_forgotten() -> None:
    gc.collect()
    before = len(permuted_leaves)
    x = nb.ones(3, 2).t().requires_grad_()
    weighted(x).backward()
    assert len(permuted_leaves) == before + 1
    del x
    nb.ones(1).tolist()
    gc.collect()
    assert len(permuted_leaves) == before


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (2, 0, 3), (0, 2, 3), (0, 0, 2)])
def test_copies_without_elements_have_pytorchs_strides(shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")

    def strides(m: Any, order: tuple[int, ...]) -> list[Any]:
        x = m.empty(shape).permute(order)
        leaf = x.clone().requires_grad_()
        (leaf * 2).sum().backward()
        made = [x.clone(), x.double(), m.zeros_like(x), pickle.loads(pickle.dumps(leaf)), leaf.grad, x.contiguous()]
        return [(t.stride(), t.is_contiguous()) for t in made]

    for order in itertools.permutations(range(len(shape))):
        assert strides(nb, order) == strides(torch, order), order
