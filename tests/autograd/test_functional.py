"""Derivatives at a point beside PyTorch's: values, which of them can be differentiated, what strict mode refuses."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import nbgrad as nb

torch = pytest.importorskip("torch")

NUMBERS: dict[str, Callable[..., Any]] = {
    "cubes": lambda lib, x, y: (x**3).sum() + (y * y * y * x).sum(),
    "one input": lambda lib, x, y: (x**3).sum(),
    "linear": lambda lib, x, y: (x * 2).sum() + y.sum(),
    "bilinear": lambda lib, x, y: (x * y).sum(),
    "partly linear": lambda lib, x, y: (x * x * x * y).sum(),
    "constant": lambda lib, x, y: lib.ones(()),
}
SEVERAL: dict[str, Callable[..., Any]] = {
    "vector": lambda lib, x, y: x**3 * y,
    "two": lambda lib, x, y: (x.exp() * y, (x * y).sum()),
    "two, one linear": lambda lib, x, y: (x.exp() + y.exp(), x.sum() + y.sum()),
    "half of it": lambda lib, x, y: (x.exp() * y, lib.ones(2)),
    "detached": lambda lib, x, y: x.detach() * y,
}
CASES = [
    (api, name)
    for apis, names in ((("hessian", "vhp", "hvp"), NUMBERS), (("jacobian", "vjp", "jvp"), {**NUMBERS, **SEVERAL}))
    for api, name in product(apis, names)
]


def derived(lib: Any, api: str, name: str, wanted: str, options: dict[str, bool]) -> Any:
    def f(x: Any, y: Any) -> Any:
        return {**NUMBERS, **SEVERAL}[name](lib, x, y)

    x, y = lib.tensor([1.0, 2.0], requires_grad=wanted == "inputs"), lib.tensor([3.0, 4.0])
    more: tuple[Any, ...] = ()
    if api == "vjp":
        outputs = f(x, y)
        more = (tuple([a.detach() for a in outputs]) if isinstance(outputs, tuple) else outputs.detach(),)
    elif api not in ("jacobian", "hessian"):
        more = ((lib.tensor([1.0, -2.0], requires_grad=wanted == "vectors"), lib.tensor([0.5, 3.0])),)
    return getattr(lib.autograd.functional, api)(f, (x, y), *more, **options)


def flat(results: Any) -> list[Any]:
    return [a for part in results for a in flat(part)] if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("wanted", ["nothing", "inputs", "vectors"])
@pytest.mark.parametrize(("api", "name"), CASES)
def test_results_can_be_differentiated_where_pytorchs_can(
    api: str, name: str, wanted: str, create_graph: bool, strict: bool
) -> None:
    found, refused = [], []
    for lib in (nb, torch):
        try:
            results = flat(derived(lib, api, name, wanted, {"create_graph": create_graph, "strict": strict}))
        except RuntimeError as error:
            refused.append(str(error).split("\n")[0].split(" is ")[0].replace(f"the {api},", "the hessian,"))
            continue
        found.append([(tuple(a.shape), a.requires_grad, a.tolist()) for a in results])
    assert len(refused) in (0, 2), refused
    if refused:
        assert refused[0] == refused[1]
    else:
        for (shape, wants, values), (other, others, expected) in zip(*found, strict=True):
            assert shape == other and wants == others
            assert values == pytest.approx(expected, rel=1e-5) if not shape[1:] else True


def test_what_comes_of_constants_leads_to_leaves_that_nobody_has() -> None:
    x = nb.tensor([1.0, 2.0])
    rows = nb.autograd.functional.jacobian(lambda a: a**3, x, create_graph=True)
    assert rows.requires_grad and not x.requires_grad
    rows.sum().backward()
    assert x.grad is None
