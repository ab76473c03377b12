"""The source of a kernel: its accesses to memory with their tiles, and the op at each place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.analysis.module_kernels import level
from xetile.dialects.traits import (
    PrefetchesTile,
    ReadsTile,
    UpdatesTile,
    WritesTile,
    has_trait,
)
from xetile.dialects.xetile import TileType
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import SHARED
from xetile.errors import position
from xetile.explanation.facts import Kind, Place, Space
from xetile.hints import isa

_BY_NAME: Mapping[str, Kind] = {
    "xegpu.load_nd": "load",
    "xegpu.load": "load",
    "xegpu.store_nd": "store",
    "xegpu.store": "store",
    "xegpu.prefetch_nd": "prefetch",
    "xegpu.prefetch": "prefetch",
    "xegpu.atomic_rmw": "atomic",
}
"""The kinds of access of XeGPU's ops, which are below tiles."""

Shape: TypeAlias = tuple[int, ...]


class Tile(NamedTuple):
    """The data that an op moves: the memory, the name of its matrix, the element's type and its bits, the extents."""

    space: Space
    matrix: str
    element: str
    bits: int | None
    shape: Shape


_UNKNOWN = Tile("global", "", "", None, ())


@dataclass
class Source:
    """A kernel at the level in which it was written.

    Attributes:
        place: of the kernel; `is_workgroup` says that it is written for a workgroup.
        accesses: to memory, in their order.
        ops: names of ops by their place, the last one at a place; ops that make vectors take precedence.
        subgroup: by place the tiles of one subgroup, once they are known.
    """

    place: Place | None
    is_workgroup: bool
    accesses: dict[tuple[Place, Kind], Tile] = field(default_factory=dict)
    ops: dict[Place, str] = field(default_factory=dict)
    subgroup: dict[tuple[Place, Kind], list[Tile]] = field(default_factory=dict)


def place_of(at: Operation | SSAValue | None) -> Place | None:
    """Return the place of an op in its source, or None if unknown."""
    found = position(at)
    if found is None:
        return None
    return Place(found.filename.data, found.line.data, found.column.data)


def read_source(function: Operation) -> Source:
    """Read a kernel as it was written."""
    source = Source(place_of(function), level(function) == "workgroup")
    for op, kind, tile in _accesses(function):
        place = place_of(op)
        if place is not None:
            source.accesses.setdefault((place, kind), tile)
    for op in function.walk():
        place = place_of(op)
        if place is not None and op is not function:
            told = source.ops.get(place)
            if told is None or any(_is_vector(result.type) for result in op.results):
                source.ops[place] = op.name.partition(".")[2] or op.name
    if not source.is_workgroup:
        read_subgroup(source, function)
    return source


def read_subgroup(source: Source, function: Operation) -> None:
    """Read the tiles of one subgroup."""
    source.subgroup.clear()
    for op, kind, tile in _accesses(function):
        place = place_of(op)
        if place is not None:
            source.subgroup.setdefault((place, kind), []).append(tile)


def _accesses(function: Operation) -> Iterator[tuple[Operation, Kind, Tile]]:
    for op in function.walk():
        kind = _kind(op)
        if kind is not None:
            yield op, kind, _tile(op) or _UNKNOWN


def _kind(op: Operation) -> Kind | None:
    if has_trait(op, UpdatesTile):
        return "atomic"
    if has_trait(op, ReadsTile):
        return "load"
    if has_trait(op, WritesTile):
        return "store"
    if has_trait(op, PrefetchesTile):
        return "prefetch"
    return _BY_NAME.get(op.name)


def _tile(op: Operation) -> Tile | None:
    """Return the tile of an access, else the vector that it moves."""
    values = [*op.operands, *op.results]
    for value in values:
        if isinstance(value.type, TileType):
            type = value.type
            return Tile(
                "shared" if type.memory_space == SHARED else "global",
                _name(value),
                str(type.element_type),
                memory_bits(type.element_type),
                tuple(type.shape),
            )
    vectors = [
        type for value in (*op.results, *op.operands) if isa(type := value.type, VectorType)
    ]
    if not vectors:
        return None
    (type, *_) = vectors
    element = type.element_type
    places = [value for value in op.operands if not _is_vector(value.type)]
    name = _name(places[0]) if places else ""
    return Tile("global", name, str(element), memory_bits(element), tuple(type.get_shape()))


def _is_vector(type: Attribute) -> bool:
    return type.name == "vector"


def _name(value: SSAValue) -> str:
    """Return the name of the argument, or of the view of memory, that contains a tile."""
    seen: set[SSAValue] = set()
    while value not in seen:
        seen.add(value)
        before = _before(value)
        if before is None:
            break
        value = before
    return value.name_hint or ""


def _before(value: SSAValue) -> SSAValue | None:
    """Return the value that a tile or view is derived from, or None."""
    if not isinstance(value.owner, Block):
        op = value.owner
        if op.name in ("scf.for", "scf.while", "scf.if"):
            index = op.results.index(value) if op.name == "scf.for" else None
            return None if index is None else op.operands[3 + index]
        return op.operands[0] if op.operands else None
    outer = value.owner.parent_op()
    if outer is None or outer.name not in ("scf.for", "scf.while"):
        return None
    index = next(i for i, argument in enumerate(value.owner.args) if argument is value)
    if outer.name == "scf.for":
        return outer.operands[2 + index] if index else None
    return outer.operands[index] if index < len(outer.operands) else None
