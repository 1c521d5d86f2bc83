"""Long recurrences with the tape of one segment at a time: states are kept, and segments run again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np

_ALIKE: Final = 1e-4  # fastmath=True may round otherwise, and a recurrence may make more of it
_WRITES: Final = "checkpointed: the step writes to its parameters, which each run of it must find as they were"
_DIFFERS: Final = "checkpointed: a step gave another state when it ran again; it must not draw random numbers"


def recurrence_of(step: Any) -> Any:
    """``steps`` in a row from a number ``first`` on, as one ``@njit`` function."""

    @numba.njit(**_kept(step))  # type: ignore[untyped-decorator]
    def segment(state: Any, parameters: Any, first: Any, last: Any) -> Any:
        for k in range(first, last):
            state = step(state, parameters, k)
        return state

    return segment


def _kept(step: Any) -> dict[str, Any]:
    return {"nogil": True, "error_model": step.targetoptions.get("error_model", "python")}


def checkpointing(step: Any, loss: Any, pulled: Callable[..., Any], differentiated: Callable[..., Any]) -> Any:
    """The driver of ``checkpointed``: forward over all segments, then back through them."""
    segment = recurrence_of(step)
    pull, end = pulled(segment), differentiated(loss)

    @numba.njit(**_kept(step))  # type: ignore[untyped-decorator]
    def run(state: Any, parameters: Any, steps: Any) -> Any:
        every = max(1, math.ceil(math.sqrt(steps)))
        given = parameters.copy()
        kept, k = [state.copy()], 0
        while k + every < steps:
            kept.append(segment(kept[-1].copy(), parameters, k, k + every))
            k += every
        final = segment(kept[-1].copy(), parameters, k, steps)
        if not np.array_equal(given, parameters):
            parameters[:] = given
            raise ValueError(_WRITES)
        value, (along, by_parameters) = end(final, parameters)
        for i in range(len(kept) - 1, -1, -1):
            first = i * every
            again, (along, more) = pull((kept[i], parameters, first, min(first + every, steps)), along)
            before = kept[i + 1] if i + 1 < len(kept) else final
            if before.size and np.abs(again - before).max() > _ALIKE * np.abs(before).max():
                raise ValueError(_DIFFERS)
            by_parameters = by_parameters + more
        return value, (along, by_parameters)

    return run
