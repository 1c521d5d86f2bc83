"""Memory that NumPy or PyTorch see too: who writes is seen by all, whoever goes first, and gradients stay right."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.shared_memory import export_buffer

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64")


def torch() -> Any:
    return pytest.importorskip("torch", reason="PyTorch is the other side")


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


TO_OTHERS: dict[str, Callable[[nb.Tensor], Any]] = {
    "numpy()": lambda x: x.numpy(),
    "np.asarray": np.asarray,
    "NumPy's from_dlpack": np.from_dlpack,
    "PyTorch's from_dlpack": lambda x: torch().from_dlpack(x),
}
FROM_OTHERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], nb.Tensor]]] = {
    "from_numpy": (lambda a: a, nb.from_numpy),
    "NumPy by DLPack": (lambda a: a, nb.from_dlpack),
    "PyTorch by DLPack": (lambda a: torch().from_numpy(a), nb.from_dlpack),
}
to_others = pytest.mark.parametrize("road", list(TO_OTHERS))
from_others = pytest.mark.parametrize("road", list(FROM_OTHERS))


@to_others
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_exported_with_its_values(road: str, dtype: str) -> None:
    if road == "NumPy's from_dlpack" and dtype == "bool":
        pytest.importorskip("numpy", minversion="1.25", reason="older NumPy has no bool in DLPack")
    values = np.arange(6).reshape(2, 3).astype(dtype)
    other = TO_OTHERS[road](nb.tensor(values))
    assert str(other.dtype).endswith(dtype)
    assert np.array_equal(np.asarray(other), values)


@from_others
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_imported_with_its_values(road: str, dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    make, load = FROM_OTHERS[road]
    x = load(make(values))
    assert (x.dtype, x.shape) == (getattr(nb, dtype), (2, 3))
    assert np.array_equal(x.clone().numpy(), values)


@to_others
def test_writes_on_either_side_of_an_export_are_seen_on_the_other(road: str) -> None:
    x = nb.tensor([1.0, 2.0, 3.0])
    other = TO_OTHERS[road](x)
    x.mul_(10)
    assert np.asarray(other).tolist() == [10.0, 20.0, 30.0]
    other[1] = -1.0
    assert x.tolist() == [10.0, -1.0, 30.0]
    assert (x + 1).tolist() == [11.0, 0.0, 31.0]
    x[2] = 7.0
    assert np.asarray(other).tolist() == [10.0, -1.0, 7.0]


@from_others
def test_writes_on_either_side_of_an_import_are_seen_on_the_other(road: str) -> None:
    make, load = FROM_OTHERS[road]
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    other = make(values)
    x = load(other)
    x[0] = 9.0
    assert np.asarray(other).tolist() == [[9.0, 9.0], [3.0, 4.0]]
    other[1, 0] = 5.0
    assert x.tolist() == [[9.0, 9.0], [5.0, 4.0]]
    x.add_(1)
    assert values.tolist() == [[10.0, 10.0], [6.0, 5.0]]


@to_others
def test_an_export_copies_nothing(road: str) -> None:
    x = nb.ones(1000)
    first = x.numpy()
    other = TO_OTHERS[road](x)
    assert address(np.asarray(other)) == address(first) == x.data_ptr()


def test_a_small_result_whose_memory_its_program_uses_again_is_exported_as_it_is() -> None:
    x = nb.arange(4.0)
    arrays = []
    for k in range(12):
        y = x * float(k)
        y.tolist()  # it is in memory
        before = y._buffer.address
        arrays.append(y.numpy())
        assert address(arrays[-1]) == before
    assert [array.tolist() for array in arrays] == [[0.0, k, 2.0 * k, 3.0 * k] for k in range(12)]


def test_a_small_result_that_a_derivative_needs_is_copied() -> None:
    x = nb.arange(4.0, requires_grad=True)
    for _ in range(6):
        y = x.exp()
        y.sum().item()
        saved = y._buffer.address
        array = y.detach().numpy()
        assert address(array) != saved
        array[:] = 0.0
        (gradient,) = nb.autograd.grad(y.sum(), x)
        assert gradient.tolist() == pytest.approx(np.exp(np.arange(4.0)), rel=1e-6)


@to_others
def test_an_export_after_the_last_one_is_gone_copies_nothing(road: str) -> None:
    x = nb.ones(1000)
    places = {address(np.asarray(TO_OTHERS[road](x))) for _ in range(3)}
    assert places == {x.data_ptr()}


@to_others
def test_views_are_exported_with_their_strides(road: str) -> None:
    x = nb.arange(12).reshape(3, 4)
    for view in (x.t(), x[1:, ::2], x[:, 1]):
        other = TO_OTHERS[road](view)
        assert np.asarray(other).tolist() == view.tolist()
        other[0] = -5
        assert view[0].tolist() == np.asarray(other)[0].tolist()
    assert x[0, 0].item() == -5
    assert x[:, 2].tolist()[1] == -5


@from_others
def test_arrays_with_gaps_are_imported_where_they_lie(road: str) -> None:
    values = np.arange(24.0).reshape(4, 6)
    make, load = FROM_OTHERS[road]
    for window in (values[1:3, ::2], values.T, values[:, 3]):
        x = load(make(window))
        assert x.tolist() == window.tolist()
        x.zero_()
        assert not window.any()
        window += 1.0
        assert x.sum().item() == window.size


def test_arrays_that_run_backwards_are_imported_where_they_lie() -> None:
    values = np.arange(4.0)
    x = nb.from_numpy(values[::-1])
    assert (x * 2).tolist() == [6.0, 4.0, 2.0, 0.0]
    x[0] = -1.0
    assert values[3] == -1.0


@pytest.mark.parametrize("load", [nb.from_numpy, nb.from_dlpack])
def test_read_only_memory_is_refused(load: Callable[[Any], nb.Tensor]) -> None:
    values = np.arange(3.0)
    values.flags.writeable = False
    with pytest.raises((RuntimeError, BufferError), match=r"read-?only|readonly"):
        load(values)


def test_what_requires_grad_is_exported_detached_only() -> None:
    w = nb.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        w.numpy()
    with pytest.raises(BufferError, match="detach"):
        w.__dlpack__()
    seen = w.detach().numpy()
    with nb.no_grad():
        w += 1
    assert seen.tolist() == [2.0, 2.0]


@to_others
def test_an_export_outlives_its_tensor(road: str) -> None:
    other = TO_OTHERS[road](nb.full((1000,), 3.0) * 2)
    gc.collect()
    for _ in range(50):
        nb.ones(1000).numpy()[:] = -1  # would land in the memory, had it been given back
    assert (np.asarray(other) == 6.0).all()


@from_others
def test_an_import_outlives_its_exporter(road: str) -> None:
    make, load = FROM_OTHERS[road]
    x = load(make(np.full(1000, 3.0)))
    gc.collect()
    filler = [np.full(1000, -1.0) for _ in range(50)]
    assert (x * 2).sum().item() == 6000.0
    assert len(filler) == 50


def test_an_imported_array_is_let_go_of_with_its_tensor() -> None:
    class Watched(np.ndarray[Any, Any]):
        pass

    values = np.ones(3).view(Watched)
    gone = weakref.ref(values)
    x = nb.from_numpy(values)
    y = x + 1
    del values
    assert gone() is not None
    del x
    assert y.tolist() == [2.0, 2.0, 2.0]
    gc.collect()
    assert gone() is None


def test_a_tensor_whose_array_was_dropped_goes_on_alone() -> None:
    x = nb.tensor([1.0, 2.0])
    array = x.numpy()
    array[0] = 5.0
    del array
    x.add_(1)
    assert x.tolist() == [6.0, 3.0]
    again = x.numpy()
    x.add_(1)
    assert again.tolist() == [7.0, 4.0]


@from_others
def test_gradients_use_the_values_of_the_moment_of_recording(road: str) -> None:
    values = np.array([1.0, 2.0, 3.0])
    make, load = FROM_OTHERS[road]
    data = load(make(values))
    w = nb.tensor([1.0, 1.0, 1.0], dtype=nb.float64, requires_grad=True)
    loss = (w * data).sum()
    values[:] = 100.0
    loss.backward()
    assert w.grad is not None
    assert w.grad.tolist() == [1.0, 2.0, 3.0]
    assert loss.item() == 6.0


def test_a_batch_that_is_filled_anew_gives_each_step_its_own_numbers() -> None:
    batch = np.empty((4, 3))
    x = nb.from_numpy(batch)
    w = nb.ones(3, dtype=nb.float64, requires_grad=True)
    for k in range(5):
        batch[:] = k
        (x @ w).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [4.0 * (0 + 1 + 2 + 3 + 4)] * 3


def test_parameters_trained_in_place_are_seen_through_their_array() -> None:
    model = nb.nn.Linear(3, 2)
    seen = model.weight.detach().numpy()
    before = seen.copy()
    optimizer = nb.optim.SGD(model.parameters(), lr=0.5)
    model(nb.ones(4, 3)).sum().backward()
    optimizer.step()
    assert np.array_equal(seen, before - 0.5 * 4)
    seen[:] = 0.0
    with nb.no_grad():
        assert model(nb.ones(1, 3)).tolist()[0] == model.bias.tolist()


def test_two_imports_of_one_array_are_one_memory() -> None:
    values = np.zeros(3)
    a, b = nb.from_numpy(values), nb.from_numpy(values)
    a += 1
    assert b.tolist() == [1.0, 1.0, 1.0]
    b *= 5
    assert a.tolist() == [5.0, 5.0, 5.0]


def test_empty_and_0d_values_are_exchanged() -> None:
    number = nb.tensor(2.5)
    array = number.numpy()
    assert array.shape == ()
    array[...] = 4.0
    assert number.item() == 4.0
    assert nb.from_numpy(np.zeros((0, 3))).numpy().shape == (0, 3)
    assert np.from_dlpack(nb.zeros(0, 3)).shape == (0, 3)
    assert nb.from_dlpack(np.array(1.5)).item() == 1.5


def test_a_round_trip_is_the_same_memory() -> None:
    x = nb.arange(5.0)
    y = nb.from_dlpack(torch().from_dlpack(x))
    y[0] = 9.0
    assert x[0].item() == 9.0
    x[1] = 8.0
    assert y[1].item() == 8.0
    assert y.data_ptr() == x.data_ptr()


def test_a_value_is_stored_where_the_last_who_saw_it_is_just_gone() -> None:
    old, new = (Buffer.from_numpy(np.full(4, x, np.float32)) for x in (1.0, 2.0))
    buffer, array, export = export_buffer(old, (4,), np.dtype(np.float32), 2)
    del array
    assert not export.alive()
    export.store(new)
    assert export.shown().tolist() == [2.0] * 4
    assert buffer.array((4,), np.float32).tolist() == [2.0] * 4


def rows_of(x: nb.Tensor) -> list[nb.Tensor]:
    """Views of a (6, 4) tensor by one number: whole rows of it, and what is not."""
    return [x[2:5], x[3], x[6:6], x[0:6:2], x[:, 1:3], x[:, 2], x[1][1:3], x[1:4][1:]]


@pytest.mark.parametrize("order", ["C", "F", "reversed"])
def test_views_of_exported_memory_show_what_is_there_when_they_are_read(order: str) -> None:
    array = np.arange(24, dtype=np.float32).reshape(6, 4)
    array = array[::-1] if order == "reversed" else np.asarray(array, order=order)  # type: ignore[call-overload]
    x = nb.from_numpy(array)
    shown = rows_of(x)
    for k in range(3):
        array += 100
        read = [view * 1 for view in shown]
        wanted = [view.copy() for view in (array[2:5], array[3], array[6:6], array[::2], array[:, 1:3], array[:, 2])]
        wanted += [array[1][1:3].copy(), array[1:4][1:].copy()]
        array -= 50  # after they were read
        for view, want in zip(read, wanted, strict=True):
            assert np.array_equal(view.numpy(), want), k


def test_rows_of_exported_memory_are_rows_when_nobody_else_sees_it_any_more() -> None:
    x = nb.arange(12.0).reshape(4, 3).clone()
    array = x.numpy()
    rows = x[1:3]
    array[1] = 7
    first = rows * 1
    del array
    x.mul_(2)
    assert first.tolist() == [[7.0] * 3, [6.0, 7.0, 8.0]]
    assert (rows * 1).tolist() == [[14.0] * 3, [12.0, 14.0, 16.0]]


def test_rows_of_exported_memory_that_becomes_differentiable_pass_gradients_on() -> None:
    x = nb.from_numpy(np.ones((4, 3), np.float32))
    rows = x[1:3]
    (rows * 1).sum().item()
    w = nb.ones(4, 3, requires_grad=True)
    x.copy_(w * 2)
    (rows * rows).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [[0.0] * 3, [8.0] * 3, [8.0] * 3, [0.0] * 3]


def test_a_view_of_a_view_of_exported_memory_shows_what_is_there_when_it_is_read() -> None:
    w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    part = (w * 1)[:]
    array = part.detach().numpy()
    inner = part[1:]
    array[1] = 7.0
    (inner * inner).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [0.0, 14.0, 6.0]


def test_a_view_of_exported_memory_keeps_its_place_in_the_graph() -> None:
    w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    array = w.detach().numpy()
    part = w[1:]
    part.retain_grad()
    first = (part * part).sum()
    array[1] = 7.0
    second = (part * part).sum()
    assert nb.autograd.grad(first, part, retain_graph=True)[0].tolist() == [4.0, 6.0]
    part.grad = None
    (first + second).backward()
    assert part.grad is not None
    assert part.grad.tolist() == [18.0, 12.0]
    assert part.tolist() == [7.0, 3.0]


@pytest.mark.parametrize("exported", ["first", "later"])
def test_writes_through_a_leaf_that_is_a_view_go_to_exported_memory(exported: str) -> None:
    x = nb.tensor([1.0, 2.0, 3.0])
    array = x.numpy() if exported == "first" else None
    alias = x.detach()
    leaf = alias[1:].requires_grad_()
    array = x.numpy() if array is None else array
    with nb.no_grad():
        leaf.neg_()
        leaf[1] = 9.0
    leaf.data[0] += 5.0
    assert [t.tolist() for t in (x, alias, leaf, array)] == [
        [1.0, 3.0, 9.0],
        [1.0, 3.0, 9.0],
        [3.0, 9.0],
        [1.0, 3.0, 9.0],
    ]
    del array
    x.mul_(2.0)
    assert leaf.tolist() == [6.0, 18.0]
