"""Whatever a user gets wrong, the error is one of ours: it says what, and at which line. None surfaces from inside.

Every public function and method is called rightly once, and then with each of its arguments replaced by things that do
not belong there, with too many arguments, and with none.
"""

import traceback
from collections.abc import Callable, Iterator
from inspect import unwrap
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.calls.base import CALLS
from nbgrad.errors import NbgradError
from nbgrad.functions.later import IN_PLACE
from tests.call_samples import CALL_SAMPLES
from tests.samples import f32

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Stranger:
    """Something no function has heard of."""


WRONG: tuple[Any, ...] = (
    "a",
    None,
    Stranger(),
    [],
    {},
    float("nan"),
    -100,
    2**70,
    True,
    1j,
    ["a"],
    (1.5, 2.5),
    (-9, 9),
    len,
    np.ones(3, np.float32),
    np.array(["a"]),
    np.ones((7, 5)),
)
TENSORS = (f32(7, 5), np.ones(3, bool), np.array(1), np.ones(0))  # given as tensors


def tensors_in(value: Any) -> Any:
    """``value`` as a user of nbgrad writes it: the arrays of samples are tensors."""
    if isinstance(value, np.ndarray):
        return nb.tensor(value)
    if isinstance(value, (list, tuple)):
        return type(value)([tensors_in(v) for v in value])
    return value


def right(*args: Any, **kwargs: Any) -> Arguments:
    return tensors_in(args), {k: tensors_in(v) for k, v in kwargs.items()}


def x(*shape: int) -> Any:
    return f32(*(shape or (2, 3)))


def square() -> Any:
    return np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])


OLDER_CLASSES = [
    f"{kind}Tensor" for kind in ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
]

# Right calls of what is not declared in calls/.
FUNCTIONS: dict[str, Arguments] = {
    "tensor": right([1.0, 2.0], dtype=nb.float64, requires_grad=True),
    "as_strided": right(x(), (1,), (1,), 0),
    "as_tensor": right([1.0, 2.0], dtype=nb.float64),
    "from_numpy": ((np.ones(3),), {}),
    "from_dlpack": ((np.ones(3),), {}),
    "zeros": right((2, 3), dtype=nb.int64, device="cpu", requires_grad=False),
    "ones": right((2, 3), dtype=nb.int64),
    "empty": right((2, 3)),
    "full": right((2, 3), 1.5, dtype=nb.float64),
    "eye": right(2, 3, dtype=nb.int64),
    "arange": right(0, 5, 2, dtype=nb.int64),
    "linspace": right(0, 1, 3),
    "rand": right((2, 3), generator=nb.Generator()),
    "randn": right((2, 3)),
    "randint": right(0, 5, (2, 3)),
    "randperm": right(4),
    "scalar_tensor": right(2.0),
    "zeros_like": right(x()),
    "ones_like": right(x(), dtype=nb.int64),
    "empty_like": right(x()),
    "full_like": right(x(), 2.0),
    "rand_like": right(x()),
    "randn_like": right(x()),
    "randint_like": right(x(), 0, 5),
    "manual_seed": right(3),
    "set_rng_state": ((nb.get_rng_state(),), {}),
    "device": right("cpu"),
    "max": right(x(), 1, True),
    "min": right(x(), 1, True),
    **{name: right(x(), 1, False, True) for name in ("var", "std", "var_mean", "std_mean")},
    "aminmax": right(x(), dim=1, keepdim=True),
    "cummax": right(x(), 1),
    "cummin": right(x(), 1),
    "pow": right(x(), 2),
    "log": right(x()),
    "narrow": right(x(), 1, 0, 2),
    "logspace": right(0, 1, 3),
    "normal": right(x(), 1.0),
    "bernoulli": right(x().clip(0, 1), 0.5),
    "multinomial": right(x() + 3, 2, True),
    "quantile": right(x(), 0.5, 1, True),
    "nonzero": right(x()),
    "frexp": right(x()),
    "mode": right(x(), 1, True),
    "histogram": right(x(), 3, weight=x()),
    "histogramdd": right(x(), (2, 2, 3), weight=x(2)),
    "asarray": right([1.0, 2.0], dtype=nb.float64),
    "frombuffer": ((bytearray(8),), {"dtype": nb.int32, "count": 1, "offset": 4}),
    "empty_strided": right((2, 3), (1, 2)),
    "empty_permuted": right((2, 3), (1, 0)),
    "fill": right(x(), 2.0),
    "range": right(0, 5, 2, dtype=nb.int64),
    "get_device": right(x()),
    **{name: right([1, 2]) for name in OLDER_CLASSES},
    "set_default_tensor_type": right("nbgrad.FloatTensor"),
    "set_num_interop_threads": right(1),
    "set_deterministic_debug_mode": right(0),
    "set_warn_always": right(False),
    "set_printoptions": right(4, 1000, 3, 80, "default"),
    "set_flush_denormal": right(False),
    "argwhere": right(x()),
    "masked_select": right(x(), x() > 0),
    "bincount": right(nb.tensor([1, 3]), weights=x(2), minlength=2),
    **{name: right(square()) for name in ("det", "slogdet", "logdet", "inverse")},
    "pinverse": right(square(), 1e-9),
    "cholesky": right(square() @ square().T, True),
    "qr": right(square(), False),
    "lu": right(square(), True, False),
    "lu_solve": right(square(), square(), nb.tensor([1, 2, 3], dtype=nb.int32)),
    "lu_unpack": right(square(), nb.tensor([1, 2, 3], dtype=nb.int32), True, True),
    "svd": right(square(), True, True),
    "svd_lowrank": right(square(), 2, 1),
    "pca_lowrank": right(square(), 2, True, 1),
    "matrix_exp": right(square()),
    "geqrf": right(square()),
    "orgqr": right(square(), x(3)),
    "ormqr": right(square(), x(3), square(), True, False),
    "triangular_solve": right(square(), square(), True, False),
    "chain_matmul": right(square(), square()),
    "matrix_power": right(square(), 3),
    "cholesky_solve": right(square(), square(), True),
    "cholesky_inverse": right(square(), True),
    "finfo": right(nb.float32),
    "iinfo": right(nb.int32),
    "unique": right(x(), dim=1),
    "repeat_interleave": right(x(), 2, 1),
    "meshgrid": right(x(2), x(3)),
    "tensordot": right(x(2, 3), x(3, 2), 1),
    "einsum": right("ij,kj->ik", x(), x()),
    "sort": right(x(), 1, True, False),
    "msort": right(x()),
    "topk": right(x(), 2, 1, True, True),
    "kthvalue": right(x(), 1, 1, True),
    "median": right(x(), 1, True),
    "nanmedian": right(x(), 1, True),
    "index_put": right(x(), (nb.tensor([0, 1]), nb.tensor([1, 2])), x(2), True),
    "index_put_": right(x(), (nb.tensor([0, 1]), nb.tensor([1, 2])), x(2), True),
    "ravel": right(x()),
    "select": right(x(), 1, 0),
    "chunk": right(x(), 2, 1),
    "split": right(x(), 2, 1),
    "unbind": right(x(), 1),
    "numel": right(x()),
    "detach": right(x()),
    "is_floating_point": right(x()),
    **{name: right(x()) for name in ("is_complex", "is_conj", "is_neg", "conj", "conj_physical", "real")},
    **{name: right(x()) for name in ("angle", "resolve_conj", "resolve_neg", "sgn")},
    **{name: right(x(2, 3, 2)) for name in ("view_as_complex",)},
    **{name: right(x() + 1j * x()) for name in ("imag", "view_as_real")},
    **{name: right(x(3), x(3)) for name in ("complex", "polar", "vdot")},
    "stft": right(x(50), 16, window=np.ones(16), return_complex=True),
    "istft": right(np.ones((9, 4)) + 0j, 16, window=np.ones(16)),
    "get_autocast_dtype": right("cpu"),
    "is_autocast_enabled": right("cpu"),
    "result_type": right(x(), 2.0),
    "can_cast": right(nb.int32, nb.float32),
    "promote_types": right(nb.int32, nb.float32),
    "equal": right(x(), x()),
    "allclose": right(x(), x(), 1e-5, 1e-8, False),
    "set_grad_enabled": right(True),
    "set_num_threads": right(nb.get_num_threads()),
    "set_default_device": right("cpu"),
    "use_deterministic_algorithms": right(True, warn_only=False),
    "set_float32_matmul_precision": right("highest"),
    "nanquantile": right(x(), 0.5, 1, True),
    **{f"atleast_{n}d": right(x()) for n in (1, 2, 3)},
    "block_diag": right(x(), x(2)),
    "column_stack": right([x(), x()]),
    "dstack": right([x(), x()]),
    "diagflat": right(x(), 1),
    "broadcast_tensors": right(x(), x(3)),
    "broadcast_shapes": right((2, 1), (3,)),
    **{name: right(x()) for name in ("adjoint", "fliplr", "flipud", "corrcoef")},
    "rot90": right(x(), 1, (0, 1)),
    "tensor_split": right(x(), 2, 1),
    "hsplit": right(x(), 3),
    "vsplit": right(x(), 2),
    "dsplit": right(x(2, 2, 2), 2),
    "split_with_sizes": right(x(), [1, 2], 1),
    "unsafe_split_with_sizes": right(x(), [1, 2], 1),
    "unsafe_split": right(x(), 2, 1),
    "unsafe_chunk": right(x(), 2, 1),
    "as_strided_copy": right(x(), (1,), (1,), 0),
    "diagonal_copy": right(x(), 0, 0, 1),
    "expand_copy": right(x(), (2, 3)),
    "narrow_copy": right(x(), 1, 0, 2),
    "permute_copy": right(x(), (1, 0)),
    "select_copy": right(x(), 1, 0),
    "slice_copy": right(x(), 1, 0, 2, 1),
    "split_copy": right(x(), 2, 1),
    "split_with_sizes_copy": right(x(), [1, 2], 1),
    "squeeze_copy": right(x(), 1),
    "t_copy": right(x()),
    "transpose_copy": right(x(), 0, 1),
    "unbind_copy": right(x(), 1),
    "unfold_copy": right(x(), 1, 2, 1),
    "unsqueeze_copy": right(x(), 1),
    "view_copy": right(x(), (3, 2)),
    "select_scatter": right(x(), x(2), 1, 0),
    "slice_scatter": right(x(), x(2, 2), 1, 0, 2, 1),
    "diagonal_scatter": right(x(), x(2), 0, 0, 1),
    "as_strided_scatter": right(x(), x(2), (2,), (1,), 0),
    "unravel_index": right(nb.tensor([3]), (2, 3)),
    "nonzero_static": right(x(), size=2, fill_value=-1),
    "tril_indices": right(2, 3, 1, dtype=nb.int64),
    "triu_indices": right(2, 3, 1, dtype=nb.int64),
    "combinations": right(x(3), 2, True),
    "cartesian_prod": right(x(2), x(3)),
    "isin": right(x(), x(2), assume_unique=False, invert=True),
    "unique_consecutive": right(x(), True, True, 1),
    "cov": right(x(), correction=1, fweights=nb.tensor([1, 2, 3]), aweights=nb.ones(3)),
    "gradient": right(x(), spacing=2.0, dim=1, edge_order=1),
    "histc": right(x(), 4, 0, 1),
    "cross": right(x(), x(), 1),
    "pdist": right(x(), 2.0),
    "renorm": right(x(), 2, 0, 1.0),
    "vander": right(x(3), 2, True),
    "inner": right(x(), x()),
    "rsub": right(x(), 2.0, alpha=2),
    **{name: right(x()) for name in ("isposinf", "isneginf", "isreal", "is_signed", "positive")},
    "is_nonzero": right(x(1)),
    "is_inference": right(x()),
    "poisson": right(abs(x())),
    "is_same_size": right(x(), x()),
    **{f"{name}_window": right(4, True) for name in ("bartlett", "blackman", "hann")},
    "hamming_window": right(4, True, 0.5, 0.5),
    "kaiser_window": right(4, True, 2.0),
    **{name: right(x()) for name in ("detach_", "zero_")},
    "as_strided_": right(x(), (1,), (1,), 0),
    "fill_": right(x(), 1.0),
    "resize_as_": right(x(), x()),
    "xlogy_": right(x(), 2.0),
}
METHODS: dict[str, Arguments] = {
    "size": right(0),
    "stride": right(0),
    "requires_grad_": right(True),
    "numpy": right(force=False),
    "copy_": right(x()),
    "fill_": right(1.0),
    "to": right(nb.float64),
    "type": right(nb.float64),
    "expand_as": right(x(4, 2, 3)),
    "view_as": right(x(3, 2)),
    "reshape_as": right(x(3, 2)),
    "pow": right(2),
    "backward": right(x()),
    "__getitem__": right(0),
    "__setitem__": right(0, 1.0),
    "max": right(1),
    "narrow": right(1, 0, 2),
    "sort": right(1, True, False),
    "topk": right(2, 1, True, True),
    "kthvalue": right(1, 1, True),
    "median": right(1, True),
    "index_put_": right((nb.tensor([0, 1]), nb.tensor([1, 2])), x(2), True),
    "select": right(1, 0),
    "chunk": right(2, 1),
    "split": right(2, 1),
    "unbind": right(1),
    "new_tensor": right([1.0], dtype=nb.float64, device="cpu", requires_grad=True),
    "new_full": right((2, 1), 3, dtype=nb.float64),
    "new_zeros": right(2, 1, dtype=nb.float64),
    "new_ones": right(2, 1, device="cpu"),
    "new_empty": right(2, 1, requires_grad=True),
}
LINALG: dict[str, Arguments] = {
    **{name: right(square()) for name in ("lu", "lu_factor", "lu_factor_ex", "inv_ex", "matrix_exp", "ldl_factor")},
    **{name: right(square(), check_errors=True) for name in ("cholesky_ex", "ldl_factor_ex")},
    **{f"{name}_solve": right(square(), nb.tensor([1, 2, 3], dtype=nb.int32), square()) for name in ("lu", "ldl")},
    "householder_product": right(square(), np.ones(3)),
    "solve_ex": right(square(), square(), check_errors=False),
    **{name: right(square()) for name in ("cholesky", "det", "inv", "slogdet", "svdvals")},
    "cond": right(square(), "fro"),
    "cross": right(x(2, 3), x(2, 3), dim=1),
    "diagonal": right(square(), offset=1, dim1=0, dim2=1),
    **{name: right(square()) for name in ("eig", "eigvals")},
    "eigh": right(square(), "U"),
    "eigvalsh": right(square(), "U"),
    "lstsq": right(x(4, 2), x(4, 1), rcond=1e-9),
    "matmul": right(x(), x(3, 2)),
    "matrix_norm": right(square(), "fro", (0, 1), True),
    "matrix_power": right(square(), 3),
    "matrix_rank": right(square(), atol=1e-9, rtol=1e-9, hermitian=True),
    "multi_dot": right([x(2, 3), x(3, 4), x(4, 2)]),
    "norm": right(x(), 2, 1, True, dtype=nb.float64),
    "pinv": right(square(), atol=1e-9, rtol=1e-9, hermitian=True),
    "qr": right(square(), "complete"),
    "solve": right(square(), square(), left=True),
    "solve_triangular": right(square(), square(), upper=True, left=True, unitriangular=False),
    "svd": right(square(), full_matrices=True),
    "tensorinv": right(x(2, 3, 6), 2),
    "tensorsolve": right(x(2, 3, 6), x(2, 3), dims=None),
    "vander": right(x(3), N=4),
    "vecdot": right(x(2, 3), x(2, 3), dim=1),
    "vector_norm": right(x(), 2, 1, True, dtype=nb.float64),
}
AUTOGRAD: dict[str, Arguments] = {
    "backward": right([x()], [x()], retain_graph=True, inputs=[x()]),
    "grad": right([x()], [x()], grad_outputs=[x()], is_grads_batched=True),
}


def mutations(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Arguments]:
    """The right call with one argument replaced, with many more, with an unknown one, and with none."""
    wrong = (*WRONG, *[nb.tensor(t) for t in TENSORS])
    for i in range(len(args)):
        for value in wrong:
            yield (*args[:i], value, *args[i + 1 :]), kwargs
    for name in kwargs:
        for value in wrong:
            yield args, {**kwargs, name: value}
    yield (*args, 1, 2, 3, 4, 5, 6, 7, 8, 9), kwargs
    yield args, {**kwargs, "unknown": 1}
    yield (), {}


def problem_of(run: Callable[[], Any]) -> str:
    """What is wrong with the error that ``run`` raises; "" where nothing is."""
    try:
        run()
    except NbgradError as error:
        return "" if "test_mistakes.py, line" in str(error) else f"no line: {error}"
    except (TypeError, BufferError) as error:  # Python's own, where the call does not fit the signature
        last = traceback.extract_tb(error.__traceback__)[-1].filename
        return "" if last in (__file__, "<nbgrad fast>") else f"{type(error).__name__} from inside: {error}"
    except Exception as error:
        return f"{type(error).__name__} from inside: {error}"
    return ""


def check_all(function: Callable[..., Any], base: Arguments, fresh: Callable[[], tuple[Any, ...]] = tuple) -> None:
    """Each mistake gives a value or an error that the user can read; none harms what comes after it."""
    for args, kwargs in mutations(*base):
        problem = problem_of(lambda: function(*fresh(), *args, **kwargs))  # noqa: B023  (called at once)
        assert not problem, f"{args} {kwargs}: {problem}"
    assert (nb.ones(2) + 1).tolist() == [2.0, 2.0], "a mistake broke what came after it"


def sample_of(name: str) -> Arguments:
    """The right call of a sample with most arguments; an alias has those of the function it stands for."""
    known = next((n for n in CALL_SAMPLES if unwrap(CALLS[n].build) is unwrap(CALLS[name].build)), None)
    assert known is not None, f"{name} has no samples: tests/call_samples.py"
    samples = [s for s in CALL_SAMPLES[known] if s.error is None]
    longest = max(samples, key=lambda s: len(s.args) + len(s.kwargs))
    return right(*longest.args, **longest.kwargs)


DECLARED = [n for n in CALLS if CALLS[n].function and n not in FUNCTIONS]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DECLARED)
def test_a_declared_function_explains_every_mistake(name: str) -> None:
    check_all(getattr(nb, name), sample_of(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n in DECLARED if CALLS[n].inplace])
def test_an_in_place_method_explains_every_mistake(name: str) -> None:
    (first, *others), kwargs = sample_of(name)
    if isinstance(first, nb.Tensor):
        check_all(getattr(nb.Tensor, name + "_"), (tuple(others), kwargs), lambda: (first.clone(),))


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_function_explains_every_mistake(name: str) -> None:
    check_all(getattr(nb, name), FUNCTIONS[name])


@pytest.mark.parametrize("name", list(METHODS))
def test_a_method_explains_every_mistake(name: str) -> None:
    check_all(getattr(nb.Tensor, name), METHODS[name], lambda: (nb.tensor(x()),))


@pytest.mark.parametrize("name", [name for name in nb.linalg.__all__ if name != "LinAlgError"])
def test_a_function_of_linalg_explains_every_mistake(name: str) -> None:
    function = getattr(nb.linalg, name)
    args, kwargs = LINALG[name]
    function(*args, **kwargs)
    check_all(function, LINALG[name])


@pytest.mark.parametrize("name", list(AUTOGRAD))
def test_a_function_of_autograd_explains_every_mistake(name: str) -> None:
    check_all(getattr(nb.autograd, name), AUTOGRAD[name])


def test_every_public_function_is_tried() -> None:
    without_arguments = {"seed", "initial_seed", "get_rng_state", "get_default_dtype", "get_default_device"}
    without_arguments |= {"get_num_threads", "get_float32_matmul_precision", "are_deterministic_algorithms_enabled"}
    modes = {"no_grad", "enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled"}
    without_arguments |= {"get_deterministic_debug_mode", "get_num_interop_threads", "is_warn_always_enabled"}
    without_arguments |= {"is_deterministic_algorithms_warn_only_enabled"}
    modes |= {"is_anomaly_enabled", "is_anomaly_check_nan_enabled"}
    takes_anything = {
        "is_tensor",
        "is_storage",
        "typename",
        "draw",
        "explain",
        "compile",
        "vmap",
        "save",
        "load",
        "set_default_dtype",
    }
    classes = {"GradScaler", "autocast", "Generator", "Size", "Tensor", "dtype", "layout", "memory_format"}
    public = {name for name in nb.__all__ if callable(getattr(nb, name))}
    assert public - without_arguments - modes - takes_anything - classes - IN_PLACE == {*DECLARED, *FUNCTIONS}
    assert {name[:-1] for name in IN_PLACE} <= {*DECLARED, *FUNCTIONS}, "which take the same arguments"
