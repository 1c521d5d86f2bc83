import pytest

from nbgrad.kernels.launch import SHARED_BYTES, Launch, launch_of
from nbgrad.tape.kernel import LANES, KernelText, Operand, Reduction
from nbgrad.tape.tape import Instruction

ELEMENTS = KernelText("map", 1, 0, (Operand("float32", 1, "in"), Operand("float32", 1, "out")), (), ((0, 1),))
ROWS = KernelText("map", 2, 0, ELEMENTS.operands, (), ((0, 1),))
SUMS = KernelText("row", 1, 1, (Operand("float32", 1, "in"), Operand("float32", 0, "out")), (), (), ())


def launch(text: KernelText, items: int, *words: int) -> Launch | None:
    return launch_of(Instruction(text, 3, items, 1, 1, 0, ()), [7, 7, 7, *words])


def covered(found: Launch) -> bool:
    """Whether warps get to all items, and none of the first blocks is there in vain."""
    warps = found.blocks * found.threads // LANES
    return warps * found.chunk >= found.items > (found.blocks - 1) * (found.threads // LANES) * found.chunk


@pytest.mark.parametrize("items", [1, 31, 32, 33, 127, 128, 129, 8193, 1_000_000])
def test_the_elements_of_a_map_are_shared_among_warps(items: int) -> None:
    found = launch(ELEMENTS, items, items)
    assert found is not None and covered(found)
    assert found.threads % LANES == 0 and found.threads <= 256


def test_nothing_is_launched_for_no_items() -> None:
    assert launch(ELEMENTS, 0, 0) is None


def test_a_large_map_keeps_the_gpu_full_and_gives_warps_more() -> None:
    found = launch(ELEMENTS, 1 << 26, 1 << 26)
    assert found is not None and found.chunk == 1024 and found.blocks == 8192


@pytest.mark.parametrize("width", [1, 10, 4096])
def test_rows_are_shared_among_warps_by_their_elements(width: int) -> None:
    found = launch(ROWS, 50, 50, width, 0, width * 4, 4, 0, width * 4, 4)
    assert found is not None and found.items == 50 * width and found.chunk == 128 and covered(found)


def test_a_warp_takes_several_short_rows_of_very_many() -> None:
    for rows, columns, chunk in ((1 << 18, 10, 16), (1 << 18, 100, 10), (1000, 10, 1), (1 << 18, 4096, 1)):
        found = launch(SUMS, rows, rows, columns, 1, columns, 1, 1, 0, columns * 4, 4, 0, 4, 0)
        assert found is not None and found.chunk == chunk and found.blocks <= 8192


def softmax_words(columns: int) -> tuple[KernelText, list[int]]:
    operands = (Operand("float32", 1, "in"), Operand("float32", 1, "scratch"), Operand("float32", 1, "out"))
    text = KernelText("row", 1, 1, operands, (), (), (Reduction("sum", (0,), (-1,)),))
    words = [100, columns, 1, columns, 1, 1, 0, columns * 4, 4, 64, 0, 4, 0, columns * 4, 4]
    return text, words


def test_a_row_is_kept_in_shared_memory() -> None:
    text, words = softmax_words(1000)
    found = launch(text, 100, *words)
    assert found is not None and found.scratch_bytes == 4064  # 64 and 4000, made whole words of 16 bytes
    assert found.threads == 8 * LANES and found.shared_bytes == 8 * 4064 <= SHARED_BYTES
    assert found.arguments(1, 2, 3) == (1, 100, 1, 2, 0, 4064)


def test_fewer_warps_share_a_block_where_rows_are_long() -> None:
    text, words = softmax_words(4096)
    found = launch(text, 100, *words)
    assert found is not None and found.threads == 2 * LANES and found.shared_bytes <= SHARED_BYTES


def test_what_shared_memory_does_not_hold_lies_in_a_workspace() -> None:
    text, words = softmax_words(20000)
    found = launch(text, 100, *words)
    assert found is not None and found.shared_bytes == 0 and found.threads == LANES
    assert found.workspace_bytes == found.blocks * found.scratch_bytes == 100 * 80064
    assert found.arguments(1, 2, 3) == (1, 100, 1, 2, 3, 80064)
