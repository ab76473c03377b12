"""The llvm dialect: what kernels need of it."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects import llvm as stock
from xdsl.dialects import test
from xdsl.dialects.builtin import IntAttr, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.parser import Parser as StockParser
from xdsl.traits import is_side_effect_free, is_speculatable
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse
from xetile.dialects.upstream.llvm import LLVM, AddrSpaceCastOp, FreezeOp, PoisonOp

Check = Callable[[str], None]

OPS = """
llvm.func @ext(i64, !llvm.ptr<1>) -> f32
llvm.func @k(%p: !llvm.ptr<1>, %l: i64, %f: f32, %v: vector<8xf32>, %i: i32) {
  %0 = llvm.inttoptr %l : i64 to !llvm.ptr<1>
  %1 = llvm.ptrtoint %p : !llvm.ptr<1> to i64
  %2 = llvm.call @ext(%l, %p) : (i64, !llvm.ptr<1>) -> f32
  %3 = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %4 = llvm.load %p : !llvm.ptr<1> -> f32
  llvm.store %f, %p : f32, !llvm.ptr<1>
  %5 = llvm.addrspacecast %p {foo} : !llvm.ptr<1> to !llvm.ptr<4>
  %6 = llvm.extractelement %v[%i : i32] : vector<8xf32>
  %7 = llvm.insertelement %f, %v[%i : i32] : vector<8xf32>
  %8 = llvm.mlir.poison {foo} : vector<8xf32>
  %9 = llvm.freeze %f {foo} : f32
  %10 = llvm.bitcast %v : vector<8xf32> to vector<8xi32>
  %11 = llvm.icmp "slt" %i, %i : i32
  %12 = llvm.select %11, %f, %f : i1, f32
  llvm.return
}
"""


def test_round_trip(round_trip: Check):
    round_trip(OPS)


@pytest.mark.mlir_opt
def test_round_trip_through_mlir(mlir_round_trip: Check):
    mlir_round_trip(OPS)


@pytest.mark.parametrize(
    "line",
    [
        "%0 = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr<4>",
        "%0 = llvm.atomicrmw add %p, %i monotonic : !llvm.ptr<1>, i32",
        "%0 = llvm.cmpxchg %p, %i, %i monotonic monotonic : !llvm.ptr<1>, i32",
        "%0 = llvm.freeze %f : f32",
        "%0 = llvm.mlir.poison : f32",
        "%0 = llvm.extractelement %v[%i : i32] : vector<8xf32>",
        '%0 = llvm.fcmp "olt" %v, %v : vector<8xf32>',
        "%0 = llvm.select %c, %v, %v : vector<8xi1>, vector<8xf32>",
        "%0 = llvm.fptosi %f : f32 to i32",
        "%0 = llvm.fptoui %f : f32 to i32",
        "%0 = llvm.uitofp %i : i32 to f32",
    ],
)
def test_stock_xdsl_refuses(line: str, stock_context: Context):
    """Gaps of xDSL 0.75; one that fails here needs no addition any more."""
    values = "%p: !llvm.ptr<1>, %f: f32, %i: i32, %v: vector<8xf32>, %c: vector<8xi1>"
    text = f"llvm.func @f({values}) {{ {line}\n llvm.return }}"
    parse(text).verify()
    with pytest.raises((ParseError, VerifyException)):
        StockParser(stock_context, text).parse_module().verify()


@pytest.mark.parametrize(
    "text",
    [
        "llvm.func spir_funccc @f(i32) -> i64",
        "llvm.func spir_kernelcc @k() { llvm.return }",
    ],
)
def test_calling_conventions_of_spirv_are_refused(text: str):
    """Gap of xDSL 0.75; once this fails, the emitter need not set them."""
    with pytest.raises(ParseError):
        parse(text)


def test_every_op_is_in_the_dialect_once_and_none_is_lost():
    names = [operation.name for operation in LLVM.operations]
    assert len(names) == len(set(names))
    assert {operation.name for operation in stock.LLVM.operations} <= set(names)


def test_ops_from_python():
    p, i = test.TestOp(result_types=[LLVMPointerType(IntAttr(1)), i32]).results
    generic = LLVMPointerType(IntAttr(4))
    cast = AddrSpaceCastOp.create(operands=[p], result_types=[generic])
    freeze = FreezeOp.create(operands=[i], result_types=[i32])
    for operation in (cast, freeze, PoisonOp.create(result_types=[i32])):
        operation.verify()
        assert is_side_effect_free(operation)
        assert is_speculatable(operation)
    assert cast.fold() is None
    assert AddrSpaceCastOp.create(operands=[p], result_types=[p.type]).fold() == (p,)


ATOMICS = """
llvm.func @k(%p: !llvm.ptr<1>, %i: i32, %f: f32) {
  %0 = llvm.atomicrmw add %p, %i syncscope("device") monotonic : !llvm.ptr<1>, i32
  %1 = llvm.atomicrmw _and %p, %i seq_cst {alignment = 4 : i64} : !llvm.ptr<1>, i32
  %2 = llvm.atomicrmw fmaximum %p, %f acq_rel : !llvm.ptr<1>, f32
  %3 = llvm.cmpxchg %p, %i, %i syncscope("workgroup") acq_rel monotonic : !llvm.ptr<1>, i32
  llvm.return
}
"""


def test_atomic_ops(round_trip: Check):
    round_trip(ATOMICS)


@pytest.mark.mlir_opt
def test_atomic_ops_through_mlir(mlir_round_trip: Check):
    mlir_round_trip(ATOMICS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rmw add", "rmw plus", "bin_op is 'plus'"),
        ("rmw add", "rmw fadd", "'val' is i32, of which there is no fadd"),
        ("rmw fmaximum", "rmw umax", "'val' is f32, of which there is no umax"),
        (
            ") monotonic :",
            ") unordered :",
            "'ordering' is unordered, must be one of monotonic",
        ),
        ("acq_rel monotonic", "acq_rel unordered", "'failure_ordering' is unordered"),
        ("%f acq_rel", "%f soon", "ordering is 'soon', it has to be one of"),
    ],
)
def test_wrong_atomic_ops_are_refused(old: str, new: str, message: str):
    with pytest.raises((ParseError, VerifyException), match=message):
        parse(ATOMICS.replace(old, new, 1), "k.mlir").verify()
