"""Matrix instructions."""

from collections.abc import Mapping
from typing import Literal

from xdsl.dialects.builtin import bf16, f16, f32, i16, i32
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.operand_types import FLOATS_8, operand_types, set_operand_types
from xetile.dialects.upstream.vector.support import vector_of, vector_type
from xetile.dialects.xegpu import DpasOp
from xetile.dialects.xevm import MMAOp
from xetile.errors import fail
from xetile.layout.intel.xegpu import (
    dpas_vector_layout,
)
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets import which_multiply
from xetile.targets.xe.dpas import XeProduct

_WORDS: Mapping[str, tuple[Attribute, int]] = {
    str(type): (type, type.bitwidth) for type in (i16, i32, f16, bf16, f32)
}
"""Types of register words by their names, and their bits."""


def _instruction(view: LaneView, op: DpasOp, types: tuple[Attribute, Attribute]) -> XeProduct:
    """The device's instruction for a product of operands of these types; refused where there is none of its sizes."""
    a, b, c = (vector_type(v) for v in (*op.operands[:2], op.results[0]))
    instruction = view.device.matrix_instruction(*types, c.element_type)
    if instruction is None:
        others = which_multiply(*types, c.element_type)
        fail(
            op,
            f"{view.device.name} has no matrix instruction for A {types[0]}, B {types[1]} and accumulator "
            f"{c.element_type}{others}",
        )
    if a.get_num_dims() != 2:
        fail(op, f"{view.device.name} has no matrix instruction for {a}, {b} and {c}")
    m, k = a.get_shape()
    n = c.get_shape()[1]
    if m not in instruction.m or n != instruction.n or k != instruction.k:
        fail(
            op,
            f"no matrix instruction of m = {m}, n = {n}, k = {k}; {view.device.name} takes m of "
            f"{', '.join(map(str, instruction.m))}, n = {instruction.n}, k = {instruction.k}",
        )
    return instruction


def dpas(view: LaneView, op: DpasOp) -> None:
    """A matrix instruction, its operands in the layouts that it takes."""
    a, b, c = (vector_type(v) for v in (*op.operands[:2], op.results[0]))
    types = operand_types(op) or (a.element_type, b.element_type)
    instruction = _instruction(view, op, types)
    (m, k), n = a.get_shape(), c.get_shape()[1]
    forms: list[tuple[Literal["a", "b", "c"], SSAValue, tuple[int, int]]] = [
        ("a", op.operands[0], (m, k)),
        ("b", op.operands[1], (k, n)),
        *(("c", value, (m, n)) for value in op.operands[2:]),
    ]
    operands: list[SSAValue] = []
    for operand, value, shape in forms:
        vector = vector_type(value)
        pack = vector.get_shape()[2] if vector.get_num_dims() == 3 else 1
        layout = dpas_vector_layout(
            operand,
            shape,
            repeat_count=m,
            ops_per_channel=instruction.ops_per_channel,
            pack=pack,
        )
        registers = view.held(value, layout)
        operands.append(registers.read(view, *_WORDS[instruction.register_word(operand)]))
    layout = dpas_vector_layout(
        "c", (m, n), repeat_count=m, ops_per_channel=instruction.ops_per_channel, pack=1
    )
    type, bits = _WORDS[instruction.register_word("c")]
    result = vector_of(type, (layout.in_dim_size("register"),))
    product = MMAOp(
        *operands,
        shape=(m, n, k),
        types=instruction.mma_types(has_accumulator=len(operands) == 3),
        result_type=result,
    )
    if any(isinstance(type, FLOATS_8) for type in types):
        set_operand_types(product, types)
    view.bind_registers(op.results[0], view.new(product), layout, word_bits=bits)


HANDLERS: Handlers[LaneView] = on(DpasOp, dpas)
