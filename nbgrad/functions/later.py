"""Functions that most programs have no use for: their files are read when somebody first asks for one of them.

A new one stands in ``_FUNCTIONS``, and in ``_METHODS`` where tensors have it; a method that writes its tensor and is a
function, too, in ``_WRITING``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import Later

# By file of this room: what stands in nbgrad, and what in Tensor.
_FUNCTIONS: Final = {
    "broadcasting": "broadcast_shapes broadcast_tensors",
    "chains": "inner rsub",
    "complex_numbers": "angle complex conj conj_physical imag is_conj is_neg polar real "
    "resolve_conj resolve_neg sgn vdot view_as_complex view_as_real",
    "combining": "cartesian_prod combinations",
    "copies": "as_strided_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy slice_copy split_copy "
    "split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy",
    "covariance": "corrcoef cov",
    "differences": "gradient",
    "draws": "poisson",
    "histogram": "histc histogram histogramdd",
    "membership": "isin unique_consecutive",
    "memory": "asarray empty_permuted empty_strided fill frombuffer range",
    "mirrors": "adjoint fliplr flipud rot90",
    "modes": "mode",
    "number_parts": "frexp gcd lcm nextafter",
    "positions": "nonzero_static tril_indices triu_indices unravel_index",
    "older_names": "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor "
    "LongTensor ShortTensor set_default_tensor_type",
    "questions": "is_inference is_nonzero is_same_size is_signed is_storage isneginf isposinf isreal positive typename",
    "scatter_reduce": "index_reduce scatter_reduce",
    "settings": "get_deterministic_debug_mode get_num_interop_threads is_deterministic_algorithms_warn_only_enabled "
    "is_warn_always_enabled set_deterministic_debug_mode set_flush_denormal set_num_interop_threads "
    "set_printoptions set_warn_always",
    "short_time": "istft stft",
    "special": "digamma i0 igamma igammac lgamma mvlgamma",
    "splitting": "dsplit hsplit split_with_sizes tensor_split unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit",
    "stacking": "atleast_1d atleast_2d atleast_3d block_diag column_stack diagflat dstack",
    "vectors": "cross pdist renorm vander",
    "view_scatter": "as_strided_scatter diagonal_scatter select_scatter slice_scatter",
    "windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    "written": "as_strided_ detach_ fill_ resize_as_ xlogy_ zero_",
}
_METHODS: Final = {
    "chains": "inner sum_to_size",
    "complex_numbers": "angle conj conj_physical conj_physical_ is_conj is_neg resolve_conj resolve_neg sgn sgn_ vdot",
    "copies": "narrow_copy",
    "covariance": "corrcoef cov",
    "draws": "cauchy_ exponential_ geometric_ log_normal_ random_",
    "histogram": "histc histogram",
    "membership": "unique_consecutive",
    "memory": "new_empty_strided",
    "older_methods": "apply_ dim_order is_set_to is_shared map_ map2_ ndimension share_memory_ storage_type",
    "mirrors": "adjoint fliplr flipud rot90",
    "modes": "mode",
    "number_parts": "frexp gcd gcd_ lcm lcm_ nextafter nextafter_",
    "positions": "nonzero_static",
    "questions": "is_inference is_nonzero is_same_size is_signed isneginf isposinf isreal positive",
    "scatter_reduce": "index_reduce index_reduce_ scatter_reduce scatter_reduce_",
    "short_time": "istft stft",
    "special": "digamma digamma_ i0 i0_ igamma igamma_ igammac igammac_ lgamma lgamma_ mvlgamma mvlgamma_ polygamma "
    "polygamma_",
    "splitting": "dsplit hsplit split_with_sizes tensor_split unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit",
    "stacking": "diagflat",
    "vectors": "cross renorm renorm_",
    "view_scatter": "as_strided_scatter diagonal_scatter select_scatter slice_scatter",
}

# Methods that write their tensor, and are functions too.
_WRITING: Final = (
    "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ "
    "clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ "
    "frac_ gcd_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ "
    "round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_"
)
IN_PLACE: Final = frozenset(_WRITING.split())
MODULES: Final = {name: f"nbgrad.functions.{file}" for file, names in _FUNCTIONS.items() for name in names.split()}


def _made(file: str, name: str) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(import_module(f"nbgrad.functions.{file}"), name)
    return made


def _part(name: str, doc: str) -> property:
    """The attribute of a tensor that is a view of one part of complex numbers."""

    def write(x: Any, value: Any) -> None:
        getattr(x, name).copy_(value)

    return property(lambda x: _made("complex_numbers", name)(x), write, None, doc)


for _name, _doc in (
    ("real", "The real part of complex numbers, as a view; a real tensor itself."),
    ("imag", "The imaginary part of complex numbers, as a view. RuntimeError for a real tensor."),
):
    setattr(Tensor, _name, _part(_name, _doc))
for _file, _names in _METHODS.items():
    for _name in _names.split():
        setattr(Tensor, _name, Later(Tensor, _name, functools.partial(_made, _file, _name)))
