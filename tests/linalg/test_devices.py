"""nbgrad.linalg on tensors of a GPU, here a simulated one: LAPACK works on the CPU."""

import os
import subprocess
import sys

PROGRAM = """
import nbgrad as nb
a = nb.tensor([[2.0, 1.0], [1.0, 3.0]], device="cuda", requires_grad=True)
y = nb.linalg.inv(a)
assert y.device.type == "cuda"
values, vectors = nb.linalg.eigh(a)
(y.sum() + values.sum() + nb.det(a)).backward()
assert a.grad.device.type == "cuda"
here = a.detach().cpu().requires_grad_()
(nb.linalg.inv(here).sum() + nb.linalg.eigh(here).eigenvalues.sum() + nb.det(here)).backward()
assert nb.allclose(a.grad.cpu(), here.grad)
assert any("linalg.inv" in text for text in nb.explain(lambda: nb.linalg.inv(a)).fallbacks)
try:
    nb.linalg.solve(a, here)
except RuntimeError as error:
    assert "device" in str(error)
else:
    raise AssertionError("a mixture of devices")
print("done")
"""


def test_matrices_of_a_gpu_are_copied_to_the_cpu_and_back_and_it_is_said() -> None:
    environment = {**os.environ, "NBGRAD_CUDA": "simulated"}
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, check=False)
    assert run.stdout == "done\n", run.stderr
