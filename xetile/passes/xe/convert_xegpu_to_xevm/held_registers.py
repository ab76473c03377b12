"""One lane's part of a block: registers, the layout that identifies their elements, and a pending selection."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    FixedBitwidthType,
    FloatTF32Type,
    IndexType,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, SSAValue

from xetile.analysis.constants import Dense, splat_of_type
from xetile.dialects.shared_attributes import integer_type
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BitcastOp, ShuffleOp
from xetile.dialects.upstream.vector.vector_support import dense, vector_of, vector_type
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.registers import select_registers
from xetile.rewriting.one_to_many import Expansion, Parts
from xetile.targets.target import INDEX_BITS


class Registers(Parts):
    """One lane's part of a block.

    `values` has one 1D vector whose elements are words of `word_bits`, each with one or more neighboring elements, the
    lowest first. `selection` lists the vector's elements that belong to the block, in the order of the layout's
    register dimension. A splat has no vector.
    """

    def __init__(
        self,
        value: SSAValue | Dense,
        element_type: Attribute,
        layout: LinearLayout,
        *,
        word_bits: int,
    ) -> None:
        super().__init__([value] if isinstance(value, SSAValue) else [])
        self.element_type = element_type
        self.layout = layout
        self.splat = None if isinstance(value, SSAValue) else value
        self.word_bits = word_bits
        self.selection = tuple(range(layout.in_dim_size("register")))

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the block."""
        return tuple(self.layout.out_dims.values())

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Registers)
            and super().agrees_with(other)
            and self.layout == other.layout
            and self.selection == other.selection
        )

    def sliced(self, offsets: Sequence[int], sizes: Sequence[int]) -> Self | None:
        """Return a slice (elements), or None if lanes hold elements inside and outside it."""
        found = select_registers(self.layout, offsets, sizes)
        if found is None:
            return None
        indices, layout = found
        return self.selected(layout, indices)

    def relaid(self, layout: LinearLayout) -> Self:
        """Return the same registers with a layout by which they hold other elements."""
        return self._with(layout, self.selection)

    def recast(self, element_type: Attribute, layout: LinearLayout) -> Self | None:
        """Return the same bits as elements of a type of as many bits or fewer, or None for a wider type.

        In `layout`, the parts of one old element are the lowest registers, the lowest bits first.
        """
        count, rest = divmod(register_bits(self.element_type), register_bits(element_type))
        if rest or (self.splat is not None and count > 1):
            return None
        parts = [index * count + i for index in self.selection for i in range(count)]
        copy = self._with(layout, parts)
        copy.element_type = element_type
        if self.splat is not None:
            type = VectorType(element_type, self.splat.get_shape())
            copy.splat = dense(type, self.splat.data.data)
        return copy

    def selected(self, layout: LinearLayout, registers: Sequence[int]) -> Self:
        """Return some of the registers, in this order, as the elements of a layout."""
        return self._with(layout, [self.selection[index] for index in registers])

    def without_repeats(self) -> tuple[Self, tuple[int, ...]]:
        """Return each register once, to be read, and the position among these of each register of the layout."""
        count = range(len(self.selection))
        once = tuple(count if self.splat is not None else dict.fromkeys(self.selection))
        if len(once) == len(self.selection):
            return self, tuple(count)
        places = {register: place for place, register in enumerate(once)}
        return self._with(self.layout, once), tuple(places[r] for r in self.selection)

    def _with(self, layout: LinearLayout, selection: Sequence[int]) -> Self:
        copy = self.with_values(self.values)
        copy.layout = layout
        copy.selection = tuple(selection)
        return copy

    def read(self, view: Expansion, type: Attribute, word_bits: int) -> SSAValue:
        bits = register_bits(self.element_type)
        count = len(self.selection) * bits // word_bits
        wanted = vector_of(type, (count,))
        if self.splat is not None:
            natural = vector_of(natural_type(self.element_type), (len(self.selection),))
            dense = splat_of_type(self.splat, natural)
            return _retyped(view, view.new(arith.ConstantOp(dense)), wanted)
        grain = _grain(self.selection, bits, min(self.word_bits, word_bits))
        value = self.values[0]
        if grain != self.word_bits:
            words = vector_type(value).get_shape()[0] * self.word_bits // grain
            value = _retyped(view, value, vector_of(integer_type(grain), (words,)))
        step = grain // bits
        mask = [index // step for index in self.selection[::step]]
        held = vector_type(value)
        if mask != list(range(held.get_shape()[0])):
            result = vector_of(held.element_type, (len(mask),))
            value = view.new(ShuffleOp(value, value, mask, result_type=result))
        return _retyped(view, value, wanted)


def register_bits(element_type: Attribute) -> int:
    """Return the bits of an element in a register (tf32 takes 32, an index 64)."""
    if isinstance(element_type, FloatTF32Type):
        return 32
    if isinstance(element_type, IndexType):
        return INDEX_BITS
    assert isinstance(element_type, FixedBitwidthType)
    return element_type.bitwidth


def natural_type(element_type: Attribute) -> Attribute:
    """Return the type in which single elements are computed at lane level (f32 for tf32)."""
    return f32 if isinstance(element_type, FloatTF32Type) else element_type


def _grain(selection: Sequence[int], bits: int, largest: int) -> int:
    """Return the widest words (bits, at most `largest`) that the selection moves whole."""
    grain = largest
    while grain > bits:
        run = grain // bits
        starts = selection[::run]
        whole = all(start % run == 0 for start in starts) and len(selection) % run == 0
        if whole and all(
            selection[i] == selection[i - i % run] + i % run for i in range(len(selection))
        ):
            return grain
        grain //= 2
    return bits


def _retyped(view: Expansion, value: SSAValue, type: VectorType[Attribute]) -> SSAValue:
    return value if value.type == type else view.new(BitcastOp(value, type))
