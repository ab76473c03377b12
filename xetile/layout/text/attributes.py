"""From the text of a layout attribute to the layout that it spells.

Read are `#ttg.blocked`, `#ttg.slice`, `#ttg.dot_op`, `#ttg.linear`, `#ttg.swizzled_shared`,
`#ttg.nvmma_shared`, `#ttig.dpas` (also spelled `#triton_intel_gpu.dpas`), `#ttig.subgroup_2d_block`,
`#xegpu.layout` and `#xetile.wg_map`. Other layouts are refused by name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from xetile.layout.algebra.distribution import Distribution
from xetile.layout.algebra.fitting import fit_to_shape
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas import Dpas
from xetile.layout.intel.messages import Subgroup2DBlock
from xetile.layout.intel.xegpu import XegpuLayout
from xetile.layout.nvidia.shared import nvmma_shared_layout, swizzled_shared_layout
from xetile.layout.text.grammar import Attribute, Value, read_attribute
from xetile.layout.triton.encodings import Blocked, DotOperand, Encoding, Slice


class Linear(NamedTuple):
    """`#ttg.linear`: a layout by its bases."""

    bases: Mapping[str, Sequence[tuple[int, ...]]]

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout, repeated in registers or cut for a tile of `shape` elements."""
        dims = [f"dim{d}" for d in range(len(shape))]
        own = {name: vectors for name, vectors in self.bases.items() if name != "block"}
        vectors = [vector for each in self.bases.values() for vector in each]
        if any(len(vector) != len(shape) for vector in vectors):
            raise LayoutError(f"the bases of a linear layout do not fit the shape {list(shape)}")
        return fit_to_shape(LinearLayout.from_bases(own, dims), shape, self.bases.get("block", ()))


class WorkgroupMap(NamedTuple):
    """`#xetile.wg_map`: which subgroup holds which unit of a workgroup's tile."""

    sg_layout: tuple[int, ...]
    sg_data: tuple[int, ...]

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """(register, warp) -> (dim0, dim1); registers are row-major over a unit, then over the units."""
        return Distribution(shape, self.sg_data, self.sg_layout).to_linear_layout()


class SwizzledShared(NamedTuple):
    """`#ttg.swizzled_shared`: rows in shared memory whose vectors are exchanged by the row's phase."""

    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    cga_layout: tuple[tuple[int, ...], ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """(offset, block) -> (dim0, dim1, ...) for a tile of `shape` elements."""
        return swizzled_shared_layout(shape, *self)


class NvmmaShared(NamedTuple):
    """`#ttg.nvmma_shared`: a tile in shared memory as Hopper's matrix instructions and TMA want it."""

    swizzle_bytes: int
    element_bits: int
    transposed: bool
    fp4_padded: bool = False
    cga_layout: tuple[tuple[int, ...], ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """(offset, block) -> (dim0, dim1, ...) for a tile of `shape` elements."""
        return nvmma_shared_layout(
            shape,
            self.swizzle_bytes,
            self.element_bits,
            transposed=self.transposed,
            fp4_padded=self.fp4_padded,
            cga_layout=self.cga_layout,
        )


def parse_layout(text: str) -> Encoding:
    """The layout that an attribute's text spells; give it a shape to get a LinearLayout.

    Raises:
        LayoutError: the text is no attribute, its layout is not supported, or a field is missing or wrong.
    """
    return _encoding(read_attribute(text))


def layout_of(text: str, shape: Sequence[int]) -> LinearLayout:
    """The LinearLayout of a tile of `shape` elements laid out by the attribute `text`; errors as above."""
    if not shape or any(extent < 1 or extent & (extent - 1) for extent in shape):
        raise LayoutError(f"shape {list(shape)} must hold powers of two")
    return parse_layout(text).to_linear_layout(shape)


def _encoding(attribute: Attribute) -> Encoding:
    reader = _READERS.get(attribute.name)
    if reader is None:
        raise LayoutError(
            f"layout #{attribute.name} is not supported; supported are "
            + ", ".join(f"#{name}" for name in _READERS)
        )
    fields = _Fields(attribute)
    encoding = reader(fields)
    fields.finish()
    return encoding


class _Fields:
    """The fields of one attribute, each taken once and with its kind."""

    def __init__(self, attribute: Attribute) -> None:
        self.name = attribute.name
        self.left = dict(attribute.fields)
        if attribute.values:
            raise LayoutError(f"#{self.name}: expected fields as 'name = value'")

    def integer(self, key: str, default: int | None = None) -> int:
        value = self._take(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(key, "an integer")
        return value

    def boolean(self, key: str, *, default: bool | None = None) -> bool:
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def integers(self, key: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        if default is not None and key not in self.left:
            return default
        return self._integers(key, self._take(key, None))

    def vectors(self, key: str) -> tuple[tuple[int, ...], ...]:
        value = self.left.pop(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list of lists of integers")
        return tuple(self._integers(key, vector) for vector in value)

    def attribute(self, key: str) -> Attribute:
        value = self._take(key, None)
        if not isinstance(value, Attribute):
            raise self._wrong(key, "a layout attribute")
        return value

    def ignore(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.left.pop(key, None)

    def finish(self) -> None:
        if self.left:
            raise LayoutError(f"#{self.name} has no field '{next(iter(self.left))}'")

    def _take(self, key: str, default: "Value | None") -> Value:
        value = self.left.pop(key, default)
        if value is None:
            raise LayoutError(f"#{self.name} lacks '{key}'")
        return value

    def _integers(self, key: str, value: Value) -> tuple[int, ...]:
        if not isinstance(value, list):
            raise self._wrong(key, "a list of integers")
        numbers = [v for v in value if isinstance(v, int) and not isinstance(v, bool)]
        if len(numbers) != len(value):
            raise self._wrong(key, "a list of integers")
        return tuple(numbers)

    def _wrong(self, key: str, expected: str) -> LayoutError:
        return LayoutError(f"#{self.name}: '{key}' must be {expected}")


def _blocked(fields: _Fields) -> Blocked:
    return Blocked(
        fields.integers("sizePerThread"),
        fields.integers("threadsPerWarp"),
        fields.integers("warpsPerCTA"),
        fields.integers("order"),
        fields.vectors("CGALayout"),
    )


def _slice(fields: _Fields) -> Slice:
    return Slice(fields.integer("dim"), _encoding(fields.attribute("parent")))


def _dot_operand(fields: _Fields) -> DotOperand:
    operand, parent = fields.integer("opIdx"), _encoding(fields.attribute("parent"))
    width = fields.integer("kWidth", 0)
    fields.finish()
    if not isinstance(parent, Blocked | Dpas):
        raise LayoutError("#ttg.dot_op: 'parent' must be #ttg.blocked or #ttig.dpas")
    return DotOperand(operand, parent, width)


def _dpas(fields: _Fields) -> Dpas:
    # The shapes of A, B and C are printed for the reader only.
    fields.ignore("ABC")
    return Dpas(
        fields.integer("repeatCount"),
        fields.integer("systolicDepth"),
        fields.integer("executionSize"),
        fields.integer("opsPerChan"),
        fields.integer("threadsPerWarp"),
        fields.integers("warpsPerCTA"),
        fields.integers("repCluster"),
        fields.integer("fp4KPack", 1),
    )


def _subgroup_2d_block(fields: _Fields) -> Subgroup2DBlock:
    fields.ignore(["CGALayout"])
    return Subgroup2DBlock(
        fields.integers("warpsPerCTA"),
        fields.integers("instrShape"),
        fields.integer("numBlocks"),
        fields.integers("order"),
        fields.integer("kWidth", 0),
        fields.integer("threadsPerWarp", 16),
    )


def _linear(fields: _Fields) -> Linear:
    return Linear({name: fields.vectors(name) for name in ("register", "lane", "warp", "block")})


def _swizzled_shared(fields: _Fields) -> SwizzledShared:
    return SwizzledShared(
        fields.integer("vec"),
        fields.integer("perPhase"),
        fields.integer("maxPhase"),
        fields.integers("order"),
        fields.vectors("CGALayout"),
    )


def _nvmma_shared(fields: _Fields) -> NvmmaShared:
    fields.ignore(["rank"])
    return NvmmaShared(
        fields.integer("swizzlingByteWidth"),
        fields.integer("elementBitWidth"),
        fields.boolean("transposed"),
        fields.boolean("fp4Padded", default=False),
        fields.vectors("CGALayout"),
    )


def _xegpu_layout(fields: _Fields) -> XegpuLayout:
    none: tuple[int, ...] = ()
    return XegpuLayout(
        lane_layout=fields.integers("lane_layout", none),
        lane_data=fields.integers("lane_data", none),
        sg_layout=fields.integers("sg_layout", none),
        sg_data=fields.integers("sg_data", none),
        inst_data=fields.integers("inst_data", none),
        order=fields.integers("order", none),
    )


def _workgroup_map(fields: _Fields) -> WorkgroupMap:
    return WorkgroupMap(fields.integers("sg_layout"), fields.integers("sg_data"))


_READERS: dict[str, Callable[[_Fields], Encoding]] = {
    "ttg.blocked": _blocked,
    "ttg.slice": _slice,
    "ttg.dot_op": _dot_operand,
    "ttg.linear": _linear,
    "ttg.swizzled_shared": _swizzled_shared,
    "ttg.nvmma_shared": _nvmma_shared,
    "ttig.dpas": _dpas,
    "triton_intel_gpu.dpas": _dpas,
    "ttig.subgroup_2d_block": _subgroup_2d_block,
    "xegpu.layout": _xegpu_layout,
    "xetile.wg_map": _workgroup_map,
}
