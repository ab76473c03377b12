"""One lane's view of a function: what values become, and how registers are brought into order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xegpu import TensorDescType
from xetile.dialects.xetile.types import memory_bits
from xetile.errors import fail
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.xegpu import default_vector_layout
from xetile.passes.convert_xegpu_to_xevm.registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.convert_xegpu_to_xevm.tf32 import check_rounds_once, cut, is_tf32, rounded
from xetile.planning.register_layouts import RegisterLayouts
from xetile.rewriting.one_to_many import Expansion, Form, Offset, Parts
from xetile.rewriting.rewriter import Handlers, remade
from xetile.targets.xe.device import XeDevice


@dataclass(eq=False)
class Descriptor(Parts):
    """A surface as XeVM's ops take it: pointer, width in bytes, height in rows, pitch in bytes.

    Nothing of it is carried by loops.
    """

    type: TensorDescType
    surface: tuple[SSAValue, SSAValue, SSAValue, SSAValue]

    @property
    def bits(self) -> int:
        return memory_bits(self.type.element_type) or 0

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Descriptor)
            and self.type == other.type
            and self.surface == other.surface
        )

    def describe(self) -> str:
        return str(self.type)


class LaneView(Expansion):
    """The values of a function as registers of one lane."""

    def __init__(
        self,
        function: Operation,
        handlers: Handlers[Self],
        target: XeDevice,
        layouts: RegisterLayouts,
    ) -> None:
        super().__init__(function, handlers)
        self.device = target
        self.layouts = layouts

    def registers(self, value: SSAValue) -> Registers:
        became = self.get(value)
        if not isinstance(became, Registers):
            self.refuse(f"cannot take {value.type} at lane level")
        return became

    def descriptor(self, value: SSAValue) -> Descriptor:
        became = self.get(value)
        if not isinstance(became, Descriptor):
            fail(self.current, f"{value.type} is not lowered to XeVM yet")
        return became

    def bind_registers(
        self, value: SSAValue, part: SSAValue, layout: LinearLayout, *, word_bits: int
    ) -> None:
        element = vector_type(value).element_type
        self.bind(value, Registers(part, element, layout, word_bits=word_bits))

    def arranged(self, registers: Registers, layout: LinearLayout) -> Registers:
        """A value in another layout: its registers permuted; refused where an element changes its lane."""
        moved = registers.arranged(layout)
        if moved is None:
            self.refuse(
                "needs its operand in another layout, which moves elements between "
                "lanes; that is not lowered yet"
            )
        return moved

    def loop_parts(self, argument: SSAValue, init: Form) -> Form:
        return self._whole(init) if isinstance(init, Registers) else init

    def adapt(self, became: Form, like: Form) -> Form:
        if not isinstance(like, Registers) or not isinstance(became, Registers):
            return super().adapt(became, like)
        if like.layout is None:
            return became
        return self._whole(self.arranged(became, like.layout))

    def _whole(self, registers: Registers) -> Registers:
        layout = registers.layout
        if layout is None:
            layout = self.default_layout(registers.shape)
        element = registers.element_type
        bits = memory_bits(element) or 0
        value = self.arranged(registers, layout).read(self, natural_type(element), bits)
        return Registers(value, element, layout, word_bits=bits)

    def default_layout(self, shape: Sequence[int]) -> LinearLayout:
        try:
            return default_vector_layout(tuple(shape))
        except LayoutError as error:
            fail(self.current, str(error))

    def elementwise(self, op: Operation) -> None:
        became = [self.get(value) for value in op.operands]
        blocks = [part for part in became if isinstance(part, Registers)]
        layout = next((part.layout for part in blocks if part.layout is not None), None)
        if layout is None:
            layout = self.default_layout(blocks[0].shape)
        operands: list[SSAValue] = []
        for value, part in zip(op.operands, became, strict=True):
            if isinstance(part, Registers):
                element = part.element_type
                moved = self.arranged(part, layout)
                read = moved.read(self, natural_type(element), register_bits(element))
                operands.append(cut(self, read) if is_tf32(element) else read)
            else:
                operands.append(self.single(value))
        count = layout.in_dim_size("register")
        elements = [vector_type(result).element_type for result in op.results]
        types = [VectorType(natural_type(element), (count,)) for element in elements]
        for old, new, element in zip(
            op.results, self._computed(op, operands, types), elements, strict=True
        ):
            self.bind_registers(old, new, layout, word_bits=register_bits(element))

    def _computed(
        self,
        op: Operation,
        operands: Sequence[SSAValue],
        types: Sequence[VectorType[Attribute]],
    ) -> Sequence[SSAValue]:
        """What an elementwise op gives for registers; tf32 is computed with in f32, and rounded."""
        is_resized = op.name in ("arith.extf", "arith.truncf")
        same = is_resized and operands[0].type == types[0]
        made = operands if same else self.emit(remade(op, operands, types)).results
        narrow = [is_tf32(vector_type(result).element_type) for result in op.results]
        if any(narrow):
            check_rounds_once(op)
        return [
            rounded(self, value) if is_narrow else value
            for value, is_narrow in zip(made, narrow, strict=True)
        ]

    def other(self, op: Operation) -> None:
        split = [value for value in op.operands if isinstance(self.get(value), Registers)]
        if split and has_trait(op, Elementwise):
            self.elementwise(op)
            return
        for value in (*split, *(v for v in op.results if is_tile_vector(v.type))):
            fail(op, f"'{op.name}' on {value.type} is not lowered to XeVM yet")
        self.copy(op)

    def integer(self, offset: Offset) -> SSAValue:
        if isinstance(offset, int):
            return self.constant(offset, i32)
        return self.new(arith.IndexCastOp(offset, i32))
