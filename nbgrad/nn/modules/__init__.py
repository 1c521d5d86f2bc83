"""Where PyTorch has the base of modules, and the hooks of all of them."""

from nbgrad.nn.modules import module

__all__ = ["module"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
