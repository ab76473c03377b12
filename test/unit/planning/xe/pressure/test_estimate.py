"""Registers of kernels of the llvm dialect, products beside what IGC counted."""

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

from xetile.api import lower, parse_text
from xetile.codegen.llvm_functions import is_kernel, llvm_functions
from xetile.errors import collected_remarks
from xetile.kernels import gemm_module
from xetile.levels import REGISTERS_ATTRIBUTE
from xetile.planning.xe.pressure import Estimate, estimate, noted

SUMS = {"f16": "f32", "tf32": "f32", "i8": "i32"}

LANE = """
gpu.module @m {
  llvm.func @_Z3getj(i32) -> i32
  llvm.func @intel_sub_group_2d_block_read(!llvm.ptr<1>, !llvm.ptr)
  llvm.func @k(%a: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %m = llvm.alloca %one x !llvm.array<16 x f32> {alignment = 64 : i64} : (i32) -> !llvm.ptr
    llvm.call @intel_sub_group_2d_block_read(%a, %m) : (!llvm.ptr<1>, !llvm.ptr) -> ()
    %v = llvm.load %m : !llvm.ptr -> vector<8xf32>
    %p = llvm.getelementptr inbounds %m[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %w = llvm.load %p : !llvm.ptr -> vector<8xf32>
    %s = llvm.fadd %v, %w : vector<8xf32>
    llvm.store %s, %a : vector<8xf32>, !llvm.ptr<1>
    llvm.return
  }
}
"""


def kernel_of(module: ModuleOp) -> llvm.FuncOp:
    (found,) = filter(is_kernel, llvm_functions(module))
    return found


def of_product(element: str, tile: tuple[int, int, int], device: str = "bmg") -> Estimate:
    m, n, k = tile
    module = gemm_module(
        m=512,
        n=512,
        k=512,
        a=element,
        accumulator=SUMS[element],
        workgroup_tile=(2 * m, 2 * n),
        subgroup_tile=(m, n),
        k_step=k,
    )
    with collected_remarks():
        return estimate(kernel_of(lower(module, to="llvm", device=device)))


def test_parts_of_a_message_are_in_its_registers_and_copies_count_beside_it():
    found = estimate(kernel_of(parse_text(LANE, "k.mlir")))
    # 16 of the message, and the sum beside its last use: what is made counts where it is made
    assert found.held.registers == 17  # and the pointer
    assert (
        found.counted.registers == 34
    )  # the copies of 8, an element on its way, and the pointer


@pytest.mark.parametrize(
    ("element", "tile", "counted", "held"),
    [
        ("f16", (32, 64, 32), 258, 225),
        ("f16", (8, 16, 16), 21, 21),
        ("i8", (32, 64, 32), 210, 177),
        ("tf32", (32, 64, 16), 242, 225),
    ],
)
def test_products_have_what_igc_counts(
    element: str, tile: tuple[int, int, int], counted: int, held: int
):
    """Counted: MaxPressure of IGC's `*_RegEst.ll`; held: A, B, the sums, and a register of scalars."""
    found = of_product(element, tile)
    assert abs(found.counted.registers - counted) <= 1
    assert found.held.registers == held


def test_what_does_not_fit_is_estimated_in_the_order_that_igc_takes():
    found = of_product("f16", (24, 64, 64))
    assert found.written.registers == 273
    assert found.held.registers in (185, 186)  # IGC: 186
    assert found.fits("large")


@pytest.mark.parametrize(("unroll", "ahead"), [(1, 33), (4, 105), (8, 201)])
def test_loads_of_all_rounds_in_one_are_ahead(unroll: int, ahead: int):
    """Of a round 8 registers of A and 16 of B; 8 of the sums and one of scalars."""
    module = gemm_module(m=512, n=512, k=512, workgroup_tile=(64, 64), subgroup_tile=(8, 16))
    kernel = kernel_of(lower(module, to="llvm", device="bmg", unroll=unroll))
    found = noted(kernel)
    assert (found.held.registers, found.ahead) == (33, ahead)
    assert [found.fills_large(limit) for limit in (ahead - 1, ahead)] == [unroll > 1, False]


def test_the_estimate_is_written_on_the_kernel():
    small = gemm_module(m=64, n=64, k=64, workgroup_tile=(32, 32), subgroup_tile=(16, 16))
    module = lower(small, to="llvm", device="bmg")
    kernel = kernel_of(module)
    written = noted(kernel)
    assert REGISTERS_ATTRIBUTE in kernel.attributes
    assert written.held.registers == estimate(kernel).held.registers
    assert written.ahead == estimate(kernel).ahead
    del kernel.attributes[REGISTERS_ATTRIBUTE]
    assert noted(kernel).counted.registers == written.counted.registers


AROUND = """
gpu.module @m {
  llvm.func @k(%a: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %v = llvm.load %a : !llvm.ptr<1> -> vector<8xf32>
    BEFORE
    llvm.br ^head(%zero, %v : i32, vector<8xf32>)
  ^head(%i: i32, %sum: vector<8xf32>):
    %more = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %more, ^body, ^end
  ^body:
    %next = llvm.fadd %sum, %sum : vector<8xf32>
    %j = llvm.add %i, %one : i32
    llvm.br ^head(%j, %next : i32, vector<8xf32>)
  ^end:
    llvm.store %sum, %a : vector<8xf32>, !llvm.ptr<1>
    AFTER
    llvm.store %w, %a : vector<8xf32>, !llvm.ptr<1>
    llvm.return
  }
}
"""


def test_what_is_read_after_a_loop_is_live_in_it():
    """16 lanes with 8 floats each are 8 registers."""
    load = "%w = llvm.load %a : !llvm.ptr<1> -> vector<8xf32>"
    before, after = (
        kernel_of(parse_text(AROUND.replace(place, load).replace(other, ""), "k.mlir"))
        for place, other in (("BEFORE", "AFTER"), ("AFTER", "BEFORE"))
    )
    assert estimate(before).held.registers == estimate(after).held.registers + 8
