"""Random numbers of given distributions: normal, Bernoulli's, and places drawn by weight."""

from __future__ import annotations

from math import inf
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import flag_of, float_of, int_of
from nbgrad.calls.base import CALLS, errors_name
from nbgrad.device import place_wanted
from nbgrad.errors import DTypeError, DTypeNotImplementedError, RunError, ShapeError
from nbgrad.functions.creation import leaf, options, shape_of
from nbgrad.functions.random_tensors import drawn
from nbgrad.generator import Generator
from nbgrad.graph.dtypes import DType, float64, get_default_dtype
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import function_of
from nbgrad.trace import at, tensor_of

_searchsorted = function_of(CALLS["searchsorted"])


def random_numbers(name: str, like: Tensor, dtype: Any, generator: Generator | None, shape: Any = None) -> Any:
    """Uniform ("rand") or normal ("randn") numbers in a shape, where ``like`` lives."""
    place = like._spec.place
    return at(drawn(name, (), tuple(like.shape if shape is None else shape), dtype, generator, place), place)


@writes_out("normal")
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Normal random numbers with ``mean`` and ``std``: tensors that broadcast, one of them a number; or two numbers and
    a ``size``, in the default dtype unless given. No gradients go to either. RuntimeError for a negative ``std``.

    >>> nbgrad.normal(nbgrad.tensor([1.0, 1000.0]), 0.0)
    tensor([   1., 1000.])
    """
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    if not given:
        kind = options("normal", dtype, device, requires_grad, pin_memory, layout) or get_default_dtype()
        if size is None:
            raise DTypeError("normal() missing 1 required argument: 'size', a tuple of ints, beside two numbers")
        shape, place = shape_of("normal", size), place_wanted(device)
        numbers = at(drawn("randn", (), shape, _inexact("normal", kind), generator, place), place)
        return leaf(_spread(numbers, mean, std), requires_grad, pin_memory=pin_memory)
    if size is not None:
        raise DTypeError("normal(): 'size' goes with numbers for mean and std, not with tensors")
    with errors_name("normal"):
        total = given[0] if len(given) == 1 else given[0].detach() + given[1].detach()
    scattered: Tensor = _spread(
        random_numbers("randn", total, _inexact("normal", given[0].dtype), generator), mean, std
    )
    return scattered


def _spread(numbers: Any, mean: Any, std: Any) -> Any:
    """``numbers`` times std, plus mean."""
    if isinstance(std, Tensor):
        if std.numel() and not bool((std.detach() >= 0).all()):
            raise RunError("normal expects all elements of std >= 0.0")
    elif not float_of("normal", "std", std) >= 0:
        raise RunError(f"normal expects std >= 0.0, but found std {std}")
    with no_grad():
        return numbers * std + mean


@writes_out("bernoulli", where=lambda given: given.get("p") is None)
def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that each element of ``input`` says, else 0, in its dtype; or all with probability ``p``.

    No gradients go to the input. At probabilities in a tensor it looks: RuntimeError where one is not between 0 and 1.

    >>> nbgrad.bernoulli(nbgrad.tensor([0.0, 1.0, 1.0]))
    tensor([0., 1., 1.])
    """
    x = tensor_of("bernoulli", "input", input).detach()
    chance = _probability(x if p is None else p)
    dtype = x.dtype if x.is_floating_point() else get_default_dtype()
    if p is None:
        floating("bernoulli", x.dtype)
    drawn_below: Tensor = (random_numbers("rand", x, dtype.computed, generator) < chance).to(x.dtype)
    return drawn_below


def _probability(p: Any) -> Any:
    """``p``, a number or a tensor; RuntimeError where it is no probability."""
    if isinstance(p, Tensor):
        if p.numel() and not bool(((p >= 0) & (p <= 1)).all()):
            raise RunError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
        return p
    if not 0 <= float_of("bernoulli", "p", p) <= 1:
        raise RunError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    return p


@writes_out("multinomial")
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """``num_samples`` places drawn from each row of weights (n) or (m, n), which need not add up to 1: int64.

    Without ``replacement`` no place is drawn twice. It looks at the weights: RuntimeError where one is negative or not
    finite, where a row has none above 0, or fewer than are to be drawn without replacement. Source for that case:
    Efraimidis and Spirakis 2006, "Weighted random sampling".

    >>> nbgrad.multinomial(nbgrad.tensor([0.0, 3.0, 0.0]), 2, replacement=True)
    tensor([1, 1])
    """
    x = tensor_of("multinomial", "input", input)
    count, again = int_of("multinomial", "num_samples", num_samples), flag_of("multinomial", "replacement", replacement)
    floating("multinomial", x.dtype)
    if x.dim() not in (1, 2):
        raise ShapeError(f"prob_dist must be 1 or 2 dim, got {x.dim()}")
    if count <= 0:
        raise RunError("cannot sample n_sample <= 0 samples")
    if not again and count > x.size(-1):
        raise RunError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not x.size(-1):
        raise RunError("multinomial: there are no weights to draw from")
    weights = x.detach().to(float64)
    if x.numel() and not bool((weights.isfinite() & (weights >= 0)).all()):
        raise RunError("probability tensor contains either `inf`, `nan` or element < 0")
    least = 1 if again else count
    if x.numel() and int((weights > 0).sum(-1).min()) < least:
        raise RunError(
            f"invalid multinomial distribution: a row has fewer than {least} weights above 0 (with replacement={again})"
        )
    if not again:  # the largest of log(u) / weight come first
        keys = (-random_numbers("rand", x, float64, generator)).log1p() / weights
        order: Tensor = keys.where(weights > 0, -inf).topk(count).indices
        return order
    sums = weights.cumsum(-1)
    total = sums.narrow(-1, x.size(-1) - 1, 1)
    aim = random_numbers("rand", x, float64, generator, (*x.shape[:-1], count)) * total
    last = (sums < total).sum(-1, True)  # rounding may bring the aim up to the total
    places: Tensor = _searchsorted(sums, aim, right=True).minimum(last)
    return places


def floating(name: str, dtype: Any) -> Any:
    if not dtype.is_floating_point:
        raise DTypeNotImplementedError(f"{name}(): not implemented for {dtype.name}; give floating point numbers")
    return dtype


def _inexact(name: str, dtype: DType) -> DType:
    """``dtype``, if it is floating or complex: parts of complex normal numbers have half of the variance each."""
    return dtype if dtype.is_complex else floating(name, dtype)


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with normal random numbers.

    >>> nbgrad.zeros(3).normal_(5.0, 0.0)
    tensor([5., 5., 5.])
    """
    numbers = random_numbers("randn", self, _inexact("normal_", self.dtype), generator)
    written: Tensor = self.copy_(_spread(numbers, mean, std))
    return written


def uniform_(self: Tensor, low: float = 0.0, to: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with random numbers, uniform in [low, high). RuntimeError where high is below low.

    >>> nbgrad.zeros(3).uniform_(2.0, 2.0)
    tensor([2., 2., 2.])
    """
    first, end = float_of("uniform_", "from", low), float_of("uniform_", "to", to)
    if not first <= end:
        raise RunError(f"uniform_ expects to return a [from, to) range, but found from={first} > to={end}")
    numbers = random_numbers("rand", self, floating("uniform_", self.dtype), generator)
    written: Tensor = self.copy_(numbers * (end - first) + first)
    return written


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with 1 with probability ``p``, a number or a tensor, else 0.

    >>> nbgrad.zeros(3).bernoulli_(1.0)
    tensor([1., 1., 1.])
    """
    written: Tensor = self.copy_(bernoulli(self, p, generator=generator))
    return written


for _function in (bernoulli, bernoulli_, multinomial, normal_, uniform_):
    setattr(Tensor, _function.__name__, _function)
