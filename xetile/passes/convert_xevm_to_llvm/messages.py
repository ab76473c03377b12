"""xevm's block messages and matrix instructions at L: calls of Intel's builtins."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, VectorType, f32, i16, i32
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.operand_types import operand_types
from xetile.dialects.xevm import (
    LANES,
    BlockLoad2dOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    MMAOp,
)
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.builtins import (
    ADD_PAYLOAD_X,
    ADD_PAYLOAD_Y,
    DEFAULT_PREFETCH_OPTION,
    LOAD_CACHE_OPTIONS,
    MATRIX_OPERANDS,
    SET_PAYLOAD_X,
    SET_PAYLOAD_Y,
    STORE_CACHE_OPTIONS,
    BlockShape,
    block_function,
    block_name,
    cached_block_function,
    has_product,
    matrix_function,
    matrix_operand,
    payload_prefetch,
    register_bits,
    registers_of_a,
)
from xetile.passes.convert_xevm_to_llvm.cached_accesses import cache_option
from xetile.passes.convert_xevm_to_llvm.message_shapes import BlockMessage, shape_of
from xetile.passes.convert_xevm_to_llvm.payload_accesses import load_through, store_through
from xetile.passes.convert_xevm_to_llvm.row_reads import read_rows
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_places,
    chunk_type,
    element_bits,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.vectors import recast
from xetile.passes.convert_xevm_to_llvm.view import (
    LLVMView,
    Loaded,
    Memory,
    Payload,
)
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.dpas import COLUMNS, REPEAT_COUNTS, depth


def _surface(view: LLVMView, op: BlockMessage) -> list[SSAValue]:
    """The arguments that all 2D functions have: pointer, width, height, pitch, (x, y)."""
    sizes = [view.integer(v, 32) for v in (op.base_width, op.base_height, op.base_pitch)]
    return [view.scalar(op.ptr), *sizes, _pair(view, op.x, op.y)]


def _pair(view: LLVMView, x: SSAValue, y: SSAValue) -> SSAValue:
    type = VectorType(i32, [2])
    numbers = view.number(x), view.number(y)
    if numbers[0] is not None and numbers[1] is not None:
        return view.vector_constant([numbers[0], numbers[1]], i32)
    pair = view.undefined(type)
    for index, value in enumerate((x, y)):
        at = view.i32(index)
        pair = view.new(llvm.InsertElementOp(pair, view.integer(value, 32), at))
    return pair


def _call_block_function(
    view: LLVMView,
    name: str,
    bits: int | None,
    arguments: Sequence[SSAValue],
    option: int | None,
) -> None:
    if option is None:
        view.call(block_function(name, bits), arguments)
        return
    number = view.i32(option)
    view.call(cached_block_function(name), [*arguments, number])


def _load(view: LLVMView, op: BlockLoad2dOp) -> None:
    if op in view.joined.values():
        return  # has come with the load to its left
    rows = view.row_reads.get(op)
    if rows is not None:
        if rows:  # the others come with the first
            read_rows(view, rows)
        return
    shape, right = shape_of(op), view.joined.get(op)
    packed, transposed = op.is_packed, op.is_transposed
    if right is not None:
        shape = shape._replace(columns=2 * shape.columns)
    bits = register_bits(shape, packed=packed)
    element, length = view.element(op.res), vector_length(op.res.type)
    if length is None:
        fail(op, f"'{op.name}' gives {op.res.type}; expected a vector of rank 1")
    option = cache_option(op, op.cache_control, LOAD_CACHE_OPTIONS)
    access = view.shared_payloads.get(op)
    if access is not None:
        load_through(view, op, access, option)
        return
    count = length * element_bits(element) // bits
    pointer = view.private((op,), IntegerType(bits), count if right is None else 2 * count)
    action = "read_transform" if packed else "read_transpose" if transposed else "read"
    arguments = [*_surface(view, op), pointer]
    _call_block_function(view, block_name(action, shape), bits, arguments, option)
    assert view.block.last_op is not None
    memory = Memory(pointer, view.block.last_op)
    view.bind(op.res, Loaded(memory, element, length))
    if right is not None:
        second = view.moved(pointer, count * bits // 8)
        view.bind(right.res, Loaded(Memory(second, view.block.last_op), element, length))


def _store(view: LLVMView, op: BlockStore2dOp) -> None:
    shape, value = shape_of(op), op.stored_val
    option = cache_option(op, op.cache_control, STORE_CACHE_OPTIONS)
    element, length = view.element(value), width(value)
    held, moved = (
        length * element_bits(element),
        shape.bits * shape.rows * shape.columns // LANES,
    )
    if held != moved:
        fail(
            op,
            f"the stored value is {value.type}, {held} bits; the message takes {moved} per lane",
        )
    access, pair = view.shared_payloads.get(op), view.pairs.get(op)
    if access is not None:
        values = (value,) if pair is None else (pair.left.stored_val, pair.right.stored_val)
        store_through(view, op, access, values, option)
    elif op not in view.pairs:
        _store_alone(view, op, shape, option)


def _store_alone(
    view: LLVMView, op: BlockStore2dOp, shape: BlockShape, option: int | None
) -> None:
    value = op.stored_val
    element, length = view.element(value), width(value)
    # stores of one type follow one another, and so can share their memory
    pointer = view.private(("store", element, length), element, length)
    for part, (start, _) in zip(view.parts(value), chunk_places(length), strict=True):
        place = view.moved(pointer, start * element_bits(element) // 8)
        view.emit(llvm.StoreOp(part, place))
    arguments = [*_surface(view, op), pointer]
    bits = register_bits(shape, packed=False)
    _call_block_function(view, block_name("write", shape), bits, arguments, option)


def _prefetch(view: LLVMView, op: BlockPrefetch2dOp) -> None:
    shape, option = shape_of(op), cache_option(op, op.cache_control, LOAD_CACHE_OPTIONS)
    payload = view.payloads.get(op)
    if payload is None:
        _call_block_function(
            view, block_name("prefetch", shape), None, _surface(view, op), option
        )
        return
    _prefetch_through(view, op, payload, option or DEFAULT_PREFETCH_OPTION)


def _prefetch_through(
    view: LLVMView, op: BlockPrefetch2dOp, payload: Payload, option: int
) -> None:
    for coordinate, step, function in (
        (op.x, payload.x_step, SET_PAYLOAD_X),
        (op.y, payload.y_step, SET_PAYLOAD_Y),
    ):
        if step is None:
            view.call(function, [payload.pointer, view.integer(coordinate, 32)])
    zero, number = view.i32(0), view.i32(option)
    view.call(payload_prefetch(shape_of(op)), [payload.pointer, zero, zero, number])
    for step, function in ((payload.x_step, ADD_PAYLOAD_X), (payload.y_step, ADD_PAYLOAD_Y)):
        if step:
            view.call(function, [payload.pointer, view.i32(step)])


def _multiply(view: LLVMView, op: MMAOp) -> None:
    said = operand_types(op)
    a, b = map(matrix_operand, said or (op.types.a.data, op.types.b.data))
    accumulator = op.types.d.data
    m, n, k = op.shape.sizes
    legal = has_product(a, b, accumulator) and m in REPEAT_COUNTS and n == COLUMNS
    if not legal or k != depth(MATRIX_OPERANDS[a].bits):
        fail(
            op,
            f"no builtin multiplies {a} and {b} into {accumulator} with m = {m}, n = {n}, k = {k}; expected m = 1, 2, "
            "4 or 8, n = 16 and k = 256 bits, of f16, bf16, tf32, s8 and u8, s4 and u4, f8E4M3FN and f8E5M2",
        )
    sixteen, word = (f32, f32) if a == "tf32" else (i16, i32)
    element = view.element(op.d)
    arguments = [
        _register(view, op.a, sixteen, registers_of_a(a, m)),
        _register(view, op.b, word, 8),
        view.vector_constant([0.0] * m, element)
        if op.c is None
        else _register(view, op.c, element, m),
    ]
    function = matrix_function(a, b, accumulator, rows=m, depth=k)
    result = view.result_of_call(function, arguments, chunk_type(element, m))
    view.bind_parts(op.d, [result])


def _register(view: LLVMView, value: SSAValue, element: Attribute, count: int) -> SSAValue:
    parts = recast(view, value, element)
    if len(parts) != 1 or parts[0].type != chunk_type(element, count):
        view.refuse(
            f"has an operand of {value.type}; expected {count * element_bits(element)} bits"
        )
    return parts[0]


HANDLERS: Handlers[LLVMView] = {
    **on(BlockLoad2dOp, _load),
    **on(BlockPrefetch2dOp, _prefetch),
    **on(BlockStore2dOp, _store),
    **on(MMAOp, _multiply),
}
