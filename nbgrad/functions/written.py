"""Methods that write their tensor in place, as functions that look at it first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.functions.copies import method_called
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import found_at

# With arguments for an example.
_METHODS: Final = {
    "as_strided_": ", (2,), (1,)",
    "detach_": "",
    "fill_": ", 0.5",
    "resize_as_": ", x",
    "xlogy_": ", x",
    "zero_": "",
}


def _writing(name: str, example: str) -> Callable[..., Any]:
    def made(input: Tensor, *args: Any, **named: Any) -> Any:
        return method_called(name, name, input, args, named)

    made.__doc__ = f"""``Tensor.{name}`` of ``input``, which is written and given back. Raises what that raises.

    >>> x = nbgrad.tensor([0.25, 0.5])
    >>> nbgrad.{name}(x{example}) is x
    True
    """
    return found_at(made, __name__, name)


globals().update({name: _writing(name, example) for name, example in _METHODS.items()})
