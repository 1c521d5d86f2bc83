"""Values placed inside larger ones. A pass makes these of writes through slices, see ``nbgrad/passes/embed.py``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from nbgrad.errors import DTypeError
from nbgrad.graph.dtypes import bool_
from nbgrad.graph.op import VIEW, Op, Params
from nbgrad.graph.spec import Spec
from nbgrad.ops.family import elementwise, infer_mask, map_shape


def _embed_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    dim, size = params
    shape = specs[0].shape
    return Spec.of((*shape[:dim], size, *shape[dim + 1 :]), specs[0].dtype)


def _embed_reference(x: Any, start: Any, dim: int, size: int) -> Any:
    out = np.zeros((*x.shape[:dim], size, *x.shape[dim + 1 :]), x.dtype)
    out[(*(slice(None),) * dim, slice(int(start), int(start) + x.shape[dim]))] = x
    return out


# (x, start), params (dim, size): x from element ``start`` of a dim of ``size`` on. Around it is nothing that could be
# read, so only ``guard`` reads it: no operator to be lowered by itself, which is why it isn't in the table.
EMBED: Final = Op("embed", VIEW, _embed_infer, _embed_reference)

# (ramp, start), params (most,): an index ramp less ``start``, which lies in [0, most].
SHIFT: Final = Op("shift", VIEW, lambda specs, params: specs[0], lambda x, start, most: x - start)


def _within(b: Any, place: Any, size: Any, is_wide: bool) -> Any:
    return b.bit_and(b.ge(place, b.const(0, b.dtype_of(place))), b.lt(place, size))


# 0 <= place < size. ``is_wide`` says what most elements are; kernels have a loop for those that are so.
within = elementwise(
    "within",
    emit=_within,
    reference=lambda place, size, is_wide: (place >= 0) & (place < size),
    infer=infer_mask("within"),
)


def _guard_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    if specs[1].dtype is not bool_:
        raise DTypeError(f"guard: the mask is {specs[1]}")
    return Spec.of(map_shape("guard", specs), specs[0].dtype)


# (x, mask): x where the mask is true, 0 elsewhere; there x isn't read. Kernels load it themselves, ``kernels/body.py``.
guard = elementwise(
    "guard",
    emit=None,
    reference=lambda x, mask: np.where(mask, x, np.zeros((), x.dtype)),
    infer=_guard_infer,
    moves=True,
)
