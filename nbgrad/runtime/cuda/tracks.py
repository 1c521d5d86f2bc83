"""Tracks: the streams that a segment ran on, by a number that plans can name.

A derivative belongs on the stream of what it is the derivative of, which need not be the one that is current where
``backward`` is called.

`backward` runs each derivative on the stream of its operation (`runtime/cuda/tracks.py`), where that ran on another
stream than the one that calls `backward`. Changing streams ends a segment, so a segment has one; the derivative moves
cotangents between them as it moves them between devices, and each stream gets a part of the plan. Forward and backward
on one stream stay one tape.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from nbgrad.runtime.cuda.devices import gpu, here

Streams = tuple[tuple[int, int], ...]  # (device, stream), for those that are not the device's default stream

_numbers: Final[dict[Streams, int]] = {}
_streams: Final[dict[int, Streams]] = {}
_next: Final = itertools.count(1)


def current_streams() -> Streams:
    """The streams that are current in this thread."""
    return tuple(sorted([pair for pair in here.streams.items() if pair[1]]))


def track_number(streams: Streams) -> int:
    """The number of the track with these streams, from 1: programs give streams out again, so there are few."""
    number = _numbers.setdefault(streams, next(_next))
    _streams[number] = streams
    return number


def stream_in(track: int, index: int) -> int:
    """The stream of device ``index`` in ``track``."""
    return dict(_streams[track]).get(index, 0)


@contextmanager
def on_streams(streams: Streams) -> Iterator[None]:
    """A block in which ``streams`` are the current ones."""
    before = dict(here.streams)
    here.streams.clear()
    here.streams.update(streams)
    try:
        yield
    finally:
        here.streams.clear()
        here.streams.update(before)


@contextmanager
def in_track_of(track: int, index: int) -> Iterator[None]:
    """A block in which the stream of ``track`` is the current one of device ``index``."""
    before = here.streams.get(index)
    here.streams[index] = stream_in(track, index)
    try:
        yield
    finally:
        if before is None:
            del here.streams[index]
        else:
            here.streams[index] = before


def begin_in(track: int, index: int) -> None:
    """Let what ``track`` does on device ``index`` come after all that the current stream has to do now."""
    _wait(index, stream_in(track, index), gpu(index).stream)


def end_in(track: int, index: int) -> None:
    """Let what the current stream of device ``index`` does from now on come after all that ``track`` has to do now."""
    _wait(index, gpu(index).stream, stream_in(track, index))


def _wait(index: int, stream: int, other: int) -> None:
    device = gpu(index)
    device.activate()
    device.wait_for(stream, other)
