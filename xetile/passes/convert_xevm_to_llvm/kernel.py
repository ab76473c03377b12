"""One kernel at L: what it must be before, and the function that it becomes."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, Operation

from xetile.analysis.kernels import (
    OLDER_CONVENTION,
    holds_dialect,
    launch_sizes,
    level,
    symbol_name,
)
from xetile.analysis.targets import named_targets, subgroup_threads, target_of, targets_of
from xetile.dialects.upstream.gpu.functions import FuncOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.levels import LAUNCH_ATTRIBUTE, PRODUCTS_PER_STEP_ATTRIBUTE, SURFACES_ATTRIBUTE
from xetile.passes.convert_xevm_to_llvm.blocks import rewrite_blocks
from xetile.passes.convert_xevm_to_llvm.builtins import PRINTF
from xetile.passes.convert_xevm_to_llvm.converted_operands import order_products
from xetile.passes.convert_xevm_to_llvm.payloads import shared_payloads
from xetile.passes.convert_xevm_to_llvm.private_buffers import bind_private
from xetile.passes.convert_xevm_to_llvm.row_reads import row_reads
from xetile.passes.convert_xevm_to_llvm.shared_buffers import add_buffers, buffer_bytes
from xetile.passes.convert_xevm_to_llvm.signature import (
    Argument,
    add_arguments,
    launch_attribute,
)
from xetile.passes.convert_xevm_to_llvm.spills import warn_of_spills
from xetile.passes.convert_xevm_to_llvm.unrolling import copies_of_loops, products_per_step
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.passes.convert_xevm_to_llvm.wide_loads import joined_loads
from xetile.passes.convert_xevm_to_llvm.wide_stores import joined_stores
from xetile.planning.decided import decided
from xetile.planning.pressure import Estimate, estimate, note
from xetile.rewriting.plain_integers import write_in_arith
from xetile.rewriting.positions import location_at
from xetile.rewriting.rewriter import Handlers
from xetile.rewriting.straight_blocks import merge_straight_blocks
from xetile.targets.target import Target


def convert_kernel(
    function: Operation,
    handlers: Handlers[LLVMView],
    device: str | None,
    unroll: int | None = None,
) -> Estimate:
    """Put the function of the llvm dialect in the kernel's place, and what it calls before it; its registers.

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
    """How many of the entry block's arguments are the function's own."""
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
