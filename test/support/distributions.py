"""The project's distributions, built of a copy without network: what setuptools' backend makes of its files."""

import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path
from shutil import copy2, copytree, ignore_patterns

ROOT = Path(__file__).parents[2]
MADE = (
    "__pycache__",
    "*.egg-info",
    "build",
    "dist",
    ".*_cache",
    ".hypothesis",
    ".venv",
    "PKG-INFO",
    "setup.cfg",
)
"""What is made of the project's files, and is none of them."""

LEFT_BY_RUNS = (
    "xetile/__pycache__/api.pyc",
    "test/ir/cli/Output/run.mlir.tmp",
    "test/.lit_test_times.txt",
)
"""Files that using the project leaves in its folders."""

BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"


def top_names(root: Path = ROOT) -> list[str]:
    """Files and folders of the project: those that git tracks, and in an unpacked distribution those that are there."""
    if (root / ".git").exists():
        command = ["git", "ls-tree", "--name-only", "HEAD"]
        tracked = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        return [name for name in tracked.stdout.splitlines() if name != ".gitignore"]
    names = [path.name for path in root.iterdir()]
    return sorted(set(names) - ignore_patterns(*MADE)(str(root), names))


def copied(to: Path) -> Path:
    """A copy of the project's files in a folder that is made."""
    to.mkdir()
    for name in top_names():
        if (ROOT / name).is_dir():
            copytree(ROOT / name, to / name, ignore=ignore_patterns(*MADE))
        else:
            copy2(ROOT / name, to / name)
    return to


def files(folder: Path) -> set[str]:
    """The paths of all files in a folder, from it."""
    return {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    }


def built(kind: str, project: Path, to: Path) -> Path:
    """A distribution of a project: `sdist`, `wheel` or `editable`.

    Errors: AssertionError with what setuptools says.
    """
    command = [sys.executable, "-c", BUILD, f"build_{kind}", str(to)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return to / done.stdout.splitlines()[-1]


@dataclass(frozen=True)
class Distributions:
    """A source distribution, unpacked, and the wheel that is built of it, unpacked as an installation has it."""

    written: frozenset[str]
    """The project's own files, by their paths."""
    source: Path
    site: Path

    @property
    def metadata(self) -> Message:
        """What an index reads of the wheel; the payload is the description."""
        (path,) = self.site.glob("*.dist-info/METADATA")
        return Parser().parsestr(path.read_text(encoding="utf-8"))


def distributions(folder: Path) -> Distributions:
    """Build both below a folder, as an index's users do: the wheel from the source distribution."""
    project = copied(folder / "project")
    written = frozenset(files(project))
    for name in LEFT_BY_RUNS:
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    with tarfile.open(built("sdist", project, folder)) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (source,) = (folder / "unpacked").iterdir()
    beside = copytree(source, folder / "beside")  # what building leaves is no part of it
    with zipfile.ZipFile(built("wheel", beside, folder)) as archive:
        archive.extractall(folder / "site")
    return Distributions(written, source, folder / "site")


def without_the_checkout(site: Path) -> dict[str, str]:
    """The environment of a process that finds xetile in an installation, wherever tests have it from."""
    return os.environ | {
        "PYTHONPATH": str(site),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
