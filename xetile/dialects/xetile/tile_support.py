"""Shared code of the ops' constructors and verifiers: hints, paddings, values of tiles, maps."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    VectorType,
    f32,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.cache_hints import HINTS, CacheHint
from xetile.dialects.xetile.shared_formats import (
    NOT_READ,
    PROPERTIES,
    Format,
    foreign_property,
    unknown_name,
    unread,
)
from xetile.dialects.xetile.tile_type import FLOAT_TYPES, TileType, verify_distribution
from xetile.dialects.xetile.xetile_attributes import CacheHintAttr, WorkgroupMapAttr

Hint = CacheHintAttr | CacheHint | None
Padding = Attribute | float | None


def vector_of(value: SSAValue) -> VectorType[Attribute]:
    """The type of a value that the op's constraints make a vector."""
    return cast("VectorType[Attribute]", value.type)


def tile_of(value: SSAValue) -> TileType:
    """The type of a value that the op's constraints make a tile."""
    return cast(TileType, value.type)


def in_words(shape: Sequence[int]) -> str:
    """`64x32`."""
    return "x".join(map(str, shape))


def hint_properties(hints: Sequence[Hint]) -> dict[str, Attribute | None]:
    """The properties for the hints of the cache levels 1, 2, 3."""
    attributes = [CacheHintAttr(h) if isinstance(h, CacheHint) else h for h in hints]
    return dict(zip(HINTS, attributes, strict=False))


def padding_attribute(padding: Padding, element_type: Attribute) -> Attribute | None:
    """The attribute of a padding that may be a Python number."""
    if padding is None or isinstance(padding, Attribute):
        return padding
    if isinstance(element_type, FLOAT_TYPES):
        exact = cast("AnyFloat", f64 if str(element_type) == "f64" else f32)
        return FloatAttr(float(padding), exact)
    if isinstance(element_type, IntegerType):
        return IntegerAttr(int(padding), cast("IntegerType", element_type))
    return IntegerAttr(int(padding), i64)


def as_element(padding: Attribute, element_type: Attribute) -> Attribute:
    """The padding as an attribute of the element's kind: an integer that pads floats is a float."""
    if not isinstance(element_type, FLOAT_TYPES) or not isinstance(padding, IntegerAttr):
        return padding
    number = cast("IntegerAttr", padding)
    return number if number.type == i1 else FloatAttr(float(number.value.data), f64)


def verify_dictionary(op: IRDLOperation, format: Format) -> None:
    """Refuse discardable attributes that are properties of relatives, spellings of the custom form, or unknown."""
    for name in op.attributes:
        if name in NOT_READ:
            raise VerifyException(NOT_READ[name])
        if name in PROPERTIES:
            raise VerifyException(foreign_property(name, format))
        if name in ("wg_map", "map") and format.result_map is not None:
            raise VerifyException(f"'{name}' is called '{format.result_map}' on {format.name}")
        if unread(name, format):
            others = op.get_irdl_definition().properties
            raise VerifyException(unknown_name(name, format, *others))


def verify_padding(padding: Attribute | None, element_type: Attribute) -> None:
    """Refuse a padding that is no value of the element type."""
    if padding is None:
        return
    if isinstance(element_type, FLOAT_TYPES):
        if not isinstance(padding, FloatAttr):
            raise VerifyException(
                f"'padding' is {padding}, elements of {element_type} need a float such as 1.0 : f32"
            )
        return
    if not isinstance(padding, IntegerAttr):
        raise VerifyException(
            f"'padding' is {padding}, elements of {element_type} need an integer such as 1 : i32"
        )
    if not isinstance(element_type, IntegerType):
        return
    integer = cast("IntegerType", element_type)
    value = _padding_value(cast("IntegerAttr", padding), integer)
    least, end = integer.value_range()
    if not least <= value < end:
        raise VerifyException(
            f"'padding' is {padding}, elements of {element_type} go from {least} to {end - 1}"
        )


def _padding_value(padding: IntegerAttr, element_type: IntegerType) -> int:
    """The number that is meant: xDSL keeps 255 : i8 as -1, which for ui8 elements is 255."""
    value = padding.value.data
    if isinstance(padding.type, IndexType) or value >= 0:
        return value
    own = padding.type
    signless = own.signedness.data is Signedness.SIGNLESS
    unsigned = element_type.signedness.data is Signedness.UNSIGNED
    return value + (1 << own.bitwidth) if signless and unsigned else value


def verify_value(name: str, value: SSAValue, tile: TileType) -> None:
    """Refuse a vector that is not what the tile holds."""
    if value.type == tile.vector_type:
        return
    note = ", because inner_blocks make it 4D" if tile.inner_blocks is not None else ""
    raise VerifyException(f"'{name}' is {value.type}, {tile} needs {tile.vector_type}{note}")


def verify_form(name: str, tile: TileType, *, scattered: bool, other: str) -> None:
    """Refuse a tile of the other kind, with the op that takes it."""
    if tile.scattered != scattered:
        kind = "a scattered" if tile.scattered else "no scattered"
        raise VerifyException(f"'{name}' is {tile}, {kind} tile; {other} takes it")


def verify_one_writer(tile: TileType) -> None:
    """Refuse a map by which several subgroups hold a unit that one updates, and of which all need the old elements."""
    wg_map = tile.wg_map
    if wg_map is None or not wg_map.distribution(tile.shape).is_shared:
        return
    pairs = zip(tile.shape, wg_map.sg_data, wg_map.sg_layout, strict=True)
    dimension, (units, subgroups) = next(
        (d, (extent // unit, count))
        for d, (extent, unit, count) in enumerate(pairs)
        if extent // unit < count
    )
    plural = "" if units == 1 else "s"
    raise VerifyException(
        f"'wg_map' {wg_map.body} makes several subgroups need the old elements of one unit of "
        f"{in_words(tile.shape)}, which one updates: "
        f"dimension {dimension} has {units} unit{plural} for {subgroups} subgroups; "
        "use at least as many units as subgroups"
    )


def verify_tile_map(op: IRDLOperation, tile: TileType) -> None:
    """Refuse a discardable map that contradicts the tile's."""
    wg_map = op.attributes.get("wg_map")
    if isinstance(wg_map, WorkgroupMapAttr) and wg_map != tile.wg_map:
        own = "none" if tile.wg_map is None else tile.wg_map.body
        raise VerifyException(f"'wg_map' is {wg_map.body}, the tile's is {own}")


def verify_map(op: IRDLOperation, name: str, value: SSAValue) -> None:
    """Refuse a map that does not deal out the value's shape evenly, or that is given for blocks."""
    wg_map = op.properties.get(name)
    if not isinstance(wg_map, WorkgroupMapAttr):
        return
    shape = vector_of(value).get_shape()
    if len(shape) != 2:
        raise VerifyException(
            f"'{name}' is given for {value.type}; a map distributes the 2D vectors of a workgroup"
        )
    verify_distribution(name, wg_map, shape)


def map_of(op: Operation, name: str) -> WorkgroupMapAttr | None:
    """The map that the property `name` holds."""
    wg_map = op.properties.get(name)
    return wg_map if isinstance(wg_map, WorkgroupMapAttr) else None


def verify_rank(source: SSAValue, result: SSAValue) -> int:
    """The rank of source and result: 2 for whole vectors, 4 for blocked ones, with one element type."""
    rank = vector_of(source).get_num_dims()
    if rank not in (2, 4) or vector_of(result).get_num_dims() != rank:
        raise VerifyException(
            f"'source' is {source.type}, 'result' {result.type}; expected both of rank 2 or both of rank 4"
        )
    if vector_of(source).element_type != vector_of(result).element_type:
        raise VerifyException(
            f"'source' is {source.type}, 'result' {result.type}; expected one element type"
        )
    return rank


def verify_reduced(
    name: str,
    dims: Sequence[int],
    rank: int,
    *,
    whole: tuple[str, SSAValue],
    reduced: tuple[str, SSAValue],
) -> None:
    """Refuse shapes that do not differ in the named dimensions only, which one of them has as 1.

    `whole` and `reduced` are the operand or result of a reduction or broadcast, with its
    name.
    """
    axes = ((0,), (1,)) if rank == 2 else ((0, 2), (1, 3))
    legal = [[], *(list(axis) for axis in axes), list(range(rank))]
    if list(dims) not in legal:
        raise VerifyException(f"'{name}' is {list(dims)}, expected one of {str(legal)[1:-1]}")
    large, small = vector_of(whole[1]).get_shape(), vector_of(reduced[1]).get_shape()
    for dimension, (extent, left) in enumerate(zip(large, small, strict=True)):
        if dimension in dims and left != 1:
            raise VerifyException(
                f"'{reduced[0]}' is {in_words(small)}, expected 1 in dimension {dimension} of {name}"
            )
        if dimension not in dims and left != extent:
            raise VerifyException(
                f"'{whole[0]}' is {in_words(large)}, '{reduced[0]}' {in_words(small)}; "
                f"expected them equal in dimension {dimension}"
            )
