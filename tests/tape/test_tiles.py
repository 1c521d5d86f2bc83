from __future__ import annotations

import pytest

from nbgrad.tape import tiles
from nbgrad.tape.tiles import tiles_of


@pytest.mark.parametrize("size", [4, 8])
def test_tiles_cover_the_result_and_threads_have_equal_shares(size: int) -> None:
    for m, n, k in ((1, 1, 1), (300, 10, 7), (4096, 4096, 64), (128, 512, 300), (3, 100_000, 5)):
        rows, columns, count = tiles_of(m, n, k, 1, size)
        assert count == -(-m // rows) * -(-n // columns)
        assert rows <= min(m, 256)
        assert columns * size <= max(size, 768)
        assert columns == n or columns * size % 64 == 0
        rows, columns, count = tiles_of(m, n, k, 1, size, most_rows=64)
        assert rows <= min(m, 64)
        assert count == -(-m // rows) * -(-n // columns)
    assert tiles_of(32, 512, 192, 1, 4)[2] == 4
    assert tiles_of(768, 128, 128, 1, 4)[2] == 12  # a thread on a slower core leaves some of them to others
    assert tiles_of(64, 64, 32, 48, 4)[2] == 1  # there is a batch to share
    assert tiles_of(16, 16, 16, 1, 4)[2] == 1  # it is not worth sharing


def test_what_one_thread_takes_is_what_a_trial_of_all_tiles_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [
        (m, n, k, itemsize)
        for m in (1, 7, 8, 20, 33, 64, 128, 256)
        for n in (1, 10, 17, 48, 64, 65, 128, 192)
        for k in (1, 10, 64, 256)
        for itemsize in (4, 8)
    ]
    tiles_of.cache_clear()
    found = [tiles_of(m, n, k, 1, itemsize) for m, n, k, itemsize in sizes]
    assert sum(tiles._is_for_one_thread(m, -(-n * size // tiles.VECTOR_BYTES), k) for m, n, k, size in sizes) > 0
    monkeypatch.setattr(tiles, "_is_for_one_thread", lambda *_: False)
    tiles_of.cache_clear()
    assert found == [tiles_of(m, n, k, 1, itemsize) for m, n, k, itemsize in sizes]
    tiles_of.cache_clear()
