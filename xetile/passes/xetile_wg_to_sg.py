"""Distribute workgroup-level XeTile over the subgroups of the workgroup.

Before (2 x 2 subgroups, each with one unit of 64x64):

    %t = xetile.init_tile %src[%m, 0] : memref<512x128xf16>
        -> !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [64, 64]>>>
    %v = xetile.load_tile %t : !xetile.tile<128x128xf16, ...> -> vector<128x128xf16>

After:

    %id = gpu.subgroup_id : index
    %row = arith.divui %id, %c2 : index
    %column = arith.remui %id, %c2 : index
    %r = arith.muli %row, %c64 : index
    %c = arith.muli %column, %c64 : index
    %m0 = arith.addi %m, %r : index
    %t = xetile.init_tile %src[%m0, %c] : memref<512x128xf16> -> !xetile.tile<64x64xf16>
    %v = xetile.load_tile %t : !xetile.tile<64x64xf16> -> vector<64x64xf16>

A subgroup with several units (round-robin) gets one op per unit, rows outer; where there are fewer units than
subgroups, several subgroups hold the same one. Owners and offsets are read off `Distribution` (layout/grid.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from xetile.analysis.constants import Dense, dense_value, is_splat, splat_of_type, taken
from xetile.analysis.kernels import functions, level, set_level, subgroup_count
from xetile.analysis.same_value import is_elementwise, is_tile_vector, vector_shape
from xetile.analysis.workgroup_maps import infer_workgroup_maps
from xetile.dialects import arith
from xetile.dialects.gpu import SubgroupIdOp
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreTileOp,
    TileMMAOp,
    TileType,
    UpdateTileOffsetOp,
    WorkgroupMapAttr,
)
from xetile.errors import fail
from xetile.layout.grid import Distribution, Term
from xetile.layout.linear import LayoutError
from xetile.passes.expansion import Expansion, Offset, Parts


class Units(Parts):
    """One subgroup's units of a distributed value, rows outer."""

    __slots__ = ("distribution",)

    def __init__(self, values: Sequence[SSAValue], distribution: Distribution) -> None:
        super().__init__(values)
        self.distribution = distribution

    def unit(self, row: int, column: int) -> SSAValue:
        """The unit of one round in each dimension."""
        return self.values[row * self.distribution.rounds(1) + column]


class SubgroupView(Expansion):
    """A function as one subgroup sees it."""

    def __init__(self, function: Operation) -> None:
        super().__init__(function)
        self.maps = infer_workgroup_maps(function)
        self.subgroups = subgroup_count(function)

    def distribution(self, shape: Sequence[int], map: WorkgroupMapAttr) -> Distribution:
        """The distribution that a map gives to a shape, refused where it does not fit the kernel."""
        total = prod(map.sg_layout)
        if self.subgroups is None:
            self.subgroups = total
        if total != self.subgroups:
            fail(
                self.current,
                f"sg_layout {list(map.sg_layout)} has {total} subgroups, the workgroup has {self.subgroups}",
            )
        try:
            return map.distribution(tuple(shape))
        except LayoutError as error:
            fail(self.current, str(error))

    def value_distribution(self, value: SSAValue) -> Distribution:
        """The distribution of a vector of the old function."""
        return self.distribution(vector_shape(value), self.maps[value])

    def tile_distribution(self, value: SSAValue) -> Distribution:
        """The distribution of a tile of the old function."""
        tile = cast(TileType, value.type)
        if tile.wg_map is None:
            fail(
                self.current,
                f"{tile} has no wg_map; every tile of a workgroup-level kernel needs one",
            )
        return self.distribution(tile.shape, tile.wg_map)

    def units(self, value: SSAValue) -> Units:
        """The units that an old value became."""
        became = self.get(value)
        assert isinstance(became, Units)
        return became

    def unit_offset(self, term: Term) -> Offset:
        """Where this subgroup's unit starts in one dimension (elements)."""
        if term.modulus == 1:
            return term.shift
        start = self.shared(
            ("offset", term.divisor, term.modulus, term.scale), lambda: self._start(term)
        )
        return self.add(start, term.shift)

    def _start(self, term: Term) -> Operation:
        identifier = self.shared(("subgroup_id",), SubgroupIdOp)
        coordinate = identifier
        if term.divisor != 1:
            divisor = self.constant(term.divisor)
            coordinate = self.shared(
                ("row", term.divisor), lambda: arith.DivUIOp(identifier, divisor)
            )
        if not term.whole:
            undivided, modulus = coordinate, self.constant(term.modulus)
            coordinate = self.shared(
                ("coordinate", term.divisor, term.modulus),
                lambda: arith.RemUIOp(undivided, modulus),
            )
        return arith.MuliOp(coordinate, self.constant(term.scale))

    def unit_offsets(self, distribution: Distribution) -> list[tuple[Offset, ...]]:
        """The offsets of this subgroup's units, rows outer."""
        return [
            tuple(self.unit_offset(term) for term in distribution.offset_terms(rounds))
            for rounds in distribution.round_coordinates
        ]

    def each_unit(
        self, value: SSAValue, distribution: Distribution, make: Callable[[int], Operation]
    ) -> None:
        """Bind `value` to one op's result per unit."""
        results = [self.emit_value(make(unit)) for unit in range(distribution.local_units)]
        self.bind(value, Units(results, distribution))

    def other(self, op: Operation) -> None:
        """Elementwise ops work on each unit; ops without tiles or vectors are copied."""
        if is_elementwise(op) and any(is_tile_vector(v.type) for v in op.results):
            _elementwise(self, op)
        else:
            super().other(op)

    handlers: ClassVar[Mapping[str, Callable[..., None]]] = {}


def _unit_vector(type: Attribute, distribution: Distribution) -> VectorType[Attribute]:
    return VectorType(cast(VectorType[Attribute], type).element_type, distribution.unit)


def _init_tile(view: SubgroupView, op: Operation) -> None:
    assert isinstance(op, InitTileOp)
    if op.indices is not None:
        fail(op, "scattered tiles are not distributed yet; write this kernel at subgroup level")
    distribution = view.tile_distribution(op.tile)
    tile = op.tile.type
    unit = tile.with_(shape=distribution.unit, wg_map=None)
    source = view.single(op.source)
    offsets = [_mapped(view, offset) for offset in op.mixed_offsets]
    sizes = [_mapped(view, size) for size in op.mixed_sizes]
    strides = [_mapped(view, stride) for stride in op.mixed_strides]
    leading, base = offsets[:-2], offsets[-2:]
    tiles: list[SSAValue] = []
    for starts in view.unit_offsets(distribution):
        moved = [view.add(offset, start) for offset, start in zip(base, starts, strict=True)]
        tiles.append(view.emit_value(InitTileOp(source, [*leading, *moved], sizes, strides, unit)))
    view.bind(op.tile, Units(tiles, distribution))


def _mapped(view: Expansion, offset: int | SSAValue) -> Offset:
    return offset if isinstance(offset, int) else view.single(offset)


def _retyped(
    op: Operation, operands: Sequence[SSAValue], result_types: Sequence[Attribute]
) -> Operation:
    """The same op on other operands, without its maps."""
    return type(op).create(
        operands=operands,
        result_types=result_types,
        properties={k: v for k, v in op.properties.items() if not k.startswith("wg_map")},
        attributes={k: v for k, v in op.attributes.items() if not k.startswith("wg_map")},
        location=op.location,
    )


def _load_tile(view: SubgroupView, op: Operation) -> None:
    assert isinstance(op, LoadTileOp)
    tiles = view.units(op.operands[0])
    type = _unit_vector(op.results[0].type, tiles.distribution)
    view.each_unit(
        op.results[0], tiles.distribution, lambda unit: _retyped(op, [tiles.values[unit]], [type])
    )


def _store_tile(view: SubgroupView, op: Operation) -> None:
    assert isinstance(op, StoreTileOp)
    value, tiles = view.units(op.operands[0]), view.units(op.operands[1])
    if tiles.distribution.is_shared:
        fail(
            op,
            f"several subgroups would store the same unit of {op.operands[1].type}; "
            "give each subgroup units of its own (no more subgroups than units in a dimension)",
        )
    for part, tile in zip(value.values, tiles.values, strict=True):
        view.emit(_retyped(op, [part, tile], []))


def _prefetch_tile(view: SubgroupView, op: Operation) -> None:
    assert isinstance(op, PrefetchTileOp)
    for tile in view.units(op.operands[0]).values:
        view.emit(_retyped(op, [tile], []))


def _update_tile_offset(view: SubgroupView, op: Operation) -> None:
    assert isinstance(op, UpdateTileOffsetOp)
    tiles = view.units(op.operands[0])
    moved = [_mapped(view, offset) for offset in op.mixed_offsets]
    view.each_unit(
        op.results[0],
        tiles.distribution,
        lambda unit: UpdateTileOffsetOp(tiles.values[unit], moved),
    )


def _constant(view: SubgroupView, op: Operation) -> None:
    if not is_tile_vector(op.results[0].type):
        Expansion.other(view, op)
        return
    distribution = view.value_distribution(op.results[0])
    values = dense_value(op)
    if values is None:
        fail(op, f"a constant of {op.results[0].type} needs dense elements")
    unit = _unit_vector(op.results[0].type, distribution)
    if is_splat(values):
        splat = splat_of_type(values, unit)
        view.each_unit(op.results[0], distribution, lambda _: _retyped_constant(op, splat))
        return
    parts = [
        _select_slice(view, op, values, distribution, rounds)
        for rounds in distribution.round_coordinates
    ]
    view.bind(op.results[0], Units(parts, distribution))


def _retyped_constant(op: Operation, value: Dense) -> Operation:
    copy = _retyped(op, [], [value.type])
    copy.properties["value"] = value
    return copy


def _select_slice(
    view: SubgroupView,
    op: Operation,
    values: Dense,
    distribution: Distribution,
    rounds: tuple[int, ...],
) -> SSAValue:
    """This subgroup's slice of a dense constant: selected by where its unit starts."""
    terms = distribution.offset_terms(rounds)
    starts = [[unit * term.scale + term.shift for unit in range(term.modulus)] for term in terms]
    here = [view.unit_offset(term) for term in terms]
    rows = [
        _choose(
            view,
            here[1],
            starts[1],
            [_slice(view, op, values, distribution, (r, c)) for c in starts[1]],
        )
        for r in starts[0]
    ]
    return _choose(view, here[0], starts[0], rows)


def _slice(
    view: SubgroupView,
    op: Operation,
    values: Dense,
    distribution: Distribution,
    start: tuple[int, int],
) -> SSAValue:
    width, (height, columns) = distribution.shape[1], distribution.unit
    elements = (
        (start[0] + row) * width + start[1] + column
        for row in range(height)
        for column in range(columns)
    )
    value = taken(values, elements, _unit_vector(op.results[0].type, distribution))
    return view.emit_value(_retyped_constant(op, value))


def _choose(
    view: SubgroupView, here: Offset, starts: Sequence[int], choices: Sequence[SSAValue]
) -> SSAValue:
    chosen = choices[0]
    for start, choice in zip(starts[1:], choices[1:], strict=True):
        matches = view.emit_value(arith.CmpiOp(view.index(here), view.constant(start), "eq"))
        chosen = view.emit_value(arith.SelectOp(matches, choice, chosen))
    return chosen


def _elementwise(view: SubgroupView, op: Operation) -> None:
    distribution = view.value_distribution(op.results[0])
    types = [_unit_vector(result.type, distribution) for result in op.results]

    def make(unit: int) -> Operation:
        operands = [
            became.values[unit] if isinstance(became := view.get(v), Units) else view.single(v)
            for v in op.operands
        ]
        return _retyped(op, operands, types)

    view.each_unit(op.results[0], distribution, make)


def _tile_mma(view: SubgroupView, op: Operation) -> None:
    assert isinstance(op, TileMMAOp)
    distribution = view.value_distribution(op.results[0])
    a, b = view.units(op.operands[0]), view.units(op.operands[1])
    _check_product(view, op, distribution)
    type = _unit_vector(op.results[0].type, distribution)
    depth = a.distribution.rounds(1)
    results: list[SSAValue] = []
    for position, (row, column) in enumerate(distribution.round_coordinates):
        sums = [view.units(value).values[position] for value in op.operands[2:]]
        for k in range(depth):
            operands = [a.unit(row, k), b.unit(k, column), *sums]
            sums = [view.emit_value(_retyped(op, operands, [type]))]
        results.append(sums[0])
    view.bind(op.results[0], Units(results, distribution))


def _check_product(view: SubgroupView, op: TileMMAOp, c: Distribution) -> None:
    """A has C's rows and all of K, B all of K and C's columns, on the same subgroups."""
    operands = (("A", op.operands[0], 0, 1), ("B", op.operands[1], 1, 0))
    for name, value, outer, inner in operands:
        map = view.maps[value]
        held = view.units(value).distribution
        extent = held.shape[inner]
        if held.units(inner) != 1 and map.sg_layout[inner] != 1:
            whole = [extent if d == inner else map.sg_data[d] for d in range(2)]
            fail(
                op,
                f"K = {extent} is spread over {map.sg_layout[inner]} subgroups "
                f"(sg_layout {list(map.sg_layout)}); use sg_data {whole}",
            )
        if map.sg_layout != c.grid or map.sg_data[outer] != c.unit[outer]:
            wanted = [extent if d == inner else c.unit[d] for d in range(2)]
            fail(
                op,
                f"operand {name} has {map}, but the result's map asks for "
                f"sg_layout = {list(c.grid)}, sg_data = {wanted}",
            )
    depths = [
        view.units(op.operands[0]).distribution.rounds(1),
        view.units(op.operands[1]).distribution.rounds(0),
    ]
    if depths[0] != depths[1]:
        fail(
            op, f"A has K in {depths[0]} units, B in {depths[1]}; expected the same sg_data along K"
        )


SubgroupView.handlers = {
    "xetile.init_tile": _init_tile,
    "xetile.load_tile": _load_tile,
    "xetile.store_tile": _store_tile,
    "xetile.prefetch_tile": _prefetch_tile,
    "xetile.update_tile_offset": _update_tile_offset,
    "xetile.tile_mma": _tile_mma,
    "arith.constant": _constant,
}


@dataclass(frozen=True)
class XeTileWgToSg(ModulePass):
    """Distribute workgroup-level tiles and vectors over subgroups, by their wg_maps."""

    name = "xetile-wg-to-sg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Distribute every workgroup-level function of the module; others stay as they are."""
        for function in list(functions(op)):
            if level(function) == "workgroup":
                SubgroupView(function).run()
                set_level(function, "subgroup")
