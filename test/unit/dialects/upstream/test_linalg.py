"""linalg.matmul of one type and a wider one, and with maps of its own."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.parser import Parser as StockParser

from xetile.api import parse
from xetile.errors import XetileError

WIDER = (
    "linalg.matmul ins(%A, %B : memref<8x16xf16>, memref<16x8xf16>) outs(%C : memref<8x8xf32>)"
)
TURNED = "linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %T : memref<8x16xf16>, memref<8x16xf16>) outs(%C : memref<8x8xf32>)"
WHOLE = "linalg.matmul ins(%I, %I : memref<8x8xi8>, memref<8x8xi8>) outs(%S : memref<8x8xi32>)"


def text(line: str) -> str:
    return f"""func.func @f(%A: memref<8x16xf16>, %B: memref<16x8xf16>, %T: memref<8x16xf16>, %C: memref<8x8xf32>, %I: memref<8x8xi8>, %S: memref<8x8xi32>) {{
  {line}
  func.return
}}
"""


@pytest.mark.parametrize("line", [WIDER, TURNED, WHOLE])
def test_round_trip(line: str, round_trip: Callable[[str], None]) -> None:
    round_trip(text(line))
    parse(text(line))


@pytest.mark.mlir_opt
@pytest.mark.parametrize("line", [WIDER, TURNED, WHOLE])
def test_round_trip_through_mlir(line: str, mlir_round_trip: Callable[[str], None]) -> None:
    mlir_round_trip(text(line))


@pytest.mark.parametrize("line", [WIDER, TURNED, WHOLE])
def test_stock_xdsl_refuses(line: str, stock_context: Context) -> None:
    """Gaps of xDSL 0.75; one that fails here needs no replacement any more."""
    # its parser lets an IndexError out
    with pytest.raises(Exception, match=r"expected|does not verify|list index"):
        StockParser(stock_context, text(line)).parse_module().verify()


def test_what_xdsl_lacks_is_for_mlir_opt_to_vectorise() -> None:
    with pytest.raises(
        XetileError, match=r"no op 'linalg\.batch_matmul'; mlir-opt makes vectors of it"
    ):
        parse(
            text("linalg.batch_matmul ins(%A : memref<8x16xf16>) outs(%C : memref<8x8xf32>)")
        )


def test_a_product_of_one_matrix_is_refused() -> None:
    with pytest.raises(XetileError, match="linalg"):
        parse(text("linalg.matmul ins(%A : memref<8x16xf16>) outs(%C : memref<8x8xf32>)"))
