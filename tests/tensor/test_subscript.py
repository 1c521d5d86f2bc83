"""Index expressions against NumPy's, in values, derivatives, views and errors; PyTorch's where the two differ."""

import itertools
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

X = np.arange(60, dtype=np.float64).reshape(3, 4, 5) - 17.5
ROWS, COLS = np.array([2, 0, 2]), np.array([1, -1, 3])

BASIC: list[Any] = [
    0,
    -1,
    slice(None),
    slice(1, 3),
    slice(-2, None),
    slice(None, None, 2),
    slice(5, 1),
    slice(-100, 100),
    ...,
    None,
    (0, 1, 2),
    (..., -1),
    (0, ..., slice(1, 4, 2)),
    (slice(None), None, 2),
    (None, ..., None),
    (slice(None), slice(1, 3), slice(None, None, 3)),
    (),
]
ADVANCED: list[Any] = [
    ROWS,
    COLS - 1,
    [0, 2],
    (slice(None), COLS),
    (ROWS, COLS),
    (slice(None), ROWS, COLS),
    (ROWS, slice(None), COLS),
    (..., COLS),
    (ROWS[:, None], COLS),
    (None, ROWS),
    (slice(1, 3), ROWS),
    np.array([], dtype=np.int64),
    np.array(1),
    np.array([[0, 1], [2, 0]], dtype=np.int32),
]
MASKS: list[Any] = [
    X > 0,
    X[:, 0, 0] > 0,
    (slice(None), X[0, :, 0] > -10),
    X[:, :, 0] > 0,
    (X[:, 0, 0] > 0, 1),
    X > 1e9,
]
EVERY = BASIC + ADVANCED + MASKS


def ours(index: Any) -> Any:
    """The index with nbgrad's tensors in place of arrays."""
    if isinstance(index, np.ndarray):
        return nb.tensor(index)
    return tuple(map(ours, index)) if isinstance(index, tuple) else index


def name(index: Any) -> str:
    return str(index).replace("\n", " ")[:50]


@pytest.mark.parametrize("index", EVERY, ids=name)
def test_reading_gives_numpys_elements(index: Any) -> None:
    got = nb.tensor(X)[ours(index)]
    np.testing.assert_array_equal(got.numpy(), X[index])
    assert got.shape == X[index].shape


@pytest.mark.parametrize("index", EVERY, ids=name)
def test_arrays_and_lists_index_as_tensors_do(index: Any) -> None:
    np.testing.assert_array_equal(nb.tensor(X)[index].numpy(), X[index])


@pytest.mark.parametrize("index", EVERY, ids=name)
def test_the_derivative_of_reading_counts_how_often_an_element_was_read(index: Any) -> None:
    x = nb.tensor(X, requires_grad=True)
    (x[ours(index)] * 2.0).sum().backward()
    counts = np.zeros_like(X)
    np.add.at(counts, index, 2.0)
    np.testing.assert_array_equal(x.grad.numpy(), counts)


@pytest.mark.parametrize("index", EVERY, ids=name)
def test_writing_a_number_changes_numpys_elements(index: Any) -> None:
    x, want = nb.tensor(X), X.copy()
    x[ours(index)] = 7
    want[index] = 7
    np.testing.assert_array_equal(x.numpy(), want)


@pytest.mark.parametrize("index", EVERY, ids=name)
def test_writing_a_tensor_changes_numpys_elements(index: Any) -> None:
    x, want = nb.tensor(X), X.copy()
    value = np.arange(X[index].size, dtype=np.float64).reshape(X[index].shape)
    x[ours(index)] = nb.tensor(value)
    want[index] = value  # where a place repeats, the last one stays, in NumPy too
    np.testing.assert_array_equal(x.numpy(), want)


def test_what_is_written_broadcasts_and_takes_the_dtype_of_the_tensor() -> None:
    x, want = nb.tensor(X.astype(np.float32)), X.astype(np.float32)
    x[:, 1:3] = nb.tensor(np.arange(5))
    x[nb.tensor([0, 2]), 0] = nb.tensor(np.arange(5.0))
    want[:, 1:3] = np.arange(5)
    want[[0, 2], 0] = np.arange(5)
    assert x.dtype is nb.float32
    np.testing.assert_array_equal(x.numpy(), want)


def test_derivatives_flow_through_what_was_written_and_stop_where_it_was_overwritten() -> None:
    a, b = nb.tensor(X, requires_grad=True), nb.tensor([1.0, 2.0], dtype=nb.float64, requires_grad=True)
    y = a * 3.0
    y[0, 0, :2] = b * 5.0
    y[nb.tensor([1, 2]), 0, 0] = b
    y.sum().backward()
    want = np.full_like(X, 3.0)
    want[0, 0, :2] = want[1, 0, 0] = want[2, 0, 0] = 0.0
    np.testing.assert_array_equal(a.grad.numpy(), want)
    np.testing.assert_array_equal(b.grad.numpy(), [6.0, 6.0])


@pytest.mark.parametrize("index", BASIC, ids=name)
def test_basic_indices_are_views_and_writes_through_them_show(index: Any) -> None:
    x, want = nb.tensor(X), X.copy()
    x[index].mul_(10)
    want[index] *= 10
    np.testing.assert_array_equal(x.numpy(), want)


def test_index_tensors_copy() -> None:
    x = nb.tensor(X)
    x[nb.tensor([0, 1])].zero_()
    np.testing.assert_array_equal(x.numpy(), X)


def test_a_number_beside_index_tensors_is_taken_out_first_as_in_pytorch() -> None:
    got = nb.tensor(X)[0, :, nb.tensor([1, 2, 1])]
    np.testing.assert_array_equal(got.numpy(), X[0][:, [1, 2, 1]])  # NumPy would move the indexed dim to the front


@pytest.mark.parametrize(
    ("index", "error"),
    [
        (3, IndexError),
        (-4, IndexError),
        ((0, 4), IndexError),
        ((0, 0, 0, 0), IndexError),
        ((..., ...), IndexError),
        (1.5, IndexError),
        (np.array([0.5]), IndexError),
        (np.array([3]), IndexError),
        (np.array([-4]), IndexError),
        ((np.array([0, 1]), np.array([0, 1, 2])), IndexError),
        (np.array([True, False]), IndexError),
        ("a", IndexError),
        (slice(None, None, -1), ValueError),
        (slice(None, None, 0), ValueError),
        (slice("a", None), TypeError),
    ],
    ids=str,
)
def test_wrong_indices_raise_what_pytorch_raises(index: Any, error: type[Exception]) -> None:
    x = nb.tensor(X)
    with pytest.raises(error):
        x[ours(index)].numpy()

    def write() -> None:
        x[ours(index)] = 1.0
        x.numpy()

    with pytest.raises(error):
        write()


def test_items_are_not_deleted() -> None:
    x = nb.zeros(3)
    with pytest.raises(TypeError, match="Tensor does not support deleting items"):
        del x[0]


def test_writing_a_shape_that_does_not_broadcast_raises() -> None:
    x = nb.tensor(X)
    with pytest.raises(RuntimeError):
        x[0] = nb.ones(3)
    with pytest.raises(RuntimeError):
        x[nb.tensor([0, 1])] = nb.ones(3)


def test_a_failed_write_is_told_at_every_look_and_harms_no_other_tensor() -> None:
    x, y = nb.tensor([1.0, 2.0, 3.0]), nb.tensor([1.0, 2.0])
    x[nb.tensor([0, 5])] = 9.0
    z = y + 1.0
    for _ in range(2):
        with pytest.raises(IndexError, match=r"test_subscript.py:\d+"):
            x.numpy()
    assert z.tolist() == [2.0, 3.0]


def test_0d_and_empty_tensors_are_indexed() -> None:
    x = nb.tensor(5.0)
    assert x[...].item() == x[()].item() == 5.0
    assert x[None].shape == (1,)
    assert nb.zeros(0, 3)[:, 1].shape == (0,)
    assert nb.zeros(0, 3)[nb.zeros(0, dtype=nb.int64)].shape == (0, 3)
    with pytest.raises(IndexError):
        x[0]


def test_values_lose_leading_dims_of_size_1_where_numbers_name_a_part() -> None:
    x = nb.zeros(2, 2)
    x[nb.tensor(1)] = nb.ones(1, 1, 2)
    x[nb.tensor(0), nb.tensor(1)] = nb.tensor([3.0])
    x[True] += 1.0
    assert x.tolist() == [[1.0, 4.0], [2.0, 2.0]]
    with pytest.raises(RuntimeError):
        x[nb.tensor(1)] = nb.ones(2, 2)


def test_a_run_time_start_is_no_new_structure() -> None:
    x = nb.tensor(X)
    for i in range(3):
        np.testing.assert_array_equal(x[i : i + 1].numpy(), X[i : i + 1])
        np.testing.assert_array_equal(x[i].numpy(), X[i])


def _by_literals(y: Any) -> Any:
    y[0] = y[1] * 5.0
    c = y[-1]
    c.mul_(y[0])
    a, b, d = y
    first, *_ = y.unbind()
    return nb.stack([a * b, d - first, c])


def _by_numbers(y: Any) -> Any:
    i, j, last = 0, 1, -1
    y[i] = y[j] * 5.0
    c = y[last]
    c.mul_(y[i])
    return nb.stack([y[i] * y[j], y[last] - y[i], c])


def test_components_that_the_text_says_are_views_like_any_other() -> None:
    w = nb.tensor([1.5, -2.0, 3.0], dtype=nb.float64, requires_grad=True)
    found = []
    for of in (_by_literals, _by_numbers):
        for _ in range(3):
            y = w * 2.0
            z = of(y)
            (first,) = nb.autograd.grad((z * z).sum(), [w], create_graph=True)
            (second,) = nb.autograd.grad((first * first).sum(), [w])
            found.append([x.tolist() for x in (y, z, first, second)])
    assert found == [found[0]] * 6
    assert nb.autograd.gradcheck(lambda w: _by_literals(w * 2.0), (w,))


def test_components_of_memory_that_others_see_are_that_memory() -> None:
    array = np.array([1.0, 2.0])
    x = nb.from_numpy(array)
    x[0] = 5.0
    array[1] = 7.0
    a, b = x
    assert (array.tolist(), a.item(), b.item(), x[1].item()) == ([5.0, 7.0], 5.0, 7.0, 7.0)


def test_a_literal_index_out_of_range_is_an_error_like_any_other() -> None:
    x = nb.ones(3)
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        x[3]
    with pytest.raises(IndexError, match="index -4 is out of bounds"):
        x[-4] = 1.0


@pytest.mark.parametrize("size", [0, 1, 3])
def test_slices_begin_and_end_where_numpys_do(size: int) -> None:
    array = np.arange(size)
    x = nb.tensor(array)
    places = [None, *range(-size - 2, size + 3)]
    for start, stop in itertools.product(places, places):
        assert x[start:stop].tolist() == array[start:stop].tolist()


def test_a_range_is_a_list_of_positions():
    x = nb.arange(9.0).reshape(3, 3)
    assert x[range(2)].tolist() == x[:2].tolist() and x[range(3), range(3)].tolist() == [0.0, 4.0, 8.0]
    x[range(3), range(3)] = -1.0
    assert x.diagonal().tolist() == [-1.0] * 3


def test_leading_dims_of_size_1_of_a_value_count_for_nothing_under_a_whole_mask():
    x = nb.zeros(2, 2)
    x[nb.tensor([[True, False], [False, True]])] = nb.ones(1, 1, 1, 1, 1)
    assert x.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_leading_dims_of_size_1_of_a_value_count_for_nothing():
    x = nb.zeros(2, 3)
    x[True] = nb.ones(1, 1, 2, 3)
    assert x.tolist() == [[1.0] * 3] * 2
    x[[0, 1], [1, 2]] = nb.tensor([[5.0, 6.0]])
    assert x.tolist() == [[1.0, 5.0, 1.0], [1.0, 1.0, 6.0]]
    with pytest.raises(RuntimeError, match="shape"):
        x[[0, 1], [1, 2]] = nb.ones(2, 2)


def test_a_mask_of_bytes_warns_at_its_line():
    x, mask = nb.arange(3.0), nb.tensor([1, 0, 1], dtype=nb.uint8)
    for use in (lambda: x[mask], lambda: x.__setitem__(mask, 2.0)):
        with pytest.warns(UserWarning, match="bool") as warned:
            use()
        assert len(warned) == 1 and warned[0].filename == __file__


@pytest.mark.filterwarnings("ignore:indexing with uint8")
def test_bytes_are_masks():
    def mask(values):
        return nb.tensor(values, dtype=nb.uint8)

    x = nb.arange(6.0).reshape(2, 3)
    assert x[mask([[1, 0, 2], [0, 0, 9]])].tolist() == [0.0, 2.0, 5.0]
    assert x[:, mask([1, 0, 1])].tolist() == [[0.0, 2.0], [3.0, 5.0]]
    assert x[mask([1, 1]), nb.tensor([0, 2])].tolist() == [0.0, 5.0]
    assert x[np.array([0, 1], np.uint8)].tolist() == [[3.0, 4.0, 5.0]]
    assert x[mask(1)].shape == (1, 2, 3) and x[mask(0)].shape == (0, 2, 3)
    with pytest.raises(IndexError, match="mask"):
        x[mask([1, 0, 1])]
    y = nb.arange(3.0)
    y[mask([1, 0, 1])] = nb.tensor([7.0, 8.0])
    assert y.tolist() == [7.0, 1.0, 8.0]
    y.index_put_((mask([0, 1, 1]),), nb.tensor([5.0, 6.0]))
    assert y.tolist() == [7.0, 5.0, 6.0]
    w = nb.arange(3.0).requires_grad_()
    w[mask([1, 0, 1])].sum().backward()
    assert w.grad.tolist() == [1.0, 0.0, 1.0]
    assert nb.where(mask([2, 0]), nb.ones(2), 0.0).tolist() == [1.0, 0.0]
    assert nb.ones(2).where(mask([2, 0]), nb.zeros(2)).tolist() == [1.0, 0.0]
    with pytest.raises(RuntimeError, match=r"bool"):
        nb.where(nb.tensor([1, 0]), nb.ones(2), nb.zeros(2))


@pytest.mark.parametrize("index", [0, slice(0, 1), [0, 1], (slice(None), [0, 2])], ids=str)
def test_a_value_that_does_not_fit_is_told_as_an_assignment(index: Any) -> None:
    x = nb.zeros(2, 3)
    with pytest.raises(
        RuntimeError, match=r"assignment: shape mismatch: value tensor of shape \[5\] cannot be broadcast"
    ):
        x[index] = nb.ones(5)
    assert x.sum().item() == 0.0


@pytest.mark.parametrize(
    "index",
    [[slice(None), [2, 1]], [..., 1], [None, 1], [[1, 2], [0, 1]], [[0, 1], 2], [(0, 1), 2], [[1, 2]], [ROWS, COLS]],
    ids=name,
)
def test_a_list_of_more_than_numbers_is_a_tuple_and_that_is_an_old_way_to_write_it(index: Any) -> None:
    x = nb.tensor(X)
    with pytest.warns(UserWarning, match=r"deprecated: x\[tuple\(seq\)\]"):
        got = x[index]
    np.testing.assert_array_equal(got.numpy(), X[tuple(index)])
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        x[index] = 7
    want = X.copy()
    want[tuple(index)] = 7
    np.testing.assert_array_equal(x.numpy(), want)


def test_a_list_of_numbers_is_one_index() -> None:
    for index in ([2, 0], [True, False, True], [], [[0, 1]] * 32):
        np.testing.assert_array_equal(nb.tensor(X)[index].numpy(), X[np.asarray(index, bool if True in index else int)])


@pytest.mark.parametrize(
    "index",
    [
        (nb.tensor(-1), ..., True),
        (nb.tensor(0), slice(None), nb.tensor([0, 2])),
        (nb.tensor([0, 0]), slice(None), nb.tensor(1)),
        (True, nb.tensor(0)),
    ],
)
def test_a_number_in_a_tensor_takes_its_dim_out_of_writes_too(index: Any) -> None:
    x = nb.zeros(1, 3, 3)
    shape = x[index].shape
    x[index] = nb.arange(1.0, 1.0 + shape.numel()).reshape(shape)
    assert x[index].tolist()[-1] == nb.arange(1.0, 1.0 + shape.numel()).reshape(shape).tolist()[-1]


def test_an_imaginary_part_is_not_lost_in_a_write() -> None:
    for value in (1j, np.complex64(1 + 2j), np.array([1j, 2j]), [1j, 2j]):
        with pytest.raises(RuntimeError, match="without overflow"):
            nb.zeros(2)[:] = value
