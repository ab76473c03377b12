from collections.abc import Callable
from pathlib import Path

import pytest

from xetile.errors import XetileError
from xetile.toolchain.paths import (
    find_browser,
    find_mlir_opt,
    find_ocloc,
    find_spirv_val,
    mlir_version,
)

FINDERS = {
    "XETILE_OCLOC": find_ocloc,
    "XETILE_SPIRV_VAL": find_spirv_val,
    "XETILE_MLIR_OPT": find_mlir_opt,
    "XETILE_BROWSER": find_browser,
}


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Makes programs that print a text, in the only folder of the search path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in FINDERS:
        monkeypatch.delenv(variable, raising=False)

    def make(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\necho '{text}'\n")
        path.chmod(0o755)
        return path

    return make


@pytest.mark.usefixtures("tool")
@pytest.mark.parametrize("find", FINDERS.values())
def test_nothing_is_found_where_nothing_is(find: Callable[[], Path | None]) -> None:
    assert find() is None


def test_the_search_path_is_searched(tool: Callable[[str, str], Path]) -> None:
    assert tool("ocloc", "") == find_ocloc()
    assert tool("spirv-val", "") == find_spirv_val()


@pytest.mark.usefixtures("tool")
@pytest.mark.parametrize("variable", FINDERS)
def test_a_variable_that_names_no_program_is_an_error(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "/no/such/program")
    with pytest.raises(
        XetileError, match=f"^{variable} is '/no/such/program', which is no program"
    ):
        FINDERS[variable]()


@pytest.mark.parametrize(
    "variable, name, text",
    [
        ("XETILE_OCLOC", "ocloc", ""),
        ("XETILE_SPIRV_VAL", "spirv-val", ""),
        ("XETILE_MLIR_OPT", "mlir-opt-22", "LLVM version 22.1.8"),
        ("XETILE_BROWSER", "chromium", ""),
    ],
)
def test_an_empty_variable_hides_a_program(
    tool: Callable[[str, str], Path],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    name: str,
    text: str,
) -> None:
    assert tool(name, text) == FINDERS[variable]()
    monkeypatch.setenv(variable, "")
    assert FINDERS[variable]() is None


def test_only_the_right_version_of_mlir_is_taken(tool: Callable[[str, str], Path]) -> None:
    old = tool("mlir-opt", "LLVM version 19.1.7")
    assert find_mlir_opt() is None
    assert mlir_version(old) == "19.1.7"


def test_the_versioned_name_of_mlir_comes_first(tool: Callable[[str, str], Path]) -> None:
    tool("mlir-opt", "LLVM version 19.1.7")
    right = tool("mlir-opt-22", "LLVM version 22.1.8")
    assert find_mlir_opt() == right


def test_a_named_mlir_of_another_version_is_an_error(
    tool: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XETILE_MLIR_OPT", str(tool("my-opt", "LLVM version 21.0.0")))
    with pytest.raises(XetileError, match=r"of version 21\.0\.0, xetile needs version 22$"):
        find_mlir_opt()
