"""Settings of the test run.

NBGRAD_FUZZ=5000     how many random graphs the fuzzing tests take, all together (300 unless set)
NBGRAD_TEST_DEVICES  cpu, cuda, some or all: where tests run that can run on CUDA too (some unless set: on_devices.py)
NBGRAD_ORACLE=torch  run the tests of the public API (seeds/, nn/, optim/) against PyTorch itself, which shows that
                     what they expect is PyTorch's answer
"""

from __future__ import annotations

import os
import signal
import sys

from hypothesis import HealthCheck, settings

if os.environ.get("NBGRAD_ORACLE") == "torch":
    import torch

    sys.modules["nbgrad"] = torch

# Fixed examples: a failing run fails again. The fuzzing tests ask for other numbers of examples by NBGRAD_FUZZ.
settings.register_profile(
    "nbgrad", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("nbgrad")

# A shell that starts the tests in the background has Ctrl-C ignored; some of them send it to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
