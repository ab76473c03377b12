"""Values that loops carry, which are wanted in other blocks before, in and after the loop.

`$A` and `$C` stand for the types of a factor (f16) and of a sum (f32), `$TA` and `$TC` for those of their tiles.
"""

from collections.abc import Mapping

import numpy
from support.subgroup import NUMPY
from support.tiled.case import Case, filled

BEGIN = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %half = arith.constant dense<0.5> : $A
    %zero = arith.constant dense<0.0> : $C
    %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> $TA
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> $TB
    %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> $TC
    %td = xetile.init_tile %D[0, 0] : memref<64x64xf32> -> $TC
    %te = xetile.init_tile %E[0, 0] : memref<64x64xf16> -> $TA
    %a0 = xetile.load_tile %ta : $TA -> $A
    %b = xetile.load_tile %tb : $TB -> $B
    %c = xetile.load_tile %tc : $TC -> $C"""
MULTIPLY = "%new = xetile.tile_mma %a, %b, %old : $A, $B, $C -> $C"
STORE_SUM = """
    xetile.store_tile %sum, %td : $C, $TC"""
STORE_BOTH = f"""{STORE_SUM}
    xetile.store_tile %last, %te : $A, $TA"""
FOR = "scf.for %i = %c0 to %c4 step %c1 iter_args(%old = $FIRST, %a = %a0) -> ($C, $A)"

FACTOR = f"""
    %sum, %last = {FOR} {{
      {MULTIPLY}
      %next = arith.mulf %a, %half : $A
      scf.yield %new, %next : $C, $A
    }}"""
SCALED = f"""
    %quarter = arith.constant dense<0.25> : $C
    %sum, %last = {FOR} {{
      {MULTIPLY}
      %smaller = arith.mulf %new, %quarter : $C
      %next = arith.mulf %a, %half : $A
      scf.yield %smaller, %next : $C, $A
    }}"""
RIGHT = f"""
    %sum, %last = {FOR.replace("%a = ", "%r = ")} {{
      %new = xetile.tile_mma %b, %r, %old : $A, $B, $C -> $C
      %next = arith.mulf %r, %half : $A
      scf.yield %new, %next : $C, $A
    }}"""
SOMETIMES = f"""
    %sum, %last = {FOR} {{
      {MULTIPLY}
      %second = arith.cmpi eq, %i, %c1 : index
      %next = scf.if %second -> ($A) {{
        %scaled = arith.mulf %a, %half : $A
        scf.yield %scaled : $A
      }} else {{
        scf.yield %a : $A
      }}
      scf.yield %new, %next : $C, $A
    }}"""
NESTED = f"""
    %sum, %last = scf.for %j = %c0 to %c4 step %c1 iter_args(%outer = $FIRST, %kept = %a0) -> ($C, $A) {{
      %inner, %rest = {FOR.replace("$FIRST", "%outer").replace("%a0", "%kept")} {{
        {MULTIPLY}
        %next = arith.mulf %a, %half : $A
        scf.yield %new, %next : $C, $A
      }}
      scf.yield %inner, %rest : $C, $A
    }}"""
WHILE = f"""
    %count, %sum, %last = scf.while (%n = %c0, %x = $FIRST, %y = %a0) : (index, $C, $A) -> (index, $C, $A) {{
      %more = arith.cmpi slt, %n, %c4 : index
      scf.condition(%more) %n, %x, %y : index, $C, $A
    }} do {{
    ^bb0(%n: index, %old: $C, %a: $A):
      {MULTIPLY}
      %next = arith.mulf %a, %half : $A
      %following = arith.addi %n, %c1 : index
      scf.yield %following, %new, %next : index, $C, $A
    }}"""
LEFT_THEN_RIGHT = f"""
    %half_sum, %halves = {FOR} {{
      {MULTIPLY}
      %next = arith.mulf %a, %half : $A
      scf.yield %new, %next : $C, $A
    }}
    %sum, %last = {FOR.replace("%a = %a0", "%r = %halves").replace("$FIRST", "%half_sum")} {{
      %new = xetile.tile_mma %b, %r, %old : $A, $B, $C -> $C
      %next = arith.addf %r, %half : $A
      scf.yield %new, %next : $C, $A
    }}"""
ADDED = """
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %c) -> ($C) {
      %row = arith.muli %i, %c4 : index
      %tx = xetile.init_tile %C[%row, 0] : memref<64x64xf32> -> $TC
      %x = xetile.load_tile %tx : $TC -> $C
      %new = arith.addf %old, %x : $C
      scf.yield %new : $C
    }"""
TURNED = """
    %turned = xetile.tile_transpose %sum [1, 0] : $C -> $C
    xetile.store_tile %turned, %td : $C, $TC"""
REDUCED = """
    %rows = xetile.reduction <add>, %sum [1] : $C -> vector<$ROWS_x1xf32>
    %all = xetile.broadcast %rows [1] : vector<$ROWS_x1xf32> -> $C
    xetile.store_tile %all, %td : $C, $TC"""

KERNELS: Mapping[str, str] = {
    "factor": FACTOR + STORE_SUM,
    "factor_stored": FACTOR + STORE_BOTH,
    "right": RIGHT + STORE_SUM,
    "sometimes": SOMETIMES + STORE_BOTH,
    "nested": NESTED + STORE_BOTH,
    "while": WHILE + STORE_BOTH,
    "left_then_right": LEFT_THEN_RIGHT + STORE_BOTH,
    "added": ADDED + STORE_SUM,
    "turned": FACTOR.replace("$FIRST", "%c") + TURNED,
    "reduced": FACTOR.replace("$FIRST", "%c") + REDUCED,
    "scaled": SCALED.replace("$FIRST", "%c") + STORE_BOTH,
}
"""All of 32 rows; the last one also of rows that messages and instructions of several heights make up."""

HEIGHTS = (7, 12, 24)


def carried_kernels() -> list[Case]:
    found = [_case(f"carried_{name}", body, 32) for name, body in KERNELS.items()]
    return [*found, *(_case(f"carried_rows_{m}", KERNELS["scaled"], m) for m in HEIGHTS)]


def _case(name: str, body: str, rows: int) -> Case:
    boxes = {"A": f"{rows}x32xf16", "B": "32x32xf16", "C": f"{rows}x32xf32"}
    names = {letter: f"vector<{box}>" for letter, box in boxes.items()}
    names |= {f"T{letter}": f"!xetile.tile<{box}>" for letter, box in boxes.items()}
    names |= {"FIRST": "%zero", "ROWS_": str(rows)}
    random = numpy.random.default_rng(rows)
    elements = ("f16", "f16", "f32", "f32", "f16")
    return Case(
        name,
        [f"%{letter}: memref<64x64x{e}>" for letter, e in zip("ABCDE", elements, strict=True)],
        filled(BEGIN + body, names),
        [random.integers(-2, 3, (64, 64)).astype(NUMPY[e]) for e in elements],
        {},
    )
