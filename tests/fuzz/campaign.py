"""Many random programs from the command line: in batches, each a process, so that a crash or a hang ends one of them.

    python -m tests.fuzz.NAME FIRST COUNT [--limit SECONDS] [--short N]

prints each class of differences with its seeds and the shortest program found.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

BATCH = 50  # programs of one process
APART_S = 60.0  # how long a program is shortened in processes of its own
LIMIT_S = 60.0  # what one program may take


class Difference(NamedTuple):
    """``kind``: its class; ``detail``: what was found, and what the reference has."""

    kind: str
    detail: str


class Tool(Protocol):
    def write(self, seed: int) -> list[str]: ...
    def difference(self, lines: Sequence[str]) -> Difference | None: ...
    def is_fair(self, lines: Sequence[str]) -> bool: ...


def campaign(module: str, tool: Callable[[str, str], Tool]) -> None:
    """The command line of ``module``."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds that one program may take")
    parser.add_argument("--short", type=int, default=1, help="how many programs of a class are shortened")
    parser.add_argument("--ignore", default="^$", help="a regular expression: classes that are not looked at")
    parser.add_argument("--without", default="^$", help="a regular expression: lines that no program has")
    parser.add_argument("--show", action="store_true", help="print the programs instead")
    parser.add_argument("--batch", type=int, default=BATCH, help="programs of one process")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--lines", help=argparse.SUPPRESS)
    options = parser.parse_args()
    made = tool(options.ignore, options.without)
    if options.lines is not None:
        one(made, json.loads(Path(options.lines).read_text()), options.limit)
    elif options.show:
        for seed in range(options.first, options.first + options.count):
            print(f"# {seed}", *made.write(seed), sep="\n")
    elif options.worker:
        work(made, options)
    else:
        sys.exit(1 if summarize(module, made, options) else 0)


def one(tool: Tool, lines: list[str], limit: float) -> None:
    faulthandler.dump_traceback_later(limit, exit=True)
    found = tool.difference(lines)
    tell({"kind": found and found.kind, "detail": found and found.detail})


def tell(what: dict[str, Any]) -> None:
    sys.stdout.write("\n@" + json.dumps(what) + "\n")
    sys.stdout.flush()


def work(tool: Tool, options: argparse.Namespace) -> None:
    """A process of its own: says what it begins, and what it finds."""
    shortened: dict[str, int] = defaultdict(int)
    for seed in range(options.first, options.first + options.count):
        tell({"seed": seed})
        faulthandler.dump_traceback_later(options.limit, exit=True)
        lines = tool.write(seed)
        tell({"seed": seed, "lines": lines})
        found = tool.difference(lines)
        faulthandler.cancel_dump_traceback_later()
        if found is None:
            continue
        shortened[found.kind] += 1
        report: dict[str, Any] = {"found": seed, "kind": found.kind, "detail": found.detail, "lines": lines}
        tell(report)
        if shortened[found.kind] <= options.short:
            faulthandler.dump_traceback_later(5 * options.limit, exit=True)
            lines, found = shorten(tool, lines, found)
            tell(
                report
                | {"whole": report["lines"], "kind": found.kind, "detail": found.detail, "lines": lines, "short": True}
            )
            faulthandler.cancel_dump_traceback_later()


def shorten(tool: Tool, lines: list[str], found: Difference, most_s: float = 10.0) -> tuple[list[str], Difference]:
    """Leave out lines, and what is around them, as long as there is a difference of this kind."""
    end = time.monotonic() + most_s

    def still(some: list[str]) -> Difference | None:
        if not tool.is_fair(some):
            return None
        again = tool.difference(some)
        return again if again is not None and again.kind == found.kind else None

    size = max(len(lines) // 2, 1)
    while size and time.monotonic() < end:
        at, smaller = 0, False
        while at < len(lines) and time.monotonic() < end:
            some = lines[:at] + lines[at + size :]
            if some and (again := still(some)) is not None:
                lines, found, smaller = some, again, True
            else:
                at += size
        if not smaller or size > 1:
            size = size // 2 if size > 1 else 0
    for at in range(len(lines)):
        for simpler in simpler_lines(lines[at]):
            if time.monotonic() > end:
                break
            some = [*lines[:at], simpler, *lines[at + 1 :]]
            if (again := still(some)) is not None:
                lines, found = some, again
    return lines, found


def simpler_lines(line: str) -> Iterator[str]:
    """The same line with less to it."""
    if line.startswith("with "):
        yield line.split(": ", 1)[1]
    if "retain_graph=True" in line:
        yield line.replace("retain_graph=True", "")
    if ".clone()" in line:
        yield line.replace(".clone()", "")
    if found := re.search(r"^t\d+ = T\.tensor\((\[[^T]*\]), dtype", line):
        data = json.loads(found[1])
        while isinstance(data, list) and len(data) == 1:
            data = data[0]
        if isinstance(data, list) and isinstance(data[0], list):
            yield line.replace(found[1], json.dumps(data[0]))


def summarize(module: str, made: Tool, options: argparse.Namespace) -> int:
    """Run all batches; print what was found, and give how many classes."""
    classes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    begun, seed, end = time.monotonic(), options.first, options.first + options.count
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was found until then is told
    while seed < end:
        count = min(options.batch, end - seed)
        try:
            at, reports = batch(module, options, seed, count)
        except KeyboardInterrupt:
            break
        for report in reports:
            found = classes[report["kind"]]
            if report.get("short") and any(r["found"] == report["found"] for r in found):
                found.remove(next(r for r in found if r["found"] == report["found"]))
            found.append(report)
        seed = at
        differ = sum(len({r["found"] for r in some}) for some in classes.values())
        print(f"# {seed - options.first} programs, {differ} differ, {time.monotonic() - begun:.0f} s", file=sys.stderr)
    elsewhere = Elsewhere(module, made, options)
    for kind, some in sorted(classes.items(), key=lambda item: -len(item[1])):
        print(f"\n## {kind}: {len(some)} programs; seeds {[r['found'] for r in some][:12]}")
        for report in sorted(some, key=lambda r: (not r.get("short"), len(r["lines"])))[: max(options.short, 1)]:
            lines, detail = apart(elsewhere, report)
            print(f"# seed {report['found']}: {detail}", *lines, sep="\n", flush=True)
    differ = sum(len(some) for some in classes.values())
    print(
        f"\n{seed - options.first} programs, {differ} differ in {len(classes)} ways, {time.monotonic() - begun:.0f} s"
    )
    return len(classes)


def batch(module: str, options: argparse.Namespace, first: int, count: int) -> tuple[int, list[dict[str, Any]]]:
    """One process for programs from ``first`` on: what it found, and the seed to go on with."""
    arguments = [str(first), str(count), "--worker", "--limit", str(options.limit), "--short", str(options.short)]
    arguments += ["--ignore", options.ignore, "--without", options.without]
    with tempfile.TemporaryFile("w+") as told, tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([sys.executable, "-m", module, *arguments], stdout=told, stderr=said, text=True)
        try:
            code = process.wait(count * options.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        finally:
            process.kill()
        told.seek(0)
        said.seek(0)
        messages = [json.loads(line[1:]) for line in told if line.startswith("@")]
        trouble = said.read()
    reports = [m for m in messages if "found" in m]
    if code == 0:
        return first + count, reports
    last = next((m for m in reversed(messages)), {"seed": first})
    seed = last.get("seed", last.get("found", first))
    if code == 1 and "Timeout" not in trouble:
        print(f"the tool itself failed at seed {seed}:\n{trouble[-2000:]}", file=sys.stderr)
    kind = trouble_kind(code, trouble)
    detail = place(trouble) or trouble[-300:]
    if "found" not in last:
        reports.append({"found": seed, "kind": kind, "detail": detail, "lines": last.get("lines", [])})
    return seed + 1, reports


def place(trouble: str) -> str:
    """The innermost lines of a faulthandler's report."""
    found = re.findall(r'File "(?:.*/)?(\w+/\w+\.py)", line (\d+) in (\w+)', trouble)
    return " < ".join(f"{file}:{line} {name}" for file, line, name in found[:4])


def apart(elsewhere: Elsewhere, report: dict[str, Any]) -> tuple[list[str], str]:
    """The program of a report as it fails in a process of its own: one may suffer from what another has damaged."""
    kind = report["kind"]
    again = elsewhere.difference(report["lines"]) if report.get("short") else None
    if again is not None and again.kind == kind:
        return report["lines"], report["detail"]
    whole = report.get("whole", report["lines"])
    again = elsewhere.difference(whole)
    if again is None or again.kind != kind:
        return whole, f"not in a process of its own ({again and again.kind}): {report['detail']}"
    lines, again = shorten(elsewhere, whole, again, APART_S) if elsewhere.options.short else (whole, again)
    return lines, again.detail or report["detail"]


class Elsewhere(NamedTuple):
    """A tool each of whose programs runs in a process of its own."""

    module: str
    tool: Tool
    options: argparse.Namespace

    def write(self, seed: int) -> list[str]:
        return self.tool.write(seed)

    def is_fair(self, lines: Sequence[str]) -> bool:
        return self.tool.is_fair(lines)

    def difference(self, lines: Sequence[str]) -> Difference | None:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(json.dumps(lines))
            file.flush()
            arguments = ["0", "0", "--lines", file.name, "--limit", str(self.options.limit)]
            arguments += ["--ignore", self.options.ignore]
            command = [sys.executable, "-m", self.module, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return Difference(trouble_kind(done.returncode, done.stderr), place(done.stderr))
        told = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
        return Difference(told[-1]["kind"], told[-1]["detail"]) if told[-1]["kind"] else None


def trouble_kind(code: int, trouble: str) -> str:
    """How a process ended."""
    if "Timeout" in trouble:
        return "hang"
    return f"crash: exit {code}" + (" with an exception" if "Traceback" in trouble else "")


os.environ.setdefault("OMP_NUM_THREADS", "1")
