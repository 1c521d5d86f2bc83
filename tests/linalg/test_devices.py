"""nbgrad.linalg on tensors of a GPU, real or simulated: LAPACK works on the CPU."""

import pytest

import nbgrad as nb
from tests.on_devices import cuda


def test_matrices_of_a_gpu_are_copied_to_the_cpu_and_back_and_it_is_said() -> None:
    with cuda(1):
        there = nb.tensor([[2.0, 0.0], [0.0, 4.0]], device="cuda", requires_grad=True)
        cotangent = nb.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda")
        inverse = nb.linalg.inv(there)
        inverse.backward(cotangent)
        assert inverse.device.type == there.grad.device.type == "cuda"
        assert inverse.tolist() == [[0.5, 0.0], [0.0, 0.25]]
        assert there.grad.tolist() == [[-0.25, -0.25], [-0.375, -0.25]]
        assert any("linalg.inv" in text for text in nb.explain(lambda: nb.linalg.inv(there)).fallbacks)
        with pytest.raises(RuntimeError, match="device"):
            nb.linalg.solve(there, cotangent.cpu())
