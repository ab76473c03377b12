"""Tiles in shared memory at level XeGPU: matrices, or single elements where no matrix says what is asked."""

import re
from pathlib import Path

import numpy
import pytest
from support.element_by_element import check, distinct, names
from support.subgroup import NUMPY, Argument, memref, tile, vector

from xetile.dialects.known_integers import known_integer

TYPES = (
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "si8",
    "ui8",
)
SPACES = ("3", "#gpu.address_space<workgroup>")
MATRIX = (48, 64)


def copied(
    type: str,
    shape: tuple[int, int],
    buffer: str,
    allocated: str,
    *,
    order: str = "",
    at: str = "0, 0",
    rest: str = "",
    tiles: str = "",
) -> str:
    """A tile of A that goes through shared memory and is stored to C."""
    t, v = tile(shape, type), vector(shape, type)
    m = memref(MATRIX, type)
    s = tile(shape, type, ", ".join(part for part in (order, "memory_space = 3") if part))
    return f"""
    %t = xetile.init_tile %A[0, 0] : {m} -> {t}
    %v = xetile.load_tile %t : {t} -> {v}{allocated}
    %s = xetile.init_tile %memory[{at}] : {buffer} -> {s}
    xetile.store_tile %v, %s : {v}, {s}
    gpu.barrier{tiles}
    %w = xetile.load_tile %s{rest} : {s} -> {v}
    %u = xetile.init_tile %C[0, 0] : {m} -> {t}
    xetile.store_tile %w, %u : {v}, {t}"""


def arguments(type: str) -> list[Argument]:
    values = distinct(MATRIX, NUMPY[type])
    return [
        Argument("A", memref(MATRIX, type), values, values),
        Argument("C", memref(MATRIX, type), numpy.zeros_like(values), values),
    ]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("space", SPACES)
def test_each_type_is_a_matrix(type: str, space: str, mlir_opt: Path) -> None:
    buffer = f"memref<32x48x{type}, {space}>"
    body = copied(type, (16, 32), buffer, f"\n    %memory = memref.alloc() : {buffer}")
    found = names(check(body, arguments(type), mlir_opt))
    assert found.count("xegpu.create_mem_desc") == 1
    assert "xegpu.load_matrix" in found
    assert "xegpu.store_matrix" in found


@pytest.mark.parametrize(
    ("layout", "order"),
    [
        ("", ""),
        (", strided<[56, 1]>", ""),
        (", strided<[1, 40]>", "order = [0, 1]"),
        (", affine_map<(d0, d1) -> (d1, d0)>", "order = [0, 1]"),
    ],
)
def test_layouts_are_strides_of_the_matrix(layout: str, order: str, mlir_opt: Path) -> None:
    buffer = f"memref<32x48xf16{layout}, 3>"
    allocated = f"\n    %memory = memref.alloc() : {buffer}"
    body = copied("f16", (16, 32), buffer, allocated, order=order, at="8, 16")
    assert "xegpu.load_matrix" in names(check(body, arguments("f16"), mlir_opt))


@pytest.mark.parametrize("type", ["f16", "i64"])
def test_views_are_matrices_too(type: str, mlir_opt: Path) -> None:
    views = {
        f"memref<32x48x{type}, strided<[64, 1], offset: 264>, 3>": "subview %whole[4, 8] [32, 48] [1, 1]",
        f"memref<64x40x{type}, strided<[1, 64]>, 3>": "transpose %whole (d0, d1) -> (d1, d0)",
        f"memref<2x20x64x{type}, 3>": "expand_shape %whole [[0, 1], [2]] output_shape [2, 20, 64]",
    }
    whole = f"memref<40x64x{type}, 3>"
    for view, made in views.items():
        separator = "into" if made.startswith("expand") else "to"
        allocated = f"""
    %whole = memref.alloc() : {whole}
    %memory = memref.{made} : {whole} {separator} {view}"""
        order = "order = [0, 1]" if made.startswith("transpose") else ""
        at = "1, 0, 16" if made.startswith("expand") else "8, 8"
        body = copied(type, (16, 32), view, allocated, order=order, at=at)
        assert "xegpu.load_matrix" in names(check(body, arguments(type), mlir_opt)), view


def test_what_no_matrix_says_is_reached_by_elements(mlir_opt: Path) -> None:
    buffer = "memref<2x20x64xf16, strided<[1300, 64, 1]>, 3>"
    body = copied(
        "f16",
        (16, 32),
        buffer,
        f"\n    %memory = memref.alloc() : {buffer}",
        at="1, 2, 16",
    )
    found = names(check(body, arguments("f16"), mlir_opt))
    assert "xegpu.load" in found
    assert "xegpu.create_mem_desc" not in found


def test_attributions_are_buffers(mlir_opt: Path) -> None:
    body = copied("f16", (16, 32), "memref<32x48xf16, #gpu.address_space<workgroup>>", "")
    more = " workgroup(%memory: memref<32x48xf16, #gpu.address_space<workgroup>>)"
    check(body, arguments("f16"), mlir_opt, more=more)


@pytest.mark.parametrize("type", ["i1", "f8E4M3FN", "f8E5M2"])
@pytest.mark.parametrize("given", ["alloc", "attribution"])
def test_types_that_xegpu_lacks_are_others_in_memory(
    type: str, given: str, mlir_opt: Path
) -> None:
    """Views and single elements of such a buffer too."""
    buffer = f"memref<32x64x{type}, 3>"
    element = "true" if type == "i1" else f"1.5 : {type}"
    allocated = f"\n    %whole = memref.alloc() : {buffer}" if given == "alloc" else ""
    view = f"memref<16x64x{type}, strided<[64, 1], offset: 512>, 3>"
    allocated += f"""
    %memory = memref.subview %whole[8, 0] [16, 64] [1, 1] : {buffer} to {view}"""
    tiles = f"""
    %c3 = arith.constant 3 : index
    %e = arith.constant {element}
    %x = memref.load %memory[%c3, %c3] : {view}
    memref.store %e, %memory[%c3, %c3] : {view}
    memref.store %x, %memory[%c3, %c0] : {view}
    gpu.barrier"""
    body = copied(type, (16, 32), view, allocated, tiles=tiles)
    body = "\n    %c0 = arith.constant 0 : index" + body
    more = "" if given == "alloc" else f" workgroup(%whole: {buffer})"
    check(body, arguments(type), mlir_opt, more=more)


SWIZZLES = {
    "rows of 32": "[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 8], [2, 16], [4, 0], [8, 0], [16, 0]]",
    "mixed": "[[1, 0], [0, 1], [2, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 4], [8, 8], [16, 16]]",
}


@pytest.mark.parametrize("type", ["f16", "f32", "i8", "f64", "i1", "f8E5M2"])
@pytest.mark.parametrize("swizzle", SWIZZLES)
@pytest.mark.parametrize("at", ["0, 0", "16, 16", "%place, 0", "%odd, %odd", "3, 5"])
def test_swizzled_memory_is_one_row(type: str, swizzle: str, at: str, mlir_opt: Path) -> None:
    """Stored by rows of the buffer, loaded from its transpose: at places that are multiples of blocks, and at others."""
    layout = f"#xetile.swizzle<offset = {SWIZZLES[swizzle]}>"
    turned = ", ".join(f"[{b}, {a}]" for a, b in re.findall(r"\[(\d+), (\d+)\]", layout))
    buffer = f"memref<32x32x{type}, {layout}, 3>"
    other = f"memref<32x32x{type}, #xetile.swizzle<offset = [{turned}]>, 3>"
    s, v = tile((16, 16), type, "memory_space = 3"), vector((16, 16), type)
    t, m = tile((16, 16), type), memref(MATRIX, type)
    body = f"""
    %id = gpu.subgroup_id : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %place = arith.muli %id, %c16 : index
    %odd = arith.addi %place, %c3 : index
    %memory = memref.alloc() : {buffer}
    %turned = memref.transpose %memory (d0, d1) -> (d1, d0) : {buffer} to {other}
    %t = xetile.init_tile %A[0, 0] : {m} -> {t}
    %v = xetile.load_tile %t : {t} -> {v}
    %s = xetile.init_tile %memory[{at}] : {buffer} -> {s}
    xetile.store_tile %v, %s : {v}, {s}
    gpu.barrier
    %r = xetile.init_tile %turned[{", ".join(at.split(", ")[::-1])}] : {other} -> {s}
    %w = xetile.load_tile %r : {s} -> {v}
    %u = xetile.init_tile %C[0, 0] : {m} -> {t}
    xetile.store_tile %w, %u : {v}, {t}"""
    found = check(body, arguments(type), mlir_opt)
    assert "memref.transpose" not in names(found)
    shifts = [op for op in found.walk() if op.name == "arith.shli"]
    assert any(str(op.results[0].type).startswith("vector") for op in shifts) == (
        at in ("%odd, %odd", "3, 5")
    )


def test_indices_are_numbers_of_64_bits(mlir_opt: Path) -> None:
    t, v = tile((8, 16), "i32"), vector((8, 16), "i32")
    s, w = tile((8, 16), "index", "memory_space = 3"), vector((8, 16), "index")
    body = f"""
    %memory = memref.alloc() : memref<8x16xindex, 3>
    %t = xetile.init_tile %A[0, 0] : {memref(MATRIX, "i32")} -> {t}
    %v = xetile.load_tile %t : {t} -> {v}
    %i = arith.index_cast %v : {v} to {w}
    %s = xetile.init_tile %memory[0, 0] : memref<8x16xindex, 3> -> {s}
    xetile.store_tile %i, %s : {w}, {s}
    gpu.barrier
    %old = xetile.atomic_rmw_tile <addi> %i, %s : {w}, {s} -> {w}
    gpu.barrier
    %l = xetile.load_tile %s : {s} -> {w}
    %r = arith.index_cast %l : {w} to {v}
    %u = xetile.init_tile %C[0, 0] : {memref(MATRIX, "i32")} -> {t}
    xetile.store_tile %r, %u : {v}, {t}"""
    check(body, arguments("i32"), mlir_opt)


def test_swizzled_tiles_move(mlir_opt: Path) -> None:
    layout = f"#xetile.swizzle<offset = {SWIZZLES['mixed']}>"
    buffer = f"memref<32x32xf16, {layout}, 3>"
    s, v = tile((8, 16), "f16", "memory_space = 3"), vector((8, 16), "f16")
    t, m = tile((8, 16), "f16"), memref(MATRIX, "f16")
    body = f"""
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %memory = memref.alloc() : {buffer}
    %t = xetile.init_tile %A[0, 0] : {m} -> {t}
    %s = xetile.init_tile %memory[0, 16] : {buffer} -> {s}
    %u = xetile.init_tile %C[0, 0] : {m} -> {t}
    %r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %t, %q = %s, %w = %u) -> ({t}, {s}, {t}) {{
      %v = xetile.load_tile %p : {t} -> {v}
      xetile.store_tile %v, %q : {v}, {s}
      gpu.barrier
      %l = xetile.load_tile %q : {s} -> {v}
      xetile.store_tile %l, %w : {v}, {t}
      %pn = xetile.update_tile_offset %p, [8, 16] : {t}
      %qn = xetile.update_tile_offset %q, [8, 0] : {s}
      %wn = xetile.update_tile_offset %w, [8, 0] : {t}
      scf.yield %pn, %qn, %wn : {t}, {s}, {t}
    }}"""
    found = check(body, arguments("f16"), mlir_opt)
    masks = [known_integer(op.operands[1]) for op in found.walk() if op.name == "arith.andi"]
    assert masks
    assert all(mask and mask % 8 == 0 for mask in masks), "corners are multiples of 8 rows"


def test_tiles_move_in_loops(mlir_opt: Path) -> None:
    """Two slots side by side, filled and used in turns; prefetches of shared memory are left out."""
    t, v = tile((16, 32), "f16"), vector((16, 32), "f16")
    s = tile((16, 32), "f16", "memory_space = 3")
    m = memref(MATRIX, "f16")
    body = f"""
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %memory = memref.alloc() : memref<16x64xf16, 3>
    %t = xetile.init_tile %A[0, 0] : {m} -> {t}
    %s = xetile.init_tile %memory[0, 0] : memref<16x64xf16, 3> -> {s}
    %u = xetile.init_tile %C[0, 0] : {m} -> {t}
    xetile.prefetch_tile %s : {s}
    %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %t, %q = %s, %w = %u) -> ({t}, {s}, {t}) {{
      %v = xetile.load_tile %p : {t} -> {v}
      xetile.store_tile %v, %q : {v}, {s}
      gpu.barrier
      %l = xetile.load_tile %q : {s} -> {v}
      xetile.store_tile %l, %w : {v}, {t}
      %pn = xetile.update_tile_offset %p, [16, 32] : {t}
      %qn = xetile.update_tile_offset %q, [0, 32] : {s}
      %wn = xetile.update_tile_offset %w, [16, 0] : {t}
      scf.yield %pn, %qn, %wn : {t}, {s}, {t}
    }}"""
    assert "xegpu.load_matrix" in names(check(body, arguments("f16"), mlir_opt))
