"""The data of a picture: a layout, and the cells of its tile with their holders.

The page has the same in scene.js, with the same names; a test in a browser checks that both scenes are equal.

Holders of elements also exist for a distribution, whose sizes need not be powers of two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.dimensions import packed, positions
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.show.plain_data import Vectors, layout_of_form


class DealtHolders:
    """The holders of a distribution's elements: register numbers, counted on from subgroup to subgroup.

    Its methods are as in `Holders`. A register counts a unit's elements first, innermost dimension fastest,
    then the units of its subgroup.
    """

    def __init__(self, distribution: Distribution) -> None:
        self.distribution = distribution
        self.registers = distribution.local_units * prod(distribution.unit)
        self._owners: dict[tuple[int, ...], list[int]] = {}

    def size(self, name: str) -> int:
        """Return the number of subgroups or registers; 1 for other dimensions."""
        return {"register": self.registers, "subgroup": self.distribution.subgroups}.get(
            name, 1
        )

    def field(self, place: int, name: str) -> int:
        """Return the register or the subgroup of a place."""
        subgroup, register = divmod(place, self.registers)
        return {"register": register, "subgroup": subgroup}.get(name, 0)

    def place(self, coordinates: Sequence[int]) -> int:
        """Return the first place that has an element."""
        dealt = self.distribution
        unit = tuple(at // extent for at, extent in zip(coordinates, dealt.unit, strict=True))
        inside = [at % extent for at, extent in zip(coordinates, dealt.unit, strict=True)]
        rounds = [dealt.rounds(d) for d in range(dealt.rank)]
        turn = [number // size for number, size in zip(unit, dealt.grid, strict=True)]
        register = _folded([*turn, *inside], [*rounds, *dealt.unit])
        return self._owners_of(unit)[0] * self.registers + register

    def same(self, place: int) -> list[int]:
        """Return all places with the same element as this one, ascending."""
        dealt = self.distribution
        subgroup, register = divmod(place, self.registers)
        unit = tuple(dealt.coordinate(subgroup, d) % dealt.units(d) for d in range(dealt.rank))
        return [owner * self.registers + register for owner in self._owners_of(unit)]

    def _owners_of(self, unit: tuple[int, ...]) -> list[int]:
        if unit not in self._owners:
            self._owners[unit] = self.distribution.owners(unit)
        return self._owners[unit]


def _folded(values: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for value, size in zip(values, sizes, strict=True):
        number = number * size + value
    return number


BANK_BITS = 32
_BANKS = 32
_CHUNK_BITS = 128
_CHUNKS = 8


class Picture(NamedTuple):
    """A layout to draw.

    Attributes:
        inputs, outputs: the layout as from `plain_data.form_of`.
        bits: of an element; for shared memory they determine the elements of a 16-byte column.
        tensor: names of the out dimensions, if they differ.
        dealt: the distribution that is drawn instead of a layout; `inputs` then has no vectors.
        sizes: of the tile, in elements, if it consists of `blocks` [(offset, sizes), ...] of the layout.
        offset: the start in its tile of the part that is drawn.
        colour: the in dimension that colors show, else lanes, else subgroups, else 16-byte columns.
        view: "tile", or "places": registers by lanes, or rows of banks, with elements in the cells.
        slot: neighboring registers of a lane that are drawn side by side.
        fit: pixels, across and down, into which it must fit; else up to 64 rows and columns are drawn in full.
        map_only: draw only a map of a tile that does not fit.
        base: the machine register of the first element, and `register_bytes` the bytes of a register.
        window: row and column at which the part of a large tile that is drawn in full begins.
    """

    title: str
    inputs: Vectors
    outputs: Mapping[str, int]
    bits: int = 8
    dealt: Distribution | None = None
    tensor: Sequence[str] | None = None
    sizes: Sequence[int] | None = None
    blocks: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None
    offset: Sequence[int] | None = None
    colour: str | None = None
    view: str = "tile"
    slot: int = 1
    fit: tuple[int, int] | None = None
    map_only: bool = False
    base: int | None = None
    register_bytes: int = 64
    window: tuple[int, int] = (0, 0)

    def as_json(self) -> dict[str, object]:
        """Return the data that the page reads, without default values."""
        layout = {
            "in": {name: [list(vector) for vector in vectors] for name, vectors in self.inputs.items()},
            "out": dict(self.outputs),
        }  # fmt: skip
        found: dict[str, object] = {"title": self.title, "layout": layout, "bits": self.bits}
        for name in ("tensor", "sizes", "blocks", "offset", "colour", "fit"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        if self.dealt is not None:
            found["dealt"] = {
                "unit": self.dealt.unit,
                "grid": self.dealt.grid,
                "order": self.dealt.order,
            }
        if self.view != "tile":
            found |= {"view": self.view, "slot": self.slot}
        if self.base is not None:
            found |= {"base": {"register": self.base}, "registerBytes": self.register_bytes}
        if self.map_only:
            found["map"] = True
        if any(self.window):
            found["window"] = self.window
        return found


class Holders:
    """The holders of elements: numbers with a field for each in dimension, the first one lowest."""

    def __init__(self, inputs: Vectors, outputs: Mapping[str, int]) -> None:
        layout = layout_of_form(inputs, outputs)
        self.layout: LinearLayout = layout
        self.widths = {name: len(vectors) for name, vectors in inputs.items()}
        self.shifts = positions(self.widths)
        self.bits = sum(self.widths.values())
        self._fields = layout.fields()
        columns, outs = packed(layout.in_columns), layout.total_out_dim_size_log2
        # Units beyond the inputs reach the elements that no input reaches.
        units = f2.labelled([*columns, *f2.UNIT_VECTORS[:outs]])
        width = len(units)
        inverse = f2.solve_all(f2.echelon(units, width), width, f2.UNIT_VECTORS[:outs])
        self._inverse = inverse or []
        self.copies = f2.span(f2.kernel(columns))

    def size(self, name: str) -> int:
        """Return the size of an in dimension; 1 if there is none."""
        return 1 << self.widths.get(name, 0)

    def field(self, place: int, name: str) -> int:
        """Return the coordinate of a place in an in dimension."""
        return place >> self.shifts.get(name, 0) & self.size(name) - 1

    def place(self, coordinates: Sequence[int]) -> int:
        """Return the first place that has an element, or -1 if none has."""
        at = sum(
            value << shift
            for value, (_, _, shift) in zip(coordinates, self._fields, strict=True)
        )
        place = f2.multiply(self._inverse, at)
        return -1 if place >> self.bits else place

    def same(self, place: int) -> list[int]:
        """Return all places with the same element as this one, itself first."""
        return [place ^ copy for copy in self.copies]

    def pack(self, fields: Mapping[str, int]) -> int:
        """Return the place with these coordinates."""
        return sum(fields.get(name, 0) << shift for name, shift in self.shifts.items())

    def element(self, place: int) -> list[int]:
        """Return the coordinates of the element at a place."""
        fields = {name: self.field(place, name) for name in self.widths}
        return list(self.layout.apply(fields).values())


class Meaning(NamedTuple):
    """The meaning of colors and numbers: in dimensions, the legend's text for numbers, the number of colors.

    `chunk` offsets have one color; the tile has borders if several subgroups have parts of it.
    """

    colour: str
    number: str
    said: str
    colours: int
    chunk: int
    is_parted: bool

    @property
    def legend(self) -> str:
        """The legend's name of the colored dimension."""
        return "16-byte column" if self.colour == "offset" else self.colour

    def colour_of(self, value: int) -> int:
        """Return the number of a coordinate's color."""
        return value // self.chunk % _CHUNKS if self.colour == "offset" else value


def meaning(picture: Picture, held: Holders | DealtHolders) -> Meaning:
    """Return the meaning of a picture's colors and numbers."""
    is_shared = "offset" in picture.inputs
    several = [name for name in ("lane", "subgroup") if held.size(name) > 1]
    there = [name for name in ("lane", "subgroup", *picture.inputs) if name in picture.inputs]
    colour = picture.colour or ("offset" if is_shared else [*several, *there][0])
    rest = [name for name in picture.inputs if name != colour]
    number = (
        "offset" if is_shared else "register" if "register" in rest else [*rest, colour][0]
    )
    count = _CHUNKS if colour == "offset" else held.size(colour)
    is_tile = picture.view != "places"
    said = number if is_tile else ",".join(picture.tensor or picture.outputs)
    parted = is_tile and colour != "subgroup" and held.size("subgroup") > 1
    return Meaning(colour, number, said, count, max(1, _CHUNK_BITS // picture.bits), parted)


class Grid:
    """The rows and columns of a picture's cells, which are the tile's elements."""

    def __init__(self, picture: Picture, held: Holders | DealtHolders) -> None:
        self.picture = picture
        self.held = held
        self.says = meaning(picture, self.held)
        self.tensor = list(picture.tensor or picture.outputs)
        self.sizes = list(picture.sizes or picture.outputs.values())
        self.offset = list(picture.offset or [0] * len(self.sizes))
        self.rows, self.columns = prod(self.sizes[:-1]), self.sizes[-1]
        self.row_name, self.column_name = ",".join(self.tensor[:-1]), self.tensor[-1]
        self.longest = len(str(self.held.size(self.says.number) - 1))

    def place(self, row: int, column: int) -> int:
        """Return the first place that has the element of a cell."""
        local = self._at(row, column)
        blocks = self.picture.blocks
        if blocks is None:
            return self.held.place(local)
        block = self._block(local)
        if block < 0:
            return -1
        return self.held.place([a - b for a, b in zip(local, blocks[block][0], strict=True)])

    def row_label(self, row: int) -> str:
        """Return the coordinates of a row."""
        return ",".join(
            str(value + start)
            for value, start in zip(self._leading(row), self.offset, strict=False)
        )

    def column_label(self, column: int) -> str:
        """Return the coordinate of a column."""
        return str(column + self.offset[-1])

    def text(self, row: int, column: int, place: int) -> str:
        """Return the text of a cell."""
        return str(self.held.field(place, self.says.number))

    def part(self, row: int, column: int, place: int) -> tuple[int, int]:
        """Return the block and the subgroup of a cell; borders are drawn where they differ."""
        block = 0 if self.picture.blocks is None else self._block(self._at(row, column))
        return block, self.held.field(place, "subgroup")

    def _leading(self, row: int) -> list[int]:
        found: list[int] = []
        for extent in reversed(self.sizes[:-1]):
            row, value = divmod(row, extent)
            found.insert(0, value)
        return found

    def _at(self, row: int, column: int) -> list[int]:
        return [*self._leading(row), column]

    def _block(self, local: Sequence[int]) -> int:
        for n, (start, extent) in enumerate(self.picture.blocks or ()):
            if all(s <= v < s + e for v, s, e in zip(local, start, extent, strict=True)):
                return n
        return -1


class PlacesGrid(Grid):
    """Registers by lanes, or the rows of banks of shared memory, with their elements."""

    def __init__(self, picture: Picture) -> None:
        self.places = Holders(picture.inputs, picture.outputs)
        super().__init__(picture, self.places)
        size = self.held.size
        self.is_shared = "offset" in picture.inputs
        if self.is_shared:
            self.slot = max(1, BANK_BITS // picture.bits)
            self.columns = min(_BANKS * BANK_BITS // picture.bits, size("offset"))
            self.rows = size("offset") // self.columns
        else:
            self.slot = picture.slot
            self.columns, self.rows = self.slot * size("lane"), size("register") // self.slot
        many = f" ({self.slot} elements each)" if self.slot > 1 else ""
        self.row_name = "row of banks" if self.is_shared else "register"
        self.column_name = ("bank" if self.is_shared else "lane") + many
        ends = [str(size - 1 + at) for size, at in zip(self.sizes, self.offset, strict=True)]
        self.longest = len(",".join(ends))

    def place(self, row: int, column: int) -> int:
        """Return the place of a cell."""
        if self.is_shared:
            return self.places.pack({"offset": row * self.columns + column})
        lane, register = divmod(column, self.slot)
        return self.places.pack({"register": row * self.slot + register, "lane": lane})

    def row_label(self, row: int) -> str:
        """Return the register, or the number of the row of banks."""
        base, bytes_of_one = self.picture.base, self.picture.register_bytes
        if self.is_shared or base is None:
            return str(row if self.is_shared else row * self.slot)
        register, byte = divmod(row * self.columns * self.picture.bits // 8, bytes_of_one)
        return f"r{base + register}" + (f".{byte}" if byte else "")

    def column_label(self, column: int) -> str:
        """Return the lane, or the bank, at its first element."""
        return "" if column % self.slot else str(column // self.slot)

    def text(self, row: int, column: int, place: int) -> str:
        """Return the element in a cell."""
        found = zip(self.places.element(place), self.offset, strict=True)
        return ",".join(str(value + start) for value, start in found)

    def part(self, row: int, column: int, place: int) -> tuple[int, int]:
        """Return a constant, so that no borders are drawn."""
        return 0, 0


def grid_of(picture: Picture) -> Grid:
    """Return the cells of a picture."""
    if picture.view == "places":
        return PlacesGrid(picture)
    if picture.dealt is not None:
        return Grid(picture, DealtHolders(picture.dealt))
    return Grid(picture, Holders(picture.inputs, picture.outputs))
