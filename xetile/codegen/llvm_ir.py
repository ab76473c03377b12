"""The llvm dialect as LLVM IR for SPIR-V, by llvmlite.

xDSL's LLVM back end converts ops and types; the features that 0.75 lacks are added here, each with
a test in test/unit/codegen/test_llvm_ir.py that fails once upstream has it:

- it drops `intel_reqd_sub_group_size` and `reqd_work_group_size` without a word; without the first, Intel's compiler
  may compile a kernel for 32 lanes;
- it rejects the calling conventions `spir_kernel` and `spir_func`;
- it has no extractelement, fptosi, fptoui, uitofp, and compares and selects scalars only;
- it has no atomic ops;
- it drops a branch's annotation of its loop (loop_controls.py);
- its functions, such as exp, are of one type in a module;
- it drops most fastmath flags;
- it makes pointers to arrays typed, so that nothing but an array can be stored there, and its getelementptr on address
  space 1 is invalid LLVM IR.

Atomic instructions in LLVM IR.

Fastmath flags of the llvm dialect in LLVM IR, and those that SPIR-V can express.

LLVM IR has all of them on all instructions on floats: arithmetic, comparisons, selections, conversions between floats,
calls. xDSL 0.75 leaves them out of comparisons, selections, conversions and most functions, and rejects those of fma.

SPIR-V 1.4 has the decoration FPFastMathMode (2.26 "FP Fast Math Mode": NotNaN, NotInf, NSZ, AllowRecip, and Fast, which
is all of them and algebra with real numbers) on sums, differences, products, quotients and remainders. It has none
for `contract`, `afn` and `reassoc`, which earlier passes therefore carry out themselves (floats.py
of convert-xevm-to-llvm; planning/xe/register_layouts/reduction_steps.py). SPV_KHR_float_controls2 has some, and LLVM 22
writes it; IGC (ocloc 26.27) rejects modules with it. Without it LLVM 22 turns `reassoc` into Fast, which would allow
more than the program says: that flag is dropped unless all are there.

LLVM's own functions: ops `llvm.intr.NAME` as calls of `llvm.NAME`, with a name for each type.

xDSL's own conversion declares one function for all types, and fails if a module has two.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, cast

from llvmlite import ir
from llvmlite.ir.instructions import CallInstr, FastMathFlags, Instruction
from xdsl.backend.llvm.convert_op import convert_op, declare_intrinsic
from xdsl.backend.llvm.convert_type import convert_type
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    VectorType,
)
from xdsl.dialects.utils import FastMathAttrBase, FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import LLVMTranslationException

from xetile.analysis.module_kernels import outermost
from xetile.codegen.build_options import divides, may_be_approximate
from xetile.codegen.llvm_functions import WORKGROUP_SIZE, called, is_kernel, llvm_functions
from xetile.codegen.loop_controls import write_loop_merges
from xetile.codegen.repeated import Repeated
from xetile.dialects.upstream.llvm import (
    AtomicRMWOp,
    CmpXchgOp,
    ExtractElementOp,
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    SelectOp,
    UIToFPOp,
)
from xetile.errors import fail
from xetile.hints import isa
from xetile.targets.xe.device import TRIPLE

_PREFIX = "llvm.intr."
_OF_ONE_TYPE = (
    *(llvm.FAbsOp, llvm.FCeilOp, llvm.FCosOp, llvm.FExp2Op, llvm.FExpOp, llvm.FFloorOp),
    *(llvm.FLog2Op, llvm.FLogOp, llvm.FSinOp, llvm.FSqrtOp, llvm.FPowOp, llvm.FMAOp),
    *(llvm.FCopySignOp, llvm.VectorFMaxOp, llvm.VectorFMinOp),
)
"""Ops whose operands and result are floats, or vectors of them, of one type."""


def is_intrinsic(op: Operation) -> bool:
    """Return True if an op is one of LLVM's functions on floats of one type."""
    return isinstance(op, _OF_ONE_TYPE)


def intrinsic_call(op: Operation, builder: ir.IRBuilder, operands: list[ir.Value]) -> ir.Value:
    """Add the call that implements an op."""
    type = operands[0].type
    name = f"llvm.{op.name.removeprefix(_PREFIX)}"
    function = declare_intrinsic(
        builder.module, name, type, ir.FunctionType(type, [type] * len(operands))
    )
    return builder.call(function, operands)


def approximate_quotient(builder: ir.IRBuilder, operands: list[ir.Value]) -> ir.Value:
    """Add OpenCL's native_divide of f32, which stays approximate if the driver is told to divide exactly."""
    type = operands[0].type
    is_vector = isinstance(type, ir.VectorType)
    name = f"_Z13native_divide{f'Dv{type.count}_fS_' if is_vector else 'ff'}"
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(type, [type, type]), name)
        function.calling_convention = "spir_func"
    call = builder.call(cast(ir.Function, function), operands)
    call.cconv = "spir_func"
    return call


_FLAGS = "fastmathFlags"
_WORDS = frozenset(flag.value for flag in FastMathFlag)


def add_flags(op: Operation, made: ir.Value | None) -> None:
    """Give the instruction of an op the op's flags.

    MLIR 22 has no property for those of llvm.fpext and fptrunc; an attribute of that name is read there.
    """
    found = op.properties.get(_FLAGS, op.attributes.get(_FLAGS))
    if not isinstance(found, FastMathAttrBase) or not isinstance(made, Instruction):
        return
    flags = sorted(flag.value for flag in found.data)  # a set, whose order is none
    if not flags:
        return
    if not isinstance(made, CallInstr):
        made.flags = flags
    elif _is_float(made.type):
        made.fastmath = FastMathFlags(flags)


def drop_loose_flags(instructions: Iterable[Instruction]) -> None:
    """Remove `reassoc` if LLVM's SPIR-V back end would allow more than it says."""
    for instruction in instructions:
        flags = instruction.flags
        if "reassoc" in flags and not set(flags) >= _WORDS:
            instruction.flags = [flag for flag in flags if flag != "reassoc"]


def _is_float(type: ir.Type) -> bool:
    element = type.element if isinstance(type, ir.VectorType) else type
    return isinstance(element, (ir.HalfType, ir.FloatType, ir.DoubleType))


def atomic_instruction(
    op: AtomicRMWOp | CmpXchgOp, builder: ir.IRBuilder, operands: Sequence[ir.Value]
) -> ir.Value:
    """Add the instruction of an atomic op.

    llvmlite 0.50 has no scopes; they are written before the ordering, which it prints unchanged.
    """
    scope = "" if op.syncscope is None else f'syncscope("{op.syncscope.data}") '
    if isinstance(op, AtomicRMWOp):
        pointer, value = operands
        word = op.word.removeprefix("_")
        return builder.atomic_rmw(word, pointer, value, scope + op.order)
    pointer, expected, value = operands
    stored, not_stored = op.orders
    return builder.cmpxchg(pointer, expected, value, scope + stored, not_stored)


_VECTORS = ((2,), (3,), (4,), (8,), (16,))
_INTEGERS = (1, 8, 16, 32, 64)
TOGETHER = re.compile(r"sub_?group|barrier|simd_block", re.IGNORECASE)
"""The names of builtins that lanes call together: LLVM moves no such call to where fewer lanes make it."""

_SUBGROUP_SIZE = "intel_reqd_sub_group_size"


Mark: TypeAlias = Callable[[Operation, Sequence[ir.Instruction]], None]
"""A function that is called with each op and its instructions."""


def convert_module(
    module: ModuleOp, *, for_spirv: bool = False, mark: Mark | None = None
) -> ir.Module:
    """Return the LLVM IR of all functions of the llvm dialect, as one llvmlite module.

    With `for_spirv` it has no flags that mean more to LLVM's SPIR-V back end than they say (`drop_loose_flags`). `mark`
    is called with each op of a function and its instructions, in order.
    Raise XetileError at an op that has no LLVM IR here, and at a name that two kernels have.
    """
    made = _Module()
    made.triple = TRIPLE
    made.for_spirv = for_spirv
    functions: dict[str, llvm.FuncOp] = {}
    for function in llvm_functions(module):
        name = function.sym_name.data
        other = functions.get(name)
        if other is None or not other.body.blocks:
            functions[name] = function
        elif function.body.blocks:
            fail(function, f"two functions are named '{name}'")
    _declare_variables(module, made)
    defined = [function for function in functions.values() if function.body.blocks]
    made.divides_exactly = any(map(divides, defined))
    used = called(defined)
    for name, function in functions.items():
        if function.body.blocks or name in used:
            _declare(function, made)
    for function in defined:
        _define(function, made, mark)
    return made


class _Module(ir.Module):
    """A module that records whether the driver has to divide exactly, and whether it becomes SPIR-V."""

    divides_exactly = False
    for_spirv = False


class _Function(ir.Function):
    """A function with metadata; llvmlite 0.50 writes a comma between two nodes, which LLVM rejects."""

    def __init__(self, module: ir.Module, type: ir.FunctionType, name: str) -> None:
        super().__init__(module, type, name)
        self.nodes: list[tuple[str, ir.MDValue]] = []

    def annotate(self, name: str, numbers: tuple[int, ...]) -> None:
        """Add a node of 32-bit integers."""
        word = ir.IntType(32)
        node = self.module.add_metadata([ir.Constant(word, number) for number in numbers])
        self.nodes.append((name, node))

    def descr_prototype(self, buf: list[str]) -> None:
        super().descr_prototype(buf)
        nodes = "".join(f" !{name} {node.get_reference()}" for name, node in self.nodes)
        buf[-1] = f"{buf[-1].rstrip()}{nodes}\n"


def _declare(op: llvm.FuncOp, module: ir.Module) -> None:
    made = _Function(module, _type(op, op.function_type), op.sym_name.data)
    made.calling_convention = "spir_kernel" if is_kernel(op) else "spir_func"
    if not op.body.blocks and TOGETHER.search(made.name):
        made.attributes.add("convergent")
    size = op.attributes.get(_SUBGROUP_SIZE)
    if isa(size, IntegerAttr):
        made.annotate(_SUBGROUP_SIZE, (size.value.data,))
    sizes = op.attributes.get(WORKGROUP_SIZE)
    if isinstance(sizes, DenseArrayBase):
        made.annotate(WORKGROUP_SIZE, tuple(int(n) for n in sizes.get_values()))


def _declare_variables(module: ModuleOp, made: ir.Module) -> None:
    """Declare all variables. Equal variables of one name are one variable, as in kernels of several modules."""
    known: dict[str, llvm.GlobalOp] = {}
    for variable in outermost(module, (llvm.GlobalOp.name, llvm.FuncOp.name)):
        if not isinstance(variable, llvm.GlobalOp):
            continue
        name = variable.sym_name.data
        other = known.setdefault(name, variable)
        if other is variable:
            _declare_variable(variable, made)
        elif other.properties != variable.properties or variable.constant is None:
            fail(variable, f"two variables are named '{name}'")


def _declare_variable(op: llvm.GlobalOp, module: ir.Module) -> None:
    """Declare a variable without a value, as in shared memory, or one with a constant text or zeros."""
    type = convert_type(op.global_type)
    made = ir.GlobalVariable(module, type, op.sym_name.data, op.addr_space.value.data)
    made.linkage = op.linkage.linkage.data
    made.global_constant = op.constant is not None
    made.initializer = ir.Constant(type, _initial(op))
    if op.alignment is not None:
        made.align = op.alignment.value.data


def _initial(op: llvm.GlobalOp) -> object:
    match op.value:
        case StringAttr(data=text):
            return bytearray(text.encode())
        case BytesAttr(data=text):  # bytes that are not ASCII text
            return bytearray(text)
        case DenseIntOrFPElementsAttr() if op.value.is_splat() and not any(
            op.value.get_values()
        ):
            return None  # zeros
        case None:
            return ir.Undefined
        case _:
            fail(
                op,
                f"a variable with the value {op.value} has no LLVM IR here; expected a text, zeros, or no value",
            )


def _type(at: Operation, type: llvm.LLVMFunctionType) -> ir.FunctionType:
    try:
        return cast(ir.FunctionType, convert_type(type))
    except LLVMTranslationException as error:
        fail(at, f"{type} has no LLVM IR: {error}")


def _define(op: llvm.FuncOp, module: ir.Module, mark: Mark | None) -> None:
    function = cast(ir.Function, module.globals[op.sym_name.data])
    for_spirv = cast(_Module, module).for_spirv
    blocks: dict[Block, ir.Block] = {}
    values: dict[SSAValue, ir.Value] = {}
    repeated = Repeated()
    for block in op.body.blocks:
        blocks[block] = function.append_basic_block()
    entry, *others = op.body.blocks
    for argument, given in zip(entry.args, function.args, strict=True):
        given.name = argument.name_hint or given.name
        values[argument] = given
    for block in others:
        builder = ir.IRBuilder(blocks[block])
        for argument in block.args:
            values[argument] = builder.phi(convert_type(argument.type))
    for block in op.body.blocks:
        made = blocks[block]
        builder = ir.IRBuilder(made)
        for inner in block.ops:
            before = len(made.instructions)
            key = repeated.key(inner)
            if not repeated.write(key, inner, made, values):
                builder.position_at_end(made)
                _check_types(inner)
                _convert(inner, builder, values, blocks)
                written = made.instructions[before:]
                if for_spirv:
                    drop_loose_flags(written)
                repeated.remember(key, inner, written, values)
            if mark is not None:
                mark(inner, made.instructions[before:])
    write_loop_merges(op, function, blocks)


def _check_types(op: Operation) -> None:
    """Raise for vectors and integers on which LLVM's SPIR-V back end ends the process."""
    for value in (*op.operands, *op.results):
        type, vector = value.type, value.type
        if isa(vector, VectorType):
            if tuple(vector.get_shape()) not in _VECTORS:
                legal = "vectors of 2, 3, 4, 8 and 16 elements"
                fail(op, f"'{op.name}' has {type}; SPIR-V has {legal}")
            type = vector.element_type
        if isa(type, IntegerType) and type.width.data not in _INTEGERS:
            legal = "integers of 1, 8, 16, 32 and 64 bits here"
            fail(op, f"'{op.name}' has {type}; SPIR-V has {legal}")


def _convert(
    op: Operation,
    builder: ir.IRBuilder,
    values: dict[SSAValue, ir.Value],
    blocks: dict[Block, ir.Block],
) -> None:
    try:
        if not _convert_missing(op, builder, values):
            convert_op(op, builder, values, blocks)
        if len(op.results) == 1:
            add_flags(op, values.get(op.results[0]))
        if isinstance(op, llvm.CallOp):
            _agree(builder)
    except (LLVMTranslationException, NotImplementedError) as error:
        fail(op, f"'{op.name}' has no LLVM IR: {str(error)[:1].lower()}{str(error)[1:]}")


def _convert_missing(
    op: Operation, builder: ir.IRBuilder, values: dict[SSAValue, ir.Value]
) -> bool:
    """Convert an op that xDSL cannot convert; return False if it is another op."""
    operands = [values[operand] for operand in op.operands]
    if isinstance(op, ExtractElementOp):
        values[op.res] = builder.extract_element(operands[0], operands[1])
    elif isinstance(op, llvm.AddressOfOp):
        values[op.result] = _variable_pointer(op, builder)
    elif isinstance(op, llvm.AllocaOp):
        values[op.res] = _private_memory(op, builder, operands[0])
    elif isinstance(op, llvm.GEPOp):
        values[op.result] = _element_pointer(op, builder, operands)
    elif may_be_approximate(op) and cast(_Module, builder.module).divides_exactly:
        values[op.results[0]] = approximate_quotient(builder, operands)
    elif is_intrinsic(op):
        values[op.results[0]] = intrinsic_call(op, builder, operands)
    elif isinstance(op, AtomicRMWOp | CmpXchgOp):
        values[op.res] = atomic_instruction(op, builder, operands)
    elif isinstance(op, SelectOp):
        values[op.res] = builder.select(operands[0], operands[1], operands[2])
    elif isinstance(op, FCmpOp):
        values[op.res] = _compare(op, builder, operands[0], operands[1])
    elif isinstance(op, llvm.TruncOp) and _is_bit(op.res.type):
        values[op.res] = _lowest_bit(builder, operands[0])
    elif isinstance(op, FPToSIOp | FPToUIOp | UIToFPOp):
        convert = getattr(builder, op.name.removeprefix("llvm."))
        values[op.res] = convert(operands[0], convert_type(op.res.type))
    else:
        return False
    return True


def _agree(builder: ir.IRBuilder) -> None:
    """Give a call the convention of its callee; calling by another is undefined in LLVM IR."""
    call = cast(ir.CallInstr, builder.block.instructions[-1])
    if isinstance(call.callee, _Function):
        call.cconv = call.callee.calling_convention


def _variable_pointer(op: llvm.AddressOfOp, builder: ir.IRBuilder) -> ir.Value:
    variable = builder.module.globals[op.global_name.root_reference.data]
    # llvmlite has typed pointers; here pointers are opaque
    reference = cast(ir.GlobalVariable, variable).get_reference()
    return ir.Constant(convert_type(op.result.type), reference)


def _private_memory(op: llvm.AllocaOp, builder: ir.IRBuilder, size: ir.Value) -> ir.Value:
    made = builder.alloca(convert_type(op.elem_type), size=size)
    made.type = ir.PointerType()
    if op.alignment is not None:
        made.align = op.alignment.value.data
    return made


def _element_pointer(
    op: llvm.GEPOp, builder: ir.IRBuilder, operands: list[ir.Value]
) -> ir.Value:
    pointer, *dynamic = operands
    numbers = iter(dynamic)
    word = ir.IntType(32)
    indices = [
        next(numbers) if number == llvm.GEP_USE_SSA_VAL else ir.Constant(word, number)
        for number in op.rawConstantIndices.iter_values()
    ]
    return builder.gep(
        pointer,
        indices,
        inbounds=op.inbounds is not None,
        source_etype=convert_type(op.elem_type),
    )


def _is_bit(type: Attribute) -> bool:
    element = type.element_type if isa(type, VectorType) else type
    return isa(element, IntegerType) and element.width.data == 1


def _lowest_bit(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Compute `trunc` to i1 by a comparison: the back end extends a `trunc` by an `and` of types that differ."""
    one, zero = _splat(value.type, 1), _splat(value.type, 0)
    return builder.icmp_unsigned("!=", builder.and_(value, one), zero)


def _splat(type: ir.Type, number: int) -> ir.Constant:
    count: int | None = getattr(type, "count", None)
    return ir.Constant(type, number if count is None else [number] * count)


_SYMBOLS = {"eq": "==", "gt": ">", "ge": ">=", "lt": "<", "le": "<=", "ne": "!="}


def _compare(op: FCmpOp, builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    predicate = op.predicate_name
    if predicate in ("_false", "_true"):  # llvmlite has neither
        return _splat(convert_type(op.res.type), predicate == "_true")
    if predicate in ("ord", "uno"):
        return builder.fcmp_ordered(predicate, left, right)
    compare = builder.fcmp_ordered if predicate.startswith("o") else builder.fcmp_unordered
    return compare(_SYMBOLS[predicate[1:]], left, right)
