import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from xetile.runtime.cache import Cache, cache_folder

Read = Callable[[Cache, str], bytes | None]


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


@pytest.mark.parametrize("read", [Cache.get, Cache.take])
@pytest.mark.parametrize("length", [0, 5, 32, 33])
def test_what_is_cut_short_is_dropped(folder: Path, length: int, read: Read):
    cache = Cache("room", "maker")
    cache.keep("key", b"some bytes")
    whole = (folder / "key").read_bytes()
    (folder / "key").write_bytes(whole[:length])
    assert read(cache, "key") is None
    assert files(folder) == []


@pytest.mark.parametrize("read", [Cache.get, Cache.take])
def test_what_is_damaged_is_dropped(folder: Path, read: Read):
    cache = Cache("room", "maker")
    cache.keep("key", b"some bytes")
    whole = bytearray((folder / "key").read_bytes())
    whole[-1] ^= 1
    (folder / "key").write_bytes(whole)
    assert read(cache, "key") is None
    assert files(folder) == []


def test_what_is_read_stays_and_was_used(folder: Path):
    cache = Cache("room", "maker")
    key = cache.key(b"a")
    cache.keep(key, b"made")
    os.utime(folder / key, ns=(1, 1))
    assert cache.get(key) == cache.get(key) == b"made"
    assert (folder / key).stat().st_mtime_ns > 1


def test_what_was_not_used_for_longest_makes_room(folder: Path):
    cache = Cache("room", "maker", most_bytes=3 * (32 + 100))
    a, b, c, d, large = (cache.key(name) for name in (b"a", b"b", b"c", b"d", b"large"))
    for number, key in enumerate((a, b, c)):
        cache.keep(key, bytes(100))
        os.utime(folder / key, ns=(number, number))
    assert cache.take(a) is not None
    cache.keep(a, bytes(100))
    cache.keep(d, bytes(100))
    assert files(folder) == sorted([a, c, d])
    cache.keep(large, bytes(1000))
    assert files(folder) == []


def test_all_caches_have_one_bound_and_only_what_is_ours_is_dropped(tmp_path: Path):
    first = Cache("first", "maker", most_bytes=300)
    second = Cache("second", "maker", most_bytes=300)
    old, new = first.key(b"old"), second.key(b"new")
    first.keep(old, bytes(200))
    begun = tmp_path / "first" / f".{old}.1.2"  # by a process that ended meanwhile
    begun.write_bytes(bytes(200))
    for path in (tmp_path / "first" / "notes.txt", tmp_path / old):
        path.write_bytes(bytes(1000))
    for path in tmp_path.rglob("*"):
        os.utime(path, ns=(1, 1))
    second.keep(new, bytes(200))
    assert files(tmp_path / "first") == ["notes.txt"]
    assert files(tmp_path / "second") == [new]
    assert (tmp_path / old).exists()


def test_files_are_looked_at_once_in_a_while(folder: Path, monkeypatch: pytest.MonkeyPatch):
    looked: list[str] = []
    scan = os.scandir

    def scandir(path: str) -> Any:
        looked.append(path)
        return scan(path)

    monkeypatch.setattr("os.scandir", scandir)
    cache = Cache("room", "maker", most_bytes=32 * 100)
    for number in range(9):
        cache.keep(cache.key(bytes([number])), bytes(25))
    assert looked.count(str(folder)) == 3


def test_an_empty_variable_keeps_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XETILE_CACHE", "")
    assert cache_folder() is None
    cache = Cache("room", "maker")
    cache.keep("key", b"made")
    assert cache.take("key") is None


def test_a_folder_that_cannot_be_written_to_is_not_used(folder: Path):
    folder.write_text("a file")
    cache = Cache("room", "maker")
    assert isinstance(cache.keep("key", b"made"), OSError)
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
