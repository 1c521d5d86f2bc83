"""Which GPUs there are, and which of them "cuda" means."""

from __future__ import annotations

import pytest

import nbgrad as nb
from nbgrad.config import override
from tests.runtime.cuda.devices import simulated


def test_simulated_devices_say_what_they_are() -> None:
    with simulated():
        assert nb.cuda.is_available() and nb.cuda.device_count() == 2 and nb.cuda.is_initialized()
        nb.cuda.init()
        assert nb.cuda.get_device_name(1) == "Simulated GPU"
        assert nb.cuda.get_device_capability() == (8, 0)
        found = nb.cuda.get_device_properties(0)
        assert (found.name, found.total_memory, found.warp_size) == ("Simulated GPU", 1 << 30, 32)


def test_without_one_everything_says_so() -> None:
    with override(cuda="off"):
        assert not nb.cuda.is_available() and nb.cuda.device_count() == 0 and not nb.cuda.is_initialized()
        for ask in (
            nb.cuda.init,
            nb.cuda.current_device,
            nb.cuda.current_stream,
            nb.cuda.synchronize,
            nb.cuda.mem_get_info,
            nb.cuda.Stream,
            nb.cuda.Event().record,
            lambda: nb.cuda.set_device(0),
        ):
            with pytest.raises(RuntimeError, match="CUDA is switched off"):
                ask()


def test_the_current_device_is_set_for_good_or_for_a_block() -> None:
    with simulated():
        assert nb.cuda.current_device() == 0
        with nb.cuda.device(1):
            assert nb.cuda.current_device() == 1
            with nb.cuda.device(None), nb.cuda.device(-1):
                assert nb.cuda.current_device() == 1
            nb.cuda.set_device(0)
        assert nb.cuda.current_device() == 0
        nb.cuda.set_device(1)
        nb.cuda.set_device(-1)
        assert nb.cuda.current_device() == 1
        with pytest.raises(RuntimeError, match="invalid device ordinal"):
            nb.cuda.set_device(7)
        assert nb.cuda.current_device() == 1


def test_a_device_that_is_none_is_refused() -> None:
    with simulated():
        with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
            nb.cuda.synchronize("cpu")
        with pytest.raises(TypeError, match="expected a device"):
            nb.cuda.synchronize(1.5)


def test_all_public_names_are_there() -> None:
    assert all(hasattr(nb.cuda, name) for name in nb.cuda.__all__)
    assert issubclass(nb.cuda.OutOfMemoryError, RuntimeError)


def test_the_device_of_a_tensor_is_current_in_a_block() -> None:
    with override(cuda="simulated"):
        with nb.cuda.device_of(nb.ones(1, device="cuda:1")):
            assert nb.cuda.current_device() == 1
            with nb.cuda.device_of(nb.ones(1)):
                assert nb.cuda.current_device() == 1
        assert nb.cuda.current_device() == 0
