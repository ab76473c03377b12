"""Keys, the folder of compiled kernels, and the memory of the process."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import pytest

from xetile.errors import collected_remarks
from xetile.language.calling import kept
from xetile.language.calling.kept import Recent, Store, digest

TEXT = "builtin.module {}"
PARTS = ("spirv", "bmg", [("unroll", 1)], [("ocloc", "26.27")])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XETILE_CACHE", str(tmp_path))
    return tmp_path / "kernels"


def test_every_part_of_a_key_counts(monkeypatch: pytest.MonkeyPatch):
    found = [digest(TEXT, *PARTS), digest(f"{TEXT} ", *PARTS)]
    for number, other in enumerate(("asm", "pvc", [("unroll", None)], [])):
        found.append(digest(TEXT, *PARTS[:number], other, *PARTS[number + 1 :]))
    assert found[0] == digest(TEXT, *PARTS)
    monkeypatch.setattr(kept, "versions", lambda: ("another",))
    found.append(digest(TEXT, *PARTS))
    assert len(set(found)) == len(found)


def test_versions_are_of_all_that_compiles(tmp_path: Path):
    said = kept.versions()
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert any(python in one for one in said)
    assert {one.partition(" ")[0] for one in said} >= {"xdsl", "llvmlite", "numpy"}
    (tmp_path / "a.py").write_text("x = 1\n")
    first = kept.sources(tmp_path)
    (tmp_path / "a.py").write_text("x = 2\n")
    second = kept.sources(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert len({first, second, kept.sources(tmp_path), said[1]}) == 4
    assert str(tmp_path) not in "".join(said)


def test_files_are_told_apart_by_their_times(tmp_path: Path):
    (tmp_path / "inner").mkdir()
    for number, name in enumerate(("a.py", "inner/b.py")):
        (tmp_path / name).write_text("x = 1\n")
        os.utime(tmp_path / name, ns=(number, number))
    first = kept.sources(tmp_path)
    (tmp_path / "inner" / "c.txt").write_text("no source")
    assert kept.sources(tmp_path) == first
    os.utime(tmp_path / "inner" / "b.py", ns=(5, 5))
    assert kept.sources(tmp_path) != first


def test_versions_are_those_of_the_packages():
    for name in ("xdsl", "llvmlite", "numpy", "ml_dtypes"):
        assert f"{name} {metadata.version(name)}" in kept.versions()


def test_what_was_put_is_got_by_others_too(folder: Path):
    key = digest(TEXT, *PARTS)
    store = Store()
    assert store.get(key) is None
    store.put(key, b"code")
    assert store.get(key) == Store().get(key) == b"code"
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for damage in (b"", whole[:-1], b"foreign" * 20):
        file.write_bytes(damage)
        assert store.get(key) is None
        store.put(key, b"code")
    assert store.get(key) == b"code"


def test_an_empty_variable_keeps_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XETILE_CACHE", "")
    store = Store()
    with collected_remarks() as told:
        store.put("key", b"code")
    assert store.get("key") is None
    assert told == []


def test_a_folder_that_cannot_be_written_to_is_warned_of_once(folder: Path):
    folder.write_text("a file")
    store = Store()
    with collected_remarks() as told:
        store.put("a", b"code")
        store.put("b", b"code")
        assert store.get("a") is None
    ((kind, _, message),) = told
    assert kind == "warning"
    assert message.startswith(
        f"compiled kernels are not kept: {folder} cannot be written to ("
    )
    assert "XETILE_CACHE names another folder" in message


WRITER = """
import sys
from xetile.language.calling.kept import Store
store = Store(most_bytes=40_000)
for number in range(150):
    key = str(number * int(sys.argv[1]) % 50)
    found = store.get(key)
    assert found is None or found == key.encode() * 500, key
    store.put(key, key.encode() * 500)
"""


def test_processes_and_threads_share_a_folder_within_its_bound(folder: Path):
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(step)], stderr=subprocess.PIPE)
        for step in (1, 3)
    ]
    store = Store(most_bytes=40_000)

    def put(number: int) -> None:
        key = str(number % 50)
        assert store.get(key) in (None, key.encode() * 500)
        store.put(key, key.encode() * 500)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(300)))
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    store.put("last", b"")
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 40_000 * 1.1
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_what_was_not_used_for_longest_is_forgotten():
    recent = Recent[str, int](2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert [recent.get(key) for key in "abc"] == [1, None, 3]
    assert len(recent) == 2
    recent.clear()
    assert recent.get("a") is None
