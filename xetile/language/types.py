"""Types of the language: elements, scalars, arrays, and the common type of two operands.

Examples: `xt.f16[4096, 4096]` is a row-major matrix, `xt.f16["M", "K"]` one whose extents are known at the call,
`xt.f32` a scalar.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from math import lcm
from numbers import Integral
from typing import TYPE_CHECKING, Literal, cast

from xetile.errors import XetileError

if TYPE_CHECKING:
    from xdsl.ir import Attribute


Kind = Literal["float", "integer", "boolean", "index"]

Extent = int | str
"""An extent in elements: a number, or the name of one that is known when the kernel is called."""


@dataclass(frozen=True, eq=False)
class ElementType:
    """The type of one element, with the name that MLIR and the dialect page use; `bits` are those of its value.

    `digits` are the binary digits of a float's significand, or of the largest value of an integer type.
    """

    name: str
    kind: Kind
    bits: int
    digits: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ElementType) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def unsigned(self) -> bool:
        """True if it is an unsigned integer."""
        return self.name.startswith("u")

    def __getitem__(self, extents: "Extent | tuple[Extent, ...]") -> "ArrayType":
        """Return the type of a row-major array of such elements."""
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
    """An array of one or more dimensions in global memory: row-major, or column-major in its last two dimensions."""

    element: ElementType
    extents: tuple[Extent, ...]
    _: KW_ONLY
    column_major: bool = False
    alignment: int = 1
    """The alignment of its address in bytes."""
    multiples: tuple[tuple[str, int], ...] = ()
    """Names of extents with the number of elements of which they are multiples."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "extents", tuple(map(_number, self.extents)))
        for extent in self.extents:
            if isinstance(extent, str) and extent.isidentifier():
                continue
            if _is_count(extent):
                continue
            raise XetileError(
                f"extent {extent!r} of an array of {self.element}; an extent is a number of "
                "elements that is at least 1, or the name of one, such as 'M'"
            )

    @property
    def T(self) -> "ArrayType":
        """The type of the transposed array: the last two dimensions are swapped, memory is unchanged."""
        *batch, rows, columns = self.extents
        extents = (*batch, columns, rows)
        return replace(self, extents=extents, column_major=not self.column_major)

    def aligned(self, base: int = 1, **multiples: int) -> "ArrayType":
        """Return the type with promises of the caller: the address is a multiple of `base` bytes, extents of numbers.

        `xt.f16["M", "K"].aligned(64, K=32)`: such promises make 2D access legal. Earlier ones still hold.
        Errors: XetileError for a number that is not positive, and for a name that no extent has.
        """
        for name, number in (("base", base), *multiples.items()):
            if not _is_count(number):
                raise XetileError(f"{name}={number!r}: expected a number that is at least 1")
            if name != "base" and name not in self.extents:
                raise XetileError(f"{self!r} has no extent '{name}'")
        known = dict(self.multiples)
        for name, number in multiples.items():
            known[name] = lcm(known.get(name, 1), number)
        alignment = lcm(self.alignment, base)
        return replace(self, alignment=alignment, multiples=tuple(sorted(known.items())))

    def __repr__(self) -> str:
        if self.column_major:
            return f"{self.T!r}.T"
        promises = [str(self.alignment)] if self.alignment > 1 else []
        promises += [f"{name}={number}" for name, number in self.multiples]
        aligned = f".aligned({', '.join(promises)})" if promises else ""
        return f"{self.element!r}[{', '.join(map(repr, self.extents))}]{aligned}"

    def __str__(self) -> str:
        order = " column-major" * self.column_major
        return "x".join([*map(str, self.extents), self.element.name]) + order


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _number(extent: object) -> Extent:
    """Return a Python int for a numpy one; anything else unchanged, for the diagnostic."""
    if isinstance(extent, Integral) and not isinstance(extent, int):
        return int(extent)
    return cast("Extent", extent)


f16 = ElementType("f16", "float", 16, 11)
bf16 = ElementType("bf16", "float", 16, 8)
tf32 = ElementType("tf32", "float", 19, 11)
f32 = ElementType("f32", "float", 32, 24)
f64 = ElementType("f64", "float", 64, 53)
f8E4M3FN = ElementType("f8E4M3FN", "float", 8, 4)
f8E5M2 = ElementType("f8E5M2", "float", 8, 3)
i1 = ElementType("i1", "boolean", 1, 1)
i4 = ElementType("i4", "integer", 4, 3)
i8 = ElementType("i8", "integer", 8, 7)
i16 = ElementType("i16", "integer", 16, 15)
i32 = ElementType("i32", "integer", 32, 31)
i64 = ElementType("i64", "integer", 64, 63)
ui4 = ElementType("ui4", "integer", 4, 4)
ui8 = ElementType("ui8", "integer", 8, 8)
index = ElementType("index", "index", 64, 63)

ELEMENTS = (
    *(f8E4M3FN, f8E5M2, bf16, f16, tf32, f32, f64),
    *(i1, ui4, i4, ui8, i8, i16, i32, i64, index),
)
"""All element types; narrower floats and narrower integers come first."""

_FLOATS_HOLD: Mapping[str, frozenset[str]] = {
    "f16": frozenset({"f8E4M3FN", "f8E5M2"}),
    "bf16": frozenset({"f8E4M3FN", "f8E5M2"}),
    "tf32": frozenset({"f8E4M3FN", "f8E5M2", "f16", "bf16"}),
    "f32": frozenset({"f8E4M3FN", "f8E5M2", "f16", "bf16", "tf32"}),
    "f64": frozenset({"f8E4M3FN", "f8E5M2", "f16", "bf16", "tf32", "f32"}),
}
"""Floats by name, with the floats whose values they all represent: significand, exponents, subnormal numbers."""


def holds(wide: ElementType, narrow: ElementType) -> bool:
    """Return True if `wide` represents every value of `narrow`. Truth values are not numbers."""
    if wide == narrow:
        return True
    if "boolean" in (wide.kind, narrow.kind):
        return False
    if narrow.kind == "float":
        return narrow.name in _FLOATS_HOLD.get(wide.name, ())
    if wide.kind == "float":
        return narrow.digits <= wide.digits
    if wide.unsigned and not narrow.unsigned:
        return False
    return narrow.digits <= wide.digits and wide.kind in (narrow.kind, "index")


@cache
def promote(left: ElementType, right: ElementType) -> ElementType | None:
    """Return the common type of two operands: the one of the two that represents every value of the other.

    Return None if neither does; then one operand must be converted with `x.to(type)`.
    """
    if holds(left, right):
        return left
    return right if holds(right, left) else None


_PRODUCTS: tuple[tuple[frozenset[str], tuple[ElementType, ...]], ...] = (
    (frozenset({"f16"}), (f32, f16)),
    (frozenset({"bf16"}), (f32, bf16)),
    (frozenset({"tf32"}), (f32,)),
    (frozenset({"f8E4M3FN", "f8E5M2"}), (f32, bf16)),
    (frozenset({"f32"}), (f32,)),
    (frozenset({"f64"}), (f64,)),
    (frozenset({"i8", "si8", "ui8"}), (i32,)),
    (frozenset({"i4", "ui4"}), (i32,)),
)
"""Types of operands that can be multiplied, and the accumulators that they allow, as for tile_mma."""


@cache
def accumulators(a: ElementType, b: ElementType) -> tuple[ElementType, ...]:
    """Return the types in which such products are summed, that of `a @ b` first; empty if they cannot be multiplied."""
    for operands, totals in _PRODUCTS:
        if a.name in operands and b.name in operands:
            return totals
    return ()


@cache
def _attribute(element: ElementType) -> "Attribute":
    from xdsl.dialects import builtin
    from xdsl.dialects.builtin import IndexType, IntegerType, Signedness

    if element.kind == "index":
        return IndexType()
    if element.kind in ("integer", "boolean"):
        signs = {"u": Signedness.UNSIGNED, "s": Signedness.SIGNED}
        return IntegerType(element.bits, signs.get(element.name[0], Signedness.SIGNLESS))
    found: Attribute = getattr(builtin, element.name)
    return found
