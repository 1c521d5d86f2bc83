"""``autocast``: a stretch of code in which products take halves, and some functions float32 (calls/autocast.py)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from nbgrad.calls.arguments import dtype_of, flag_of, word_of
from nbgrad.errors import ArgumentError, DTypeError, RunError, warn_here
from nbgrad.graph.dtypes import DType, bfloat16, float16, float32
from nbgrad.tensor import Tensor
from nbgrad.trace import local, set_autocast

_DEVICES: Final = ("cpu", "cuda")
_USUAL: Final = {"cpu": bfloat16, "cuda": float16}


class autocast:
    """Inside of it, products and convolutions of float32 tensors take their operands in ``dtype`` (without one bfloat16
    on the CPU, float16 on a CUDA device), and losses and other sensitive functions take halves in float32, by PyTorch's
    lists. A ``with`` block or a decorator; blocks nest, also with ``enabled=False``. Gradients have the dtypes of what
    they are of, and are computed as their function was: leave the block before ``backward``.

    RuntimeError for another ``device_type``, ValueError for what is no name. For a ``dtype`` that is no half a warning
    says that it is disabled.
    ``cache_enabled`` changes nothing: a cast that several functions need is computed once.

    >>> x = nbgrad.ones(2, 2)
    >>> with nbgrad.amp.autocast("cpu"):
    ...     y = x @ x
    >>> y.dtype, nbgrad.nn.functional.mse_loss(y, y).dtype
    (nbgrad.bfloat16, nbgrad.bfloat16)
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        self.device = _device_of("autocast", device_type)
        self.fast_dtype = _USUAL[self.device] if dtype is None else dtype_of("autocast", "dtype", dtype)
        self._enabled = flag_of("autocast", "enabled", enabled)
        if cache_enabled is not None:
            flag_of("autocast", "cache_enabled", cache_enabled)
        if self._enabled and not self.fast_dtype.is_half:
            warn_here(
                f"In {self.device.upper()} autocast, but the target dtype is not supported. Disabling autocast. "
                f"{self.device.upper()} Autocast only supports dtypes of nbgrad.bfloat16, nbgrad.float16 currently.",
                UserWarning,
            )
            self._enabled = False
        self._before: list[Any] = []

    def __enter__(self) -> autocast:
        before = local.trace.autocast
        self._before.append(before)
        try:
            set_autocast(_with(before, self.device, self.fast_dtype if self._enabled else None))
        except BaseException:  # Ctrl-C: no __exit__ will follow
            self.__exit__()
            raise
        return self

    def __exit__(self, kind: object = None, error: object = None, traceback: object = None) -> None:
        set_autocast(self._before.pop())

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """``func``, each call of it inside."""

        @functools.wraps(func)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with autocast(self.device, self.fast_dtype, self._enabled):
                return func(*args, **kwargs)

        return inside


def _with(state: Any, device: str, dtype: DType | None) -> Any:
    """``state`` with another dtype for a device; None where there is none left."""
    found = [None, None] if state is None else [*state]
    found[_DEVICES.index(device)] = dtype
    return None if found == [None, None] else tuple(found)


def _device_of(function: str, device_type: Any) -> str:
    if not isinstance(device_type, str):
        kind = ArgumentError if function == "autocast" else DTypeError
        raise kind(f"{function}(): Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if device_type not in _DEVICES:
        raise RunError(
            f"{function}(): User specified an unsupported autocast device_type '{device_type}'; there are cpu and cuda"
        )
    return device_type


def _dtype_now(device: str) -> DType | None:
    state = local.trace.autocast
    return None if state is None else state[_DEVICES.index(device)]


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether code runs inside ``autocast`` for a kind of device.

    >>> nbgrad.is_autocast_enabled("cpu")
    False
    """
    return _dtype_now(_device_of("is_autocast_enabled", device_type)) is not None


def get_autocast_dtype(device_type: str) -> DType:
    """The dtype that products take inside the innermost ``autocast`` for a kind of device; outside of one, that which
    it would have.

    >>> nbgrad.get_autocast_dtype("cpu")
    nbgrad.bfloat16
    """
    device = _device_of("get_autocast_dtype", device_type)
    return _dtype_now(device) or _USUAL[device]


def is_autocast_available(device_type: str) -> bool:
    """Whether there is ``autocast`` for a kind of device.

    >>> nbgrad.amp.is_autocast_available("cpu")
    True
    """
    return word_of("is_autocast_available", "device_type", device_type) in _DEVICES


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """A decorator for ``forward`` of an ``autograd.Function``. With ``cast_inputs``, inside ``autocast`` it gets the
    floating tensors of that device in this dtype, and runs without autocast, as does the backward that ``custom_bwd``
    decorates. Without, both run in the autocast that forward was called in.

    >>> class Double(nbgrad.autograd.Function):
    ...     @staticmethod
    ...     @nbgrad.amp.custom_fwd(device_type="cpu", cast_inputs=nbgrad.float32)
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     @nbgrad.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         return g * 2
    """
    device = _device_of("custom_fwd", device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device, cast_inputs=cast_inputs)
    wanted = None if cast_inputs is None else dtype_of("custom_fwd", "cast_inputs", cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ctx._autocast_dtype = now = _dtype_now(device)
        if wanted is None or now is None:
            return fwd(ctx, *args, **kwargs)
        ctx._autocast_dtype = None
        with autocast(device, enabled=False):
            cast = functools.partial(_cast, device=device, dtype=wanted)
            return fwd(ctx, *cast(args), **cast(kwargs))

    return forward


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """A decorator for ``backward`` of an ``autograd.Function``, which then runs in the autocast of its forward, which
    ``custom_fwd`` decorates.

    See :func:`custom_fwd` for an example.
    """
    device = _device_of("custom_bwd", device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device)

    @functools.wraps(bwd)
    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        dtype = ctx._autocast_dtype
        with autocast(device, dtype, enabled=dtype is not None):
            return bwd(ctx, *args, **kwargs)

    return backward


def _cast(value: Any, device: str, dtype: DType) -> Any:
    """``value``, and what it is made of: floating tensors of the device, but float64, in ``dtype``."""
    if isinstance(value, Tensor):
        is_there = (value.dtype is float32 or value.dtype.is_half) and value.device.type == device
        return value.to(dtype) if is_there else value
    if isinstance(value, dict):
        return {_cast(k, device, dtype): _cast(v, device, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(v, device, dtype) for v in value])
    return value
