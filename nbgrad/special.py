"""``nbgrad.special``: special functions with derivatives, with PyTorch's names.

>>> x = nbgrad.tensor([0.5, 1.0, 5.0], requires_grad=True)
>>> nbgrad.special.gammaln(x).sum().backward()
>>> x.grad
tensor([-1.9635, -0.5772,  1.5061])
"""

from collections.abc import Callable
from typing import Any, Final

import nbgrad.functions.special  # noqa: F401  declares them
from nbgrad.absent import AbsentError
from nbgrad.calls.base import CALLS
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import function_of

# What stands for calls that have other names, or stand elsewhere, too.
_ELSEWHERE: Final = {
    "expit": "sigmoid",
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "gammaln": "lgamma",
    "modified_bessel_i0": "i0",
    "modified_bessel_i1": "i1",
    "multigammaln": "mvlgamma",
    "psi": "digamma",
    **{name: name for name in ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "log_softmax")},
    **{name: name for name in ("logit", "logsumexp", "round", "sinc", "softmax", "xlogy")},
}
_OWN: Final = [name for name, call in CALLS.items() if call.build.__module__ == "nbgrad.calls.special"]
_polygamma: Callable[[Tensor, int], Tensor] = function_of(CALLS["polygamma"])
globals().update({name: function_of(CALLS[name]) for name in _OWN if not CALLS[name].function})
globals().update({name: function_of(CALLS[other]) for name, other in _ELSEWHERE.items()})


@writes_out("special.polygamma")
def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of ``digamma``; infinite at 0 and negative whole numbers. RuntimeError for a negative ``n``.

    >>> nbgrad.special.polygamma(1, nbgrad.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    return _polygamma(input, n)


__all__ = sorted(["polygamma", *_ELSEWHERE, *[name for name in _OWN if not CALLS[name].function]])


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.special'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
