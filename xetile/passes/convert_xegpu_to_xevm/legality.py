"""Accesses of which XeVM has no message are refused, with the messages that are nearest."""

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xegpu import LoadNdOp, StoreNdOp, TensorDescType
from xetile.dialects.xetile.types import memory_bits
from xetile.errors import alternatives, fail
from xetile.layout.intel.messages import BlockConfiguration
from xetile.targets.target import Access
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.messages import PART_BITS


def check_message(
    op: Operation,
    made: Operation,
    device: XeDevice,
    message: BlockConfiguration,
    type: TensorDescType,
) -> None:
    """Refuse, at the access `op`, the message `made` for it where XeVM's verifier does.

    Errors: XetileError that names the block and the messages of its width, else of the next smaller.
    """
    try:
        made.verify()
    except VerifyException:
        access = _access(op, message)
        bits = memory_bits(type.element_type) or 0
        shape = "x".join(map(str, (*message[:2], type.element_type)))
        what = {"load_packed": "packed load", "load_transposed": "transposed load"}.get(
            access, access
        )
        fail(
            op,
            f"{device.name} has no single 2D block {what} of {shape}{_side_by_side(message.blocks)}; "
            f"expected {_nearest(device, access, bits, message.width)}",
        )


def _access(op: Operation, message: BlockConfiguration) -> Access:
    if not isinstance(op, LoadNdOp):
        return "store" if isinstance(op, StoreNdOp) else "prefetch"
    if message.packed:
        return "load_packed"
    return "load_transposed" if message.transposed else "load"


def _nearest(device: XeDevice, access: Access, bits: int, width: int) -> str:
    heights: dict[tuple[int, int], list[int]] = {}
    for c in device.messages(access, bits):
        heights.setdefault((c.columns, c.blocks), []).append(c.rows)
    if not heights:
        words = [word for word in PART_BITS if device.messages(access, word)]
        return f"elements of {alternatives(words)} bits and a vector.bitcast"
    widths = {columns * blocks for columns, blocks in heights}
    nearest = max((w for w in widths if w <= width), default=min(widths))
    return ", or ".join(
        f"{alternatives(rows)} rows of {columns} columns{_side_by_side(blocks)}"
        for (columns, blocks), rows in sorted(heights.items(), reverse=True)
        if columns * blocks == nearest
    )


def _side_by_side(blocks: int) -> str:
    return f" with array_length {blocks}" if blocks > 1 else ""
