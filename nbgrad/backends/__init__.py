"""``nbgrad.backends``: what libraries may do, with PyTorch's names."""

from nbgrad.backends import cuda

__all__ = ["cuda"]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
