"""The first backward of the digits model in a new process, with an empty kernel cache and with a filled one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.libraries import NBGRAD, TORCH, why_absent
from bench.measure import Case, Timing

ROOT = Path(__file__).resolve().parents[1]

# Run in a process of its own; prints the seconds of the import and of the first backward after it.
SCRIPT = """
import importlib, json, sys, time
begin = time.perf_counter()
lib = importlib.import_module(sys.argv[1])
import numpy as np
imported = time.perf_counter()
nn = lib.nn
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
x, y = lib.from_numpy(np.ones((64, 64), np.float32)), lib.from_numpy(np.zeros(64, np.int64))
loss = nn.CrossEntropyLoss()(model(x), y)
loss.backward()
loss.item()
print(json.dumps([imported - begin, time.perf_counter() - imported]))
"""


def _first_backward(module: str, **environment: str) -> tuple[float, float]:
    """(seconds of the import, seconds from there to the end of the first backward)."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run([sys.executable, "-c", SCRIPT, module], env=env, capture_output=True, text=True, check=True)
    imported, first = json.loads(done.stdout)
    return imported, first


def timings(quick: bool) -> list[Timing]:
    """One timing each: import and first backward, cold and warm."""
    rounds = 1 if quick else 5
    cold = Case("first backward of the digits model, empty cache", "batch 64", {}, goal="under 2 s")
    warm = Case("first backward of the digits model, filled cache", "batch 64", {}, goal="under 0.3 s")
    imports = Case("import", "", {})
    out = [Timing(cold, NBGRAD, 0.0), Timing(warm, NBGRAD, 0.0), Timing(imports, NBGRAD, 0.0)]
    with tempfile.TemporaryDirectory() as filled:
        os.chmod(filled, 0o700)
        _first_backward("nbgrad", NBGRAD_CACHE_DIR=filled)
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as empty:
                os.chmod(empty, 0o700)
                out[0].rounds_s.append(_first_backward("nbgrad", NBGRAD_CACHE_DIR=empty)[1])
            imported, first = _first_backward("nbgrad", NBGRAD_CACHE_DIR=filled)
            out[1].rounds_s.append(first)
            out[2].rounds_s.append(imported)
    if not why_absent(TORCH, compile_asked=False):
        out += _torch_timings(warm, imports, rounds)
    return out


def _torch_timings(first: Case, imports: Case, rounds: int) -> list[Timing]:
    pairs = [_first_backward("torch") for _ in range(rounds)]
    return [
        Timing(first, TORCH, 0.0, [pair[1] for pair in pairs]),
        Timing(imports, TORCH, 0.0, [pair[0] for pair in pairs]),
    ]
