"""Masks as bounds: the number of true elements along each dimension, and the matrix that ends there."""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from xdsl.dialects.arith import AddiOp, ConstantOp, MinSIOp, MuliOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.linear import Linear, least, linear
from xetile.analysis.maps.map_words import name_of
from xetile.dialects.index_lists import Mixed
from xetile.dialects.known_integers import folded_integer, known_integer
from xetile.dialects.upstream.arith.arith_support import constant_value
from xetile.dialects.upstream.memref import DimOp, SubviewOp
from xetile.dialects.upstream.memref.memref_layout import ranked
from xetile.dialects.upstream.memref.views import subview_type
from xetile.dialects.upstream.vector import ConstantMaskOp, CreateMaskOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.errors import fail
from xetile.passes.tiles.convert_vector_to_xetile.making import Making


class Access(NamedTuple):
    """A part of a memref by dimension: beginning, extent, True if all of it is inside, and the bound of a mask.

    If `in_bounds` is True, the elements for which the mask is true are inside. A bound is None if there is no mask.
    `along` maps each dimension to that of the memref that the op names, of which `memref` may be a view.
    """

    memref: SSAValue
    starts: Sequence[Mixed]
    extents: Sequence[int]
    in_bounds: Sequence[bool]
    bounds: Sequence[Mixed | None]
    along: Sequence[int]


def known(value: Mixed) -> Mixed:
    """Return the number that an index equals, or the index itself if that is not known."""
    found = value if isinstance(value, int) else folded_integer(value)
    return value if found is None else found


def mask_bounds(op: Operation, mask: SSAValue) -> list[Mixed]:
    """Return how many elements along each dimension of a mask are true, from the first one on.

    Errors: XetileError at the op for other masks.
    """
    maker = mask.owner
    match maker:
        case CreateMaskOp():
            return [known(bound) for bound in maker.mask_dim_sizes]
        case ConstantMaskOp():
            return list(maker.mask_dim_sizes.get_values())
        case _:
            found = constant_value(mask)
            if isinstance(found, DenseIntOrFPElementsAttr) and all(found.get_values()):
                return list(vector_type(mask).get_shape())
    made = f"is made by '{maker.name}'" if isinstance(maker, Operation) else "is given"
    fail(
        op,
        f"the mask {name_of(mask)} of '{op.name}' {made}; a tile has bounds, as vector.create_mask and "
        "vector.constant_mask say them; vector.maskedload, maskedstore, gather and scatter access any elements",
    )


def is_whole(bound: Mixed | None, extent: int) -> bool:
    """Return True if a bound leaves out none of `extent` elements."""
    return bound is None or not _limits(bound, extent)


def same_bound(one: Mixed, other: Mixed, extent: int) -> bool:
    """Return True if two bounds leave out the same of `extent` elements."""
    left, right = _limits(one, extent), _limits(other, extent)
    return all(x in right for x in left) and all(x in left for x in right)


def _limits(bound: Mixed, extent: int) -> list[Linear]:
    """Return the terms whose minimum a bound is, without numbers that leave nothing out."""
    return [one for one in least(bound) if one.number is None or one.number < extent]


def ends(start: Mixed, bound: Mixed, extent: int) -> list[Linear]:
    """Return the terms whose minimum is the place where a mask ends; an empty list if the mask leaves nothing out."""
    return [one + linear(start) for one in _limits(bound, extent)]


def is_at_most(end: Linear, size: Mixed) -> bool:
    """Return True if an index is provably at most an extent."""
    if isinstance(size, int) and end.number is not None:
        return end.number <= size
    return end == linear(size)


def _is_extent(end: Linear, memref: SSAValue, dimension: int) -> bool:
    static = ranked(memref.type).get_shape()[dimension]
    if static != DYNAMIC_INDEX:
        return end.number == static
    op = None if end.value is None else end.value.owner
    return (
        isinstance(op, DimOp) and op.source == memref and known_integer(op.index) == dimension
    )


def bounded(making: Making, access: Access) -> Access:
    """Return the access without bounds: elements that they leave out lie outside the memref, or a part of it.

    Errors: XetileError at the op for bounds that may leave out a dimension of one element.
    """
    rank = len(access.extents)
    inside = list(access.in_bounds)
    cuts: list[Mixed | None] = [None] * rank
    for d, bound in enumerate(access.bounds):
        extent = access.extents[d]
        if bound is None or is_whole(bound, extent):
            continue
        if d < rank - 2:
            fail(
                making.op,
                f"dimension {d} of {access.memref.type} has a bound that may mask its one element off",
            )
        found = ends(access.starts[d], bound, extent)
        rest = [end for end in found if not _is_extent(end, access.memref, d)]
        promised, inside[d] = inside[d], False
        if rest:
            # If `in_bounds` promises it, they are inside the memref; otherwise its own extent applies too.
            wanted = rest if promised and len(rest) == len(found) else [*rest, None]
            cuts[d] = _least(making, access.memref, d, wanted)
    is_cut = any(cut is not None for cut in cuts)
    memref = _cut(making, access.memref, cuts) if is_cut else access.memref
    return access._replace(memref=memref, in_bounds=inside, bounds=[None] * rank)


def _least(
    making: Making, memref: SSAValue, dimension: int, wanted: Sequence[Linear | None]
) -> Mixed:
    """Return the smallest of some indices; None is the extent of the memref."""
    found = [
        extent_of(making, memref, dimension) if one is None else _mixed(making, one)
        for one in wanted
    ]
    numbers = [one for one in found if isinstance(one, int)]
    values = [one for one in found if not isinstance(one, int)]
    if not values:
        return min(numbers)
    if numbers:
        values.append(value_of(making, min(numbers)))
    return reduce(lambda one, other: making.add(MinSIOp(one, other)), values)


def _mixed(making: Making, index: Linear) -> Mixed:
    if index.number is not None:
        return index.number
    if index.value is not None:
        return index.value
    total: Mixed = index.constant
    for value, count in index.terms.items():
        term = value
        if count != 1:
            term = making.add(MuliOp(value, value_of(making, count)))
        total = term if total == 0 else making.add(AddiOp(value_of(making, total), term))
    return total


def extent_of(making: Making, memref: SSAValue, dimension: int) -> Mixed:
    """Return the extent of a memref along a dimension."""
    static = ranked(memref.type).get_shape()[dimension]
    if static != DYNAMIC_INDEX:
        return static
    return making.add(DimOp(memref, value_of(making, dimension)))


def value_of(making: Making, number: Mixed) -> SSAValue:
    """Return a number or an index as a value."""
    if not isinstance(number, int):
        return number
    return making.add(ConstantOp(IntegerAttr(number, IndexType())))


def _cut(making: Making, memref: SSAValue, cuts: Sequence[Mixed | None]) -> SSAValue:
    """Return the part of a memref with the same beginning that ends at the given bounds."""
    type: MemRefType[Attribute] = ranked(memref.type)
    rank = len(cuts)
    sizes = [
        extent_of(making, memref, d) if cut is None else cut for d, cut in enumerate(cuts)
    ]
    static = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    part = subview_type(type, ([0] * rank, static, [1] * rank))
    if part is None:
        fail(making.op, f"{type} is masked, and its layout is not strided")
    return making.add(SubviewOp.get(memref, [0] * rank, sizes, [1] * rank, part))
