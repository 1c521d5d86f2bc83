from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import f32

nn = nb.nn
FORMS: list[dict[str, Any]] = [{}, {"affine": True}, {"affine": True, "track_running_stats": True, "momentum": 0.2}]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dims", [1, 2])
def test_it_is_pytorchs_in_training_and_evaluation(dims: int, form: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    name = f"InstanceNorm{dims}d"
    ours, theirs = getattr(nn, name)(3, **form), getattr(torch.nn, name)(3, **form)
    assert repr(ours) == repr(theirs)
    x = f32(2, 3, *(4, 5)[:dims])
    for training in (True, False):
        ours.train(training)
        theirs.train(training)
        for given in (x, x[1]):
            ins, outs = nb.tensor(given, requires_grad=True), torch.tensor(given, requires_grad=True)
            got, want = ours(ins), theirs(outs)
            np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=1e-4, atol=1e-5)
            (got**3).sum().backward()
            (want**3).sum().backward()
            np.testing.assert_allclose(ins.grad.numpy(), outs.grad.numpy(), rtol=1e-3, atol=1e-4)
    states = ours.state_dict(), theirs.state_dict()
    assert list(states[0]) == list(states[1])
    for k, v in states[0].items():
        np.testing.assert_allclose(v.numpy(), states[1][k].numpy(), rtol=1e-4, atol=1e-6)


def test_what_cannot_be_normalised_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 2D or 3D input"):
        nn.InstanceNorm1d(3)(nb.ones(3))
    with pytest.raises(ValueError, match="to match num_features"):
        nn.InstanceNorm1d(3, affine=True)(nb.ones(2, 4, 5))
    with pytest.warns(UserWarning, match="to match num_features"):
        nn.InstanceNorm1d(3)(nb.ones(2, 4, 5))
    with pytest.raises(ValueError, match="more than 1 spatial element"):
        nn.InstanceNorm2d(3)(nb.ones(2, 3, 1, 1))
    with pytest.raises(ValueError, match="running_mean and running_var"):
        nn.functional.instance_norm(nb.ones(2, 3, 4), use_input_stats=False)
