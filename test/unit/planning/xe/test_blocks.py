"""Which block each vector is kept in."""

from xdsl.dialects.builtin import VectorType

from xetile.analysis.kernel_targets import device_named
from xetile.dialects.modules import parse
from xetile.planning.xe.blocks import Blocks
from xetile.targets.xe.device import XeDevice

KERNEL = """
func.func @f(%A: memref<64x64xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
  %loaded = xetile.load_tile %t : !xetile.tile<32x32xf32> -> vector<32x32xf32>
  %sums = xetile.load_tile %t : !xetile.tile<32x32xf32> -> vector<32x32xf32>
  %a = arith.constant dense<1.0> : vector<8x32xf16>
  %b = arith.constant dense<2.0> : vector<32x64xf16>
  %left = vector.extract_strided_slice %a {offsets = [0, 16], sizes = [8, 16], strides = [1, 1]}
    : vector<8x32xf16> to vector<8x16xf16>
  %right = vector.extract_strided_slice %b {offsets = [0, 32], sizes = [32, 32], strides = [1, 1]}
    : vector<32x64xf16> to vector<32x32xf16>
  %inner = vector.extract_strided_slice %right {offsets = [16, 0], sizes = [16, 32], strides = [1, 1]}
    : vector<32x32xf16> to vector<16x32xf16>
  %band = vector.extract_strided_slice %sums {offsets = [8, 0], sizes = [16, 32], strides = [1, 1]}
    : vector<32x32xf32> to vector<16x32xf32>
  %c = vector.extract_strided_slice %band {offsets = [8, 0], sizes = [8, 32], strides = [1, 1]}
    : vector<16x32xf32> to vector<8x32xf32>
  %d = xetile.tile_mma %left, %inner, %c
    : vector<8x16xf16>, vector<16x32xf16>, vector<8x32xf32> -> vector<8x32xf32>
  %lone = arith.constant dense<3.0> : vector<32x64xf16>
  func.return
}
"""


def homes_of(text: str) -> dict[str | None, tuple[int, int]]:
    """The blocks of the vectors of a function, by name."""
    operations = list(parse(text).walk())
    function = next(op for op in operations if op.name == "func.func")
    blocks = Blocks(function, device_named("bmg", XeDevice))
    vectors = [v for op in operations for v in op.results if isinstance(v.type, VectorType)]
    return {vector.name_hint: blocks.home(vector) for vector in vectors}


def test_what_a_product_asks_of_a_slice_it_asks_of_what_is_sliced() -> None:
    """Slices of slices too, where an accumulator's block counts for more than that of a load.

    A vector that nothing is asked of has an accumulator's block.
    """
    assert homes_of(KERNEL) == {
        "a": (8, 16),
        "left": (8, 16),
        "b": (16, 16),
        "right": (16, 16),
        "inner": (16, 16),
        "loaded": (32, 16),
        "sums": (8, 16),
        "band": (8, 16),
        "c": (8, 16),
        "d": (8, 16),
        "lone": (8, 16),
    }


LOADED = """func.func @f(%A: memref<64x64xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
  %loaded = xetile.load_tile %t : !xetile.tile<32x32xf32> -> vector<32x32xf32>
  %turned = xetile.tile_transpose %loaded, [1, 0] : vector<32x32xf32> -> vector<32x32xf32>
  %same = xetile.tile_transpose %loaded, [0, 1] : vector<32x32xf32> -> vector<32x32xf32>
  %down = xetile.tile_reduce <add>, %loaded [0] : vector<32x32xf32> -> vector<1x32xf32>
  %across = xetile.tile_reduce <add>, %loaded [1] : vector<32x32xf32> -> vector<32x1xf32>
  %wide = xetile.tile_broadcast %across [1] : vector<32x1xf32> -> vector<32x64xf32>
  %high = xetile.tile_broadcast %down [0] : vector<1x32xf32> -> vector<64x32xf32>
  func.return
}"""


def test_what_is_rearranged_follows_the_block_of_its_source() -> None:
    """Exchanged, or with one element along what is reduced; along what is repeated it is an accumulator's, 8x16."""
    assert homes_of(LOADED) == {
        "loaded": (32, 16),
        "turned": (16, 32),
        "same": (32, 16),
        "down": (1, 16),
        "across": (32, 1),
        "wide": (32, 16),
        "high": (8, 16),
    }


STORED = """func.func @f(%A: memref<64x64xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
  %v = arith.constant dense<1.0> : vector<32x32xf32>
  %turned = xetile.tile_transpose %v, [1, 0] : vector<32x32xf32> -> vector<32x32xf32>
  xetile.store_tile %turned, %t : vector<32x32xf32>, !xetile.tile<32x32xf32>
  %u = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
  %row = arith.constant dense<1.0> : vector<1x32xf32>
  %rows = xetile.tile_broadcast %row [0] : vector<1x32xf32> -> vector<32x32xf32>
  xetile.store_tile %rows, %u : vector<32x32xf32>, !xetile.tile<32x32xf32>
  func.return
}"""


def test_a_source_follows_the_block_of_what_is_made_of_it() -> None:
    """Stores are of 8x16."""
    assert homes_of(STORED) == {
        "v": (16, 8),
        "turned": (8, 16),
        "row": (1, 16),
        "rows": (8, 16),
    }
