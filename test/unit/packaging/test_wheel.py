"""What a wheel holds, what its metadata says, and that it is enough for the commands and their examples."""

import re
import subprocess
import sys
import tomllib
import zipfile
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path

from support.distributions import Distributions, copied, files, without_the_checkout
from support.distributions import built as build

from xetile import __version__

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
LINK = re.compile(r"\]\(([^)\s]*)|(?:src|href)=[\"']?([^\"'\s>]*)")
ADDRESSES = (
    "Author",
    "Author-email",
    "Maintainer",
    "Maintainer-email",
    "Home-page",
    "Download-URL",
    "Project-URL",
)


def run(
    built: Distributions, folder: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """`python -m xetile ...` as the installed wheel has it."""
    return subprocess.run(
        [sys.executable, "-m", "xetile", *arguments],
        cwd=folder,
        env=without_the_checkout(built.site),
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_holds_the_package_and_the_examples(built: Distributions) -> None:
    held = {name for name in files(built.site) if ".dist-info/" not in name}
    package = {name for name in built.written if name.startswith("xetile/")}
    examples = {f"xetile/{name}" for name in built.written if name.startswith("examples/")}
    assert sorted(held) == sorted(package | examples)
    assert {
        "xetile/py.typed",
        "xetile/__init__.pyi",
        "xetile/language/__init__.pyi",
        "xetile/layout/__init__.pyi",
        "xetile/explorer/page/explorer.html",
        "xetile/examples/gemm_f16.mlir",
        "xetile/examples/python/library.py",
    } <= held


def test_one_that_is_edited_in_place_has_the_examples_of_the_checkout(tmp_path: Path) -> None:
    with zipfile.ZipFile(build("editable", copied(tmp_path / "project"), tmp_path)) as wheel:
        names = wheel.namelist()
    assert [name for name in names if "examples" in name] == []
    assert any(name.endswith((".pth", "finder.py")) for name in names)


def test_its_metadata_says_what_is_so(built: Distributions) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    said = built.metadata
    assert (said["Name"], said["Version"]) == ("xetile", __version__)
    assert said["Summary"] == project["description"]
    assert said["License-Expression"] == "Apache-2.0 WITH LLVM-exception"
    assert said["Requires-Python"] == project["requires-python"]
    assert said["Description-Content-Type"] == "text/markdown"
    assert set(said.get_all("Provides-Extra", [])) == set(project["optional-dependencies"])
    (license,) = built.site.glob("*.dist-info/licenses/LICENSE")
    assert license.read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_its_metadata_invents_no_addresses(built: Distributions) -> None:
    assert [name for name in ADDRESSES if name in built.metadata] == []
    assert "@" not in "".join(built.metadata.values())


def test_links_of_its_description_lead_somewhere_from_anywhere(built: Distributions) -> None:
    description = built.metadata.get_payload()
    assert isinstance(description, str)
    assert "https://xdsl.dev" in description
    for link in (target for pair in LINK.findall(description) for target in pair if target):
        assert link.startswith("https://"), link
    assert description.endswith("Files that are named here are in the source distribution.\n")
    readme = (ROOT / "README.md").read_text()
    words = [
        target
        for target, _ in LINK.findall(readme)
        if target[0] != "#" and "://" not in target
    ]
    assert len(words) > 15
    for target in words:
        path = target.partition("#")[0]
        assert path in built.written, target
        assert path in description or path.endswith((".png", ".svg")), target


def test_its_scripts_are_the_commands(built: Distributions) -> None:
    scripts = ConfigParser()
    (path,) = built.site.glob("*.dist-info/entry_points.txt")
    scripts.read(path)
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert dict(scripts["console_scripts"]) == said["scripts"]
    assert dict(scripts["xdsl.universe"]) == said["entry-points"]["xdsl.universe"]
    for place in (*scripts["console_scripts"].values(), *scripts["xdsl.universe"].values()):
        module, _, name = place.partition(":")
        assert getattr(import_module(module), name) is not None


def test_it_is_enough_for_the_examples(built: Distributions, tmp_path: Path) -> None:
    listed = run(built, tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "xetile-demo" in listed.stdout
    copying = run(built, tmp_path, "demo", "--examples")
    assert copying.returncode == 0, copying.stderr
    assert files(tmp_path / "examples") == {
        name for name in files(EXAMPLES) if "__pycache__" not in name
    }
    shown = run(built, tmp_path, "demo")
    assert shown.returncode == 0, shown.stderr
    (kernel,) = re.findall(r"^== The kernel, (.*):", shown.stdout, re.MULTILINE)
    assert kernel == str(built.site / "xetile" / "examples" / "gemm_f16.mlir")
    assert (tmp_path / "build" / "demo" / "gemm_f16.spv").read_bytes()[
        :4
    ] == b"\x03\x02\x23\x07"
    page = run(
        built, tmp_path, "explore", "examples/softmax.mlir", "--device", "bmg", "-o", "s.html"
    )
    assert page.returncode == 0, page.stderr
    assert "<script" in (tmp_path / "s.html").read_text()


def test_its_examples_in_python_run(built: Distributions, tmp_path: Path) -> None:
    program = "import xetile; print(xetile.__file__); import runpy; runpy.run_path({!r}, run_name='__main__')"
    library = built.site / "xetile" / "examples" / "python" / "library.py"
    done = subprocess.run(
        [sys.executable, "-c", program.format(str(library))],
        cwd=tmp_path,
        env=without_the_checkout(built.site),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == str(built.site / "xetile" / "__init__.py")
    assert "largest error 0.0" in done.stdout
