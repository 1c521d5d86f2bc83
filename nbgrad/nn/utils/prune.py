"""``nbgrad.nn.utils.prune``: parameters with masks, by which a module sees zeros where they were pruned.

Pruning ``weight`` makes it ``weight_orig``, a parameter, times ``weight_mask``, a buffer, before each call. Pruning
again goes on with what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import refused
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, TensorIndexError
from nbgrad.functions.random_tensors import rand, rand_like
from nbgrad.nn.module import Module
from nbgrad.nn.utils.lengths import hooks_of
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

__all__ = [
    *("BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer"),
    *("RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned"),
    *("l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove"),
]


_cat = function_of(CALLS["cat"])


class BasePruningMethod:
    """What says which elements to prune: subclasses define ``compute_mask(t, default_mask)``, a mask in which elements
    of ``default_mask`` are 0, and ``PRUNING_TYPE``: "unstructured", "structured" (then they have ``dim``) or "global".
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define compute_mask(t, default_mask)")

    def apply_mask(self, module: Any) -> Any:
        """The parameter times its mask."""
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(original.dtype) * original

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """``t`` with zeros where this prunes; ``importance_scores`` of its shape stand for its values."""
        mask = t.new_ones(t.shape) if default_mask is None else default_mask
        return t * self._masked(t if importance_scores is None else _scores(t, importance_scores), mask)

    def _masked(self, t: Any, mask: Any) -> Any:
        with no_grad():
            return self.compute_mask(t, default_mask=mask)

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prune the parameter ``name`` of ``module`` by a method made of the other arguments, which it gives."""
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        before = _method_of(module, name)
        value = tensor_of(f"prune.{cls.__name__}", name, getattr(module, name))
        if before is None:
            mask = value.new_ones(value.shape)
        else:
            mask = getattr(module, f"{name}_mask").to(value.dtype)
            method = (before if isinstance(before, PruningContainer) else PruningContainer(before)).joined(method)
        mask = method._masked(value if importance_scores is None else _scores(value, importance_scores), mask)
        if before is None:
            module.register_parameter(f"{name}_orig", module._parameters[name])
            del module._parameters[name]
            module.register_buffer(f"{name}_mask", mask)
        else:
            _forget(module, before)
            setattr(module, f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def remove(self, module: Any) -> None:
        """The parameter with zeros in it, without a mask. The module keeps this method as a hook."""
        name = self._tensor_name
        value, original = self.apply_mask(module), module._parameters[f"{name}_orig"]
        for part in (name, f"{name}_orig", f"{name}_mask"):
            delattr(module, part)
        with no_grad():
            original.copy_(value)
        module.register_parameter(name, original)


class PruningContainer(BasePruningMethod):
    """Methods one after the other: each prunes of what those before it have left. Several may be given, or none.

    TypeError for other objects, ValueError for one of another parameter.
    """

    PRUNING_TYPE = "container"

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if args and not isinstance(args[0], (tuple, list)):
            self._tensor_name = getattr(args[0], "_tensor_name", "")
        for method in args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """One more at the end."""
        if not isinstance(method, BasePruningMethod):
            raise DTypeError(f"{type(method).__name__} is not a BasePruningMethod subclass")
        name, known = getattr(method, "_tensor_name", None), getattr(self, "_tensor_name", None)
        if known and name != known:
            raise ArgumentError(f"Can only add pruning methods acting on the parameter {known!r}, not on {name!r}")
        self._pruning_methods += (method,)

    def joined(self, method: Any) -> PruningContainer:
        """A container of these and one more."""
        made = PruningContainer(*self._pruning_methods)
        made.add_pruning_method(method)
        return made

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: Any) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """What the last method leaves of what ``default_mask`` does."""
        method, mask = self._pruning_methods[-1], default_mask.clone()
        kept = default_mask == 1
        if method.PRUNING_TYPE == "unstructured":
            mask[kept] = method.compute_mask(t[kept], default_mask[kept]).to(mask.dtype)
            return mask
        if method.PRUNING_TYPE == "global":
            return method.compute_mask(t, default_mask)
        if method.PRUNING_TYPE != "structured":
            raise ArgumentError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE!r}")
        dim = method.dim % t.dim()
        others = [d for d in range(t.dim()) if d != dim]
        places = kept.any(others).nonzero()[:, 0] if others else kept.nonzero()[:, 0]
        left = [t.index_select(dim, places), default_mask.index_select(dim, places)]
        return mask.index_copy(dim, places, method.compute_mask(*left).to(mask.dtype))


class Identity(BasePruningMethod):
    """Prunes nothing: a mask of ones, to begin with."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class CustomFromMask(BasePruningMethod):
    """Prunes where ``mask`` is 0."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask * self.mask.to(default_mask.dtype)


class _ByAmount(BasePruningMethod):
    """``amount``: how many are pruned, or a float for a share of them. TypeError and ValueError for others."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise DTypeError(f"Invalid type for amount: {amount!r}. Must be int or float.")
        if amount < 0 or (isinstance(amount, float) and amount > 1.0):
            raise ArgumentError(f"amount={amount} must be an int of 0 or more, or a float between 0 and 1")
        self.amount = amount

    def count(self, size: int) -> int:
        """How many of ``size``."""
        if isinstance(self.amount, float):
            return round(self.amount * size)
        if self.amount > size:
            raise ArgumentError(f"amount={self.amount} should be smaller than the number of parameters to prune={size}")
        return self.amount


class RandomUnstructured(_ByAmount):
    """Prunes elements that are drawn at random."""

    def scores(self, t: Any) -> Any:
        """What those with the smallest are pruned by."""
        return rand_like(t)

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        mask, n = default_mask.clone(), self.count(t.numel())
        mask.view(-1)[self.scores(t).reshape(-1).topk(n, largest=False).indices] = 0
        return mask


class L1Unstructured(RandomUnstructured):
    """Prunes the elements nearest to 0."""

    def scores(self, t: Any) -> Any:
        return t.abs()


class RandomStructured(_ByAmount):
    """Prunes slices along ``dim`` that are drawn at random. ValueError for vectors, IndexError for no such dim."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def scores(self, t: Any) -> Any:
        """What the slices with the smallest are pruned by."""
        return rand(t.shape[self.dim], dtype=t.dtype, device=t.device)

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if t.dim() <= 1:
            raise ArgumentError(f"Structured pruning needs two or more dims, and the tensor has shape {[*t.shape]}")
        if not -t.dim() <= self.dim < t.dim():
            raise TensorIndexError(f"Invalid index {self.dim} for tensor of size {[*t.shape]}")
        size = t.shape[self.dim]
        kept = t.new_ones(size, dtype=default_mask.dtype)
        kept[self.scores(t).topk(self.count(size), largest=False).indices] = 0
        return default_mask * kept.reshape([-1 if d == self.dim % t.dim() else 1 for d in range(t.dim())])


class LnStructured(RandomStructured):
    """Prunes the slices along ``dim`` with the smallest ``n``-norms."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def scores(self, t: Any) -> Any:
        return t.norm(p=self.n, dim=[d for d in range(t.dim()) if d != self.dim % t.dim()])


def identity(module: Any, name: str) -> Any:
    """``module`` with a mask of ones for the parameter ``name``.

    >>> layer = nbgrad.nn.utils.prune.identity(nbgrad.nn.Linear(2, 3), "bias")
    >>> layer.bias_mask
    tensor([1., 1., 1.])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """``module`` with ``amount`` random elements of ``name`` pruned; a float is a share of them.

    >>> layer = nbgrad.nn.utils.prune.random_unstructured(nbgrad.nn.Linear(2, 3), "weight", 0.5)
    >>> (layer.weight == 0).sum()
    tensor(3)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:
    """``module`` with the ``amount`` elements of ``name`` pruned that are nearest to 0, or whose scores are.

    >>> layer = nbgrad.nn.utils.prune.l1_unstructured(nbgrad.nn.Linear(2, 3), "weight", 2)
    >>> (layer.weight == 0).sum(), sorted(layer.state_dict())
    (tensor(2), ['bias', 'weight_mask', 'weight_orig'])
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """``module`` with ``amount`` random slices of ``name`` along ``dim`` pruned.

    >>> layer = nbgrad.nn.utils.prune.random_structured(nbgrad.nn.Linear(2, 3), "weight", 1, dim=0)
    >>> (layer.weight == 0).sum()
    tensor(2)
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """``module`` with the ``amount`` slices of ``name`` along ``dim`` pruned that have the smallest ``n``-norms.

    >>> layer = nbgrad.nn.utils.prune.ln_structured(nbgrad.nn.Linear(2, 3), "weight", 1, n=2, dim=0)
    >>> (layer.weight == 0).sum()
    tensor(2)
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """``module`` with the elements of ``name`` pruned where ``mask`` is 0.

    >>> layer = nbgrad.nn.Linear(2, 3)
    >>> nbgrad.nn.utils.prune.custom_from_mask(layer, "bias", nbgrad.tensor([1, 0, 1])).bias[1] == 0
    tensor(True)
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Any, str]], pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune parameters, given as (module, name), as if they were one: ``pruning_method`` is a class, made with the
    other arguments. TypeError for methods that prune slices.

    >>> layers = [nbgrad.nn.Linear(2, 3), nbgrad.nn.Linear(3, 1)]
    >>> prune = nbgrad.nn.utils.prune
    >>> prune.global_unstructured([(m, "weight") for m in layers], prune.L1Unstructured, amount=4)
    >>> sum((m.weight == 0).sum() for m in layers)
    tensor(4)
    """
    if not isinstance(parameters, Iterable):
        raise refused("global_unstructured", "parameters", parameters, "iterable of (module, name)")
    pairs, scores = [*parameters], {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise refused("global_unstructured", "importance_scores", scores, "dict of Tensors by (module, name)")
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise DTypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`, and this is {method.PRUNING_TYPE!r}'
        )
    values = [getattr(module, name) for module, name in pairs]
    known = [getattr(module, f"{name}_mask", None) for module, name in pairs]
    masks = [v.new_ones(v.shape) if m is None else m for v, m in zip(values, known, strict=True)]
    told = [_scores(v, scores.get(pair, v)) for pair, v in zip(pairs, values, strict=True)]
    whole, before = (_cat([x.detach().reshape(-1) for x in parts]) for parts in (told, masks))
    parts = PruningContainer(method)._masked(whole, before).split([v.numel() for v in values])
    for (module, name), mask, value in zip(pairs, parts, values, strict=True):
        custom_from_mask(module, name, mask.reshape(value.shape))


def remove(module: Any, name: str) -> Any:
    """``module`` whose parameter ``name`` is an ordinary one again, with zeros where it was pruned. ValueError where
    it was not.

    >>> prune = nbgrad.nn.utils.prune
    >>> layer = prune.remove(prune.l1_unstructured(nbgrad.nn.Linear(2, 3), "weight", 2), "weight")
    >>> sorted(layer.state_dict())
    ['bias', 'weight']
    """
    method = _method_of(module, name)
    if method is None:
        raise ArgumentError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    method.remove(module)
    _forget(module, method)
    return module


def is_pruned(module: Any) -> bool:
    """Whether a parameter of ``module``, or of a module in it, is pruned.

    >>> nbgrad.nn.utils.prune.is_pruned(nbgrad.nn.Linear(2, 3))
    False
    """
    return any(hooks_of(m, BasePruningMethod) for m in module.modules())


def _method_of(module: Any, name: str) -> Any:
    return next((m for m in hooks_of(module, BasePruningMethod) if m._tensor_name == name), None)


def _forget(module: Any, method: Any) -> None:
    hooks = module._hooks.tables["forward_pre"]
    for number in [number for number, hook in hooks.items() if hook is method]:
        del hooks[number]


def _scores(t: Any, scores: Any) -> Any:
    if scores.shape != t.shape:
        raise ArgumentError(
            f"importance_scores should have the same shape as the parameter, {[*t.shape]}, not {[*scores.shape]}"
        )
    return scores


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
