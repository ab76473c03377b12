"""Register layouts that Intel's hardware prescribes: DPAS operands and 2D blocks of a subgroup.

Dimension names are Triton's: register, lane, warp (the subgroup), block; dim0, dim1 (rows, columns).

Source of the rules: intel/intel-xpu-backend-for-triton, lib/Dialect/TritonIntelGPU/IR/LinearLayoutConversions.cpp
(`DPAStoLinearLayout`, `BlockScaledDPAStoLinearLayout`, `subgroup2DBlockToLinearLayout`).
"""

from collections.abc import Sequence
from functools import lru_cache

from xetile.layout.linear import LayoutError, LinearLayout

_OPERANDS = ("a", "b", "c")


def dpas_instruction_shape(
    operand: str,
    *,
    repeat_count: int,
    ops_per_channel: int,
    systolic_depth: int = 8,
    execution_size: int = 16,
) -> tuple[int, int]:
    """Rows and columns, in elements, of what one DPAS takes as `operand` "a" or "b", or gives as "c".

    Raises:
        LayoutError: there is no such operand.
    """
    depth = systolic_depth * ops_per_channel
    shapes = {
        "a": (repeat_count, depth),
        "b": (depth, execution_size),
        "c": (repeat_count, execution_size),
    }
    if operand not in shapes:
        raise LayoutError(f"operand '{operand}' of DPAS must be one of a, b, c")
    return shapes[operand]


def dpas_operand_layout(
    operand: str,
    shape: Sequence[int],
    *,
    repeat_count: int = 8,
    ops_per_channel: int,
    systolic_depth: int = 8,
    execution_size: int = 16,
    lanes: int = 16,
) -> LinearLayout:
    """(register, lane) -> (dim0, dim1) of one subgroup's whole tile, as a sequence of DPAS takes it.

    The registers of one instruction come first. Instructions repeat along K before M for A, along K before N
    for B, along N before M for C.

    Args:
        operand: "a" (M x K), "b" (K x N) or "c" (M x N; accumulator and result).
        shape: rows and columns of the tile, in elements: multiples of the instruction's by powers of two.
        repeat_count: rows of A and C per instruction: 1, 2, 4 or 8.
        ops_per_channel: elements per 32 bits of K: 1 (tf32), 2 (16 bits), 4 (8 bits), 8 (4 bits).
        systolic_depth: 8 on every device.
        execution_size: columns of B and C per instruction.
        lanes: lanes of the subgroup.

    Raises:
        LayoutError: no such operand or instruction, or the tile is not made of whole instructions.
    """
    rows, columns = shape
    return _operand_layout(
        operand,
        (rows, columns),
        (repeat_count, ops_per_channel, systolic_depth, execution_size, lanes),
    )


def dpas_register_word(operand: str, *, ops_per_channel: int) -> int:
    """How many elements of a DPAS operand share one register word; they are its lowest registers.

    A is taken in 16-bit words (tf32: 32), B in 32-bit words of consecutive rows, C element by element.
    """
    words = {"a": max(1, ops_per_channel // 2), "b": ops_per_channel, "c": 1}
    if operand not in words:
        raise LayoutError(f"operand '{operand}' of DPAS must be one of a, b, c")
    return words[operand]


@lru_cache(maxsize=256)
def _operand_layout(
    operand: str, shape: tuple[int, int], parameters: tuple[int, int, int, int, int]
) -> LinearLayout:
    repeat_count, ops_per_channel, systolic_depth, execution_size, lanes = parameters
    instruction = dpas_instruction_shape(
        operand,
        repeat_count=repeat_count,
        ops_per_channel=ops_per_channel,
        systolic_depth=systolic_depth,
        execution_size=execution_size,
    )
    tile = dpas_instruction_layout(
        operand,
        repeat_count=repeat_count,
        ops_per_channel=ops_per_channel,
        systolic_depth=systolic_depth,
        execution_size=execution_size,
        lanes=lanes,
    )
    repetitions = [extent // step for extent, step in zip(shape, instruction, strict=True)]
    for extent, step, count in zip(shape, instruction, repetitions, strict=True):
        if extent % step or count < 1 or count & (count - 1):
            raise LayoutError(
                f"operand {operand} of shape {list(shape)} is not made of DPAS operands of "
                f"{list(instruction)}; legal are those extents times powers of two"
            )
    first, second = (0, 1) if operand == "b" else (1, 0)
    for d in (first, second):
        tile = tile * LinearLayout.identity_1d(repetitions[d], "register", f"dim{d}")
    return tile


@lru_cache(maxsize=64)
def dpas_instruction_layout(
    operand: str,
    *,
    repeat_count: int,
    ops_per_channel: int,
    systolic_depth: int = 8,
    execution_size: int = 16,
    lanes: int = 16,
) -> LinearLayout:
    """(register, lane) -> (dim0, dim1) of one DPAS instruction's operand; arguments as above.

    Where the operand has fewer elements than there are lanes, the lanes beyond hold it again.

    Raises:
        LayoutError: there is no such instruction.
    """
    _check_instruction(repeat_count, ops_per_channel, systolic_depth, execution_size, lanes)
    shape = dpas_instruction_shape(
        operand,
        repeat_count=repeat_count,
        ops_per_channel=ops_per_channel,
        systolic_depth=systolic_depth,
        execution_size=execution_size,
    )
    word = dpas_register_word(operand, ops_per_channel=ops_per_channel)
    word_dim = "dim0" if operand == "b" else "dim1"
    rows, columns = (shape[0] // word, shape[1]) if operand == "b" else (shape[0], shape[1] // word)
    lane_columns = min(lanes, columns)
    lane_rows = min(lanes // lane_columns, rows)
    layout = (
        LinearLayout.identity_1d(word, "register", word_dim)
        * LinearLayout.identity_1d(lane_columns, "lane", "dim1")
        * LinearLayout.identity_1d(columns // lane_columns, "register", "dim1")
        * LinearLayout.identity_1d(lane_rows, "lane", "dim0")
        * LinearLayout.zeros_1d(lanes // lane_columns // lane_rows, "lane", "dim0")
        * LinearLayout.identity_1d(rows // lane_rows, "register", "dim0")
    )
    return layout.transpose_ins(["register", "lane"]).transpose_outs(["dim0", "dim1"])


def _check_instruction(
    repeat_count: int, ops_per_channel: int, systolic_depth: int, execution_size: int, lanes: int
) -> None:
    for name, value, legal in (
        ("repeat_count", repeat_count, (1, 2, 4, 8)),
        ("ops_per_channel", ops_per_channel, (1, 2, 4, 8)),
        ("systolic_depth", systolic_depth, (8,)),
        ("execution_size", execution_size, (8, 16)),
        ("lanes", lanes, (8, 16, 32)),
    ):
        if value not in legal:
            choices = ", ".join(str(choice) for choice in legal)
            raise LayoutError(f"{name} = {value} of DPAS must be one of {choices}")
    if lanes < execution_size:
        raise LayoutError(f"{lanes} lanes are fewer than DPAS's execution_size = {execution_size}")
