"""Names that older programs use: classes of tensors, settings, methods; memory that is there. Beside PyTorch with
NBGRAD_ORACLE=torch."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import nbgrad as nb


def test_classes_by_dtype_make_tensors_and_ask_for_them() -> None:
    assert nb.FloatTensor([1, 2]).dtype is nb.float32 and nb.LongTensor([1, 2]).dtype is nb.int64
    assert nb.DoubleTensor(2, 3).shape == (2, 3) and nb.BoolTensor([1, 0]).tolist() == [True, False]
    assert nb.IntTensor().shape == (0,)
    assert isinstance(nb.ones(1), nb.FloatTensor) and not isinstance(nb.ones(1), nb.DoubleTensor)
    assert not isinstance([1.0], nb.FloatTensor)
    for wrong in (lambda: nb.FloatTensor(nb.ones(2).double()), lambda: nb.FloatTensor("a")):
        with pytest.raises(TypeError):
            wrong()
    assert nb.newaxis is None and nb.typename(nb.ones(1)).endswith(".FloatTensor") and nb.typename([]) == "list"


def test_a_default_by_an_older_name() -> None:
    with pytest.warns(UserWarning, match="deprecated"):
        nb.set_default_tensor_type(nb.DoubleTensor)
    try:
        assert nb.tensor(1.0).dtype is nb.float64
    finally:
        nb.set_default_dtype(nb.float32)
    with pytest.raises(TypeError):
        nb.set_default_tensor_type(nb.LongTensor)


def test_arrays_are_shared_or_copied() -> None:
    array = np.zeros(2)
    shared = nb.asarray(array)
    shared[0] = 5
    assert array[0] == 5 and nb.asarray(array, copy=True) is not shared
    assert nb.asarray(shared) is shared and nb.asarray([1, 2]).tolist() == [1, 2]
    assert nb.asarray(shared, dtype=nb.float32, requires_grad=True).requires_grad and not shared.requires_grad
    for wrong in (lambda: nb.asarray(shared, dtype=nb.int32, copy=False), lambda: nb.asarray([1], copy=False)):
        with pytest.raises(ValueError, match="alias"):
            wrong()


def test_buffers() -> None:
    data = bytearray(np.arange(3, dtype=np.int32).tobytes())
    x = nb.frombuffer(data, dtype=nb.int32, count=2, offset=4)
    assert x.tolist() == [1, 2]
    data[4] = 9
    assert x.tolist() == [9, 2]
    assert nb.frombuffer(bytes(data), dtype=nb.int32).tolist() == [0, 9, 2]
    for wrong in ({"offset": 20}, {"count": 9}, {"offset": 1}, {"count": 0}):
        with pytest.raises(ValueError):  # noqa: PT011  each case has a message of its own
            nb.frombuffer(data, dtype=nb.int32, **wrong)


def test_memory_in_another_order() -> None:
    assert nb.empty_strided((2, 3), (1, 2)).stride() == (1, 2)
    assert nb.empty_permuted((2, 3, 4), (2, 0, 1)).stride() == (3, 1, 6)
    assert nb.ones(1).double().new_empty_strided((2, 3), (1, 2)).dtype is nb.float64
    assert nb.ones(2, 3).t().dim_order() == (1, 0)
    assert nb.fill(nb.zeros(2), 3).tolist() == [3.0, 3.0]
    with pytest.warns(UserWarning, match="deprecated"):
        assert nb.range(1, 2, 0.5).tolist() == [1.0, 1.5, 2.0]
    with pytest.raises(RuntimeError):
        nb.empty_permuted((2, 3), (0, 0))


def test_older_methods() -> None:
    x = nb.tensor([[1.0, 2.0]])
    assert x.apply_(lambda v: v + 1) is x and x.tolist() == [[2.0, 3.0]]
    assert x.map_(nb.tensor([10.0]), lambda a, b: a * b).tolist() == [[20.0, 30.0]]
    assert x.map2_(x, x, lambda a, b, c: a + b + c).tolist() == [[60.0, 90.0]]
    assert x.ndimension() == 2 and x.is_set_to(x) and not x.is_set_to(x.clone()) and not x.is_shared()
    with pytest.raises(RuntimeError, match="requires grad"):
        nb.ones(1, requires_grad=True).apply_(abs)
    with pytest.raises(RuntimeError):
        x.map_(nb.ones(3), lambda a, b: a)
    assert nb.is_storage(x.storage()) and not nb.is_storage(x) and nb.get_device(x) == -1


def test_settings_that_mean_little_are_taken() -> None:
    assert nb.get_num_interop_threads() >= 1
    nb.set_num_interop_threads(2)
    before = nb.get_deterministic_debug_mode()
    nb.set_deterministic_debug_mode("error")
    assert nb.get_deterministic_debug_mode() == 2
    nb.set_deterministic_debug_mode(before)
    assert not nb.is_deterministic_algorithms_warn_only_enabled()
    nb.set_warn_always(True)
    assert nb.is_warn_always_enabled()
    nb.set_warn_always(False)
    nb.set_flush_denormal(False)
    for wrong in (lambda: nb.set_deterministic_debug_mode("no"), lambda: nb.set_num_interop_threads(0)):
        with pytest.raises(RuntimeError):
            wrong()


def test_numbers_far_apart_print_without_warnings() -> None:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert (
            repr(nb.tensor([1e300, 1e-300], dtype=nb.float64))
            == "tensor([1.0000e+300, 1.0000e-300], dtype=nbgrad.float64)"
        )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"precision": 2}, "tensor([1.00e-03, 1.23e+03])"),
        ({"sci_mode": False}, "tensor([    0.0010,  1234.5000])"),
        ({"sci_mode": True, "precision": 1}, "tensor([1.0e-03, 1.2e+03])"),
        ({"profile": "short"}, "tensor([1.00e-03, 1.23e+03])"),
        ({"threshold": 1, "edgeitems": 1, "sci_mode": False}, "tensor([    0.0010,  1234.5000])"),
    ],
)
def test_how_tensors_print_can_be_set(options: dict[str, Any], text: str) -> None:
    nb.set_printoptions(**options)
    try:
        assert re.sub(r" +", " ", repr(nb.tensor([0.001, 1234.5]))) == re.sub(r" +", " ", text)
        assert ("..." in repr(nb.ones(9))) is ("threshold" in options)
    finally:
        nb.set_printoptions(profile="default")
    with pytest.raises(ValueError, match="profile"):
        nb.set_printoptions(profile="long")


def test_a_tensor_is_made_by_its_class() -> None:
    array = np.array([1, 2])
    for given in ([1, 2], (1, 2), [1.0, 2.0], array):
        made = nb.Tensor(given)
        assert (type(made), made.tolist(), made.dtype) == (nb.Tensor, [1.0, 2.0], nb.get_default_dtype())
    for sizes, shape in (
        ((), (0,)),
        ((3,), (3,)),
        ((0, 3), (0, 3)),
        ((np.int64(2), 3), (2, 3)),
        ((nb.Size([2]),), (2,)),
    ):
        assert nb.Tensor(*sizes).shape == shape
    assert nb.Tensor(np.array(3.0)).tolist() == 3.0 and nb.Tensor(np.array([], int)).shape == (0,)
    x = nb.ones(2, requires_grad=True)
    same = nb.Tensor(x)
    assert same is not x and same.data_ptr() == x.data_ptr() and same.requires_grad and not same.is_leaf
    assert nb.Tensor(nb.tensor([1, 2])).dtype is nb.int64 and nb.Tensor(2, device="cpu").device == nb.device("cpu")
    for wrong in ((2.5,), (None,), ("a",), ([1], 2), ([1], nb.int64)):
        with pytest.raises(TypeError, match="expected a sequence, an array or sizes"):
            nb.Tensor(*wrong)
    with pytest.raises(TypeError, match=r"^Tensor\(\) got an unexpected keyword argument 'dtype'"):
        nb.Tensor([1], dtype=nb.int64)
    with pytest.raises(RuntimeError, match="negative dimension"):
        nb.Tensor(-1)


def test_classes_of_the_users_own_are_made_of_the_same() -> None:
    class Plain(nb.Tensor):
        pass

    class Named(nb.Tensor):
        def __init__(self, data: Any, name: str = "") -> None:
            self.name = "of " + str(len(data))

    class New(nb.Tensor):
        def __new__(cls, data: Any, name: str) -> Any:
            return nb.Tensor._make_subclass(cls, nb.Tensor(data))

        def __init__(self, data: Any, name: str) -> None:
            self.name = name

    for made, kind in ((Plain([1, 2]), Plain), (Named([1, 2]), Named), (New([1, 2], "n"), New)):
        assert type(made) is kind and made.tolist() == [1.0, 2.0] and type(made + 1) is nb.Tensor
    assert Named([1, 2]).name == "of 2" and New([1, 2], "n").name == "n" and Plain(2, 3).shape == (2, 3)


def test_tensors_are_made_by_name() -> None:
    assert nb.Tensor(data=[1, 2]).tolist() == [1.0, 2.0]
    assert nb.Tensor(size=(2, 3)).shape == (2, 3)
    assert nb.Tensor(size=nb.Size([2])).shape == (2,)
    for wrong in ({"data": [1], "size": (1,)}, {"shape": (1,)}):
        with pytest.raises(TypeError):
            nb.Tensor(**wrong)


def test_a_tensor_may_be_shown_as_one_of_a_class_of_the_users() -> None:
    class Marked(nb.Tensor):
        pass

    x = nb.ones(2, requires_grad=True)
    marked = x.as_subclass(Marked)
    assert type(marked) is Marked and marked.requires_grad
    (marked * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    whole = nb.zeros(2)
    whole.as_subclass(Marked).add_(1)
    assert whole.tolist() == [1.0, 1.0]
    assert type(marked.as_subclass(nb.Tensor)) is nb.Tensor
    with pytest.raises(TypeError, match="must inherit from Tensor"):
        x.as_subclass(int)  # type: ignore[arg-type]


def test_the_method_split_calls_its_argument_as_pytorch_does() -> None:
    x = nb.arange(4).reshape(2, 2)
    assert [part.tolist() for part in x.split(split_size=1, dim=1)] == [[[0], [2]], [[1], [3]]]
    assert [part.tolist() for part in nb.split(x, split_size_or_sections=1)] == [[[0, 1]], [[2, 3]]]
    with pytest.raises(TypeError):
        x.split(split_size_or_sections=1)


def test_functions_write_to_out() -> None:
    out = nb.empty(2, 2)
    assert nb.nn.functional.normalize(nb.ones(2, 2), out=out) is out
    np.testing.assert_allclose(out.numpy(), np.sqrt(0.5), rtol=1e-6)
    factors, pivots = nb.empty(2, 2), nb.empty(2, dtype=nb.int32)
    nb.lu(nb.eye(2), out=(factors, pivots))
    assert factors.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert pivots.tolist() == [1, 2]


def test_classes_of_dtypes_take_data_and_sizes_by_name() -> None:
    assert nb.LongTensor(data=[1, 2]).tolist() == [1, 2] and nb.FloatTensor(size=(2, 3)).shape == (2, 3)
    with pytest.raises(TypeError, match="keyword"):
        nb.LongTensor(shape=(2,))
