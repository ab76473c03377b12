"""The room's public names, and what importing it costs."""

import subprocess
import sys
from importlib import import_module

import pytest


def test_every_public_name_resolves() -> None:
    layout = import_module("xetile.layout")
    assert "LinearLayout" in layout.__all__
    for name in layout.__all__:
        assert getattr(layout, name).__name__ == name
        assert name in dir(layout)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = import_module("xetile.layout").nothing


def test_the_room_imports_neither_arrays_nor_ir() -> None:
    code = (
        "import sys, xetile.layout as layout\n"
        "for name in layout.__all__: getattr(layout, name)\n"
        "print(*{name.partition('.')[0] for name in sys.modules} & {'numpy', 'xdsl', 'dataclasses'})"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == ""


def test_the_import_alone_costs_next_to_nothing() -> None:
    code = (
        "import sys, types; before = set(sys.modules); import xetile.layout\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["xetile", "xetile.layout"]
