"""Errors name what the user called, though it is made of other operations, and show what was given."""

from __future__ import annotations

import pytest

import nbgrad as nb
from tests.mistakes import run

NAMES = {  # a mistake, and what the error begins with or shows
    "F.linear(x, v, v)": r"^linear: ",
    "torch.addmm(m, x, v)": r"^addmm: mat2",
    "torch.baddbmm(x, x, x)": r"^baddbmm: batch1",
    "torch.hstack([x, v])": r"^hstack: ",
    "torch.vstack([x, m])": r"^vstack: ",
    "torch.ger(x, x)": r"^ger: ",
    "torch.linalg.eigvalsh(x)": r"^linalg\.eigvalsh: ",
    "torch.linalg.cond(v)": r"^linalg\.cond: ",
    "torch.linalg.matrix_rank(s)": r"^linalg\.matrix_rank: ",
    "torch.linalg.vecdot(x, m)": r"^linalg\.vecdot: ",
    "torch.logdet(3)": r"^logdet\(\): ",
    "torch.allclose(x, m)": "^allclose: ",
    "torch.normal(x, m)": "^normal: ",
    "torch.zeros((2, 'a'))": r"^zeros\(\): .* type str at pos 1: 'a'",
    "x[1.5]": r"\(got float: 1\.5\)",
    "x[0, 0, 0]": "dimension 2: 3",
    "x[::-1]": "greater than zero, not -1",
    "x['a':]": r"slice\('a', None, None\)",
    "x[v]": "not float32",
    "i.requires_grad_()": "not int64",
    "torch.optim.Adam([3], lr=0.1)": "^Adam: .* int",
    "torch.optim.SGD([], lr=0.1)": "^SGD: ",
    "torch.func.grad(3)(v)": r"^grad\(\): argument 'func' must be callable, not int",
    "torch.func.vjp(3, v)": r"^vjp\(\): ",
    "torch.func.jvp(3, (v,), (v,))": r"^jvp\(\): ",
    "torch.func.linearize(3, v)": r"^linearize\(\): ",
    "torch.func.vmap(3)(x)": r"^vmap\(\): ",
    "torch.autograd.functional.jacobian(3, w)": r"^jacobian\(\): ",
    "torch.utils.checkpoint.checkpoint(3, w, use_reentrant=False)": r"^checkpoint\(\): ",
}


@pytest.mark.parametrize("line", NAMES)
def test_an_error_names_what_was_called_or_given(line: str) -> None:
    with pytest.raises(nb.errors.NbgradError, match=NAMES[line]):
        run(line, nb, "<mistake>")
