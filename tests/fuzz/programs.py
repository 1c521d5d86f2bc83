"""Random plain programs: lists of lines of Python that any library with PyTorch's names can run.

A program is written beside a reference that runs each line at once, so that a line fits the shapes there are, and what
the reference does in a way that nbgrad deliberately does not (``set_aside``) is left out of the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from math import prod
from random import Random
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

PRELUDE = """
class Bend(T.autograd.Function):  # its backward is not the derivative of what it computes
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 0.5
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * 3.0
class Keep(T.autograd.Function):  # saves its result
    @staticmethod
    def forward(ctx, x):
        y = x.sin()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y
class Same(T.autograd.Function):  # its result is a view of its input
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return g * 2.0
class Part(T.autograd.Function):  # its result is a view of a part of its input
    @staticmethod
    def forward(ctx, x):
        ctx.ones = T.ones(x.shape, dtype=x.dtype)
        return x[..., :1]
    @staticmethod
    def backward(ctx, g):
        return g * ctx.ones * 2.0
class Itself(T.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2.0
class Dirty(T.autograd.Function):  # writes its input
    @staticmethod
    def forward(ctx, x):
        x.mul_(0.5)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 0.5
class Both(T.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        return x * 0.5, x + y
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x + h, h * 2.0
"""


MADE_OF = re.compile(r"(t\d+) = (?:\w+\.apply\(|list\()?(t\d+)\b")


class Outcome(NamedTuple):
    """What a line did: nothing to see, what it looked at, or the error it raised."""

    kind: str  # "done", "refused"
    what: Any = None


@lru_cache(8192)
def compiled(line: str) -> CodeType:
    return compile(line, "<program>", "exec")


class Run:
    """A library that runs a program. ``seen``: values that it looked at; ``kept``: tensors to compare at the end."""

    def __init__(self, library: Any) -> None:
        self.seen: list[Any] = []
        self.kept: list[Any] = []
        self.space: dict[str, Any] = {"T": library, "np": np, "look": self.seen.append, "keep": self.keep}
        exec(compiled(PRELUDE), self.space)
        self.before = set(self.space)

    def keep(self, tensors: Any) -> None:
        """Notes gradients as they are now, without a look."""
        with self.space["T"].no_grad():
            self.kept.append([None if x is None else x.clone() for x in tensors])

    def do(self, line: str) -> Outcome:
        try:
            exec(compiled(line), self.space)
        except Exception as error:
            return Outcome("refused", error.with_traceback(None))
        return Outcome("done")

    @property
    def tensors(self) -> dict[str, Any]:
        return {name: x for name, x in self.space.items() if name[0] == "t" and name[1:].isdigit()}


class Vocabulary(NamedTuple):
    """What a program may be made of."""

    quiet: bool = False  # writes that PyTorch's counters do not see; what derivatives read is cloned before
    modes: bool = True
    custom: bool = True
    optimizers: bool = True
    exports: bool = True
    inference: bool = True
    keeps: bool = True  # tensors that keep their gradient
    refusals: bool = True  # keeps lines that the reference refuses
    graded: bool = False  # mostly of what is computed and has a derivative
    large: bool = False  # tensors that several threads share out, and operations of many kinds
    without: str = "^$"  # what no line has


def numbers(r: Random, shape: tuple[int, ...]) -> Any:
    if not shape:
        return r.choice([0.5, -1.0, 1.5, 2.0, -0.25, 0.75])
    return [numbers(r, shape[1:]) for _ in range(shape[0])]


SHAPES = [(3,), (4,), (2, 2), (2, 3), (3, 2), (2, 2, 2), (), (1,), (1, 3)]
LARGE = [(200, 33), (7, 1001), (5000,), (33, 200), (4, 3, 500)]
MODES = ["no_grad()"] * 5 + ["enable_grad()", "set_grad_enabled(False)", "no_grad(), T.enable_grad()"]


class Writer:
    """Writes a program of about ``size`` lines, of which ``reference`` has run each."""

    def __init__(self, seed: int, size: int, reference: Any, vocabulary: Vocabulary) -> None:
        self.r = Random(seed)
        known = dict(reference.words)
        if "without" in known:
            known["without"] += f"|{vocabulary.without}"
        self.size, self.reference, self.words = size, reference, vocabulary._replace(**known)
        self.run = Run(reference.module)
        self.lines: list[str] = []
        self.names: list[str] = []
        self.arrays: list[str] = []
        self.optimizers: list[str] = []
        self.above: dict[str, str] = {}  # of a view: what it was made of
        self.made: dict[str, int] = {}  # how often its memory was written when it was made
        self.count = 0
        self.grad_mode = True

    # --- choosing

    def tensor(self, fits: Callable[[Any], bool] = lambda x: True) -> str | None:
        found = [n for n in self.names if fits(self.run.space[n])]
        if not found:
            return None
        if self.words.graded and self.r.random() < 0.7:
            found = [n for n in found if self.reference.is_computed(self.run.space[n])] or found
        late = found[-3:] if self.r.random() < 0.4 else found  # what was made last is used more
        return self.r.choice(late)

    def like(self, name: str) -> str | None:
        """Another tensor of the same shape, or a number."""
        x = self.run.space[name]
        return self.tensor(lambda y: y.shape == x.shape and y.dtype == x.dtype)

    def value(self, name: str) -> str:
        """What to read of ``name`` for a product: where counters are blind, a copy that nobody writes."""
        return f"{name}.clone()" if self.words.quiet else name

    def result(self, call: str) -> str:
        """What a derivative reads of the result of ``call``: where counters are blind, nobody has it but that."""
        return f"{call}.clone()" if self.words.quiet else call

    def new(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.run.space[name].shape)

    # --- lines

    def leaf(self) -> str:
        shape = self.r.choice(SHAPES)
        if self.words.large and self.r.random() < 0.7:
            shape = self.r.choice(LARGE)
            kind = self.r.choice(["float32", "float64"])
            grad = ".requires_grad_()" if self.r.random() < 0.55 else ""
            return f"{self.new()} = T.linspace(-1.0, 2.0, {prod(shape)}, dtype=T.{kind}).reshape({shape}).clone(){grad}"
        if self.r.random() < 0.05:
            kind, count = self.r.choice(["int64", "int64", "bool"]), prod(shape)
            data = [k % 3 - 1 for k in range(self.r.randrange(3), self.r.randrange(3, 6) + count)][:count]
            return f"{self.new()} = T.tensor({data}).reshape({shape}).to(T.{kind})"
        kind = "float32" if self.r.random() < 0.15 else "float64"
        grad = ", requires_grad=True" if self.r.random() < (0.85 if self.words.graded else 0.55) else ""
        if self.r.random() < 0.1:
            return f"{self.new()} = T.full({shape}, 0.1, dtype=T.{kind}{grad})"
        return f"{self.new()} = T.tensor({numbers(self.r, shape)}, dtype=T.{kind}{grad})"

    def view_of(self, a: str) -> str | None:
        r, shape = self.r, self.shape(a)
        n = len(shape)
        options = [f"{a}[...]", f"{a}[None]", f"{a}.unsqueeze(-1)", f"{a}.view_as({a})", f"{a}.squeeze()"]
        options.append(f"{a}.reshape(-1)")
        if n < 3:
            options += [f"{a}.expand(2, {', '.join(map(str, shape))})"] * 2
        if n >= 1:
            size = shape[0]
            d = r.randrange(n)
            options += [f"{a}[1:]", f"{a}[:-1]", f"{a}[::2]", f"{a}[..., -1:]", f"{a}.view(-1)", f"{a}.flatten()"]
            if size:
                i = r.randrange(size)
                options += [f"{a}[{i}]", f"{a}[-1]", f"{a}[..., 0]", f"{a}[T.tensor({i})]", f"{a}.select(0, {i})"]
                options += [f"{a}.unbind(0)[{i}]", f"list({a})[{i}]", f"{a}.split(1)[{i}]", f"{a}.chunk(2)[0]"]
            if shape[d] > 1:
                options += [f"{a}.narrow({d}, 1, {shape[d] - 1})", f"{a}.unfold({d}, 2, 1)"]
        if n >= 2:
            dims = list(range(n))
            r.shuffle(dims)
            options += [f"{a}.permute({', '.join(map(str, dims))})", f"{a}.transpose(0, -1)", f"{a}.mT", f"{a}[:, 0]"]
            options += [f"{a}.swapaxes(0, -1)", f"{a}.movedim(0, -1)", f"{a}.unflatten(0, (1, -1))"]
            options += [f"{a}.diagonal()", f"{a}[:, 1:]", f"{a}.transpose(0, 1).diagonal()"]
        if n == 2:
            options += [f"{a}.T", f"{a}.t()"]
        return r.choice(options)

    def view(self) -> str | None:
        a = self.tensor(lambda x: len(x.shape) < 4)
        if a is None:
            return None
        return f"{self.new()} = {self.view_of(a)}"

    def alias(self) -> str | None:
        a = self.tensor()
        if a is None:
            return None
        way = "data" if self.words.quiet and self.r.random() < 0.4 else "detach()"
        return f"{self.new()} = {a}.{way}"

    def compute(self) -> str | None:
        r, a = self.r, self.tensor(lambda x: x.numel() <= (20000 if self.words.large else 24))
        if a is None:
            return None
        v, shape = self.value(a), self.shape(a)
        b = self.like(a) or a
        options = [f"{v} * {self.value(b)}", f"{a} + {b}", f"{v}.sin()", f"{a} * 0.5", f"{a} + 1.0", f"{v}.clone()"]
        options += [f"{a}.sum()", f"{v} * {v}", f"-{a}", f"T.where({v} > 0.5, {a}, {b})", f"T.stack([{a}, {b}])"]
        options += [f"{a} - {b} * 0.25", f"{a}.mean()", f"{v}.round()", self.result(f"{v}.relu()"), f"2.0 - {a}"]
        if not self.words.quiet:
            options += [f"{a}.max()"] if 0 not in shape else []
            options += [f"{a}.tanh()", f"({a} * 0.25).exp()"]
            options += [f"{a}.to(T.{r.choice(['float32', 'float64'])})", f"{a} * 2"]
        if shape and shape[0]:
            i = r.randrange(shape[0])
            options += [f"{a}[[0, {i}]]", f"{a}.sum(0)", f"T.cat([{a}, {b}])", f"{a}.flip(0)", f"{a}[{v} > 0.5]"]
            options += [f"{a}[{i}] * 2.0", f"{a}[1:] + {a}[:-1]", f"{a}.index_select(0, T.tensor([{i}, 0]))"]
        if self.words.large:
            options += [f"{a}.var()", f"{v}.sigmoid()"]
            options += [f"{v}.softmax(-1)", f"{a}.sum(-1)"] * 2 if shape else []
            options += [f"{v} @ {v}.T"] * 4 if len(shape) == 2 and shape[0] < 300 else []
            options += [f"{v}.cumsum(0)", f"{v}.max()"] if shape else []
        if self.words.custom:
            ways = [f"Bend.apply({v})", self.result(f"Keep.apply({v})"), f"Same.apply({a})", f"Itself.apply({a})"]
            ways += [f"Part.apply({a})"] if shape else []
            ways += [f"Dirty.apply({a})"] * 2 if not overlaps(self.run.space[a]) else []
            ways += [f"Both.apply({v}, {b})[{r.randrange(2)}]", f"Bend.apply({v})"]
            options += [r.choice(ways)] * (10 if self.words.graded else 5)
        return f"{self.new()} = {r.choice(options)}"

    def write(self) -> str | None:
        r, a = self.r, self.tensor(lambda x: x.dtype.is_floating_point)
        if a is None:
            return None
        x, shape, b = self.run.space[a], self.shape(a), self.like(a)
        number = r.choice(["0.5", "-1.0", "0.25"])
        if overlaps(x):
            # In which order a read and a write of one place come, PyTorch leaves open, and which of several values it
            # keeps: the last one in the order of its memory, its dims or its threads. So all that come there are equal.
            if not self.reference.writes_overlaps:
                return None
            options = [f"{a}.fill_({number})", f"{a}.zero_()", f"{a}.copy_({a}.detach() * 0.5 + 0.25)"] * 2
            options += [f"{a}[{a} > 0.5] = {number}", f"{a}.masked_fill_({a} > 0.25, {number})"]
            options += [f"{a}[T.tensor({r.random() < 0.7})] = {number}"]
            if shape and shape[0]:
                i = r.randrange(shape[0])
                options += [f"{a}[T.tensor({i})] = {number}", f"{a}[T.tensor([{i}, 0])] = {number}"]
                options += [f"{a}.index_fill_(0, T.tensor([{i}]), {number})", f"{a}[[{i}]] += 1.0"]
            return r.choice(options)
        options = [f"{a}.mul_({number})", f"{a}.add_({number})", f"{a} += 1.0", f"{a} *= 0.5", f"{a}.fill_({number})"]
        options += [f"{a}.zero_()", f"{a}.sin_()", f"{a}[...] = {number}", f"{a}.neg_()", f"{a}.clamp_(-1.0, 1.0)"]
        options += [f"{a}[{a} > 0.5] = {number}", f"{a}.masked_fill_({a} > 0.25, {number})", f"{a}[{a} > 0.5] *= 0.5"]
        options += [f"{a}[T.tensor({r.random() < 0.7})] = {number}"]
        if b is not None and b != a:
            clone = f"{b}.clone()" if self.reference.share(x, self.run.space[b]) else b
            options += [
                f"{a}.copy_({clone})",
                f"{a}.add_({clone})",
                f"{a}.mul_({clone if clone != b else self.value(b)})",
                f"{a} -= {clone}",
            ] * 2
            options += [f"{a}[...] = {clone}"]
        if shape and shape[0]:
            i = r.randrange(shape[0])
            options += [f"{a}[{i}] = {number}", f"{a}[1:] = {number}", f"{a}[..., 0] *= 0.5"]
            options += [f"{a}[T.tensor({i})] = {number}"]
            options += [f"{a}[T.tensor([{i}, 0])] = {number}", f"{a}[{i}] += 1.0", f"{a}[[{i}]] += 1.0"]
            options += [f"{a}[::2].mul_(0.5)", f"{a}.index_fill_(0, T.tensor([{i}]), {number})"]
            row = self.tensor(lambda y: tuple(y.shape) == shape[1:] and y.dtype == x.dtype)
            if row is not None and row != a:
                clone = f"{row}.clone()" if self.reference.share(x, self.run.space[row]) else row
                options += [f"{a}[{i}] = {clone}", f"{a}.add_({clone})", f"{a}[{i}].copy_({clone})"] * 2
        return r.choice(options)

    def look(self) -> str | None:
        a = self.tensor()
        options = [f"look({a}.tolist())", f"look({a}.sum().item())", f"look(bool(({a} > 0.13).any()))"]
        options += [f"look({a}.detach().numpy().tolist())"]
        return None if a is None else self.r.choice(options)

    def ask(self) -> str | None:
        a, what = self.tensor(), self.r.choice(["requires_grad", "is_leaf"])
        if a is None or what in self.reference.not_asked(self.run.space[a], self.made[a]):
            return None
        return f"look({a}.{what})"

    def leaves(self) -> list[str]:
        return [n for n in self.names if self.reference.is_true_leaf(self.run.space[n])]

    def derivative(self) -> str | None:
        r = self.r
        a = self.tensor(lambda x: self.reference.differentiable(x))
        leaves = self.leaves()
        if a is None or not leaves:
            return None
        root = r.choice([f"{a}.sum()", f"({self.value(a)} * {self.value(a)}).sum()", f"({a} * 3.0).sum()"])
        b = r.choice(leaves)
        if not self.words.quiet or r.random() < 0.3:
            b = r.choice([n for n in self.names if self.reference.differentiable(self.run.space[n])])
        keep = "retain_graph=True" if r.random() < 0.9 else "retain_graph=False"
        way = r.randrange(10)
        if way < 4:
            return f"{root}.backward({keep})"
        if way < 6:
            c = r.choice(leaves)
            return f"keep(T.autograd.grad({root}, [{b}, {c}], {keep}, allow_unused=True))"
        if way < 7:
            return f"{root}.backward({keep}, inputs=[{b}])"
        if way < 8:
            return f"keep([{b}.grad])"
        if way < 9:
            return f"{r.choice(leaves)}.grad = None"
        if not self.run.space[a].numel():
            return None  # whether zeros behind nothing depend on it, depends in PyTorch on how it was made
        return f"{self.new()} = T.autograd.grad({root}, {b}, create_graph=True)[0].clone()"

    def flag(self) -> str | None:
        r, a = self.r, self.tensor()
        if a is None:
            return None
        if r.random() < 0.4:
            kept = self.tensor(self.reference.differentiable)
            return None if kept is None or not self.words.keeps else f"{kept}.retain_grad()"
        options = [f"{a}.requires_grad_()", f"{a}.requires_grad_()", f"{a}.requires_grad_(False)", f"{a}.detach_()"]
        options += [f"{a}.requires_grad = True"]
        return r.choice(options)

    def renew(self) -> str | None:
        """``x.data = y`` where x has no views and is none: PyTorch's views of x stay with the old memory. Values of
        inference mode, and views for what is computed, nbgrad does not take."""
        alone = [n for n in self.names if n not in self.above and n not in self.above.values()]
        alone = [n for n in alone if not self.reference.is_view(self.run.space[n])]
        if not alone:
            return None
        a = self.r.choice(alone)
        b = self.like(a)
        if b is None or b == a or any(self.reference.is_inference(self.run.space[n]) for n in (a, b)):
            return None
        if self.reference.is_view(self.run.space[b]) and not self.run.space[a].is_leaf:
            b = f"{b}.clone()"
        return f"{a}.data = {self.r.choice([b, f'{b}.clone()'])}"

    def optimizer(self) -> str | None:
        r = self.r
        if self.optimizers and r.random() < 0.8:
            return f"{r.choice(self.optimizers)}.{r.choice(['step()', 'step()', 'zero_grad()'])}"
        leaves = [n for n in self.leaves() if not overlaps(self.run.space[n])]
        if not leaves:
            return None
        some = r.sample(leaves, min(len(leaves), r.randrange(1, 3)))
        way = r.choice(["SGD([{}], lr=0.1)", "SGD([{}], lr=0.1, momentum=0.5)", "Adam([{}], lr=0.1)"])
        self.count += 1
        return f"o{self.count} = T.optim.{way.format(', '.join(some))}"

    def outside(self) -> str | None:
        """Memory that NumPy sees."""
        r = self.r
        if self.arrays and r.random() < 0.6:
            n = r.choice(self.arrays)
            options = [f"{n} += 0.5", f"{n}[...] = 0.25", f"look({n}.tolist())"]
            line = r.choice([*options, f"{self.new()} = T.from_numpy({n})"])
            array = self.run.space[n]
            return None if "look" not in line and not (array.flags.writeable and not overlaps_array(array)) else line
        self.count += 1
        if r.random() < 0.3:
            return f"n{self.count} = np.linspace(-1.0, 1.0, {r.choice([3, 4])})"
        a = self.tensor()
        return None if a is None else f"n{self.count} = {a}.detach().numpy()"

    def drop(self) -> str | None:
        if len(self.names) < 4:
            return None
        a = self.r.choice(self.names)
        return f"del {a}"

    # --- a program

    def next(self) -> str | None:
        w = self.words
        kinds = [(self.view, 24), (self.compute, 18), (self.write, 24), (self.alias, 6), (self.look, 7), (self.ask, 5)]
        kinds += [(self.derivative, 14), (self.flag, 1 if w.graded else 4), (self.drop, 2), (self.leaf, 2)]
        kinds += [(self.renew, 2)] if w.quiet else []
        kinds += [(self.outside, 6)] if w.exports and w.quiet else []
        kinds += [(self.optimizer, 9 if w.graded else 5)] if w.optimizers else []
        way = self.r.choices([k for k, _ in kinds], [n for _, n in kinds])[0]
        line = way()
        if line is None or way in (self.look, self.ask, self.drop, self.leaf, self.renew):
            return line
        if (
            not w.modes
            or self.r.random() < (0.9 if w.graded else 0.72)
            or (way == self.derivative and self.r.random() < 0.8)
        ):
            return line
        mode = self.r.choice(MODES)
        if w.inference and self.r.random() < 0.08:
            mode = "inference_mode()"
        return f"with T.{mode}: {line}"

    def write_all(self) -> list[str]:
        for _ in range(self.r.randrange(1, 3)):
            self.add(self.leaf())
        failures = 0
        while len(self.lines) < self.size and failures < 60:
            line = self.next()
            if line is None or not self.add(line):
                failures += 1
        return self.lines

    def add(self, line: str) -> bool:
        """The line, if the reference runs it as nbgrad should."""
        if re.search(self.words.without, line) or self.reference.set_aside_before(self, line):
            return False
        outcome = self.run.do(line)
        if outcome.kind == "refused" and (
            not self.words.refusals or self.reference.set_aside(outcome.what, line, self.run.space)
        ):
            self.again()
            return False
        self.lines.append(line)
        self.note(line)
        return True

    def again(self) -> None:
        """Start over: an operation that was refused may have done a part of its work."""
        self.run = Run(self.reference.module)
        for line in self.lines:
            self.run.do(line)
            self.note(line)

    def note(self, line: str) -> None:
        """What ``line`` has made."""
        made = MADE_OF.search(line)
        for name, x in self.run.tensors.items():
            if name not in self.names:
                self.names.append(name)
                self.made[name] = self.reference.version(x)
                if made and made[1] == name and self.reference.is_view(x):
                    self.above[name] = made[2]
        self.names = [n for n in self.names if n in self.run.space]
        self.arrays = [n for n in self.run.space if n[0] == "n" and n[1:].isdigit()]
        self.optimizers = [n for n in self.run.space if n[0] == "o" and n[1:].isdigit()]


def strides_overlap(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    places = np.zeros((), np.int64)
    for size, stride in zip(shape, strides, strict=True):
        places = places[..., None] + np.arange(size) * stride
    return len(np.unique(places)) < places.size


def overlaps(x: Any) -> bool:
    """Whether two of its elements are one place in memory."""
    return strides_overlap(tuple(x.shape), tuple(x.stride()))


def overlaps_array(x: Any) -> bool:
    return strides_overlap(x.shape, x.strides)
