"""What code that comes in between writes is there afterwards, and who looks sees what was before or behind it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from types import CodeType

import pytest

import nbgrad as nb
from nbgrad.errors import OURS
from tests.intruding import at_moment

BEFORE, AFTER = [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]

Pair = tuple[nb.Tensor, nb.Tensor]

MADE: dict[str, Callable[[], nb.Tensor]] = {
    "in memory": lambda: nb.tensor(BEFORE),
    "a row": lambda: nb.tensor([BEFORE, BEFORE])[0],
    "computed": lambda: nb.tensor(BEFORE) * 1.0,
}
WRITES: dict[str, Callable[[nb.Tensor, nb.Tensor], object]] = {
    "alias": lambda x, alias: alias.mul_(2.0),
    "data": lambda x, alias: x.data.mul_(2.0),
}
LOOKS: dict[str, Callable[[nb.Tensor, nb.Tensor], list[float]]] = {
    "list": lambda x, alias: x.tolist(),
    "of the alias": lambda x, alias: alias.tolist(),
    "array": lambda x, alias: x.detach().numpy().tolist(),
    "element": lambda x, alias: [k * first for first in [x[0].item()] for k in BEFORE],
}


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(OURS) or code.co_filename == "<nbgrad fast>"


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("look", LOOKS)
def test_a_write_amid_a_look_is_kept(made: str, write: str, look: str) -> None:
    for number in count(1):
        x = MADE[made]()
        alias, seen = x.detach(), []
        came = at_moment(
            number,
            lambda x=x, alias=alias, seen=seen: seen.append(LOOKS[look](x, alias)),  # type: ignore[misc]
            lambda x=x, alias=alias: WRITES[write](x, alias),  # type: ignore[misc]
            _is_ours,
            ("line",),
        )
        assert seen[0] in (BEFORE, AFTER), number
        assert (x.tolist(), alias.tolist()) == ((AFTER, AFTER) if came else (BEFORE, BEFORE)), number
        if not came:
            break
