"""Functions that most programs have no use for: their files are read when somebody first asks for one of them.

A new one stands in ``_NAMES``; a method that writes its tensor and is a function, too, in ``_WRITING``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import Later


class Names(NamedTuple):
    """What a file of this room has, words apart."""

    both: str = ""  # nbgrad.name and Tensor.name
    functions: str = ""  # nbgrad.name alone
    methods: str = ""  # Tensor.name alone


_NAMES: Final = {
    "broadcasting": Names(functions="broadcast_shapes broadcast_tensors"),
    "chains": Names(both="inner", functions="rsub", methods="sum_to_size"),
    "combining": Names(functions="cartesian_prod combinations"),
    "complex_numbers": Names(
        both="angle conj conj_physical is_conj is_neg resolve_conj resolve_neg sgn vdot",
        functions="complex imag polar real view_as_complex view_as_real",
        methods="conj_physical_ sgn_",
    ),
    "copies": Names(
        both="narrow_copy",
        functions="as_strided_copy diagonal_copy expand_copy permute_copy select_copy slice_copy split_copy "
        "split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy "
        "view_copy",
    ),
    "covariance": Names(both="corrcoef cov"),
    "differences": Names(functions="gradient"),
    "draws": Names(functions="poisson", methods="cauchy_ exponential_ geometric_ log_normal_ random_"),
    "histogram": Names(both="histc histogram", functions="histogramdd"),
    "membership": Names(both="unique_consecutive", functions="isin"),
    "memory": Names(
        functions="asarray empty_permuted empty_strided fill frombuffer range", methods="new_empty_strided"
    ),
    "mirrors": Names(both="adjoint fliplr flipud rot90"),
    "modes": Names(both="mode"),
    "number_parts": Names(both="frexp gcd lcm nextafter", methods="gcd_ lcm_ nextafter_"),
    "older_methods": Names(
        methods="apply_ dim_order is_set_to is_shared map_ map2_ ndimension share_memory_ storage_type"
    ),
    "older_names": Names(
        functions="BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor "
        "LongTensor ShortTensor set_default_tensor_type"
    ),
    "positions": Names(both="nonzero_static", functions="tril_indices triu_indices unravel_index"),
    "questions": Names(
        both="is_inference is_nonzero is_same_size is_signed isneginf isposinf isreal positive",
        functions="is_storage typename",
    ),
    "scatter_reduce": Names(both="index_reduce scatter_reduce", methods="index_reduce_ scatter_reduce_"),
    "settings": Names(
        functions="get_deterministic_debug_mode get_num_interop_threads "
        "is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled "
        "set_deterministic_debug_mode set_flush_denormal set_num_interop_threads set_printoptions "
        "set_warn_always"
    ),
    "short_time": Names(both="istft stft"),
    "special": Names(
        both="digamma i0 igamma igammac lgamma mvlgamma",
        methods="digamma_ i0_ igamma_ igammac_ lgamma_ mvlgamma_ polygamma polygamma_",
    ),
    "splitting": Names(
        both="dsplit hsplit split_with_sizes tensor_split unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit"
    ),
    "stacking": Names(both="diagflat", functions="atleast_1d atleast_2d atleast_3d block_diag column_stack dstack"),
    "vectors": Names(both="cross renorm", functions="pdist vander", methods="renorm_"),
    "view_scatter": Names(both="as_strided_scatter diagonal_scatter select_scatter slice_scatter"),
    "windows": Names(functions="bartlett_window blackman_window hamming_window hann_window kaiser_window"),
    "written": Names(functions="as_strided_ detach_ fill_ resize_as_ xlogy_ zero_"),
}

# Methods that write their tensor, and are functions too.
_WRITING: Final = (
    "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ "
    "clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ "
    "frac_ gcd_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ "
    "round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_"
)
IN_PLACE: Final = frozenset(_WRITING.split())
MODULES: Final = {
    name: f"nbgrad.functions.{file}"
    for file, names in _NAMES.items()
    for name in f"{names.both} {names.functions}".split()
}


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
for _file, _names in _NAMES.items():
    for _name in f"{_names.both} {_names.methods}".split():
        setattr(Tensor, _name, Later(Tensor, _name, functools.partial(_made, _file, _name)))
