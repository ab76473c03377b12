"""Where a tile's elements lie in a matrix, held against the matrix's own description, element by element."""

from itertools import product

import pytest

from xetile.dialects.modules import parse
from xetile.dialects.xegpu import LoadMatrixOp, MemDescType
from xetile.planning.xe.register_layouts.places import ONE, MatrixPlaces, matrix_places

LAYOUTS = [
    "",
    "stride = [1, 16]",
    "block = [8, 16]",
    "block = [2, 4]",
    "block = [8, 8], stride = [1, 16]",
]


def found(
    layout: str, corner: str, shape: tuple[int, int]
) -> tuple[MemDescType, MatrixPlaces]:
    type = f"!xegpu.mem_desc<16x32xf32{f', #xegpu.mem_layout<{layout}>' if layout else ''}>"
    indices = "".join(", index" for name in ("%i", "%j") if name in corner)
    module = parse(f"""
      func.func @f(%m: {type}, %i: index, %j: index) {{
        %v = xegpu.load_matrix %m[{corner}] : {type}{indices} -> vector<{shape[0]}x{shape[1]}xf32>
        func.return
      }}""")
    load = next(op for op in module.walk() if isinstance(op, LoadMatrixOp))
    described = load.mem_desc.type
    assert isinstance(described, MemDescType)
    return described, matrix_places(described, load.mixed_offsets, shape, {})


def place(type: MemDescType, at: tuple[int, int]) -> int:
    inner, outer = type.steps
    return sum(
        index // block * far + index % block * near if far else index * near
        for index, block, near, far in zip(at, type.block_shape, inner, outer, strict=True)
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("corner", "shape"),
    [
        (corner, shape)
        for corner in [(0, 0), (8, 16), (4, 4), (12, 28), (1, 0), (0, 3)]
        for shape in [(4, 4), (8, 16), (2, 4), (1, 16)]
        if corner[0] + shape[0] <= 16 and corner[1] + shape[1] <= 32
    ],
)
def test_every_element(layout: str, corner: tuple[int, int], shape: tuple[int, int]) -> None:
    type, (places, multiple) = found(layout, f"{corner[0]}, {corner[1]}", shape)
    if places.unknown is not None:
        assert places.terms == {}
        return
    term, widths = places.terms[ONE], [extent.bit_length() - 1 for extent in shape]
    for row, column in product(range(shape[0]), range(shape[1])):
        bits = [row >> bit & 1 for bit in range(widths[0])]
        bits += [column >> bit & 1 for bit in range(widths[1])]
        lies = term.number + sum(w for w, bit in zip(term.weights, bits, strict=True) if bit)
        assert lies == place(type, (corner[0] + row, corner[1] + column))
    assert multiple == 0


def test_a_tile_that_may_cross_blocks_is_computed() -> None:
    _, (places, multiple) = found("block = [8, 16]", "%i, 0", (4, 16))
    assert (places.unknown, multiple) == ((1 << 6) - 1, 1)
    _, (places, multiple) = found("block = [8, 16]", "%i, 0", (1, 16))
    assert (places.unknown, multiple) == (None, 16)
