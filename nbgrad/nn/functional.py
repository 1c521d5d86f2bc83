"""What modules compute, as functions with torch's arguments. The formulas are declared in calls/."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from inspect import isfunction
from math import prod
from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.autograd import no_grad
from nbgrad.autograd.levels import vmap_of
from nbgrad.calls.arguments import float_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.generator import default_generator
from nbgrad.graph.dtypes import DType, uint8
from nbgrad.nn.later import FUNCTIONS, found
from nbgrad.nn.resampling import interpolate as interpolate  # a function of this module, too
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out, written
from nbgrad.tensor.surface import function_of
from nbgrad.trace import fast_tensors, local, numbers_of, record, tensor_of, tensor_types

_linear = fast_tensors(CALLS["linear"])


def _declared(name: str) -> Callable[..., Tensor]:
    return function_of(CALLS[name])


_adaptive_avg_pool2d = _declared("adaptive_avg_pool2d")
_attention = _declared("scaled_dot_product_attention")
_attention_weights = _declared("attention_weights")
_batch_norm = _declared("batch_norm")
_celu = _declared("celu")
_elu = _declared("elu")
_embedding = _declared("embedding")
_group_norm = _declared("group_norm")
_hardsigmoid = _declared("hardsigmoid")
_hardswish = _declared("hardswish")
_hardtanh = _declared("hardtanh")
_leaky_relu = _declared("leaky_relu")
_mish = _declared("mish")
_one_hot = _declared("one_hot")
_selu = _declared("selu")
_silu = _declared("silu")
_threshold = _declared("threshold")


def _given(result: Tensor, input: Tensor, inplace: bool) -> Tensor:
    """``result``, or ``input`` with the result written into it."""
    if not inplace:
        return result
    written: Tensor = input.copy_(result)
    return written


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Any = None) -> Tensor:
    """``input @ weight^T + bias``. Shapes: input (..., in), weight (out, in) or (in), bias (out); gives (..., out)."""
    if out is not None:
        return written("linear", lambda: linear(input, weight, bias), out)
    if type(bias) in tensor_types:
        result: Tensor = _linear(input, weight, bias)
        return result
    x, w = tensor_of("linear", "input", input), tensor_of("linear", "weight", weight)
    product: Tensor = x.matmul(w.t())
    return product if bias is None else product + bias


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), element by element; NaN stays NaN and the derivative at 0 is 0."""
    x = tensor_of("relu", "input", input)
    result: Tensor = x.relu_() if inplace else x.relu()
    return result


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where x > 0, otherwise ``negative_slope`` * x."""
    return _given(_leaky_relu(input, negative_slope), input, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where x > 0, otherwise ``alpha`` * (exp(x) - 1)."""
    return _given(_elu(input, alpha), input, inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x), element by element."""
    return _given(_silu(input), input, inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """1.0507 * elu(x, 1.6733): layers of such units keep mean 0 and variance 1. Source: Klambauer et al. 2017."""
    return _given(_selu(input), input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(log(1 + exp(x))), element by element. Source: Misra 2019."""
    return _given(_mish(input), input, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x between ``min_val`` and ``max_val``; the derivative at and beyond them is 0. ValueError where they cross."""
    if min_val > max_val:
        raise ArgumentError(f"hardtanh: min_val {min_val} cannot be greater than max_val {max_val}")
    if min_val <= -1 and tensor_of("hardtanh", "input", input).dtype is uint8:
        raise ArgumentError(f"hardtanh: uint8 has no negative numbers, and min_val is {min_val}; give it x.int()")
    return _given(_hardtanh(input, min_val, max_val), input, inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """x between 0 and 6; the derivative at and beyond them is 0."""
    return hardtanh(input, 0.0, 6.0, inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where x > 0, otherwise ``alpha`` * (exp(x / ``alpha``) - 1). Source: Barron 2017."""
    return _given(_celu(input, alpha), input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * min(max(x + 3, 0), 6) / 6. Source: Howard et al. 2019, "Searching for MobileNetV3"."""
    return _given(_hardswish(input), input, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """x / 6 + 1 / 2, at least 0 and at most 1; the derivative at both bounds is 0."""
    return _given(_hardsigmoid(input), input, inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above ``threshold``, elsewhere ``value``."""
    return _given(_threshold(input, threshold, value), input, inplace)


def softmin(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The ``softmax`` of -x."""
    x = tensor_of("softmin", "input", input)
    result: Tensor = (-x).softmax(_implicit_dim("softmin", x, dim), dtype)
    return result


def softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along ``dim``; ``dtype`` is what the input is converted to first."""
    x = tensor_of("softmax", "input", input)
    result: Tensor = x.softmax(_implicit_dim("softmax", x, dim), dtype)
    return result


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of ``softmax``, computed without overflow."""
    x = tensor_of("log_softmax", "input", input)
    result: Tensor = x.log_softmax(_implicit_dim("log_softmax", x, dim), dtype)
    return result


def _implicit_dim(name: str, input: Tensor, dim: int | None) -> int:
    if dim is not None:
        return dim
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Add dim=X.", stacklevel=3)
    return 0 if input.dim() in (0, 1, 3) else 1


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, each element becomes 0 with probability ``p`` and is divided by 1 - p otherwise.

    The random numbers are those of the default generator. Source: Srivastava et al. 2014, "Dropout".
    """
    return _dropped("dropout", input, p, training, inplace, input.shape)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """``dropout`` of whole channels: shapes (N, C, L) or (C, L)."""
    if input.dim() not in (2, 3):
        raise ArgumentError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input")
    return _dropped("dropout1d", input, p, training, inplace, (*input.shape[:-1], 1))


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """``dropout`` of whole channels: shape (N, C, H, W); with a warning, as in PyTorch, others from (N, C) on."""
    if input.dim() not in (3, 4):
        what = f"dropout2d: Received a {input.dim()}-D input; it takes 4-D input (N, C, H, W)"
        warnings.warn(f"{what}: use dropout for what has no channels", stacklevel=2)
    if input.dim() == 3:
        what = "dropout2d: Received a 3-D input, which is taken as (N, C, L), where C is the channel"
        warnings.warn(f"{what}: dropout1d says so", stacklevel=2)
    return _dropped("dropout2d", input, p, training, inplace, (*input.shape[:2], *[1] * (input.dim() - 2)))


def _dropped(name: str, input: Tensor, p: float, training: bool, inplace: bool, mask: Sequence[int]) -> Tensor:
    if not isinstance(p, (int, float)):
        p = float_of(name, "p", p)
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"{name}: dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return _given(input * 0.0, input, inplace)
    seed, stream = numbers_of(default_generator.take, default_generator.put_back)
    result: Tensor = record(CALLS["dropout_of"], (input, seed, stream, 1.0 - p), (tuple(mask),))
    return _given(result, input, inplace)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Means of ``output_size`` parts as equal as they can be; None keeps a size. Shapes (N, C, H, W) or (C, H, W)."""
    given = output_size if isinstance(output_size, Sequence) else (output_size, output_size)
    sizes = [own if n is None else n for n, own in zip(given, input.shape[-2:], strict=False)]
    return _adaptive_avg_pool2d(input, tuple(sizes) if len(given) == 2 else tuple(given))


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float | Tensor = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel (dim 1); shapes (N, C, ...) and (C).

    In training mean and variance are the batch's, and the running ones, where given, move towards them by
    ``momentum`` (the variance unbiased); otherwise the running ones are used. Source: Ioffe and Szegedy 2015.
    """
    result = _batch_norm(input, running_mean, running_var, weight, bias, training, eps)
    if training and input.numel():
        dims = [d for d in range(input.dim()) if d != 1]
        with no_grad():
            if running_mean is not None:
                _move(running_mean, input.mean(dims), momentum)
            if running_var is not None:
                _move(running_var, input.var(dims), momentum)
    return result


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel of each sample; shapes (N, C, ...) and (C).

    With ``use_input_stats`` mean and variance are each sample's, and the running ones, where given, move towards their
    averages by ``momentum`` (the variance unbiased); otherwise the running ones are used. ValueError where a channel is
    a single element. Source: Ulyanov et al. 2016, "Instance normalization".
    """
    x = tensor_of("instance_norm", "input", input)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ArgumentError("instance_norm: Expected running_mean and running_var when use_input_stats is false")
        return batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    if prod(x.shape[2:]) == 1:
        raise ArgumentError(f"Expected more than 1 spatial element when training, got input size {list(x.shape)}")
    dims = list(range(2, x.dim()))
    with no_grad():
        if running_mean is not None:
            _move(running_mean, x.mean(dims).mean(0), momentum)
        if running_var is not None:
            _move(running_var, x.var(dims).mean(0), momentum)
    return _group_norm(x, x.size(1), weight, bias, eps)


def _move(average: Tensor, value: Tensor, share: float | Tensor) -> None:
    """Let ``value`` have its share in a running average."""
    if isinstance(share, Tensor):
        dtype = average.dtype
        average.mul_((1 - share).to(dtype)).add_(value * share.to(dtype))
    else:
        average.mul_(1 - share).add_(value, alpha=share)


@writes_out("normalize")
def normalize(input: Tensor, p: float = 2.0, dim: int | tuple[int, ...] = 1, eps: float = 1e-12) -> Tensor:
    """input divided by its p-norm along ``dim``, which is at least ``eps``."""
    tensor_of("normalize", "input", input)
    scaled: Tensor = input / input.norm(p, dim, keepdim=True).clamp_min(eps)
    return scaled


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key^T * scale) @ value; ``scale`` is 1 / sqrt(E) unless given.

    Shapes: query (..., L, E), key (..., S, E), value (..., S, V); gives (..., L, V). ``attn_mask`` broadcasts to
    (..., L, S): False leaves a pair out, a float is added to its score. ``is_causal`` lets query i see keys 0 to i.
    ``dropout_p`` leaves weights out at random. ``enable_gqa`` shares each head of keys and values (dim -3) among
    several heads of queries. Source: Vaswani et al. 2017.
    """
    if enable_gqa:
        key, value = [_shared_heads(query, x) for x in (key, value)]
    if dropout_p == 0.0:
        return _attention(query, key, value, attn_mask, is_causal, scale=scale)
    weights = _attention_weights(query, key, attn_mask, is_causal, scale=scale)
    result: Tensor = dropout(weights, dropout_p).matmul(value)
    return result


def _shared_heads(query: Tensor, x: Tensor) -> Tensor:
    """``x`` with each head repeated, as many times as a head is shared by those of ``query``."""
    heads, own = query.shape[-3], x.shape[-3]
    if not own or heads % own:
        raise ShapeError(f"scaled_dot_product_attention: {heads} heads of queries cannot share {own} heads of keys")
    repeated = x.unsqueeze(-3).expand(*x.shape[:-2], heads // own, *x.shape[-2:])
    result: Tensor = repeated.reshape(*x.shape[:-3], heads, *x.shape[-2:])
    return result


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of ``weight`` at the places in ``input``: shape (*) and (rows, width) give (*, width).

    Cotangents are added to their rows in the order of ``input``; the row ``padding_idx`` (negative: counted from the
    end) gets none. IndexError at run time for a place outside [0, rows); RuntimeError for places that are no integers.
    ``max_norm`` first scales rows that are asked for, and whose ``norm_type``-norm is larger, down to it, in ``weight``
    itself. ``scale_grad_by_freq`` divides cotangents by how often their row is asked for. ``sparse`` changes nothing.

    >>> nbgrad.nn.functional.embedding(nbgrad.tensor([2, 0]), nbgrad.tensor([[1.0], [2.0], [3.0]]))
    tensor([[3.],
            [1.]])
    """
    if max_norm is None and not scale_grad_by_freq:
        return _embedding(input, weight, padding_idx)
    rare: Callable[..., Tensor] = found({"of_rows": "nbgrad.nn.functions.rows"}, "of_rows")
    return rare(_embedding, input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)


def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """int64 vectors with a 1 at each class index; a new last axis of ``num_classes``.

    Looks at the values, which must be in [0, num_classes); by default that is the largest + 1. Inside ``vmap``
    ``num_classes`` has to be given.
    """
    num_classes = int_of("one_hot", "num_classes", num_classes)
    if local.trace.vmaps and vmap_of([input]) is not None:  # the values are not known: the kernel checks them
        if num_classes == -1:
            raise ArgumentError("one_hot: inside vmap num_classes has to be given")
    elif input.numel() == 0:
        if num_classes <= 0:
            raise ArgumentError("Can not infer total number of classes from empty tensor: give num_classes.")
    elif not input.dtype.is_floating_point:
        low, high = int(input.min()), int(input.max())
        if low < 0:
            raise ArgumentError(f"Class values must be non-negative, got {low}.")
        if num_classes == -1:
            num_classes = high + 1
        if high >= num_classes:
            raise ArgumentError(f"Class values must be smaller than num_classes ({num_classes}), got {high}.")
    return _one_hot(input, num_classes=num_classes)


_IN_PLACE = ("celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "rrelu_", "selu_", "threshold_")
_declared_here = [name for name, call in CALLS.items() if call.functional]


def __getattr__(name: str) -> Callable[..., Tensor]:
    """A function declared in calls/, or one that writes its input, made when somebody first asks for it."""
    if name in _IN_PLACE:
        plain = globals().get(name[:-1]) or __getattr__(name[:-1])
        written: Callable[..., Tensor] = globals().setdefault(name, partial(plain, inplace=True))
        return written
    if name in FUNCTIONS:
        function: Callable[..., Tensor] = globals().setdefault(name, found(FUNCTIONS, name))
        return function
    if name not in _declared_here:
        raise AbsentError("module 'nbgrad.nn.functional'", name, __dir__())
    made: Callable[..., Tensor] = globals().setdefault(name, _declared(name))
    return made


__all__ = sorted(
    [
        *_declared_here,
        *_IN_PLACE,
        *FUNCTIONS,
        "interpolate",
        *[n for n, f in globals().items() if isfunction(f) and f.__module__ == __name__ and not n.startswith("_")],
    ]
)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
