"""Ways in which a number can change between two calls: each is seen, or the function is recorded at each call."""

from __future__ import annotations

import builtins
import decimal
import gc
import logging
import math
import os
import sys
import time
import warnings
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.replay.ways import Way, ways


def told(way: Way, wrap: Any) -> list[Any]:
    """What the calls of a case give, five before each change and after it."""
    space: dict[str, Any] = {"nb": nb, "__name__": __name__, "__builtins__": dict(vars(builtins))}
    exec(way.before, space)
    lines = way.body.replace("; ", "\n").splitlines() if way.is_body else [f"return x * ({way.body})"]
    if way.is_body and way.body.startswith("with "):
        lines = [way.body]
    exec("def f(x, k):\n" + "\n".join(f"    {line}" for line in lines), space)
    run, found = wrap(space["f"]), []
    for change in ("pass", *way.changes, "pass"):
        exec(change, space)
        for k in (3, 3, 4, 5, 3):
            try:
                found.append(run(nb.ones(2), k).tolist())
            except Exception as error:
                found.append((type(error).__name__, str(error)))
    return found


@pytest.fixture
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What cases change of the world is as before."""
    kept = [(o, n, getattr(o, n)) for o, n in ((math, "sqrt"), (math, "pi"), (time, "time"), (nb, "ones"))]
    kept += [(nb.nn.functional, "relu", nb.nn.functional.relu), (nb.nn.Linear, "forward", nb.nn.Linear.forward)]
    kept += [(nb.Tensor, n, vars(nb.Tensor)[n]) for n in ("tanh", "__mul__") if nb.Tensor.tanh]
    place, options, threads = os.getcwd(), np.get_printoptions(), nb.get_num_threads()
    is_deterministic = nb.are_deterministic_algorithms_enabled()
    level, argv, depth = logging.getLogger().level, [*sys.argv], sys.getrecursionlimit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        def restore() -> None:
            for o, n, value in kept:
                setattr(o, n, value)
            os.chdir(place)
            os.environ.pop("NBGRAD_TEST_WAY", None)
            sys.modules.pop("nbgrad_way", None)
            np.set_printoptions(**options)
            nb.set_num_threads(threads)
            nb.set_grad_enabled(True)
            nb.set_default_dtype(nb.float32)
            nb.use_deterministic_algorithms(is_deterministic)
            nb.manual_seed(0)
            np.random.seed(0)
            logging.getLogger().setLevel(level)
            sys.argv[:] = argv
            sys.setrecursionlimit(depth)
            gc.enable()
            decimal.getcontext().prec = 28

        restore()
        yield restore
        restore()


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.text)
def test_a_change_is_seen_or_the_function_is_recorded(way: Way, as_it_was: Any) -> None:
    plain = told(way, lambda f: f)
    as_it_was()
    assert told(way, nb.compile) == plain
    assert len({*map(str, plain)}) > 1, "nothing has changed"
