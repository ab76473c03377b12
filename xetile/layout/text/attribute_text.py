"""Layouts from the text of layout attributes.

The table at the end lists the supported attributes of Triton, Intel's fork, XeGPU and XeTile;
others raise with their name.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.fitting import fit_to_shape
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import Dpas
from xetile.layout.intel.message_layouts import Subgroup2DBlock
from xetile.layout.intel.xegpu_layouts import XegpuLayout
from xetile.layout.nvidia.mma import NvidiaMma, NvidiaOperands
from xetile.layout.nvidia.shared_layouts import nvmma_shared_layout, swizzled_shared_layout
from xetile.layout.text.grammar import Attribute, Value, read_attribute
from xetile.layout.triton.encodings import Blocked, DotOperand, Encoding, Slice


class Linear(NamedTuple):
    """`#ttg.linear`: a layout by its bases."""

    bases: Mapping[str, Sequence[tuple[int, ...]]]

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return the layout, repeated in registers or cut for a tile of `shape` elements."""
        dims = [f"dim{d}" for d in range(len(shape))]
        own = {name: vectors for name, vectors in self.bases.items() if name != "block"}
        vectors = [vector for each in self.bases.values() for vector in each]
        if any(len(vector) != len(shape) for vector in vectors):
            raise LayoutError(
                f"the bases of a linear layout do not fit the shape {list(shape)}"
            )
        return fit_to_shape(
            LinearLayout.from_bases(own, dims), shape, self.bases.get("block", ())
        )


class WorkgroupMap(NamedTuple):
    """`#xetile.wg_map`: the assignment of units of a workgroup's tile to subgroups."""

    sg_layout: tuple[int, ...]
    sg_data: tuple[int, ...]

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return (register, warp) -> (dim0, dim1); registers count a unit, then the units."""
        return Distribution(shape, self.sg_data, self.sg_layout).to_linear_layout()


class Swizzle(NamedTuple):
    """`#xetile.swizzle`: the coordinates that each bit of an element's offset adds."""

    offset: Sequence[tuple[int, ...]]

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return offset -> (dim0, dim1, ...)."""
        if any(len(vector) != len(shape) for vector in self.offset):
            raise LayoutError(f"the vectors of a swizzle do not fit the shape {list(shape)}")
        extents = {f"dim{d}": extent for d, extent in enumerate(shape)}
        return LinearLayout.from_bases({"offset": self.offset}, extents)


class SwizzledShared(NamedTuple):
    """`#ttg.swizzled_shared`: rows whose vectors are permuted by the row's phase."""

    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    cga_layout: tuple[tuple[int, ...], ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return (offset, block) -> (dim0, dim1, ...) for a tile of `shape` elements."""
        return swizzled_shared_layout(shape, *self)


class NvmmaShared(NamedTuple):
    """`#ttg.nvmma_shared`: a tile in shared memory for Hopper's matrix instructions and TMA."""

    swizzle_bytes: int
    element_bits: int
    transposed: bool
    fp4_padded: bool = False
    cga_layout: tuple[tuple[int, ...], ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return (offset, block) -> (dim0, dim1, ...) for a tile of `shape` elements."""
        return nvmma_shared_layout(
            shape,
            self.swizzle_bytes,
            self.element_bits,
            transposed=self.transposed,
            fp4_padded=self.fp4_padded,
            cga_layout=self.cga_layout,
        )


def parse_layout(text: str) -> Encoding:
    """Parse the text of an attribute; pass the result a shape to get a LinearLayout.

    LayoutError: no attribute, a layout that is not supported, or a field missing or wrong.
    """
    return _encoding(read_attribute(text))


def layout_of(text: str, shape: Sequence[int]) -> LinearLayout:
    """Return the LinearLayout of a tile of `shape` elements for the attribute `text`; errors as above."""
    if not shape or any(extent < 1 or extent & (extent - 1) for extent in shape):
        raise LayoutError(f"shape {list(shape)} must hold powers of two")
    return parse_layout(text).to_linear_layout(shape)


class _Kind(NamedTuple):
    """The expected content of a field, in words, and its default; None if it is required."""

    expected: str
    default: object = None


_INTEGER = _Kind("an integer")
_BOOLEAN = _Kind("true or false")
_LIST = _Kind("a list of integers")
_LISTS = _Kind("a list of lists of integers", ())
_GIVEN_LISTS = _LISTS._replace(default=None)
_LAYOUT = _Kind("a layout attribute")
_FOR_THE_READER = _Kind("anything")


class _Reader(NamedTuple):
    """A function that takes an attribute's values, and the attribute's fields in the order of its parameters."""

    make: Callable[..., Encoding]
    fields: Mapping[str, _Kind]


def _encoding(attribute: Attribute) -> Encoding:
    name, left = attribute.name, dict(attribute.fields)
    reader = _READERS.get(name)
    if reader is None:
        raise LayoutError(
            f"layout #{name} is not supported; supported are "
            + ", ".join(f"#{name}" for name in _READERS)
        )
    if attribute.values:
        raise LayoutError(f"#{name}: expected fields as 'name = value'")
    values: list[object] = []
    for key, kind in reader.fields.items():
        if kind is _FOR_THE_READER:
            left.pop(key, None)
        elif key in left:
            values.append(_value(name, key, left.pop(key), kind))
        elif kind.default is not None:
            values.append(kind.default)
        else:
            raise LayoutError(f"#{name} lacks '{key}'")
    if left:
        raise LayoutError(f"#{name} has no field '{next(iter(left))}'")
    return reader.make(*values)


def _value(name: str, key: str, value: Value, kind: _Kind) -> object:
    match value:
        case bool():
            if kind.expected == _BOOLEAN.expected:
                return value
        case int():
            if kind.expected == _INTEGER.expected:
                return value
        case Attribute():
            if kind is _LAYOUT:
                return _encoding(value)
        case list():
            if kind.expected == _LISTS.expected:
                return tuple([_value(name, key, vector, _LIST) for vector in value])
            numbers = [v for v in value if isinstance(v, int) and not isinstance(v, bool)]
            if kind.expected == _LIST.expected and len(numbers) == len(value):
                return tuple(numbers)
        case _:
            pass
    raise LayoutError(f"#{name}: '{key}' must be {kind.expected}")


def _dot_operand(operand: int, parent: Encoding, width: int) -> DotOperand:
    if isinstance(parent, NvidiaMma):
        return DotOperand(operand, NvidiaOperands(parent, width), width)
    if not isinstance(parent, Blocked | Dpas):
        raise LayoutError(
            "#ttg.dot_op: 'parent' must be #ttg.blocked, #ttg.nvidia_mma or #ttig.dpas"
        )
    return DotOperand(operand, parent, width)


def _linear(*bases: Sequence[tuple[int, ...]]) -> Linear:
    return Linear(dict(zip(("register", "lane", "warp", "block"), bases, strict=True)))


def _optional(kind: _Kind, default: object) -> _Kind:
    return kind._replace(default=default)


_DPAS = _Reader(
    Dpas,
    {
        # The shapes of A, B and C are printed only for the reader.
        **dict.fromkeys("ABC", _FOR_THE_READER),
        "repeatCount": _INTEGER,
        "systolicDepth": _INTEGER,
        "executionSize": _INTEGER,
        "opsPerChan": _INTEGER,
        "threadsPerWarp": _INTEGER,
        "warpsPerCTA": _LIST,
        "repCluster": _LIST,
        "fp4KPack": _optional(_INTEGER, 1),
    },
)
_SUBGROUP_2D_BLOCK = {
    "CGALayout": _FOR_THE_READER,
    "warpsPerCTA": _LIST,
    "instrShape": _LIST,
    "numBlocks": _INTEGER,
    "order": _LIST,
    "kWidth": _optional(_INTEGER, 0),
    "threadsPerWarp": _optional(_INTEGER, 16),
    "isTransposed": _optional(_BOOLEAN, default=False),
}
_BLOCKED = {
    **dict.fromkeys(("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order"), _LIST),
    "CGALayout": _LISTS,
}
_NVIDIA_MMA = {
    "versionMajor": _INTEGER,
    "versionMinor": _INTEGER,
    "warpsPerCTA": _LIST,
    "instrShape": _LIST,
    "CGALayout": _LISTS,
}
_SWIZZLED = {
    **dict.fromkeys(("vec", "perPhase", "maxPhase"), _INTEGER),
    "order": _LIST,
    "CGALayout": _LISTS,
}
_NVMMA = {
    "rank": _FOR_THE_READER,
    "swizzlingByteWidth": _INTEGER,
    "elementBitWidth": _INTEGER,
    "transposed": _BOOLEAN,
    "fp4Padded": _optional(_BOOLEAN, default=False),
    "CGALayout": _LISTS,
}
_XEGPU = ("lane_layout", "lane_data", "sg_layout", "sg_data", "inst_data", "order")
_DOT = {"opIdx": _INTEGER, "parent": _LAYOUT, "kWidth": _optional(_INTEGER, 0)}

_READERS = {
    "ttg.blocked": _Reader(Blocked, _BLOCKED),
    "ttg.slice": _Reader(Slice, {"dim": _INTEGER, "parent": _LAYOUT}),
    "ttg.dot_op": _Reader(_dot_operand, _DOT),
    "ttg.linear": _Reader(
        _linear, dict.fromkeys(("register", "lane", "warp", "block"), _LISTS)
    ),
    "ttg.nvidia_mma": _Reader(NvidiaMma, _NVIDIA_MMA),
    "ttg.swizzled_shared": _Reader(SwizzledShared, _SWIZZLED),
    "ttg.nvmma_shared": _Reader(NvmmaShared, _NVMMA),
    "ttig.dpas": _DPAS,
    "triton_intel_gpu.dpas": _DPAS,
    "ttig.subgroup_2d_block": _Reader(Subgroup2DBlock, _SUBGROUP_2D_BLOCK),
    "xegpu.layout": _Reader(XegpuLayout, dict.fromkeys(_XEGPU, _optional(_LIST, ()))),
    "xetile.swizzle": _Reader(Swizzle, {"offset": _GIVEN_LISTS}),
    "xetile.wg_map": _Reader(WorkgroupMap, {"sg_layout": _LIST, "sg_data": _LIST}),
}
