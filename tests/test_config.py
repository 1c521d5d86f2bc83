import os

import pytest

from nbgrad import config
from nbgrad.config import override, read, settings
from nbgrad.errors import ArgumentError
from tests.fresh import fresh


def test_nothing_set_gives_the_defaults() -> None:
    found = read({"HOME": "/home/u"})
    assert (found.log, found.check, found.interpret, found.passes) == (frozenset(), False, False, frozenset())
    assert found.compile == "background"
    assert found.num_threads == len(os.sched_getaffinity(0))
    assert found.cache_dir.endswith(os.path.join(".cache", "nbgrad"))


def test_an_empty_variable_is_an_unset_one() -> None:
    assert read({"NBGRAD_CHECK": "", "NBGRAD_NUM_THREADS": ""}) == read({})


def test_xdg_cache_home_moves_the_cache() -> None:
    assert read({"XDG_CACHE_HOME": "/x"}).cache_dir == "/x/nbgrad"
    assert read({"XDG_CACHE_HOME": "/x", "NBGRAD_CACHE_DIR": "/y/z"}).cache_dir == "/y/z"


def test_words_are_read() -> None:
    found = read({"NBGRAD_LOG": "graph, tape", "NBGRAD_PASSES": "-fuse,-merge", "NBGRAD_COMPILE": "eager"})
    assert found.log == {"graph", "tape"}
    assert (found.runs("fuse"), found.runs("fold")) == (False, True)
    assert found.compile == "eager"
    assert read({"NBGRAD_LOG": "all"}).log == set(config.LOG_WORDS)


@pytest.mark.parametrize(
    ("variable", "value", "choice"),
    [
        ("NBGRAD_LOG", "graf", "graph"),
        ("NBGRAD_CHECK", "maybe", "1 or 0"),
        ("NBGRAD_INTERPRET", "2", "1 or 0"),
        ("NBGRAD_PASSES", "fuse", "-fuse"),
        ("NBGRAD_PASSES", "-fused", "-fuse"),
        ("NBGRAD_COMPILE", "lazy", "background, eager, never"),
        ("NBGRAD_NUM_THREADS", "0", "1 or more"),
        ("NBGRAD_NUM_THREADS", "two", "1 or more"),
        ("NBGRAD_CACHE_BYTES", "-1", "1 or more"),
    ],
)
def test_a_bad_value_names_the_variable_and_the_choices(variable: str, value: str, choice: str) -> None:
    with pytest.raises(ArgumentError, match=variable) as caught:
        read({variable: value})
    assert choice in str(caught.value)


def test_override_lasts_for_its_block_only() -> None:
    before = read(os.environ)
    with override(compile="never", passes="-fuse", check=True, num_threads=3, log=("tape",)) as inside:
        assert inside is settings
        assert (settings.compile, settings.check, settings.num_threads) == ("never", True, 3)
        assert settings.passes == {"fuse"}
        assert settings.log == {"tape"}
    assert settings == before


def test_override_with_a_bad_value_changes_nothing() -> None:
    before = read(os.environ)
    with pytest.raises(ArgumentError, match="lazy"), override(check=True, compile="lazy"):
        pass
    with pytest.raises(ArgumentError, match="no switch colour"), override(colour=1):
        pass
    with pytest.raises(ArgumentError), override(num_threads=1.5):
        pass
    assert settings == before


def test_reload_reads_the_environment_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRAD_COMPILE", "never")
    config.reload()
    assert settings.compile == "never"
    monkeypatch.undo()
    config.reload()
    assert settings == read(os.environ)


def test_a_bad_variable_stops_the_import_with_a_clear_error() -> None:
    done = fresh("-c", "import nbgrad.config", NBGRAD_COMPILE="soon")
    assert done.returncode != 0
    assert "ArgumentError: NBGRAD_COMPILE=soon: expected one of background, eager, never" in done.stderr


def test_a_variable_that_nothing_reads_is_said_with_the_name_that_was_meant() -> None:
    said = config.unknown_switches({"NBGRAD_COMPIL": "never", "NBGRAD_XYZ": "1", "NBGRAD_LOG": "", "HOME": "/"})
    assert len(said) == 2
    assert "NBGRAD_COMPIL is set" in said[0] and "did you mean NBGRAD_COMPILE?" in said[0]
    assert "expected one of NBGRAD_LOG" in said[1]
    assert config.unknown_switches(dict.fromkeys(("NBGRAD_FUZZ", "NBGRAD_CHECK"), "")) == []
