"""Modules, losses and what they are made of. Names, arguments and defaults are those of ``torch.nn``."""

from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.nn import functional, init, utils
from nbgrad.nn.activation import (
    ELU,
    GELU,
    SELU,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from nbgrad.nn.attention import MultiheadAttention
from nbgrad.nn.containers import ModuleList, Sequential
from nbgrad.nn.convolution import Conv1d, Conv2d, Conv3d
from nbgrad.nn.criteria import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    MultiLabelSoftMarginLoss,
    NLLLoss,
    PoissonNLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
)
from nbgrad.nn.dropout import Dropout, Dropout1d, Dropout2d
from nbgrad.nn.embedding import Embedding
from nbgrad.nn.instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from nbgrad.nn.later import MODULES as _MODULES
from nbgrad.nn.later import found as _found
from nbgrad.nn.layers import Flatten, Identity, Linear, Unflatten
from nbgrad.nn.module import Module
from nbgrad.nn.named import ModuleDict, ParameterDict, ParameterList
from nbgrad.nn.normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from nbgrad.nn.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from nbgrad.nn.pairs import (
    CosineEmbeddingLoss,
    CosineSimilarity,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    PairwiseDistance,
    TripletMarginLoss,
)
from nbgrad.nn.parameter import Buffer, Parameter
from nbgrad.nn.piecewise import (
    CELU,
    GLU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    PReLU,
    Softmax2d,
    Softmin,
    Softshrink,
    Softsign,
    Tanhshrink,
    Threshold,
)
from nbgrad.nn.pixels import PixelShuffle, PixelUnshuffle
from nbgrad.nn.pooling import AdaptiveAvgPool1d, AdaptiveAvgPool2d, AvgPool1d, AvgPool2d, MaxPool1d, MaxPool2d
from nbgrad.nn.rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from nbgrad.nn.transformer import TransformerEncoder, TransformerEncoderLayer
from nbgrad.nn.transposed_convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from nbgrad.nn.upsampling import Upsample
from nbgrad.system.imports import import_module

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Buffer",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelSoftMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "Unflatten",
    "Upsample",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "functional",
    "init",
    "utils",
]
__all__.extend(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return globals().setdefault(name, _found(_MODULES, name))
    if name == "modules":  # PyTorch's home of hooks on all modules
        return import_module("nbgrad.nn.modules")
    raise AbsentError("module 'nbgrad.nn'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
