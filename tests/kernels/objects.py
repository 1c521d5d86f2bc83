"""Reads object code: ELF, 64 bits, little-endian."""

from __future__ import annotations


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def sections(code: bytes) -> dict[str, bytes]:
    """What each section holds, by its name."""
    table = [code[_number(code, 40, 8) + 64 * k :][:64] for k in range(_number(code, 60, 2))]
    held = [code[_number(row, 24, 8) :][: _number(row, 32, 8)] for row in table]
    names = held[_number(code, 62, 2)]
    return {names[_number(row, 0, 4) :].split(b"\0")[0].decode(): data for row, data in zip(table, held, strict=True)}


def undefined_symbols(code: bytes) -> set[str]:
    """Names that object code asks others for."""
    found = sections(code)
    rows = [found[".symtab"][at : at + 24] for at in range(24, len(found[".symtab"]), 24)]
    asked = [row for row in rows if _number(row, 6, 2) == 0]  # SHN_UNDEF
    return {found[".strtab"][_number(row, 0, 4) :].split(b"\0")[0].decode() for row in asked} - {""}


def machine_code(code: bytes) -> dict[str, bytes]:
    """What is loaded: code, constants, and what is to be filled in."""
    return {name: data for name, data in sections(code).items() if name.startswith((".text", ".rodata", ".rela"))}
