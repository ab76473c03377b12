"""What a source distribution holds, and that its tests are about itself."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.distributions import Distributions, files, top_names

ROOT = Path(__file__).parents[3]

WHICH = """
import subprocess
import sys
from pathlib import Path

import xetile
from support import distributions
from tools import check

HERE = Path(__file__).resolve().parents[2]


def test_everything_is_of_this_folder():
    for module in (xetile, distributions, check):
        assert Path(module.__file__).is_relative_to(HERE)


def test_in_other_processes_too(tmp_path):
    command = [sys.executable, "-c", "import xetile; print(xetile.__file__)"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(HERE)
"""


def test_it_holds_every_file_of_the_project(built: Distributions) -> None:
    made = {"PKG-INFO", "setup.cfg"}
    held = {name for name in files(built.source) if not name.startswith("xetile.egg-info/")}
    assert sorted(held - made) == sorted(built.written)
    kinds = {name.split("/")[0] for name in held}
    assert {"docs", "examples", "test", "tools", "typings", "xetile", "Makefile"} <= kinds


def test_an_unpacked_one_is_a_project(built: Distributions) -> None:
    assert set(top_names(built.source)) == {name.split("/")[0] for name in built.written}


def test_plain_pytest_tests_it_beside_an_installed_wheel(
    built: Distributions, request: pytest.FixtureRequest
) -> None:
    path = built.source / "test" / "unit" / "test_which.py"
    path.write_text(WHICH)
    request.addfinalizer(path.unlink)
    command = [str(Path(sys.executable).with_name("pytest")), "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, str(path.relative_to(built.source))],
        cwd=built.source,
        env=os.environ | {"PYTHONPATH": str(built.site), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("2 passed")


def test_its_tests_bring_what_builds_it() -> None:
    """Tests build distributions with the backend that is installed, for they have no network."""
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert said["build-system"]["build-backend"] == "setuptools.build_meta"
    assert set(said["build-system"]["requires"]) <= set(
        said["project"]["optional-dependencies"]["test"]
    )
