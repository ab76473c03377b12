"""Instructions that are made of an earlier one have their own operands, and what they are is the same."""

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from xetile.codegen.llvm_ir import convert_module
from xetile.codegen.spirv_emitter import to_spirv
from xetile.dialects.modules import parse

KERNEL = """
llvm.func @f(i32, i32) -> i32
llvm.func @"%s"(i32, i32) -> i32
llvm.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %i: i32, %j: i32, %v: vector<2xi32>, %w: vector<2xi32>, %x: f32,
    %y: f32)
    attributes {{gpu.kernel}} {{
  {op}
  llvm.return
}}"""


def twice(text: str) -> ModuleOp:
    """A kernel with an op, and the same op on the other arguments, and on the first again."""
    module = parse(KERNEL.format(op=text), "kernel.mlir")
    kernel = next(op for op in module.walk() if isinstance(op, llvm.FuncOp) and op.body.blocks)
    block = kernel.body.blocks[0]
    p, q, i, j, v, w, x, y = block.args
    swapped: dict[SSAValue, SSAValue] = {p: q, q: p, i: j, j: i, v: w, w: v, x: y, y: x}
    op, last = block.first_op, block.last_op
    assert op is not None
    assert last is not None
    block.insert_ops_before([op.clone(dict(swapped)), op.clone({})], last)
    return module


@pytest.mark.parametrize(
    ("op", "first", "second"),
    [
        ("%r = llvm.sub %i, %j : i32", 'i32 %"i", %"j"', 'i32 %"j", %"i"'),
        ("%r = llvm.sub %i, %i : i32", 'i32 %"i", %"i"', 'i32 %"j", %"j"'),
        (
            "%r = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32",
            'load i32, ptr addrspace(1) %"p", align 4',
            'load i32, ptr addrspace(1) %"q", align 4',
        ),
        (
            "%r = llvm.getelementptr inbounds %p[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8",
            'inbounds i8, ptr addrspace(1) %"p", i32 7',
            'inbounds i8, ptr addrspace(1) %"q", i32 7',
        ),
        (
            "%r = llvm.call @f(%i, %j) : (i32, i32) -> i32",
            '@"f"(i32 %"i", i32 %"j")',
            '@"f"(i32 %"j", i32 %"i")',
        ),
        (
            "%r = llvm.call @f(%i, %i) : (i32, i32) -> i32",
            '@"f"(i32 %"i", i32 %"i")',
            '@"f"(i32 %"j", i32 %"j")',
        ),
        (
            '%r = llvm.call @"%s"(%i, %j) : (i32, i32) -> i32',
            '@"%s"(i32 %"i", i32 %"j")',
            '@"%s"(i32 %"j", i32 %"i")',
        ),
        (
            "%r = llvm.insertelement %i, %v[%j : i32] : vector<2xi32>",
            '<2 x i32> %"v", i32 %"i", i32 %"j"',
            '<2 x i32> %"w", i32 %"j", i32 %"i"',
        ),
        (
            "%r = llvm.shufflevector %v, %w [3, 0] : vector<2xi32>",
            'shufflevector <2 x i32> %"v", <2 x i32> %"w"',
            'shufflevector <2 x i32> %"w", <2 x i32> %"v"',
        ),
        ("%r = llvm.bitcast %i : i32 to f32", 'bitcast i32 %"i"', 'bitcast i32 %"j"'),
        (
            "llvm.store %i, %p : i32, !llvm.ptr<1>",
            'store i32 %"i", ptr addrspace(1) %"p"',
            'store i32 %"j", ptr addrspace(1) %"q"',
        ),
    ],
)
def test_the_same_on_other_operands(op: str, first: str, second: str):
    text = str(convert_module(twice(op)))
    found = [line for line in text.splitlines() if first in line or second in line]
    assert [first in line for line in found] == [True, False, True]
    written = [line.partition("=")[2] or line for line in found]
    assert written[0] == written[2]
    names = {line.partition("=")[0] for line in found}
    assert "store" in op or len(names) == 3
    assert to_spirv(text, ())[:4] == b"\x03\x02\x23\x07"


def test_flags_that_spirv_has_not_are_left_out_of_the_same_too():
    module = twice(
        "%r = llvm.fadd %x, %y {fastmathFlags = #llvm.fastmath<nnan, reassoc>} : f32"
    )
    kept, left = (
        [line.split(" fadd ")[1] for line in text.splitlines() if " fadd " in line]
        for text in (str(convert_module(module)), str(convert_module(module, for_spirv=True)))
    )
    assert kept == [
        'nnan reassoc float %"x", %"y"',
        'nnan reassoc float %"y", %"x"',
        'nnan reassoc float %"x", %"y"',
    ]
    assert left == [line.replace(" reassoc", "") for line in kept]
