"""Kullback-Leibler divergences by pairs of classes.

A pair is found by the classes that the two are nearest to; ``kl_formulas.py`` has the closed forms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.config import tell
from nbgrad.distributions.distribution import Distribution
from nbgrad.errors import DTypeError, warn_here
from nbgrad.trace import refuse

__all__ = ["kl_divergence", "register_kl"]

Formula = Callable[[Any, Any], Any]
_KL_REGISTRY: Final[dict[tuple[type, type], Formula]] = {}
_found: Final[dict[tuple[type, type], Formula | None]] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Formula], Formula]:
    """A decorator that makes a function of (p, q) the divergence of these classes and those derived from them.

    TypeError for what are no distributions.

    >>> class Point(nbgrad.distributions.Normal):
    ...     pass
    >>> @nbgrad.distributions.register_kl(Point, Point)
    ... def same(p, q):
    ...     return p.loc * 0
    >>> nbgrad.distributions.kl_divergence(Point(1.0, 1.0), Point(2.0, 1.0))
    tensor(0.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise DTypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def enter(formula: Formula) -> Formula:
        _KL_REGISTRY[type_p, type_q] = formula
        if _found:
            _found.clear()
            tell()
        return formula

    return enter


def _depths(kind: type, base: type) -> int:
    return kind.__mro__.index(base)


def _find(p: type, q: type) -> Formula | None:
    """The formula of the pair of classes that are nearest: first by p, and, where another is nearer by q, by p all the
    same, with a warning."""
    fitting = [pair for pair in _KL_REGISTRY if issubclass(p, pair[0]) and issubclass(q, pair[1])]
    if not fitting:
        return None
    by_p = min(fitting, key=lambda pair: (_depths(p, pair[0]), _depths(q, pair[1])))
    by_q = min(fitting, key=lambda pair: (_depths(q, pair[1]), _depths(p, pair[0])))
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        names = [f"({a.__name__}, {b.__name__})" for a, b in (by_p, by_q)]
        warn_here(f"Ambiguous kl_divergence({p.__name__}, {q.__name__}). Please register_kl{names[0]}", RuntimeWarning)
    return _KL_REGISTRY[by_p]


def kl_divergence(p: Any, q: Any) -> Any:
    """The mean, over p, of log(p(x)) - log(q(x)), for each distribution of the batch. NotImplementedError where no
    closed form is known.

    >>> D = nbgrad.distributions
    >>> D.kl_divergence(D.Bernoulli(0.5), D.Bernoulli(0.25))
    tensor(0.1438)
    """
    pair = type(p), type(q)
    if pair not in _found:
        _found[pair] = _find(*pair)
    formula = _found[pair]
    if formula is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {pair[0].__name__} and q type {pair[1].__name__}"
        )
    if not formula.__module__.startswith("nbgrad."):
        refuse("a divergence of the user's own is computed")
    return formula(p, q)


import nbgrad.distributions.kl_formulas  # noqa: E402,F401  enters them
