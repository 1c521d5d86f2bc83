"""Tensors from nothing: constants, ramps and random numbers."""

import math
from array import array
from collections import UserList, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import nbgrad as nb
from nbgrad.ops.random import philox
from tests.beside_torch import same_mistake
from tests.on_devices import cuda

DTYPES = [nb.float32, nb.float64, nb.int64, nb.int32, nb.uint8, nb.bool_]


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3)])
def test_constants_fill_every_shape_and_dtype(shape: tuple[int, ...], dtype: nb.dtype) -> None:
    for made, value in [
        (nb.zeros(shape, dtype=dtype), 0),
        (nb.ones(*shape, dtype=dtype) if shape else nb.ones((), dtype=dtype), 1),
        (nb.full(shape, 1, dtype=dtype), 1),
        (nb.zeros_like(nb.ones(shape, dtype=dtype)), 0),
        (nb.ones_like(nb.zeros(shape, dtype=dtype)), 1),
        (nb.full_like(nb.zeros(shape, dtype=dtype), 1), 1),
    ]:
        assert made.dtype is dtype
        np.testing.assert_array_equal(made.numpy(), np.full(shape, value, dtype.numpy))


@pytest.mark.parametrize(("value", "dtype"), [(True, nb.bool_), (7, nb.int64), (0.5, nb.float32)])
def test_full_takes_the_dtype_of_its_value(value: Any, dtype: nb.dtype) -> None:
    made = nb.full((2,), value)
    assert made.dtype is dtype
    assert made.tolist() == [value, value]


@pytest.mark.parametrize(("n", "m"), [(3, None), (2, 4), (4, 2), (0, None), (0, 3), (1, 1)])
def test_eye_has_ones_on_its_diagonal(n: int, m: int | None) -> None:
    np.testing.assert_array_equal(nb.eye(n, m).numpy(), np.eye(n, m, dtype=np.float32))


@pytest.mark.parametrize(
    "args",
    [(5,), (0,), (2, 7), (7, 2, -1), (7, 2, -2), (0, 1, 0.1), (1.0, 2.0, 0.25), (-3, 3), (2.5,), (0, -1, -0.3), (3, 3)],
    ids=str,
)
def test_arange_is_start_plus_multiples_of_step(args: tuple[float, ...]) -> None:
    floating = any(isinstance(a, float) for a in args)
    got = nb.arange(*args)
    assert got.dtype is (nb.float32 if floating else nb.int64)
    np.testing.assert_array_equal(got.numpy(), np.arange(*args).astype(got.dtype.numpy))


def test_arange_refuses_what_never_ends() -> None:
    for args in [(0, 5, 0), (0, 5, -1), (5, 0)]:
        with pytest.raises(RuntimeError):
            nb.arange(*args)


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 10, 101])
@pytest.mark.parametrize(("start", "end"), [(0.0, 1.0), (-2.0, 3.0), (1.0, 1.0), (5.0, -5.0), (0.1, 0.7)])
def test_linspace_ends_exactly_where_it_is_told_to(start: float, end: float, steps: int) -> None:
    got = nb.linspace(start, end, steps, dtype=nb.float64).numpy()
    np.testing.assert_allclose(got, np.linspace(start, end, steps), rtol=1e-14, atol=1e-14)
    if steps:
        assert got[0] == start
    if steps > 1:
        assert got[-1] == end
    assert nb.linspace(start, end, steps).dtype is nb.float32


REFUSED: dict[str, Callable[[Any], Any]] = {
    "full of an int": lambda lib: lib.full(2, 1),
    "full of a named int": lambda lib: lib.full(size=2, fill_value=1),
    "full of a tensor": lambda lib: lib.full(lib.tensor(2), 1),
    "new_full of an int": lambda lib: lib.ones(1).new_full(2, 1),
    "arange of bools": lambda lib: lib.arange(0, 2, dtype=lib.bool),
    "arange into bools": lambda lib: lib.arange(0, 2, out=lib.empty(0, dtype=lib.bool)),
    "range of bools": lambda lib: lib.range(0, 1, dtype=lib.bool),
    "linspace of bools": lambda lib: lib.linspace(0, 1, 3, dtype=lib.bool),
    "linspace into bools": lambda lib: lib.linspace(0, 1, 3, out=lib.empty(0, dtype=lib.bool)),
    "logspace of bools": lambda lib: lib.logspace(0, 1, 3, dtype=lib.bool),
    **{
        f"copy_ of {shape} to {smaller}": lambda lib, shape=shape, smaller=smaller: lib.zeros(smaller).copy_(
            lib.ones(shape)
        )
        for smaller, shape in (((3,), (1, 3)), ((), (1,)), ((2, 3), (1, 2, 3)), ((3,), (2, 3)), ((0,), (1, 0)))
    },
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_what_pytorch_refuses_is_refused(name: str) -> None:
    same_mistake(REFUSED[name])


# Random123's published answers: (counter, key, output), 32-bit words, lowest first.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(
    counter: tuple[int, ...], key: tuple[int, ...], output: tuple[int, ...]
) -> None:
    def joined(low: int, high: int) -> np.ndarray:
        return np.array(low | high << 32, np.uint64).view(np.int64)

    for word in (0, 1):
        got = philox.reference(joined(*counter[:2]), joined(*key), joined(*counter[2:]), word)
        assert got == joined(*output[2 * word : 2 * word + 2])


def test_equal_seeds_give_equal_numbers_and_the_stream_goes_on() -> None:
    nb.manual_seed(3)
    first, second = nb.rand(100), nb.rand(100)
    assert not np.array_equal(first.numpy(), second.numpy())
    nb.manual_seed(3)
    np.testing.assert_array_equal(nb.rand(100).numpy(), first.numpy())
    np.testing.assert_array_equal(nb.rand(100).numpy(), second.numpy())
    nb.manual_seed(4)
    assert not np.array_equal(nb.rand(100).numpy(), first.numpy())


def test_the_numbers_of_a_seed_never_change() -> None:
    nb.manual_seed(0)
    words = philox.reference(np.arange(4), np.int64(0), np.int64(nb.get_rng_state().tolist()[1]), 0)
    want = (words.view(np.uint64) >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
    np.testing.assert_array_equal(nb.rand(4).numpy(), want)


def test_a_generator_has_a_stream_of_its_own() -> None:
    nb.manual_seed(1)
    expected = nb.rand(5).numpy()
    nb.manual_seed(1)
    own = nb.Generator().manual_seed(9)
    nb.rand(5, generator=own)
    np.testing.assert_array_equal(nb.rand(5).numpy(), expected)


def test_a_generator_keeps_its_device_and_draws_the_same_numbers_for_all() -> None:
    own, other = nb.Generator("cpu").manual_seed(9), nb.Generator(device="cuda").manual_seed(9)
    assert (nb.Generator().device, other.device) == (nb.device("cpu"), nb.device("cuda"))
    with cuda():
        found = nb.randn(5, generator=other, device="cuda").tolist()
    assert nb.randn(5, generator=own).tolist() == found


@pytest.mark.parametrize(("has", "wants"), [("cuda", "cpu"), ("cpu", "cuda")])
def test_a_generator_of_another_device_is_refused_and_gives_no_number(has: str, wants: str) -> None:
    own = nb.Generator(has).manual_seed(9)
    with cuda():
        x = nb.ones(3, device=wants)
        for draw in (
            lambda: nb.rand(3, generator=own, device=wants),
            lambda: nb.randn(3, generator=own, device=wants),
            lambda: nb.randint(9, (3,), generator=own, device=wants),
            lambda: nb.randperm(3, generator=own, device=wants),
            lambda: nb.normal(0.0, 1.0, (3,), generator=own, device=wants),
            lambda: nb.normal(x, generator=own),
            lambda: nb.bernoulli(x, generator=own),
            lambda: nb.multinomial(x, 1, generator=own),
            lambda: x.uniform_(generator=own),
        ):
            with pytest.raises(RuntimeError, match=f"Expected a '{wants}' device type for generator but found '{has}'"):
                draw()
    assert own.position == 0


def test_the_state_of_the_stream_can_be_kept_and_restored() -> None:
    nb.manual_seed(5)
    nb.rand(3)
    state = nb.get_rng_state()
    first = nb.randn(10).numpy()
    nb.set_rng_state(state)
    np.testing.assert_array_equal(nb.randn(10).numpy(), first)


def test_numbers_do_not_depend_on_the_shape_they_are_asked_in() -> None:
    nb.manual_seed(2)
    flat = nb.rand(12).numpy()
    nb.manual_seed(2)
    np.testing.assert_array_equal(nb.rand(3, 4).numpy().ravel(), flat)


@pytest.mark.parametrize("dtype", [nb.float32, nb.float64], ids=repr)
def test_rand_is_uniform_on_0_1(dtype: nb.dtype) -> None:
    nb.manual_seed(11)
    x = nb.rand(100_000, dtype=dtype).numpy()
    assert x.dtype == dtype.numpy
    assert x.min() >= 0.0
    assert x.max() < 1.0
    assert stats.kstest(x, "uniform").pvalue > 1e-3  # the seed is fixed: this cannot flicker
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.02


@pytest.mark.parametrize("dtype", [nb.float32, nb.float64], ids=repr)
def test_randn_is_normal_with_mean_0_and_deviation_1(dtype: nb.dtype) -> None:
    nb.manual_seed(12)
    x = nb.randn(100_000, dtype=dtype).numpy()
    assert x.dtype == dtype.numpy
    assert np.isfinite(x).all()
    assert stats.kstest(x, "norm").pvalue > 1e-3


@pytest.mark.parametrize(("low", "high"), [(0, 6), (-3, 4), (5, 6), (0, 2**40)])
def test_randint_covers_its_range_evenly(low: int, high: int) -> None:
    nb.manual_seed(13)
    x = nb.randint(low, high, (30_000,))
    assert x.dtype is nb.int64
    values = x.numpy()
    assert values.min() >= low
    assert values.max() < high
    if 1 < high - low < 10:
        counts = np.bincount(values - low, minlength=high - low)
        assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("dtype", [nb.bool, nb.complex64])
def test_randperm_counts_in_no_such_dtype(dtype: nb.dtype) -> None:
    with pytest.raises(NotImplementedError, match=f"randperm: not implemented for {dtype.name}"):
        nb.randperm(2, dtype=dtype)


def test_randperm_is_a_permutation() -> None:
    nb.manual_seed(14)
    x = nb.randperm(1000).numpy()
    np.testing.assert_array_equal(np.sort(x), np.arange(1000))
    assert not np.array_equal(x, np.arange(1000))
    assert nb.randperm(0).shape == (0,)


def test_made_tensors_can_require_grad_and_are_leaves() -> None:
    for made in (nb.zeros(2, requires_grad=True), nb.randn(2, requires_grad=True), nb.eye(2, requires_grad=True)):
        assert made.is_leaf
        assert made.requires_grad
        (made * 2.0).sum().backward()
        assert made.grad is not None
        assert math.isclose(made.grad.sum().item(), 2.0 * made.numel())


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: nb.zeros(-1), RuntimeError),
        (lambda: nb.zeros(2, nonsense=1), TypeError),
        (lambda: nb.zeros("a"), TypeError),
        (lambda: nb.rand(2, dtype=nb.int64), RuntimeError),
        (lambda: nb.randint(3, 3, (2,)), RuntimeError),
        (lambda: nb.linspace(0, 1, -1), RuntimeError),
        (lambda: nb.zeros(2, device="cuda:63"), RuntimeError),
        (lambda: nb.full((2, -3), 1.0), RuntimeError),
    ],
)
def test_mistakes_raise_what_pytorch_raises(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: nb.from_numpy(np.arange(3, dtype=">f4")), ValueError, "byte order of another machine"),
        (lambda: nb.tensor(np.ones(2, "m8[s]")), TypeError, "array of dtype timedelta64"),
        (lambda: nb.tensor([1, None]), TypeError, "tensor of a NoneType"),
        (lambda: nb.tensor([[1, 2], [3]]), ValueError, "differ in length"),
        (lambda: nb.tensor([1, -200], dtype=nb.int8), RuntimeError, "without overflow"),
        (lambda: nb.tensor(2**63), RuntimeError, "without overflow"),
        (lambda: nb.arange(0, 300, dtype=nb.int8), RuntimeError, "without overflow"),
        (lambda: nb.tensor(10**400, dtype=nb.float64), OverflowError, "too large"),
        (lambda: nb.arange(0, 3, float("nan")), RuntimeError, "step must be nonzero"),
        (lambda: nb.arange("a"), TypeError, "argument 'end' must be Number"),
        (lambda: nb.full((2,), nb.ones(2)), TypeError, "argument 'fill_value' must be Number"),
        (lambda: nb.from_dlpack(5), RuntimeError, "from_dlpack"),
        (lambda: nb.randint(5, 2, (3,)), RuntimeError, "low=5 >= high=2"),
        (lambda: nb.manual_seed("a"), ValueError, "integer of 64 bits"),
        (lambda: nb.set_rng_state(nb.ones(2)), TypeError, "what get_rng_state gave"),
        (lambda: nb.Generator().set_state(nb.ones(2)), TypeError, "what get_state gave"),
        (lambda: nb.device("cpu:x"), RuntimeError, "Invalid device string"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_makes_no_tensor_is_said_with_the_line(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=rf"(?s){words}.*test_creation.py, line"):
        make()


def test_numbers_of_any_size_become_floats_and_foreign_bytes_are_turned_in_a_copy() -> None:
    assert nb.tensor([2**70], dtype=nb.float64).item() == 2.0**70
    assert nb.tensor(np.arange(3, dtype=">f4")).tolist() == [0.0, 1.0, 2.0]


def test_numpy_functions_of_tensors_give_tensors() -> None:
    assert isinstance(np.sin(nb.zeros(2)), nb.Tensor)
    assert (np.ones(2, np.float32) * nb.ones(2, device="cpu")).dtype is nb.float32


def test_a_stream_goes_on_where_its_state_was_taken() -> None:
    stream = nb.Generator().manual_seed(3)
    nb.rand(2, generator=stream)
    state = stream.get_state()
    drawn = nb.randn(4, generator=stream).tolist()
    other = nb.Generator()
    other.set_state(state)
    assert nb.randn(4, generator=other).tolist() == drawn
    assert (other.seed, other.position) == (3, 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda d: nb.zeros(2, dtype=d),
        lambda d: nb.ones(2).to(d),
        lambda d: nb.tensor([1], dtype=d),
        lambda d: nb.as_tensor([1], dtype=d),
        lambda d: nb.full((2,), 1, dtype=d),
        lambda d: nb.eye(2, dtype=d),
        lambda d: nb.zeros_like(nb.ones(2), dtype=d),
        lambda d: nb.ones(2).new_zeros(2, dtype=d),
        lambda d: nb.ones(2).sum(dtype=d),
        lambda d: nb.ones(2).prod(dtype=d),
        lambda d: nb.empty(2, dtype=d),
    ],
)
def test_python_types_are_the_dtypes_of_pytorch(make: Any) -> None:
    """``float`` is float64, whatever the default dtype is."""
    assert [make(d).dtype for d in (float, int, bool)] == [nb.float64, nb.int64, nb.bool]
    assert [nb.arange(3, dtype=d).dtype for d in (float, int)] == [nb.float64, nb.int64]
    assert nb.finfo(float).bits == nb.iinfo(int).bits == 64
    assert nb.promote_types(float, nb.float32) is nb.float64


def test_sums_and_products_of_bools_are_bools() -> None:
    x = nb.tensor([[0.0, 2.0], [0.0, 0.0]])
    assert x.sum(1, dtype=bool).tolist() == [True, False]
    assert x.prod(0, dtype=bool).tolist() == [False, False]
    assert [nb.ones(0).sum(dtype=bool).item(), nb.ones(0).prod(dtype=bool).item()] == [False, True]
    for name in ("cumsum", "cumprod"):
        with pytest.raises(NotImplementedError, match="not implemented for bool"):
            getattr(x, name)(0, dtype=bool)


def test_tensors_of_one_element_are_numbers_in_lists() -> None:
    one, two = nb.ones(1), nb.tensor([[2]], dtype=nb.int64)
    assert nb.tensor([one, one]).shape == nb.as_tensor([one, 3]).shape == nb.tensor((two, one)).shape == (2,)
    assert nb.tensor([[one, 2], [3, two]]).tolist() == [[1.0, 2.0], [3.0, 2.0]]
    assert nb.tensor([one.double(), 1]).dtype is nb.float64
    assert nb.tensor([[1, 2], nb.ones(2)]).tolist() == [[1.0, 2.0], [1.0, 1.0]]
    assert nb.tensor([nb.tensor(1), nb.tensor(2)]).tolist() == [1, 2]
    for wrong in ([nb.ones(2), nb.ones(2)], [one, nb.ones(2)], [nb.ones(0)]):
        with pytest.raises(ValueError, match="only one element tensors"):
            nb.tensor(wrong)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *[(name, (2,)) for name in ("zeros", "ones", "empty", "rand", "randn", "eye", "arange", "randperm")],
        *[(name, (nb.ones(2),)) for name in ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like")],
        *[("tensor", ([1.0],)), ("scalar_tensor", (1.0,)), ("full", ((2,), 1.0)), ("full_like", (nb.ones(2), 1.0))],
        *[("linspace", (0, 1, 2)), ("logspace", (0, 1, 2)), ("randint", (3, (2,))), ("randint_like", (nb.ones(2), 3))],
        ("normal", (0.0, 1.0, (2,))),
        *[
            ("new_zeros", (2,)),
            ("new_ones", (2,)),
            ("new_empty", (2,)),
            ("new_full", ((2,), 1.0)),
            ("new_tensor", ([1],)),
        ],
    ],
)
def test_the_only_layout_is_strided(name, given):
    make = getattr(nb.ones(1), name) if name.startswith("new_") else getattr(nb, name)
    made = make(*given, layout=nb.strided)
    assert made.layout is nb.strided and isinstance(nb.strided, nb.layout)
    with pytest.raises(TypeError, match="layout"):
        make(*given, layout="sparse")


@pytest.mark.parametrize(("dtype", "most"), [("uint8", 256), ("int8", 128), ("int16", 2**15)])
def test_randperm_refuses_numbers_that_its_dtype_has_not(dtype: str, most: int) -> None:
    assert sorted(nb.randperm(most, dtype=getattr(nb, dtype)).tolist()) == list(range(most))
    with pytest.raises(RuntimeError, match=rf"n = {most + 1} cannot be converted to type {dtype} without overflow"):
        nb.randperm(most + 1, dtype=getattr(nb, dtype))
    with pytest.raises(NotImplementedError, match="randperm"):
        nb.randperm(2, dtype=nb.bool)
    with pytest.raises(RuntimeError, match="float32 without overflow"):
        nb.randperm(2**24 + 2, dtype=nb.float32)


def test_memory_formats_that_change_nothing_are_taken() -> None:
    x = nb.ones(2, 3).t()
    for form in (nb.contiguous_format, nb.preserve_format, None):
        assert x.clone(memory_format=form).tolist() == x.contiguous(memory_format=form).tolist() == x.tolist()
        assert x.to(nb.float64, memory_format=form).dtype is x.double(memory_format=form).dtype is nb.float64
        assert nb.zeros_like(x, memory_format=form).shape == nb.rand_like(x, memory_format=form).shape == x.shape
    assert isinstance(nb.preserve_format, nb.memory_format)
    with pytest.raises(TypeError, match="argument 'memory_format' must be memory_format or None, not str"):
        x.clone(memory_format="channels_last")


@pytest.mark.parametrize(
    "data", [deque([1.0, 2.0]), UserList([1.0, 2.0]), array("d", [1.0, 2.0]), deque([nb.tensor(1.0), 2.0])], ids=repr
)
def test_a_tensor_of_any_sequence(data: Any) -> None:
    assert nb.tensor(data).tolist() == [1.0, 2.0] and nb.tensor([data, data]).shape == (2, 2)


def test_the_end_of_a_range_has_a_name() -> None:
    assert nb.arange(end=3).tolist() == nb.arange(start=0, end=3).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("first", "last"), [(0, 1j), (1 + 2j, 3), (0.5 - 1j, -0.5 + 2j)])
@pytest.mark.parametrize("dtype", [nb.complex64, nb.complex128])
def test_lines_between_complex_numbers_are_numpys(first: complex, last: complex, dtype: nb.dtype) -> None:
    for steps in (0, 1, 2, 7):
        for name in ("linspace", "logspace"):
            found = getattr(nb, name)(first, last, steps, dtype=dtype)
            assert found.dtype is dtype
            np.testing.assert_allclose(found.numpy(), getattr(np, name)(first, last, steps), rtol=2e-6, atol=1e-6)
    assert nb.linspace(first, last, 3).dtype is nb.logspace(first, last, 3).dtype is nb.complex64
    with pytest.raises(RuntimeError, match="can't be safely cast"):
        nb.linspace(first, last, 3, dtype=nb.float32)


@pytest.mark.parametrize(
    "make",
    [lambda v: nb.full((3,), v), lambda v: nb.full_like(nb.zeros(3), v), lambda v: nb.zeros(1).new_full((3,), v)],
    ids=["full", "full_like", "new_full"],
)
def test_elements_filled_with_a_tensor_have_memory_of_their_own(make: Any) -> None:
    value = nb.tensor(1.5)
    x = make(value)
    assert not x._is_view() and x.stride() == (1,)
    x[0] = 3.0
    value.fill_(7.0)
    assert x.tolist() == [3.0, 1.5, 1.5] and value.item() == 7.0
    with pytest.raises(TypeError, match="must be Number, not a Tensor that requires grad"):  # as in PyTorch
        make(nb.tensor(2.0, requires_grad=True))
