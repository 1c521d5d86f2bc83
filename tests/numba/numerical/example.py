"""A function of numerical practice as people write it for Numba, with arguments, and what its gradient has to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

EXAMPLES: dict[str, Example] = {}
SLOPE = ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60))  # of the sixth order: error h^6 f^(7) / 140


def example(
    *arguments: Any,
    rtol: float = 1e-7,
    step: float = 1e-4,
    complex_step: bool = False,
    slow: bool = False,
    refused: str = "",
    name: str = "",
) -> Callable[[Any], Any]:
    """Keep an ``@njit`` function among the ``EXAMPLES``, with arguments to call it with.

    ``rtol`` is the allowed error of a gradient as a share of its largest element, and is that of the differences rather
    than of the gradient: rounding over ``step``, which is a share of an argument. ``complex_step`` says that Python
    can run the function on complex numbers: then the derivative is exact, and ``step`` is not used.
    Numba compiles ``slow`` ones for more than 3 s. ``refused`` is what is said of one that has no derivative yet.
    Its own ``name`` may be said otherwise.
    """

    def keep(function: Any) -> Any:
        key = name or function.__name__
        assert key not in EXAMPLES
        EXAMPLES[key] = Example(function, arguments, rtol, step, complex_step, slow, refused)
        return function

    return keep


@dataclass(frozen=True)
class Example:
    """``gradients`` are by the floating arguments, in order: of doubles, whatever the dtype of the arguments."""

    function: Any
    arguments: tuple[Any, ...]
    rtol: float
    step: float
    complex_step: bool
    slow: bool
    refused: str

    def copies(self) -> list[Any]:
        """The arguments anew: a function may write to them."""
        return [x.copy(order="K") if isinstance(x, np.ndarray) else x for x in self.arguments]

    def gradients(self) -> Iterator[Any]:
        slope = self._complex_slope if self.complex_step else self._difference
        for place, argument in enumerate(self.arguments):
            if is_floating(argument):
                g = np.zeros(np.shape(argument))
                for at in np.ndindex(g.shape):
                    g[at] = slope(place, at)
                yield g

    def _difference(self, place: int, at: tuple[int, ...]) -> float:
        x = float(np.asarray(self.arguments[place])[at])
        h = self.step * max(abs(x), 0.1)
        up = [weight * self._moved(place, at, k * h) for k, weight in SLOPE]
        down = [weight * self._moved(place, at, -k * h) for k, weight in SLOPE]
        return float(sum(up) - sum(down)) / h

    def _moved(self, place: int, at: tuple[int, ...], by: float) -> Any:
        return self.function(*self._with(place, at, by, np.float64))

    def _complex_slope(self, place: int, at: tuple[int, ...]) -> float:
        """Squire and Trapp 1998, "Using complex variables to estimate derivatives of real functions"."""
        found = self.function.py_func(*self._with(place, at, 1e-30j, np.complex128))
        return float(np.imag(found)) / 1e-30

    def _with(self, place: int, at: tuple[int, ...], by: complex, dtype: Any) -> list[Any]:
        """The arguments, floating ones in ``dtype``, with ``by`` added to one element."""
        found = [np.asarray(x, dtype) if is_floating(x) else x for x in self.copies()]
        found[place][at] += by
        return [x.item() if isinstance(x, np.ndarray) and not x.ndim else x for x in found]


def is_floating(argument: Any) -> bool:
    """Whether a gradient is due for it."""
    return isinstance(argument, float | np.floating) or (
        isinstance(argument, np.ndarray) and argument.dtype.kind == "f"
    )


def uniform(*shape: int, seed: int = 0, low: float = 0.0, high: float = 1.0) -> Any:
    return np.random.default_rng(seed).uniform(low, high, shape)


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)
