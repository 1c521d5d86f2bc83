"""Instructions of one kernel that do not depend on each other, side by side, for a GPU to launch them together.

A launch takes about 2 us, however little it does: the updates of a hundred parameters are one launch instead of a
hundred. What goes together is flagged like a wave, see ``waves``; dependences are kept, so the bits stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.waves import Waves, reorder

MOST_TOGETHER: Final = 256
LOOKED_AT: Final = 1024  # later instructions of the same kernel
_THREADS: Final = 2  # that the reckoning of waves asks for, which plays no part here


def join_alike(t: TapeBuilder, donated: Sequence[tuple[int, int]] = ()) -> Sequence[int]:
    """Put the instructions of ``t`` into an order in which those of one kernel stand together where they can, and count
    its blocks' lives in it.

    ``donated`` are (result, input) that are one memory. Gives the new place of each instruction.
    """
    return reorder(t, _Alike(t, donated).found())


class _Alike(Waves):
    """Waves of equal kernels."""

    def __init__(self, t: TapeBuilder, donated: Sequence[tuple[int, int]]) -> None:
        super().__init__(t, _THREADS, donated)
        self.texts = [i.text for i in t.instructions]
        self.of_text: dict[KernelText, list[int]] = {}
        for i in reversed([i for i in self.order if self.texts[i].joins]):
            self.of_text.setdefault(self.texts[i], []).append(i)  # the first one last, where it is taken off

    def found(self) -> list[list[int]]:
        waves = []
        early: set[int] = set()
        for i in self.order:
            same = self.of_text.get(self.texts[i], [])
            while same and self.done[same[-1]]:
                same.pop()
            if self.done[i]:
                self.early -= self.born[i] if i in early else 0
                continue
            wave = self.wave_of(i, same[-2 : -LOOKED_AT - 2 : -1])
            early.update(wave[1:])
            self.early += sum([self.born[j] for j in wave[1:]])
            self.finish(wave)
            waves.append(wave)
        return waves

    def is_full(self, wave: Sequence[int], work: int, longest: int) -> bool:
        return len(wave) == MOST_TOGETHER
