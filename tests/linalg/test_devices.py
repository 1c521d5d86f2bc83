"""nbgrad.linalg on tensors of a GPU, real or simulated: LAPACK works on the CPU."""

import pytest

import nbgrad as nb
from tests.on_devices import cuda


def loss_of(a: nb.Tensor) -> nb.Tensor:
    return nb.linalg.inv(a).sum() + nb.linalg.eigvalsh(a).sum() + nb.det(a)


def test_matrices_of_a_gpu_are_copied_to_the_cpu_and_back_and_it_is_said() -> None:
    here = nb.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    loss_of(here).backward()
    with cuda(1):
        there = here.detach().to("cuda").requires_grad_()
        loss = loss_of(there)
        loss.backward()
        assert loss.device.type == there.grad.device.type == "cuda"
        assert nb.allclose(there.grad.cpu(), here.grad)
        assert any("linalg.inv" in text for text in nb.explain(lambda: nb.linalg.inv(there)).fallbacks)
        with pytest.raises(RuntimeError, match="device"):
            nb.linalg.solve(there, here)
