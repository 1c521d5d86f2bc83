"""Modules that learn the size of their input from the first one they get."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError, RunError
from nbgrad.functions.creation import empty
from nbgrad.graph.dtypes import DType
from nbgrad.nn.convolution import Conv1d, Conv2d, Conv3d
from nbgrad.nn.instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from nbgrad.nn.layers import Linear
from nbgrad.nn.mixing import BatchNorm3d
from nbgrad.nn.module import Module
from nbgrad.nn.normalization import BatchNorm1d, BatchNorm2d
from nbgrad.nn.parameter import Parameter
from nbgrad.nn.transposed_convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from nbgrad.tensor import Tensor


class _Unknown(Tensor):
    """What tensors without a shape share."""

    __slots__ = ()
    _BECOMES: ClassVar[builtins.type[Tensor]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: ``__new__`` has set all there is."""

    @property
    def shape(self) -> Any:
        raise RunError(
            "Can't access the shape of an uninitialized parameter or buffer: call the lazy module once before, or load "
            "a state into it"
        )

    def numel(self) -> int:
        raise ArgumentError(
            "Attempted to use an uninitialized parameter in numel(): call the lazy module once before you count its "
            "parameters or give them to an optimizer that looks at them"
        )

    nelement = dim = stride = numel  # type: ignore[assignment]

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        raise ArgumentError(
            "Attempted to use an uninitialized parameter in type(): call the lazy module once before, or convert it by "
            "to(dtype)"
        )

    def materialize(self, shape: Sequence[int], device: Any = None, dtype: DType | None = None) -> None:
        """Give it a shape, and elements that are not set."""
        self.data = empty(*shape, device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = self._BECOMES  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(_Unknown, Parameter):
    """A parameter without elements, whose shape comes later: ``materialize`` makes it a ``Parameter``. To ask for the
    shape is a RuntimeError."""

    __slots__ = ()
    _BECOMES = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: DType | None = None
    ) -> UninitializedParameter:
        made: UninitializedParameter = Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)
        return made


class UninitializedBuffer(_Unknown):
    """A tensor without elements, whose shape comes later."""

    __slots__ = ()
    _BECOMES = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: DType | None = None, persistent: bool = True
    ) -> UninitializedBuffer:
        made: UninitializedBuffer = Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)
        return made

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """One of another dtype or on another device, without a shape as well."""
        made = super().to(*args, **kwargs)
        return made if made is self else type(self)(self.requires_grad, made.device, made.dtype)


class Lazy(Module):
    """What they share: parameters without elements until the first call, or until a state is loaded."""

    BECOMES: ClassVar[type[Module]]

    def _wait(self, names: Sequence[str], device: Any, dtype: DType | None) -> None:
        """Members of these names that are there lose their elements until ``initialize_parameters``."""
        for name in names:
            if self._parameters.get(name) is not None:
                self._parameters[name] = UninitializedParameter(device=device, dtype=dtype)
            elif self._buffers.get(name) is not None:
                self._buffers[name] = UninitializedBuffer(device=device, dtype=dtype)
        object.__setattr__(self, "_first", self.register_forward_pre_hook(Lazy._infer_parameters, with_kwargs=True))
        object.__setattr__(self, "_loading", self.register_load_state_dict_pre_hook(_shaped))

    def has_uninitialized_params(self) -> bool:
        """Whether there is a parameter or buffer of this module without a shape."""
        return any(isinstance(t, _Unknown) for t in [*self._parameters.values(), *self._buffers.values()])

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give parameters the shapes that the input asks for, and their starting values."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def reset_parameters(self) -> None:
        """Draw parameters anew, where they have elements."""
        if "_first" in self.__dict__ and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def _infer_parameters(self, args: Any, kwargs: Any) -> None:
        """Before the first ``forward``: the module becomes an ordinary one."""
        self.initialize_parameters(*args, **(kwargs or {}))
        if self.has_uninitialized_params():
            raise RunError(f"module {type(self).__name__} has not been fully initialized")
        own = self.__dict__
        own.pop("_first").remove()
        own.pop("_loading").remove()
        if self._hooks is not None and not any(self._hooks.tables.values()):
            self._hooks = None
        self.__class__ = self.BECOMES  # type: ignore[assignment]

    def _given(self, shapes: dict[str, tuple[int, ...]]) -> None:
        for name, shape in shapes.items():
            member: Any = self._parameters.get(name, self._buffers.get(name))
            if isinstance(member, _Unknown):
                with no_grad():
                    member.materialize(shape)


def _shaped(module: Module, state: dict[str, Any], prefix: str, *_: Any) -> None:
    """Members without a shape get that of what is loaded."""
    for name, member in [*module._parameters.items(), *module._buffers.items()]:
        if isinstance(member, _Unknown) and isinstance(state.get(prefix + name), Tensor):
            with no_grad():
                member.materialize(state[prefix + name].shape)


class LazyLinear(Lazy, Linear):
    """``Linear`` whose ``in_features`` is the last size of its first input.

    >>> layer = nbgrad.nn.LazyLinear(2)
    >>> layer(nbgrad.ones(4, 3)).shape, layer
    (nbgrad.Size([4, 2]), Linear(in_features=3, out_features=2, bias=True))
    """

    BECOMES = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: DType | None = None) -> None:
        super().__init__(0, out_features, bias, device=device, dtype=dtype)
        self._wait(("weight", "bias"), device, dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        if self.has_uninitialized_params():
            self._given({"weight": (self.out_features, input.shape[-1]), "bias": (self.out_features,)})
            self.in_features = input.shape[-1]
            self.reset_parameters()
        if not self.in_features:
            self.in_features = self.weight.shape[-1]


class _Convolution(Lazy):
    """A convolution whose ``in_channels`` is the number of channels of its first input."""

    SPATIAL: ClassVar[int]
    IS_TRANSPOSED: ClassVar[bool] = False

    def __init__(self, out_channels: int, *args: Any, device: Any = None, dtype: DType | None = None, **options: Any):
        super().__init__(0, out_channels, *args, device=device, dtype=dtype, **options)  # type: ignore[call-arg]
        self._wait(("weight", "bias"), device, dtype)

    def initialize_parameters(self, input: Tensor, *args: Any) -> None:
        own: Any = self
        if input.dim() not in (own.SPATIAL + 1, own.SPATIAL + 2):
            raise RunError(
                f"Expected {own.SPATIAL + 1}D (unbatched) or {own.SPATIAL + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {list(input.shape)}"
            )
        channels = input.shape[-own.SPATIAL - 1]
        if self.has_uninitialized_params():
            if channels % own.groups:
                raise RunError("in_channels must be divisible by groups")
            ends = (channels, own.out_channels) if self.IS_TRANSPOSED else (own.out_channels, channels)
            shape = (ends[0], ends[1] // own.groups, *own.kernel_size)
            self._given({"weight": shape, "bias": (own.out_channels,)})
            own.in_channels = channels
            self.reset_parameters()
        own.in_channels = own.in_channels or channels


class LazyConv1d(_Convolution, Conv1d):
    """``Conv1d`` whose ``in_channels`` comes with the first input."""

    BECOMES = Conv1d


class LazyConv2d(_Convolution, Conv2d):
    """``Conv2d`` whose ``in_channels`` comes with the first input."""

    BECOMES = Conv2d


class LazyConv3d(_Convolution, Conv3d):
    """``Conv3d`` whose ``in_channels`` comes with the first input."""

    BECOMES = Conv3d


class LazyConvTranspose1d(_Convolution, ConvTranspose1d):
    """``ConvTranspose1d`` whose ``in_channels`` comes with the first input."""

    BECOMES = ConvTranspose1d
    IS_TRANSPOSED = True


class LazyConvTranspose2d(_Convolution, ConvTranspose2d):
    """``ConvTranspose2d`` whose ``in_channels`` comes with the first input."""

    BECOMES = ConvTranspose2d
    IS_TRANSPOSED = True


class LazyConvTranspose3d(_Convolution, ConvTranspose3d):
    """``ConvTranspose3d`` whose ``in_channels`` comes with the first input."""

    BECOMES = ConvTranspose3d
    IS_TRANSPOSED = True


class _Norm(Lazy):
    """A norm whose ``num_features`` is the number of channels of its first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        super().__init__(0, eps, momentum, affine, track_running_stats, **options)  # type: ignore[call-arg]
        self._wait(("weight", "bias", "running_mean", "running_var"), device, dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        own: Any = self
        channels = input.shape[0 if input.dim() == min(own.RANKS) and own.ALONE else 1]
        if self.has_uninitialized_params():
            self._given(dict.fromkeys(("weight", "bias", "running_mean", "running_var"), (channels,)))
            own.num_features = channels
            self.reset_parameters()
        own.num_features = own.num_features or channels


class LazyBatchNorm1d(_Norm, BatchNorm1d):
    """``BatchNorm1d`` whose ``num_features`` comes with the first input."""

    BECOMES = BatchNorm1d
    ALONE = False


class LazyBatchNorm2d(_Norm, BatchNorm2d):
    """``BatchNorm2d`` whose ``num_features`` comes with the first input."""

    BECOMES = BatchNorm2d
    ALONE = False


class LazyBatchNorm3d(_Norm, BatchNorm3d):
    """``BatchNorm3d`` whose ``num_features`` comes with the first input."""

    BECOMES = BatchNorm3d
    ALONE = False


class LazyInstanceNorm1d(_Norm, InstanceNorm1d):
    """``InstanceNorm1d`` whose ``num_features`` comes with the first input."""

    BECOMES = InstanceNorm1d
    ALONE = True


class LazyInstanceNorm2d(_Norm, InstanceNorm2d):
    """``InstanceNorm2d`` whose ``num_features`` comes with the first input."""

    BECOMES = InstanceNorm2d
    ALONE = True


class LazyInstanceNorm3d(_Norm, InstanceNorm3d):
    """``InstanceNorm3d`` whose ``num_features`` comes with the first input."""

    BECOMES = InstanceNorm3d
    ALONE = True
