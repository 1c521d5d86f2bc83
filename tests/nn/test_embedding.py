from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn


def test_embedding_looks_up_rows() -> None:
    table = nn.Embedding(5, 3)
    found = table(nb.tensor([[4, 0], [1, 1]]))
    assert found.shape == (2, 2, 3)
    assert found[0, 0].tolist() == table.weight[4].tolist()


def test_gradients_of_repeated_rows_add_up() -> None:
    table = nn.Embedding(3, 2)
    table(nb.tensor([1, 1, 2])).sum().backward()
    assert table.weight.grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]]


def test_the_padding_row_is_zero_and_stays_so() -> None:
    table = nn.Embedding(3, 2, padding_idx=-2)
    assert table.padding_idx == 1
    assert table.weight[1].tolist() == [0.0, 0.0]
    table(nb.tensor([1, 2])).sum().backward()
    assert table.weight.grad.tolist() == [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]


def test_pretrained_rows_are_frozen_unless_wanted() -> None:
    rows = nb.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert nn.Embedding.from_pretrained(rows)(nb.tensor(1)).tolist() == [3.0, 4.0]
    assert not nn.Embedding.from_pretrained(rows).weight.requires_grad
    assert nn.Embedding.from_pretrained(rows, freeze=False).weight.requires_grad


def test_embedding_prints_its_sizes() -> None:
    assert repr(nn.Embedding(5, 3)) == "Embedding(5, 3)"
    assert repr(nn.Embedding(5, 3, padding_idx=-1)) == "Embedding(5, 3, padding_idx=4)"


def test_a_padding_row_outside_the_table_is_refused() -> None:
    with pytest.raises(AssertionError if nb.__name__ == "torch" else ValueError, match="within num_embeddings"):
        nn.Embedding(3, 2, padding_idx=3)
    with pytest.raises(AssertionError if nb.__name__ == "torch" else ValueError, match="within num_embeddings"):
        nn.functional.embedding(nb.tensor([0]), nb.zeros(3, 2), padding_idx=-4)
