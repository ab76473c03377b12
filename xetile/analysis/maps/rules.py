"""Rules that derive the map of one value of an op from the different maps of the others: one rule per op.

The RFC derives the operands' maps from the result's; the rules also go the other way if
that is unique. docs/xetile-dialect.md, "Meaning", says what an op with both maps may do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import gcd, isqrt
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from xetile.analysis.constants import integers_of
from xetile.analysis.maps.links import has_map
from xetile.analysis.maps.map_words import a_conversion, name_of
from xetile.analysis.maps.propagation import (
    Disagreement,
    Disputed,
    Evidence,
    Propagation,
    Rule,
    Strength,
    origin,
    shape_of,
)
from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.traits import Rearranges, has_trait
from xetile.dialects.xetile import TileMMAOp, TileReduceOp, WorkgroupMapAttr
from xetile.errors import fail

Units = Mapping[int, int]
"""Extents of units by dimension (elements)."""


@lru_cache(maxsize=1024)
def make_map(sg_layout: tuple[int, ...], sg_data: tuple[int, ...]) -> WorkgroupMapAttr:
    """Return a map; equal numbers give the same object, because kernels repeat them."""
    return WorkgroupMapAttr(sg_layout, sg_data)


def dealt_out(shape: Sequence[int], sg_layout: tuple[int, int]) -> WorkgroupMapAttr:
    """Return a map with as many units per dimension as divide both its extent and the subgroups along it."""
    data = (
        extent // gcd(extent, subgroups)
        for extent, subgroups in zip(shape, sg_layout, strict=True)
    )
    return make_map(sg_layout, tuple(data))


def with_data(map: WorkgroupMapAttr, changes: Mapping[int, int]) -> WorkgroupMapAttr:
    """Return the map with other units in some dimensions."""
    data = tuple(changes.get(d, unit) for d, unit in enumerate(map.sg_data))
    return make_map(map.sg_layout, data)


def written_maps(op: Operation) -> Iterator[tuple[SSAValue, WorkgroupMapAttr, Strength]]:
    """Yield the maps that an op's attributes give: forward to its results, backward to its operands."""
    for name, value, strength in map_names(op):
        found = op.properties.get(name)
        if isinstance(found, WorkgroupMapAttr):
            yield value, found, strength


def map_names(op: Operation) -> Sequence[tuple[str, SSAValue, Strength]]:
    """Return the properties of a XeTile op that are maps, each with the value that it describes."""
    if isinstance(op, TileMMAOp):
        return (
            ("wg_map_a", op.operands[0], Strength.BACKWARD),
            ("wg_map_b", op.operands[1], Strength.BACKWARD),
            ("wg_map_c", op.results[0], Strength.FORWARD),
        )
    if has_trait(op, Rearranges):
        return (
            ("wg_map_source", op.operands[0], Strength.BACKWARD),
            ("wg_map_result", op.results[0], Strength.FORWARD),
        )
    return ()


# tile_mma


class Factor(NamedTuple):
    """An operand of a product, with the dimension that it shares with the result and that of K."""

    name: str
    value: SSAValue
    outer: int
    inner: int

    @property
    def depth(self) -> int:
        """The extent of K (elements)."""
        return shape_of(self.value)[self.inner]


def factors(op: Operation) -> tuple[Factor, Factor]:
    """Return A and B."""
    return Factor("A", op.operands[0], 0, 1), Factor("B", op.operands[1], 1, 0)


def _relate_product(maps: Propagation, op: Operation) -> None:
    a, b = factors(op)
    result = op.results[0]
    for factor in (a, b):
        _refuse_spread(maps, op, factor)
    of_a, of_b, of_result = (maps.get(value) for value in (a.value, b.value, result))
    if of_result is not None:
        _demand_factor(maps, op, a, b, of_result)
        _demand_factor(maps, op, b, a, of_result)
    elif of_a is not None and of_b is not None:
        _refuse_layouts(op, of_a, of_b)
        map = with_data(of_a.map, {1: of_b.map.sg_data[1]})
        maps.offer(result, Evidence(map, map, op), op, Strength.FORWARD)


def _refuse_spread(maps: Propagation, op: Operation, factor: Factor) -> None:
    """Raise if K is spread over subgroups, because every subgroup needs all of K."""
    known = maps.get(factor.value)
    if known is None:
        return
    subgroups = known.map.sg_layout[factor.inner]
    if known.map.sg_data[factor.inner] == factor.depth or subgroups == 1:
        return
    meant = with_data(known.map, {factor.inner: factor.depth})
    raise Disagreement(
        op,
        f"K = {factor.depth} is spread over {subgroups} subgroups "
        f"(sg_layout {list(known.map.sg_layout)}); use sg_data {list(meant.sg_data)}",
        [Disputed(factor.value, meant, known.map, 1 - factor.inner)],
    )


def _demand_factor(
    maps: Propagation, op: Operation, factor: Factor, other: Factor, result: Evidence
) -> None:
    """Offer a factor the result's sg_layout and outer units; along K its own or its partner's units, else all of K."""
    own, partner = maps.get(factor.value), maps.get(other.value)
    strength, unit = Strength.LIKELY, factor.depth
    if own is not None:
        strength, unit = Strength.BACKWARD, own.map.sg_data[factor.inner]
    elif partner is None:
        strength = Strength.ASSUMED
    elif result.map.sg_layout[factor.inner] == 1:
        unit = partner.map.sg_data[other.inner]
    map = with_data(result.map, {factor.inner: unit})
    maps.offer(factor.value, result.derive(map), op, strength)


def _refuse_layouts(op: Operation, a: Evidence, b: Evidence) -> None:
    if a.map.sg_layout != b.map.sg_layout:
        fail(
            op,
            f"operand A has wg_map {a.map.body} {origin(a, op)}, operand B {b.map.body} {origin(b, op)}; "
            "expected one sg_layout",
        )


def check_product(maps: Propagation, op: Operation) -> None:
    """Raise unless the larger units along K are multiples of the smaller ones; they are cut further."""
    a, b = (_cut_of_k(maps, factor) for factor in factors(op))
    if max(a.units, b.units) % min(a.units, b.units) == 0:
        return
    fail(
        op,
        f"operand A has wg_map {a.of.map.body} {origin(a.of, op)}, which cuts K = {a.depth} into {a.units} "
        f"units, operand B {b.of.map.body} {origin(b.of, op)} into {b.units}; expected sg_data along K of "
        "which one divides the other",
    )


class _CutOfK(NamedTuple):
    """How a map cuts K of an operand of a product: its map, the extent (elements), a subgroup's units."""

    of: Evidence
    depth: int
    units: int


def _cut_of_k(maps: Propagation, factor: Factor) -> _CutOfK:
    known = maps.get(factor.value)
    assert known is not None
    distribution = known.map.distribution(shape_of(factor.value))
    return _CutOfK(known, factor.depth, distribution.rounds(factor.inner))


# tile_transpose, tile_broadcast, tile_reduce


def _relate_transpose(maps: Propagation, op: Operation) -> None:
    """Give both sides each other's transpose, unless the op names its source's map."""
    swaps = integers_of(op, "permutation") == [1, 0]
    named = "wg_map_source" in op.properties
    source, result = maps.get(op.operands[0]), maps.get(op.results[0])
    if result is not None and not named:
        map = result.map.transposed() if swaps else result.map
        maps.offer(op.operands[0], result.derive(map), op, Strength.BACKWARD)
    if source is not None:
        map = source.map.transposed() if swaps else source.map
        strength = Strength.ASSUMED if named else Strength.FORWARD
        maps.offer(op.results[0], source.derive(map), op, strength)


def _relate_reduction(maps: Propagation, op: Operation) -> None:
    """Make a reduced dimension one unit, unless the op names its source's map or the kernel has an sg_layout."""
    assert isinstance(op, TileReduceOp)
    dims = op.reduction_dims.get_values()
    extents = shape_of(op.source)
    source, result = maps.get(op.source), maps.get(op.result)
    named = op.wg_map_source is not None
    if op.reduction_size is not None:
        if not named:  # all groups in one unit, as the casts that this becomes have it
            _suggest(maps, op, (op.source, op.result), partial(_whole_units, dims))
        return
    if source is not None:
        if not named and maps.sg_layout is None:
            _refuse_cut(op, source)
        map = with_data(source.map, dict.fromkeys(dims, 1))
        maps.offer(
            op.result, source.derive(map), op, Strength.ASSUMED if named else Strength.FORWARD
        )
    elif result is not None and not named:
        map = with_data(result.map, {d: extents[d] for d in dims})
        maps.offer(op.source, result.derive(map), op, Strength.BACKWARD)


def _refuse_cut(op: TileReduceOp, source: Evidence) -> None:
    """Raise if the source's map cuts the reduced dimension; reducing across units has to be written."""
    extents = shape_of(op.source)
    for d in op.reduction_dims.get_values():
        units = extents[d] // source.map.sg_data[d]
        if units != 1:
            result = with_data(source.map, dict.fromkeys(op.reduction_dims.get_values(), 1))
            fail(
                op,
                f"{name_of(op.source)} has wg_map {source.map.body} {origin(source, op)}, which cuts the "
                f"reduced dimension {d} into {units} units; write wg_map_source = {source.map} and "
                f"wg_map_result = {result} to reduce across them, or put {a_conversion(op)} before",
            )


def broadcast_dims(op: Operation) -> tuple[int, ...]:
    """Return the dimensions that a broadcast from rank 2 to rank 2 enlarges."""
    if "broadcast_dims" in op.properties:
        return tuple(integers_of(op, "broadcast_dims"))
    small, large = shape_of(op.operands[0]), shape_of(op.results[0])
    return tuple(d for d in range(2) if small[d] != large[d])


def _relate_broadcast(maps: Propagation, op: Operation) -> None:
    """Give the source units of 1 in broadcast dimensions; the source does not say how the result is cut there."""
    dims = broadcast_dims(op)
    source, result = maps.get(op.operands[0]), maps.get(op.results[0])
    if result is not None:
        map = with_data(result.map, dict.fromkeys(dims, 1))
        maps.offer(op.operands[0], result.derive(map), op, Strength.BACKWARD)
    elif source is not None:
        extents = shape_of(op.results[0])
        choices = {d: units_that_fit(extents[d], source.map.sg_layout[d]) for d in dims}
        unique = all(len(units) == 1 for units in choices.values())
        if all(
            len(units) == 1 or source.map.sg_layout[d] == 1 for d, units in choices.items()
        ):
            map = with_data(source.map, {d: units[-1] for d, units in choices.items()})
            strength = Strength.FORWARD if unique else Strength.ASSUMED
            maps.offer(op.results[0], source.derive(map), op, strength)


@lru_cache(maxsize=256)
def units_that_fit(extent: int, subgroups: int) -> tuple[int, ...]:
    """Return the units, ascending (elements), that distribute an extent evenly over the subgroups along it."""
    small = [unit for unit in range(1, isqrt(extent) + 1) if extent % unit == 0]
    divisors = sorted({*small, *(extent // unit for unit in small)})
    return tuple(
        unit
        for unit in divisors
        if (extent // unit) % subgroups == 0 or subgroups % (extent // unit) == 0
    )


def _relate_conversion(maps: Propagation, op: Operation) -> None:
    """Offer a constant that only a tile_conv_layout uses the wanted map; otherwise the op separates its maps."""
    result = maps.get(op.results[0])
    if result is not None and is_fresh(op.operands[0]):
        maps.offer(op.operands[0], result, op, Strength.ASSUMED)


def sliced_dims(op: Operation) -> tuple[int, ...]:
    """Return the dimensions in which a slice between vectors of rank 2 is smaller than the whole vector."""
    small, large = (shape_of(value) for value in slice_ends(op))
    return tuple(d for d in range(2) if small[d] != large[d])


def slice_ends(op: Operation) -> tuple[SSAValue, SSAValue]:
    """Return the slice and the vector that it is extracted from or inserted into."""
    if op.name == "vector.insert_strided_slice":
        return op.operands[0], op.results[0]
    return op.results[0], op.operands[0]


def _relate_slice(maps: Propagation, op: Operation) -> None:
    """Keep sliced dimensions whole on both sides; if a map says otherwise, each subgroup may hold all of both."""
    small, large = slice_ends(op)
    if has_map(small.type):
        dims = sliced_dims(op)

        def units(map: WorkgroupMapAttr, known: SSAValue, other: SSAValue) -> Units | None:
            is_whole = all(map.sg_data[d] == shape_of(known)[d] for d in dims)
            return _whole_units(dims, map, known, other) if is_whole else None

        _suggest(maps, op, (small, large), units)
    if op.name == "vector.insert_strided_slice":
        _suggest(maps, op, (op.operands[1], op.results[0]), lambda map, known, other: {})


def _relate_bitcast(maps: Propagation, op: Operation) -> None:
    """Keep the rows and scale the columns by the widths of the elements, if a unit has whole elements of both."""

    def units(map: WorkgroupMapAttr, known: SSAValue, other: SSAValue) -> Units | None:
        columns, rest = divmod(map.sg_data[1] * shape_of(other)[1], shape_of(known)[1])
        return None if rest else {1: columns}

    _suggest(maps, op, (op.operands[0], op.results[0]), units)


def _relate_shape_cast(maps: Propagation, op: Operation) -> None:
    """Offer whole rows that contain the elements of a unit's rows."""

    def units(map: WorkgroupMapAttr, known: SSAValue, other: SSAValue) -> Units | None:
        width = shape_of(other)[1]
        rows, rest = divmod(map.sg_data[0] * shape_of(known)[1], width)
        return None if rest else {0: rows, 1: width}

    _suggest(maps, op, (op.operands[0], op.results[0]), units)


def _whole_units(
    dims: Sequence[int], _map: WorkgroupMapAttr, _known: SSAValue, other: SSAValue
) -> Units:
    return {d: shape_of(other)[d] for d in dims}


def _suggest(
    maps: Propagation,
    op: Operation,
    ends: tuple[SSAValue, SSAValue],
    units: Callable[[WorkgroupMapAttr, SSAValue, SSAValue], Units | None],
) -> None:
    """Offer each end the other end's map with the units that `units` returns; None offers nothing."""
    for known, other in (ends, ends[::-1]):
        if (evidence := maps.get(known)) is None:
            continue
        if (changes := units(evidence.map, known, other)) is not None:
            map = with_data(evidence.map, changes)
            maps.offer(other, evidence.derive(map), op, Strength.LIKELY)


def is_fresh(value: SSAValue) -> bool:
    """Return True if a vector needs no map and can be recreated for each use: a constant, a splat, a mask."""
    op = value.owner
    return (
        isinstance(op, Operation)
        and is_tile_vector(value.type)
        and len(op.results) == 1
        and not op.regions
        and "wg_map" not in op.attributes
        and not any(has_map(operand.type) for operand in op.operands)
        and is_side_effect_free(op)
    )


_RULES: Mapping[str, Rule] = {
    "xetile.tile_mma": _relate_product,
    "xetile.tile_transpose": _relate_transpose,
    "xetile.tile_reduce": _relate_reduction,
    "xetile.tile_broadcast": _relate_broadcast,
    "xetile.tile_conv_layout": _relate_conversion,
    "vector.bitcast": _relate_bitcast,
    "vector.broadcast": _relate_broadcast,
    "vector.extract_strided_slice": _relate_slice,
    "vector.insert_strided_slice": _relate_slice,
    "vector.shape_cast": _relate_shape_cast,
    "vector.transpose": _relate_transpose,
}


HINTS: tuple[Rule, ...] = (_relate_bitcast, _relate_shape_cast, _relate_slice)
"""Rules that say what is usual; every subgroup holds all of a vector that nothing else relates."""


def rule_of(op: Operation) -> Rule | None:
    """Return the rule of an op on whole vectors, or None for blocks and for broadcasts of scalars and rows."""
    rule = _RULES.get(op.name)
    related = op.operands[1:] if op.name == "vector.insert_strided_slice" else op.operands
    if rule is None or not all(has_map(v.type) for v in (*related, *op.results)):
        return None
    return rule
