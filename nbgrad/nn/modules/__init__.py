"""Where PyTorch has the classes of modules: all of ``nbgrad.nn``'s are found here, and in the files of PyTorch's names.
Hooks of all modules are in ``module``."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.nn.modules import module, utils
from nbgrad.system.import_paths import stand_in
from nbgrad.system.imports import import_module

__all__ = ["module", "utils"]

# The bases that programs ask for: ``isinstance(layer, _BatchNorm)``.
_BASES: Final = {
    "_BatchNorm": "nbgrad.nn.normalization:_BatchNorm",
    "_NormBase": "nbgrad.nn.normalization:BatchStatistics",
    "_InstanceNorm": "nbgrad.nn.instance_norm:_InstanceNorm",
    "_ConvNd": "nbgrad.nn.convolution:ConvBase",
    "_ConvTransposeNd": "nbgrad.nn.transposed_convolution:_ConvTranspose",
    "_DropoutNd": "nbgrad.nn.dropout:_Dropout",
    "_Loss": "nbgrad.nn.criteria:Loss",
}
_FILES: Final = (
    "activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold instancenorm lazy "
    "linear loss normalization padding pixelshuffle pooling rnn sparse transformer upsampling"
)
stand_in(__name__, _FILES, "nbgrad.nn", others=_BASES)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(import_module("nbgrad.nn"), name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__, *_FILES.split()]
