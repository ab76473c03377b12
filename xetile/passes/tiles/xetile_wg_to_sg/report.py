"""A report on how the values of a function change their owners: one line each, in program order."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from xetile.analysis.same_value import vector_shape
from xetile.errors import position
from xetile.layout.algebra.block_grids import Distribution
from xetile.passes.tiles.xetile_wg_to_sg.exchanged import Exchanged, Kept
from xetile.passes.tiles.xetile_wg_to_sg.tiled_buffers import LaidBuffer
from xetile.planning.distribution.operands import SharedOperand
from xetile.planning.distribution.shared_messages import Side


class Owners(NamedTuple):
    """The values that change their owners, buffers with a new layout, and shared operands of products."""

    moves: Sequence[Exchanged | Kept]
    laid: Sequence[LaidBuffer]
    shared: Sequence[SharedOperand]


class Line(NamedTuple):
    """The fate of a value: `at` is its op, `what` the value and its owners, `how` the way in which owners change."""

    at: Operation
    what: str
    how: str

    def __str__(self) -> str:
        return f"{_where(self.at)}{self.what} {self.how}"


def report(owners: Owners) -> Iterator[Line]:
    """Yield a line for each value, for each buffer of the program with a new layout, and for each operand's work.

    k.mlir:5:10: xetile.tile_transpose of 64x32xf32 from [4, 1] x [16, 32] to [4, 1] x [8, 64] through shared memory:
    9984 bytes with gaps, 1 barrier, stores of 32 bits with 0 conflicts, loads of 256 bits with 0 conflicts
    """
    operands = {operand.op: operand for operand in owners.shared}
    for move in owners.moves:
        if isinstance(move, Kept):
            yield Line(move.op, _head(move.op, move.source, move.target), move.how)
        else:
            head = _head(move.op, move.plan.source, move.plan.target, operands.get(move.op))
            yield Line(move.op, head, f"through shared memory: {exchange_in_words(move)}")
    for operand in owners.shared:
        if not operand.taken:
            how = f"computed as mapped, {_priced(operand.mapped, operand.shared)}"
            yield Line(operand.op, _named(operand.op, operand), how)
    for buffer in owners.laid:
        sides = [
            f"{'loads' if loads else 'stores'} of {_side(side)}"
            for loads, side in zip(buffer.loads, buffer.plan.sides, strict=True)
        ]
        yield Line(buffer.op, str(buffer.type), f"swizzled: {', '.join(dict.fromkeys(sides))}")


def _head(
    op: Operation,
    source: Distribution,
    target: Distribution,
    operand: SharedOperand | None = None,
) -> str:
    names = _named(op, operand)
    if operand is not None:
        names += f" computed once, {_priced(operand.shared, operand.mapped)},"
    return f"{names} from {_dealt(source)} to {_dealt(target)}"


def _priced(taken: float, other: float) -> str:
    return f"for {taken:.0f} instructions a round in place of {other:.0f}"


def _named(op: Operation, operand: SharedOperand | None) -> str:
    shape = "x".join(map(str, vector_shape(op.operands[0])))
    what = op.name if operand is None else f"operand {str(operand.role).upper()}"
    return f"{what} of {shape}x{_element(op)}"


def _where(op: Operation) -> str:
    place = position(op)
    if place is None:
        return ""
    return f"{place.filename.data}:{place.line.data}:{place.column.data}: "


def _element(op: Operation) -> Attribute:
    for value in (*op.operands, *op.results):
        if isinstance(value.type, VectorType):
            return cast("VectorType[Attribute]", value.type).element_type
    raise AssertionError(f"{op.name} moves no vector")


def _dealt(distribution: Distribution) -> str:
    return f"{list(distribution.grid)} x {list(distribution.unit)}"


def exchange_in_words(move: Exchanged) -> str:
    """Describe how a value goes through shared memory."""
    plan = move.plan
    barriers = len(move.before) + len(move.between)
    parts = [
        f"{_counted(move.buffers, 'buffer')} of {plan.bytes} bytes, {_layout(move)}",
        _counted(barriers, "barrier"),
        f"stores of {_side(plan.stored)}",
        f"loads of {_side(plan.loaded)}",
    ]
    if plan.bands > 1:
        parts.insert(1, f"{plan.bands} bands")
    return ", ".join(parts)


def _layout(move: Exchanged) -> str:
    memory = move.plan.memory
    if memory.swizzle is not None:
        return "swizzled"
    rows, columns = memory.extents
    return f"rows of {columns}" if memory.strides[1] == 1 else f"columns of {rows}"


def _side(side: Side) -> str:
    what = "block messages" if side.form == "block" else "lanes"
    return f"{side.vector_bits} bits by {what} with {_counted(side.conflicts, 'conflict')}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
