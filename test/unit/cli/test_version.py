"""What --version tells of MLIR's Python bindings."""

from importlib.util import find_spec

import pytest

from xetile.cli.frame.tools import version_text


def bindings() -> str:
    lines = version_text("xetile-opt").splitlines()
    (found,) = [line for line in lines if line.startswith("MLIR bindings")]
    return found


def nothing(name: str) -> None:
    return None


@pytest.mark.mlir_bindings
def test_bindings_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of another version, or without the library that they are made for, are said not to be used."""
    spec = find_spec("mlir")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (where,) = spec.submodule_search_locations
    assert bindings() == f"MLIR bindings 22.1.8 ({where})"
    monkeypatch.setattr("xetile.toolchain.mlir.has_bindings", bool)
    assert bindings() == f"MLIR bindings 22.1.8 ({where}), not usable"


def test_bindings_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", nothing)
    assert bindings() == "MLIR bindings not found"
