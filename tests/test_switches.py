"""What users see of every stage: each switch on a program of theirs, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nbgrad.config import LOG_WORDS, PASSES

PROGRAM = """
import nbgrad as nb

nb.manual_seed(1)
x, labels = nb.rand(32, 8), nb.randint(0, 4, (32,))
model = nb.nn.Sequential(nb.nn.Linear(8, 16), nb.nn.Tanh(), nb.nn.Linear(16, 4))
optimizer = nb.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
def step():
    loss = nb.nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()
compiled = nb.compile(step, fullgraph=True)
for k in range(12):
    loss = step() if k < 6 else compiled()
print(loss.item().hex(), [p.sum().item().hex() for p in model.parameters()])
"""

# What must stand under each word, whatever the compile mode.
SHOWN = {
    "graph": r"%\d+: f32\[32,16\] = tanh %\d+ +<string>:\d+",
    "grad": r"return %\d+ %\d+",
    "fuse": r"group \d+: .* 1 loop over \[32, 16\]",
    "tape": r"0: .*\n.*instructions, arena \d+ bytes",
    "memory": r"(the most memory at instruction|no large temporaries)(.*\n)*arena \d+ bytes, results \d+ bytes",
    "code": r"kernel nbk_\w{32}  # (map|row|column)",
    "llvm": r"define i32 @nbk_\w{32}\(",
    "asm": r"nbk_\w{32}:",
    "cache": r"nbk_\w{32}: not on disk: new code",
    "compile": r"step: runs from now on without recording: \d+ inputs",
    "time": r"canonicalize \d+\.\d\d ms",
}


def run(cache: Path, program: str = PROGRAM, **switches: str) -> subprocess.CompletedProcess[str]:
    """The program in a fresh process; switches are named without their NBGRAD_."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NBGRAD_")}
    environment |= {"NBGRAD_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment |= {f"NBGRAD_{name}": value for name, value in switches.items()}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=240)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that keeps its kernels from test to test."""
    return tmp_path_factory.mktemp("switches") / "nbgrad"


@pytest.fixture(scope="module")
def expected(cache: Path) -> str:
    done = run(cache)
    assert done.stderr == ""
    return done.stdout


def sections(text: str) -> dict[str, str]:
    """What stands under each ``-- word --``, all of it together."""
    found: dict[str, str] = {}
    for word, body in re.findall(r"^-- (\w+) --\n(.*?)(?=^-- \w+ --\n|\Z)", text, re.DOTALL | re.MULTILINE):
        found[word] = found.get(word, "") + body
    return found


@pytest.mark.parametrize("mode", ["background", "eager"])
def test_every_word_shows_its_stage(mode: str, expected: str, tmp_path: Path) -> None:
    done = run(tmp_path, COMPILE=mode, LOG="all")
    assert done.stdout == expected
    shown = sections(done.stderr)
    assert set(shown) == set(SHOWN) == set(LOG_WORDS)
    for word, pattern in SHOWN.items():
        assert re.search(pattern, shown[word]), f"{word}: {shown[word][:2000]}"
    assert re.search(rf"run \({'fused' if mode == 'eager' else 'unfused'}\) \d+\.\d\d ms", shown["time"])


def test_a_word_shows_only_its_own_stage(expected: str, cache: Path) -> None:
    done = run(cache, LOG="fuse")
    assert done.stdout == expected
    assert set(sections(done.stderr)) == {"fuse"}


def test_what_runs_unfused_at_first_does_not_claim_that_it_could_not_be_fused(expected: str, cache: Path) -> None:
    groups = run(cache, LOG="fuse", COMPILE="never").stderr
    assert "not fused: NBGRAD_COMPILE=never" in groups
    assert "a reduction has to be complete" not in groups
    left_out = run(cache, LOG="fuse", COMPILE="eager", PASSES="-fuse").stderr
    assert "not fused: the pass fuse is left out" in left_out


def test_stages_go_into_numbered_files_one_folder_a_structure(expected: str, cache: Path, tmp_path: Path) -> None:
    done = run(cache, COMPILE="eager", LOG="graph,fuse,tape,time", LOG_DIR=str(tmp_path / "out"))
    assert (done.stdout, done.stderr) == (expected, "")
    folders = sorted((tmp_path / "out").iterdir())
    assert [folder.name for folder in folders] == [f"{k + 1:04d}-step" for k in range(len(folders))]
    assert len(folders) > 2
    for folder in folders:
        assert {file.name for file in folder.iterdir()} == {"10-graph.txt", "30-fuse.txt", "40-tape.txt", "90-time.txt"}
        assert (folder / "40-tape.txt").read_text().count("instructions, arena") == 1
    runs = [(folder / "90-time.txt").read_text().count("run (fused)") for folder in folders]
    assert max(runs) > 2  # the step that comes again and again prints where it did at first


# A process for each setting, from one that has imported the package.
IN_EACH = f"""
import os
import nbgrad
for variables in SETTINGS:
    if os.fork():
        assert os.wait()[1] == 0
        continue
    os.environ.update({{f"NBGRAD_{{name}}": value for name, value in variables.items()}})
    nbgrad.config.reload()
    exec({PROGRAM!r})
    break
"""


def test_any_pass_may_be_left_out_of_a_program_and_it_may_be_checked(expected: str, cache: Path) -> None:
    without = [f"-{name}" for name in PASSES]
    settings = [{"PASSES": passes, "COMPILE": "eager"} for passes in [*without, ",".join(without)]]
    settings += [{"CHECK": "1", "COMPILE": mode} for mode in ("background", "eager", "never")]
    told = run(cache, f"SETTINGS = {settings}\n{IN_EACH}").stdout.splitlines(keepends=True)
    assert not [s for s, line in zip(settings, told, strict=True) if line != expected]


def test_the_interpreter_runs_programs_without_a_compiler(expected: str, tmp_path: Path) -> None:
    got = run(tmp_path, INTERPRET="1").stdout
    assert not list(tmp_path.glob("*.nbo"))
    values = [[float.fromhex(word) for word in re.findall(r"-?0x[0-9a-f.p+-]+", text)] for text in (got, expected)]
    assert values[0] == pytest.approx(values[1], rel=1e-5)  # NumPy adds in another order, in float32


def test_a_block_may_be_shown_alone(expected: str, cache: Path) -> None:
    program = PROGRAM.replace("    loss.backward()", "    with nb.log('fuse', 'time'):\n        loss.backward()")
    done = run(cache, program)
    assert done.stdout == expected
    assert set(sections(done.stderr)) == {"fuse", "time"}


def test_explain_gives_the_stages_of_every_tape(cache: Path) -> None:
    program = (
        PROGRAM
        + """
def step():
    loss = nb.nn.functional.cross_entropy(model(x), labels)
    loss.backward()
    return loss.item()
told = nb.explain(step)
assert isinstance(told.result, float)
for stage in ("graph", "passes", "fuse", "tape", "code", "tier"):
    assert told[stage], stage
assert "==== tape 0 ====" in repr(told)
assert told.fallbacks == [], told.fallbacks
"""
    )
    run(cache, program)


NO_WORKER = "import sys; sys.executable = '/nonexistent/python'\n"


def test_what_falls_back_is_in_the_log_and_in_explain(expected: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("where the folder should be")
    program = NO_WORKER + PROGRAM + "told = nb.explain(lambda: x.sum().item())\nprint(told)\n"
    done = run(tmp_path / "file", program, LOG="cache")
    assert done.stdout.startswith(expected)
    for text in ("no worker process", "kernels are not kept on disk"):
        assert text in done.stderr
        assert text in done.stdout


def test_copies_that_strides_could_not_avoid_are_told(cache: Path) -> None:
    program = """
import nbgrad as nb
x = nb.ones(3, 4)
print(nb.explain(lambda: (x * 2).t().reshape(12).numpy())["tape"])
"""
    done = run(cache, program, LOG="tape")
    assert "copied f32[4,3] for a reshape to f32[12]" in done.stdout
    assert "copied f32[4,3] for a reshape to f32[12]" in done.stderr


def test_an_upgrade_is_told_apart_from_new_code(tmp_path: Path) -> None:
    run(tmp_path, COMPILE="eager")
    upgraded = """
from nbgrad.runtime import cache
before = cache.versions()
cache.versions = lambda: before.replace("llvmlite=", "llvmlite=9")
"""
    done = run(tmp_path, upgraded + PROGRAM, LOG="cache", COMPILE="eager")
    said = r"not on disk: the same code is there for llvmlite="
    assert re.search(rf"nbk_\w{{32}}: {said}[\d.]+ \(now 9[\d.]+\)\n", done.stderr)
    assert re.search(f"runner: {said}", done.stderr)
    assert "new code" not in done.stderr
