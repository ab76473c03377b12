import os
from pathlib import Path

import pytest

from xetile.runtime.cache import Cache, cache_folder


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XETILE_CACHE", str(tmp_path))
    return tmp_path / "room"


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_kept_is_taken_once_and_kept_again(folder: Path):
    cache = Cache("room", "maker 1")
    key = cache.key(b"a", b"b")
    assert cache.take(key) is None
    cache.keep(key, b"made")
    assert files(folder) == [key]
    assert Cache("room", "maker 1").take(key) == b"made"
    assert files(folder) == []
    assert cache.take(key) is None


def test_a_key_tells_parts_and_makers_apart():
    cache = Cache("room", "maker 1")
    keys = [
        cache.key(b"ab", b"c"),
        cache.key(b"a", b"bc"),
        cache.key(b"abc"),
        Cache("room", "maker 2").key(b"abc"),
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("length", [0, 5, 32, 33])
def test_what_is_cut_short_is_dropped(folder: Path, length: int):
    cache = Cache("room", "maker")
    cache.keep("key", b"some bytes")
    whole = (folder / "key").read_bytes()
    (folder / "key").write_bytes(whole[:length])
    assert cache.take("key") is None
    assert files(folder) == []


def test_what_is_damaged_is_dropped(folder: Path):
    cache = Cache("room", "maker")
    cache.keep("key", b"some bytes")
    whole = bytearray((folder / "key").read_bytes())
    whole[-1] ^= 1
    (folder / "key").write_bytes(whole)
    assert cache.take("key") is None
    assert files(folder) == []


def test_what_was_not_used_for_longest_makes_room(folder: Path):
    cache = Cache("room", "maker", most_bytes=3 * (32 + 100))
    for number, key in enumerate("abc"):
        cache.keep(key, bytes(100))
        os.utime(folder / key, ns=(number, number))
    assert cache.take("a") is not None
    cache.keep("a", bytes(100))
    cache.keep("d", bytes(100))
    assert files(folder) == ["a", "c", "d"]
    cache.keep("large", bytes(1000))
    assert files(folder) == []


def test_an_empty_variable_keeps_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XETILE_CACHE", "")
    assert cache_folder() is None
    cache = Cache("room", "maker")
    cache.keep("key", b"made")
    assert cache.take("key") is None


def test_a_folder_that_cannot_be_written_to_is_not_used(folder: Path):
    folder.write_text("a file")
    cache = Cache("room", "maker")
    cache.keep("key", b"made")
    assert cache.take("key") is None
    assert folder.read_text() == "a file"


def test_there_may_be_no_home(monkeypatch: pytest.MonkeyPatch):
    def no_home() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("XETILE_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder() is None
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/xetile")
