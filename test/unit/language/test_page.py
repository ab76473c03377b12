"""What docs/language.md says is run; its tables are those of the code; it names all that is public."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import xetile.language as xt
from xetile.language.types import ELEMENTS, promote

PAGE = Path(__file__).parents[3] / "docs" / "language.md"
TEXT = PAGE.read_text()


def test_what_the_page_shows_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 7
    path = tmp_path / "language_page.py"
    path.write_text("\n\n".join(blocks))
    specification = importlib.util.spec_from_file_location("language_page", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "language_page", module)
    specification.loader.exec_module(module)


def test_the_table_of_promotion_is_that_of_the_code() -> None:
    names = [element.name for element in ELEMENTS]
    rows = [
        [left.name, *(str(promote(left, right) or "·") for right in ELEMENTS)]
        for left in ELEMENTS
    ]
    lines = [["", *names], ["---"] * (len(names) + 1), *rows]
    table = "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)
    assert table in TEXT


def test_every_public_name_is_there() -> None:
    classes = {
        "ArrayType",
        "Cell",
        "ElementType",
        "Gather",
        "Kernel",
        "Range",
        "Region",
        "Specialised",
    }
    names = [name for name in xt.__all__ if not name.startswith("_")]
    assert len(names) > 60
    for name in set(names) - classes - {element.name for element in ELEMENTS}:
        assert re.search(rf"\b{name}\b", TEXT), name
    assert all(f"xt.{element}" in TEXT for element in ELEMENTS)


def test_no_module_stands_in_front_of_a_public_name() -> None:
    """An imported module becomes an attribute of the package."""
    modules = {path.stem for path in Path(xt.__file__ or "").parent.iterdir()}
    assert modules & set(xt.__all__) == {"testing"}


@xt.kernel
def misspelt(A: xt.Array, *, name: str) -> None:
    A[0:8, 0:16] = getattr(xt, name)(A[0:8, 0:16])


def test_unknown_names_are_refused_with_the_nearest() -> None:
    name = "floot"
    with pytest.raises(AttributeError, match="xt has no 'floot'; did you mean 'floor'"):
        getattr(xt, name)
    with pytest.raises(xt.XetileError, match="xt has no 'softmx'"):
        misspelt.specialize(xt.f32[8, 16], grid=(1,), name="softmx")
