"""Loops that are unrolled compute what they computed: executed on the emulated device against numpy."""

from functools import cache

import numpy
import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.api import execute, lower, parse_text
from xetile.errors import XetileError
from xetile.runtime.launch import Compiled, compile_kernel, execute_compiled
from xetile.runtime.open_device import Device

Bounds = tuple[int, int]

KERNEL = """
!a = !xetile.tile<8x32xf16>
!b = !xetile.tile<32x16xf16>
!c = vector<8x16xf32>
gpu.module @kernels {{
  gpu.func @product(%A: memref<8x200xf16>, %B: memref<200x32xf16>, %C: memref<8x16xf32>, %low: {type}, %high: {type})
      kernel attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %step = arith.constant {step} : {type}
    %zero = arith.constant dense<0.0> : !c
    %a_start = xetile.init_tile %A[0, 0] : memref<8x200xf16> -> !a
    %b_start = xetile.init_tile %B[0, 0] : memref<200x32xf16> -> !b
    %ahead = xetile.init_tile %A[0, 64] : memref<8x200xf16> -> !a
    %end:4 = scf.for %k = %low to %high step %step
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %p_tile = %ahead, %sum = %zero) -> (!a, !b, !a, !c){suffix} {{
      %a = xetile.load_tile %a_tile : !a -> vector<8x32xf16>
      %b = xetile.load_tile %b_tile : !b -> vector<32x16xf16>
      {prefetch}
      %next = xetile.tile_mma %a, %b, %sum : vector<8x32xf16>, vector<32x16xf16>, !c -> !c
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !a
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !b
      %p_next = xetile.update_tile_offset %p_tile, [%c0, %c32] : !a
      scf.yield %a_next, %b_next, %p_next, %next : !a, !b, !a, !c
    }}
    %c_tile = xetile.init_tile %C[0, 0] : memref<8x16xf32> -> !xetile.tile<8x16xf32>
    xetile.store_tile %end#3, %c_tile : !c, !xetile.tile<8x16xf32>
    gpu.return
  }}
}}
"""

PREFETCH = "xetile.prefetch_tile %p_tile : !a"


@cache
def kernel(
    type: str = "index", step: int = 32, prefetch: str = "", end: int | None = None
) -> ModuleOp:
    """Its loop ends at %high, or at a number that is known."""
    suffix = "" if type == "index" else f" : {type}"
    text = KERNEL.format(type=type, step=step, suffix=suffix, prefetch=prefetch)
    if end is not None:
        known = f"%end_of_all = arith.constant {end} : {type}\n    %zero ="
        text = text.replace("%zero =", known).replace("to %high", "to %end_of_all")
    return parse_text(text, "product.mlir")


def operands() -> tuple[numpy.ndarray, numpy.ndarray]:
    random = numpy.random.default_rng(0)
    a, b = (random.integers(-4, 5, shape) for shape in ((8, 200), (200, 32)))
    return a.astype("float16"), b.astype("float16")


def product(rounds: int) -> numpy.ndarray:
    a, b = (operand.astype("float32") for operand in operands())
    return a[:, : 32 * rounds] @ b[: 32 * rounds, :16]


def on_device(
    module: ModuleOp, bounds: Bounds, device: Device, unroll: int | None
) -> numpy.ndarray:
    a, b = operands()
    c = numpy.full((8, 16), numpy.nan, "float32")
    execute_compiled(device, compiled(module, unroll), [a, b, c, *bounds])
    return c


@cache
def compiled(module: ModuleOp, unroll: int | None) -> Compiled:
    return compile_kernel(module, "product", "bmg", assume="block", unroll=unroll)


def branches(module: ModuleOp, unroll: int | None) -> list[str]:
    """What the branches back to loops say."""
    lowered = lower(module, to="llvm", device="bmg", unroll=unroll)
    return [
        str(op.properties["loop_annotation"])
        for op in lowered.walk()
        if "loop_annotation" in op.properties
    ]


DONT_UNROLL = "#llvm.loop_annotation<unroll = <disable = true>>"


def products(module: ModuleOp, unroll: int | None) -> int:
    lowered = lower(module, to="llvm", device="bmg", unroll=unroll)
    return sum("matrix_mad" in str(op.properties.get("callee")) for op in lowered.walk())


def test_every_loop_says_so():
    assert branches(kernel(), 1) == [DONT_UNROLL]
    assert branches(kernel(), 4) == branches(kernel(), None) == [DONT_UNROLL] * 2
    assert [products(kernel(), n) for n in (1, 3, None)] == [2, 2 * (3 + 1), 2 * (8 + 1)]


@pytest.mark.opencl
@pytest.mark.parametrize("unroll", [1, 3, None])
@pytest.mark.parametrize("prefetch", ["", PREFETCH], ids=["plain", "prefetch"])
def test_any_number_of_rounds(prefetch: str, unroll: int | None, opencl_cpu: Device):
    """None, a negative number, fewer than copies, a multiple, some left over, a last round that is not whole."""
    module = kernel(prefetch=prefetch)
    for low, high in [
        (0, 0),
        (64, 0),
        (0, 32),
        (0, 64),
        (0, 96),
        (0, 33),
        (32, 200),
        (0, 200),
    ]:
        expected = product(max(0, -((low - high) // 32)))
        numpy.testing.assert_array_equal(
            on_device(module, (low, high), opencl_cpu, unroll), expected, f"{low} to {high}"
        )


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.opencl
def test_bounds_at_the_ends_of_the_type(opencl_cpu: Device):
    """A bound less what the copies are ahead wraps around below the least number."""
    for low, rounds in [
        (LEAST, 1),
        (LEAST, 3),
        (LEAST + 8, 5),
        (MOST - 96, 3),
        (MOST - 160, 5),
    ]:
        bounds = low, min(MOST, low + 32 * rounds)
        found = on_device(kernel(), bounds, opencl_cpu, 3)
        numpy.testing.assert_array_equal(found, product(rounds), f"{bounds}")


@pytest.mark.opencl
def test_a_narrow_counter(opencl_cpu: Device):
    """Bounds of 32 bits, of which nothing is known."""
    module = kernel("i32", step=1000)
    for low, high in [(-(2**31), -(2**31) + 4500), (2**31 - 5001, 2**31 - 1001), (5, 5)]:
        rounds = -((low - high) // 1000)
        found = on_device(module, (low, high), opencl_cpu, 4)
        numpy.testing.assert_array_equal(found, product(rounds), f"{low} to {high}")


@pytest.mark.opencl
@pytest.mark.parametrize("type, least", [("i32", -(2**31)), ("index", LEAST)])
def test_a_known_end_near_the_least_number(type: str, least: int, opencl_cpu: Device):
    """What the copies are ahead of it no number of the type says: then no round has copies."""
    for first, end in [(0, 8), (0, 0), (4, 40), (0, 100), (0, 96), (8, 133)]:
        bounds = least + first, 0
        found = on_device(kernel(type, end=least + end), bounds, opencl_cpu, 4)
        rounds = -((first - end) // 32)
        numpy.testing.assert_array_equal(found, product(rounds), f"{first} to {end}")


@pytest.mark.parametrize(
    "end, step, bits",
    [
        (2**31 - 1000, 999, 32),
        (2**31 - 1000, 1000, 64),
        (2**31 - 1, 1, 64),
        (2**31 - 2, 1, 32),
        (-(2**31), 32, 32),
        (2**31, 32, 64),
        (-(2**31) - 1, 32, 64),
    ],
)
def test_a_counter_is_as_wide_as_the_value_past_the_end(end: int, step: int, bits: int):
    """Of an index between ids, which are narrow."""
    text = f"""gpu.module @m {{
      gpu.func @k(%A: memref<64xi32>) kernel attributes {{known_block_size = array<i32: 16, 1, 1>,
          known_grid_size = array<i32: 4, 1, 1>}} {{
        %low = gpu.block_id x
        %end = arith.constant {end} : index
        %step = arith.constant {step} : index
        %one = arith.constant 1 : i32
        scf.for %i = %low to %end step %step {{
          memref.store %one, %A[%low] : memref<64xi32>
        }}
        gpu.return
      }}
    }}"""
    lowered = lower(parse_text(text, "counter.mlir"), to="llvm", device="bmg", unroll=1)
    compared = [op for op in lowered.walk() if op.name == "llvm.icmp"]
    assert [str(op.operands[0].type) for op in compared] == [f"i{bits}"]


def test_steps_with_which_the_counter_cannot_be_ahead():
    assert len(branches(kernel("i32", step=2**30), 4)) == 1
    assert len(branches(kernel("i32", step=2**28), 4)) == 2


def test_numbers_that_no_loop_can_have():
    for number in (0, -1, 257):
        with pytest.raises(XetileError, match=f"unroll is {number}; expected how often"):
            lower(kernel(), to="llvm", device="bmg", unroll=number)
    with pytest.raises(XetileError, match="unroll is 2, but loops stay loops at level xevm"):
        lower(kernel(), to="xevm", device="bmg", unroll=2)
    with pytest.raises(XetileError, match="unroll=2 goes with on="):
        execute(kernel(), "product", *operands(), numpy.zeros((8, 16), "f4"), 0, 32, unroll=2)


@pytest.mark.parametrize(
    "case, bits",
    [(3, 32), (2**31 - 1, 32), (2**31, 64), (-(2**31), 32), (-(2**31) - 1, 64)],
)
def test_a_case_is_compared_in_bits_that_hold_it(case: int, bits: int):
    """An index of few bits stays narrow unless some case needs more."""
    text = f"""gpu.module @m {{
      gpu.func @k(%A: memref<64xi32>) kernel attributes {{known_block_size = array<i32: 16, 1, 1>,
          known_grid_size = array<i32: 4, 1, 1>}} {{
        %n = gpu.block_id x
        %one = arith.constant 1 : i32
        scf.index_switch %n
        case {case} {{
          memref.store %one, %A[%n] : memref<64xi32>
          scf.yield
        }}
        default {{
          scf.yield
        }}
        gpu.return
      }}
    }}"""
    lowered = lower(parse_text(text, "switch.mlir"), to="llvm", device="bmg")
    compared = [op for op in lowered.walk() if op.name == "llvm.icmp"]
    assert [str(op.operands[0].type) for op in compared] == [f"i{bits}"]


COMPUTED_BEFORE = """gpu.module @m {
  gpu.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %rounds = arith.constant 2 : i32
    %a = arith.constant dense<1> : vector<8xi16>
    %c = arith.constant dense<0.0> : vector<8xf32>
    %b = llvm.load %p : !llvm.ptr<1> -> vector<8xi32>
    %twice = arith.addi %b, %b : vector<8xi32>
    llvm.store %one, %q : i32, !llvm.ptr<1>
    %r = scf.for %i = %zero to %rounds step %one iter_args(%x = %c) -> (vector<8xf32>) : i32 {
      %d = xevm.mma %a, %twice, %x {shape = <m = 8, n = 16, k = 16>,
          types = <d = f32, a = f16, b = f16, c = f32>}
        : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
      scf.yield %d : vector<8xf32>
    }
    llvm.store %r, %q : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }
}"""


def test_rounds_in_one_block_have_beside_them_what_was_computed_before_the_loop():
    """Nothing but the rounds takes %twice, so it stands where the first product does, behind the store."""
    lowered = lower(parse_text(COMPUTED_BEFORE, "k.mlir"), to="llvm", device="bmg", unroll=2)
    names = [op.name for op in lowered.walk()]
    assert names.count("llvm.call") == 2
    assert names.index("llvm.store") < names.index("llvm.add") < names.index("llvm.call")
