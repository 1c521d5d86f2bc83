"""Every public function on float16 and bfloat16 beside PyTorch: the same dtype, values next to its own, its gradients.

What PyTorch computes in one kernel is rounded once, and most results are its bits. Where it adds up in halves, or goes
through them between kernels of one function, it is further from the truth than one step; ``COARSE`` says where.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.graph.dtypes import DType
from tests.call_samples import CALL_SAMPLES
from tests.calls.test_public import function
from tests.each import each
from tests.samples import CallSample, weights_like
from tests.torch_answers import _function, constants

torch = pytest.importorskip("torch", reason="PyTorch is the other side")
HALVES = ("float16", "bfloat16")
SAMPLES = 4  # of each function and dtype

# Where PyTorch rounds between its kernels, or adds in halves: the steps of the dtype by which it may be off.
COARSE = {
    **dict.fromkeys(("logit", "trapezoid", "cumulative_trapezoid", "nll_loss", "cross_entropy", "kl_div", "addr"), 8),
    **dict.fromkeys(("batch_norm", "fold", "conv_transpose2d", "resample", "poisson_nll_loss"), 40),
    **dict.fromkeys(("adaptive_avg_pool3d", "tanhshrink", "cosine_embedding_loss"), 64),
}
# Where its gradients are sums of rounded parts that nearly cancel, or its powers and signs of NaN are others.
OTHER_GRADIENTS = {
    *("mul", "rms_norm", "layer_norm", "batch_norm", "group_norm", "cosine_similarity", "cosine_embedding_loss"),
    *("triplet_margin_loss", "xlog1py", "logsumexp"),
}
OTHER_VALUES = {"pow_static", "copysign", "cosine_similarity"}  # of infinity, of NaN, by an eps that is 0 in float16
EXACT = {"add", "sub", "mul", "neg", "abs", "sqrt", "relu", "maximum", "minimum", "where", "clamp", "floor", "round"}


def given(lib: Any, value: Any, name: str, tensors: list[Any], fixed: tuple[int, ...]) -> Any:
    """An argument of a sample, float32 as halves."""
    if isinstance(value, np.ndarray):
        x = lib.tensor(value) if lib is nb else torch.from_numpy(value.copy())
        x = x.to(getattr(lib, name)) if value.dtype == np.float32 else x
        tensors.append(x.requires_grad_() if value.dtype.kind == "f" and len(tensors) not in fixed else x)
        return tensors[-1]
    if isinstance(value, DType):
        return getattr(lib, value.name)
    if isinstance(value, (list, tuple)):
        return type(value)([given(lib, x, name, tensors, fixed) for x in value])
    return value


def run(lib: Any, sample: CallSample, name: str) -> tuple[Any, list[Any]]:
    """The result in a library, and the tensors that were given."""
    tensors: list[Any] = []
    args = [given(lib, a, name, tensors, constants(sample)) for a in sample.args]
    kwargs = {k: given(lib, a, name, tensors, constants(sample)) for k, a in sample.kwargs.items()}
    call = function(sample.name) if lib is nb else _function(torch, sample.name)
    return call(*args, **kwargs), tensors


def steps_between(a: Any, b: Any) -> Any:
    """How many numbers of the dtype lie between elements; none between NaNs."""
    places = []
    for x, view in ((a, nb.int16), (b, torch.int16)):
        bits = x.detach().reshape(-1).contiguous().view(view).numpy().astype(np.int64)
        places.append(np.where(bits < 0, -(bits & 0x7FFF), bits))
    both_nan = [np.isnan(x.detach().reshape(-1).float().numpy()) for x in (a, b)]
    return np.where(both_nan[0] & both_nan[1], 0, np.abs(places[0] - places[1]))


def cases() -> list[Any]:
    found = []
    for name, samples in CALL_SAMPLES.items():
        if name == "nextafter":
            continue  # refused: it steps from one float32 to the next
        halves = [s for s in samples if s.error is None and any(_is_single(a) for a in _flat(s))]
        found += [pytest.param(s, half, id=f"{name}-{k}") for k, s in enumerate(halves[:SAMPLES]) for half in HALVES]
    return found


def _flat(sample: CallSample) -> list[Any]:
    parts = [*sample.args, *sample.kwargs.values()]
    return [x for part in parts for x in (part if isinstance(part, (list, tuple)) else [part])]


def _is_single(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == np.float32


@each(cases())
def test_a_function_of_halves_is_pytorchs(sample: CallSample, half: str) -> None:
    name = sample.name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            want, theirs = run(torch, sample, half)
        except (NotImplementedError, RuntimeError):
            return  # PyTorch has no kernel for it
        got, ours = run(nb, sample, half)
    assert got.dtype.name == str(want.dtype).removeprefix("torch.")
    assert tuple(got.shape) == tuple(want.shape)
    if got.dtype.name in HALVES and name not in OTHER_VALUES:
        assert steps_between(got, want).max(initial=0) <= (0 if name in EXACT else COARSE.get(name, 1))
    elif got.dtype.name not in HALVES:
        np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=1e-5)
    if not (sample.grad and want.requires_grad) or name in OTHER_GRADIENTS:
        return
    weights = weights_like(nb.ones(tuple(want.shape))._spec)
    try:
        wrt = [t for t in theirs if t.requires_grad]
        wanted = torch.autograd.grad(want, wrt, torch.from_numpy(weights).to(want.dtype), allow_unused=True)
    except RuntimeError:
        return
    wrt = [t for t in ours if t.requires_grad]
    found = nb.autograd.grad(got, wrt, nb.tensor(weights, dtype=got.dtype), allow_unused=True)
    near = 2e-3 if half == "float16" else 1.6e-2
    for x, y in zip(found, wanted, strict=True):
        if x is not None and y is not None:
            assert x.dtype.name == str(y.dtype).removeprefix("torch.")
            a, b = x.float().numpy(), y.float().numpy()
            scale = float(np.abs(b[np.isfinite(b)]).max(initial=0))
            np.testing.assert_allclose(a, b, rtol=near, atol=near * min(scale, 1e3) + 1e-5)


def chain(x: nb.Tensor, y: nb.Tensor) -> nb.Tensor:
    """Operators that each round, two that round once, and a reduction."""
    z = (x * 1.003 + y).tanh() / (y.abs() + 0.3) - nb.softmax(x, 0) * nb.nn.functional.gelu(y)
    return z.sum(0) + (x.exp() * y).mean(0)


@pytest.mark.parametrize("half", [nb.float16, nb.bfloat16], ids=str)
def test_fused_unfused_and_interpreted_are_the_same_bits(half: nb.dtype) -> None:
    """The baseline tier comes first, then plans: unfused, fused; the interpreter has its own elementary functions."""
    given = [nb.tensor(np.linspace(a, b, 600).reshape(20, 30), dtype=half) for a, b in ((-3, 2), (4, -1))]

    def once() -> list[Any]:
        x, y = [t.clone().requires_grad_() for t in given]
        value = chain(x, y)
        value.backward(nb.ones(30, dtype=half))
        return [t.view(nb.int16).tolist() for t in (value.detach(), x.grad, y.grad)]

    with nb.config.override(compile="never"):
        first = [once() for _ in range(3)]
    with nb.config.override(compile="eager"):
        fused = [once() for _ in range(2)]
    assert all(found == first[0] for found in first + fused)
    compiled = nb.compile(chain)
    for _ in range(3):
        assert compiled(*given).view(nb.int16).tolist() == first[0][0]


@pytest.mark.parametrize("half", HALVES)
def test_what_is_exact_in_pytorch_is_the_same_bits(half: str) -> None:
    """+ - * / sqrt of random bits, comparisons, casts, by numbers too."""
    rng = np.random.default_rng(5)
    bits = [rng.integers(-(1 << 15), 1 << 15, 4000).astype(np.int16) for _ in range(2)]
    both = [nb.from_numpy(b.copy()).view(getattr(nb, half)) for b in bits]
    theirs = [torch.from_numpy(b.copy()).view(getattr(torch, half)) for b in bits]
    programs: list[Any] = [
        *(lambda lib, a, b: a + b, lambda lib, a, b: a - b, lambda lib, a, b: a * b, lambda lib, a, b: a / b),
        *(lambda lib, a, b: lib.sqrt(a), lambda lib, a, b: -a, lambda lib, a, b: a.abs(), lambda lib, a, b: a.relu()),
        *(
            lambda lib, a, b: a + 1.003,
            lambda lib, a, b: a * 1.003,
            lambda lib, a, b: a / 1.003,
            lambda lib, a, b: 3.003 - a,
        ),
        *(lambda lib, a, b: a < b, lambda lib, a, b: a == b, lambda lib, a, b: a >= 0.1, lambda lib, a, b: a.isnan()),
        *(lambda lib, a, b: a.float(), lambda lib, a, b: a.double(), lambda lib, a, b: a.bool()),
        *(lambda lib, a, b: a.to(lib.float16), lambda lib, a, b: a.to(lib.bfloat16)),
        lambda lib, a, b: lib.where(a < b, a, b),
    ]
    for k, program in enumerate(programs):
        got, want = program(nb, *both), program(torch, *theirs)
        assert got.dtype.name == str(want.dtype).removeprefix("torch."), k
        if got.dtype.is_half:
            assert steps_between(got, want).max() == 0, k
        else:
            np.testing.assert_array_equal(got.numpy(), want.numpy(), err_msg=str(k))


@pytest.mark.parametrize("half", HALVES)
def test_integers_and_doubles_become_halves_by_way_of_float32(half: str) -> None:
    numbers = [0.1, 1 + 2**-11 + 2**-40, 2**40 + 1, -65519.999999, 3.0e38, 1e-8]
    for dtype, values in (("float64", numbers), ("int64", [2**40 + 1, 2049, 257, -7]), ("bool", [True, False])):
        got = nb.tensor(values, dtype=getattr(nb, dtype)).to(getattr(nb, half))
        want = torch.tensor(values, dtype=getattr(torch, dtype)).to(getattr(torch, half))
        assert steps_between(got, want).max() == 0
        made = nb.tensor(values, dtype=getattr(nb, half)), torch.tensor(values, dtype=getattr(torch, half))
        assert steps_between(*made).max() == 0


@pytest.mark.parametrize("half", HALVES)
def test_a_half_goes_to_files_pickles_other_libraries_and_back(half: str, tmp_path: Any) -> None:
    x = nb.tensor([[1.5, -0.1], [float("inf"), 3e-5]], dtype=getattr(nb, half)).requires_grad_()
    nb.save({"x": x}, tmp_path / "x.npz")
    shared = x.detach()
    for y in (
        nb.load(tmp_path / "x.npz")["x"],
        pickle.loads(pickle.dumps(x)),
        copy.deepcopy(x),
        nb.from_dlpack(shared),
    ):
        assert y.dtype is x.dtype
        assert y.tolist() == x.tolist()
    theirs = torch.from_dlpack(shared)
    theirs[0, 0] = 7
    assert str(theirs.dtype) == f"torch.{half}"
    assert shared[0, 0].item() == 7 == nb.from_dlpack(theirs)[0, 0].item()
    bits = shared.view(nb.int16)
    assert bits.view(getattr(nb, half)).tolist() == shared.tolist()
    assert repr(x.detach()) == repr(torch.tensor(x.tolist(), dtype=getattr(torch, half))).replace("torch", "nbgrad")


def test_numpy_has_float16_and_no_bfloat16() -> None:
    array = np.array([1.5, 2.5], np.float16)
    x = nb.from_numpy(array)
    x.add_(1)
    assert array.tolist() == [2.5, 3.5] == x.numpy().tolist() == nb.tensor(array).tolist()
    with pytest.raises(TypeError, match="unsupported ScalarType BFloat16"):
        x.bfloat16().numpy()
    assert x.bfloat16().float().numpy().tolist() == [2.5, 3.5]


@pytest.mark.parametrize("half", HALVES)
def test_limits_names_and_defaults_are_pytorchs(half: str) -> None:
    ours, theirs = nb.finfo(getattr(nb, half)), torch.finfo(getattr(torch, half))
    for name in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
        assert getattr(ours, name) == getattr(theirs, name), name
    x = nb.ones(2, dtype=getattr(nb, half))
    name = {"float16": "HalfTensor", "bfloat16": "BFloat16Tensor"}[half]
    assert x.type() == f"nbgrad.{name}"
    assert isinstance(x, getattr(nb, name))
    nb.set_default_dtype(x.dtype)
    try:
        assert nb.tensor(1.5).dtype is nb.rand(3).dtype is x.dtype
    finally:
        nb.set_default_dtype(nb.float32)
    drawn = nb.rand(4000, dtype=x.dtype)
    assert (drawn.float() >= 0).all() and (drawn.float() < 1).all()
    assert abs(nb.randn(4000, dtype=x.dtype).float().std().item() - 1) < 0.05


@pytest.mark.parametrize(
    "program",
    [
        lambda lib, x: lib.linalg.inv(x),
        lambda lib, x: lib.linalg.cholesky(x),
        lambda lib, x: lib.linalg.svd(x),
        lambda lib, x: lib.linalg.eigh(x),
        lambda lib, x: lib.linalg.qr(x),
        lambda lib, x: lib.linalg.solve(x, x),
        lambda lib, x: lib.linalg.det(x),
        lambda lib, x: lib.linalg.lstsq(x, x),
        lambda lib, x: lib.linalg.pinv(x),
        lambda lib, x: lib.linalg.matrix_norm(x, 2),
        lambda lib, x: lib.quantile(x, 0.5),
        lambda lib, x: lib.histogram(x, 4),
    ],
)
def test_what_needs_more_digits_refuses_halves_as_pytorch_does(program: Any) -> None:
    for half in HALVES:
        with pytest.raises(RuntimeError) as theirs:
            program(torch, torch.eye(3, dtype=getattr(torch, half)))
        with pytest.raises(RuntimeError if type(theirs.value) is RuntimeError else NotImplementedError) as ours:
            program(nb, nb.eye(3, dtype=getattr(nb, half)))
        assert isinstance(ours.value, nb.errors.NbgradError)


def test_modules_and_optimisers_on_halves_go_pytorchs_way() -> None:
    """Five steps of each; PyTorch's optimisers round as often as ours."""
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=s) * 0.3 for s in ((8, 4), (8,), (8,), (8,), (2, 8), (2,))]
    x, y = rng.normal(size=(16, 4)), rng.normal(size=(16, 2))
    optimisers: list[Any] = [
        lambda lib, p: lib.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda lib, p: lib.optim.AdamW(p, lr=0.01),
        lambda lib, p: lib.optim.Adagrad(p, lr=0.1),
    ]

    def losses(lib: Any, make: Any) -> list[float]:
        net = lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.LayerNorm(8), lib.nn.ReLU(), lib.nn.Linear(8, 2))
        with lib.no_grad():
            for p, w in zip(net.parameters(), weights, strict=True):
                p.copy_(lib.tensor(w))
        net, found = net.bfloat16(), []
        given = [lib.tensor(a, dtype=lib.bfloat16) for a in (x, y)]
        optimiser = make(lib, net.parameters())
        for _ in range(5):
            optimiser.zero_grad()
            loss = lib.nn.functional.mse_loss(net(given[0]), given[1])
            loss.backward()
            optimiser.step()
            found.append(loss.item())
        assert {p.dtype for p in net.parameters()} == {lib.bfloat16}
        return found

    for make in optimisers:
        np.testing.assert_allclose(losses(nb, make), losses(torch, make), rtol=0.01)
