"""Arguments have PyTorch's names. NBGRAD_ORACLE=torch runs it against PyTorch."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest

import nbgrad as nb

A = nb.tensor([[4.0, 1.0], [1.0, 3.0]])
FACTORS = {"input": A, "input2": nb.tensor([0.5, 0.25])}

ACCEPTED: dict[str, dict[str, Any]] = {
    **{name: {"input": A} for name in ("det", "slogdet", "matrix_exp", "cholesky_inverse", "orgqr")},
    **{f"linalg.{name}": {"input": A} for name in ("cholesky", "cholesky_ex", "cond", "eig", "eigh", "eigvals")},
    **{f"linalg.{name}": {"input": A} for name in ("eigvalsh", "ldl_factor", "ldl_factor_ex", "matrix_exp", "norm")},
    **{f"linalg.{name}": {"input": A} for name in ("matrix_norm", "matrix_rank", "pinv")},
    **{f"linalg.{name}": {"A": A} for name in ("det", "slogdet", "inv", "svd", "qr")},
    "cholesky_solve": {"input": A, "input2": A},
    "orgqr": FACTORS,
    "ormqr": {**FACTORS, "input3": A},
    "matrix_power": {"input": A, "n": 2},
    "linalg.matrix_power": {"input": A, "n": 2},
    "linalg.lstsq": {"input": A, "b": A},
    "linalg.tensorinv": {"input": A, "ind": 1},
    "split": {"tensor": A, "split_size_or_sections": 1},
    "nn.functional.one_hot": {"input": nb.tensor([0, 1]), "num_classes": 2},
    "promote_types": {"type1": nb.float32, "type2": nb.int64},
    "result_type": {"tensor": A, "other": A},
    "rand_like": {"input": A, "generator": nb.Generator()},
    "randn_like": {"input": A, "generator": nb.Generator()},
    "randint_like": {"input": A, "high": 3},
    "empty": {"size": (2,), "memory_format": nb.contiguous_format},
    "view_copy": {"input": A, "size": (4,)},
    "Tensor.view": {"self": A, "size": (4,)},
    "Tensor.uniform_": {"self": nb.zeros(2), "to": 2.0},
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_arguments_have_pytorchs_names(name: str) -> None:
    given = dict(ACCEPTED[name])
    first = [given.pop("self")] if "self" in given else []
    attrgetter(name)(nb)(*first, **given)


@pytest.mark.parametrize("name", ["is_tensor", "is_storage", "typename"])
def test_arguments_without_a_name_have_none(name: str) -> None:
    with pytest.raises(TypeError):
        attrgetter(name)(nb)(obj=A)


def test_numbers_are_drawn_by_a_generator_in_the_shape_of_a_tensor() -> None:
    for name, more in (("rand_like", {}), ("randn_like", {}), ("randint_like", {"high": 100})):
        first, second = [attrgetter(name)(nb)(A, generator=nb.Generator().manual_seed(3), **more) for _ in range(2)]
        assert first.tolist() == second.tolist()
    assert nb.randint_like(A, high=3).max() < 3 and nb.randint_like(A, low=1, high=2).tolist() == [[1.0, 1.0]] * 2
