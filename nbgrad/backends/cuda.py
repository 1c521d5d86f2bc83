"""``nbgrad.backends.cuda``: how GPUs multiply matrices.

TF32 is what tensor cores make of float32: factors with 10 bits behind the point instead of 23, summed in float32. It
holds for the products that cuBLAS makes, in this process, from where it is said on; all else stays float32. Nothing is
planned anew: a program asks when it runs.

>>> nbgrad.backends.cuda.matmul.allow_tf32
False
"""

from __future__ import annotations

from typing import Any, Final, cast

from nbgrad.calls.arguments import flag_of, refused
from nbgrad.cuda.devices import run_pending
from nbgrad.errors import ArgumentError
from nbgrad.runtime.cuda.precision import PRECISIONS, Precision, matmul_precision
from nbgrad.trace import refuse

__all__ = [
    "get_float32_matmul_precision",
    "matmul",
    "set_float32_matmul_precision",
]


class MatmulSwitches:
    """``nbgrad.backends.cuda.matmul``."""

    __slots__ = ()

    @property
    def allow_tf32(self) -> bool:
        """Whether float32 products may be made with TF32: False, unless ``set_float32_matmul_precision`` says more."""
        return matmul_precision.allow_tf32

    @allow_tf32.setter
    def allow_tf32(self, value: Any) -> None:
        _choose("high" if flag_of("allow_tf32", "value", value) else "highest")


matmul: Final = MatmulSwitches()


def set_float32_matmul_precision(precision: Any) -> None:
    """How exact float32 products on GPUs are: "highest" (float32), "high" or "medium" (both: TF32).

    >>> nbgrad.set_float32_matmul_precision("high")
    >>> nbgrad.backends.cuda.matmul.allow_tf32
    True
    >>> nbgrad.set_float32_matmul_precision("highest")
    """
    if not isinstance(precision, str):
        raise refused("set_float32_matmul_precision", "precision", precision, "str")
    if precision not in PRECISIONS:
        raise ArgumentError(
            f"set_float32_matmul_precision(): expected one of {', '.join(PRECISIONS)}, got {precision!r}"
        )
    _choose(cast("Precision", precision))


def get_float32_matmul_precision() -> str:
    """What was set last: "highest", "high" or "medium".

    >>> nbgrad.get_float32_matmul_precision()
    'highest'
    """
    return matmul_precision.name


def _choose(precision: Precision) -> None:
    """Run what this thread has recorded as it was meant, then let ``precision`` hold."""
    refuse("the precision of products is set")
    if precision != matmul_precision.name:
        run_pending()
        matmul_precision.name = precision


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
