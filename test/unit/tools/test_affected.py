"""Which tests `make check-fast` runs for a change."""

from pathlib import Path, PurePath

import pytest

from tools import affected
from tools.affected import MOST, SAMPLE, importers_of, mirrored_tests, within_limits


@pytest.mark.parametrize(
    "changed, unit, ir",
    [
        (
            "xetile/layout/intel/dpas_layouts.py",
            ["test/unit/layout/intel/test_dpas_layouts.py"],
            [],
        ),
        (
            "xetile/passes/xe/convert_xevm_to_llvm/vector_chunks.py",
            ["test/unit/passes/xe/convert_xevm_to_llvm"],
            ["test/ir/passes/xe/convert-xevm-to-llvm"],
        ),
        ("xetile/targets/surface.py", ["test/unit/targets"], []),
        ("xetile/cli/opt/opt_command.py", ["test/unit/cli"], ["test/ir/cli"]),
        ("test/unit/conftest.py", ["test/unit"], []),
        ("test/ir/cli/run.mlir", [], ["test/ir/cli/run.mlir"]),
        ("test/ir/cli/Inputs/wrong.mlir", [], []),
        ("docs/mlir.md", [], []),
        ("xetile/errors.py", ["test/unit/test_errors.py"], []),
        ("xetile/api.py", ["test/unit/api"], []),
        ("xetile/py.typed", [], []),
    ],
)
def test_a_change_asks_for_the_tests_of_its_room(
    changed: str, unit: list[str], ir: list[str]
) -> None:
    assert mirrored_tests([PurePath(changed)], "unit") == unit
    assert mirrored_tests([PurePath(changed)], "ir") == ir


def test_what_lies_in_a_room_that_is_tested_whole_is_not_named_again() -> None:
    paths = [
        PurePath("xetile/targets/surface.py"),
        PurePath("test/unit/targets/test_tables.py"),
    ]
    assert mirrored_tests(paths, "unit") == ["test/unit/targets"]


def test_importers_are_found_however_they_import(tmp_path: Path) -> None:
    texts = {
        "xetile/__init__.py": "",
        "xetile/room/__init__.py": "x = 1",
        "xetile/room/own.py": "x = 1",
        "xetile/by_name.py": "from xetile.room.own import x",
        "xetile/by_module.py": "from xetile.room import own",
        "xetile/inside.py": "def f():\n    import xetile.room.own\n",
        "xetile/late.py": "import importlib\nimportlib.import_module('xetile.room.own')",
        "xetile/other.py": "from xetile.room import x",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    importers = importers_of(tmp_path)
    names = ("by_name", "by_module", "inside", "late")
    assert importers["xetile/room/own.py"] == {f"xetile/{name}.py" for name in names}
    assert importers["xetile/room/__init__.py"] == {"xetile/other.py"}


def test_a_change_asks_for_the_tests_of_modules_that_import_it() -> None:
    near, one, two = affected.choose(
        [PurePath("xetile/planning/xe/register_layouts/layout_rules.py")]
    )
    assert near == ["test/unit/planning/xe/register_layouts/test_layout_rules.py"]
    names = [name for level in (one, two) for name in level]
    assert any(name.startswith("test/unit/passes/") for name in names)
    assert len(names) == len({*near, *names}) - 1
    assert len(one) <= affected.MOST_FILES
    assert len(two) <= affected.MOST_FILES


@pytest.mark.parametrize(
    "sizes, kept",
    [
        ((5, 10, 20), (5, 10, 20)),
        ((500, 10, MOST - 10), (500, 10, MOST - 10)),
        ((5, 10, MOST), (5, 10, 0)),
        ((5, MOST + 1, 1), (5, SAMPLE, 0)),
    ],
)
def test_tests_that_run_are_limited(
    sizes: tuple[int, int, int], kept: tuple[int, int, int]
) -> None:
    levels = [[(level, n) for n in range(size)] for level, size in enumerate(sizes)]
    found = within_limits(levels)
    assert tuple(sum(level == n for level, _ in found) for n in range(3)) == kept
    assert len(set(found)) == len(found)
    assert found == sorted(found)
