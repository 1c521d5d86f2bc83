"""Promotion equals PyTorch's: the table in fixtures/promotion.json, made from torch and read without it.

Write the table anew with ``python -m tests.graph.test_dtypes`` where torch is installed.
"""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from nbgrad.errors import DTypeError
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import ALL, COMPLEX, by_name, promote, result_type

TABLE = Path(__file__).parents[1] / "fixtures" / "promotion.json"
DIMS, ZERO_DIM, NUMBER = 0, 1, 2
NUMBERS = ("bool", "int64", "float32", "complex64")  # what True, 1, 1.0 and 1j count as


def operand_kinds() -> list[str]:
    """Everything an operand can be: "int32:0" has dimensions, "int32:1" is 0-d, "int64:2" is a Python int."""
    tensors = [f"{d.name}:{standing}" for d in (*ALL, *COMPLEX) for standing in (DIMS, ZERO_DIM)]
    return tensors + [f"{name}:{NUMBER}" for name in NUMBERS]


def parsed(kind: str) -> tuple[dtypes.DType, int]:
    name, standing = kind.split(":")
    return by_name(name), int(standing)


def table_from_torch() -> dict[str, dict[str, str]]:
    """``promote_types`` of all pairs, and ``result_type`` of all pairs of operands."""
    import torch

    def operand(kind: str) -> object:
        name, standing = kind.split(":")
        if int(standing) == NUMBER:
            return {"bool": True, "int64": 1, "float32": 1.0, "complex64": 1j}[name]
        return torch.ones((1,) if int(standing) == DIMS else (), dtype=getattr(torch, name))

    def name_of(dtype: object) -> str:
        return str(dtype).removeprefix("torch.")

    names = [d.name for d in (*ALL, *COMPLEX)]
    return {
        "promote_types": {
            f"{a},{b}": name_of(torch.promote_types(getattr(torch, a), getattr(torch, b)))
            for a, b in itertools.product(names, names)
        },
        "result_type": {
            f"{a},{b}": name_of(torch.result_type(operand(a), operand(b)))
            for a, b in itertools.product(operand_kinds(), operand_kinds())
        },
    }


@pytest.fixture(scope="module")
def table() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(TABLE.read_text())
    return found


def test_promote_is_torchs_promote_types(table: dict[str, dict[str, str]]) -> None:
    pairs = table["promote_types"]
    assert len(pairs) == (len(ALL) + len(COMPLEX)) ** 2
    wrong = {pair: want for pair, want in pairs.items() if promote(*map(by_name, pair.split(","))).name != want}
    assert not wrong


def test_result_type_is_torchs_for_every_pair_of_tensors_0d_tensors_and_numbers(
    table: dict[str, dict[str, str]],
) -> None:
    pairs = table["result_type"]
    assert len(pairs) == len(operand_kinds()) ** 2
    pairs = {pair: "complex64" if want == "complex32" else want for pair, want in pairs.items()}  # which is not there
    wrong = {
        pair: want for pair, want in pairs.items() if result_type(tuple(map(parsed, pair.split(",")))).name != want
    }
    assert not wrong


def test_the_order_of_operands_does_not_change_the_result_type() -> None:
    for kinds in itertools.combinations(["int32:0", "uint8:0", "float64:1", "int64:1", "float32:2", "bool:0"], 3):
        found = {result_type(tuple(map(parsed, order))) for order in itertools.permutations(kinds)}
        assert len(found) == 1, kinds


def test_the_table_is_what_torch_says_today(table: dict[str, dict[str, str]]) -> None:
    pytest.importorskip("torch", reason="compares the stored table with torch itself")
    assert table == table_from_torch()


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (bool, dtypes.bool_),
        (int, dtypes.int64),
        (float, dtypes.float64),
        ("float", dtypes.float32),
        ("double", dtypes.float64),
        ("long", dtypes.int64),
        ("half", dtypes.float16),
        (np.int16, dtypes.int16),
        (np.float16, dtypes.float16),
        (np.dtype("uint8"), dtypes.uint8),
        (np.dtype(">f8"), dtypes.float64),
        (dtypes.int8, dtypes.int8),
    ],
)
def test_as_dtype_takes_python_types_numpy_dtypes_and_names(value: object, want: dtypes.DType) -> None:
    assert dtypes.as_dtype(value) is want


@pytest.mark.parametrize("value", ["complex32", np.longdouble, "no such", object()])
def test_as_dtype_names_what_there_is_for_other_values(value: object) -> None:
    with pytest.raises(DTypeError, match="it has bool, uint8"):
        dtypes.as_dtype(value)


def test_the_default_dtype_decides_what_python_floats_become() -> None:
    dtypes.set_default_dtype(dtypes.float64)
    try:
        assert dtypes.as_dtype(float) is dtypes.float64
    finally:
        dtypes.set_default_dtype(dtypes.float32)
    with pytest.raises(DTypeError, match="only floating-point types"):
        dtypes.set_default_dtype(dtypes.int32)


if __name__ == "__main__":
    TABLE.write_text(json.dumps(table_from_torch(), indent=1) + "\n")
