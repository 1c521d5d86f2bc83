"""The baseline tier: run a structure never seen, without building its graph.

Every call becomes a *template* (runtime/template.py), found by a rule (rules.py); so does the derivative of every call.
What is left to do for a recorded entry is one look-up and one line of a *bytecode* (runtime/baseline/layout.py), which
compiled code lays out, differentiates and links. The templates hold the same canonical operators that the full plan
has, in the same order of additions, so the bits are the same. Whatever this file does not know (custom functions,
earlier segments, second derivatives) is left to the full plan: ``Unsupported``.

The baseline tier has no graph. A full unfused plan cost 280 us for each recorded operation; templates cost 6 us,
derivative and linking included, and now about 2.5 where all rules are known. Most structures never come again, so the
plan waits until one does. Rules are made for exact sizes. A random tree of 40 operations on 16 elements takes 140 us of
one core of an AMD EPYC: 60 to record (1.4 an operation), 17 in compiled code (derivative 7, linking 5, running 165
instructions 5), 55 in Python that runs once a segment, so that its own code is never in cache. PyTorch takes three
times as long. Nobody asks for the thread's clock (4 us: two system calls) or whether compiled code is there (3). A
line of bytecode costs 5 ns while recording, and 15 once a segment. What is left is Python's: fewer statements per
operation would need a recorder that is compiled. To use the nodes of paths again that are gone saves 3 of 100 us: too
little for what it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.calls.key import NONE, split_key
from nbgrad.config import settings
from nbgrad.pipeline import S_PER_BYTE
from nbgrad.runtime.baseline.layout import EVENT, GIVEN, LEAF, SAME
from nbgrad.runtime.baseline.program import Value
from nbgrad.runtime.baseline.rules import Rule, RuleBook, Unsupported, rule_book
from nbgrad.trace import flush_plan
from nbgrad.trace.builder import OWN
from nbgrad.trace.derive import GradMeta, Place, Request
from nbgrad.trace.handle import NO_GRAD, PLAIN, ROOT, SEVERAL
from nbgrad.trace.trie import AN_INT, KINDS, STAND_INS, Leaf, TrieNode, path_between, stand_in

__all__ = ["NO_BASELINE", "BaselineBuilder", "Unsupported", "baseline_allowed"]

# Temporaries of a first run lie side by side. Beyond the first size they are worth planning where that takes no longer
# than to touch them all, beyond the second always.
MEMORY_LIMIT = 64 << 20
MOST_MEMORY = 512 << 20

SAME_OPERAND = stand_in(SAME)
UNBIND = CALLS["unbind_dim"]

REUSED_ENTRIES = 4096  # a longer segment's program takes megabytes, which are better given back


class BaselineBuilder:
    """A segment on its way to being run in the baseline tier, grown entry by entry like a Builder.

    An entry's ``form`` says how its value looks (-1: an event), ``owner`` whose cotangent it shares (its own,
    unless a call gave its operand back). ``inputs`` are the entries that came from memory. ``n_copies`` counts the
    lines after those of the entries. ``limit`` is the entry from which on ``usual_call`` makes no new entries
    (-1: none at all). ``met_s`` is how long the structure took before, where that is known. ``may_fail``: one of the
    entries can.

    Ctrl-C may leave an entry that is not in the trace: ``entries`` is the first to have it, ``at`` the last.
    """

    __slots__ = (
        *("at", "book", "bytecode", "entries", "forward", "grad_enabled", "has_rebased", "inputs", "limit"),
        *("may_fail", "met_s", "n_copies", "program", "results", "was_derived"),
    )

    def __init__(self, limit: int = -1, book: RuleBook | None = None) -> None:
        self.book = rule_book() if book is None else book
        self.forward = self.book.forward
        self.at = ROOT
        self.limit = limit
        self.entries: list[TrieNode] = []
        self.inputs: list[int] = []
        self.n_copies = 0
        self.program = self.book.program()
        self.bytecode = self.program.bytecode
        self.results: dict[int, list[Value]] = {}
        self.has_rebased = False
        self.was_derived = self.may_fail = False
        self.grad_enabled = True
        self.met_s: float | None = None

    def go_on_until(self, limit: int) -> None:
        """Take calls as a matter of course up to so many entries, where they were taken so before."""
        if self.limit >= 0:
            self.limit = limit

    def usual_call(
        self, parent: TrieNode, number: int, a: TrieNode, b: TrieNode | None = None, statics: Any = None
    ) -> TrieNode | None:
        """The entry of a call with one or two operands, or one and static arguments, taken in after ``parent``; None
        where that is no matter of course. This is the hot path of code that never does the same twice."""
        key: tuple[Any, ...]
        if b is not None:
            key = (number, a.ix, b.ix)
            if a.owner == b.owner:
                b = SAME_OPERAND
            rule = self.forward.get((number, a.form, b.form))
        elif statics is None:
            key = (number, a.ix)
            rule = self.forward.get((number, a.form))
        else:
            key = (number, a.ix, statics)
            rule = self.forward.get((number, a.form, statics))
        if rule is None or not rule.is_usual or parent is not self.at or parent.ix >= self.limit:
            return None
        node = TrieNode(parent, key)
        node.spec = rule.spec
        node.form = rule.form
        node.n_scalars += rule.n_scalars
        wants = a.requires_grad or (b is not None and b.requires_grad)
        node.requires_grad = grad = wants and rule.is_floating and self.grad_enabled
        self.entries.append(node)
        self.bytecode += (rule.number, grad, a.ix) if b is None else (rule.number, grad, a.ix, b.ix)
        self.at = node
        return node

    def lazy_view(
        self, parent: TrieNode, key: tuple[Any, ...], look_up: tuple[Any, ...], a: TrieNode
    ) -> TrieNode | None:
        """The same, of a view of ``a`` that begins at a number, where ``a`` is none itself: a lazy view."""
        rule = self.forward.get(look_up)
        if rule is None or not rule.is_lazy_view or a.lazy_view or parent is not self.at or parent.ix >= self.limit:
            return None
        if a.inference:
            return None
        node = TrieNode(parent, key)
        node.lazy_view = NO_GRAD if not self.grad_enabled else SEVERAL if key[0] == UNBIND.number else PLAIN
        node.be_alias()
        self._take_in(node, rule, (a, AN_INT), (a, AN_INT))
        return node

    def known(self, parent: TrieNode, key: tuple[Any, ...]) -> TrieNode | None:
        """The same, of any call."""
        if parent is not self.at or parent.ix >= self.limit:
            return None
        taken, operands, look_up = self._operands_of(key)
        rule = self.forward.get(look_up)
        if rule is None or rule.is_same or rule.can_fail:
            return None
        node = TrieNode(parent, key)
        self._take_in(node, rule, taken, operands)
        return node

    def leaf(self, parent: TrieNode, leaf: Leaf) -> TrieNode | None:
        """The entry of a tensor that comes in from memory, likewise."""
        if parent is not self.at or parent.ix >= self.limit:
            return None
        if leaf.inference or leaf.spec.place or leaf.spec.dtype.is_complex:
            return None
        node = TrieNode(parent, leaf, leaf.record)
        if leaf.form < self.book.forms.first:
            leaf.form = self.book.form(leaf.spec)
        node.spec, node.form = leaf.spec, leaf.form
        node.n_inputs += 1
        node.requires_grad = leaf.requires_grad
        node.leaf = node.ix if leaf.requires_grad else -1
        self.entries.append(node)
        self.inputs.append(node.ix)
        self.bytecode += (LEAF, leaf.requires_grad, leaf.form)
        self.at = node
        return node

    def sync(self, node: TrieNode) -> None:
        """Take in everything on the path up to ``node``."""
        if node is not self.at:
            path = path_between(self.at, node)
            if path is None:
                raise Unsupported("an entry was taken in that is not recorded: Ctrl-C came between")
            for entry in path:
                self.step(entry)
        if len(self.entries) != node.ix + 1:
            raise Unsupported("an entry was taken in twice: Ctrl-C came between")

    def digest(self, bits: bytes, output: int = -1) -> int:
        """A number that structures of equal entries and liveness share, and hardly any others. ``output``: the entry
        that is differentiated by all leaves and not recorded as such."""
        return hash((self.book.forms.first, self.program.lines().tobytes(), output, bits))  # rules are each book's own

    def step(self, entry: TrieNode) -> bool:
        """Take in one entry and write down its spec and flags. Whether a kernel of it may refuse its input."""
        record = entry.given
        if record is None:
            return self._call(entry, entry.key)
        baseline = KINDS[record[0]].baseline
        if baseline is None:
            raise Unsupported(record[0])
        return bool(baseline(self, entry, *record[1:]))

    def note(self, entry: TrieNode, form: int, *line: int) -> None:
        """Take in an entry that is no call, with its line of the bytecode; form -1: an event."""
        self.bytecode += line
        if form >= 0:
            entry.form = form
            if entry.spec is None:
                entry.spec = self.book.spec(form)
        self.entries.append(entry)
        self.at = entry

    def leave(self) -> None:
        """Take nothing as a matter of course from here on."""
        self.limit = -1

    def _call(self, entry: TrieNode, key: tuple[Any, ...]) -> bool:
        """Take in a call. Whether a kernel of it may refuse its input."""
        taken, operands, look_up = self._operands_of(key)
        rule = self.book.rule(look_up)
        self._take_in(entry, rule, taken, operands)
        self.may_fail |= rule.can_fail
        return rule.can_fail

    def view(self, entry: TrieNode, call: Any, refs: tuple[int, ...], statics: tuple[Any, ...]) -> bool:
        """Take in a step from what a view shows, which is the same in every grad mode."""
        before, self.grad_enabled = self.grad_enabled, True
        try:
            return self._call(entry, (call.number, *refs, statics) if statics else (call.number, *refs))
        finally:
            self.grad_enabled = before

    def _operands_of(self, key: tuple[Any, ...]) -> tuple[list[TrieNode], list[TrieNode], tuple[Any, ...]]:
        """Of the key of a call: its operands, the same with repeated ones marked so, and what its rule is found by."""
        entries = self.entries
        refs, statics = split_key(key)
        taken = [entries[r] if r >= 0 else STAND_INS[r] for r in refs]
        operands = self._marked(taken) if len(refs) > 1 else taken
        looks = [a.form for a in operands]
        return taken, operands, (key[0], *looks, statics) if statics else (key[0], *looks)

    def _take_in(self, entry: TrieNode, rule: Rule, taken: Sequence[TrieNode], operands: Sequence[TrieNode]) -> None:
        grad = self.grad_enabled and rule.is_floating and True in [a.requires_grad for a in taken]
        if rule.is_same:
            if taken[0].requires_grad == grad:
                entry.owner = taken[0].owner
            elif grad:
                raise Unsupported("a value with and without gradient")
        entry.spec = rule.spec
        entry.form = rule.form
        entry.view = rule.is_view
        if rule.n_scalars:
            assert entry.parent is not None
            entry.n_scalars = entry.parent.n_scalars + rule.n_scalars
        entry.requires_grad = grad
        self.entries.append(entry)
        self.bytecode += (rule.number, grad, *[a.ix for a in operands])
        self.at = entry

    def _marked(self, operands: list[TrieNode]) -> list[TrieNode]:
        """Operands, with those that are the same value as an earlier one marked so."""
        seen: dict[int, int] = {}
        marked = []
        for place, a in enumerate(operands):
            first = seen.setdefault(a.owner, place) if a.ix >= 0 else place
            marked.append(a if first == place else stand_in(SAME - first))
        return marked

    def require_little_memory(self) -> None:
        """Raise ``Unsupported`` where the values alone, or their cotangents too, take more than MEMORY_LIMIT."""
        if not self.book.table.unwritten:
            return  # it costs little to find out as the program is laid out
        size_bytes = 0
        for entry in self.entries:
            if entry.given is None and not entry.view and entry.spec is not None:
                size_bytes += entry.spec.size_bytes * (1 + entry.requires_grad)
        self.require_little(size_bytes)

    def require_little(self, size_bytes: int) -> None:
        """Raise ``Unsupported`` where temporaries of this size are worth planning."""
        if size_bytes > MEMORY_LIMIT:
            planning_s = len(self.entries) * flush_plan.PLANNING_S
            if size_bytes > MOST_MEMORY or size_bytes * S_PER_BYTE > planning_s:
                raise Unsupported("so much memory is worth planning")

    def row_major(self, form: int, line: int) -> int:
        """The line that holds a value of ``form`` row-major: its own, or one after all entries, with a copy."""
        if self.book.forms[form].is_plain:
            return line
        return self._more(self.book.rule((CALLS["clone"].number, form)).number, 0, line)

    def row_major_slot(self, value: Value) -> int:
        """Where a value that has no line lies row-major: its slot, or ~(a line after all entries)."""
        form, slot, _ = value
        return slot if self.book.forms[form].is_plain else ~self.row_major(form, self._written_out(value))

    def added(self, before: Leaf, value: Value) -> tuple[int, int]:
        """Add a value that has no line to what is in memory in state ``before``: (the line of that, ~ that of the
        sum)."""
        if before.form < self.book.forms.first:
            before.form = self.book.form(before.spec)
        rule = self.book.rule((CALLS["add"].number, before.form, value[0], NONE))
        old = self._more(LEAF, 0, before.form)
        line = self._more(rule.number, 0, old, self._written_out(value), NONE)
        return old, ~self.row_major(rule.form, line)

    def _written_out(self, value: Value) -> int:
        """A line for a value that has none."""
        form, slot, starts = value
        return self._more(GIVEN, form, slot, len(starts), *starts)

    def _more(self, *line: int) -> int:
        """Append a line behind those of all entries; gives its number."""
        self.bytecode += line
        self.n_copies += 1
        return len(self.entries) + self.n_copies - 1

    def gradients(self, output: int) -> list[tuple[int, Value]]:
        """Every leaf that the scalar entry ``output`` depends on, with its cotangent. Nobody differentiates again."""
        if self.was_derived:
            raise Unsupported("derivatives other than a first backward")
        self.require_little_memory()
        entry, book = self.entries[output], self.book
        assert entry.spec is not None
        found = self.program.derive(entry.owner, book.ones(entry.spec), book.backward)
        if found is None:
            raise Unsupported("a written value with several uses")
        self.was_derived = True
        return found

    def release(self) -> None:
        """Let another segment have the program: nothing of this one is needed any more."""
        if len(self.entries) <= REUSED_ENTRIES:
            self.book.programs.append(self.program)

    def differentiate(self, entry: TrieNode, request: Request) -> None:
        """Cotangents of all leaves, or of those asked for."""
        if request.function is not None or request.kept or request.create_graph or self.was_derived:
            raise Unsupported("derivatives other than a first backward")
        wanted = None if request.wrt is None else self._wanted_leaves(request.wrt)
        outputs = [self.entries[out] for out in request.outputs]
        if len({out.owner for out in outputs}) < len(outputs):
            raise Unsupported("one output twice")
        self.require_little_memory()
        seeds = []
        for out, seed in zip(outputs, request.seeds, strict=True):
            assert out.spec is not None
            seeds.append((out.owner, seed, -1 if seed >= 0 else self.book.ones(out.spec)))
        retain = request.retain_graph
        leaves = self.program.pull_back(seeds, wanted, retain, self.book.backward)
        if leaves is None:
            raise Unsupported("a written value with several uses")
        self.was_derived = not retain
        if wanted is not None:
            leaves = wanted
        else:
            leaves.reverse()
        found = [self.program.cotangent(ix) for ix in leaves]
        results = self.results[entry.ix] = [g for g in found if g is not None]
        if len(results) < len(found):
            raise Unsupported("a tensor that nothing depends on")
        places = () if wanted is not None else tuple([(OWN, ix) for ix in leaves])
        entry.meta = GradMeta(places, (True,) * len(found), (), [])
        self.note(entry, -1, EVENT)

    def _wanted_leaves(self, wrt: tuple[tuple[Place, ...], ...]) -> list[int]:
        """The entries of the leaves in ``wrt``, where each came in once, in this segment."""
        if self.has_rebased:
            raise Unsupported("written values on the way to chosen leaves")
        wanted = []
        for places in wrt:
            if len(places) != 1 or places[0][0] != OWN or self.entries[places[0][1]].record[0] != "leaf":
                raise Unsupported("derivatives by what is no leaf of this segment")
            wanted.append(places[0][1])
        return wanted


# Stands in a trace whose segment is beyond what this file knows.
NO_BASELINE = BaselineBuilder(book=RuleBook())  # one of its own, which stays empty: this is never dropped


def baseline_allowed() -> bool:
    """Whether structures may run without their graph: not where somebody wants to see or check every stage."""
    s = settings
    return not (s.log or s.check or s.interpret or s.compile == "eager" or flush_plan.watchers)
