"""Function transforms: derivatives of functions as functions, many examples at once, any number of them inside each
other."""

from typing import Any

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.autograd.jacobians import hessian, jacfwd, jacrev
from nbgrad.autograd.transforms import grad, grad_and_value, jvp, linearize, vjp
from nbgrad.autograd.vmap import vmap
from nbgrad.nn.utils.stateless import functional_call, stack_module_state

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    raise _AbsentError("module 'nbgrad.func'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
