"""Tiles: matrices of elements that the subgroups of a workgroup hold together.

A product is made late: `acc + a @ b` is one tile_mma with an accumulator, `a @ b` alone one without.
"""

from typing import NamedTuple, Self

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from xetile.language.builder import Pair, current
from xetile.language.elementwise import Held, binary
from xetile.language.layouts import map_of
from xetile.language.refusals import refuse
from xetile.language.types import ElementType, accumulator
from xetile.language.values import Value


class Factors(NamedTuple):
    """The operands of a product that is still to be made."""

    a: Held
    b: Held


class Tile(Value):
    """Rows and columns of elements of one type."""

    def __init__(
        self,
        value: SSAValue | None,
        element: ElementType,
        shape: Pair,
        *,
        factors: Factors | None = None,
    ) -> None:
        self.value = value
        self.element = element
        self.shape = shape
        self._factors = factors

    def ssa(self) -> SSAValue:
        """The value in IR; a product that nothing was added to is made here."""
        if self.value is None:
            self.value = self._multiplied(None)
        return self.value

    def held(self) -> Held:
        """The value with its type, for what knows no classes of values."""
        return Held(self.ssa(), self.element, self.shape)

    @property
    def type(self) -> Attribute:
        """The vector type."""
        return VectorType(self.element.attribute, self.shape)

    def like(self, value: SSAValue) -> Self:
        """A tile of this type."""
        return type(self)(value, self.element, self.shape)

    def describe(self) -> str:
        """Its extents and type."""
        rows, columns = self.shape
        return f"a tile of {rows}x{columns}x{self.element}"

    def __matmul__(self, other: "Tile") -> "Tile":
        if self.shape[1] != other.shape[0]:
            refuse(
                f"@ of {self.describe()} and {other.describe()}: "
                f"{self.shape[1]} columns, {other.shape[0]} rows"
            )
        shape = (self.shape[0], other.shape[1])
        factors = Factors(self.held(), other.held())
        return Tile(None, accumulator(self.element), shape, factors=factors)

    def __add__(self, other: "Tile") -> "Tile":
        for total, product in ((self, other), (other, self)):
            if product._adds_to(total):
                return total.like(product._multiplied(total.ssa()))
        return self.like(binary("add", self.held(), other.held()).value)

    def _adds_to(self, total: "Tile") -> bool:
        """Whether this is a product that is still to be made, of which `total` can be the accumulator."""
        if self.value is not None or self._factors is None or total is self:
            return False
        return (total.element, total.shape) == (self.element, self.shape)

    def _multiplied(self, total: SSAValue | None) -> SSAValue:
        from xetile.dialects.xetile import TileMMAOp

        assert self._factors is not None
        a, b = self._factors
        builder = current()
        wg_map = map_of(self.shape, builder.sg_layout)
        op = TileMMAOp(a.value, b.value, total, result_type=self.type, wg_map_c=wg_map)
        return builder.result(op)
