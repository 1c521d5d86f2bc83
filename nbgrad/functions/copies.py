"""What views show, as copies: PyTorch's functions that end in ``_copy``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import DTypeError, NbgradError
from nbgrad.functions.splitting import sliced
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import found_at
from nbgrad.trace import tensor_of

# The views whose copies have functions, and arguments that show what they give.
_VIEWS: Final = {
    "as_strided": "(2,), (2,)",
    "diagonal": "",
    "expand": "(2, 2)",
    "narrow": "0, 1, 1",
    "permute": "(1, 0)",
    "select": "0, 1",
    "split": "1",
    "split_with_sizes": "[1, 1]",
    "squeeze": "",
    "t": "",
    "transpose": "0, 1",
    "unbind": "",
    "unfold": "0, 2, 1",
    "unsqueeze": "0",
    "view": "(4,)",
}


def method_called(name: str, method: str, input: Tensor, args: Any, named: Any) -> Any:
    """What a function of this name makes of a method."""
    x = tensor_of(name, "input", input)
    try:
        return getattr(x, method)(*args, **named)
    except NbgradError:
        raise
    except TypeError as error:  # Python's own, of a call that does not fit the signature
        raise DTypeError(str(error)) from None


def _copying(view: str, example: str) -> Callable[..., Any]:
    name = f"{view}_copy"

    @writes_out(name)
    def made(input: Tensor, *args: Any, **named: Any) -> Any:
        shown = method_called(name, view, input, args, named)
        return tuple([x.clone() for x in shown]) if isinstance(shown, tuple) else shown.clone()

    given = f"x, {example}" if example else "x"
    first = "[0]" if view in ("split", "split_with_sizes", "unbind") else ""
    made.__doc__ = f"""``Tensor.{view}``, as a copy. Raises what that raises.

    >>> x = nbgrad.tensor([[1, 2], [3, 4]])
    >>> x.{view}({example}){first}._is_view(), nbgrad.{name}({given}){first}._is_view()
    (True, False)
    """
    return found_at(made, __name__, name)


@writes_out("slice_copy")
@numpy_names
def slice_copy(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """The elements ``start``, ``start + step``, ... before ``end`` along ``dim``, as a copy.

    >>> nbgrad.slice_copy(nbgrad.arange(5), start=1, step=2)
    tensor([1, 3])
    """
    return sliced("slice_copy", input, dim, start, end, step).clone()  # type: ignore[no-any-return]


globals().update({f"{view}_copy": _copying(view, example) for view, example in _VIEWS.items()})
