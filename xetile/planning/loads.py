"""Which 2D block messages move a tile: the fewest that the device has and whose registers suit the use.

The layout that a use wants (a DPAS operand) and the layout that a message leaves in registers are linear layouts;
`xetile.layout.intel.messages` finds, by composing and inverting them, the configuration with the fewest messages for
which one is a mere permutation of registers of the other.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from xdsl.dialects.builtin import FixedBitwidthType, FloatTF32Type
from xdsl.ir import Attribute

from xetile.layout.algebra.distribution import power_of_two_part
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas import dpas_operand_layout, dpas_register_word
from xetile.layout.intel.messages import BlockConfiguration, plan_block_load
from xetile.targets.device import (
    SUBGROUP_SIZE,
    SYSTOLIC_DEPTH,
    UPSTREAM_BLOCK_EXTENT,
    Device,
    plannable,
)

Role = Literal["a", "b", "c"]
"""How a loaded tile is used: as operand A or B of a matrix product, or in the accumulator's layout."""

_LARGEST_PART = 1 << 12
"""Bound on the power of two that a tile's extent is planned by (elements)."""


def memory_bits(element_type: Attribute) -> int | None:
    """Bits of an element in memory (tf32 takes 32), None for types without a fixed width."""
    if isinstance(element_type, FloatTF32Type):
        return 32
    if isinstance(element_type, FixedBitwidthType):
        return max(8, element_type.bitwidth)
    return None


def plannable_part(shape: Sequence[int]) -> tuple[int, int]:
    """The largest powers of two that divide the extents: larger blocks than this cannot tile the shape."""
    rows, columns = (power_of_two_part(extent, _LARGEST_PART) for extent in shape)
    return rows, columns


def plan_load(
    device: Device,
    shape: Sequence[int],
    element_type: Attribute,
    role: Role,
    *,
    packed: bool,
    block: tuple[int, int] | None = None,
) -> BlockConfiguration | None:
    """The load message to repeat over a tile of `shape` (elements), None where the device has none.

    `packed` asks for the layout of operand B with neighbours along K in one register; `block` admits only
    messages made of blocks of that shape (rows, columns).
    """
    bits = memory_bits(element_type)
    if bits is None:
        return None
    wanted = _wanted_layout(role, plannable_part(shape), bits)
    if wanted is None:
        return None
    access = "load_packed" if packed else "load"
    legal = tuple(
        configuration
        for configuration in plannable(device, access, bits)
        if block is None or (configuration.rows, configuration.columns) == block
    )
    word = None if role == "c" else dpas_register_word(role, ops_per_channel=max(1, 32 // bits))
    plan = plan_block_load(
        wanted,
        element_bits=bits,
        configurations=legal,
        word=word if packed or role == "a" else None,
    )
    return None if plan is None else plan.configuration


@lru_cache(maxsize=256)
def _wanted_layout(role: Role, shape: tuple[int, int], bits: int) -> LinearLayout | None:
    repeat_count = power_of_two_part(shape[0], 8) if role != "b" else 8
    try:
        return dpas_operand_layout(
            role, shape, repeat_count=repeat_count, ops_per_channel=max(1, 32 // bits)
        )
    except LayoutError:
        return None


def plan_store(
    device: Device,
    shape: Sequence[int],
    element_type: Attribute,
    *,
    block: tuple[int, int] | None = None,
) -> BlockConfiguration | None:
    """The store message to repeat over a tile of `shape` (elements), None where the device has none."""
    return _plan_cover(device, "store", shape, element_type, block)


def plan_prefetch(
    device: Device,
    shape: Sequence[int],
    element_type: Attribute,
    *,
    block: tuple[int, int] | None = None,
) -> BlockConfiguration | None:
    """The prefetch message to repeat over a tile of `shape` (elements), None where the device has none."""
    return _plan_cover(device, "prefetch", shape, element_type, block)


def plan_upstream(
    device: Device,
    access: Literal["load", "store", "prefetch"],
    block: tuple[int, int],
    element_type: Attribute,
    role: Role,
) -> BlockConfiguration | None:
    """The largest message that upstream's pipeline takes for a block (rows, columns), None where there is none.

    It is one block, not packed, of at most 16x16 elements, along K as many as the matrix instruction takes.
    Source: measured with mlir-opt 22.1.8, `gpu-lower-to-xevm-pipeline{xegpu-op-level=subgroup}`: `array_length` aborts,
    packed loads of operand B are refused.
    """
    bits = memory_bits(element_type)
    if bits is None:
        return None
    depth = max(UPSTREAM_BLOCK_EXTENT, SYSTOLIC_DEPTH * 32 // bits)
    rows = depth if role == "b" else UPSTREAM_BLOCK_EXTENT
    columns = depth if role == "a" else UPSTREAM_BLOCK_EXTENT
    fitting = [
        configuration
        for configuration in plannable(device, access, bits)
        if configuration.blocks == 1
        and configuration.rows <= rows
        and configuration.columns <= columns
        and block[0] % configuration.rows == 0
        and block[1] % configuration.columns == 0
    ]
    return max(fitting, key=lambda c: (c.rows * c.columns, c.rows), default=None)


def plan_column_major(
    device: Device,
    use: Literal["load", "store", "prefetch"],
    shape: Sequence[int],
    element_type: Attribute,
    *,
    block: tuple[int, int] | None = None,
) -> BlockConfiguration | None:
    """The message for a column-major tile of `shape` (elements), None where the device has none.

    It sees rows and columns exchanged, and so does what it returns. Loads of elements that the message can transpose
    are transposed by it; all else is moved as it lies in memory.
    """
    memory_shape = (shape[1], shape[0])
    memory_block = None if block is None else (block[1], block[0])
    if use == "load":
        bits = memory_bits(element_type)
        fitting = [
            configuration
            for configuration in (
                () if bits is None else plannable(device, "load_transposed", bits)
            )
            if configuration.rows == SUBGROUP_SIZE
            and memory_block in (None, (configuration.rows, configuration.columns))
            and memory_shape[0] % configuration.rows == 0
            and memory_shape[1] % configuration.columns == 0
        ]
        if fitting:
            return max(fitting, key=lambda c: c.columns)
        return plan_load(device, memory_shape, element_type, "c", packed=False, block=memory_block)
    return _plan_cover(device, use, memory_shape, element_type, memory_block)


def _plan_cover(
    device: Device,
    access: Literal["store", "prefetch"],
    shape: Sequence[int],
    element_type: Attribute,
    block: tuple[int, int] | None,
) -> BlockConfiguration | None:
    bits = memory_bits(element_type)
    if bits is None:
        return None
    fitting = [
        configuration
        for configuration in plannable(device, access, bits)
        if (block is None or (configuration.rows, configuration.columns) == block)
        and shape[0] % configuration.rows == 0
        and shape[1] % configuration.width == 0
    ]
    # The fewest messages are the largest ones; among these the tallest, in the most blocks.
    return max(fitting, key=lambda c: (c.rows * c.width, c.rows, c.blocks), default=None)
