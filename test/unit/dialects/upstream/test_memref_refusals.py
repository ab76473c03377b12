"""What our memref refuses and xDSL's does not: the wrong programs of test/ir."""

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.memref import MemRef as StockMemRef
from xdsl.parser import Parser as StockParser
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.upstream import memref

FOLDER = Path(__file__).parents[3] / "ir" / "dialects" / "upstream" / "memref"
CHUNKS = [
    chunk
    for name in ("views-invalid.mlir", "memory-invalid.mlir")
    for chunk in (FOLDER / name).read_text().split("// -----\n")
]
CHECKED = [
    operation.name
    for operation in memref.MemRef.operations
    if any(operation.__mro__[1] is stock for stock in StockMemRef.operations)
]
"""The ops of ours that are xDSL's with further checks."""


def is_taken(text: str, context: Context) -> bool:
    try:
        StockParser(context, text).parse_module().verify()
    except (ParseError, VerifyException):
        return False
    return True


@pytest.mark.parametrize("name", [*CHECKED, "memref.extract_strided_metadata"])
def test_stock_xdsl_takes_a_wrong_program(name: str, stock_context: Context) -> None:
    """Gap of xDSL 0.75: where this fails, xDSL's op may do."""
    chunks = [chunk for chunk in CHUNKS if name in chunk]
    assert any(is_taken(chunk, stock_context) for chunk in chunks)


def test_the_ops_that_are_checked_further() -> None:
    assert len(CHECKED) == 9
