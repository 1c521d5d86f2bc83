"""Which calls take their operands in another dtype inside ``amp.autocast``: PyTorch's published lists.

Of the operands that are tensors of float16, bfloat16 or float32; float64 and numbers stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from nbgrad.calls.base import Call, is_number
from nbgrad.graph.dtypes import DType, float32
from nbgrad.graph.node import Node
from nbgrad.graph.spec import HOST
from nbgrad.ops.compare import cast_to

State = tuple[DType | None, DType | None]  # the lower precision on the CPU, and on CUDA devices

LOWER: Final = frozenset(
    (
        *("matmul", "mm", "bmm", "addmm", "addbmm", "baddbmm", "linear", "einsum_of", "tensordot_of", "prelu"),
        *("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
        *("scaled_dot_product_attention", "attention_weights"),
    )
)
LOWER_ON_CUDA: Final = frozenset(("mv", "addmv", "addr"))
SINGLE: Final = frozenset(
    (
        *("avg_pool3d", "adaptive_avg_pool3d", "max_pool3d", "prod", "trace", "cdist"),
        *("binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss", "huber_loss", "nll_loss"),
        *("cross_entropy", "kl_div", "poisson_nll_loss", "cosine_embedding_loss", "hinge_embedding_loss"),
        *("margin_ranking_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss"),
        *("cholesky", "inv", "solve", "qr", "svd", "svd_values", "svd_left", "svd_right"),
        *("eigh", "eigh_values", "eigh_vectors", "pinv"),
    )
)
SINGLE_ON_CUDA: Final = frozenset(
    (
        *("acos", "asin", "cosh", "sinh", "tan", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "pow"),
        *("pow_static", "reciprocal", "rsqrt", "sum", "cumsum", "cumprod", "norm", "vector_norm", "dist", "softmax"),
        *("log_softmax", "softplus", "layer_norm", "group_norm", "cosine_similarity"),
    )
)
WIDEST: Final = frozenset(("cat", "stack", "index_copy"))
WIDEST_ON_CUDA: Final = frozenset(("addcdiv", "addcmul", "atan2", "dot", "scatter_add"))


def autocast(
    call: Call, operands: Sequence[Node | None], state: State, place_of: Callable[[Node], int]
) -> list[Node | None]:
    """The operands of ``call`` as it takes them while ``state`` holds."""
    name = call.build.__name__
    floats = [x for x in operands if x is not None and _is_cast(x)]
    if not floats:
        return list(operands)
    on_cuda = max([place_of(x) for x in floats]) != HOST
    lower = state[on_cuda]
    if lower is None:
        return list(operands)
    if name in LOWER or (on_cuda and name in LOWER_ON_CUDA):
        dtype = lower
    elif name in SINGLE or (on_cuda and name in SINGLE_ON_CUDA):
        dtype = float32
    elif name in WIDEST or (on_cuda and name in WIDEST_ON_CUDA):
        dtype = lower if all(x.spec.dtype is lower for x in floats) else float32
    else:
        return list(operands)
    return [cast_to(x, dtype) if x is not None and _is_cast(x) else x for x in operands]


def _is_cast(x: Node) -> bool:
    return (x.spec.dtype is float32 or x.spec.dtype.is_half) and not is_number(x)
