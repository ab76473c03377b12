"""What the user is told of registers: a kernel that will spill, and on request the figures of each."""

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation, SSAValue

from xetile.dialects.xevm import MMAOp
from xetile.errors import position, warn, with_line
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.types import element_bits
from xetile.planning.pressure import Estimate
from xetile.planning.pressure.tiles import ProductTile, nearest
from xetile.targets.xe.device import LANES, REGISTER_BYTES, REGISTERS


def warn_of_spills(function: Operation, found: Estimate) -> None:
    """Say of a kernel of level V that the large register file does not hold it, at its largest product."""
    if found.fits("large"):
        return
    says = (
        f"about {found.held.registers} registers of {REGISTER_BYTES} bytes are live here at once, and a thread has "
        f"{REGISTERS['large']}: some will be spilled to memory"
    )
    tiles = [(_tile(products), products[0]) for products in _products(function)]
    if not tiles:
        warn(found.held.at or function, f"{says}; hold fewer values at once")
        return
    tile, at = max(tiles, key=lambda each: each[0].registers)
    smaller = nearest(tile, found.written.registers, "large")
    advice = "hold fewer values at once"
    if smaller is not None:
        advice = f"a tile of {smaller[0]} has about {smaller[1]}"
    warn(at, f"a subgroup multiplies a tile of {tile} (MxNxK); {says}; {advice}")


def describe_registers(name: str, found: Estimate) -> str:
    """One line on a kernel: what is live at once, and where."""
    place = "" if found.held.at is None else with_line(found.held.at, ", most in line {}")
    return (
        f"@{name}: {found.held.registers} registers of {REGISTER_BYTES} bytes live at once{place}; "
        f"{found.counted.registers} with copies, as IGC counts"
    )


def _products(function: Operation) -> list[list[MMAOp]]:
    """The matrix instructions of each tile_mma: those of one place; where each has its own, those of a block."""
    groups: dict[object, list[MMAOp]] = {}
    blocks: dict[Block | None, list[MMAOp]] = {}
    for op in function.walk():
        if isinstance(op, MMAOp):
            groups.setdefault((op.parent_block(), position(op)), []).append(op)
            blocks.setdefault(op.parent_block(), []).append(op)
    alone = all(len(group) == 1 for group in groups.values())
    return list((blocks if alone else groups).values())


def _tile(products: Sequence[MMAOp]) -> ProductTile:
    """The extents of what instructions multiply together: those that begin a sum are side by side."""
    made = {op.d for op in products}
    first = [op for op in products if op.c not in made]
    one = products[0]
    m, n, k = one.shape.sizes
    rows, columns = ({op.a for op in first}, {op.b for op in first})
    return ProductTile(
        m * len(rows),
        n * len(columns),
        k * len(products) // len(first),
        _bits(one.a, m * k),
        _bits(one.b, k * n),
        _bits(one.d, m * n),
        k,
    )


def _bits(registers: SSAValue, elements: int) -> int:
    """Bits of an element of an operand, which all lanes hold together."""
    type = registers.type
    assert isa(type, VectorType)
    return element_bits(type.element_type) * type.get_shape()[0] * LANES // elements
