"""Types of the language: elements, scalars, arrays; which type two operands meet in.

Before and after, as one writes them: `xt.f16[4096, 4096]` is a row-major matrix, `xt.f16["M", "K"]` one whose extents
are known when it is called, `xt.f32` a scalar.
"""

from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from xetile.errors import XetileError

if TYPE_CHECKING:
    from xdsl.ir import Attribute


Kind = Literal["float", "integer", "boolean", "index"]

Extent = int | str
"""An extent in elements: a number, or the name of one that is known when the kernel is called."""


@dataclass(frozen=True)
class ElementType:
    """The type of one element, called as MLIR and the dialect page call it; `bits` are those of its value."""

    name: str
    kind: Kind
    bits: int

    def __getitem__(self, extents: "Extent | tuple[Extent, ...]") -> "ArrayType":
        """An array of such elements, row-major."""
        return ArrayType(self, extents if isinstance(extents, tuple) else (extents,))

    def __repr__(self) -> str:
        return f"xt.{self.name}"

    def __str__(self) -> str:
        return self.name

    @property
    def attribute(self) -> "Attribute":
        """The type in IR."""
        return _attribute(self)


@dataclass(frozen=True)
class ArrayType:
    """An array of one or more dimensions in global memory, row-major or, its last two dimensions, column-major."""

    element: ElementType
    extents: tuple[Extent, ...]
    _: KW_ONLY
    column_major: bool = False

    def __post_init__(self) -> None:
        for extent in self.extents:
            if isinstance(extent, str) and extent.isidentifier():
                continue
            if isinstance(extent, int) and not isinstance(extent, bool) and extent > 0:
                continue
            raise XetileError(
                f"extent {extent!r} of an array of {self.element}; an extent is a number of "
                "elements that is at least 1, or the name of one, such as 'M'"
            )

    @property
    def T(self) -> "ArrayType":
        """The type of the transposed array: the last two dimensions change places, memory stays."""
        *batch, rows, columns = self.extents
        extents = (*batch, columns, rows)
        return ArrayType(self.element, extents, column_major=not self.column_major)

    def __repr__(self) -> str:
        if self.column_major:
            return f"{self.T!r}.T"
        return f"{self.element!r}[{', '.join(map(repr, self.extents))}]"

    def __str__(self) -> str:
        order = " column-major" * self.column_major
        return "x".join([*map(str, self.extents), self.element.name]) + order


f16 = ElementType("f16", "float", 16)
bf16 = ElementType("bf16", "float", 16)
tf32 = ElementType("tf32", "float", 19)
f32 = ElementType("f32", "float", 32)
f64 = ElementType("f64", "float", 64)
f8E4M3FN = ElementType("f8E4M3FN", "float", 8)
f8E5M2 = ElementType("f8E5M2", "float", 8)
i1 = ElementType("i1", "boolean", 1)
i4 = ElementType("i4", "integer", 4)
i8 = ElementType("i8", "integer", 8)
i16 = ElementType("i16", "integer", 16)
i32 = ElementType("i32", "integer", 32)
i64 = ElementType("i64", "integer", 64)
ui4 = ElementType("ui4", "integer", 4)
ui8 = ElementType("ui8", "integer", 8)
index = ElementType("index", "index", 64)

ELEMENTS = (
    f16,
    bf16,
    tf32,
    f32,
    f64,
    f8E4M3FN,
    f8E5M2,
    i1,
    i4,
    i8,
    i16,
    i32,
    i64,
    ui4,
    ui8,
    index,
)
"""All element types."""


def accumulator(operand: ElementType) -> ElementType:
    """The type in which products of such operands are summed."""
    if operand.kind == "integer":
        return i32
    return f64 if operand == f64 else f32


@cache
def _attribute(element: ElementType) -> "Attribute":
    from xdsl.dialects import builtin
    from xdsl.dialects.builtin import IndexType, IntegerType, Signedness

    if element.kind == "index":
        return IndexType()
    if element.kind in ("integer", "boolean"):
        signs = Signedness.UNSIGNED if element.name.startswith("u") else Signedness.SIGNLESS
        return IntegerType(element.bits, signs)
    found: Attribute = getattr(builtin, element.name)
    return found
