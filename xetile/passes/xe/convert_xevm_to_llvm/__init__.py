"""Turn kernels from one lane's view (XeVM) into LLVM IR that calls Intel's builtins.

Before:

    gpu.module @kernels {
      gpu.func @copy(%a: memref<64x32xf16>, %b: memref<64x32xf16>) kernel
          attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
        %w = arith.constant 64 : i32
        %h = arith.constant 64 : i32
        %x = arith.constant 0 : i32
        %block = gpu.block_id x
        %c8 = arith.constant 8 : index
        %row = arith.muli %block, %c8 : index
        %y = arith.index_cast %row : index to i32
        %i = memref.extract_aligned_pointer_as_index %a : memref<64x32xf16> -> index
        %l = arith.index_cast %i : index to i64
        %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
        %v = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false,
            tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}>
            : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
        ...

After:

    gpu.module @kernels {
      llvm.func @_Z12get_group_idj(i32) -> i64
      llvm.func @_Z41intel_sub_group_2d_block_read_16b_8r16x2cPU3AS1viiiDv2_iPt(!llvm.ptr<1>, i32, i32, i32,
          vector<2xi32>, !llvm.ptr)
      llvm.func @copy(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {gpu.kernel, intel_reqd_sub_group_size = 16 : i32,
          reqd_work_group_size = array<i32: 16, 1, 1>, xetile.launch = {...}} {
        %0 = llvm.mlir.constant(0 : i32) : i32
        ...
        %3 = llvm.alloca %2 x !llvm.array<16 x i16> {alignment = 64 : i64} : (i32) -> !llvm.ptr
        %7 = llvm.call @_Z12get_group_idj(%0) : (i32) -> i64
        %block = llvm.trunc %7 : i64 to i32
        %row = llvm.mul %block, %1 : i32
        %8 = llvm.insertelement %0, %5[%0 : i32] : vector<2xi32>
        %9 = llvm.insertelement %row, %8[%2 : i32] : vector<2xi32>
        llvm.call @_Z41intel_sub_group_2d_block_read_16b_8r16x2cPU3AS1viiiDv2_iPt(%a, %4, %4, %4, %9, %3) : (...) -> ()
        %10 = llvm.load %3 : !llvm.ptr -> vector<8xi16>
        ...

- The kernel's arguments: see `signature.py`; the attribute `xetile.launch` has the facts that a host needs.
- Vectors are rows of chunks of at most 8 elements. A load fills private memory, from which the used chunks are read;
  IGC keeps all of it in registers.
- An index has 32 bits if its range allows (`analysis/ranges.py`), else 64.
- Blocks of a kernel and branches between them (cf) stay; ops of index and affine become ops of arith before.
- A lane's loads and stores of a memref have the alignment of an element. A lane's own buffers (memref.alloca, private
  buffers of the function) are private memory.
- Prefetches in loops go through an address payload (`control_flow.py`). Loops are structured up to here for this
  reason, and become branches.
- Loops of products are unrolled (`control_flow.py`), and every loop is marked so that no later tool unrolls it.
- Neighboring transposed loads become one on devices that transpose wider blocks (`llvm_kernel.py`).
- Messages to one matrix share an address payload (`payloads.py`): stores, and loads outside of loops. Two adjacent
  stores of 16 bits become one message (`payloads.py`); rows inside their matrix are 1D reads (`message_calls.py`).
- Computed operands B come right before the products that use them (`llvm_kernel.py`).
- bf16 and 8-bit floats are integers of their size; arithmetic on bf16 rounds to it after every op.
- fastmath flags stay on the lowered ops; `contract` merges a sum with a product, and `afn` and `arcp` allow
  approximations (`floats.py`).
- `cache_control` selects IGC's function behind the builtin, which has an argument for it. This also applies to LLVM's
  loads and stores with a cache control (`pointers.py`) and to xevm.prefetch.

Surfaces of 2D messages have 32-bit sizes; a dynamic size is truncated to that.
"""

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xetile.analysis import module_kernels
from xetile.analysis.kernel_targets import check_unroll
from xetile.errors import fail
from xetile.passes.xe.convert_xevm_to_llvm import (
    arithmetic,
    control_flow,
    float_functions,
    floats,
    message_calls,
    pointers,
    vector_chunks,
    work_items,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_kernel import (
    convert_kernel,
    describe_registers,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView
from xetile.rewriting.rewriter import Handlers

HANDLERS: Handlers[LLVMView] = {
    **arithmetic.HANDLERS,
    **floats.HANDLERS,
    **float_functions.HANDLERS,
    **control_flow.HANDLERS,
    **pointers.HANDLERS,
    **message_calls.HANDLERS,
    **vector_chunks.HANDLERS,
    **work_items.HANDLERS,
}


@dataclass(frozen=True)
class ConvertXeVMToLLVM(ModulePass):
    """Turn kernels at lane level into functions of the llvm dialect that call Intel's builtins.

    Parameters:
        unroll: how often loops of products have their rounds written, one behind the other; 1 leaves loops as they are;
            by default what measured best on the device.
        print_registers: whether the registers that each kernel has live go to standard error; false by default.
    """

    name = "convert-xevm-to-llvm"

    device: str | None = None
    unroll: int | None = None
    print_registers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every kernel; the module around it stays.

        Errors: XetileError at the op that has no lowering.
        """
        found = module_kernels.kernel_functions(op)
        for function in module_kernels.functions(op):
            if function not in found and function.name == "gpu.func":
                fail(function, "a function that is no kernel has no lowering to LLVM IR")
        check_unroll(self.unroll)
        for function in found:
            name = module_kernels.symbol_name(function)
            registers = convert_kernel(function, HANDLERS, self.device, self.unroll)
            if self.print_registers:
                print(describe_registers(name, registers), file=sys.stderr)
