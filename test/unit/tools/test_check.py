"""Which tests `make check-fast` runs for a change."""

from pathlib import PurePath

import pytest

from tools.check import mirrored_tests


@pytest.mark.parametrize(
    "changed, unit, ir",
    [
        ("xetile/layout/intel/dpas.py", ["test/unit/layout/intel/test_dpas.py"], []),
        (
            "xetile/passes/convert_xevm_to_llvm/vectors.py",
            ["test/unit/passes/convert_xevm_to_llvm"],
            ["test/ir/passes/convert-xevm-to-llvm"],
        ),
        ("xetile/targets/surface.py", ["test/unit/targets"], []),
        ("xetile/cli/opt.py", ["test/unit/cli"], ["test/ir/cli"]),
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
