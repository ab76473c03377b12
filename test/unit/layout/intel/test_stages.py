"""The staged construction of block loads, as Intel's document prints it (B's iterations corrected)."""

import pytest

from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.intel.dpas import Dpas
from xetile.layout.intel.stages import MessageLimits, block_load_stages

GEMM = Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2))
LIMITS = MessageLimits(rows=32, row_bytes=64)

TILE = """
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (0, 8)
   offset=16 -> (1, 0)
   offset=32 -> (2, 0)
   offset=64 -> (4, 0)
"""
TRANSPOSED = """
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (1, 0)
   offset=16 -> (2, 0)
   offset=32 -> (4, 0)
   offset=64 -> (8, 0)
"""


def listing(tile: str, iterations: str, loads: str, sizes: list[tuple[int, int]]) -> str:
    bodies = [tile, tile + iterations, tile + iterations + loads]
    titles = ["", " after adding iterations", " after adding loads"]
    return "\n".join(
        f"Block load tile layout{title}:{body}where out dims are: "
        f"[dim0 (size {size[0]}), dim1 (size {size[1]})]"
        for title, body, size in zip(titles, bodies, sizes, strict=True)
    )


def test_a() -> None:
    iterations = (
        " - iteration=1 -> (8, 0)\n   iteration=2 -> (16, 0)\n   iteration=4 -> (0, 16)\n"
    )
    expected = listing(
        TILE, iterations, " - load is a size 1 dimension\n", [(8, 16), (32, 32), (32, 32)]
    )
    stages = block_load_stages(GEMM, 0, (256, 32), element_bits=16, limits=LIMITS)
    assert str(stages) == expected


def test_b() -> None:
    iterations = " - iteration=1 -> (0, 16)\n   iteration=2 -> (8, 0)\n"
    expected = listing(
        TILE, iterations, " - load=1 -> (128, 0)\n", [(8, 16), (16, 32), (256, 32)]
    )
    stages = block_load_stages(GEMM, 1, (32, 256), element_bits=16, limits=LIMITS)
    assert str(stages) == expected
    applied = [
        tuple(stages.loads.apply({"offset": o, "iteration": i, "load": n}).values())
        for n, i, o in [(0, 1, 0), (0, 1, 127), (0, 2, 0), (0, 3, 127), (1, 0, 0), (1, 3, 127)]
    ]
    assert applied == [(0, 16), (7, 31), (8, 0), (15, 31), (128, 0), (143, 31)]


def test_b_transposed() -> None:
    expected = listing(
        TRANSPOSED,
        " - iteration=1 -> (16, 0)\n",
        " - load=1 -> (0, 16)\n   load=2 -> (128, 0)\n",
        [(16, 8), (32, 8), (256, 32)],
    )
    stages = block_load_stages(
        GEMM, 1, (32, 256), element_bits=16, limits=LIMITS, transposed=True
    )
    assert str(stages) == expected


def test_a_tile_smaller_than_the_cluster_is_loaded_once() -> None:
    stages = block_load_stages(GEMM, 0, (16, 32), element_bits=16, limits=LIMITS)
    assert stages.iterations.out_dims == {"dim0": 16, "dim1": 32}
    assert stages.loads.in_dim_size("load") == 1


def test_a_tile_narrower_than_dpas_has_one_operand_along_k() -> None:
    stages = block_load_stages(GEMM, 0, (256, 8), element_bits=16, limits=LIMITS)
    assert stages.iterations.bases["iteration"] == [(8, 0), (16, 0)]


@pytest.mark.parametrize(
    "operand, shape, held", [(0, (1, 32), (8, 32)), (1, (32, 1), (16, 16))]
)
def test_one_row_or_column_takes_a_whole_operand(
    operand: int, shape: tuple[int, int], held: tuple[int, int]
) -> None:
    stages = block_load_stages(GEMM, operand, shape, element_bits=16, limits=LIMITS)
    assert tuple(stages.iterations.out_dims.values()) == held
    assert stages.loads.in_dim_size("load") == 1


@pytest.mark.parametrize("operand, ops, rows", [(0, 2, 8), (0, 4, 8), (0, 1, 4), (1, 2, 8), (1, 4, 8), (1, 1, 8)])  # fmt: skip
def test_rows_of_words_in_a_tile(operand: int, ops: int, rows: int) -> None:
    dpas = GEMM._replace(ops_per_channel=ops)
    shape = (256, 64) if operand == 0 else (64, 256)
    stages = block_load_stages(dpas, operand, shape, element_bits=32 // ops, limits=LIMITS)
    assert stages.tile.out_dims["dim0"] == rows


@pytest.mark.parametrize(
    "operand, shape, bits, transposed, message",
    [
        (2, (256, 256), 16, False, r"operand 2 of a block load must be 0 \(A\) or 1 \(B\)"),
        (0, (256, 24), 16, False, r"shape \[256, 24\] must be two powers of two"),
        (0, (0, 32), 16, False, r"shape \[0, 32\] must be two powers of two"),
        (0, (256, 32, 1), 16, False, r"shape \[256, 32, 1\] must be two powers of two"),
        (0, (256, 32), 16, True, "operand A of 16 bits has no transposed stages"),
        (1, (32, 256), 32, True, "operand B of 32 bits has no transposed stages"),
    ],
)
def test_stages_that_do_not_exist(
    operand: int, shape: tuple[int, ...], bits: int, transposed: bool, message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        block_load_stages(
            GEMM, operand, shape, element_bits=bits, limits=LIMITS, transposed=transposed
        )
