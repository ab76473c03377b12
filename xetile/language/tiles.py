"""Tiles: matrices of elements that the subgroups of a workgroup hold together.

A product is made late: `acc + a @ b` is one tile_mma with an accumulator, `a @ b` alone one without, which stands
where the product was written. What counts is the expression, so that a kernel has the same ops however it is executed:
a product that has a name before it is added is one of its own.

Reductions of tiles: along one axis, which stays with an extent of 1.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypeAlias

from xdsl.ir import Attribute, SSAValue

from xetile.language.arithmetic import Arithmetic
from xetile.language.builder import Mark, Pair, current
from xetile.language.held import Held, described, flags, type_of
from xetile.language.literals import whole_of
from xetile.language.positions import Span, span
from xetile.language.rearranging import mapped, sliced, transposed
from xetile.language.refusals import refuse
from xetile.language.scalars import Scalar
from xetile.language.types import ElementType, accumulators
from xetile.language.values import Value, describe

if TYPE_CHECKING:
    from xdsl.dialects.arith import FastMathFlagsAttr
    from xdsl.ir import Operation


Reduction: TypeAlias = Literal["sum", "prod", "max", "min", "nanmax", "nanmin"]


def reduced(kind: Reduction, held: Held, axis: object) -> Held:
    """The elements along `axis` combined, in the tile's own type."""
    from xetile.dialects.xetile import TileReduceOp

    if axis is None:
        refuse(f".{kind}() of a whole tile: write .{kind}(1).{kind}(0)")
    axis = axis_of(axis, f".{kind}({axis!r}): a tile has")
    assert held.shape is not None
    rows, columns = held.shape
    combining = _combining(kind, held)
    builder = current()
    if held.element.kind != "float":
        value = builder.pure_of(TileReduceOp, combining, held.value, (axis,))
    else:
        value = builder.pure_of(_of_floats, combining, held.value, axis, flags())
    return Held(value, held.element, (1, columns) if axis == 0 else (rows, 1))


def axis_of(axis: object, has: str) -> int:
    """An axis of a tile; XetileError, which begins with `has`, for what is neither 0 nor 1."""
    number = whole_of(axis)
    if number is None or number not in (0, 1):
        refuse(f"{has} axes 0 (down the columns) and 1 (along the rows)")
    return number


def _of_floats(
    kind: str, value: "SSAValue", axis: int, flags: "FastMathFlagsAttr | None"
) -> "Operation":
    from xetile.dialects.xetile import TileReduceOp

    return TileReduceOp(kind, value, (axis,), fastmath=flags)


def _combining(kind: str, held: Held) -> str:
    element = held.element
    if element.kind == "boolean":
        refuse(f".{kind} takes no {element}; write `.to(xt.i32).{kind}(...)`")
    if kind in ("sum", "prod"):
        return "add" if kind == "sum" else "mul"
    if element.kind == "float":
        return f"{kind.removeprefix('nan')}numf" if kind.startswith("nan") else f"{kind}imumf"
    kind = kind.removeprefix("nan")
    return f"{kind}ui" if element.unsigned else f"{kind}si"


class Factors(NamedTuple):
    """The operands of a product that is still to be made, and where it was written: among ops, and in Python."""

    a: Held
    b: Held
    mark: Mark
    span: Span | None


class Tile(Arithmetic):
    """Rows and columns of elements of one type."""

    __slots__ = ("_element", "_factors", "_shape", "_value")

    def __init__(
        self,
        value: SSAValue | None,
        element: ElementType,
        shape: Pair,
        *,
        factors: Factors | None = None,
    ) -> None:
        self._value = value
        self._element = element
        self._shape = shape
        self._factors = factors

    @property
    def element(self) -> ElementType:
        return self._element

    @property
    def shape(self) -> Pair:
        """Rows and columns."""
        return self._shape

    @property
    def type(self) -> Attribute:
        """The vector type."""
        return type_of(self._element, self._shape)

    def ssa(self) -> SSAValue:
        """The value in IR; a product that nothing was added to is made where it was written."""
        if self._value is None:
            assert self._factors is not None
            self._value = _multiplied(self, self._factors, None)
        return self._value

    def held(self) -> Held:
        return Held(self.ssa(), self._element, self._shape)

    def made(self, held: Held) -> Self:
        assert held.shape is not None
        return type(self)(held.value, held.element, held.shape)

    def takes(self, other: Value) -> bool:
        """Everything: a single number is repeated."""
        return True

    def describe(self) -> str:
        """Its extents and type."""
        return described(self._element, self._shape)

    def __matmul__(self, other: "Tile") -> "Tile":
        a, b = _factor(self, self, other), _factor(other, self, other)
        if a.shape[1] != b.shape[0]:
            refuse(
                f"'@' of {a.describe()} and {b.describe()}: {a.shape[1]} columns, {b.shape[0]} rows"
            )
        totals = accumulators(a.element, b.element)
        if not totals:
            _refuse_factors(a, b)
        factors = Factors(a.held(), b.held(), current().mark(), span())
        return Tile(None, totals[0], (a.shape[0], b.shape[1]), factors=factors)

    def __rmatmul__(self, other: object) -> "Tile":
        refuse(f"'@' takes no {describe(other)}; its operands are tiles")

    def __add__(self, other: "Self | Value | float") -> Self:
        if isinstance(other, Tile):
            for total, product in ((self, other), (other, self)):
                if product.adds_to(total):
                    assert product._factors is not None
                    value = _multiplied(total, product._factors, total.ssa())
                    return self.made(total.held()._replace(value=value))
        return self._binary("add", other)

    def adds_to(self, total: "Tile") -> bool:
        """Whether this is a product that the sum being evaluated has in it, of which `total` can be the accumulator."""
        if self._value is not None or self._factors is None or total is self:
            return False
        a, b, _, written = self._factors
        added = span()
        if written is None or added is None or not added.has(written):
            return False
        return total.shape == self.shape and total.element in accumulators(
            a.element, b.element
        )

    @property
    def T(self) -> Self:
        """Rows and columns exchanged."""
        return self.made(transposed(self.held()))

    def __getitem__(self, places: object) -> Self:
        """A part of the tile, `x[:, 16:32]`; bounds are numbers."""
        return self.made(sliced(self.held(), places))

    def sum(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """The sums along axis 0 (down the columns) or 1 (along the rows), in the tile's type.

        The axis stays with an extent of 1. The order is that of a tree, the same at every level.
        """
        return self._reduced("sum", axis, keepdims=keepdims)

    def prod(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """The products along an axis, in the tile's type."""
        return self._reduced("prod", axis, keepdims=keepdims)

    def max(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """The largest elements along an axis; NaN where one is."""
        return self._reduced("max", axis, keepdims=keepdims)

    def min(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """The smallest elements along an axis; NaN where one is."""
        return self._reduced("min", axis, keepdims=keepdims)

    def nanmax(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """The largest elements along an axis; a NaN counts as nothing, as the hardware's instruction has it."""
        return self._reduced("nanmax", axis, keepdims=keepdims)

    def nanmin(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """The smallest elements along an axis; a NaN counts as nothing."""
        return self._reduced("nanmin", axis, keepdims=keepdims)

    def _reduced(self, kind: Reduction, axis: object, *, keepdims: object) -> Self:
        if keepdims is not True:
            refuse(
                f".{kind}(..., keepdims={keepdims!r}): values have two dimensions, so the reduced one stays "
                "with an extent of 1"
            )
        return self.made(reduced(kind, self.held(), axis))

    def item(self) -> Scalar:
        """The element of a tile of one row and one column, as a scalar.

        Errors: XetileError for larger tiles.
        """
        from xetile.dialects.upstream.vector import ExtractOp

        if self.shape != (1, 1):
            refuse(
                f".item() of {self.describe()}; a tile of 1x1 has one, such as x.max(1).max(0)"
            )
        if self.element.kind == "index":
            refuse(".item() of indices; write `.to(xt.i64).item()`, and xt.index(...) of that")
        value = current().pure_of(ExtractOp, self.ssa(), (0, 0), self.element.attribute)
        return Scalar(value, self.element)

    def map(self, sg_layout: Pair, sg_data: Pair) -> Self:
        """The tile as subgroups in `sg_layout` hold it, in units of `sg_data`; data move where that differs."""
        return self.made(mapped(self.held(), sg_layout, sg_data))


def _factor(one: object, left: object, right: object) -> Tile:
    if not isinstance(one, Tile):
        refuse(f"'@' of {describe(left)} and {describe(right)}: its operands are tiles")
    return one


def _refuse_factors(a: Tile, b: Tile) -> None:
    found = f"'@' of {a.describe()} and {b.describe()}"
    if accumulators(a.element, a.element) and accumulators(b.element, b.element):
        refuse(f"{found}: both have to have one of these types; convert one")
    refuse(
        f"{found}: products are of f16, bf16, tf32, f32, f64, f8E4M3FN and f8E5M2, i8 and ui8, i4 and ui4"
    )


def _multiplied(result: Tile, factors: Factors, total: SSAValue | None) -> SSAValue:
    from xetile.dialects.xetile import TileMMAOp

    builder = current()
    op = TileMMAOp(factors.a.value, factors.b.value, total, result_type=result.type)
    return builder.result(op) if total is not None else builder.result_at(factors.mark, op)
