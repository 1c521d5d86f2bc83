"""Losses of few programs as modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, RunError, ShapeError
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional
from nbgrad.nn.containers import ModuleList, Sequential
from nbgrad.nn.criteria import Loss, NLLLoss
from nbgrad.nn.layers import Linear
from nbgrad.nn.module import Module
from nbgrad.nn.pairs import PairwiseDistance
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of

_cat = function_of(CALLS["cat"])


class CTCLoss(Loss):
    """Labels spread over the steps of a longer sequence, with blanks; see ``functional.ctc_loss``."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        lengths = (input_lengths, target_lengths)
        return functional.ctc_loss(log_probs, targets, *lengths, self.blank, self.reduction, self.zero_infinity)


class GaussianNLLLoss(Loss):
    """Targets that are normal with a given mean and variance; see ``functional.gaussian_nll_loss``."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:
        return functional.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class MultiMarginLoss(Loss):
    """The mean over other classes of max(0, margin - x[y] + x[i])^p; see ``functional.multi_margin_loss``."""

    weight: Tensor | None

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if p not in (1, 2):
            raise ArgumentError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ArgumentError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.register_buffer("weight", weight)
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(Loss):
    """Margins between target classes and others; see ``functional.multilabel_margin_loss``."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)


class TripletMarginWithDistanceLoss(Loss):
    """``TripletMarginLoss`` by any distance; see ``functional.triplet_margin_with_distance_loss``."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ArgumentError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return functional.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class NLLLoss2d(NLLLoss):
    """``NLLLoss`` by its name of long ago."""


class ASMoutput(NamedTuple):
    """Log-probabilities of the targets, and the mean of their negatives."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-softmax over many classes, of which the frequent ones come first: those up to the first of ``cutoffs`` have
    scores of their own, the others are in clusters whose maps narrow by ``div_value`` from one to the next.

    Shapes: input (N, in_features) or (in_features), target (N) or (); gives (output, loss). Source: Grave et al. 2017,
    "Efficient softmax approximation for GPUs".

    >>> softmax = nbgrad.nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[3, 6])
    >>> softmax.log_prob(nbgrad.ones(2, 8)).exp().sum(1)
    tensor([1.0000, 1.0000])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        given = [*cutoffs]
        if not given or given != sorted(set(given)) or min(given) <= 0 or max(given) > n_classes - 1:
            raise ArgumentError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*given, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        where: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **where)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            narrow, size = int(in_features // div_value ** (i + 1)), self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(Linear(in_features, narrow, bias=False, **where), Linear(narrow, size, bias=False, **where))
            )

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:  # type: ignore[attr-defined]
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input: Tensor, target: Tensor) -> ASMoutput:
        x: Any = input if target.dim() else input.unsqueeze(0)
        y: Any = target if target.dim() else target.unsqueeze(0)
        if target.dim() > 1 or x.dim() != 2 or x.size(0) != y.size(0):
            raise RunError(
                f"Input and target should have the same size in the batch dimension, got {list(input.shape)} and "
                f"{list(target.shape)}"
            )
        if y.numel() and not (int(y.min()) >= 0 and int(y.max()) < self.n_classes):
            raise RunError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{int(y.min())}, "
                f"{int(y.max())}] were found. "
            )
        scores: Any = functional.log_softmax(self.head(x), 1)
        cluster = sum([(y >= low).long() for low in self.cutoffs[:-1]])
        first = y.where(cluster == 0, self.shortlist_size + cluster - 1)
        output = scores.gather(1, first.unsqueeze(1)).squeeze(1)
        for i, inner in enumerate(self.tail):
            rows = (cluster == i + 1).nonzero().squeeze(1)
            if rows.numel():
                within: Any = functional.log_softmax(inner(x.index_select(0, rows)), 1)
                place = (y.index_select(0, rows) - self.cutoffs[i]).unsqueeze(1)
                output = output.index_add(0, rows, within.gather(1, place).squeeze(1))
        return ASMoutput(output if target.dim() else output.squeeze(0), -output.mean())

    def log_prob(self, input: Tensor) -> Tensor:
        """Log-probabilities of all classes, (N, n_classes)."""
        if input.dim() != 2 or input.shape[1] != self.in_features:
            raise ShapeError(f"log_prob: expected an input of (N, {self.in_features}), got {list(input.shape)}")
        head: Any = functional.log_softmax(self.head(input), 1)
        out = [head[:, : self.shortlist_size]]
        for i, inner in enumerate(self.tail):
            within: Any = functional.log_softmax(inner(input), 1)
            out.append(within + head[:, self.shortlist_size + i].unsqueeze(1))
        from_parts: Tensor = _cat(out, 1)
        return from_parts

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each row, int64."""
        best: Tensor = self.log_prob(input).argmax(1)
        return best
