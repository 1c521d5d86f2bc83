"""Code that runs between two lines of ours: signal handlers, finalizers, collector callbacks, hooks of profilers.

    python -m tests.fuzz.moments FIRST COUNT     # scenarios, each a process of its own

A scenario is a loop, a source of moments, and what is done then, with tensors of its own and with the loop's. The
loop's numbers must be those that it has when nobody comes in between, before and after, to the bit.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import nbgrad as nb
from tests.fuzz.campaign import Difference, campaign, place

PACKAGE = os.path.dirname(os.path.abspath(nb.__file__))
MOMENTS = 40  # in a scenario
LONGEST_S = 4.0  # that it waits for them
HANG_S = 30.0


class Stop(Exception):
    """Raised by a handler."""


class Scene:
    """What a loop shows to who comes in between. ``valid``: the values that its tensors have at one time or another."""

    def __init__(self) -> None:
        self.tensors: dict[str, Any] = {}
        self.valid: dict[str, set[str]] = {}
        self.quiet = True
        self.iterations = self.moments = self.counted = self.added = 0
        self.counter = nb.zeros(2)  # the loop adds to it, and so do others
        self.notes: Counter[str] = Counter()
        self.tick: Callable[[], object] = int

    def show(self, name: str, x: Any) -> Any:
        self.tensors[name] = x
        self.valid.setdefault(name, set())
        return x

    def step(self) -> None:
        """What the tensors are now, are values that may be read."""
        self.iterations += 1
        if not self.quiet:
            self.counter.add_(1.0)
            self.counted += 1
        self.tick()
        if self.quiet:
            for name, x in self.tensors.items():
                self.valid[name].add(repr(x.tolist()))

    def note(self, what: str) -> None:
        self.notes[what] += 1


# --- loops: each gives what it computed


def plain(scene: Scene) -> list[Any]:
    """Recording, looks and backward of structures that come again."""
    found: list[Any] = []
    for n in range(12):
        w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
        b = w * float(n % 5)
        scene.show("w", w)
        scene.show(f"b{n % 5}", b)
        v = b[1:]
        loss = ((b + 1.0) * b).sum() + (v.tanh() * 0.5).sum()
        if n % 3 == 0:
            found.append(loss.item())
        loss.backward()
        found.append(w.grad.tolist())
        scene.step()
    return found


def fresh(scene: Scene) -> list[Any]:
    """Structures that were never seen before."""
    found: list[Any] = []
    for n in range(6):
        size = 2 + (scene.iterations * 7 + n) % 50
        w = scene.show("w", nb.ones(3, requires_grad=True))
        y = nb.ones(size) * 0.5
        for k in range(1 + (scene.iterations + n) % 5):
            y = (y + 1.0).sin() if (scene.iterations >> k) % 2 else y * 0.5 + y
        (y.sum() * 0.0 + (w * w * float(n)).sum()).backward()
        found.append(w.grad.tolist())
        scene.step()
    return found


def training(scene: Scene) -> list[Any]:
    nb.manual_seed(0)
    model = nb.nn.Sequential(nb.nn.Linear(4, 8), nb.nn.Tanh(), nb.nn.Linear(8, 1))
    optimizer = nb.optim.Adam(model.parameters(), lr=0.01)
    for name, p in model.named_parameters():
        scene.show(name, p)
    x = nb.linspace(-1.0, 1.0, 12).reshape(3, 4)
    found: list[Any] = []
    scene.step()
    for _ in range(8):
        loss = (model(x) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
        scene.step()
    return [found, [p.tolist() for p in model.parameters()]]


def compiled(scene: Scene) -> list[Any]:
    w = scene.show("w", nb.tensor([0.5, -1.0, 2.0], requires_grad=True))
    state = scene.show("state", nb.zeros(3))

    def step(x: Any, rate: float) -> Any:
        loss = ((w * x - 1.0) ** 2).sum()
        loss.backward()
        with nb.no_grad():
            w.sub_(w.grad * rate)
            state.mul_(0.5).add_(w)
        w.grad = None
        return loss.detach()

    run = nb.compile(step)
    found = []
    scene.step()
    for n in range(10):
        found.append(run(nb.ones(3) * float(n % 3), 0.05).item())
        scene.step()
    return [found, w.tolist(), state.tolist()]


def writes(scene: Scene) -> list[Any]:
    """Views, writes in place, and a segment that ends by its length alone."""
    base = scene.show("base", nb.zeros(4, 3))
    row, part = base[1], base.T[1:]
    found: list[Any] = []
    scene.step()
    for n in range(10):
        row += float(n)
        scene.step()
        part.mul_(0.5)
        scene.step()
        base[n % 4] = row * 0.25
        if n % 4 == 3:
            found.append(part.tolist())
        scene.step()
    return [found, base.tolist(), row.tolist()]


def mean(scene: Scene) -> list[Any]:
    """A running mean that nobody looks at for long."""
    total = nb.zeros(3)
    x = scene.show("x", nb.tensor([1.0, 2.0, 4.0]))
    for n in range(400):
        total = total * 0.75 + x * 0.25 * float(n % 3)
        if n % 50 == 0:
            scene.step()
    return [total.tolist()]


class Half(nb.autograd.Function):
    """``x * x / 2``; the numbers of its derivative come to the segment while that is recorded."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * 0.5

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return (g * 2.0 + x * 0.25 - x * 0.25) * x * 0.5


def derivatives(scene: Scene) -> list[Any]:
    """Custom functions, second derivatives, and earlier segments that come in."""
    found: list[Any] = []
    for n in range(6):
        w = scene.show("w", nb.tensor([1.0, 2.0, 3.0], requires_grad=True))
        y = Half.apply(w * float(n % 3 + 1))
        found.append(y.sum().item())
        (g,) = nb.autograd.grad((Half.apply(y) * w).sum(), w, create_graph=True)
        scene.show(f"g{n % 3}", g)
        if n % 2:
            found.append(g.tolist())
        (g * y).sum().backward()
        found.append(w.grad.tolist())
        scene.step()
    return found


LOOPS = {f.__name__: f for f in (plain, fresh, training, compiled, writes, mean, derivatives)}


# --- what is done at a moment


class Visitor:
    """Whoever comes in between; has tensors of its own."""

    def __init__(self, scene: Scene, do: Sequence[str], seed: int) -> None:
        self.scene, self.do, self.r = scene, [getattr(self, name) for name in do], Random(seed)
        self.own = nb.ones(3)
        self.leaf = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
        self.count = nb.zeros(2)
        self.late = nb.full((3,), 2.0) * 2  # not yet computed
        self.counted = 0
        self.inside = False
        self.double = nb.compile(lambda x: x * 2.0 + 1.0)

    def __call__(self) -> None:
        if self.inside or self.scene.quiet or self.scene.moments >= MOMENTS:
            return
        self.inside = True
        self.scene.moments += 1
        act = self.r.choice(self.do)
        try:
            act()
        except Stop:
            raise
        except BaseException as error:
            where = str(error).split("\n")[0][:60]
            self.scene.note(f"handler, {act.__name__}: {type(error).__name__}: {re.sub(r'[0-9]+', '#', where)}")
        finally:
            self.inside = False

    def expect(self, got: Any, want: Any, what: str) -> None:
        if got != want:
            self.scene.note(f"handler, {what}: wrong value")

    def read(self) -> None:
        self.expect((self.own * 2).sum().item(), 6.0, "read")
        self.expect(self.late.tolist(), [4.0] * 3, "read of what was recorded before")

    def write(self) -> None:
        self.count.add_(1.0)
        self.counted += 1
        if self.r.random() < 0.5:
            self.expect(self.count.tolist(), [float(self.counted)] * 2, "write")

    def leave(self) -> None:
        """Records something that is looked at another time."""
        self.late = self.own * 4.0

    def backward(self) -> None:
        self.leaf.grad = None
        with nb.enable_grad():  # whose moment it is decides the mode, as in PyTorch
            (self.leaf * self.leaf).sum().backward()
        self.expect(self.leaf.grad.tolist(), [2.0, 4.0, 6.0], "backward")

    def create(self) -> None:
        n = self.r.randrange(1, 200)
        self.expect(((nb.ones(n) + 1.0).sum() * 0.5).item(), float(n), "create")

    def call(self) -> None:
        self.expect(self.double(self.own).tolist(), [3.0] * 3, "call")

    def share(self) -> None:
        """Writes to a tensor of the loop's."""
        self.scene.counter[0] += 1000.0
        self.scene.added += 1

    def look(self) -> None:
        """The loop's tensors have a value that they have at one time or another."""
        for name, x in self.scene.tensors.items():
            got = x.tolist()
            if repr(got) not in self.scene.valid[name]:
                self.scene.note(f"handler, look at the loop's {name.rstrip('0123456789')}: wrong value")

    def derive(self) -> None:
        for name, x in self.scene.tensors.items():
            if x.requires_grad and x.is_leaf:
                with nb.enable_grad():
                    (g,) = nb.autograd.grad((x * 3.0).sum(), x)
                self.expect(set(g.reshape(-1).tolist()), {3.0}, f"derivative by the loop's {name[0]}")

    def save(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.npz")
            nb.save(dict(self.scene.tensors), path)
            for name, x in nb.load(path).items():
                if repr(x.tolist()) not in self.scene.valid[name]:
                    self.scene.note(f"handler, save of the loop's {name.rstrip('0123456789')}: wrong value")

    def stop(self) -> None:
        raise Stop


ACTIONS = ["read", "write", "leave", "backward", "create", "call", "look", "derive", "save", "share"]


# --- where moments come from


class Source:
    """Makes moments while a loop runs."""

    def __init__(self, visit: Visitor, seed: int) -> None:
        self.visit, self.r = visit, Random(seed)

    def begin(self) -> None: ...

    def end(self) -> None: ...


class Signal(Source):
    is_over = False  # then a handler that is on its way waits for no further one

    def wait(self) -> None:
        if not self.is_over:
            signal.setitimer(signal.ITIMER_REAL, self.r.uniform(0.0001, 0.004))

    def handler(self, *_: object) -> None:
        try:
            self.visit()
        finally:
            self.wait()

    def begin(self) -> None:
        self.is_over = False
        signal.signal(signal.SIGALRM, self.handler)
        self.wait()

    def end(self) -> None:
        self.is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)


class Garbage:
    """A cycle that the collector finds."""

    def __init__(self, visit: Callable[[], object]) -> None:
        self.me, self.visit, self.tensor = self, visit, nb.ones(2) * 3.0


class Dying(Garbage):
    def __del__(self) -> None:
        self.visit()


class Del(Source):
    kind: type[Garbage] = Dying

    def begin(self) -> None:
        self.visit.scene.tick = lambda: self.kind(self.visit)

    def end(self) -> None:
        self.visit.scene.tick = int


class Between(Source):
    """Between two lines of the loop: nobody is interrupted, and all must be well."""

    def begin(self) -> None:
        self.visit.scene.tick = self.visit

    def end(self) -> None:
        self.visit.scene.tick = int


class Finalize(Del):
    def begin(self) -> None:
        self.visit.scene.tick = lambda: weakref.finalize(Garbage(int), self.visit)


class Collector(Source):
    def callback(self, phase: str, info: object) -> None:
        if self.r.random() < 0.2:
            self.visit()

    def begin(self) -> None:
        gc.callbacks.append(self.callback)

    def end(self) -> None:
        if self.callback in gc.callbacks:
            gc.callbacks.remove(self.callback)


class Profile(Source):
    def hook(self, frame: Any, event: str, what: object) -> None:
        if self.r.random() < 0.01:
            self.visit()

    def begin(self) -> None:
        sys.setprofile(self.hook)

    def end(self) -> None:
        sys.setprofile(None)


class Line(Source):
    """Any line of the package: those moments come again in the next run."""

    def hook(self, frame: Any, event: str, what: object) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if self.r.random() < 0.003:
            self.visit()
        return self.hook

    def begin(self) -> None:
        sys.settrace(self.hook)

    def end(self) -> None:
        sys.settrace(None)


SOURCES: dict[str, type[Source]] = {
    "signal": Signal,
    "del": Del,
    "finalize": Finalize,
    "collector": Collector,
    "profile": Profile,
    "line": Line,
    "between": Between,
}
RAISES = ("signal", "profile", "line")  # what these raise arrives in the loop


# --- a scenario


def play(lines: Sequence[str]) -> Counter[str]:
    """Run a scenario: what was wrong, and under "moments" how many there were."""
    said = dict(line.split(" ", 1) for line in lines if not line.startswith("do "))
    do = [line[3:] for line in lines if line.startswith("do ")]
    seed = int(said["seed"])
    scene, loop = Scene(), LOOPS[said["loop"]]
    warnings.simplefilter("ignore", nb.errors.PerformanceWarning)
    if said["first"] == "quiet":
        loop(scene)
    else:  # what may be read is known, but the loop's structures are new: as in a process of its own
        scene.valid = values_elsewhere(said["loop"])
        scene.valid.pop("", None)
    visit = Visitor(scene, do, seed)
    source = SOURCES[said["moments"]](visit, seed)
    gc.set_threshold(int(said["threshold"]))
    scene.quiet = False
    results: list[Any] = []
    end = time.monotonic() + LONGEST_S
    while scene.moments < MOMENTS and time.monotonic() < end:
        try:
            source.begin()
            try:
                results.append(repr(loop(scene)))
            finally:
                source.end()
        except Stop:
            source.end()
        except Exception as error:
            source.end()
            text = re.sub(r"\d+", "#", str(error).split("\n")[0][:60])
            scene.note(f"loop: {type(error).__name__}: {text}")
    scene.quiet = True
    gc.set_threshold(700)
    try:
        after = repr(loop(Scene()))
        if any(result != after for result in results):
            scene.note("loop: wrong values")
        scene.quiet, scene.moments = False, 0
        for action in (visit.read, visit.backward, visit.create, visit.call, visit.look):
            action()
        if visit.count.tolist() != [float(visit.counted)] * 2:
            scene.note("handler, write: lost")
        if scene.counter.tolist() != [scene.counted + 1000.0 * scene.added, float(scene.counted)] and "stop" not in do:
            scene.note("loop or handler, write to one tensor: lost")
        elsewhere = values_elsewhere(said["loop"])[""]
        if elsewhere != {after}:
            scene.note("loop, afterwards: wrong values")
    except Exception as error:
        scene.note(f"afterwards: {type(error).__name__}: {str(error).splitlines()[0][:60]}")
    return scene.notes


def values_elsewhere(loop: str) -> dict[str, set[str]]:
    """What the loop may show, and under "" its result, of a process in which nobody comes in between."""
    command = [sys.executable, "-m", __spec__.name, "--values", loop]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name: set(values) for name, values in json.loads(done.stdout.splitlines()[-1]).items()}


def print_values(loop: str) -> None:
    scene = Scene()
    values = {"": [repr(LOOPS[loop](scene))]}
    print(json.dumps(values | {name: sorted(valid) for name, valid in scene.valid.items()}))


class Moments:
    """The tool's view of a scenario."""

    def __init__(self, ignore: str, without: str) -> None:
        self.ignore, self.without = ignore, without

    def write(self, seed: int) -> list[str]:
        r = Random(seed)
        source = list(SOURCES)[seed % len(SOURCES)]
        lines = [f"loop {list(LOOPS)[seed // len(SOURCES) % len(LOOPS)]}", f"moments {source}", f"seed {seed}"]
        lines += [f"threshold {r.choice([1, 3, 10, 50, 200, 700, 1000])}", f"first {r.choice(['quiet', 'moments'])}"]
        lines += [f"do {name}" for name in r.sample(ACTIONS, r.randrange(1, len(ACTIONS) + 1))]
        lines += ["do stop"] if source in RAISES and r.random() < 0.2 else []
        return [line for line in lines if not line.startswith("do ") or not re.search(self.without, line)]

    def difference(self, lines: Sequence[str]) -> Difference | None:
        command = [sys.executable, "-m", "tests.fuzz.moments", "--scenario", json.dumps(list(lines))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            hang = "Timeout" in done.stderr
            kind = "hang" if hang else f"crash: exit {done.returncode}"
            return Difference(kind, place(done.stderr) or done.stderr[-300:])
        notes = {k: n for k, n in json.loads(done.stdout.splitlines()[-1]).items() if not re.search(self.ignore, k)}
        if not notes:
            return None
        first = max(notes, key=lambda k: ("wrong" in k or "lost" in k, notes[k]))
        return Difference(first, ", ".join(f"{k} x {n}" for k, n in notes.items()))

    def is_fair(self, lines: Sequence[str]) -> bool:
        heads = [line.split(" ")[0] for line in lines]
        return all(heads.count(k) == 1 for k in ("loop", "moments", "seed", "threshold", "first")) and "do" in heads


if __name__ == "__main__":
    if sys.argv[1:2] == ["--scenario"]:
        faulthandler.enable()
        faulthandler.dump_traceback_later(HANG_S, exit=True)
        print("\n" + json.dumps(play(json.loads(sys.argv[2]))))
    elif sys.argv[1:2] == ["--values"]:
        print_values(sys.argv[2])
    else:
        campaign("tests.fuzz.moments", Moments)
