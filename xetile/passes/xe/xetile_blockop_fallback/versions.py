"""Two versions of the accesses to matrices for which only run time decides whether 2D block messages reach them.

Before:

    %t = xetile.init_tile %A[%m, %n], [%h, %w], [%p, 1] : memref<?x?xf16> -> ...
    scf.for ... { xetile.load_tile %t ... }

After:

    %even = (base, width, pitch and column as 2D block access needs them)
    scf.if %even {
      (the same)
    } else {
      (the same, with gathers)
    }

One test, outside of loops, encloses the function's body from the first to the last such access. Computations without
tiles stay before it. If a barrier would be in the branches, values that may differ between subgroups are not tested.

Column offsets of tiles are tested as far as the values from which they are computed are known before all accesses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from xetile.analysis.alignment import Alignments
from xetile.analysis.lanes import differing_subgroups
from xetile.analysis.residues import in_bytes
from xetile.dialects.index_lists import Mixed
from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xetile import InitTileOp, TileType
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR
from xetile.errors import remark
from xetile.hints import isa
from xetile.planning.xe.fallbacks import COLUMN, Family, memory_of
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.targets.xe.surface import SURFACE


class Conditions:
    """Inserts ops before another one, and reuses those that were inserted already."""

    def __init__(self, block: Block, before: Operation) -> None:
        self._block = block
        self._before = before
        self._made: dict[tuple[object, ...], Operation] = {}
        self._proven = Alignments(trusting=False)

    def all_hold(self, tiles: Mapping[InitTileOp, Sequence[SSAValue]]) -> SSAValue:
        """Emit the test (i1) that messages reach all these tiles; each tile comes with the parts of its column."""
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
        """Return values that must be a multiple of some number and are not known to be."""
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
        """Emit tests of values that must lie between limits and are not known to (bytes, rows)."""
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
        """Return the address of element zero of a tile's source."""
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
    """Return the dimensions of memory from row to row, and along a row."""
    return (-1, -2) if op.tile.type.order == COLUMN_MAJOR else (-2, -1)


_SUMS = ("arith.addi", "arith.subi", "index.add", "index.sub")
_CHOICES = ("arith.minsi", "arith.minui", "arith.maxsi", "arith.maxui")
_PRODUCTS = ("arith.muli", "index.mul")


def column_parts(
    family: Family, is_known: Callable[[SSAValue], bool]
) -> list[SSAValue] | None:
    """Return known values that, if multiples of the number that 2D block access needs, make all columns multiples.

    Return None if a column has a part that is not known before the accesses and not proven to be a multiple.
    """
    if COLUMN not in family.unknown:
        return []
    bits = memory_bits(family.type.element_type)
    assert bits is not None
    axis = -2 if family.type.order == COLUMN_MAJOR else -1
    return _Parts(bits, is_known).of(
        op.mixed_offsets[axis] for op in (*family.beginnings, *family.moves)
    )


class _Parts:
    def __init__(self, bits: int, is_known: Callable[[SSAValue], bool]) -> None:
        self._bits = bits
        self._is_known = is_known
        self._proven = Alignments(trusting=False)
        self._seen: set[SSAValue] = set()

    def of(self, values: Iterable[Mixed]) -> list[SSAValue] | None:
        """Return the parts of all `values` (numbers of elements), or None if one has an unknown part."""
        found: dict[SSAValue, None] = {}
        for value in values:
            parts = self._of(value)
            if parts is None:
                return None
            found.update(dict.fromkeys(parts))
        return list(found)

    def _of(self, value: Mixed) -> list[SSAValue] | None:
        proven = in_bytes(self._proven.mixed(value), self._bits)
        if proven.is_multiple(SURFACE.column_multiple) or value in self._seen:
            return []
        if isinstance(value, int) or not isinstance(value.type, IndexType):
            return None
        if self._is_known(value):
            return [value]
        self._seen.add(value)
        if isinstance(value, BlockArgument):
            return self._argument(value)
        op = value.owner
        assert isinstance(op, Operation)
        if op.name in (*_SUMS, *_CHOICES):
            return self.of(op.operands)
        if op.name == "arith.select":
            return self.of(op.operands[1:])
        if op.name in _PRODUCTS:
            return self._product(*op.operands)
        return None

    def _product(self, left: SSAValue, right: SSAValue) -> list[SSAValue] | None:
        """Return the parts of a product with a constant."""
        if self._proven.value(right).modulus == 0:
            return self._of(left)
        return self._of(right) if self._proven.value(left).modulus == 0 else None

    def _argument(self, argument: BlockArgument) -> list[SSAValue] | None:
        """Return the parts of a loop's counter or of a carried value."""
        loop = argument.block.parent_op()
        if loop is None or loop.name != "scf.for":
            return None
        if argument.index == 0:
            return self.of((loop.operands[0], loop.operands[2]))
        last = argument.block.last_op
        assert last is not None
        return self.of((loop.operands[argument.index + 2], last.operands[argument.index - 1]))


@dataclass
class Versions:
    """The init_tile ops whose tiles the second version accesses element by element."""

    gathered: set[Operation] = field(default_factory=set)


def with_versions(function: Operation, found: Sequence[Family]) -> Versions:
    """Make the versions of a function for the families that only run time decides."""
    if not found:
        return Versions()
    block = function.regions[0].blocks[0]
    inside = _range(block, found)
    inside = _hoisted(block, inside)
    testable: dict[InitTileOp, Sequence[SSAValue]] = {}
    gathered: set[Operation] = set()
    problems = _Problems(function, inside)
    for family in found:
        problem = problems.of(family)
        if problem is None:
            columns = problems.columns(family) or []
            testable.update(dict.fromkeys(family.beginnings, columns))
        else:
            remark(family.beginnings[0], f"gathers in place of 2D block messages: {problem}")
            gathered.update(family.beginnings)
    if testable:
        gathered |= _branched(block, inside, testable, gathered)
    return Versions(gathered)


class _Problems:
    """The reasons that rule out one test before some ops."""

    def __init__(self, function: Operation, inside: Sequence[Operation]) -> None:
        self._there = set(inside)
        waits = any(op.name == "gpu.barrier" for outer in inside for op in outer.walk())
        self._differing = differing_subgroups(function) if waits else {}

    def of(self, family: Family) -> str | None:
        """Return the reason why a family is not tested, or None."""
        tested = [value for op in family.beginnings for value in _tested(op)]
        columns = self.columns(family)
        if columns is None:
            return (
                "the column offset of this tile is computed between accesses, so no test in front of them tells "
                "whether it is even; compute it at the start of the kernel"
            )
        tested += columns
        if not all(_is_before(value, self._there) for value in tested):
            return (
                "what this matrix is made of is computed between accesses, so no test in front of them tells "
                "whether its base, pitch and width are even; compute it at the start of the kernel"
            )
        if any(value in self._differing for value in tested):
            return (
                "subgroups may find other bases, pitches, widths and columns, and a barrier stands between the "
                "accesses, which all of them have to reach on one way"
            )
        return None

    def columns(self, family: Family) -> list[SSAValue] | None:
        """Return the values of which the columns of a family's tiles are made, or None if one is not known before."""
        return column_parts(family, lambda value: _is_before(value, self._there))


def _tested(op: InitTileOp) -> list[SSAValue]:
    """Return the values that determine a tile's matrix: all but the tile's row and column."""
    sizes, strides = memory_of(op)
    mixed = [*op.mixed_offsets[:-2], *sizes, *strides]
    return [op.source, *(value for value in mixed if not isinstance(value, int))]


def _outermost(block: Block, op: Operation) -> Operation:
    """Return the op of a function's body that contains an op."""
    while op.parent is not block:
        outer = op.parent_op()
        assert outer is not None
        op = outer
    return op


def _range(block: Block, found: Sequence[Family]) -> list[Operation]:
    """Return the ops of the body from the first to the last that use some families' tiles.

    Ops before the first one that only make tiles are moved to it.
    """
    making = [op for family in found for op in (*family.beginnings, *family.moves)]
    users = [use.operation for op in making for use in op.results[0].uses]
    outer = {_outermost(block, op) for op in (*making, *users)}
    touched = outer - {op for op in making if op.parent is block}
    if not touched:
        touched = outer
    ops = list(block.ops)
    first = next(op for op in ops if op in touched)
    for op in ops[: ops.index(first)]:
        if op in outer:
            op.detach()
            block.insert_op_before(op, first)
    ops = list(block.ops)
    places = [place for place, op in enumerate(ops) if op in outer]
    start, last = places[0], places[-1]
    while (after := _last_use_of_tiles(block, ops[start : last + 1], ops)) > last:
        last = after
    return ops[start : last + 1]


def _last_use_of_tiles(block: Block, inside: Sequence[Operation], ops: list[Operation]) -> int:
    users = {
        _outermost(block, use.operation)
        for op in inside
        for result in op.results
        if isinstance(result.type, TileType)
        for use in result.uses
    }
    return max((ops.index(user) for user in users), default=-1)


def _hoisted(block: Block, inside: list[Operation]) -> list[Operation]:
    """Move ops without tiles and effects before the test, and return the remaining ops."""
    left: list[Operation] = []
    staying: set[Operation] = set()
    first = inside[0]
    for op in inside:
        tiles = any(isinstance(v.type, TileType) for v in (*op.results, *op.operands))
        free = not op.regions and (is_side_effect_free(op) or op.name == "memref.alloc")
        if free and not tiles and all(_is_before(v, staying) for v in op.operands):
            op.detach()
            block.insert_op_before(op, first)
            continue
        if not left and op is not first:
            first = op
        left.append(op)
        staying.add(op)
    return left


def _is_before(value: SSAValue, inside: set[Operation]) -> bool:
    """Return True if a value is known before all of these ops, not only inside or after one of them."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    while op is not None:
        if op in inside:
            return False
        op = op.parent_op()
    return True


def _branched(
    block: Block,
    inside: Sequence[Operation],
    tested: Mapping[InitTileOp, Sequence[SSAValue]],
    untested: set[Operation],
) -> set[Operation]:
    """Put the ops into the branches of a test, and return the ops of the second branch that make tiles to gather.

    These are the `tested` tiles, each with the parts of its columns, and those of `untested`, which both branches
    gather.
    """
    there = set(inside)
    results = [
        result
        for op in inside
        for result in op.results
        if any(_outermost(block, use.operation) not in there for use in result.uses)
    ]
    conditions = Conditions(block, inside[0])
    test = conditions.all_hold(tested)
    gathered = {*tested, *untested}
    then, otherwise = Block(), Block()
    mapper: dict[SSAValue, SSAValue] = {}
    for op in inside:
        otherwise.add_op(op.clone(mapper))
    made = {
        copy
        for original, clone in zip(inside, otherwise.ops, strict=True)
        for op, copy in zip(original.walk(), clone.walk(), strict=True)
        if op in gathered
    }
    otherwise.add_op(scf.YieldOp(*(mapper[result] for result in results)))
    branch = scf.IfOp(test, [r.type for r in results], Region(then), Region(otherwise))
    branch.location = inside[0].location
    block.insert_op_before(branch, inside[0])
    for op in inside:
        op.detach()
        then.add_op(op)
    for old, new in zip(results, branch.results, strict=True):
        old.replace_uses_with_if(
            new, lambda use: _outermost(block, use.operation) is not branch
        )
        new.name_hint = old.name_hint
    then.add_op(scf.YieldOp(*results))
    return made
