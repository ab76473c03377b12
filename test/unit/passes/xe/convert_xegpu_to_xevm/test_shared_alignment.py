"""Messages to shared memory state no more alignment than their memref's first element has."""

import pytest
from xdsl.dialects import llvm

from xetile.dialects.modules import context, parse
from xetile.passes.pipelines import lower

_KERNEL = """
gpu.module @m {{
  memref.global "private" @g : memref<512xf32, 3>
  gpu.func @k(%B: memref<512xf32>, %i: i64) kernel attributes {{
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %whole = memref.alloc() : memref<4096xi8, 3>
    %places = arith.constant dense<{places}> : vector<16x8xindex>
    %all = arith.constant dense<true> : vector<16x8xi1>
    {body}
    gpu.return
  }}
}}
"""
_PLACES = [[8 * row + column for column in range(8)] for row in range(16)]
_LOAD = """
    %v = xegpu.load %p[%places], %all : {0}, vector<16x8xindex>, vector<16x8xi1> -> vector<16x8xf32>
    xegpu.store %v, %B[%places], %all : vector<16x8xf32>, memref<512xf32>, vector<16x8xindex>, vector<16x8xi1>"""
_SHARED, _MOVED = "memref<512xf32, 3>", "memref<512xf32, strided<[1], offset: 1>, 3>"
_CARRIED = f"""
    %a = memref.view %whole[%c4][] : memref<4096xi8, 3> to {_SHARED}
    %l = scf.for %n = %c0 to %c4 step %c1 iter_args(%p = %a) -> ({_SHARED}) {{
      {_LOAD.format(_SHARED)}
      scf.yield %p : {_SHARED}
    }}"""


@pytest.mark.parametrize(
    ("body", "alignment"),
    [
        (f"%p = memref.alloc() : {_SHARED}" + _LOAD.format(_SHARED), None),
        (f"%p = memref.alloc() : {_MOVED}" + _LOAD.format(_MOVED), 4),
        (f"%p = memref.get_global @g : {_SHARED}" + _LOAD.format(_SHARED), None),
        (_CARRIED, 4),
    ],
    ids=["whole", "offset", "global", "carried"],
)
def test_what_is_not_known_is_not_stated(body: str, alignment: int | None):
    module = parse(_KERNEL.format(places=_PLACES, body=body))
    lower(context(), module, "xevm", "bmg")
    stated = {
        None if op.alignment is None else op.alignment.value.data
        for op in module.walk()
        if isinstance(op, llvm.LoadOp) and "ptr<3>" in str(op.ptr.type)
    }
    assert stated == {alignment}


def test_the_number_that_stands_for_a_value_is_no_index():
    places = [column - 2**29 for column in range(16)]
    load = _LOAD.replace("%p[", "%i[").replace("16x8", "16").format("i64")
    body = f"""
    %far = arith.constant dense<{places}> : vector<16xindex>
    %some = arith.constant dense<true> : vector<16xi1>"""
    body += load.replace("%places", "%far").replace("%all", "%some")
    module = parse(_KERNEL.format(places=_PLACES, body=body))
    lower(context(), module, "xevm", "bmg")
    assert str(-(2**31)) in str(module)
