"""The constant that a value is."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, UnregisteredOp, i32
from xdsl.ir import Block

from xetile.dialects.upstream.arith.arith_support import constant_value


def test_constants_are_told_from_other_values():
    number = arith.ConstantOp(IntegerAttr(5, i32))
    total = arith.AddiOp(number, number)
    unknown = UnregisteredOp.with_name("no.constant").create(result_types=[i32])
    block = Block(arg_types=[i32])
    assert constant_value(number.result) == IntegerAttr(5, i32)
    assert constant_value(total.result) is None
    assert constant_value(unknown.results[0]) is None
    assert constant_value(block.args[0]) is None
