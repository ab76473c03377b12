"""Buffers in shared memory share bytes where a barrier stands between their lives."""

import numpy as np
import pytest

from xetile.api import lower
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.planning.shared_memory import SharedMemory, plan_shared_memory

A = "%a = memref.alloc() : memref<64xf32, 3>"
B = "%b = memref.alloc() : memref<32xf32, 3>"
USE = "memref.store %x, NAME[%c0] : memref<SIZExf32, 3>"
A_USED = USE.replace("NAME", "%a").replace("SIZE", "64")
B_USED = USE.replace("NAME", "%b").replace("SIZE", "32")
BARRIER = "gpu.barrier"
ADDRESSES = """
%i = memref.extract_aligned_pointer_as_index %a : memref<64xf32, 3> -> index
%v = vector.broadcast %i : index to vector<16xindex>"""
BY_ADDRESS = """
%e = vector.extract %v[%n] : index from vector<16xindex>
%l = arith.index_cast %e : index to i64
%p = llvm.inttoptr %l : i64 to !llvm.ptr<3>
%loaded = llvm.load %p : !llvm.ptr<3> -> f32"""


def planned(*lines: str) -> tuple[SharedMemory, list[int]]:
    """The plan of a kernel, and where its buffers begin, in program order."""
    body = "\n".join(lines)
    module = parse(
        f"""
gpu.module @m {{
  gpu.func @k(%x: f32, %n: index, %cond: i1) kernel {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    {body}
    gpu.return
  }}
}}""",
        "kernel.mlir",
    )
    (function,) = (op for op in module.walk() if op.name == "gpu.func")
    plan = plan_shared_memory(function)
    return plan, [plan.offsets[buffer.at] for buffer in plan.buffers]


def loop(*lines: str) -> str:
    return "\n".join(["scf.for %k = %c0 to %n step %c1 {", *lines, "}"])


def test_a_kernel_without_buffers_takes_nothing():
    assert planned("%a = memref.alloc() : memref<64xf32>")[0].bytes == 0


def test_lives_with_a_barrier_between_share_bytes():
    plan, offsets = planned(A, B, A_USED, BARRIER, B_USED)
    assert (plan.bytes, offsets) == (256, [0, 0])
    assert plan.describe() == "256 + 128"


@pytest.mark.parametrize(
    "lines",
    [
        (A_USED, B_USED),
        (A_USED, BARRIER, B_USED, A_USED),
        (A_USED, "gpu.barrier {address_spaces = [#gpu.address_space<global>]}", B_USED),
        (loop(A_USED, BARRIER, B_USED, BARRIER),),
        (A_USED, f"scf.if %cond {{ {BARRIER} }}", B_USED),
        (A_USED, loop(BARRIER), B_USED),
        (
            "%v = memref.cast %a : memref<64xf32, 3> to memref<?xf32, 3>",
            A_USED,
            BARRIER,
            B_USED,
            "memref.store %x, %v[%c0] : memref<?xf32, 3>",
        ),
        (
            A_USED,
            BARRIER,
            B_USED,
            "%i = memref.extract_aligned_pointer_as_index %a : memref<64xf32, 3> -> index",
            "%l = arith.index_cast %i : index to i64",
            "%p = llvm.inttoptr %l : i64 to !llvm.ptr<3>",
            "llvm.store %x, %p : f32, !llvm.ptr<3>",
        ),
        (ADDRESSES, A_USED, BARRIER, B_USED, BY_ADDRESS),
    ],
    ids=[
        "no",
        "again",
        "of-global",
        "loop",
        "branch",
        "rounds",
        "view",
        "address",
        "addresses",
    ],
)
def test_others_do_not(lines: tuple[str, ...]):
    assert planned(A, B, *lines)[1] == [0, 256]


def test_what_an_address_in_a_vector_reaches_is_kept():
    """The first buffer's value is there after the second one's store, before and after the pass that places them."""
    module = parse(
        f"""
gpu.module @m {{
  gpu.func @k(%out: memref<1xf32>) kernel
      attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %x = arith.constant 1.0 : f32
    %y = arith.constant 2.0 : f32
    %n = gpu.block_id x
    {A}
    {B}
    {ADDRESSES}
    {A_USED}
    gpu.barrier
    {B_USED.replace("%x", "%y")}
    gpu.barrier
    {BY_ADDRESS}
    memref.store %loaded, %out[%c0] : memref<1xf32>
    xegpu.fence memory_kind = global, fence_scope = workgroup
    gpu.return
  }}
}}""",
        "kernel.mlir",
    )
    for each in (module, lower(module, to="xevm")):
        out = np.zeros(1, np.float32)
        execute(each, None, [out])
        assert out == 1


def test_what_a_loop_reaches_lives_as_long_as_the_loop():
    first = loop(A_USED, BARRIER)
    assert planned(A, B, first, BARRIER, loop(B_USED))[1] == [0, 0]


def test_buffers_that_a_loop_exchanges_live_together():
    types = "memref<64xf32, 3>, memref<64xf32, 3>"
    exchanged = f"""
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%u = %a, %v = %d) -> ({types}) {{
      memref.store %x, %u[%c0] : memref<64xf32, 3>
      gpu.barrier
      scf.yield %v, %u : {types}
    }}
    gpu.barrier
    {B_USED}
    gpu.barrier
    memref.store %x, %r#0[%c0] : memref<64xf32, 3>"""
    plan, offsets = planned(A, A.replace("%a", "%d"), B, exchanged)
    assert offsets == [0, 256, 512]
    assert plan.bytes == 640


def test_a_hole_is_filled():
    c = B.replace("%b", "%c").replace("32x", "16x")
    used = USE.replace("NAME", "%c").replace("SIZE", "16")
    # c fits below b, where a is no more
    assert planned(A, B, c, A_USED, BARRIER, B_USED, used)[1] == [0, 0, 128]


def test_padding_and_alignment_count():
    padded = "%p = memref.alloc() : memref<4x16xf16, strided<[24, 1]>, 3>"
    aligned = "%q = memref.alloc() {alignment = 1024 : i64} : memref<32xf32, 3>"
    uses = (
        "memref.store %x, %q[%c0] : memref<32xf32, 3>",
        "%h = arith.truncf %x : f32 to f16",
        "memref.store %h, %p[%c0, %c0] : memref<4x16xf16, strided<[24, 1]>, 3>",
    )
    plan, offsets = planned(padded, aligned, *uses)
    assert [buffer.bytes for buffer in plan.buffers] == [(3 * 24 + 16) * 2, 128]
    assert offsets == [0, 1024]


def test_what_a_loop_allocates_needs_a_barrier_between_rounds():
    assert planned(loop(A, BARRIER, A_USED))[0].bytes == 256
    with pytest.raises(XetileError, match=r"each round of 'scf.for' has this buffer anew"):
        planned(loop(A, A_USED))


def test_sizes_must_be_known():
    with pytest.raises(XetileError, match="has no size that is known"):
        planned("%a = memref.alloc(%n) : memref<?xf32, 3>")
