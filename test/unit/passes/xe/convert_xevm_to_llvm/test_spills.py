"""Kernels of level V of which more is live than the large register file holds: what is said of them, and where."""

import re

import pytest
from xdsl.context import Context

from xetile.dialects.modules import parse
from xetile.passes.xe.convert_xevm_to_llvm import ConvertXeVMToLLVM

C = "vector<8xf32>"


def mma(result: str, a: str, b: str, sums: str) -> str:
    """8x16x16, on one line: operands and sums of 8 registers, A of 4."""
    shape = "shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>"
    types = f"(vector<8xi16>, vector<8xi32>, {C}) -> {C}"
    return f"%{result} = xevm.mma %{a}, %{b}, %{sums} {{{shape}}} : {types}"


def kernel(held: int, work: str) -> str:
    """A loop around which so many vectors of 8 registers are live, and which adds some work to a sum %x."""
    numbers = range(held)
    loads = "\n".join(f"%v{n} = llvm.load %p : !llvm.ptr<1> -> {C}" for n in numbers)
    stores = "\n".join(f"llvm.store %v{n}, %q : {C}, !llvm.ptr<1>" for n in numbers)
    return f"""gpu.module @m {{
gpu.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %n: i32) kernel {{
%a = arith.constant dense<1> : vector<8xi16>
%b = arith.constant dense<1> : vector<8xi32>
%a2 = arith.constant dense<2> : vector<8xi16>
%b2 = arith.constant dense<2> : vector<8xi32>
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
{loads}
%r = scf.for %i = %zero to %n step %one iter_args(%x = %v0) -> ({C}) : i32 {{
  {work}
  scf.yield %d : {C}
}}
llvm.store %r, %q : {C}, !llvm.ptr<1>
{stores}
gpu.return
}}
}}"""


def said(held: int, work: str, capsys: pytest.CaptureFixture[str]) -> str:
    module = parse(kernel(held, work), "kernel.mlir")
    ConvertXeVMToLLVM().apply(Context(), module)
    return capsys.readouterr().err


ONE = mma("d", "a", "b", "x")
DEEP = mma("c", "a", "b", "x") + "\n" + mma("d", "a2", "b2", "c")
WIDE = f"""{mma("c1", "a", "b", "x")}
{mma("c2", "a", "b2", "v1")}
%d = arith.addf %c1, %c2 : {C}"""
HIGH = f"""{mma("c1", "a", "b", "x")}
{mma("c2", "a2", "b", "v1")}
%d = arith.addf %c1, %c2 : {C}"""


SUM = f"%d = arith.addf %x, %v1 : {C}"


@pytest.mark.parametrize(
    ("work", "tile"),
    [(ONE, "8x16x16"), (DEEP, "8x16x32"), (WIDE, "8x32x16"), (HIGH, "16x16x16")],
    ids=["one instruction", "deep", "wide", "high"],
)
def test_a_product_that_spills_is_named_by_all_that_its_instructions_multiply(
    work: str, tile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the first of them."""
    found = said(33, work, capsys)
    assert f"warning: a subgroup multiplies a tile of {tile} (MxNxK); about" in found
    first = kernel(33, work).split("xevm.mma")[0].count("\n") + 1
    assert found.startswith(f"kernel.mlir:{first}:")


def test_what_spills_without_a_product_is_said_at_what_holds_most(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = said(33, SUM, capsys)
    (held,) = re.findall(r"warning: about (\d+) registers of 64 bytes are live here", found)
    assert int(held) >= 33 * 8
    assert "a tile of" not in found


@pytest.mark.parametrize("work", [ONE, SUM], ids=["product", "sum"])
def test_nothing_is_said_of_what_fits(work: str, capsys: pytest.CaptureFixture[str]) -> None:
    """240 registers of vectors of the 256 that a thread has."""
    assert said(30, work, capsys) == ""
