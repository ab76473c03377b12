"""What a subgroup does once is done once at every level."""

import numpy
import pytest

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.interpreter import execute, execute_host
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

TEXT = """
module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @k(%a: memref<64x64xf32>, %n: memref<1xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %three = arith.constant 3 : i32
    %s = gpu.subgroup_id : index
    %b = gpu.block_id x
    %first = arith.muli %b, %c32 : index
    %own = arith.muli %s, %c8 : index
    %r = arith.addi %first, %own : index
    %t = xetile.init_tile %a[%r, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %odd = arith.remui %s, %c8 : index
    %p = arith.cmpi ugt, %odd, %c1 : index
    scf.if %p {
      gpu.printf "subgroup %d\\n", %s : index
      %old = memref.atomic_rmw addi %three, %n[%c0] : (i32, memref<1xi32>) -> i32
    }
    xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
func.func @main(%a: memref<64x64xf32>, %n: memref<1xi32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %items = arith.constant 64 : index
  gpu.launch_func @m::@k blocks in (%two, %one, %one) threads in (%items, %one, %one)
      args(%a : memref<64x64xf32>, %n : memref<1xi32>)
  func.return
}
}
"""


@pytest.mark.parametrize("level", [None, "blocked", "xegpu", "xevm"])
def test_prints_and_atomics(level: LevelName | None) -> None:
    module = parse(TEXT)
    if level is not None:
        lower(context(), module, level, "bmg")
    count, printed = numpy.zeros(1, numpy.int32), list[str]()
    execute_host(
        module, "main", [numpy.zeros((64, 64), numpy.float32), count], output=printed.append
    )
    assert count.tolist() == [2 * 2 * 3]
    assert sorted("".join(printed).splitlines()) == ["subgroup 2"] * 2 + ["subgroup 3"] * 2


ROW = """
gpu.module @m {
  gpu.func @k(%a: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %a : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %r = vector.extract %v[3] : vector<16xf32> from vector<8x16xf32>
    vector.print %r : vector<16xf32>
    gpu.return
  }
}
func.func @main(%a: memref<64x64xf32>) {
  %one = arith.constant 1 : index
  %items = arith.constant 16 : index
  gpu.launch_func @m::@k blocks in (%one, %one, %one) threads in (%items, %one, %one)
      args(%a : memref<64x64xf32>)
  func.return
}
"""


@pytest.mark.parametrize("level", [None, "xevm"])
def test_a_vector_is_brought_to_the_first_lane_by_all(level: LevelName | None) -> None:
    module = parse(ROW)
    if level is not None:
        lower(context(), module, level, "bmg")
    printed = list[str]()
    a = numpy.arange(64 * 64, dtype=numpy.float32).reshape(64, 64)
    execute_host(module, "main", [a], output=printed.append)
    assert "".join(printed).split(", ")[1:-1] == [
        str(n) for n in range(3 * 64 + 1, 3 * 64 + 15)
    ]


FAR = """
func.func @k(%a: memref<64x64xf32>, %row: memref<1xindex>) attributes {known_block_size = array<i32: 16, 1, 1>,
    known_grid_size = array<i32: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %r = memref.load %row[%c0] : memref<1xindex>
  %t = xetile.init_tile %a[PLACE] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  %u = xetile.init_tile %a[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  xetile.store_tile %v, %u : vector<8x16xf32>, !xetile.tile<8x16xf32>
  func.return
}
"""


@pytest.mark.parametrize("place", ["%r, 0", "0, %r"])
@pytest.mark.parametrize("number", [2**32, -(2**33), 2**31, -(2**31) - 1])
def test_places_that_no_message_reaches(
    place: str, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """At S they are outside; in messages numbers of 32 bits would wrap around. What is known gathers nothing instead."""
    message = f"the tile lies at row or column {number}; "
    a = numpy.ones((64, 64), numpy.float32)
    execute(parse(FAR.replace("PLACE", place)), "k", [a, numpy.array([number])])
    assert not a[:8, :16].any()
    below = parse(FAR.replace("PLACE", place))
    lower(context(), below, "xegpu", "bmg")
    with pytest.raises(XetileError, match=message):
        execute(below, "k", [a, numpy.array([number])])
    for said in (place.replace("%r", str(number)), place.replace("%r", "%far")):
        text = FAR.replace("PLACE", said).replace(
            "%c0 =", f"%far = arith.constant {number} : index\n  %c0 ="
        )
        gathered, a = parse(text), numpy.ones((64, 64), numpy.float32)
        lower(context(), gathered, "xegpu", "bmg")
        assert message in capsys.readouterr().err
        execute(gathered, "k", [a, numpy.array([number])])
        assert not a[:8, :16].any()
