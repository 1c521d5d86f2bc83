"""``Distribution``, which all others are made of: it checks parameters, broadcasts and expands them, and tells shapes.

A distribution is written as its parameters with their sets (``arg_constraints``), its ``support``, and formulas: how to
draw numbers of a shape (``_draw``), the logarithm of the density (``_log_prob``), and, where there are, ``_cdf``,
``_icdf`` and moments.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nbgrad.autograd.grad_mode import no_grad
from nbgrad.config import tell
from nbgrad.distributions import constraints
from nbgrad.distributions.utils import broadcast_all, derived, expanded, is_there, required, seen
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.tensor import Size, Tensor

__all__ = ["Distribution"]

Sizes = Sequence[int]


def _absent(name: str) -> Any:
    def formula(self: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {name} in closed form")

    return derived(formula)


class Distribution:
    """What all distributions share.

    ``batch_shape`` is the shape of the parameters, one distribution for each element; ``event_shape`` that of what one
    of them draws. With ``validate_args`` (the default, unless Python runs with -O) parameters and values outside their
    set are ValueErrors: at once where they lie in memory, and of those that are computed by the read that computes
    them. So is what a compiled function is given.
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: bool = __debug__
    _checked_before: tuple[str, ...] = ()  # parameters that a class checks as they are given
    support: Any = _absent("support")
    arg_constraints: Any = _absent("arg_constraints")
    mean: Any = _absent("mean")
    mode: Any = _absent("mode")
    variance: Any = _absent("variance")
    stddev: Any = derived(lambda self: self.variance.sqrt())

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A parameter."""

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions that do not say check what they are given."""
        if value not in (True, False):
            raise ArgumentError(f"set_default_validate_args: expected a bool, got {value!r}")
        if value != Distribution._validate_args:
            Distribution._validate_args = value
            tell()

    def __init__(self, batch_shape: Sizes = (), event_shape: Sizes = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self._parameters():
                if name not in self._checked_before:
                    setattr(self, name, self._checked_parameter(name, getattr(self, name), constraint))

    def _set(self, validate_args: bool | None, **parameters: Any) -> None:
        """Take numbers and tensors that broadcast as parameters."""
        vars(self).update(zip(parameters, broadcast_all(*parameters.values()), strict=True))
        first = getattr(self, next(iter(parameters)))
        Distribution.__init__(self, first.shape, validate_args=validate_args)

    def _set_either(self, validate_args: bool | None, probs: Any, logits: Any, **others: Any) -> None:
        """Take ``probs`` or ``logits``, numbers or tensors that broadcast with ``others``. ValueError for both."""
        name, given = one_of(probs, logits)
        self._set(validate_args, **{name: given}, **others)

    _param = derived(lambda self: vars(self)["probs" if "probs" in vars(self) else "logits"])

    def _parameters(self) -> Iterator[tuple[str, Any]]:
        """Those that are tensors, with their sets."""
        try:
            known = self.arg_constraints
        except NotImplementedError:
            known = {}
        for name, constraint in known.items():
            if isinstance(vars(self).get(name), Tensor):
                yield name, constraint

    def _checked_parameter(self, name: str, value: Any, constraint: Any) -> Any:
        """``value`` for a parameter, which lies in its set."""
        if constraints.is_dependent(constraint):
            return value

        def message(of: str, shown: str) -> str:
            return (
                f"Expected parameter {name}{of} of distribution {shown} to satisfy the constraint {_said(constraint)}, "
                "but found invalid values"
            )

        return self._checked(value, constraint, message)

    def _checked(self, value: Any, constraint: Any, message: Any) -> Any:
        """``value``, of which ``constraint`` holds: it is looked at now where it is there, else when it is computed."""
        bounds = {name: x for name, x in vars(constraint).items() if isinstance(x, Tensor)}
        if not all(is_there(x) for x in (value, *bounds.values())):
            return required(value, constraint.recorded_check(value), message("", type(self).__name__))
        known = copy.copy(constraint)
        vars(known).update({name: seen(x) for name, x in bounds.items()})
        if not np.all(known.check(seen(value))):
            raise ArgumentError(f"{message(f' (Tensor of shape {tuple(value.shape)})', repr(self))}:\n{value}")
        return value

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one distribution."""
        return self._event_shape

    def expand(self, batch_shape: Sizes, _instance: Any = None) -> Self:
        """This distribution for a larger batch: parameters are expanded, not copied. RuntimeError where sizes other
        than 1 would change.

        >>> nbgrad.distributions.Normal(0.0, nbgrad.ones(2)).expand((3, 2)).batch_shape
        nbgrad.Size([3, 2])
        """
        made: Any = copy.copy(self) if _instance is None else _instance
        vars(made).update(vars(self))
        shape = Size(batch_shape)
        for name, constraint in self._parameters():
            value = getattr(self, name)
            own = value.shape[value.dim() - self._event_dim_of(constraint) :]
            setattr(made, name, expanded(value, shape + own))
        made._batch_shape = shape
        return made  # type: ignore[no-any-return]

    def _event_dim_of(self, constraint: Any) -> int:
        return 0 if constraints.is_dependent(constraint) else constraint.event_dim

    def sample(self, sample_shape: Sizes = ()) -> Any:
        """Numbers of the distribution, of shape ``sample_shape + batch_shape + event_shape``, without derivatives.

        >>> nbgrad.distributions.Uniform(0.0, nbgrad.ones(3)).sample((2,)).shape
        nbgrad.Size([2, 3])
        """
        with no_grad():
            if type(self)._draw is Distribution._draw:  # a class of the user's, with an rsample of its own
                return self.rsample(sample_shape)
            return self._draw(self._extended_shape(sample_shape))

    def rsample(self, sample_shape: Sizes = ()) -> Any:
        """The same as functions of the parameters, whose derivatives pass. NotImplementedError without such."""
        if not self.has_rsample:
            raise NotImplementedError(f"{type(self).__name__} has no samples with derivatives (has_rsample is False)")
        return self._draw(self._extended_shape(sample_shape))

    def sample_n(self, n: int) -> Any:
        """``sample((n,))``."""
        return self.sample((n,))

    def _draw(self, shape: Size) -> Any:
        raise NotImplementedError(f"{type(self).__name__} draws no samples")

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability, at ``value``, which broadcasts to the batch. ValueError
        for a value outside ``support``, and for what is no tensor."""
        return self._log_prob(self._validated(value))

    def _log_prob(self, value: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no log_prob in closed form")

    def cdf(self, value: Any) -> Any:
        """How probable values up to ``value`` are."""
        return self._cdf(self._validated(value))

    def _cdf(self, value: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no cdf in closed form")

    def icdf(self, value: Any) -> Any:
        """The number up to which values have the probability ``value``."""
        return self._icdf(value)

    def _icdf(self, value: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no icdf in closed form")

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values, along a new first dim; over the batch, too, unless ``expand`` is False."""
        raise NotImplementedError(f"{type(self).__name__} has no finite support to enumerate")

    def entropy(self) -> Any:
        """The entropy, in nats, of each distribution of the batch."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy in closed form")

    def perplexity(self) -> Any:
        """exp(entropy)."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        try:
            return Size((*sample_shape, *self._batch_shape, *self._event_shape))
        except TypeError:
            raise DTypeError(f"sample_shape must be a sequence of ints, got {sample_shape!r}") from None

    def _validated(self, value: Any) -> Any:
        """``value`` after the checks of ``_validate_sample``, if these are wanted."""
        return self._validate_sample(value) if self._validate_args else value

    def _validate_sample(self, value: Any) -> Any:
        """ValueError for what is no sample of this distribution; gives the value."""
        if not isinstance(value, Tensor):
            raise ArgumentError("The value argument to log_prob must be a Tensor")
        event = len(self._event_shape)
        if value.shape[value.dim() - event :] != self._event_shape:
            raise ArgumentError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.shape), reversed(expected), strict=False):
            if 1 not in (i, j) and i != j:
                raise ArgumentError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            return value

        def message(of: str, shown: str) -> str:
            return (
                f"Expected value argument{of} to be within the support ({_said(support)}) of the distribution {shown}, "
                "but found invalid values"
            )

        return self._checked(value, support, message)

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        """An empty object of this class, for ``expand``. NotImplementedError in a class with a new ``__init__``."""
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        given = [(name, getattr(self, name)) for name, _ in self._parameters()]
        shown = [f"{k}: {v.item() if v.numel() == 1 else v.shape}" for k, v in given]
        return f"{type(self).__name__}({', '.join(shown)})"


def one_of(probs: Any, logits: Any) -> tuple[str, Any]:
    """The name and the value of the one that is given. ValueError for both or none."""
    if (probs is None) == (logits is None):
        raise ArgumentError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


def _said(constraint: Any) -> str:
    """A set by its name, with bounds that are numbers: those that are tensors are not looked at."""
    return constraint.name if any(isinstance(x, Tensor) for x in vars(constraint).values()) else repr(constraint)
