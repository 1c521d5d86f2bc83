"""What it takes to add a function of each kind: a place in each of a few files. It is done to a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "nbgrad"
MOST_FILES = 4

# What is checked of each: its values in all three tiers, its derivatives by finite differences.
CHECK = """
import nbgrad as nb
from nbgrad.autograd import gradcheck, gradgradcheck

def check(function, reference, *inputs):
    leaves = [x.detach().requires_grad_() for x in inputs]
    expected = reference(*inputs)
    for compiler in ("never", "background", "eager", "eager"):
        with nb.config.override(compile=compiler):
            assert nb.allclose(function(*leaves), expected), compiler
    assert gradcheck(function, leaves) and gradgradcheck(function, leaves)

x = nb.linspace(-2.0, 2.0, 24, dtype=nb.float64).reshape(4, 6)
"""


@dataclass
class Addition:
    """By file: what is added at its end, or (what stands there, what does after). ``run``: what is run then."""

    files: dict[str, str | tuple[str, str]]
    check: str
    run: str = ""


ADDITIONS = {
    "an elementary function, as tanh": Addition(
        {
            "kernels/elementary/__init__.py": (
                '        "tanh": "hyperbolic.tanh",\n',
                '        "tanh": "hyperbolic.tanh",\n        "sech": "hyperbolic.sech",\n',
            ),
            "kernels/elementary/hyperbolic.py": '''

def sech(b: Builder, x: Value) -> Value:
    """2 e^-|x| / (1 + e^-2|x|)."""
    one = const_like(b, 1.0, x)
    e = b.function("exp", b.neg(b.abs(x)))
    return b.div(b.add(e, e), b.fma(e, e, one))
''',
            "ops/transcendental.py": """
sech = elementwise(
    "sech",
    partials=lambda y, x: (-y * apply("tanh", x),),
    emit="sech",
    reference=lambda x: 1 / np.cosh(x),
    cost=16,
)
""",
            "calls/elementary.py": '''

@call(method=True, inplace=True, functional=True)
def sech(input: Node) -> Node:
    """1 / cosh(input)."""
    return apply("sech", floating("sech", input))
''',
        },
        "check(nb.sech, lambda x: 1 / x.cosh(), x)\n"
        "assert nb.nn.functional.sech(x.clone()).equal(x.clone().sech_()) and x.sech().dtype is nb.float64",
    ),
    "a library kernel, as cumsum": Addition(
        {
            "tape/kernel.py": (
                '("cumsum", "cumprod", "cummax", "recurrence")',
                '("cumsum", "cumprod", "cummax", "recurrence", "alternating")',
            ),
            "kernels/library/scan.py": '''

@njit(nogil=True)
def alternating(words: Scan, begin: int, end: int) -> int:
    """x - h"""
    return scan(words, begin, end, lambda h, x, a, k: x - h)
''',
            "ops/scan.py": """

def _alternating(x: Any, dim: int, backwards: bool) -> Any:
    return _scanned(x, dim, backwards, lambda i, before, here: here - before)


def _alternating_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (apply("alternating", g, params=(params[0], not params[1])),)


alternating = define(
    Op("alternating", Kind.LIBRARY, lambda specs, params: specs[0], _alternating, vjp=_alternating_vjp)
)
""",
            "calls/reduce.py": '''

@call(method=True)
def alternating(input: Node, dim: int) -> Node:
    """Sums along ``dim`` in which every second element counts negative."""
    return apply("alternating", input, params=(one_dim("alternating", dim, input.spec.rank), False))
''',
        },
        """
def reference(x):
    rows = [x[0]]
    for row in x[1:]:
        rows.append(row - rows[-1])
    return nb.stack(rows)

check(lambda x: x.alternating(0), reference, x)
check(lambda x: nb.alternating(x, -1), lambda x: reference(x.T).T, x)
""",
        "from nbgrad.runtime.write_words import write_family; write_family('scan')",
    ),
    "a formula with a derivative of its own, as layer_norm": Addition(
        {
            "ops/normalization.py": '''

def _unit(inputs: tuple[Node, ...], params: Params) -> Node:
    """x / sqrt(sum(x^2))."""
    (x,), (dims,) = inputs, params
    length = apply("sqrt", apply("sum", x * x, params=(dims,)))
    return x / restore(length, x.spec.shape, dims)


def _unit_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """(g - y sum(g y)) / sqrt(sum(x^2))."""
    (x,), (dims,) = inputs, params
    inner = g - y * restore(apply("sum", g * y, params=(dims,)), x.spec.shape, dims)
    return (inner / restore(apply("sqrt", apply("sum", x * x, params=(dims,))), x.spec.shape, dims),)


unit = define(
    Op(
        "unit",
        Kind.COMPOSITE,
        _same,
        lambda x, dims: x / np.sqrt(np.sum(x * x, axis=dims, keepdims=True)),
        vjp=_unit_vjp,
        decompose=_unit,
    )
)
''',
            "calls/normalization.py": '''

@call(function=False, functional=True, grad_fn="NativeUnitNorm")
def unit_norm(input: Node, normalized_shape: Shape) -> Node:
    """input / its length over the last dims."""
    return apply("unit", input, params=(_last_dims("unit_norm", input, normalized_shape),))
''',
            "nn/normalization.py": '''

class UnitNorm(Module):
    """See ``functional.unit_norm``."""

    def __init__(self, normalized_shape: Shape) -> None:
        super().__init__()
        self.normalized_shape = normalized_shape

    def forward(self, input: Tensor) -> Tensor:
        return functional.unit_norm(input, self.normalized_shape)
''',
            "nn/__init__.py": ("LayerNorm, RMSNorm\n", "LayerNorm, RMSNorm, UnitNorm\n"),
        },
        "net = nb.nn.UnitNorm((6,))\n"
        "check(net, lambda x: x / (x * x).sum(-1, keepdim=True).sqrt(), x)\n"
        "assert net(x.requires_grad_()).grad_fn.name() == 'NativeUnitNormBackward0'",
    ),
    "a product of windows, as conv2d": Addition(
        {
            "calls/convolution.py": '''

@call(function=False, functional=True)
def smooth1d(input: Node, weight: TensorNode) -> Node:
    """Sums of ``input`` (N, L) under every place of a window of weights (K): (N, L - K + 1)."""
    windows = apply("window", input, params=(1, weight.spec.shape[0], 1, 1))
    columns = reshape_to(weight, (*weight.spec.shape, 1))
    product = apply("matmul", windows, expand_to(columns, (input.spec.shape[0], *columns.spec.shape)))
    return reshape_to(product, windows.spec.shape[:2])
''',
            "nn/convolution.py": '''

class Smooth1d(Module):
    """See ``functional.smooth1d``."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = Parameter(empty(size).fill_(1 / size))

    def forward(self, input: Tensor) -> Tensor:
        return functional.smooth1d(input, self.weight)
''',
            "nn/__init__.py": ("Conv1d, Conv2d, Conv3d\n", "Conv1d, Conv2d, Conv3d, Smooth1d\n"),
        },
        "w = nb.tensor([0.5, -1.0, 2.0], dtype=nb.float64)\n"
        "check(nb.nn.functional.smooth1d, lambda x, w: (x.unfold(1, 3, 1) * w).sum(-1), x, w)\n"
        "assert nb.allclose(nb.nn.Smooth1d(3)(x.float())[:, 0], x.float()[:, :3].mean(1))",
    ),
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has all of them."""
    folder = tmp_path_factory.mktemp("adding")
    package = folder / "nbgrad"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for addition in ADDITIONS.values():
        for name, change in addition.files.items():
            text = (package / name).read_text(encoding="utf-8")
            if isinstance(change, tuple):
                assert text.count(change[0]) == 1, (name, change[0])
                text = text.replace(*change)
            else:
                text += change
            (package / name).write_text(text, encoding="utf-8")
    for addition in ADDITIONS.values():
        if addition.run:
            _run(folder, "-c", addition.run)
    return folder


def _run(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder), "NBGRAD_CACHE_DIR": str(folder / "cache")}
    environment.pop("NBGRAD_COMPILE", None)
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ADDITIONS)
def test_it_takes_few_files(kind: str, copied: Path) -> None:
    addition = ADDITIONS[kind]
    assert len(addition.files) <= MOST_FILES
    _run(copied, "-c", CHECK + addition.check)
