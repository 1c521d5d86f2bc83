"""Names are found where PyTorch's programs import them from."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import nbgrad as nb

# By path, names there and what they are.
PATHS = {
    "nn.modules": {"Linear": nb.nn.Linear, "Transformer": nb.nn.Transformer},
    "nn.modules.module": {"Module": nb.nn.Module},
    "nn.modules.batchnorm": {"BatchNorm2d": nb.nn.BatchNorm2d},
    "nn.modules.loss": {"MSELoss": nb.nn.MSELoss, "CTCLoss": nb.nn.CTCLoss},
    "nn.modules.container": {"Sequential": nb.nn.Sequential},
    "nn.modules.conv": {"Conv2d": nb.nn.Conv2d},
    "nn.modules.lazy": {"LazyLinear": nb.nn.LazyLinear},
    "nn.parameter": {"Buffer": nb.nn.Buffer, "UninitializedParameter": nb.nn.UninitializedParameter},
    "utils.data.dataset": {"Dataset": nb.utils.data.Dataset, "random_split": nb.utils.data.random_split},
    "utils.data.dataloader": {"DataLoader": nb.utils.data.DataLoader, "default_collate": nb.utils.data.default_collate},
    "utils.data.sampler": {"Sampler": nb.utils.data.Sampler},
    "utils.data.distributed": {"DistributedSampler": nb.utils.data.DistributedSampler},
    "utils.data._utils.collate": {"default_collate": nb.utils.data.default_collate},
    "utils.dlpack": {"from_dlpack": nb.from_dlpack},
    "autograd.profiler": {"profile": nb.profiler.profile},
}
# Bases, and modules of which they are.
BASES = {
    "batchnorm._BatchNorm": nb.nn.BatchNorm3d,
    "batchnorm._NormBase": nb.nn.BatchNorm1d,
    "instancenorm._InstanceNorm": nb.nn.InstanceNorm2d,
    "conv._ConvNd": nb.nn.ConvTranspose1d,
    "conv._ConvTransposeNd": nb.nn.ConvTranspose2d,
    "dropout._DropoutNd": nb.nn.Dropout2d,
    "loss._Loss": nb.nn.NLLLoss,
}


@pytest.mark.parametrize("path", PATHS)
def test_names_are_where_pytorch_has_them(path: str) -> None:
    module = import_module(f"nbgrad.{path}")
    for name, what in PATHS[path].items():
        assert getattr(module, name) is what
        # As the first import of a process, too.
        code = f"from nbgrad.{path} import {name}; import nbgrad; assert nbgrad.{path}.{name} is {name}"
        if name == min(PATHS[path]):
            subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError):
        module.no_such_name  # noqa: B018
    with pytest.raises(ImportError, match="no_such_name"):
        exec(f"from nbgrad.{path} import no_such_name")


@pytest.mark.parametrize("name", BASES)
def test_bases_of_modules(name: str) -> None:
    file, _, base = name.partition(".")
    kind = getattr(import_module(f"nbgrad.nn.modules.{file}"), base)
    assert issubclass(BASES[name], kind) and not issubclass(nb.nn.Linear, kind)


def test_sizes_for_each_dim() -> None:
    from nbgrad.nn.modules.utils import _ntuple, _pair, _quadruple, _single, _triple

    assert (_single(3), _pair(3), _triple(3), _quadruple(3), _ntuple(5)(1)) == (
        (3,),
        (3,) * 2,
        (3,) * 3,
        (3,) * 4,
        (1,) * 5,
    )
    assert _pair([1, 2]) == (1, 2) and _pair(nb.Size([2, 3])) == (2, 3)
