"""Modules, losses and what they are made of. Names, arguments and defaults are those of ``torch.nn``."""

from nbgrad.nn import functional, init, utils
from nbgrad.nn.activation import (
    ELU,
    GELU,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from nbgrad.nn.containers import ModuleList, Sequential
from nbgrad.nn.criteria import CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from nbgrad.nn.dropout import Dropout, Dropout1d, Dropout2d
from nbgrad.nn.embedding import Embedding
from nbgrad.nn.layers import Flatten, Identity, Linear, Unflatten
from nbgrad.nn.module import Module
from nbgrad.nn.normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from nbgrad.nn.parameter import Parameter

__all__ = [
    "ELU",
    "GELU",
    "BatchNorm1d",
    "BatchNorm2d",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "RMSNorm",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "Unflatten",
    "functional",
    "init",
    "utils",
]
