"""What one lane computes around its vectors: ids, index arithmetic, loops, branches, barriers.

Each part is a number of 32 bits; the lanes of a subgroup store theirs as a row.
"""

import re
from collections.abc import Sequence
from functools import partial

import numpy

from tools.device_product.case import Array, Case, Program, Result
from tools.device_product.families.messages import SURFACE

ROWS = 48
"""One for each subgroup: four of each of 3x2x2 workgroups."""

_AXES = ("block_id", "block_dim", "grid_dim", "thread_id", "global_id")
_NUMBERS = ("lane_id", "subgroup_id", "subgroup_size", "num_subgroups")
_XEVM = ("group_id", "group_count", "local_id", "local_size")


def _typed(name: str) -> str:
    return "" if name == "lane_id" else " : index"


IDS = {
    **{
        f"gpu.{name} {axis}": f"%n = gpu.{name} {axis}\n%r = arith.index_cast %n : index to i32"
        for name in _AXES
        for axis in "xyz"
    },
    **{
        f"gpu.{name}": f"%n = gpu.{name}{_typed(name)}\n%r = arith.index_cast %n : index to i32"
        for name in _NUMBERS
    },
    **{
        f"xevm.{name}.{axis}": f"%r = xevm.{name}.{axis} : i32"
        for name in _XEVM
        for axis in "xyz"
    },
    **{
        f"xevm.{name}": f"%r = xevm.{name} : i32"
        for name in ("lane_id", "subgroup_id", "subgroup_size")
    },
}
LOOPS = {
    "for": """%r = scf.for %k = %c0 to %many step %c3 iter_args(%s = %one) -> (i32) {
      %q = arith.index_cast %k : index to i32
      %p = arith.muli %s, %q : i32
      %t = arith.addi %p, %id : i32
      scf.yield %t : i32
    }""",
    "for without a round": """%r = scf.for %k = %many to %c0 step %c1 iter_args(%s = %id) -> (i32) {
      scf.yield %one : i32
    }""",
    "for that swaps": """%s:2 = scf.for %k = %c0 to %many step %c1 iter_args(%u = %id, %w = %one) -> (i32, i32) {
      scf.yield %w, %u : i32, i32
    }
    %d = arith.muli %s#0, %seven : i32
    %r = arith.addi %d, %s#1 : i32""",
    "for in a for": """%r = scf.for %k = %c0 to %many step %c1 iter_args(%s = %id) -> (i32) {
      %t = scf.for %l = %c0 to %k step %c1 iter_args(%u = %s) -> (i32) {
        %q = arith.index_cast %l : index to i32
        %w = arith.xori %u, %q : i32
        %z = arith.muli %w, %seven : i32
        scf.yield %z : i32
      }
      scf.yield %t : i32
    }""",
    "for of i32": """%r = scf.for %k = %one to %seven step %one iter_args(%s = %id) -> (i32) : i32 {
      %t = arith.muli %s, %k : i32
      scf.yield %t : i32
    }""",
    "for that carries floats": """%f = arith.sitofp %id : i32 to f32
    %g = scf.for %k = %c0 to %many step %c1 iter_args(%s = %f) -> (f32) {
      %t = arith.mulf %s, %tenth : f32
      %u = arith.addf %t, %f : f32
      scf.yield %u : f32
    }
    %r = arith.bitcast %g : f32 to i32""",
    "for that carries vectors": """%v = vector.broadcast %id : i32 to vector<19xi32>
    %w = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]> : vector<19xi32>
    %x = scf.for %k = %c0 to %many step %c1 iter_args(%s = %v) -> (vector<19xi32>) {
      %t = arith.muli %s, %w : vector<19xi32>
      scf.yield %t : vector<19xi32>
    }
    %r = vector.extract %x[18] : i32 from vector<19xi32>""",
    "while": """%s:2 = scf.while (%a = %id, %n = %zero) : (i32, i32) -> (i32, i32) {
      %p = arith.cmpi ugt, %a, %one : i32
      scf.condition(%p) %a, %n : i32, i32
    } do {
    ^bb0(%a: i32, %n: i32):
      %h = arith.shrui %a, %one : i32
      %m = arith.addi %n, %one : i32
      scf.yield %h, %m : i32, i32
    }
    %r = arith.addi %s#0, %s#1 : i32""",
}
BRANCHES = {
    "if": """%p = arith.cmpi slt, %lane, %seven : i32
    %r = scf.if %p -> (i32) {
      %t = arith.muli %id, %seven : i32
      scf.yield %t : i32
    } else {
      scf.yield %one : i32
    }""",
    "if in an if": """%p = arith.cmpi slt, %lane, %seven : i32
    %r = scf.if %p -> (i32) {
      %q = arith.cmpi eq, %lane, %one : i32
      %t = scf.if %q -> (i32) {
        scf.yield %seven : i32
      } else {
        scf.yield %zero : i32
      }
      scf.yield %t : i32
    } else {
      scf.yield %id : i32
    }""",
    "index_switch": """%n = gpu.block_id x
    %r = scf.index_switch %n -> i32
    case 1 {
      scf.yield %seven : i32
    }
    default {
      scf.yield %one : i32
    }""",
    "barrier": "gpu.barrier\n%r = arith.addi %id, %one : i32",
    "memfence": "xevm.memfence <{addrspace = #xevm.addr_space<global>, scope = #xevm.mem_scope<workgroup>}>\n"
    "%r = arith.addi %id, %one : i32",
}
INDEX = {
    "index of 64 bits": """%a = arith.index_cast %id : i32 to index
    %b = arith.muli %a, %large : index
    %c = arith.divui %b, %many : index
    %d = arith.constant 32 : index
    %e = arith.shrui %c, %d : index
    %r = arith.index_cast %e : index to i32""",
    "index below zero": """%a = arith.index_cast %id : i32 to index
    %b = arith.subi %a, %many : index
    %c = arith.divsi %b, %c3 : index
    %r = arith.index_cast %c : index to i32""",
    "index cut": """%a = arith.index_cast %id : i32 to index
    %b = arith.muli %a, %large : index
    %r = arith.index_cast %b : index to i32""",
    "index unsigned": """%a = arith.subi %zero, %id : i32
    %b = arith.index_castui %a : i32 to index
    %c = arith.divui %b, %c3 : index
    %r = arith.index_castui %c : index to i32""",
    "index extremes": """%a = arith.index_cast %id : i32 to index
    %b = arith.subi %a, %many : index
    %c = arith.maxsi %b, %c3 : index
    %d = arith.minui %b, %c : index
    %r = arith.index_cast %d : index to i32""",
}
HEAD = """
gpu.module @m { gpu.func @k(PARAMETERS) kernel attributes {known_block_size = array<i32: 32, 2, 1>,
    known_grid_size = array<i32: 3, 2, 2>, intel_reqd_sub_group_size = 16 : i32, xetile.level = "lane"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 11 : index
  %large = arith.constant 3000000000 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %tenth = arith.constant 0.1 : f32
  %bytes = arith.constant 64 : i32
  %rows = arith.constant ROWS : i32
  %x = gpu.block_id x
  %y = gpu.block_id y
  %z = gpu.block_id z
  %sg = gpu.subgroup_id : index
  %l = gpu.lane_id
  %lane = arith.index_cast %l : index to i32
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %b0 = arith.muli %z, %two : index
  %b1 = arith.addi %b0, %y : index
  %b2 = arith.muli %b1, %c3 : index
  %b3 = arith.addi %b2, %x : index
  %b4 = arith.muli %b3, %four : index
  %b5 = arith.addi %b4, %sg : index
  %row = arith.index_cast %b5 : index to i32
  %sixteen = arith.constant 16 : i32
  %first = arith.muli %row, %sixteen : i32
  %id = arith.addi %first, %lane : i32
BODY
  gpu.return
} }
"""


def cases() -> list[Case]:
    """A case per kind."""
    kinds = {"ids": IDS, "loops": LOOPS, "branches": BRANCHES, "index": INDEX}
    return [
        Case(f"control {name}", partial(_program, parts), tuple(parts))
        for name, parts in kinds.items()
    ]


def _program(bodies: dict[str, str], parts: Sequence[str]) -> Program:
    arrays: list[Array] = []
    results: dict[int, Result] = {}
    body = ""
    for number, part in enumerate(parts):
        arrays.append(numpy.full((ROWS, 16), -1, numpy.int32))
        results[number] = Result(part)
        body += f"""
  %A{number}_i = memref.extract_aligned_pointer_as_index %A{number} : memref<{ROWS}x16xi32> -> index
  %A{number}_j = arith.index_cast %A{number}_i : index to i64
  %A{number}_p = llvm.inttoptr %A{number}_j : i64 to !llvm.ptr<1>
  {_renamed(bodies[part], number)}
  %A{number}_v = vector.from_elements %own{number}_r : vector<1xi32>
  xevm.blockstore2d %A{number}_p, %bytes, %rows, %bytes, %zero, %row, %A{number}_v <{{elem_size_in_bits = 32 : i32,
      tile_height = 1 : i32, tile_width = 16 : i32}}> : {SURFACE}, vector<1xi32>)"""
    parameters = ", ".join(f"%A{n}: memref<{ROWS}x16xi32>" for n in range(len(arrays)))
    text = (
        HEAD.replace("PARAMETERS", parameters).replace("BODY", body).replace("ROWS", str(ROWS))
    )
    return Program(text, arrays, "k", results=results)


_GIVEN = re.compile(r"%(?!(?:c0|c1|c3|many|large|zero|one|seven|tenth|lane|id)\b)(\w+)\b")


def _renamed(lines: str, number: int) -> str:
    """Lines with names of their own for all but what stands before."""
    return _GIVEN.sub(rf"%own{number}_\1", lines)
