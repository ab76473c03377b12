"""What pages show of kernels in Python is executed, and prints what they show; what they show of Triton compiles."""

import importlib.util
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from support.pages import executed

import xetile.language as xt

DOCS = Path(__file__).parents[3] / "docs"
FROM_TRITON = (DOCS / "from-triton.md").read_text()
TRITON = {
    "add_triton": ({"size": "i32"}, {"BLOCK": 1024}, ["x", "y", "out"]),
    "softmax_triton": ({"columns": "i32"}, {"BLOCK": 256}, ["x", "y"]),
    "matmul_triton": (
        {"M": "i32", "N": "i32", "K": "i32"},
        {"BM": 128, "BN": 128, "BK": 32},
        ["a", "b", "c"],
    ),
}
"""Kernels in Triton: types of numbers, constants, pointers."""


WITH_TOOLS = pytest.param(
    "tutorial-python.md",
    ("ocloc", "opencl"),
    marks=[pytest.mark.ocloc, pytest.mark.opencl],
)


@pytest.mark.parametrize(
    "page, tools", [("tutorial-python.md", ()), WITH_TOOLS, ("from-triton.md", ())]
)
def test_what_a_page_shows_is_what_is_printed(
    page: str, tools: tuple[str, ...], tmp_path: Path
) -> None:
    blocks = executed(DOCS / page, tmp_path, tools)
    assert len(blocks) > 5
    for block in blocks:
        assert block.agrees, f"{block.code}prints\n{block.printed}"


@pytest.mark.triton
def test_what_the_page_shows_of_triton_compiles(tmp_path: Path) -> None:
    found = re.findall(r"```python triton\n(.*?)```", FROM_TRITON, re.DOTALL)
    path = tmp_path / "of_triton.py"
    path.write_text("\n\n".join(found))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        specification.loader.exec_module(module)
        texts = {name: _triton_ir(getattr(module, name), name) for name in TRITON}
        with pytest.raises(Exception, match="must be a power of 2"):
            _triton_ir(module.softmax_triton, "softmax_triton", BLOCK=208)
    named = set(re.findall(r"\btl\.(\w+)", FROM_TRITON))
    assert len(named) > 20
    assert all(hasattr(module.tl, name) for name in named)
    del sys.modules[path.stem]
    assert [len(re.findall(r"tt\.load ", text)) for text in texts.values()] == [2, 1, 2]
    assert "tt.dot" in texts["matmul_triton"]


def _triton_ir(function: Any, name: str, **other: int) -> str:
    """Triton's IR of a kernel, on its way to some GPU, which need not be there."""
    triton: Any = importlib.import_module("triton")
    compiler: Any = importlib.import_module("triton.compiler")
    backends: Any = importlib.import_module("triton.backends.compiler")
    numbers, constants, pointers = TRITON[name]
    element = "*fp16" if "matmul" in name else "*fp32"
    signature = (
        dict.fromkeys(pointers, element) | numbers | dict.fromkeys(constants, "constexpr")
    )
    source = compiler.ASTSource(function, signature=signature, constexprs=constants | other)
    return triton.compile(source, target=backends.GPUTarget("cuda", 80, 32)).asm["ttir"]


def test_names_of_the_table_are_those_of_the_language() -> None:
    table = FROM_TRITON.split("## Names")[1]
    names = set(re.findall(r"\bxt\.(\w+)", table))
    assert len(names) > 15
    assert all(hasattr(xt, name) for name in names)
