"""Tracks: streams by a number that plans can name."""

from __future__ import annotations

from nbgrad.runtime.cuda.devices import gpu, here
from nbgrad.runtime.cuda.tracks import (
    begin_in,
    current_streams,
    end_in,
    in_track_of,
    on_streams,
    stream_in,
    track_number,
)
from tests.runtime.cuda.devices import simulated


def test_the_default_streams_are_no_entry() -> None:
    with simulated():
        assert current_streams() == ()
        here.streams.update({1: 7, 0: 0})
        assert current_streams() == ((1, 7),)


def test_equal_streams_are_one_track() -> None:
    track = track_number(((0, 5), (1, 7)))
    assert track == track_number(((0, 5), (1, 7))) != track_number(((0, 5),)) and track > 0
    assert [stream_in(track, device) for device in (0, 1, 2)] == [5, 7, 0]


def test_a_track_is_current_inside_its_block() -> None:
    with simulated():
        stream = gpu(0).new_stream()
        track = track_number(((0, stream),))
        for before in ({}, {0: gpu(0).new_stream()}):
            here.streams.clear()
            here.streams.update(before)
            with in_track_of(track, 0):
                assert gpu(0).stream == stream
            assert here.streams == before


def test_streams_are_current_inside_their_block() -> None:
    with simulated():
        here.streams.update({0: 0, 1: gpu(1).new_stream()})
        before, stream = dict(here.streams), gpu(0).new_stream()
        with on_streams(((0, stream),)):
            assert (gpu(0).stream, gpu(1).stream) == (stream, 0)
        assert here.streams == before


def test_a_track_comes_after_its_caller_and_before_what_that_does_next() -> None:
    with simulated(lazy=True) as driver:
        track = track_number(((0, gpu(0).new_stream()),))
        order: list[str] = []

        def enqueue(what: str, stream: int) -> None:
            driver.enqueue(stream, lambda: order.append(what))

        enqueue("before", 0)
        begin_in(track, 0)
        enqueue("inside", stream_in(track, 0))
        end_in(track, 0)
        enqueue("after", 0)
        driver.wait_stream(0)
        assert order == ["before", "inside", "after"]
