"""Modules, losses and what they are made of. Names, arguments and defaults are those of ``torch.nn``."""

from nbgrad.nn import functional, init, utils
from nbgrad.nn.containers import ModuleList, Sequential
from nbgrad.nn.criteria import CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from nbgrad.nn.layers import GELU, Flatten, Identity, Linear, ReLU, Sigmoid, Tanh
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter

__all__ = [
    "GELU",
    "CrossEntropyLoss",
    "Flatten",
    "Identity",
    "L1Loss",
    "Linear",
    "MSELoss",
    "Module",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "init",
    "utils",
]
