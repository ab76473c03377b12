"""Host code on numpy, its launches on a device: what is compiled, what is passed, what memory is shared."""

import numpy
import pytest
from support.made_up_device import MadeUpDevice

import xetile
from xetile.interpreter import execute_host
from xetile.runtime.driver import Pointer, Scalar
from xetile.runtime.host_launches import HostLauncher
from xetile.runtime.open_device import Device

VIEW = "memref<?x64xf32, strided<[64, 1], offset: ?>>"
PROGRAM = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%a: VIEW, %b: VIEW, %by: f32, %from: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %x = gpu.block_id x
      %c8 = arith.constant 8 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %rows = memref.dim %a, %c0 : VIEW
      %r = arith.muli %x, %c8 : index
      %row = arith.addi %r, %from : index
      %tile = xetile.init_tile %a[%row, %c0], [%rows, %c64], [%c64, %c1] : VIEW -> !xetile.tile<8x16xf32>
      %v = xetile.load_tile %tile : !xetile.tile<8x16xf32> -> vector<8x16xf32>
      %s = arith.constant dense<5.000000e-01> : vector<8x16xf32>
      %sum = arith.addf %v, %s : vector<8x16xf32>
      %to = xetile.init_tile %b[%row, %c0], [%rows, %c64], [%c64, %c1] : VIEW -> !xetile.tile<8x16xf32>
      xetile.store_tile %sum, %to : vector<8x16xf32>, !xetile.tile<8x16xf32>
      gpu.return
    }
  }
  gpu.module @others {
    gpu.func @add(%a: memref<32x64xf32>) kernel attributes {VectorComputeFunctionINTEL} {
      %c0 = arith.constant 0 : index
      %one = arith.constant dense<1.0> : vector<8x16xf32>
      %tile = xetile.init_tile %a[%c0, %c0] : memref<32x64xf32> -> !xetile.tile<8x16xf32>
      %v = xetile.load_tile %tile : !xetile.tile<8x16xf32> -> vector<8x16xf32>
      %sum = arith.addf %v, %one : vector<8x16xf32>
      xetile.store_tile %sum, %tile : vector<8x16xf32>, !xetile.tile<8x16xf32>
      gpu.return
    }
  }
  func.func @main(%given: memref<32x64xf32>) -> memref<32x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %half = arith.constant 5.000000e-01 : f32
    %data = memref.alloc() : memref<32x64xf32>
    memref.copy %given, %data : memref<32x64xf32> to memref<32x64xf32>
    // two halves of one allocation: what one launch writes the next reads
    %upper = memref.subview %data[0, 0] [16, 64] [1, 1] : memref<32x64xf32> to memref<16x64xf32, strided<[64, 1]>>
    %lower = memref.subview %data[16, 0] [16, 64] [1, 1] : memref<32x64xf32> to memref<16x64xf32, strided<[64, 1], offset: 1024>>
    %u = memref.cast %upper : memref<16x64xf32, strided<[64, 1]>> to VIEW
    %l = memref.cast %lower : memref<16x64xf32, strided<[64, 1], offset: 1024>> to VIEW
    gpu.launch_func @kernels::@add blocks in (%c2, %c1, %c1) threads in (%c16, %c1, %c1) args(%u : VIEW, %l : VIEW, %half : f32, %c0 : index)
    scf.for %i = %c0 to %c3 step %c1 {
      gpu.launch_func @others::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%data : memref<32x64xf32>)
    }
    gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%l : VIEW, %u : VIEW, %half : f32, %c8 : index)
    func.return %data : memref<32x64xf32>
  }
}
""".replace("VIEW", VIEW)
"""Halves of one allocation that launches read and write in turn, two kernels of one name, both launch conventions."""


def given() -> numpy.ndarray:
    return numpy.random.default_rng(0).standard_normal((32, 64), numpy.float32)


@pytest.mark.opencl
def test_launches_read_what_others_wrote_through_other_views(opencl_cpu: Device) -> None:
    module, array = xetile.parse(PROGRAM), given()
    (wanted,) = xetile.execute_host(module, "main", array)
    (found,) = xetile.execute_host(module, "main", array, on=opencl_cpu, device="bmg")
    assert (found == wanted).all()
    assert (found != array).sum() == 4 * 8 * 16
    assert (array == given()).all()


def test_a_kernel_is_built_once_and_gets_what_the_launch_gives() -> None:
    device = MadeUpDevice()
    xetile.execute_host(xetile.parse(PROGRAM), "main", given(), on=device, device="bmg")
    assert len(device.built) == 2
    names = [name for name, _, _, _ in device.launches]
    assert names == ["add"] * 5
    sizes = [(grid, block) for _, _, grid, block in device.launches]
    assert sizes[0] == ((2, 1, 1), (16, 1, 1))
    assert sizes[1] == ((1, 1, 1), (16, 1, 1))  # one subgroup, as the older convention counts
    _, first, _, _ = device.launches[0]
    pointer, _, rows, *_, by, start = first
    assert isinstance(pointer, Pointer)
    assert (rows, by, start) == (Scalar("i64", 16), Scalar("f32", 0.5), Scalar("i64", 0))
    assert device.is_empty


def test_stages_are_told() -> None:
    told: list[str] = []
    launcher = HostLauncher(MadeUpDevice(), target="bmg", stage=told.append)
    module = xetile.parse(PROGRAM)
    execute_host(module, "main", [given()], output=print, launch_kernel=launcher)
    assert told[:4] == ["compiling", "building add", "launching add", "running host code"]
    assert told[4:7] == ["compiling", "building add", "launching add"]
    assert told[8:10] == ["launching add", "running host code"]


def test_what_does_not_compile_is_said_where_it_is() -> None:
    other = "%one = arith.constant dense<1.0> : vector<8x16xf32>"
    text = PROGRAM.replace(other, f"{other}\n      vector.print %c0 : index")
    line = text[: text.index("vector.print")].count("\n") + 1
    device, module = MadeUpDevice(), xetile.parse(text, name="host.mlir")
    with pytest.raises(xetile.XetileError) as refused:
        xetile.execute_host(module, "main", given(), on=device, device="bmg")
    assert str(refused.value) == (
        f"host.mlir:{line}:7: error: 'vector.print' has no lowering to LLVM IR; "
        "expected gpu.printf, which OpenCL has a function for"
    )
    assert len(device.launches) == 1  # of the kernel that was built before
    assert device.is_empty


def test_what_a_device_refuses_of_a_launch_is_said_at_its_kernel() -> None:
    device, module = MadeUpDevice(), xetile.parse(PROGRAM, name="host.mlir")
    device.largest = 100
    with pytest.raises(xetile.XetileError) as refused:
        xetile.execute_host(module, "main", given(), on=device, device="bmg")
    assert str(refused.value) == (
        "host.mlir:4:5: error: the device does not allocate 8192 bytes"
    )
    assert len(device.built) == 1
    assert device.is_empty


ROW = """
gpu.module @m {
  gpu.func @k(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: i8) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %d = memref.dim %a, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }
}
func.func @main(%from: index) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant -3 : i8
  %data = memref.alloc() : memref<8x64xf32>
  %row = memref.subview %data[%from, 16] [1, 32] [1, 1]
      : memref<8x64xf32> to memref<1x32xf32, strided<[64, 1], offset: ?>>
  %any = memref.cast %row
      : memref<1x32xf32, strided<[64, 1], offset: ?>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1)
      args(%any : memref<?x?xf32, strided<[?, 1], offset: ?>>, %n : i8)
  func.return
}
"""


def test_a_single_row_keeps_its_pitch() -> None:
    device = MadeUpDevice()
    xetile.execute_host(xetile.parse(ROW), "main", 3, on=device, device="bmg")
    ((_, (pointer, offset, *extents, number), _, _),) = device.launches
    assert isinstance(pointer, Pointer)
    assert pointer.offset == (3 * 64 + 16) * 4
    assert offset == Scalar("i64", 3 * 64 + 16)
    assert len(device.before[0][pointer.memory]) == 8 * 64 * 4
    assert extents == [Scalar("i64", 1), Scalar("i64", 32), Scalar("i64", 64)]
    assert number == Scalar("i8", -3)


BASE = """
gpu.module @m {
  gpu.func @k(%a: VIEW, %twice: i1) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %start = memref.extract_aligned_pointer_as_index %a : VIEW -> index
    %p = arith.index_cast %start : index to i64
    %from = xetile.init_tile %p[%c0, %c0], [%c8, %c64], [%c64, %c1] : i64 -> !xetile.tile<8x16xf32>
    %v = xetile.load_tile %from : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %double = arith.addf %v, %v : vector<8x16xf32>
    %r = arith.select %twice, %double, %v : vector<8x16xf32>
    %to = xetile.init_tile %p[%c0, %c16], [%c8, %c64], [%c64, %c1] : i64 -> !xetile.tile<8x16xf32>
    xetile.store_tile %r, %to : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
func.func @main(%given: memref<32x64xf32>) -> memref<32x64xf32> {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %true = arith.constant true
  %data = memref.alloc() : memref<32x64xf32>
  memref.copy %given, %data : memref<32x64xf32> to memref<32x64xf32>
  %lower = memref.subview %data[16, 0] [16, 64] [1, 1] : memref<32x64xf32> to memref<16x64xf32, strided<[64, 1], offset: 1024>>
  %view = memref.cast %lower : memref<16x64xf32, strided<[64, 1], offset: 1024>> to VIEW
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%view : VIEW, %true : i1)
  func.return %data : memref<32x64xf32>
}
"""
"""A kernel that reads and writes the rows at the start of the allocation, in front of the memref that it takes."""

OFFSETS = pytest.mark.parametrize("offset", ["1024", "?"])


def from_base(offset: str) -> str:
    return BASE.replace("VIEW", f"memref<16x64xf32, strided<[64, 1], offset: {offset}>>")


@pytest.mark.opencl
@OFFSETS
def test_a_kernel_reaches_what_lies_in_front_of_a_view(
    offset: str, opencl_cpu: Device
) -> None:
    module, array = xetile.parse(from_base(offset)), given()
    (wanted,) = xetile.execute_host(module, "main", array)
    assert (wanted[:8, 16:32] == 2 * array[:8, :16]).all()
    (found,) = xetile.execute_host(module, "main", array, on=opencl_cpu, device="bmg")
    assert (found == wanted).all()


@OFFSETS
def test_a_view_is_given_with_its_offset_and_the_memory_around_it(offset: str) -> None:
    device = MadeUpDevice()
    xetile.execute_host(xetile.parse(from_base(offset)), "main", given(), on=device)
    ((_, (pointer, *passed), _, _),) = device.launches
    assert isinstance(pointer, Pointer)
    assert pointer.offset == 4096
    assert device.before[0][pointer.memory] == given().tobytes()
    assert passed == [Scalar("i64", 1024)] * (offset == "?") + [Scalar("i8", 1)]


def test_an_i1_is_given_as_a_number() -> None:
    module = xetile.parse(from_base("?"))
    for name in ("true", "false"):
        device = MadeUpDevice()
        text = from_base("?").replace("arith.constant true", f"arith.constant {name}")
        module = xetile.parse(text)
        xetile.execute_host(module, "main", given(), on=device)
        ((_, (*_, flag), _, _),) = device.launches
        assert flag == Scalar("i8", int(name == "true"))


LAUNCH = """
func.func @main() {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%x, %y, %z) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%a, %b, %c) in (%bx = %c16, %by = %c1, %bz = %c1) {
    gpu.terminator
  }
  func.return
}
"""


def test_a_body_that_is_no_kernel_stays_on_numpy() -> None:
    module = xetile.parse(LAUNCH, name="host.mlir")
    xetile.execute_host(module, "main")
    with pytest.raises(xetile.XetileError) as refused:
        xetile.execute_host(module, "main", on=MadeUpDevice())
    assert str(refused.value) == (
        "host.mlir:5:3: error: the body of a gpu.launch is executed on numpy only; a device launches a gpu.func "
        "(mlir-opt --gpu-kernel-outlining makes one of it)"
    )


def test_a_target_needs_a_device() -> None:
    with pytest.raises(xetile.XetileError, match="device='bmg' goes with on="):
        xetile.execute_host(xetile.parse(LAUNCH), "main", device="bmg")
