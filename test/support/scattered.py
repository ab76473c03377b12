"""Kernels that gather and scatter at level X, in every element type: one for each way of saying where."""

from collections.abc import Mapping
from string import Template
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

ELEMENTS: Mapping[str, "type[Any]"] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
}
LENGTH = 1024

_HEADER = Template("""
  gpu.func @k($arguments, %n: index) workgroup($buffers) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c256 = arith.constant 256 : index
    %sg = gpu.subgroup_id : index
    %own = arith.muli %sg, %c256 : index
    %step = vector.step : vector<16xindex>
    %all = arith.constant dense<true> : vector<16xi1>
    %all2 = arith.constant dense<true> : vector<16x16xi1>
    %some = vector.create_mask %n : vector<16xi1>
    %some2 = vector.create_mask %n, %c3 : vector<16x16xi1>
    %columns = vector.broadcast %step : vector<16xindex> to vector<16x16xindex>
    %rows = vector.transpose %columns, [1, 0] : vector<16x16xindex> to vector<16x16xindex>
    %k16 = arith.constant dense<16> : vector<16x16xindex>
    %rows16 = arith.muli %rows, %k16 : vector<16x16xindex>
    %plain = arith.addi %rows16, %columns : vector<16x16xindex>
    %turned = vector.transpose %plain, [1, 0] : vector<16x16xindex> to vector<16x16xindex>
    %owns = vector.broadcast %own : index to vector<16x16xindex>
    %at = arith.addi %plain, %owns : vector<16x16xindex>
    %at_turned = arith.addi %turned, %owns : vector<16x16xindex>
    %always = arith.cmpi sgt, %n, %c0 : index""")

_ROUND = """
    xegpu.store %v, %1[%at], %all2 : vector<16x16x$T>, memref<1024x$T>, vector<16x16xindex>, vector<16x16xi1>"""


def _gathered(
    mask: str = "%all2", at: str = "%o", base: str = "%0", type: str = "memref<1024x$T>"
) -> str:
    return f"""
    %v = xegpu.load {base}[{at}], {mask} : {type}, vector<16x16xindex>, vector<16x16xi1> -> vector<16x16x$T>"""


FORMS: Mapping[str, str] = {
    "one_row": """
    %off = vector.broadcast %own : index to vector<16xindex>
    %o = arith.addi %step, %off : vector<16xindex>
    %v = xegpu.load %0[%o], %some : memref<1024x$T>, vector<16xindex>, vector<16xi1> -> vector<16x$T>
    xegpu.store %v, %1[%o], %all : vector<16x$T>, memref<1024x$T>, vector<16xindex>, vector<16xi1>""",
    "chunks": """
    %k8 = arith.constant dense<8> : vector<16xindex>
    %o0 = arith.muli %step, %k8 : vector<16xindex>
    %off = vector.broadcast %own : index to vector<16xindex>
    %o = arith.addi %o0, %off : vector<16xindex>
    %v = xegpu.load %0[%o], %some <{chunk_size = 8 : i64}> : memref<1024x$T>, vector<16xindex>, vector<16xi1> -> vector<16x8x$T>
    xegpu.store %v, %1[%o], %all <{chunk_size = 8 : i64}> : vector<16x8x$T>, memref<1024x$T>, vector<16xindex>, vector<16xi1>""",
    "masked_chunks": """
    %k4 = arith.constant dense<4> : vector<16xindex>
    %o = arith.muli %step, %k4 : vector<16xindex>
    %v = xegpu.load %0[%o], %all <{chunk_size = 4 : i64}> : memref<1024x$T>, vector<16xindex>, vector<16xi1> -> vector<16x4x$T>
    xegpu.store %v, %1[%o], %some <{chunk_size = 4 : i64}> : vector<16x4x$T>, memref<1024x$T>, vector<16xindex>, vector<16xi1>""",
    "hints": """
    %k4 = arith.constant dense<4> : vector<16xindex>
    %o = arith.muli %step, %k4 : vector<16xindex>
    xegpu.prefetch %0[%o] <{l1_hint = #xegpu.cache_hint<cached>}> : memref<1024x$T>, vector<16xindex>
    xegpu.prefetch %1[%own] <{l3_hint = #xegpu.cache_hint<cached>}> : memref<1024x$T>, index
    %v = xegpu.load %0[%o], %some <{chunk_size = 4 : i64, l1_hint = #xegpu.cache_hint<uncached>}> : memref<1024x$T>, vector<16xindex>, vector<16xi1> -> vector<16x4x$T>
    xegpu.store %v, %1[%o], %some <{chunk_size = 4 : i64, l1_hint = #xegpu.cache_hint<write_through>}> : vector<16x4x$T>, memref<1024x$T>, vector<16xindex>, vector<16xi1>
    %k256 = arith.constant dense<256> : vector<16xindex>
    %p = arith.addi %step, %k256 : vector<16xindex>
    %w = xegpu.load %0[%p], %all <{l3_hint = #xegpu.cache_hint<cached>}> : memref<1024x$T>, vector<16xindex>, vector<16xi1> -> vector<16x$T>
    xegpu.store %w, %1[%p], %all <{l1_hint = #xegpu.cache_hint<uncached>}> : vector<16x$T>, memref<1024x$T>, vector<16xindex>, vector<16xi1>""",
    "constant_rows": """
    %r = arith.constant dense<[3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 0, 7, 12, 10, 11, 13]> : vector<16xindex>
    %k16s = arith.constant dense<16> : vector<16xindex>
    %r16 = arith.muli %r, %k16s : vector<16xindex>
    %b = vector.broadcast %r16 : vector<16xindex> to vector<16x16xindex>
    %t = vector.transpose %b, [1, 0] : vector<16x16xindex> to vector<16x16xindex>
    %o = arith.addi %t, %columns : vector<16x16xindex>"""
    + _gathered("%some2")
    + _ROUND,
    "pitch": """
    %p = vector.broadcast %n : index to vector<16x16xindex>
    %rp = arith.muli %rows, %p : vector<16x16xindex>
    %o0 = arith.addi %rp, %columns : vector<16x16xindex>
    %o = arith.addi %o0, %owns : vector<16x16xindex>"""
    + _gathered()
    + _ROUND,
    "pitch_of_a_pointer": """
    %i = memref.extract_aligned_pointer_as_index %0 : memref<1024x$T> -> index
    %j = arith.index_cast %i : index to i64
    %p = vector.broadcast %n : index to vector<16x16xindex>
    %first = arith.muli %n, %own : index
    %firsts = vector.broadcast %first : index to vector<16x16xindex>
    %back = arith.constant dense<15> : vector<16x16xindex>
    %down = arith.subi %back, %columns : vector<16x16xindex>
    %rp = arith.muli %down, %p : vector<16x16xindex>
    %o0 = arith.addi %rp, %rows : vector<16x16xindex>
    %o = arith.addi %o0, %firsts : vector<16x16xindex>
    %v = xegpu.load %j[%o0], %some2 : i64, vector<16x16xindex>, vector<16x16xi1> -> vector<16x16x$T>"""
    + _ROUND,
    "narrow_numbers": """
    %n32 = arith.index_cast %rows16 : vector<16x16xindex> to vector<16x16xi32>
    %c32 = arith.index_cast %columns : vector<16x16xindex> to vector<16x16xi32>
    %k2 = arith.constant dense<2> : vector<16x16xi32>
    %twice = arith.muli %c32, %k2 : vector<16x16xi32>
    %s32 = arith.addi %n32, %twice : vector<16x16xi32>
    %o = arith.index_cast %s32 : vector<16x16xi32> to vector<16x16xindex>"""
    + _gathered("%some2")
    + _ROUND,
    "shared_turned": """
    %v0 = xegpu.load %0[%at], %all2 : memref<1024x$T>, vector<16x16xindex>, vector<16x16xi1> -> vector<16x16x$T>
    xegpu.store %v0, %S[%at], %all2 : vector<16x16x$T>, memref<512x$T, 3>, vector<16x16xindex>, vector<16x16xi1>
    gpu.barrier"""
    + _gathered("%some2", "%at_turned", "%S", "memref<512x$T, 3>")
    + _ROUND,
    "shared_swizzled": """
    %v0 = xegpu.load %0[%at], %all2 : memref<1024x$T>, vector<16x16xindex>, vector<16x16xi1> -> vector<16x16x$T>
    %x0 = arith.xori %plain, %rows : vector<16x16xindex>
    %x = arith.xori %x0, %owns : vector<16x16xindex>
    xegpu.store %v0, %S[%x], %all2 : vector<16x16x$T>, memref<512x$T, 3>, vector<16x16xindex>, vector<16x16xi1>
    gpu.barrier
    %y0 = arith.xori %turned, %columns : vector<16x16xindex>
    %other = arith.xori %own, %c256 : index
    %moved = arith.addi %other, %n : index
    %c240 = arith.constant 496 : index
    %even = arith.andi %moved, %c240 : index
    %evens = vector.broadcast %even : index to vector<16x16xindex>
    %y = arith.xori %y0, %evens : vector<16x16xindex>"""
    + _gathered("%all2", "%y", "%S", "memref<512x$T, 3>")
    + _ROUND,
}


_LAYOUTS = {
    "rows": "",
    "columns": "stride = [1, 16]",
    "blocks": "block = [8, 16]",
    "small_blocks": "block = [2, 4]",
    "blocks_of_columns": "block = [8, 8], stride = [1, 16]",
}


def _matrix(layout: str) -> str:
    """Tiles of a matrix at places that are known, computed, and where they cross blocks."""
    type = f"!xegpu.mem_desc<16x32x$T{f', #xegpu.mem_layout<{layout}>' if layout else ''}>"
    return f"""
    %v0 = xegpu.load %0[%at], %all2 : memref<1024x$T>, vector<16x16xindex>, vector<16x16xi1> -> vector<16x16x$T>
    %m = xegpu.create_mem_desc %S : memref<512x$T, 3> -> {type}
    %column = arith.muli %sg, %c16 : index
    xegpu.store_matrix %v0, %m[0, %column] : vector<16x16x$T>, {type}, index
    gpu.barrier
    %four = arith.muli %sg, %c8 : index
    %a = xegpu.load_matrix %m[%four, 16] : {type}, index -> vector<8x16x$T>
    %b = xegpu.load_matrix %m[%n, %sg] : {type}, index, index -> vector<4x16x$T>
    %c = xegpu.load_matrix %m[3, %n] : {type}, index -> vector<4x16x$T>
    %v1 = vector.insert_strided_slice %a, %v0 {{offsets = [0, 0], strides = [1, 1]}} : vector<8x16x$T> into vector<16x16x$T>
    %v2 = vector.insert_strided_slice %b, %v1 {{offsets = [8, 0], strides = [1, 1]}} : vector<4x16x$T> into vector<16x16x$T>
    %v = vector.insert_strided_slice %c, %v2 {{offsets = [12, 0], strides = [1, 1]}} : vector<4x16x$T> into vector<16x16x$T>"""


_CHUNKS = "!xegpu.tensor_desc<16x8x$T, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>"
_SINGLE = "!xegpu.tensor_desc<16x$T, #xegpu.scatter_tdesc_attr<>>"

DESCRIPTORS: Mapping[str, str] = {
    "descriptors": f"""
    %k8 = arith.constant dense<8> : vector<16xindex>
    %o = arith.muli %step, %k8 : vector<16xindex>
    %ns = vector.broadcast %n : index to vector<16xindex>
    %d = xegpu.create_tdesc %0, %o : memref<1024x$T>, vector<16xindex> -> {_CHUNKS}
    %e = xegpu.create_tdesc %1, %o : memref<1024x$T>, vector<16xindex> -> {_CHUNKS}
    %d2 = xegpu.update_offset %d, %ns : {_CHUNKS}, vector<16xindex>
    xegpu.prefetch %d2 : {_CHUNKS}
    %v = xegpu.load %d2, %some : {_CHUNKS}, vector<16xi1> -> vector<16x8x$T>
    xegpu.store %v, %e, %all : vector<16x8x$T>, {_CHUNKS}, vector<16xi1>
    %f = xegpu.create_tdesc %0, %step : memref<1024x$T>, vector<16xindex> -> {_SINGLE}
    %g0 = xegpu.create_tdesc %1, %step : memref<1024x$T>, vector<16xindex> -> {_SINGLE}
    %k256 = arith.constant dense<256> : vector<16xindex>
    %g = xegpu.update_offset %g0, %k256 : {_SINGLE}, vector<16xindex>
    %r:2 = scf.for %i = %c0 to %c16 step %c8 iter_args(%x = %f, %y = %g) -> ({_SINGLE}, {_SINGLE}) {{
      %w = xegpu.load %x, %all : {_SINGLE}, vector<16xi1> -> vector<16x$T>
      xegpu.store %w, %y, %some : vector<16x$T>, {_SINGLE}, vector<16xi1>
      %x2 = xegpu.update_offset %x, %k8 : {_SINGLE}, vector<16xindex>
      %y2 = xegpu.update_offset %y, %ns : {_SINGLE}, vector<16xindex>
      scf.yield %x2, %y2 : {_SINGLE}, {_SINGLE}
    }}""",
}


MATRICES: Mapping[str, str] = {
    name: _matrix(layout) + _ROUND for name, layout in _LAYOUTS.items()
}


def elements_of(form: str) -> list[str]:
    """The element types of a kernel; a descriptor has no 8 elements of i1 side by side."""
    return [element for element in ELEMENTS if element != "i1" or form not in DESCRIPTORS]


def kernel_of(form: str) -> str:
    """One kernel that does the same in each element type, in a block of its own; of two subgroups."""
    arguments = ", ".join(
        f"%a_{t}: memref<1024x{t}>, %b_{t}: memref<1024x{t}>" for t in elements_of(form)
    )
    buffers = ", ".join(f"%s_{t}: memref<512x{t}, 3>" for t in elements_of(form))
    header = _HEADER.substitute(arguments=arguments, buffers=buffers)
    bodies = [
        Template(
            {**FORMS, **MATRICES, **DESCRIPTORS}[form]
            .replace("%0", f"%a_{t}")
            .replace("%1", f"%b_{t}")
        )
        .substitute(T=t)
        .replace("%S", f"%s_{t}")
        for t in elements_of(form)
    ]
    blocks = "".join(f"\n    scf.if %always {{{body}\n    }}" for body in bodies)
    return f"gpu.module @m {{{header}{blocks}\n    gpu.return\n  }}\n}}"


def numbers(element: str) -> NDArray[Any]:
    """What the kernels gather: no two elements alike, as far as the type has as many."""
    values: NDArray[Any] = np.arange(LENGTH) * 7 % 1021
    if element == "i1":
        values = values % 3 == 0
    return np.array(values, ELEMENTS[element])
