"""A case for each distribution: its parameters, and values to look at. The same are given to PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgrad as nb

PAIR = [[1.0, 0.2], [0.2, 0.5]]
TRIL = [[1.2, 0.0], [0.5, 0.3]]
PROBS = [[0.3, 0.5, 0.2], [0.1, 0.1, 0.8]]
VECTORS = [[0.3, -0.4], [1.5, 0.2]]

# Name: (parameters, values). Lists become tensors, and so do numbers of parameters where they are floats.
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "Bernoulli": ({"probs": [0.3, 0.8]}, [0.0, 1.0]),
    "Beta": ({"concentration1": [0.5, 2.0], "concentration0": [1.5, 3.0]}, [0.2, 0.7]),
    "Binomial": ({"total_count": 5, "probs": [0.3, 0.8]}, [0.0, 4.0]),
    "Categorical": ({"probs": PROBS}, [1.0, 2.0]),
    "Cauchy": ({"loc": [0.0, 1.0], "scale": [1.0, 2.5]}, [-1.0, 3.0]),
    "Chi2": ({"df": [1.5, 6.0]}, [0.4, 5.0]),
    "ContinuousBernoulli": ({"probs": [0.3, 0.5]}, [0.2, 0.7]),
    "Dirichlet": ({"concentration": [[0.5, 1.0, 2.0], [3.0, 1.5, 1.5]]}, PROBS),
    "Exponential": ({"rate": [0.5, 3.0]}, [0.1, 2.0]),
    "FisherSnedecor": ({"df1": [3.0, 5.0], "df2": [1.5, 7.0]}, [0.5, 1.5]),
    "Gamma": ({"concentration": [0.5, 4.0], "rate": [2.0, 0.5]}, [0.1, 6.0]),
    "GeneralizedPareto": (
        {"loc": [0.5, 0.0, 0.0], "scale": [1.0, 2.0, 1.5], "concentration": [0.2, 0.0, -0.4]},
        [1.0, 2.5, 1.1],
    ),
    "Geometric": ({"probs": [0.3, 0.8]}, [0.0, 3.0]),
    "Gumbel": ({"loc": [0.0, 1.0], "scale": [1.0, 2.5]}, [-1.0, 3.0]),
    "HalfCauchy": ({"scale": [1.0, 2.5]}, [0.5, 3.0]),
    "HalfNormal": ({"scale": [1.0, 2.5]}, [0.5, 3.0]),
    "InverseGamma": ({"concentration": [1.5, 4.0], "rate": [2.0, 0.5]}, [0.4, 0.3]),
    "Kumaraswamy": ({"concentration1": [0.5, 2.0], "concentration0": [1.5, 3.0]}, [0.2, 0.7]),
    "LKJCholesky": ({"dim": 2, "concentration": [0.5, 2.0]}, [[[1.0, 0.0], [0.6, 0.8]]] * 2),
    "Laplace": ({"loc": [0.0, 1.0], "scale": [1.0, 2.5]}, [-1.0, 3.0]),
    "LogNormal": ({"loc": [0.0, 1.0], "scale": [1.0, 0.5]}, [0.5, 3.0]),
    "LogisticNormal": ({"loc": VECTORS, "scale": [[0.5, 0.8], [0.9, 1.1]]}, PROBS),
    "LowRankMultivariateNormal": (
        {"loc": VECTORS, "cov_factor": [[0.5], [-0.3]], "cov_diag": [0.4, 0.9]},
        [[0.0, 0.5], [1.0, -1.0]],
    ),
    "Multinomial": ({"total_count": 4, "probs": PROBS}, [[1.0, 2.0, 1.0], [0.0, 0.0, 4.0]]),
    "MultivariateNormal": ({"loc": VECTORS, "covariance_matrix": PAIR}, [[0.0, 0.5], [1.0, -1.0]]),
    "NegativeBinomial": ({"total_count": [2.5, 5.0], "probs": [0.3, 0.8]}, [0.0, 4.0]),
    "Normal": ({"loc": [0.0, 1.0], "scale": [1.0, 2.5]}, [-1.0, 3.0]),
    "OneHotCategorical": ({"probs": PROBS}, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    "OneHotCategoricalStraightThrough": ({"probs": PROBS}, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    "Pareto": ({"scale": [1.0, 2.5], "alpha": [1.5, 3.0]}, [2.0, 4.0]),
    "Poisson": ({"rate": [0.5, 6.0]}, [0.0, 4.0]),
    "RelaxedBernoulli": ({"temperature": 0.7, "probs": [0.3, 0.8]}, [0.2, 0.7]),
    "RelaxedOneHotCategorical": ({"temperature": 0.7, "probs": PROBS}, PROBS),
    "StudentT": ({"df": [2.5, 7.0], "loc": [0.0, 1.0], "scale": [1.0, 2.5]}, [-1.0, 3.0]),
    "Uniform": ({"low": [0.0, -1.0], "high": [1.0, 2.5]}, [0.5, 2.0]),
    "VonMises": ({"loc": [0.0, 1.0], "concentration": [0.5, 4.0]}, [-1.0, 3.0]),
    "Weibull": ({"scale": [1.0, 2.5], "concentration": [1.5, 3.0]}, [0.5, 3.0]),
    "Wishart": ({"df": [2.5, 4.0], "covariance_matrix": PAIR}, [[[2.0, 0.3], [0.3, 1.0]]] * 2),
}
# The same with other parameters.
OTHERS: dict[str, tuple[str, dict[str, Any], Any]] = {
    "Bernoulli logits": ("Bernoulli", {"logits": [-2.0, 3.0]}, [0.0, 1.0]),
    "Binomial logits": ("Binomial", {"total_count": [3.0, 5.0], "logits": [-2.0, 3.0]}, [0.0, 4.0]),
    "Categorical logits": ("Categorical", {"logits": VECTORS}, [1.0, 0.0]),
    "ContinuousBernoulli logits": ("ContinuousBernoulli", {"logits": [-2.0, 0.0]}, [0.2, 0.7]),
    "Geometric logits": ("Geometric", {"logits": [-2.0, 3.0]}, [0.0, 3.0]),
    "LKJCholesky of 3": (
        "LKJCholesky",
        {"dim": 3, "concentration": 1.5},
        [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]],
    ),
    "Multinomial logits": ("Multinomial", {"total_count": 3, "logits": VECTORS}, [[1.0, 2.0], [0.0, 3.0]]),
    "MultivariateNormal precision": (
        "MultivariateNormal",
        {"loc": [0.1, 0.2], "precision_matrix": [PAIR, PAIR]},
        [[0.0, 0.5], [1.0, -1.0]],
    ),
    "MultivariateNormal scale_tril": (
        "MultivariateNormal",
        {"loc": VECTORS, "scale_tril": TRIL},
        [[0.0, 0.5], [1.0, -1.0]],
    ),
    "NegativeBinomial logits": ("NegativeBinomial", {"total_count": [2.5, 5.0], "logits": [-2.0, 1.0]}, [0.0, 4.0]),
    "OneHotCategorical logits": ("OneHotCategorical", {"logits": VECTORS}, [[0.0, 1.0], [1.0, 0.0]]),
    "RelaxedBernoulli logits": ("RelaxedBernoulli", {"temperature": 0.7, "logits": [-2.0, 3.0]}, [0.2, 0.7]),
    "RelaxedOneHotCategorical logits": (
        "RelaxedOneHotCategorical",
        {"temperature": 0.7, "logits": VECTORS},
        [[0.3, 0.7], [0.6, 0.4]],
    ),
    "Wishart precision": ("Wishart", {"df": 3.5, "precision_matrix": PAIR}, [[2.0, 0.3], [0.3, 1.0]]),
    "Wishart scale_tril": ("Wishart", {"df": 3.5, "scale_tril": TRIL}, [[2.0, 0.3], [0.3, 1.0]]),
}
ALL = {**{name: (name, *case) for name, case in CASES.items()}, **OTHERS}


def tensors(lib: Any, given: dict[str, Any], dtype: str = "float64", grad: bool = False) -> dict[str, Any]:
    """The parameters of a case as a library's tensors; whole numbers stay numbers."""
    kind = getattr(lib, dtype)
    return {k: v if isinstance(v, int) else lib.tensor(v, dtype=kind, requires_grad=grad) for k, v in given.items()}


def made(case: str, lib: Any = nb, dtype: str = "float64", grad: bool = False) -> tuple[Any, dict[str, Any], Any]:
    """The distribution of a case, its parameters, and its values."""
    name, given, value = ALL[case]
    parameters = tensors(lib, given, dtype, grad)
    x = lib.tensor(value, dtype=getattr(lib, dtype))
    return getattr(lib.distributions, name)(**parameters), parameters, x


def numbers(x: Any) -> Any:
    return np.asarray(x.detach().numpy())
