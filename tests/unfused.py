"""For folders whose tests are about what functions give, not about how it is computed: a kernel for each operator.

The worker process would make fused kernels of all that recurs. That takes longer than the tests, and whether they get
to see one is a matter of how busy the machine is. calls/test_compiled.py runs every function's samples fused, with
their derivatives; passes/test_random_graphs.py and fuzz/test_bits.py do it with random programs.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nbgrad.config import override


@pytest.fixture(autouse=True)
def unfused() -> Iterator[None]:
    with override(compile="never"):
        yield
