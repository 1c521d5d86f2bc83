"""The examples in docstrings run, and every function that makes tensors or takes several forms has one."""

import doctest
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import nbgrad
from nbgrad import cuda, random
from nbgrad.autograd import engine, grad_mode
from nbgrad.backends import cuda as backends_cuda
from nbgrad.cuda import devices
from nbgrad.distributions import (
    categorical,
    composite,
    constraint_registry,
    constraints,
    counts,
    distribution,
    kl,
    positive,
    real_line,
    transforms,
)
from nbgrad.distributions import utils as distribution_utils
from nbgrad.functions import (
    broadcasting,
    combining,
    copies,
    covariance,
    creation,
    differences,
    histogram,
    index_put,
    membership,
    minmax,
    mirrors,
    positions,
    random_tensors,
    several_forms,
    sorting,
    splitting,
    stacking,
    variance,
    vectors,
    view_scatter,
)
from nbgrad.graph import dtypes
from nbgrad.nn import padding, transformer
from nbgrad.nn.utils import convert_parameters, prune
from nbgrad.optim import adadelta, adagrad, adamax, asgd, lbfgs, nadam, radam, rmsprop, rprop
from nbgrad.utils.data import collate, datasets, loader, samplers, worker

MODULES = [creation, random, random_tensors, several_forms, cuda, backends_cuda, devices, engine, grad_mode, dtypes]
MODULES += [minmax, sorting, variance, index_put, padding, transformer, convert_parameters, prune]
MODULES += [broadcasting, combining, copies, covariance, differences, histogram, membership, mirrors]
MODULES += [collate, datasets, loader, samplers, worker]
MODULES += [positions, splitting, stacking, vectors, view_scatter]
MODULES += [adadelta, adagrad, adamax, asgd, lbfgs, nadam, radam, rmsprop, rprop]
MODULES += [nbgrad.distributions, categorical, composite, constraint_registry, constraints, counts, distribution, kl]
MODULES += [distribution_utils, positive, real_line, transforms]
PUBLIC = [creation, index_put, minmax, random, random_tensors, several_forms, sorting, variance]
EXAMPLES = [
    pytest.param(test, id=test.name)
    for module in MODULES
    for test in doctest.DocTestFinder().find(module, globs={"nbgrad": nbgrad, "np": np})
    if test.examples
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_gives_what_it_says(example: Any) -> None:
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_every_public_function_here_has_an_example(module: ModuleType) -> None:
    without = [
        name
        for name in nbgrad.__all__
        if getattr(getattr(nbgrad, name), "__module__", None) == module.__name__
        and not isinstance(getattr(nbgrad, name), type)
        and ">>>" not in (getattr(nbgrad, name).__doc__ or "")
    ]
    assert without == []
