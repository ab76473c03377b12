"""The rooms inside of the interpreter: which may know which."""

import ast
from pathlib import Path

import pytest

import xetile.interpreter

PACKAGE = Path(xetile.interpreter.__file__).parent

KNOWN = {
    "machine": ("machine",),
    "common": ("machine", "common"),
    "ops": ("machine", "common"),
    "field": ("machine", "common", "field"),
    "sanitizer": ("machine", "sanitizer"),
    "host": ("machine", "common", "ops.math_ops", "ops.memref_ops", "host"),
}
"""What a room may import: machine and common know no op, a dialect's ops not another's, and the host only the two it builds on."""

ACROSS = {"xevm_ops.py": ("ops.xegpu_ops",)}
"""A block message of XeVM is checked as XeGPU's, by what it says of its surface."""


@pytest.mark.parametrize("room", KNOWN)
def test_arrows(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = node.module if isinstance(node, ast.ImportFrom) else None
            if name is not None and name.startswith("xetile.interpreter"):
                inner = name.removeprefix("xetile.interpreter.")
                assert any(
                    inner == known or inner.startswith(f"{known}.")
                    for known in (*KNOWN[room], *ACROSS.get(path.name, ()))
                ), f"{path.name} imports {name}"
