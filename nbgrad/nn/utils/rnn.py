"""Sequences of different lengths as one tensor: side by side with padding, or step by step without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from nbgrad.calls.arguments import flag_of, float_of, items_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, RunError, ShapeError
from nbgrad.functions.creation import full, tensor
from nbgrad.graph.dtypes import float32, float64, int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

_cat = function_of(CALLS["cat"])
_stack = function_of(CALLS["stack"])


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """Sequences without padding: ``data`` has the first steps of all of them, the longest first, then the second steps,
    and so on; ``batch_sizes`` says how many each step has. RNN, LSTM and GRU take and give them.

    ``sorted_indices`` are the places of the sequences before they were sorted; ``unsorted_indices`` bring them back.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if batch_sizes is None:  # one packed sequence, or a pair
            data, batch_sizes, *_ = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes.device.type != "cpu":
            raise ArgumentError("batch_sizes should always be on CPU")
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """``data.to(...)``, packed; the order goes to the same device."""
        moved = self.data.to(*args, **kwargs)
        if moved is self.data:
            return self
        order = [None if i is None else i.to(moved.device) for i in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(moved, self.batch_sizes, *order)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """On a CUDA device."""
        return self.to("cuda")

    def cpu(self) -> PackedSequence:
        """On the CPU."""
        return self.to("cpu")

    def double(self) -> PackedSequence:
        """With float64 data."""
        return self.to(dtype=float64)

    def float(self) -> PackedSequence:
        """With float32 data."""
        return self.to(dtype=float32)

    @property
    def is_cuda(self) -> bool:
        """Whether the data are on a CUDA device."""
        return bool(self.data.is_cuda)

    def is_pinned(self) -> bool:
        """Whether the data are in pinned memory."""
        return bool(self.data.is_pinned())


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes an order.

    >>> nbgrad.nn.utils.rnn.invert_permutation(nbgrad.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    return None if permutation is None else permutation.argsort()


def pad_sequence(
    sequences: Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (L, ...) of different lengths as one tensor (longest, N, ...), or (N, longest, ...) with
    ``batch_first``; ``padding_value`` fills the rest, on the "right" or the "left".

    >>> nbgrad.nn.utils.rnn.pad_sequence([nbgrad.tensor([1, 2]), nbgrad.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    name = "pad_sequence"
    given: list[Any] = [
        tensor_of(name, "sequences", s) for s in items_of(name, "sequences", sequences, "iterable of Tensors")
    ]
    if not given:
        raise RunError(f"{name}: received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RunError(f"{name}: padding_side must be 'left' or 'right', got {padding_side!r}")
    rest = tuple(given[0].shape[1:])
    if any(not s.dim() or tuple(s.shape[1:]) != rest for s in given):
        raise ShapeError(f"{name}: all sizes after the first must be alike, got {[list(s.shape) for s in given]}")
    longest, value = max(s.shape[0] for s in given), float_of(name, "padding_value", padding_value)
    wide = []
    for s in given:
        margin = s.new_full((longest - s.shape[0], *rest), value)
        wide.append(s if not margin.shape[0] else _cat([s, margin] if padding_side == "right" else [margin, s]))
    return _stack(wide, 0 if flag_of(name, "batch_first", batch_first) else 1)  # type: ignore[no-any-return]


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """The sequences of which ``pad_sequence`` has made one tensor.

    >>> nbgrad.nn.utils.rnn.unpad_sequence(nbgrad.tensor([[1, 2], [3, 0]]), nbgrad.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    x: Any = tensor_of("unpad_sequence", "padded_sequences", padded_sequences)
    rows = x if batch_first else x.transpose(0, 1)
    return [row[:n] for row, n in zip(rows.unbind(0), _lengths("unpad_sequence", lengths), strict=True)]


def _lengths(name: str, lengths: Any) -> list[int]:
    found = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    return [int(n) for n in items_of(name, "lengths", found, "Tensor or list of ints")]


def sizes_of(sequence: PackedSequence) -> list[int]:
    """How many sequences each step has: a look at the tensor only where it is another's than ours."""
    known: list[int] | None = getattr(sequence.batch_sizes, "_known", None)
    return sequence.batch_sizes.tolist() if known is None else known


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The first ``lengths`` (N) steps of each sequence in ``input`` (L, N, ...), or (N, L, ...) with ``batch_first``.

    Lengths have to fall, unless ``enforce_sorted`` is False: then the sequences are sorted, and networks give their
    states in the order of the input. RuntimeError for lengths below 1, above L, or not as many as sequences.

    >>> packed = nbgrad.nn.utils.rnn.pack_padded_sequence(nbgrad.tensor([[1, 3], [2, 0]]), [2, 1])
    >>> packed.data, packed.batch_sizes
    (tensor([1, 3, 2]), tensor([2, 1]))
    """
    name = "pack_padded_sequence"
    x: Any = tensor_of(name, "input", input)
    sizes = _lengths(name, lengths)
    if x.dim() < 2:
        raise ShapeError(f"{name}: expected an input of at least 2 dims, got {list(x.shape)}")
    x = x.transpose(0, 1) if batch_first else x
    steps, count = x.shape[:2]
    order: Any = None
    if not enforce_sorted:
        places = sorted(range(len(sizes)), key=lambda k: -sizes[k])
        sizes = [sizes[k] for k in places]
        order = tensor(places, dtype=int64, device=x.device)
    if len(sizes) != count:
        raise RunError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={count})")
    if not sizes or min(sizes) <= 0:
        raise RunError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if sizes != sorted(sizes, reverse=True):
        raise RunError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement."
        )
    if sizes[0] > steps:
        raise RunError(f"Expected `len(lengths)` to be at most {steps}, but got a length of {sizes[0]}")
    batches = [sum(n > t for n in sizes) for t in range(sizes[0])]
    rows = x if order is None else x.index_select(1, order)
    places = [t * count + k for t, n in enumerate(batches) for k in range(n)]
    flat = rows.reshape(steps * count, *rows.shape[2:])
    data = flat.index_select(0, tensor(places, dtype=int64, device=x.device))
    counts = tensor(batches, dtype=int64, device="cpu")
    counts._known = batches  # type: ignore[attr-defined]  # who needs the numbers need not look at the tensor
    return PackedSequence(data, counts, order)


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (L, ...) of different lengths, packed; ``enforce_sorted`` as in ``pack_padded_sequence``.

    >>> nbgrad.nn.utils.rnn.pack_sequence([nbgrad.tensor([1, 2]), nbgrad.tensor([3])]).data
    tensor([1, 3, 2])
    """
    given = items_of("pack_sequence", "sequences", sequences, "iterable of Tensors")
    lengths = [tensor_of("pack_sequence", "sequences", s).shape[0] for s in given]
    return pack_padded_sequence(pad_sequence(given), lengths, enforce_sorted=enforce_sorted)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """(the sequences side by side, their lengths): ``pack_padded_sequence`` undone. ``total_length`` is at least the
    longest (ValueError), and how many steps the result has.

    >>> packed = nbgrad.nn.utils.rnn.pack_sequence([nbgrad.tensor([1, 2]), nbgrad.tensor([3])])
    >>> nbgrad.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1)
    (tensor([[ 1,  2],
            [ 3, -1]]), tensor([2, 1]))
    """
    data: Any = sequence.data
    batches = sizes_of(sequence)
    steps, count = len(batches), batches[0]
    if total_length is not None:
        if total_length < steps:
            raise ArgumentError(
                f"Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    places = [t * count + k for t, n in enumerate(batches) for k in range(n)]
    start: Any = full((steps * count, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
    wide = start.index_copy(0, tensor(places, dtype=int64, device=data.device), data)
    wide = wide.reshape(steps, count, *data.shape[1:])
    lengths: Any = tensor([sum(n > k for n in batches) for k in range(count)], dtype=int64, device="cpu")
    if sequence.unsorted_indices is not None:
        wide = wide.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.to("cpu")]
    return (wide.transpose(0, 1) if batch_first else wide), lengths


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of which ``pack_sequence`` has made one.

    >>> nbgrad.nn.utils.rnn.unpack_sequence(nbgrad.nn.utils.rnn.pack_sequence([nbgrad.tensor([1, 2])]))
    [tensor([1, 2])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
