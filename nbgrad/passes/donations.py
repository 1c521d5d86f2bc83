"""Results that may be made in the memory of inputs, as a step writes parameters anew."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NO_DONATIONS: Final[Mapping[int, int]] = MappingProxyType({})
