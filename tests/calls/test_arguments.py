"""Static arguments are checked by their annotation, each time a function is called."""

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.calls.arguments import kind_of

RIGHT = [
    ("int", np.int32(3), 3),
    ("int", nb.tensor(3), 3),
    ("Shape", [2, np.int64(3)], (2, 3)),
    ("Shape", 2, (2,)),
    ("Dims", None, None),
    ("Dims", (0, 1), (0, 1)),
    ("bool", np.True_, True),
    ("float", np.float32(0.5), 0.5),
    ("float | str | None", "fro", "fro"),
    ("DType | None", np.float64, nb.float64),
]
WRONG = [
    ("int", 2.0, "must be int, not float"),
    ("int", True, "must be int, not bool"),
    ("int | Shape | None", "a", "must be int or tuple of ints or None, not str"),
    ("Shape", (2, 1.5), "found element of type float at pos 1"),
    ("Shape", None, "missing 1 required positional argument: 'x'"),
    ("bool", 1, "must be bool, not int"),
    ("str | None", 5, "must be str or None, not int"),
    ("DType | None", 5, "must be a dtype"),
]


@pytest.mark.parametrize(("annotation", "given", "value"), RIGHT)
def test_a_value_becomes_what_the_annotation_says(annotation: str, given: Any, value: Any) -> None:
    assert kind_of(annotation).check("f", "x", given) == value


@pytest.mark.parametrize(("annotation", "given", "words"), WRONG)
def test_a_value_of_another_type_is_refused_in_pytorchs_words(annotation: str, given: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        kind_of(annotation).check("f", "x", given)


def test_an_annotation_that_nobody_knows_is_an_error_at_import() -> None:
    with pytest.raises(TypeError, match="does not say"):
        kind_of("complex | None")


def test_what_was_seen_does_not_let_a_wrong_argument_through() -> None:
    x = nb.ones(2, 3)
    assert x.sum(dim=1).tolist() == [3.0, 3.0]
    with pytest.raises(TypeError, match=r"sum\(\): argument 'dim'"):
        x.sum(dim=1.0)


def test_an_array_among_the_operands_breaks_nothing_after_it() -> None:
    x = nb.ones(3)
    assert nb.add(x, np.ones(3, np.float32)).tolist() == [2.0, 2.0, 2.0]
    assert nb.add(np.ones(3, np.float32), x).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(TypeError, match="argument 'input' must be Tensor"):
        nb.exp(np.ones(3))
    assert (x + 1).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda x, i: x[i], "index 5 is out of bounds for dimension 0 with size 3"),
        (lambda x, i: x[:, -i], "index -5 is out of bounds for dimension 1 with size 4"),
        (lambda x, i: x[0, i.item()], "index 5 is out of bounds for dimension 1 with size 4"),
        (lambda x, i: x[None, :, 0, i.item()], "too many indices for tensor of dimension 2"),
        (lambda x, i: x[None, 0, -i.item()], "index -5 is out of bounds for dimension 1 with size 4"),
        (lambda x, i: x.gather(1, i.view(1, 1)), r"gather\(\): index 5 is out of bounds for dimension 1 with size 4"),
        (lambda x, i: x.take(i * 4), r"take\(\): .* index 20 on a tensor of 12 elements"),
        (lambda x, i: nb.nn.functional.cross_entropy(x[:1], i), r"cross_entropy\(\): Target 5 is out of bounds for 4"),
    ],
    ids=["x[i]", "x[:, i]", "x[0, i]", "x[None, :, 0, i]", "x[None, 0, i]", "gather", "take", "cross_entropy"],
)
def test_an_index_out_of_range_says_which_and_where(read: Any, message: str) -> None:
    with pytest.raises(IndexError, match=rf"(?s)^{message}.*in .*test_arguments.py") as caught:
        read(nb.ones(3, 4), nb.tensor([5])).tolist()
    assert isinstance(caught.value, RuntimeError)  # what PyTorch's gather raises


def test_a_shape_that_cannot_be_is_said_as_it_was_written() -> None:
    with pytest.raises(nb.errors.ShapeError, match=r"view: shape '\[4, -1\]' is invalid for input of size 6"):
        nb.ones(6).view(4, -1)


@pytest.mark.parametrize(
    ("spread", "message"),
    [
        (lambda x: x.var(True, False), r"var\(\): 'unbiased' is given twice: True, in the place of 'dim', and False"),
        (lambda x: x.std(0, False, correction=2), r"std\(\) got both 'unbiased' and 'correction'"),
        (lambda x: x.std(True, correction=0), r"std\(\) got both 'unbiased' and 'correction'"),
    ],
)
def test_what_a_sum_of_squares_is_divided_by_is_given_once(spread: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        spread(nb.ones(2, 3))
