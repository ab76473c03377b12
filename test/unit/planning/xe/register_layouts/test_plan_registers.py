"""Which layout each vector of level X has, and so which messages load it."""

from typing import cast

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.analysis.module_kernels import functions
from xetile.api import parse
from xetile.dialects.xegpu import LoadNdOp
from xetile.layout.intel.message_layouts import BlockConfiguration
from xetile.layout.intel.xegpu_layouts import default_vector_layout, dpas_vector_layout
from xetile.planning.xe.register_layouts import RegisterLayouts, plan_registers
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

BMG = cast(XeDevice, find("bmg"))

SURFACES = """
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %b = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
  %t = xegpu.create_nd_tdesc %W : memref<64x64xi32> -> !xegpu.tensor_desc<16x8xi32>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
"""


class Planned:
    """One function, its layouts, and its ops by name."""

    def __init__(self, body: str) -> None:
        arguments = "%A: memref<64x64xf16>, %W: memref<64x64xi32>, %C: memref<64x64xf32>"
        self.module: ModuleOp = parse(
            f"func.func @k({arguments}) {{{SURFACES}{body}\nreturn\n}}"
        )
        (function,) = functions(self.module)
        self.function = function
        self.layouts: RegisterLayouts = plan_registers(function, BMG)

    def ops(self, name: str) -> list[Operation]:
        return [op for op in self.function.walk() if op.name == name]

    def messages(self) -> list[BlockConfiguration | None]:
        loads = [op for op in self.function.walk() if isinstance(op, LoadNdOp)]
        return [self.layouts.message(load) for load in loads]


A = "%x = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>\n"
B = "%y = xegpu.load_nd %b[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>\n"
DPAS = "%d = xegpu.dpas %x, %y : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>\n"
ACCUMULATOR = dpas_vector_layout("c", (8, 16), repeat_count=8, ops_per_channel=2, pack=1)


def test_operand_b_is_loaded_packed_though_no_load_says_so() -> None:
    planned = Planned(A + B + DPAS)
    assert planned.messages() == [
        BlockConfiguration(8, 16, 1),
        BlockConfiguration(16, 16, 1, packed=True),
    ]
    assert planned.layouts.conversions == ()


def test_what_elementwise_ops_take_is_loaded_as_it_is_written() -> None:
    body = B + "%z = arith.addf %y, %y : vector<16x16xf16>"
    planned = Planned(body)
    assert planned.messages() == [BlockConfiguration(16, 16, 1)]
    (add,) = planned.ops("arith.addf")
    assert planned.layouts.of(add.results[0]) == default_vector_layout((16, 16))


def test_rows_in_lanes_are_loaded_transposed() -> None:
    load = (
        "%l = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<16x8xi32> -> vector<16x8xi32>\n"
    )
    cast = "%f = vector.bitcast %l : vector<16x8xi32> to vector<16x16xf16>\n"
    turn = "%y = vector.transpose %f, [1, 0] : vector<16x16xf16> to vector<16x16xf16>\n"
    planned = Planned(A + load + cast + turn + DPAS)
    assert planned.messages()[1] == BlockConfiguration(16, 8, 1, transposed=True)
    assert planned.layouts.conversions == ()


def test_loops_carry_one_layout() -> None:
    planned = Planned(
        f"""%zero = arith.constant dense<0.0> : vector<8x16xf32>
        %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (vector<8x16xf32>) {{
          {A}{B}
          %e = xegpu.dpas %x, %y, %acc : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
          scf.yield %e : vector<8x16xf32>
        }}
        xegpu.store_nd %r, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>"""
    )
    (loop,) = planned.ops("scf.for")
    (zero,) = [op for op in planned.ops("arith.constant") if "dense" in str(op)]
    layouts = planned.layouts
    assert layouts.of(loop.results[0]) == ACCUMULATOR
    assert layouts.of(loop.regions[0].blocks[0].args[1]) == ACCUMULATOR
    assert layouts.taken(loop, 3) == ACCUMULATOR
    assert not layouts.holds(zero.results[0])


def test_a_conversion_that_a_loop_repeats_stands_before_it() -> None:
    planned = Planned(
        f"""{B}
        %zero = arith.constant dense<0.0> : vector<8x16xf32>
        %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (vector<8x16xf32>) {{
          {A}
          %w = vector.transpose %y, [1, 0] : vector<16x16xf16> to vector<16x16xf16>
          %e = xegpu.dpas %x, %w, %acc : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
          scf.yield %e : vector<8x16xf32>
        }}"""
    )
    (conversion,) = planned.layouts.conversions
    assert conversion.op.name == "vector.transpose"
    assert conversion.is_ahead
    assert conversion.depth == 0
    assert planned.layouts.ahead(conversion.value) == (conversion.target.layout,)


@pytest.mark.parametrize("op", ["scf.if", "scf.execute_region", "scf.index_switch"])
def test_branches_give_the_layout_that_their_uses_take(op: str) -> None:
    head = {
        "scf.if": "scf.if %flag -> (vector<16x16xf16>)",
        "scf.execute_region": "scf.execute_region -> vector<16x16xf16>",
        "scf.index_switch": "scf.index_switch %c0 -> vector<16x16xf16> default",
    }[op]
    other = " else { scf.yield %y : vector<16x16xf16> }" if op == "scf.if" else ""
    planned = Planned(
        f"""%flag = arith.constant true
        {A}{B}
        %v = {head} {{ scf.yield %y : vector<16x16xf16> }}{other}
        %d = xegpu.dpas %x, %v : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>"""
    )
    (branch,) = planned.ops(op)
    expected = dpas_vector_layout("b", (16, 16), repeat_count=8, ops_per_channel=2, pack=1)
    assert planned.layouts.of(branch.results[0]) == expected
    assert planned.layouts.taken(planned.ops("scf.yield")[0], 0) == expected


def test_what_a_while_loop_carries_has_one_layout() -> None:
    planned = Planned(
        f"""{A}{B}{DPAS}
        %flag = arith.constant false
        %r = scf.while (%v = %d) : (vector<8x16xf32>) -> vector<8x16xf32> {{
          scf.condition(%flag) %v : vector<8x16xf32>
        }} do {{
        ^bb0(%v: vector<8x16xf32>):
          %s = arith.addf %v, %v : vector<8x16xf32>
          scf.yield %s : vector<8x16xf32>
        }}
        xegpu.store_nd %r, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>"""
    )
    (loop,) = planned.ops("scf.while")
    (condition,) = planned.ops("scf.condition")
    assert planned.layouts.of(loop.results[0]) == ACCUMULATOR
    assert planned.layouts.taken(condition, 1) == ACCUMULATOR
    assert planned.layouts.taken(loop, 0) == ACCUMULATOR
    assert planned.layouts.conversions == ()


LOADED = "%v = xegpu.load_nd %c[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>\n"
SUMS = """%start = arith.constant dense<-0.0> : vector<8xf32>
  %sum = vector.multi_reduction <add>, %v, %start [1] : vector<8x16xf32> to vector<8xf32>
"""


def test_what_is_reduced_is_taken_as_it_lies() -> None:
    planned = Planned(LOADED + SUMS)
    (reduction,) = planned.ops("vector.multi_reduction")
    assert planned.layouts.taken(reduction, 0) == ACCUMULATOR
    assert planned.layouts.conversions == ()


def test_dear_work_on_sums_is_done_with_rows_in_lanes() -> None:
    ones = "%one = arith.constant dense<1.0> : vector<8xf32>\n"
    planned = Planned(LOADED + SUMS + ones + "%q = arith.divf %one, %sum : vector<8xf32>")
    (quotient,) = planned.ops("arith.divf")
    assert planned.layouts.of(quotient.results[0]).in_dim_size("register") == 1
