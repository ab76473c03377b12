"""The gpu dialect: what mlir-opt 22 reads and prints, from Python too."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    f32,
    i32,
)
from xdsl.ir import Block, Operation, Region
from xdsl.parser import Parser as StockParser
from xdsl.traits import is_side_effect_free, is_speculatable
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse
from xetile.dialects.upstream.gpu import (
    GPU,
    AddressSpaceAttr,
    AllReduceOperationAttr,
    BarrierOp,
    BlockIdOp,
    FuncOp,
    LaneIdOp,
    ModuleOp,
    ReturnOp,
    ShuffleOp,
    SubgroupIdOp,
    SubgroupReduceOp,
    ThreadIdOp,
)
from xetile.dialects.upstream.gpu.gpu_attributes import AddressSpace, AllReduceOperation

Check = Callable[[str], None]

KERNEL = """
gpu.module @kernels [#test.target] attributes {foo = 1 : i32} {
  gpu.func @gemm(%A: memref<4x4xf16> {llvm.noalias}, %i: i32) workgroup(%w : memref<32xf32, #gpu.address_space<workgroup>>, %v : memref<8xf32, 3>) private(%p : memref<1xf32, #gpu.address_space<private>>) kernel attributes {VectorComputeFunctionINTEL, intel_reqd_sub_group_size = 16 : i32, known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>, xetile.level = "workgroup"} {
    gpu.return
  }
  gpu.func @device(%a: f32) -> (f32, f32 {foo.x}) {
    gpu.return %a, %a : f32, f32
  }
}
""".replace(" [#test.target]", "")

IDS = """
gpu.module @m {
  gpu.func @k() kernel {
    %a = gpu.block_id x
    %b = gpu.block_dim y upper_bound 64
    %c = gpu.grid_dim z
    %d = gpu.thread_id x {foo}
    %e = gpu.global_id x upper_bound 64 {foo}
    %f = gpu.subgroup_id : index
    %g = gpu.subgroup_size upper_bound 16 {foo} : index
    %h = gpu.num_subgroups upper_bound 4 : index
    %i = gpu.lane_id upper_bound 16 {foo}
    %j = gpu.cluster_id x
    %k = gpu.cluster_dim x
    %l = gpu.cluster_dim_blocks x
    %m = gpu.cluster_block_id x
    gpu.return
  }
}
"""

COLLECTIVES = """
func.func @f(%f: f32, %i: i32, %v: vector<4xf32>) {
  gpu.barrier
  gpu.barrier {foo}
  %s, %valid = gpu.shuffle xor %f, %i, %i : f32
  %s1, %valid1 = gpu.shuffle idx %v, %i, %i {foo} : vector<4xf32>
  %r, %valid2 = gpu.rotate %f, 3, 16 : f32
  %b = gpu.subgroup_broadcast %f, first_active_lane : f32
  %b1 = gpu.subgroup_broadcast %f, specific_lane %i {foo} : f32
  %a = gpu.all_reduce maximumf %f uniform {} {foo} : (f32) -> f32
  %a1 = gpu.all_reduce %f {
  ^bb0(%l: f32, %m: f32):
    %sum = arith.addf %l, %m : f32
    gpu.yield %sum : f32
  } : (f32) -> f32
  %c = gpu.subgroup_reduce add %v : (vector<4xf32>) -> vector<4xf32>
  %c1 = gpu.subgroup_reduce and %i uniform cluster(size = 4, stride = 2) {foo} : (i32) -> i32
  %c2 = gpu.subgroup_reduce add %f cluster(size = 4) : (f32) -> f32
  gpu.printf "f = %f, i = %d" {foo}, %f, %i : f32, i32
  gpu.printf "none" {foo}
  func.return
}
"""

HOST = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: f32, %i: i32) kernel {
      gpu.return
    }
    gpu.func @none() kernel {
      gpu.return
    }
  }
  func.func @h(%n: index, %f: f32, %i: i32, %m: memref<?xf32>, %u : memref<*xf32>, %l: i64) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%f : f32, %i : i32)
    gpu.launch_func @kernels::@none blocks in (%l, %l, %l) threads in (%l, %l, %l) : i64 dynamic_shared_memory_size %i
    gpu.launch_func @kernels::@none clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n) {foo}
    %t = gpu.wait async
    gpu.launch_func <%t : !gpu.async.token> @kernels::@none blocks in (%n, %n, %n) threads in (%n, %n, %n)
    %t1 = gpu.launch_func async [%t] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) dynamic_shared_memory_size %i args(%f : f32, %i : i32)
    %t2 = gpu.wait async [%t, %t1]
    gpu.wait [%t2]
    gpu.wait {foo}
    %a = gpu.alloc (%n) : memref<?xf32>
    %a1 = gpu.alloc host_shared () {foo} : memref<4xf32>
    %a2, %t3 = gpu.alloc async [%t] (%n) : memref<?xf32>
    gpu.dealloc %a {foo} : memref<?xf32>
    %t4 = gpu.dealloc async [%t3] %a2 : memref<?xf32>
    gpu.memcpy %m, %m : memref<?xf32>, memref<?xf32>
    %t5 = gpu.memcpy async [%t4] %m, %m : memref<?xf32>, memref<?xf32> {foo}
    %t6 = gpu.memset async [%t5, %t4] %m, %f : memref<?xf32>, f32
    gpu.host_register %u : memref<*xf32>
    gpu.host_unregister %u : memref<*xf32>
    gpu.set_default_device %i
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) module(@kernels) function(@k) {
      "test.op"(%tx) : (index) -> ()
      gpu.terminator
    } {foo}
    %t9 = gpu.launch async [%t] clusters(%cx, %cy, %cz) in (%ncx = %n, %ncy = %n, %ncz = %n) blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) dynamic_shared_memory_size %i workgroup(%w : memref<4xf32, 3>) private(%p : memref<4xf32, 5>) {
      gpu.terminator
    }
    func.return
  }
}
"""


@pytest.mark.parametrize("text", [KERNEL, IDS, COLLECTIVES, HOST])
def test_round_trip(text: str, round_trip: Check):
    round_trip(text)


@pytest.mark.mlir_opt
@pytest.mark.parametrize("text", [KERNEL, IDS, COLLECTIVES, HOST])
def test_round_trip_through_mlir(text: str, mlir_round_trip: Check):
    mlir_round_trip(text)


def test_kernel_from_text(only: Callable[[str, str], Operation]):
    (function,) = (f for f in parse(KERNEL).walk() if isinstance(f, FuncOp) and f.is_kernel)
    assert [str(argument.type) for argument in function.arguments] == [
        "memref<4x4xf16>",
        "i32",
    ]
    assert [argument.name_hint for argument in function.workgroup_buffers] == ["w", "v"]
    assert [argument.name_hint for argument in function.private_buffers] == ["p"]
    assert function.known_block_size is not None
    assert function.known_block_size.get_values() == (512, 1, 1)
    assert function.known_grid_size is not None
    assert function.known_grid_size.get_values() == (16, 16, 1)
    assert function.attributes["intel_reqd_sub_group_size"] == IntegerAttr(16, i32)
    assert function.attributes["VectorComputeFunctionINTEL"] == UnitAttr()


def test_kernel_from_python():
    function = FuncOp(
        "k",
        ([f32], []),
        kernel=True,
        known_block_size=DenseArrayBase.from_list(i32, [512, 1, 1]),
        known_grid_size=DenseArrayBase.from_list(i32, [16, 16, 1]),
    )
    x = BlockIdOp("x", 16)
    function.body.block.add_ops([x, ThreadIdOp("y"), SubgroupIdOp(), LaneIdOp(16), ReturnOp()])
    module = ModuleOp("m", [function])
    module.verify()
    assert str(module) == (
        "gpu.module @m {\n"
        "  gpu.func @k(%0: f32) kernel attributes {known_block_size = array<i32: 512, 1, 1>, "
        "known_grid_size = array<i32: 16, 16, 1>} {\n"
        "    %1 = gpu.block_id  x upper_bound 16\n"
        "    %2 = gpu.thread_id  y\n"
        "    %3 = gpu.subgroup_id : index\n"
        "    %4 = gpu.lane_id upper_bound 16\n"
        "    gpu.return\n"
        "  }\n"
        "}"
    )
    assert str(parse(str(module)).body.block.first_op) == str(module)


def test_attributions_from_python():
    shared = MemRefType(f32, [4], memory_space=AddressSpaceAttr(AddressSpace.WORKGROUP))
    body = Region(Block([ReturnOp()], arg_types=[i32, shared]))
    function = FuncOp("k", ([i32], []), body, kernel=True, workgroup_attributions=1)
    assert function.workgroup_buffers == function.body.block.args[1:]
    assert function.private_buffers == ()
    ModuleOp("m", [function]).verify()


def test_attributions_that_are_not_there():
    function = FuncOp("k", ([i32], []), workgroup_attributions=1)
    function.body.block.add_op(ReturnOp())
    with pytest.raises(
        VerifyException, match="'workgroup_attributions' is 1, the entry block has 0"
    ):
        ModuleOp("m", [function]).verify()


def test_entry_arguments_that_are_not_the_inputs():
    body = Region(Block([ReturnOp()], arg_types=[f32]))
    function = FuncOp("k", FunctionType.from_lists([i32], []), body)
    with pytest.raises(
        VerifyException, match=r"entry arguments \(f32\), 'function_type' has inputs \(i32\)"
    ):
        ModuleOp("m", [function]).verify()


def test_collectives_from_python():
    value, lane = test.TestOp(result_types=[f32, i32]).results
    ops = [
        ShuffleOp(value, lane, lane, "xor"),
        SubgroupReduceOp(
            value,
            op=AllReduceOperationAttr(AllReduceOperation.ADD),
            cluster_size=IntegerAttr(4, i32),
            cluster_stride=IntegerAttr(2, i32),
        ),
    ]
    for operation in ops:
        operation.verify()


def test_ids_are_pure_and_barriers_are_not():
    for operation in (BlockIdOp("x"), SubgroupIdOp(), LaneIdOp()):
        assert is_side_effect_free(operation)
        assert is_speculatable(operation)
    assert not is_side_effect_free(BarrierOp())
    assert not is_speculatable(BarrierOp())


def test_shuffles_may_be_shared_but_not_speculated():
    value, lane = test.TestOp(result_types=[f32, i32]).results
    shuffle = ShuffleOp(value, lane, lane, "xor")
    assert is_side_effect_free(shuffle)
    assert not is_speculatable(shuffle)


def test_unnamed_arguments_are_refused():
    with pytest.raises(
        ParseError, match="expected an argument such as %name: type, found 'f32'"
    ):
        parse("gpu.module @m { gpu.func @k(f32) kernel { gpu.return } }")


def test_every_op_is_in_the_dialect_once():
    names = [operation.name for operation in GPU.operations]
    assert len(names) == len(set(names))
    assert {"gpu.launch", "gpu.module", "gpu.func", "gpu.printf"} <= set(names)


@pytest.mark.parametrize("text", [KERNEL, IDS, COLLECTIVES, HOST])
def test_stock_xdsl_reads_no_custom_form(text: str, stock_context: Context):
    """Gap of xDSL 0.75: once this fails, upstream may have a gpu dialect to build on."""
    with pytest.raises(ParseError):
        StockParser(stock_context, text).parse_module()
