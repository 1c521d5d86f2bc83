"""Records become entries: of the optimised code, those that run one after the other share one.

Only places that are seen by other code are places on the tape: stored, passed on, chosen among. All others are known
inside of a group alone, where the cotangent is a number in a register while the sweep goes back. A group is written
where the first of its places is asked for, so what is loaded from memory after that is not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from nbgrad.numba.differentiate.entries import ZERO, Edge, Entries, Record
from nbgrad.numba.differentiate.recording import RECORD, RECORD_TWICE

_MOST: Final = 256  # records in a group
_NAME: Final = re.compile(r'%(?:[-\w.$]+|"[^"]*")')
_CALL: Final = re.compile(rf"  (?P<name>\S+) = .*call .*@({RECORD}|{RECORD_TWICE})\((?P<given>[^)]*)\)")
_MADE: Final = re.compile(rf"  ({_NAME.pattern}) = (\w+) ")
_STORED: Final = re.compile(rf"  store .* ptr ({_NAME.pattern}),")
_LABEL: Final = re.compile(r'(?P<name>[-\w.$]+|"[^"]*"):')
_NUMBERED: Final = re.compile(r"(?<=%)(\d+)\b|^(\d+)(?=:)", re.M)
_BODY: Final = re.compile(r"^define .*?^}$", re.M | re.S)
_INCOMING: Final = re.compile(r"\[ ([^,]+), (%[^ ]+) \]")


def with_entries(text: str, name: str) -> str:
    """The module's ``text`` with entries for records, and code that sweeps through them under the ``name``."""
    entries = Entries()

    def rewritten(body: re.Match[str]) -> str:
        return body[0] if f"@{RECORD}" not in body[0] else str(_Function(body[0], entries))

    return f"{_BODY.sub(rewritten, text)}\n{entries.text(name)}"


@dataclass
class _Block:
    name: str
    lines: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)  # blocks that go here
    after: list[str] = field(default_factory=list)

    def phis(self) -> Iterator[str]:
        return (line for line in self.lines if " = phi " in line)


class _Use(NamedTuple):
    block: str
    by: str  # the record, or ""


class _Function:
    """The code of a function while it is rewritten."""

    def __init__(self, text: str, entries: Entries) -> None:
        # Names, since to take away a value without one changes the others' numbers.
        head, *lines = _NUMBERED.sub(lambda m: f"n{m[0]}", text).split("\n")
        # Groups have other numbers in each module, so no other module may have this code under the same name.
        self.head = head.replace("define linkonce_odr ", "define internal ", 1)
        self.entries = entries
        self.blocks = {block.name: block for block in _blocks(lines[:-1])}
        self.records: dict[str, Record] = {}
        self.home: dict[str, str] = {}  # the block of a record
        self.nowhere: set[str] = set()
        for block in self.blocks.values():
            for line in block.lines:
                if found := _CALL.match(line):
                    self._add(block.name, found)
        self.uses: dict[str, list[_Use]] = {name: [] for name in self.records}
        for block in self.blocks.values():
            self._find_uses(block)
        done: set[str] = set()
        for name in self.blocks:
            if name not in done:
                trace = self._trace(name, done)
                done |= set(trace)
                _Walk(self, trace)

    def __str__(self) -> str:
        shown = [self.head]
        for block in self.blocks.values():
            shown += [f"{block.name[1:]}:", *block.lines]
        return "\n".join([*shown, "}"])

    def _add(self, block: str, found: re.Match[str]) -> None:
        tape, *given = [argument.split()[-1] for argument in found["given"].split(", ")]
        width = len(given) // 2
        edges = [Edge(*given[k : k + width]) for k in (0, width)]
        self.records[found["name"]] = Record(found["name"], tape, tuple([e for e in edges if e.place not in ZERO]))
        self.home[found["name"]] = block

    def _find_uses(self, block: _Block) -> None:
        for line in block.lines:
            if " = phi " in line:
                for value, label in _INCOMING.findall(line):
                    if value in self.uses:
                        self.uses[value].append(_Use(label, ""))
                continue
            found = _CALL.match(line)
            by = found["name"] if found else ""
            for name in _NAME.findall(line):
                if name in self.uses and name != by:
                    self.uses[name].append(_Use(block.name, by))

    def _trace(self, start: str, done: set[str]) -> list[str]:
        """Blocks of which each is reached from the one before alone; where there are two, the one that comes back to
        the first, or at least goes on."""
        trace = [start]
        back: set[str] = set()  # from where the first is reached
        waiting = [start]
        while waiting:
            new = set(self.blocks[waiting.pop()].before) - back
            back |= new
            waiting += new
        while True:
            after = [name for name in self.blocks[trace[-1]].after if name not in done and name not in trace]
            after = [name for name in after if len(self.blocks[name].before) == 1]
            if not after:
                return trace
            trace.append(max(after, key=lambda name: (name in back, bool(self.blocks[name].after))))


def _blocks(lines: Sequence[str]) -> list[_Block]:
    found: list[_Block] = []
    for line in lines:
        label = _LABEL.match(line)
        if label:
            found.append(_Block(f"%{label['name']}"))
        elif line.startswith(("    ", "  ]")):
            found[-1].lines[-1] += f"\n{line}"
        elif line:
            if not found:
                found.append(_Block("%nbgrad.start"))  # LLVM leaves out a first label that is a number
            found[-1].lines.append(line)
    known = {block.name: block for block in found}
    for block in found:
        text = "\n".join(block.lines)
        block.after = list(dict.fromkeys(re.findall(rf"label ({_NAME.pattern})", text)))
        for name in block.after:
            known[name].before.append(block.name)
    return found


class _Walk:
    """Through a trace, with the records that no entry was written for until now."""

    def __init__(self, function: _Function, trace: Sequence[str]) -> None:
        self.function, self.inside = function, set(trace)
        self.pending: dict[str, Record] = {}
        self.entries: dict[str, tuple[list[Record], list[str]]] = {}  # by the line where they are to be written
        for k, name in enumerate(trace):
            block, self.lines = function.blocks[name], list[str]()
            for line in block.lines[:-1]:
                self._take(line)
            *_, last = block.lines
            if k + 1 == len(trace):
                self._flush()
            else:
                incoming = [_INCOMING.findall(line) for after in block.after for line in function.blocks[after].phis()]
                asked = {value for pairs in incoming for value, label in pairs if label == name}
                asked |= {*_NAME.findall(last)}
                asked |= {n for n in self.pending if function.home[n] == name and self._is_seen_elsewhere(n)}
                if asked & self.pending.keys():
                    self._flush()
            block.lines = [*self.lines, last]
        self._write(trace)

    def _write(self, trace: Sequence[str]) -> None:
        """The instructions of entries, now that all are known."""
        blocks = self.function.blocks
        end = next((k + 1 for k, name in enumerate(trace) if trace[0] in blocks[name].after), 0)
        loop = [line for name in trace[:end] for line in blocks[name].lines]
        alone = [line for line in loop if line in self.entries]
        changed, chosen = self._changed(loop), self._chosen(trace[:end])
        for name in trace if self.entries else ():
            lines: list[str] = []
            for line in blocks[name].lines:
                if line in self.entries:
                    is_run = alone == [line] and chosen.isdisjoint(self._places(line))
                    fixed = changed.isdisjoint if is_run else None
                    lines += self.function.entries.written(*self.entries[line], fixed)
                else:
                    lines.append(line)
            blocks[name].lines = lines

    def _places(self, line: str) -> set[str]:
        """The operands of the entry that is written there."""
        return {edge.place for record in self.entries[line][0] for edge in record.edges}

    def _chosen(self, loop: Sequence[str]) -> set[str]:
        """What a round of a loop chooses among values: such places seldom go on in equal steps."""
        blocks = self.function.blocks
        made = [(found, k) for k, name in enumerate(loop) for found in map(_MADE.match, blocks[name].lines) if found]
        return {found[1] for found, k in made if found[2] == "select" or (found[2] == "phi" and k > 0)}

    def _changed(self, loop: Sequence[str]) -> set[str]:
        """What a loop of these instructions seems to change: what is other in each of its rounds, what it reads at an
        address that it writes to, and what is made of such. Whether that is so, the code that writes an entry asks."""
        targets = {found[1] for line in loop if (found := _STORED.match(line))}
        changed = {name for line in loop if line in self.entries for name in self.entries[line][1]}
        for line in loop:
            if made := _MADE.match(line):
                operands = _NAME.findall(line, made.end())
                is_new = made[2] == "phi" or (made[2] == "load" and operands[0] in targets)
                if is_new or not changed.isdisjoint(operands):
                    changed.add(made[1])
        return changed

    def _take(self, line: str) -> None:
        found = _CALL.match(line)
        if found is None:
            if " = phi " not in line and any(name in self.pending for name in _NAME.findall(line)):
                self._flush()
            self.lines.append(line)
            return
        record = self.function.records[found["name"]]
        nowhere = self.function.nowhere
        record = record._replace(edges=tuple([e for e in record.edges if e.place not in nowhere]))
        if not record.edges:
            nowhere.add(record.name)
            self.lines.append(f"  {record.name} = or i64 0, 0")
            return
        self.pending[record.name] = record
        if len(self.pending) == _MOST:
            self._flush(everything=True)

    def _is_seen_elsewhere(self, name: str) -> bool:
        return any(use.block not in self.inside for use in self.function.uses[name])

    def _is_seen(self, name: str) -> bool:
        """Whether its place is asked for by other code than by records in this trace."""
        return any(not use.by or use.block not in self.inside for use in self.function.uses[name])

    def _flush(self, everything: bool = False) -> None:
        """Write an entry of all records whose places are asked for, and of those that these depend on."""
        wanted = [name for name in self.pending if everything or self._is_seen(name)]
        group: set[str] = set()
        while wanted:
            name = wanted.pop()
            if name in self.pending and name not in group:
                group.add(name)
                wanted += [edge.place for edge in self.pending[name].edges]
        if not group:
            return
        records = [record for name, record in self.pending.items() if name in group]
        seen = [
            record.name
            for record in records
            if self._is_seen(record.name) or any(use.by not in group for use in self.function.uses[record.name])
        ]
        for name in group:
            del self.pending[name]
        if seen:
            mark = f"  ; {len(self.entries)}"
            self.entries[mark] = records, seen
            self.lines.append(mark)
