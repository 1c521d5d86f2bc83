from __future__ import annotations

import itertools

from bench.threads import Row, jobs, kernels, shown


def test_jobs_and_kernels_are_timed_on_one_thread_and_on_several() -> None:
    for rows in (jobs(2, rounds=1), kernels(3, rounds=1)):
        for row in itertools.islice(rows, 5):
            assert row.alone_s > 0
            assert row.shared_s > 0


def test_what_sharing_costs_is_what_the_work_does_not_explain() -> None:
    assert shown(Row("8 us", "after 20 us", 28e-6, 25.5e-6), 2).split()[-2:] == ["1.5", "us"]
    assert shown(Row("map add", "4096", 8e-6, 6e-6), 2).split()[-2:] == ["2.0", "us"]
