"""Probability distributions: samples, with derivatives where there are such, densities, moments and divergences, with
PyTorch's names.

>>> normal = nbgrad.distributions.Normal(0.0, nbgrad.tensor([1.0, 2.0]))
>>> normal.log_prob(nbgrad.tensor(0.0))
tensor([-0.9189, -1.6121])
>>> nbgrad.distributions.kl_divergence(normal, nbgrad.distributions.Normal(0.0, 1.0))
tensor([0.0000, 0.8069])
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

from nbgrad.absent import AbsentError
from nbgrad.system.imports import import_module

# By file of this room: what stands in it. Transforms: ``transforms.py``.
_FILES: Final = {
    "bounded": "Beta ContinuousBernoulli Dirichlet Kumaraswamy LogisticNormal",
    "categorical": "Categorical Multinomial OneHotCategorical OneHotCategoricalStraightThrough",
    "composite": "Independent MixtureSameFamily TransformedDistribution",
    "constraint_registry": "biject_to transform_to",
    "counts": "Bernoulli Binomial Geometric NegativeBinomial Poisson",
    "distribution": "Distribution",
    "exponential_family": "ExponentialFamily",
    "kl": "kl_divergence register_kl",
    "multivariate": "LKJCholesky LowRankMultivariateNormal MultivariateNormal Wishart",
    "positive": "Chi2 Exponential FisherSnedecor Gamma GeneralizedPareto HalfCauchy HalfNormal InverseGamma LogNormal "
    "Pareto Weibull",
    "real_line": "Cauchy Gumbel Laplace Normal StudentT Uniform VonMises",
    "relaxed": "RelaxedBernoulli RelaxedOneHotCategorical",
    "transforms": "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
    "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
    "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftplusTransform TanhTransform "
    "SoftmaxTransform StackTransform StickBreakingTransform Transform identity_transform",
}
_WHERE: Final = {name: file for file, names in _FILES.items() for name in names.split()}
_ROOMS: Final = ("constraint_registry", "constraints", "distribution", "kl", "transforms", "utils")
# Modules of PyTorch's for which nothing stands here but the names that are in them.
_ALIASES: Final = (
    "bernoulli beta binomial categorical cauchy chi2 continuous_bernoulli dirichlet exp_family exponential "
    "fishersnedecor gamma generalized_pareto geometric gumbel half_cauchy half_normal independent inverse_gamma "
    "kumaraswamy laplace lkj_cholesky log_normal logistic_normal lowrank_multivariate_normal mixture_same_family "
    "multinomial multivariate_normal negative_binomial normal one_hot_categorical pareto poisson relaxed_bernoulli "
    "relaxed_categorical studentT transformed_distribution uniform von_mises weibull wishart"
)
_LOGITS: Final = {"LogitRelaxedBernoulli": "relaxed", "ExpRelaxedCategorical": "relaxed"}

__all__ = sorted(_WHERE)


class _Alias(ModuleType):
    """A module of PyTorch's: ``from nbgrad.distributions.normal import Normal``."""

    def __getattr__(self, name: str) -> Any:
        if name in _LOGITS:
            return getattr(import_module(f"{__name__}.{_LOGITS[name]}"), name)
        if name not in _WHERE:
            raise AbsentError(f"module {self.__name__!r}", name, __all__)
        return getattr(sys.modules[__name__], name)


for _name in _ALIASES.split():
    if _name not in _FILES:
        sys.modules.setdefault(f"{__name__}.{_name}", _Alias(f"{__name__}.{_name}"))


def __getattr__(name: str) -> Any:
    """A distribution, a transform or a module, read when somebody first asks for it."""
    if name in _ROOMS or name in _FILES:
        return import_module(f"{__name__}.{name}")
    if name in _ALIASES.split():
        return sys.modules[f"{__name__}.{name}"]
    if name not in _WHERE:
        raise AbsentError("module 'nbgrad.distributions'", name, __all__)
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_WHERE[name]}"), name))


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__, *_ROOMS]
