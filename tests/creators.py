"""Every function that makes a tensor, with arguments that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgrad as nb

CREATORS: dict[str, tuple[Any, ...]] = {
    "tensor": ([1.0, 2.0],),
    "as_tensor": (np.ones(2),),
    "scalar_tensor": (2,),
    "full": ((2,), 7),
    "eye": (3,),
    "zeros": (2, 3),
    "ones": (2,),
    "empty": (2,),
    "arange": (1, 9, 2),
    "linspace": (0, 1, 5),
    "rand": (5,),
    "randn": (5,),
    "randint": (0, 9, (5,)),
    "randperm": (5,),
}
LIKES: dict[str, tuple[Any, ...]] = {  # after the tensor that theirs is like
    "zeros_like": (),
    "ones_like": (),
    "empty_like": (),
    "full_like": (3,),
    "rand_like": (),
    "randn_like": (),
    "randint_like": (9,),
}


def created(name: str, **options: Any) -> nb.Tensor:
    """What that function of ``CREATORS`` makes."""
    result: nb.Tensor = getattr(nb, name)(*CREATORS[name], **options)
    return result


def created_like(x: nb.Tensor, name: str, **options: Any) -> nb.Tensor:
    """What that function of ``LIKES`` makes like ``x``."""
    result: nb.Tensor = getattr(nb, name)(x, *LIKES[name], **options)
    return result
