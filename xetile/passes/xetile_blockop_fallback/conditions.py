"""The test whether 2D block messages reach the matrices of some tiles."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from xetile.analysis.alignment import Alignments
from xetile.analysis.residues import in_bytes
from xetile.dialects.index_lists import Mixed
from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.dialects.xetile import InitTileOp
from xetile.dialects.xetile.attributes import COLUMN_MAJOR
from xetile.dialects.xetile.types import memory_bits
from xetile.hints import isa
from xetile.planning.fallbacks import memory_of
from xetile.planning.words import BYTE_BITS
from xetile.targets.xe.surface import SURFACE


class Conditions:
    """Adds ops in front of another one; what is computed already is taken again."""

    def __init__(self, block: Block, before: Operation) -> None:
        self._block = block
        self._before = before
        self._made: dict[tuple[object, ...], Operation] = {}
        self._proven = Alignments(trusting=False)

    def all_hold(self, tiles: Mapping[InitTileOp, Sequence[SSAValue]]) -> SSAValue:
        """Whether messages reach all these tiles, whose columns are made of so many elements (i1)."""
        uneven: dict[int, list[SSAValue]] = {}
        holds: list[SSAValue] = []
        for op, columns in tiles.items():
            of_columns = [
                (SURFACE.multiple("column"), self._bytes(column, _bits(op)))
                for column in columns
            ]
            for of, value in [*self._multiples(op), *of_columns]:
                uneven.setdefault(of, []).append(value)
            holds += self._limits(op)
        for of, values in uneven.items():
            together = self._joined(arith.OrIOp, values)
            rest = self._new(arith.AndIOp, together, self._constant(of - 1))
            holds.append(self._compared("eq", rest, self._constant(0)))
        return self._joined(arith.AndIOp, holds)

    def _multiples(self, op: InitTileOp) -> list[tuple[int, SSAValue]]:
        """What has to be a multiple of something, and is not known to be."""
        bits, (sizes, strides) = _bits(op), memory_of(op)
        slow, fast = _axes(op)
        found: list[tuple[int, SSAValue]] = []
        for name, elements in (("width", sizes[fast]), ("pitch", strides[slow])):
            of = SURFACE.multiple(name)
            if not in_bytes(self._proven.mixed(elements), bits).is_multiple(of):
                found.append((of, self._bytes(elements, bits)))
        base = SURFACE.multiple("base")
        for offset, stride in zip(op.mixed_offsets[:-2], strides[:-2], strict=True):
            both = self._proven.mixed(offset).times(self._proven.mixed(stride))
            if not in_bytes(both, bits).is_multiple(base):
                product = self._new(arith.MuliOp, self._index(offset), self._index(stride))
                found.append((base, self._bytes(product, bits)))
        start = (
            self._proven.start(op.source)
            if isinstance(op.source.type, MemRefType)
            else self._proven.value(op.source)
        )
        if not start.is_multiple(base):
            found.append((base, self._start(op, bits)))
        return found

    def _limits(self, op: InitTileOp) -> list[SSAValue]:
        """What has to lie between limits, and may not (bytes, rows)."""
        bits, (sizes, strides) = _bits(op), memory_of(op)
        slow, fast = _axes(op)
        height, width, pitch = sizes[slow], sizes[fast], strides[slow]
        found: list[SSAValue] = []
        if _known(height) is None:
            found += self._between(self._index(height), SURFACE.least_height)
        for elements, least in ((width, SURFACE.least_width), (pitch, SURFACE.least_pitch)):
            if _known(elements) is None:
                found += self._between(self._bytes(elements, bits), least)
        if _known(width) is None or _known(pitch) is None:
            found.append(self._compared("sle", self._index(width), self._index(pitch)))
        return found

    def _between(self, value: SSAValue, least: int) -> list[SSAValue]:
        return [
            self._compared("sge", value, self._constant(least)),
            self._compared("sle", value, self._constant(SURFACE.most)),
        ]

    def _start(self, op: InitTileOp, bits: int) -> SSAValue:
        """The address of element zero of a tile's source."""
        source, type = op.source, op.source.type
        if not isa(type, MemRefType):
            return self._new(arith.IndexCastOp, source, IndexType())
        layout = strides_and_offset(type)
        assert layout is not None
        pointer = self._new(memref.ExtractAlignedPointerAsIndexOp, source)
        if layout[1] is None:
            metadata = self._op(memref.ExtractStridedMetaDataOp, source)
            offset: Mixed = metadata.results[1]
        else:
            offset = layout[1]
        if offset == 0:
            return pointer
        return self._new(arith.AddiOp, pointer, self._bytes(offset, bits))

    # Ops.

    def _bytes(self, elements: Mixed, bits: int) -> SSAValue:
        return self._new(
            arith.MuliOp, self._index(elements), self._constant(bits // BYTE_BITS)
        )

    def _index(self, value: Mixed) -> SSAValue:
        return self._constant(value) if isinstance(value, int) else value

    def _constant(self, value: int) -> SSAValue:
        return self._new(arith.ConstantOp, IntegerAttr(value, IndexType()))

    def _compared(self, predicate: str, left: SSAValue, right: SSAValue) -> SSAValue:
        key = ("cmpi", predicate, left, right)
        return self._kept(key, lambda: arith.CmpiOp(left, right, predicate)).results[0]

    def _joined(self, kind: type[Operation], values: Sequence[SSAValue]) -> SSAValue:
        first, *others = dict.fromkeys(values)
        for value in others:
            first = self._new(kind, first, value)
        return first

    def _new(self, kind: Callable[..., Operation], *operands: object) -> SSAValue:
        return self._op(kind, *operands).results[0]

    def _op(self, kind: Callable[..., Operation], *operands: object) -> Operation:
        return self._kept((kind, *operands), lambda: kind(*operands))

    def _kept(self, key: tuple[object, ...], make: Callable[[], Operation]) -> Operation:
        found = self._made.get(key)
        if found is None:
            op = make()
            op.location = self._before.location
            self._block.insert_op_before(op, self._before)
            found = self._made[key] = op
        return found


def _known(entry: Mixed) -> int | None:
    return entry if isinstance(entry, int) else folded_integer(entry)


def _bits(op: InitTileOp) -> int:
    bits = memory_bits(op.tile.type.element_type)
    assert bits is not None
    return bits


def _axes(op: InitTileOp) -> tuple[int, int]:
    """The dimensions from row to row, and along a row, of memory."""
    return (-1, -2) if op.tile.type.order == COLUMN_MAJOR else (-2, -1)
