"""Whether products of float32 may be made with TF32: factors of 10 bits behind the point, sums of 23."""

from __future__ import annotations

from typing import Final, Literal

Precision = Literal["highest", "high", "medium"]
PRECISIONS: Final = ("highest", "high", "medium")


class MatmulPrecision:
    """What this process allows: "highest" is float32, "high" TF32. For "medium" no device has anything faster here."""

    def __init__(self) -> None:
        self.name: Precision = "highest"

    @property
    def allow_tf32(self) -> bool:
        return self.name != "highest"


matmul_precision: Final = MatmulPrecision()
