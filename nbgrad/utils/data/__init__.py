"""Data sets, the order in which they are read, and batches of them. Names, arguments and defaults are PyTorch's."""

from typing import Any

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.system.import_paths import stand_in as _stand_in
from nbgrad.utils.data.collate import default_collate, default_convert
from nbgrad.utils.data.datasets import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from nbgrad.utils.data.loader import DataLoader
from nbgrad.utils.data.samplers import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from nbgrad.utils.data.worker import get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]

_stand_in(__name__, "dataset dataloader sampler distributed _utils", __name__)
_stand_in(f"{__name__}._utils", "collate", __name__)


def __getattr__(name: str) -> Any:
    raise _AbsentError("module 'nbgrad.utils.data'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
