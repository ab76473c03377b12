"""The number of workgroups of a kernel, inferred from its stores, which cover their arrays.

A store at row `program_id(0) * 256` of an array of M rows needs ceil(M / 256) workgroups along axis 0. Loops in the
kernel move a store further, which changes nothing. If stores use an axis in another way, the author gives the grid.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.dialects.memref import ReinterpretCastOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.analysis.lanes import Axis, axis_of
from xetile.analysis.linear import Linear, linear
from xetile.dialects.traits import WritesTile, has_trait
from xetile.dialects.upstream.gpu import BlockIdOp
from xetile.dialects.upstream.memref import TransposeOp
from xetile.dialects.xetile import InitTileOp
from xetile.errors import XetileError, position
from xetile.hints import isa

Sizes = tuple[int, int, int]

AXES: tuple[Axis, Axis, Axis] = ("x", "y", "z")
"""Axes 0, 1 and 2 in IR."""


class Share(NamedTuple):
    """A dimension of an argument that an axis of the grid splits: `step` elements per workgroup."""

    argument: int
    dimension: int
    step: int


class Rule(NamedTuple):
    """The shares by axis; None if the kernel does not read its position along the axis."""

    shares: tuple[Share | None, Share | None, Share | None]

    def sizes(self, extents: Sequence[Sequence[int]]) -> Sizes:
        """Return the numbers of workgroups for arguments of these extents."""
        x, y, z = (
            1 if share is None else -(-extents[share.argument][share.dimension] // share.step)
            for share in self.shares
        )
        return x, y, z


def infer(kernel: Operation) -> Rule:
    """Infer the grid of a kernel from its stores.

    Errors: XetileError at the op that reads the position along an axis if no store uses the axis, or several disagree.
    """
    asked: dict[Axis, Operation] = {
        axis_of(op): op for op in kernel.walk() if isinstance(op, BlockIdOp)
    }
    arguments = kernel.regions[0].blocks[0]
    found: dict[Axis, dict[Share, Operation]] = {axis: {} for axis in AXES}
    for op, tile in _stored(kernel):
        for axis, share in _shares(tile, arguments):
            found[axis].setdefault(share, op)
    shares = [_chosen(axis, asked, found[axis], arguments) for axis in AXES]
    return Rule((shares[0], shares[1], shares[2]))


def _chosen(
    axis: Axis, asked: Mapping[Axis, Operation], found: Mapping[Share, Operation], block: Block
) -> Share | None:
    if axis not in asked:
        return None
    number, place = AXES.index(axis), position(asked[axis])
    say = "; say grid=(x, y, z), or a function of the arguments, at the kernel or the call"
    if not found:
        raise XetileError(
            f"how many workgroups axis {number} has does not follow: no store is at "
            f"program_id({number}) * a number{say}",
            place,
        )
    counts = {_counted(share, block) for share in found}
    if len(counts) > 1:
        listed = " and ".join(f"{extent} / {step}" for extent, step in sorted(counts, key=str))
        raise XetileError(
            f"how many workgroups axis {number} has does not follow: its stores take {listed}{say}",
            place,
        )
    return next(iter(found))


def _counted(share: Share, block: Block) -> tuple[int | str, int]:
    """Return a key that is equal for shares that need the same number of workgroups."""
    type = block.args[share.argument].type
    assert isa(type, MemRefType)
    extent = type.get_shape()[share.dimension]
    if extent == DYNAMIC_INDEX:
        name = block.args[share.argument].name_hint
        return f"{name}.shape[{share.dimension}]", share.step
    return -(-extent // share.step), 1


def _stored(kernel: Operation) -> Iterator[tuple[Operation, InitTileOp]]:
    for op in kernel.walk():
        if not has_trait(op, WritesTile):
            continue
        for operand in op.operands:
            if isinstance(operand.owner, InitTileOp):
                yield op, operand.owner


def _shares(tile: InitTileOp, block: Block) -> Iterator[tuple[Axis, Share]]:
    """Yield the axes along which a tile is placed, with the dimensions of an argument that they split."""
    base, dimensions = _seen(tile.source, list(range(len(tile.mixed_offsets))))
    if not isinstance(base, BlockArgument) or base.owner is not block:
        return
    for dimension, offset in zip(dimensions, tile.mixed_offsets, strict=True):
        if isinstance(offset, int) or dimension is None:
            continue
        for axis, step in _steps(offset):
            yield axis, Share(base.index, dimension, step)


def _seen(
    base: SSAValue, dimensions: "list[int | None]"
) -> "tuple[SSAValue, list[int | None]]":
    """Return the memory that a view refers to, and the dimension there of each of the view's; None for added ones."""
    owner = base.owner
    if isinstance(owner, TransposeOp) and owner.dimensions is not None:
        return _seen(owner.source, [owner.dimensions[d] for d in dimensions if d is not None])
    if isinstance(owner, Operation) and owner.name == ReinterpretCastOp.name:
        sizes = integers_of(owner, "static_sizes")
        return owner.operands[0], [
            None if sizes[d] == 1 else 0 for d in dimensions if d is not None
        ]
    return base, dimensions


def _steps(offset: SSAValue) -> list[tuple[Axis, int]]:
    """Return the axis of an offset that is one axis times a positive factor, with the factor; else an empty list."""
    found = _places(offset)
    if found is None or len(found.terms) != 1:
        return []
    return [
        (axis_of(owner), factor)
        for value, factor in found.terms.items()
        if isinstance(owner := value.owner, BlockIdOp) and factor > 0
    ]


def _places(value: SSAValue) -> Linear | None:
    """Return an offset as a sum of multiples of block ids, loops at their first round; None if it is no such sum."""
    found, total = linear(value), Linear(0, {})
    if found.constant:
        return None
    for term, factor in found.terms.items():
        place = Linear(0, {term: 1}) if isinstance(term.owner, BlockIdOp) else _start(term)
        if place is None:
            return None
        total += place.times(factor)
    return total


def _start(value: SSAValue) -> Linear | None:
    """Return the initial value of a loop's counter."""
    if not isinstance(value, BlockArgument) or value.index != 0:
        return None
    loop = value.owner.parent_op()
    return None if loop is None or loop.name != "scf.for" else _places(loop.operands[0])
