"""The operations that a launch's matrix products make, at every level, with sizes of the launch."""

import pytest

from xetile import kernels, lower, parse
from xetile.analysis.module_kernels import find_kernel
from xetile.analysis.work import Work, holds_float_products, products_of_launch

M, N, K = 128, 96, 64


@pytest.mark.parametrize("level", ["workgroup", "subgroup", "blocked", "xegpu", "xevm"])
@pytest.mark.parametrize("element", ["f16", "i8"])
def test_a_gemm_is_2mnk_at_every_level(level: str, element: str) -> None:
    result = "i32" if element == "i8" else "f32"
    module = kernels.gemm_module(
        m=M, n=N, k=K, workgroup_tile=(64, 32), subgroup_tile=(32, 16), a=element, b=element, accumulator=result
    )  # fmt: skip
    if level != "workgroup":
        module = lower(module, to=level, device="bmg")
    kernel = find_kernel(module, None)
    found = products_of_launch(kernel, [(M, K), (K, N), (M, N)], (2, 3, 1))
    assert found == Work(2 * M * N * K)
    assert holds_float_products(kernel) is (element == "f16")


DYNAMIC = """
gpu.module @m {
  gpu.func @k(%a: memref<?x32xf16>, %n: index, %c: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %a, %c0 : memref<?x32xf16>
    %last = arith.subi %rows, %n : index
    %first = BOUND
    %x = arith.constant dense<1.0> : vector<8x16xf16>
    %y = arith.constant dense<1.0> : vector<16x16xf16>
    %z = arith.constant dense<1.0> : vector<8x16xf32>
    %c2 = arith.constant 2 : index
    scf.for %i = %first to %last step %c2 {
      %d = xetile.tile_mma %x, %y, %z : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
      BODY
    }
    gpu.return
  }
}
"""
PRODUCT = 2 * 8 * 16 * 16
ANOTHER = (
    "%e = xetile.tile_mma %x, %y, %d : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> "
    "-> vector<8x16xf32>"
)
CASES = [
    ("arith.constant 0 : index", "", 5 * PRODUCT),
    ("arith.constant 20 : index", "", 0),
    ("arith.constant 0 : index", f"scf.for %j = %c0 to %rows step %c1 {{ {ANOTHER} }}", (5 + 5 * 13) * PRODUCT),
    ("arith.constant 0 : index", f"scf.if %c {{ {ANOTHER} }}", 10 * PRODUCT),
    ("arith.constant 0 : index", f"scf.for %j = %c0 to %i step %c1 {{ {ANOTHER} }}", "scf.for"),
    ("gpu.block_id x", "", "scf.for"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "body", "expected"), CASES)
def test_loops_run_as_often_as_the_launch_says(
    first: str, body: str, expected: int | str
) -> None:
    kernel = find_kernel(parse(DYNAMIC.replace("BOUND", first).replace("BODY", body)), None)
    work = products_of_launch(kernel, [(13, 32), 4, 1], (3, 1, 1))
    if isinstance(expected, int):
        assert work == Work(expected * 3 * 2)
    else:
        assert work.operations is None
        assert work.unknown is not None
        assert work.unknown.name == expected
