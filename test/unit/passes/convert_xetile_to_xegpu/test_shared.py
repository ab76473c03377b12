"""Tiles in shared memory at level XeGPU: matrices, or single elements where no matrix says what is asked."""

from pathlib import Path

import numpy
import pytest
from support.element_by_element import check, distinct, names
from support.subgroup import NUMPY, Argument, memref, tile, vector

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
