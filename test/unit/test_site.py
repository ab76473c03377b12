"""docs/ as a site: every link leads somewhere, every page is in the menu, and the API page has every public name."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_site_is_built_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    site = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(site),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "INFO" not in done.stderr
    api = (site / "api.html").read_text()
    assert "Return the kernels of a module, or one, at all of their levels on a device" in api
    assert (site / "explorer" / "gemm.html").exists()
    texts = {path.name: path.read_text() for path in site.glob("*.html")}
    assert [name for name, text in texts.items() if "```" in text] == []
    assert 'id="change-a-tile-and-see-the-numbers-move"' in texts["tutorial.html"]


def test_every_page_is_in_the_menu() -> None:
    menu = set(re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert menu == {path.name for path in (ROOT / "docs").glob("*.md")}


def test_every_public_name_is_on_the_page_of_the_api() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    shown = {line.rpartition(".")[2] for line in page.splitlines() if line.startswith(":::")}
    names = re.findall(
        r"^from \S+ import (\w+) as",
        (ROOT / "xetile" / "__init__.pyi").read_text(),
        re.MULTILINE,
    )
    assert set(names) - {"kernels"} <= shown
