"""One kernel at L: the checks before it, and the function that it becomes.

Computed operands B are computed right before the products that use them.

Before (16 rows of A and 32 columns of B):

    %b0 = llvm.bitcast(llvm.sitofp %w0)
    %b1 = llvm.bitcast(llvm.sitofp %w1)
    %d0 = llvm.call @..matrix_mad..(%a0, %b0, %c0)
    %d1 = llvm.call @..matrix_mad..(%a0, %b1, %c1)
    %d2 = llvm.call @..matrix_mad..(%a1, %b0, %c2)
    %d3 = llvm.call @..matrix_mad..(%a1, %b1, %c3)

After:

    %b0 = llvm.bitcast(llvm.sitofp %w0)
    %d0 = llvm.call @..matrix_mad..(%a0, %b0, %c0)
    %d2 = llvm.call @..matrix_mad..(%a1, %b0, %c2)
    %b1 = llvm.bitcast(llvm.sitofp %w1)
    %d1 = llvm.call @..matrix_mad..(%a0, %b1, %c1)
    %d3 = llvm.call @..matrix_mad..(%a1, %b1, %c3)

Of a converted tile, only the part that one instruction takes is live; each sum keeps its order. A chunk of one scalar
is made in the block that uses it: there IGC has one register for it, and so do we (planning/xe/pressure). Ops that have
an effect or read memory stay where they are.

Bytes as halves, 32x64 of B for a subgroup alone, K steps of 32 (ocloc 26.27, `python -m tools.instruction_counts --only
'*one subgroup*'`): 382 instructions on bmg became 364, 816 with scales 620, and nothing is spilled.

Buffers of a workgroup become variables in shared memory that belong to one kernel.

Neighboring transposed loads become one message on devices whose transposed messages are wider than XeVM's:

    %a = xevm.blockload2d %p, %w, %h, %w, %x, %y <{tile_height = 16, tile_width = 8, transpose = true, ...}>
    %b = xevm.blockload2d %p, %w, %h, %w, %x8, %y <{tile_height = 16, tile_width = 8, transpose = true, ...}>

With %x8 = %x + 8 these are one call of intel_sub_group_2d_block_read_transpose_32b_16r16x1c. The first half of its
registers is %a and the second %b: every lane has a row, and its columns in order.

The module also reports registers: it warns of a kernel that will spill, and prints the figures of each on request.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    VectorType,
    i8,
    i32,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from xetile.analysis.kernel_targets import (
    named_targets,
    subgroup_threads,
    target_of,
    targets_of,
)
from xetile.analysis.module_kernels import (
    OLDER_CONVENTION,
    holds_dialect,
    launch_sizes,
    level,
    symbol_name,
)
from xetile.dialects.upstream.gpu.gpu_functions import FuncOp
from xetile.dialects.upstream.llvm import ExtractElementOp
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xevm import BlockLoad2dOp, BlockPrefetch2dOp, MMAOp
from xetile.errors import fail, position, warn, with_line
from xetile.hints import isa
from xetile.layout.intel.message_layouts import BlockConfiguration
from xetile.levels import LAUNCH_ATTRIBUTE, PRODUCTS_PER_STEP_ATTRIBUTE, SURFACES_ATTRIBUTE
from xetile.passes.xe.convert_xevm_to_llvm.builtins import PRINTF
from xetile.passes.xe.convert_xevm_to_llvm.control_flow import (
    copies_of_loops,
    products_per_step,
    rewrite_blocks,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import element_bits, lowered_element
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView, Strided
from xetile.passes.xe.convert_xevm_to_llvm.message_calls import row_reads
from xetile.passes.xe.convert_xevm_to_llvm.payloads import (
    joined_stores,
    place_of,
    shared_payloads,
    touches_no_memory,
)
from xetile.passes.xe.convert_xevm_to_llvm.pointers import bind_private
from xetile.passes.xe.convert_xevm_to_llvm.signature import (
    Argument,
    add_arguments,
    launch_attribute,
)
from xetile.planning.decided import decided
from xetile.planning.xe.pressure import Estimate, estimate, note
from xetile.planning.xe.pressure.fitting_tiles import ProductTile, nearest
from xetile.rewriting.effects import is_pure
from xetile.rewriting.kept_positions import location_at
from xetile.rewriting.plain_integers import write_in_arith
from xetile.rewriting.rewriter import Handlers
from xetile.rewriting.straight_blocks import merge_straight_blocks
from xetile.targets.target import Target
from xetile.targets.xe.device import (
    LANES,
    REGISTER_BYTES,
    REGISTERS,
    SHARED_ADDRESS_SPACE,
    XeDevice,
)


def warn_of_spills(function: Operation, found: Estimate) -> None:
    """Warn, at its largest product, that the large register file cannot hold a kernel of level V."""
    if found.fits("large"):
        return
    says = (
        f"about {found.held.registers} registers of {REGISTER_BYTES} bytes are live here at once, and a thread has "
        f"{REGISTERS['large']}: some will be spilled to memory"
    )
    tiles = [(_tile(products), products[0]) for products in _products(function)]
    if not tiles:
        warn(found.held.at or function, f"{says}; hold fewer values at once")
        return
    tile, at = max(tiles, key=lambda each: each[0].registers)
    smaller = nearest(tile, found.written.registers, "large")
    advice = "hold fewer values at once"
    if smaller is not None:
        advice = f"a tile of {smaller[0]} has about {smaller[1]}"
    warn(at, f"a subgroup multiplies a tile of {tile} (MxNxK); {says}; {advice}")


def describe_registers(name: str, found: Estimate) -> str:
    """Return one line on a kernel's live registers, and where they are live."""
    place = "" if found.held.at is None else with_line(found.held.at, ", most in line {}")
    return (
        f"@{name}: {found.held.registers} registers of {REGISTER_BYTES} bytes live at once{place}; "
        f"{found.counted.registers} with copies, as IGC counts"
    )


def _products(function: Operation) -> list[list[MMAOp]]:
    """Return the matrix instructions of each tile_mma: those of one position, or of a block if each has its own."""
    groups: dict[object, list[MMAOp]] = {}
    blocks: dict[Block | None, list[MMAOp]] = {}
    for op in function.walk():
        if isinstance(op, MMAOp):
            groups.setdefault((op.parent_block(), position(op)), []).append(op)
            blocks.setdefault(op.parent_block(), []).append(op)
    alone = all(len(group) == 1 for group in groups.values())
    return list((blocks if alone else groups).values())


def _tile(products: Sequence[MMAOp]) -> ProductTile:
    """Return the extents that instructions multiply together; those that begin a sum are next to each other."""
    made = {op.d for op in products}
    first = [op for op in products if op.c not in made]
    one = products[0]
    m, n, k = one.shape.sizes
    rows, columns = ({op.a for op in first}, {op.b for op in first})
    return ProductTile(
        m * len(rows),
        n * len(columns),
        k * len(products) // len(first),
        _bits(one.a, m * k),
        _bits(one.b, k * n),
        _bits(one.d, m * n),
        k,
    )


def _bits(registers: SSAValue, elements: int) -> int:
    """Return the bits of an element of an operand, which all lanes hold together."""
    type = registers.type
    assert isa(type, VectorType)
    return element_bits(type.element_type) * type.get_shape()[0] * LANES // elements


def joined_loads(
    function: Operation, targets: Sequence[Target]
) -> Mapping[Operation, BlockLoad2dOp]:
    """Return the second load of each pair by the first; empty unless every target has the wider message."""
    found: dict[Operation, BlockLoad2dOp] = {}
    if not targets:
        return found
    for block in (
        block for op in function.walk() for region in op.regions for block in region.blocks
    ):
        for first, second in _pairs(block):
            columns = first.tile_width.value.data
            wide = BlockConfiguration(
                first.tile_height.value.data, 2 * columns, 1, packed=False, transposed=True
            )
            bits = first.elem_size_in_bits.value.data
            if all(
                isinstance(t, XeDevice) and wide in t.compiled("load_transposed", bits)
                for t in targets
            ):
                found[first] = second
    return found


def _pairs(block: Block) -> Iterator[tuple[BlockLoad2dOp, BlockLoad2dOp]]:
    """Yield loads of a block, each with the one to its right, if no op between them writes."""
    waiting: list[BlockLoad2dOp] = []
    for op in block.ops:
        if isinstance(op, BlockLoad2dOp):
            if not _transposes_rows(op):
                continue
            left = next((load for load in waiting if _is_right_of(op, load)), None)
            if left is None:
                waiting.append(op)
            else:
                waiting.remove(left)
                yield left, op
        elif not isinstance(op, BlockPrefetch2dOp | MMAOp) and not touches_no_memory(op):
            waiting.clear()


def _transposes_rows(op: BlockLoad2dOp) -> bool:
    """Return True if each lane gets whole rows."""
    return (
        op.is_transposed and op.tile_height.value.data >= LANES and op.v_blocks.value.data == 1
    )


def _is_right_of(right: BlockLoad2dOp, left: BlockLoad2dOp) -> bool:
    if right.properties != left.properties or right.operands[:4] != left.operands[:4]:
        return False
    (x, start), (other, begin) = place_of(right.x), place_of(left.x)
    beside = x is other and start - begin == left.tile_width.value.data
    return beside and place_of(right.y) == place_of(left.y)


_POINTER = llvm.LLVMPointerType(IntAttr(SHARED_ADDRESS_SPACE))


def add_buffers(view: LLVMView, buffers: Sequence[BlockArgument]) -> list[llvm.GlobalOp]:
    """Return the variables, and bind the function's buffers to pointers to them."""
    made: list[llvm.GlobalOp] = []
    for index, buffer in enumerate(buffers):
        type = cast(MemRefType[Attribute], buffer.type)
        name = f"{symbol_name(view.function)}_shared{index or ''}"
        variable = _variable(view, name, type)
        made.append(variable)
        pointer = view.emit_at_entry(llvm.AddressOfOp(name, _POINTER))
        layout = strides_and_offset(type)
        assert layout is not None
        view.bind(buffer, Strided(pointer, 0, type.get_shape(), tuple(layout[0])))
    return made


def buffer_bytes(variable: llvm.GlobalOp) -> int:
    """Return the bytes of a variable of these."""
    return cast(llvm.LLVMArrayType, variable.global_type).size.data


def _variable(view: LLVMView, name: str, type: MemRefType[Attribute]) -> llvm.GlobalOp:
    element, shape = lowered_element(type.element_type), type.get_shape()
    layout = strides_and_offset(type)
    if element is None or layout is None or layout[1] != 0 or min(shape, default=1) < 0:
        fail(view.function, f"a buffer of type {type} has no lowering to LLVM IR")
    array = llvm.LLVMArrayType(IntAttr(prod(shape) * max(8, element_bits(element)) // 8), i8)
    made = llvm.GlobalOp(
        array,
        name,
        "internal",
        addr_space=SHARED_ADDRESS_SPACE,
        alignment=REGISTER_BYTES,
    )
    made.location = view.function.location
    return made


_MATRIX_FUNCTION = "_matrix_mad_"

_MOVES = (
    llvm.BitcastOp.name,
    llvm.ShuffleVectorOp.name,
    llvm.InsertElementOp.name,
    llvm.UndefOp.name,
    ExtractElementOp.name,
)
"""Ops that compute nothing."""

_READS = (llvm.CallOp.name, llvm.LoadOp.name)


def order_products(region: Region) -> None:
    """Move computed operands right before their products, in each block that computes some."""
    for block in region.blocks:
        operands = {op.operands[1] for op in block.ops if _is_product(op)}
        if any(_is_computed(operand, block) for operand in operands):
            _own_splats(block)
            _reorder(block)


def _is_product(op: Operation) -> bool:
    if op.name != llvm.CallOp.name or not isinstance(op, llvm.CallOp) or op.callee is None:
        return False
    return _MATRIX_FUNCTION in op.callee.string_value()


def _is_computed(value: SSAValue, block: Block) -> bool:
    """Return True if an operand is computed, not only assembled from loaded values and those of other blocks."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        found = waiting.pop()
        if found in seen or not isinstance(found, OpResult) or found.op.parent is not block:
            continue
        seen.add(found)
        if found.op.name in _MOVES:
            waiting += found.op.operands
        elif found.op.name not in _READS:
            return True
    return False


def _own_splats(block: Block) -> None:
    """Make chunks of one scalar in this block if they come from other blocks."""
    made: dict[tuple[SSAValue, Attribute], SSAValue] = {}
    for op in list(block.ops):
        if isinstance(op, llvm.CallOp) or op is block.last_op:
            continue
        for index, value in enumerate(op.operands):
            splat = value.owner
            if not isinstance(splat, llvm.ShuffleVectorOp) or splat.parent is block:
                continue
            first = splat.v1.owner
            if any(splat.mask.get_values()) or not isinstance(first, llvm.InsertElementOp):
                continue
            key = (first.value, value.type)
            if key not in made:
                one = first.clone()
                many = splat.clone({first.res: one.res})
                block.insert_ops_before([one, many], op)
                made[key] = many.res
            op.operands[index] = made[key]
            _drop_unused(splat, first)


def _drop_unused(*ops: Operation) -> None:
    for op in ops:
        if op.parent is not None and not any(result.first_use for result in op.results):
            op.detach()
            op.erase()


def _reorder(block: Block) -> None:
    order = _Order(block)
    run: list[Operation] = []
    for op in list(block.ops):
        if _is_product(op):
            run.append(op)
        elif not order.floats(op):
            order.place_all(_by_operand(run))
            run.clear()
            order.place(op)
    for op in list(block.ops):
        op.detach()
    block.add_ops(order.placed)


def _by_operand(products: Sequence[Operation]) -> list[Operation]:
    """Return products grouped by operand B, with operands in the order of their first use."""
    groups: dict[SSAValue, list[Operation]] = {}
    for op in products:
        groups.setdefault(op.operands[1], []).append(op)
    return [op for group in groups.values() for op in group]


class _Order:
    """The new order of a block's ops, as far as it is decided."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.placed: dict[Operation, None] = {}

    def floats(self, op: Operation) -> bool:
        """Return True if an op may be placed anywhere before its uses, all of which are in this block."""
        uses = [use for result in op.results for use in result.uses]
        return (
            bool(uses)
            and is_pure(op)
            and all(use.operation.parent is self.block for use in uses)
        )

    def place_all(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            self.place(op)

    def place(self, root: Operation) -> None:
        """Place an op after all of its operands."""
        stack = [root]
        while stack:
            op = stack[-1]
            missing = [
                value.op
                for value in op.operands
                if isinstance(value, OpResult)
                and value.op.parent is self.block
                and value.op not in self.placed
            ]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            self.placed[op] = None


def convert_kernel(
    function: Operation,
    handlers: Handlers[LLVMView],
    device: str | None,
    unroll: int | None = None,
) -> Estimate:
    """Replace a kernel by its function of the llvm dialect, preceded by callees, and return the register estimate.

    Where neither `device` nor a gpu.module names a target, it calls what all devices have.
    """
    targets = named_targets(function) if device is None else [target_of(function, device)]
    merge_straight_blocks(function)
    write_in_arith(function)
    _check(function)
    declared: dict[str, llvm.FuncOp] = {}
    view = LLVMView(function, handlers, declared)
    view.joined = joined_loads(function, targets)
    view.pairs = joined_stores(function, targets)
    view.row_reads = row_reads(function, view.ranges)
    view.shared_payloads = shared_payloads(function, view.pairs, view.row_reads)
    view.copies = copies_of_loops(
        function, view.ranges, targets or targets_of(function), unroll
    )
    decided(function, view)
    body = function.regions[0].blocks[0]
    count = _inputs(function, len(body.args))
    arguments = add_arguments(view, tuple(body.args[:count]))
    private = function.private_buffers if isinstance(function, FuncOp) else ()
    buffers = add_buffers(view, [b for b in body.args[count:] if b not in private])
    for buffer in private:
        bind_private(view, buffer)
    _check_shared(function, sum(map(buffer_bytes, buffers)), targets)
    rewrite_blocks(view, body)
    order_products(view.region)
    kernel = _kernel(function, view, arguments, buffers)
    registers = estimate(kernel)
    decided(kernel, registers)
    note(kernel, registers)
    warn_of_spills(function, registers)
    parent = function.parent_block()
    assert parent is not None
    present = {symbol_name(op) for op in parent.ops}
    new = [made for name, made in declared.items() if name not in present]
    parent.insert_ops_before([*new, *buffers, *view.texts.values(), kernel], function)
    function.detach()
    function.erase()
    return registers


def _check(function: Operation) -> None:
    found = level(function)
    if found != "lane" and holds_dialect(function, "xetile", "xegpu"):
        fail(function, f"the kernel is at level {found}; run convert-xegpu-to-xevm first")
    if OLDER_CONVENTION in function.attributes:
        fail(
            function,
            f"'{OLDER_CONVENTION}' counts subgroups, which convert-xetile-to-xegpu and convert-xegpu-to-xevm "
            "rewrite in kernels with tiles; write this one for work-items, without it",
        )
    size = function.attributes.get("intel_reqd_sub_group_size")
    threads = subgroup_threads(function)
    if isa(size, IntegerAttr) and size.value.data != threads:
        fail(
            function,
            f"intel_reqd_sub_group_size is {size.value.data}; expected {threads}, the lanes of a subgroup",
        )


def _inputs(function: Operation, arguments: int) -> int:
    """Return how many of the entry block's arguments are the function's own."""
    type = function.properties.get("function_type")
    return len(type.inputs.data) if isinstance(type, FunctionType) else arguments


def _check_shared(function: Operation, bytes: int, targets: Sequence[Target]) -> None:
    for target in targets:
        if bytes > target.shared_bytes:
            fail(
                function,
                f"the kernel has {bytes} bytes of shared memory; {target.name} gives a workgroup "
                f"{target.shared_bytes} at most",
            )


def _kernel(
    function: Operation,
    view: LLVMView,
    arguments: list[Argument],
    buffers: Sequence[llvm.GlobalOp],
) -> llvm.FuncOp:
    name = symbol_name(function)
    if not name or name.startswith("_Z"):
        fail(
            function,
            f"kernel '{name}' cannot have this name: names that begin with _Z are mangled ones",
        )
    if name == PRINTF:
        fail(function, f"a kernel cannot be named '{name}', as a function of OpenCL's is")
    attributes: dict[str, Attribute] = {
        "gpu.kernel": UnitAttr(),
        "intel_reqd_sub_group_size": IntegerAttr(subgroup_threads(function), i32),
    }
    if SURFACES_ATTRIBUTE in function.attributes:
        attributes[SURFACES_ATTRIBUTE] = function.attributes[SURFACES_ATTRIBUTE]
    if view.copies:
        products = IntegerAttr(products_per_step(function), i32)
        attributes[PRODUCTS_PER_STEP_ATTRIBUTE] = products
    sizes = launch_sizes(function, "known_block_size")
    if sizes is not None:
        attributes["reqd_work_group_size"] = DenseArrayBase.from_list(i32, sizes)
    attributes[LAUNCH_ATTRIBUTE] = launch_attribute(
        function, arguments, sum(map(buffer_bytes, buffers))
    )
    type = llvm.LLVMFunctionType(
        [argument.type for argument in arguments], llvm.LLVMVoidType()
    )
    kernel = llvm.FuncOp(
        name, type, llvm.LinkageAttr("external"), body=view.region, extra_attrs=attributes
    )
    kernel.location = location_at(function)
    return kernel
