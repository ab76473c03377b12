"""Words for values and conversions in messages on maps: those of the IR, or those of kernels written in Python."""

from xdsl.ir import Operation, SSAValue

from xetile.dialects.xetile import TileType
from xetile.errors import position


def name_of(value: SSAValue) -> str:
    """Return the value's name, or its type."""
    if value.name_hint is not None:
        return f"%{value.name_hint}"
    if _in_python(value):
        return f"a tile of {str(value.type).partition('<')[2].partition(',')[0].rstrip('>')}"
    kind = "tile" if isinstance(value.type, TileType) else "value"
    return f"a {kind} of type {value.type}"


def a_conversion(at: Operation) -> str:
    """Return the operation that converts a value to another map."""
    return "a `.map(sg_layout, sg_data)`" if _in_python(at) else "a tile_conv_layout"


def _in_python(at: Operation | SSAValue) -> bool:
    place = position(at)
    return place is not None and place.filename.data.endswith(".py")
