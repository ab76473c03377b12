"""The tiles that 2D block messages cannot reach, and those they reach if run-time values are even enough."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from xetile.analysis.alignment import Alignments
from xetile.analysis.promises import promised_multiple
from xetile.analysis.residues import ANY, Residue, in_bytes
from xetile.dialects.index_lists import Mixed
from xetile.dialects.known_integers import folded_integer
from xetile.dialects.traits import UpdatesTile, has_trait
from xetile.dialects.upstream.memref.memref_layout import ranked, strides_and_offset
from xetile.dialects.xetile import InitTileOp, TileType, UpdateTileOffsetOp
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR, GLOBAL
from xetile.errors import alternatives
from xetile.planning.xe.message_plans import covering, in_memory, plan
from xetile.planning.xe.message_words import BYTE_BITS, known_messages
from xetile.planning.xe.uses import Tiles, TileUse, tile_of, use_of
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.surface import SURFACE

COLUMN = "column"
_ASSUMED = ("base", "width", "pitch", COLUMN)
"""The quantities that 2D block access needs to be even and that may be known only at run time."""
_UNLIMITED = ("base", COLUMN)
"""The quantities without lower and upper limits."""


class Plane(NamedTuple):
    """The known facts about a tile's matrix, in bytes, including the column where the tile begins."""

    base: Residue
    width: Residue
    pitch: Residue
    column: Residue


class Finding(NamedTuple):
    """The obstacles to messages where a tile is made: certain ones, and those that only run time decides."""

    reason: str | None
    unknown: tuple[str, ...] = ()
    dynamic: tuple[str, ...] = ()


class Family(NamedTuple):
    """Tiles that loops, branches and moves make one, with the obstacles to messages.

    `unknown` names quantities that must be even and are not known to be, `dynamic` those known only at run time.
    """

    beginnings: list[InitTileOp]
    moves: list[UpdateTileOffsetOp]
    accesses: list[Operation]
    reason: str | None
    unknown: tuple[str, ...]
    dynamic: tuple[str, ...]

    @property
    def type(self) -> TileType:
        return self.beginnings[0].tile.type

    @property
    def uses(self) -> list[str]:
        """The names of the ops that access the tiles, each once."""
        return list(dict.fromkeys(op.name for op in self.accesses))


def families(function: Operation, device: XeDevice) -> Iterator[Family]:
    """Yield the tiles of a function that messages should move, in program order.

    Excluded are tiles in shared memory, scattered ones, those that already have blocks, and elements that share bytes,
    which only messages can access.
    """
    operations = list(function.walk())
    tiles = Tiles(operations)
    beginnings: dict[SSAValue, list[InitTileOp]] = {}
    moves: dict[SSAValue, list[UpdateTileOffsetOp]] = {}
    accesses: dict[SSAValue, list[Operation]] = {}
    for op in operations:
        if isinstance(op, InitTileOp):
            beginnings.setdefault(tiles.find(op.tile), []).append(op)
        elif isinstance(op, UpdateTileOffsetOp):
            moves.setdefault(tiles.find(op.result), []).append(op)
        elif op.name.startswith("xetile.") and (has_trait(op, UpdatesTile) or use_of(op)):
            accesses.setdefault(tiles.find(tile_of(op)), []).append(op)
    facts = _Facts(device)
    for root, made in beginnings.items():
        used = accesses.get(root, [])
        uses = tiles.uses(root)
        if _is_for_messages(made[0].tile.type) and uses:
            found = [facts.finding(op, moves.get(root, ()), uses) for op in made]
            reason = next((f.reason for f in found if f.reason is not None), None)
            unknown, dynamic = (
                tuple(dict.fromkeys(name for names in lists for name in names))
                for lists in ([f.unknown for f in found], [f.dynamic for f in found])
            )
            yield Family(made, moves.get(root, []), used, reason, unknown, dynamic)


def _is_for_messages(tile: TileType) -> bool:
    bits = memory_bits(tile.element_type)
    return (
        tile.memory_space == GLOBAL
        and not tile.scattered
        and tile.inner_blocks is None
        and bits is not None
        and bits >= BYTE_BITS
    )


def memory_of(op: InitTileOp) -> tuple[list[Mixed], list[Mixed]]:
    """Return extents and strides of the memory from which a tile is made, batch dimensions first (elements)."""
    sizes, strides = op.mixed_sizes, op.mixed_strides
    if sizes:
        return sizes, strides
    type = ranked(op.source.type)
    layout = strides_and_offset(type)
    assert layout is not None
    return [*type.get_shape()], [stride for stride in layout[0] if stride is not None]


class _Facts:
    """The facts that are proven, and those that hold if the host provides them."""

    def __init__(self, device: XeDevice) -> None:
        self.device = device
        self.proven = Alignments(trusting=False)
        self.trusted = Alignments(trusting=True)

    def finding(
        self, op: InitTileOp, moves: Sequence[UpdateTileOffsetOp], uses: Sequence[TileUse]
    ) -> Finding:
        proven, trusted = (
            self._plane(op, moves, self.proven),
            self._plane(op, moves, self.trusted),
        )
        reason = (
            self._fixed(op, proven)
            or _uneven(trusted)
            or next(filter(None, (self._unmoved(op.tile.type, use) for use in uses)), None)
        )
        if reason is not None:
            return Finding(reason)
        unknown = [
            name
            for name in _ASSUMED
            if not getattr(proven, name).is_multiple(SURFACE.multiple(name))
            or (
                name not in _UNLIMITED
                and getattr(proven, name).modulus
                and not _is_promised(op, name)
            )
        ]
        return Finding(None, tuple(unknown), _dynamic(op))

    def _plane(
        self, op: InitTileOp, moves: Sequence[UpdateTileOffsetOp], of: Alignments
    ) -> Plane:
        tile = op.tile.type
        bits = memory_bits(tile.element_type)
        assert bits is not None
        slow, fast = (-1, -2) if tile.order == COLUMN_MAJOR else (-2, -1)
        sizes, strides = ([of.mixed(entry) for entry in entries] for entries in memory_of(op))
        offsets = [of.mixed(offset) for offset in op.mixed_offsets]
        base = of.start(op.source) if is_memref(op.source) else of.value(op.source)
        for offset, stride in zip(offsets[:-2], strides[:-2], strict=True):
            base += in_bytes(offset.times(stride), bits)
        column = offsets[fast]
        for move in moves:
            column += of.mixed(move.mixed_offsets[fast]).times(ANY)
        return Plane(
            base,
            in_bytes(sizes[fast], bits),
            in_bytes(strides[slow], bits),
            in_bytes(column, bits),
        )

    def _fixed(self, op: InitTileOp, plane: Plane) -> str | None:
        """Return the problem with the numbers that the program states, or None."""
        numbers = {
            name: value.remainder
            for name, value in plane._asdict().items()
            if value.modulus == 0
        }
        sizes, _ = memory_of(op)
        height = sizes[-1 if op.tile.type.order == COLUMN_MAJOR else -2]
        return SURFACE.problem(height=_number(height), **numbers) or next(
            filter(None, map(SURFACE.place_problem, _places(op))), None
        )

    def _unmoved(self, tile: TileType, use: TileUse) -> str | None:
        """Return the diagnostic that no message moves tiles of this form, or None."""
        if plan(self.device, use, tile) or covering(self.device, use, tile):
            return None
        bits = memory_bits(tile.element_type) or BYTE_BITS
        line, lines = (0, "rows") if tile.order == COLUMN_MAJOR else (1, "columns")
        blocks = {
            in_memory(tile, c[:2])[line]
            for c in known_messages(self.device, use, bits)
            if c.blocks == 1
        }
        shape = "x".join(map(str, tile.shape))
        return (
            f"{self.device.name} {use}s no tile of {shape} {tile.element_type} in 2D blocks, which have "
            f"{alternatives(blocks)} {lines}"
        )


def _dynamic(op: InitTileOp) -> tuple[str, ...]:
    """Return names of quantities known only at run time; of those of the base, the ones that no host aligns."""
    (sizes, strides), slow, fast = memory_of(op), -2, -1
    if op.tile.type.order == COLUMN_MAJOR:
        slow, fast = fast, slow
    layout = strides_and_offset(ranked(op.source.type)) if is_memref(op.source) else None
    values: list[tuple[str, Mixed | None]] = [
        ("height", sizes[slow]),
        ("width", sizes[fast]),
        ("pitch", strides[slow]),
        ("base", 0 if layout is None else layout[1]),
        ("stride along rows", strides[fast]),
    ]
    return tuple(
        name for name, value in values if _number(value) is None and not _is_promised(op, name)
    )


def _is_promised(op: InitTileOp, name: str) -> bool:
    """Return True if an argument promises a height, or rows and a pitch that are long enough and multiples."""
    (sizes, strides), slow, fast = memory_of(op), -2, -1
    if op.tile.type.order == COLUMN_MAJOR:
        slow, fast = fast, slow
    if name == "height":
        return _promised(sizes[slow]) is not None
    if name not in ("width", "pitch"):
        return False
    elements, least = sizes[fast], SURFACE.least_width
    if name == "pitch":
        elements, least = strides[slow], max(SURFACE.least_pitch, SURFACE.least_width)
        if elements is not sizes[fast]:
            return False
    bits = memory_bits(op.tile.type.element_type)
    multiple = _promised(elements)
    if multiple is None or bits is None:
        return False
    bytes = multiple * bits // BYTE_BITS
    return bytes >= least and bytes % SURFACE.multiple(name) == 0


def _promised(value: Mixed) -> int | None:
    return None if isinstance(value, int) else promised_multiple(value)


def _number(value: Mixed | None) -> int | None:
    return value if value is None or isinstance(value, int) else folded_integer(value)


def is_memref(source: SSAValue) -> bool:
    """Return True if a tile is made from a memref rather than an address."""
    return isinstance(source.type, MemRefType)


def _places(op: InitTileOp) -> Iterator[int]:
    for offset in op.mixed_offsets[-2:]:
        place = _number(offset)
        if place is not None:
            yield place


def _uneven(plane: Plane) -> str | None:
    """Return the problem with a quantity that no host can make the multiple that 2D block access needs, or None."""
    for name, value in plane._asdict().items():
        of = SURFACE.multiple(name)
        rest = cast(Residue, value).witness(of)
        if rest:
            return SURFACE.uneven(name, rest)
    return None
