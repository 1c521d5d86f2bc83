"""How many cores a process has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbgrad.system import cores
from nbgrad.system.cores import available_cores, quotas


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_limit_of_a_group_holds_for_those_inside(tmp_path: Path) -> None:
    write(tmp_path / "cpu.max", "max 100000\n")
    write(tmp_path / "jobs" / "cpu.max", "400000 100000\n")
    write(tmp_path / "jobs" / "mine" / "cpu.max", "150000 100000\n")
    assert list(quotas("0::/jobs/mine\n", tmp_path)) == [2, 4]
    assert list(quotas("0::/jobs\n", tmp_path)) == [4]
    assert list(quotas("0::/\n", tmp_path)) == []


def test_a_container_sees_its_own_group_as_the_uppermost(tmp_path: Path) -> None:
    write(tmp_path / "cpu.max", "50000 100000\n")
    assert list(quotas("0::/\n", tmp_path)) == [1]
    write(tmp_path / "cpu,cpuacct" / "cpu.cfs_quota_us", "300000\n")
    write(tmp_path / "cpu,cpuacct" / "cpu.cfs_period_us", "100000\n")
    assert list(quotas("4:memory:/x\n3:cpu,cpuacct:/docker/12ab\n", tmp_path)) == [3]


def test_no_limit_and_no_such_files_change_nothing(tmp_path: Path) -> None:
    write(tmp_path / "cpu" / "cpu.cfs_quota_us", "-1\n")
    write(tmp_path / "cpu" / "cpu.cfs_period_us", "100000\n")
    assert list(quotas("1:cpu:/\n0::/../outside\n", tmp_path)) == []


def test_the_least_of_all_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "quotas", lambda *_: [3, 1])
    expected = 1 if Path("/proc/self/cgroup").exists() else os.cpu_count()
    assert available_cores() == expected
