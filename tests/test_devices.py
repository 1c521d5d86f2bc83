"""Tensors on CUDA devices: where they are made, how they move, what PyTorch says where it does not fit."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import nn
from nbgrad.trace.flush_plan import plans_run
from tests.creators import CREATORS, LIKES, created, created_like
from tests.on_devices import cuda


@pytest.fixture
def two_gpus() -> None:
    """Tests that take this run with two GPUs, real or not, others with one."""


@pytest.fixture(autouse=True)
def gpu(request: pytest.FixtureRequest) -> Iterator[None]:
    with cuda(2 if "two_gpus" in request.fixturenames else 1):
        yield


def test_a_device_has_a_type_and_an_index(two_gpus: None) -> None:
    assert (nb.device("cuda").type, nb.device("cuda").index) == ("cuda", None)
    assert nb.device("cuda:1") == nb.device("cuda", 1) == nb.device(1)
    assert repr(nb.device("cuda:1")) == "device(type='cuda', index=1)"
    assert nb.device("cuda") != nb.device("cuda:0")
    assert nb.device(nb.device("cuda:1")) == nb.device("cuda:1") and nb.device(nb.device("cpu")).index is None
    with pytest.raises(TypeError, match="'type' must be str, not Device"):
        nb.device(nb.device("cuda"), 1)


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "cuda:-1"])
def test_what_is_no_device_is_an_error(name: str) -> None:
    with pytest.raises(RuntimeError):
        nb.device(name)


def test_a_device_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        nb.zeros(2, device="cuda:63")


def test_without_cuda_asking_for_it_says_what_is_missing() -> None:
    with nb.config.override(cuda="off"):
        for ask in (lambda: nb.zeros(2, device="cuda"), nb.zeros(2).cuda, nn.Linear(2, 2).cuda):
            with pytest.raises(RuntimeError, match="NBGRAD_CUDA=off"):
                ask()


def made_on(device: str, name: str) -> nb.Tensor:
    """A creator is told its device, one like another tensor takes that one's."""
    nb.manual_seed(5)
    if name == "leaf":
        return nb.randn(3, device=device, requires_grad=True)
    return created(name, device=device) if name in CREATORS else created_like(nb.ones(2, device=device), name)


@pytest.mark.parametrize("name", [*CREATORS, *LIKES, "leaf"])
def test_a_tensor_made_on_a_device_has_the_cpus_values(two_gpus: None, name: str) -> None:
    expected, made = made_on("cpu", name), made_on("cuda:1", name)
    assert made.device == nb.device("cuda:1")
    assert made.is_cuda and made.get_device() == 1 and made.is_leaf
    assert made.dtype is expected.dtype
    assert made.requires_grad == expected.requires_grad
    np.testing.assert_array_equal(made.detach().cpu().numpy(), expected.detach().numpy())


def test_a_default_device_holds_inside_its_block(two_gpus: None) -> None:
    with nb.device("cuda"):
        assert nb.ones(2).is_cuda
        with nb.device("cpu"):
            assert not nb.ones(2).is_cuda
        assert nb.tensor([1.0]).is_cuda
        assert nb.get_default_device() == nb.device("cuda:0")
    assert not nb.ones(2).is_cuda
    nb.set_default_device("cuda:1")
    try:
        assert nb.rand(2).device == nb.device("cuda:1")
    finally:
        nb.set_default_device(None)


def test_to_moves_and_converts(two_gpus: None) -> None:
    x = nb.tensor([1.5, -2.5])
    y = x.to("cuda")
    assert y.is_cuda and y.tolist() == [1.5, -2.5]
    assert y.to("cuda") is y and y.cuda() is y and x.cpu() is x and y.to("cuda:0") is y
    assert y.to("cuda", copy=True) is not y
    assert y.to(nb.float64).is_cuda
    both = x.to("cuda:1", nb.int64, non_blocking=True)
    assert both.device == nb.device("cuda:1") and both.tolist() == [1, -2]
    assert x.to(both).device == both.device and x.to(both).dtype is nb.int64
    assert both.to(0).get_device() == 0
    assert x.cuda(1).to("cuda:0").cpu().tolist() == [1.5, -2.5]


def test_what_is_in_memory_moves_without_a_program() -> None:
    x = nb.arange(10.0)
    assert x.sum().item() == 45.0
    with plans_run() as plans:
        y = x.cuda()
    assert plans == []
    x.add_(1)
    assert y.tolist() == list(range(10))
    w = nb.ones(2, requires_grad=True)
    assert w.cuda().requires_grad
    with nb.no_grad():
        assert not w.cuda().requires_grad
    with nb.inference_mode():
        assert w.cuda().is_inference()


def test_numpy_wants_the_cpu() -> None:
    x = nb.ones(2, device="cuda")
    text = "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu\\(\\) to copy the tensor to host memory"
    for ask in (x.numpy, lambda: np.asarray(x)):
        with pytest.raises(TypeError, match=text):
            ask()
    assert x.numpy(force=True).tolist() == [1.0, 1.0]


def test_tensors_print_where_they_live(two_gpus: None) -> None:
    x = nb.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    assert repr(x) == "tensor([1., 2.], device='cuda:0', requires_grad=True)"
    assert repr(nb.tensor([1, 2], dtype=nb.int32, device="cuda:1")) == (
        "tensor([1, 2], device='cuda:1', dtype=nbgrad.int32)"
    )
    assert x.type() == "nbgrad.cuda.FloatTensor"


def test_values_can_be_looked_at() -> None:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda") * 2
    assert x.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert x[1, 0].item() == 6.0 and float(x.sum()) == 20.0 and bool(x[0, 0] == 2.0)
    assert [row.tolist() for row in x] == [[2.0, 4.0], [6.0, 8.0]]
    assert x.data_ptr() != 0


SAME_DEVICE = r"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
MIXED: dict[str, Callable[[nb.Tensor, nb.Tensor], Any]] = {
    "add": lambda x, y: x + y,
    "radd": lambda x, y: y + x,
    "matmul": lambda x, y: x @ y,
    "cat": lambda x, y: nb.cat([x, y]),
    "stack of numbers": lambda x, y: nb.stack([x.sum(), y.sum()]),
    "in place": lambda x, y: x.add_(y),
    "in place of a number": lambda x, y: y.sum().add_(x.sum()),
    "where": lambda x, y: nb.where(x > 0, x, y),
    "loss": lambda x, y: nn.functional.mse_loss(x, y),
}


@pytest.mark.parametrize("name", MIXED)
def test_tensors_of_two_devices_do_not_mix(name: str) -> None:
    with pytest.raises(RuntimeError, match=SAME_DEVICE):
        MIXED[name](nb.ones(2, 2, device="cuda"), nb.ones(2, 2))


def test_two_gpus_do_not_mix_either(two_gpus: None) -> None:
    with pytest.raises(RuntimeError, match="found at least two devices, cuda:0 and cuda:1!"):
        nb.ones(2, device="cuda:0") + nb.ones(2, device="cuda:1")
    with pytest.raises(RuntimeError, match="found at least two devices, cuda:1 and cuda:0!"):
        nb.ones(2, device="cuda:1") + nb.ones((), device="cuda:0")


def test_the_error_names_the_users_line() -> None:
    with pytest.raises(RuntimeError) as caught:
        nb.ones(2, device="cuda") * nb.ones(2)
    assert "test_devices.py" in str(caught.value)


def test_numbers_of_the_cpu_go_with_tensors_of_a_device() -> None:
    x = nb.tensor([1.0, 2.0], device="cuda")
    half = nb.tensor(0.5)
    for y in (x * half, half * x):
        assert y.is_cuda and y.tolist() == [0.5, 1.0]
    x.mul_(half)
    assert x.tolist() == [0.5, 1.0]
    assert nb.where(x > 0.7, x, nb.tensor(9.0)).tolist() == [9.0, 1.0]


def test_indices_may_come_from_the_cpu() -> None:
    x = nb.arange(5, device="cuda")
    index = nb.tensor([0, 3])
    assert x[index].is_cuda and x[index].tolist() == [0, 3] and x[[4, 1]].tolist() == [4, 1]
    assert x[nb.tensor([True, False, False, False, True])].tolist() == [0, 4]
    x[index] = 9
    assert x.tolist() == [9, 1, 2, 9, 4]
    x[nb.tensor([False, True, False, False, False])] = -1
    assert x.tolist() == [9, -1, 2, 9, 4]
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device as the indexed tens"):
        nb.arange(5)[index.cuda()]


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
@pytest.mark.parametrize(
    "use",
    [
        lambda x, mask: x[0][mask],
        lambda x, mask: x[:, mask],
        lambda x, mask: x[0].__setitem__(mask, 2.0),
        lambda x, mask: x.__setitem__((slice(None), mask), 2.0),
        lambda x, mask: nb.masked_select(x, mask),
    ],
    ids=["whole", "columns", "write whole", "write columns", "masked_select"],
)
def test_masks_may_not_come_from_another_device(
    two_gpus: None, use: Callable[[nb.Tensor, nb.Tensor], object], device: str
) -> None:
    x, mask = nb.ones(3, 2, device=device), nb.tensor([True, False], device="cuda:1")
    where = rf"indices should be either on cpu or on the same device as the indexed tensor \({device}\)"
    with pytest.raises(RuntimeError, match=where):
        use(x, mask)
    use(x, mask.cpu())


def test_copies_go_from_anywhere_to_anywhere(two_gpus: None) -> None:
    x = nb.zeros(3, device="cuda")
    x.copy_(nb.tensor([1.0, 2.0, 3.0]), non_blocking=True)
    assert x.tolist() == [1.0, 2.0, 3.0]
    y = nb.zeros(3).copy_(x)
    assert not y.is_cuda and y.tolist() == [1.0, 2.0, 3.0]
    x[1:] = nb.tensor([8.0, 9.0])
    assert x.tolist() == [1.0, 8.0, 9.0]
    x[0] = nb.tensor(5.0, device="cuda:1")
    assert x.tolist() == [5.0, 8.0, 9.0] and x.is_cuda


def test_writes_and_views_stay_on_their_device() -> None:
    x = nb.arange(6.0, device="cuda").reshape(2, 3)
    row = x[1]
    row.mul_(10)
    assert row.is_cuda and x.tolist() == [[0.0, 1.0, 2.0], [30.0, 40.0, 50.0]]
    x.zero_()
    assert row.tolist() == [0.0, 0.0, 0.0] and x.is_cuda
    x.fill_(2)
    assert x.T[2].tolist() == [2.0, 2.0]
    shared = x.detach()
    shared[0, 0] = 7
    assert x[0, 0].item() == 7.0


def test_gradients_go_back_across_a_move() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    w = nb.tensor([3.0, 4.0], device="cuda", requires_grad=True)
    ((x.cuda() * w).exp().cpu() * x).sum().backward()
    assert x.grad is not None and w.grad is not None
    assert not x.grad.is_cuda and w.grad.device == nb.device("cuda:0")
    e = np.exp(np.array([3.0, 8.0], np.float32))
    np.testing.assert_allclose(x.grad.numpy(), e + np.array([3.0, 8.0]) * e, rtol=1e-6)
    np.testing.assert_allclose(w.grad.cpu().numpy(), np.array([1.0, 4.0]) * e, rtol=1e-6)


def test_the_gradient_of_a_sum_lives_where_its_tensor_does() -> None:
    x = nb.ones(3, device="cuda", requires_grad=True)
    x.sum().backward()
    assert x.grad is not None and x.grad.is_cuda and x.grad.tolist() == [1.0, 1.0, 1.0]
    unused = nb.ones(2, device="cuda", requires_grad=True)
    (g,) = nb.autograd.grad(x.sum(), unused, materialize_grads=True)
    assert g.is_cuda and g.tolist() == [0.0, 0.0]


def test_second_derivatives_on_a_device() -> None:
    x = nb.tensor([0.5, 2.0], device="cuda", requires_grad=True, dtype=nb.float64)
    (g,) = nb.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = nb.autograd.grad(g.sum(), x)
    assert h.is_cuda
    np.testing.assert_allclose(h.tolist(), [3.0, 12.0])


def test_gradients_go_back_through_segments_that_were_looked_at() -> None:
    x = nb.ones(3, device="cuda", requires_grad=True)
    y = (x * 2).exp()
    assert y.tolist() != []
    z = (y * nn.functional.dropout(y, 0.5, True)).sum()
    assert z.item() >= 0
    z.backward()
    assert x.grad is not None and x.grad.is_cuda


def test_a_cotangent_must_live_where_its_output_does() -> None:
    x = nb.ones(2, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="expected device cuda:0 but got cpu"):
        (x * 2).backward(nb.ones(2))
    with pytest.raises(RuntimeError, match="assigned grad has data located on a different device"):
        x.grad = nb.ones(2)


class Square(nb.autograd.Function):
    """A function of the user's."""

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
        (x,) = ctx.saved_tensors
        return 2 * g * x


class Home(Square):
    """One that gives its gradient back on the wrong device."""

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
        return g.cpu()


def test_functions_of_the_users_run_on_devices() -> None:
    x = nb.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    Square.apply(x).sum().backward()
    assert x.grad is not None and x.grad.is_cuda and x.grad.tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="HomeBackward returned an invalid gradient at index 0 - expected device"):
        Home.apply(x).sum().backward()


def test_gradcheck_takes_tensors_of_a_device() -> None:
    x = nb.randn(3, dtype=nb.float64, device="cuda", requires_grad=True)
    assert nb.autograd.gradcheck(lambda a: (a * a).tanh(), (x,))
    assert nb.autograd.gradgradcheck(lambda a: (a * a).sum(), (x,))


def test_an_index_out_of_range_is_an_error_at_the_users_line() -> None:
    x = nb.arange(3, device="cuda")
    with pytest.raises(IndexError, match="out of bounds for dimension 0 with size 3"):
        print(x[nb.tensor([7])])
    assert x.tolist() == [0, 1, 2]


def test_pickles_and_copies_stay_where_they_are(two_gpus: None) -> None:
    x = nb.tensor([1.0, 2.0], device="cuda:1", requires_grad=True)
    for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert y.device == x.device and y.requires_grad and y.tolist() == [1.0, 2.0]


def test_saved_tensors_come_back_where_they_were_or_are_sent(two_gpus: None, tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    nb.save({"w": nb.ones(2, device="cuda:1", requires_grad=True), "b": nb.zeros(1)}, path)
    assert nb.load(path)["w"].device == nb.device("cuda:1")
    assert nb.load(path)["w"].requires_grad
    assert not nb.load(path, map_location="cpu")["w"].is_cuda
    assert nb.load(path, map_location=nb.device("cuda:0"))["b"].get_device() == 0
    assert nb.load(path, map_location={"cuda:1": "cuda:0"})["w"].get_device() == 0
    assert nb.load(path, map_location={"cuda:1": "cuda:0"})["b"].get_device() == -1
    assert not nb.load(path, map_location=lambda tensor, where: tensor)["w"].is_cuda
    with nb.config.override(cuda="off"), pytest.raises(RuntimeError, match="map_location='cpu'"):
        nb.load(path)


def test_modules_move_with_their_parameters_gradients_and_buffers(two_gpus: None) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    weight = model[0].weight
    model(nb.ones(2, 3)).sum().backward()
    assert model.cuda() is model
    assert model[0].weight is weight and weight.is_cuda and weight.is_leaf and weight.requires_grad
    assert weight.grad is not None and weight.grad.is_cuda
    assert model[1].running_mean.is_cuda and model[1].num_batches_tracked.is_cuda
    assert model(nb.ones(2, 3, device="cuda")).is_cuda
    model.to("cuda:1", nb.float64)
    assert weight.get_device() == 1 and weight.dtype is nb.float64
    assert model[1].num_batches_tracked.dtype is nb.int64
    assert not model.cpu()[0].weight.is_cuda
    assert nn.Linear(2, 2, device="cuda").bias.is_cuda
    assert nn.LSTM(2, 3, device="cuda")(nb.ones(4, 1, 2, device="cuda"))[0].is_cuda


def test_state_loads_from_another_device() -> None:
    model, other = nn.Linear(2, 2), nn.Linear(2, 2, device="cuda")
    other.load_state_dict(model.state_dict())
    assert other.weight.is_cuda and other.weight.tolist() == model.weight.tolist()


OPTIMISERS: dict[str, Callable[[Any], nb.optim.Optimizer]] = {
    "SGD": lambda params: nb.optim.SGD(params, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": lambda params: nb.optim.Adam(params, amsgrad=True),
    "AdamW": lambda params: nb.optim.AdamW(params, lr=0.01),
}


def trained(name: str, device: str) -> tuple[list[float], list[Any]]:
    """The losses and the parameters of a few steps."""
    nb.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Dropout(0.2), nn.Linear(8, 3)).to(device)
    optimiser = OPTIMISERS[name](model.parameters())
    x, target = nb.randn(16, 4, device=device), nb.randint(0, 3, (16,), device=device)
    losses = []
    for _ in range(5):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
    assert all(
        value.device == p.device
        for p in model.parameters()
        for value in optimiser.state[p].values()
        if isinstance(value, nb.Tensor)
    )
    return losses, [p.detach().cpu().numpy() for p in model.parameters()]


@pytest.mark.parametrize("name", OPTIMISERS)
def test_training_on_a_device_gives_the_cpus_bits(name: str) -> None:
    losses, params = trained(name, "cpu")
    on_cuda, params_on_cuda = trained(name, "cuda")
    assert on_cuda == losses
    for a, b in zip(params, params_on_cuda, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_optimisers_state_goes_to_where_its_parameters_are() -> None:
    model = nn.Linear(2, 2)
    optimiser = nb.optim.Adam(model.parameters())
    model(nb.ones(1, 2)).sum().backward()
    optimiser.step()
    state = optimiser.state_dict()
    other = nn.Linear(2, 2, device="cuda")
    again = nb.optim.Adam(other.parameters())
    again.load_state_dict(state)
    assert again.state[other.weight]["exp_avg"].is_cuda


def test_compiled_functions_run_on_devices() -> None:
    @nb.compile(fullgraph=True)
    def step(x: nb.Tensor, w: nb.Tensor) -> nb.Tensor:
        return (x * w).sum()

    w = nb.tensor([1.0, 2.0], device="cuda")
    found = [step(nb.ones(2, device="cuda") * k, w) for k in range(5)]
    assert [y.item() for y in found] == [0.0, 3.0, 6.0, 9.0, 12.0]
    assert all(y.is_cuda for y in found)


def test_a_step_may_begin_on_the_cpu_and_end_on_a_device() -> None:
    model = nn.Linear(3, 1, device="cuda")
    data = nb.arange(12.0).reshape(4, 3)
    for _ in range(4):
        loss = model((data * 0.5).cuda(non_blocking=True)).pow(2).mean()
        loss.backward()
        with nb.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
    assert loss.is_cuda and loss.item() < 1e3


@pytest.mark.parametrize("mode", ["eager", "never", "background"])
def test_every_way_of_compiling_gives_the_same(mode: str) -> None:
    with nb.config.override(compile=mode):
        for _ in range(3):
            x = nb.linspace(0, 1, 50, device="cuda")
            assert x.exp().sum().item() == nb.linspace(0, 1, 50).exp().sum().item()


def test_the_interpreter_knows_devices() -> None:
    with nb.config.override(interpret=True):
        x = nb.tensor([1.0, 2.0], device="cuda")
        y = (x * 2).cpu() + 1
        assert x.is_cuda and y.tolist() == [3.0, 5.0]


def test_streams_need_not_be_recorded() -> None:
    x = nb.ones(1000, device="cuda")
    other = nb.cuda.Stream()
    with nb.cuda.stream(other):
        y = x * 2
        x.record_stream(other)
    del x
    assert (nb.full((1000,), 5.0, device="cuda") + y).tolist() == [7.0] * 1000


def test_pinned_tensors_are_copies_of_the_cpu() -> None:
    x = nb.tensor([1.0, 2.0])
    y = x.pin_memory()
    assert y.is_pinned() and not x.is_pinned() and y.pin_memory() is y
    assert y.tolist() == [1.0, 2.0] and y.cuda(non_blocking=True).tolist() == [1.0, 2.0]
    assert nb.tensor([1.0], pin_memory=True).is_pinned()
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        y.cuda().pin_memory()


def test_type_as_goes_where_the_other_is() -> None:
    x, y = nb.ones(3), nb.ones(1, dtype=nb.float64, device="cuda")
    assert (x.type_as(y).device, x.type_as(y).dtype) == (y.device, nb.float64)
    assert (y.type_as(x).device, y.type_as(x).dtype) == (x.device, nb.float32)


def test_explain_says_where_a_program_runs() -> None:
    stages = nb.explain(lambda: (nb.ones(3, device="cuda") * 2).sum().item())
    assert "on cuda:0" in stages["tape"] and "cuda" not in stages["tier"]
