"""Vectors in registers: matrix instructions, slices, constants."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NoReturn

from xdsl.dialects.builtin import VectorType, bf16, f16, f32, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, integers_of, is_splat, taken
from xetile.dialects.operand_types import FLOATS_8, operand_types, set_operand_types
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import LaneIdOp
from xetile.dialects.upstream.vector import (
    BitcastOp,
    ExtractOp,
    ExtractStridedSliceOp,
    FromElementsOp,
)
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xegpu import DpasOp
from xetile.dialects.xevm import MMAOp
from xetile.errors import fail
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.xegpu import (
    dpas_vector_layout,
    drop_leading_dimension,
)
from xetile.passes.convert_xegpu_to_xevm.registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.convert_xegpu_to_xevm.tf32 import as_words, is_tf32
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets import which_multiply

_WORDS: Mapping[str, tuple[Attribute, int]] = {
    str(type): (type, type.bitwidth) for type in (i16, i32, f16, bf16, f32)
}
"""Types of register words by their names, and their bits."""


def dpas(view: LaneView, op: DpasOp) -> None:
    """A matrix instruction, its operands in the layouts that it takes."""
    a, b, c = (vector_type(v) for v in (*op.operands[:2], op.results[0]))
    types = operand_types(op) or (a.element_type, b.element_type)
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
        registers = view.arranged(view.registers(value), layout)
        operands.append(registers.read(view, *_WORDS[instruction.register_word(operand)]))
    layout = dpas_vector_layout(
        "c", (m, n), repeat_count=m, ops_per_channel=instruction.ops_per_channel, pack=1
    )
    type, bits = _WORDS[instruction.register_word("c")]
    result = VectorType(type, (layout.in_dim_size("register"),))
    product = MMAOp(
        *operands,
        shape=(m, n, k),
        types=instruction.mma_types(has_accumulator=len(operands) == 3),
        result_type=result,
    )
    if any(isinstance(type, FLOATS_8) for type in types):
        set_operand_types(product, types)
    view.bind_registers(op.results[0], view.new(product), layout, word_bits=bits)


def extract(view: LaneView, op: Operation) -> None:
    """One block of those that a message loads; elements of vectors that no pass splits are copied."""
    part = view.get(op.operands[0])
    if not isinstance(part, Registers):
        view.copy(op)
        return
    if len(op.operands) > 1 or not isinstance(op.results[0].type, VectorType):
        fail(op, "only whole blocks are extracted at lane level")
    for index in integers_of(op, "static_position"):
        rest = part.shape[1:]
        sliced = part.sliced((index, *[0] * len(rest)), (1, *rest))
        if sliced is None:
            _refuse_slice(view)
        layout = None if sliced.layout is None else drop_leading_dimension(sliced.layout)
        part = sliced.relaid(layout, rest)
    view.bind(op.results[0], part)


def _refuse_slice(view: LaneView) -> NoReturn:
    fail(view.current, "the slice cuts through what one lane holds; that is not lowered yet")


def _extract_strided_slice(view: LaneView, op: ExtractStridedSliceOp) -> None:
    registers = view.registers(op.source)
    offsets, sizes, strides = (
        integers_of(op, name) for name in ("offsets", "sizes", "strides")
    )
    if any(stride != 1 for stride in strides):
        fail(op, f"strides {strides}; expected 1")
    rest = registers.shape[len(offsets) :]
    part = registers.sliced((*offsets, *[0] * len(rest)), (*sizes, *rest))
    if part is None:
        _refuse_slice(view)
    view.bind(op.results[0], part)


def bitcast(view: LaneView, op: BitcastOp) -> None:
    """The registers as they are, taken as elements of as many bits, or as several narrower ones each."""
    part = view.get(op.source)
    if not isinstance(part, Registers):
        view.copy(op)
        return
    recast = part.recast(vector_type(op.result).element_type)
    if recast is None:
        fail(op, "takes narrow elements together to wider ones, which is not lowered yet")
    view.bind(op.result, recast)


def constant(view: LaneView, op: Operation) -> None:
    """A splat is one register's value repeated; other constants are selected by the lane."""
    value = dense_value(op)
    if value is None:
        view.copy(op)
        return
    type = vector_type(op.results[0])
    bits = register_bits(type.element_type)
    if is_tf32(type.element_type):
        value = as_words(value)
    if is_splat(value):
        splat = Registers(
            value, type.element_type, None, word_bits=bits, shape=type.get_shape()
        )
        view.bind(op.results[0], splat)
        return
    layout = view.default_layout(type.get_shape())
    view.bind_registers(
        op.results[0], _lane_table(view, value, type, layout), layout, word_bits=bits
    )


def _lane_table(
    view: LaneView,
    value: Dense,
    type: VectorType[Attribute],
    layout: LinearLayout,
) -> SSAValue:
    """A dense constant's elements that a lane holds: one table over the lanes per register."""
    shape = type.get_shape()
    own_lane = view.shared(("lane",), LaneIdOp)
    lanes = layout.in_dim_size("lane")
    table = VectorType(natural_type(type.element_type), (lanes,))
    elements: list[SSAValue] = []
    for register in range(layout.in_dim_size("register")):
        held = (
            _row_major(shape, layout.apply({"register": register, "lane": lane}).values())
            for lane in range(lanes)
        )
        constant = arith.ConstantOp(taken(value, held, table))
        elements.append(
            view.new(ExtractOp(view.new(constant), [own_lane], table.element_type))
        )
    result = VectorType(table.element_type, (len(elements),))
    return view.new(FromElementsOp(elements, result))


def _row_major(shape: Sequence[int], at: Iterable[int]) -> int:
    index = 0
    for extent, coordinate in zip(shape, at, strict=True):
        index = index * extent + coordinate
    return index


HANDLERS: Handlers[LaneView] = {
    **on(DpasOp, dpas),
    **on(ExtractStridedSliceOp, _extract_strided_slice),
    **on(BitcastOp, bitcast),
    "vector.extract": extract,
    "arith.constant": constant,
}
