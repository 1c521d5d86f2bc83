"""Random numbers on GPUs."""

from __future__ import annotations

import nbgrad as nb
from tests.on_devices import cuda


def test_a_seed_gives_a_device_the_cpus_numbers() -> None:
    with cuda():
        for seed in (nb.cuda.manual_seed, nb.cuda.manual_seed_all, nb.manual_seed):
            seed(11)
            found = nb.randn(4, device="cuda").tolist()
            seed(11)
            assert nb.randn(4).tolist() == found
        assert nb.cuda.initial_seed() == 11


def test_the_stream_goes_on_where_its_state_was_taken() -> None:
    with cuda(2):
        state = nb.cuda.get_rng_state()
        found = nb.rand(3, device="cuda").tolist()
        nb.cuda.set_rng_state(state, "cuda:1")
        assert nb.rand(3, device="cuda:1").tolist() == found
        nb.cuda.seed()
        assert nb.rand(3, device="cuda").tolist() != found
