"""What `print-layouts` shows."""

from typing import cast

from xetile.analysis.module_kernels import functions
from xetile.api import parse
from xetile.planning.xe.register_layouts import plan_registers
from xetile.planning.xe.register_layouts.layout_report import describe
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

LANES_ALONG_COLUMNS = (
    "registers (1, 0) (2, 0) (4, 0) (8, 0), lanes (0, 1) (0, 2) (0, 4) (0, 8)"
)
LANES_ALONG_ROWS = "registers (0, 1) (0, 2) (0, 4) (0, 8), lanes (1, 0) (2, 0) (4, 0) (8, 0)"


def test_a_conversion_is_shown_with_its_price_and_reason() -> None:
    (function,) = functions(
        parse(
            """gpu.module @m { gpu.func @k(%A: memref<64x64xf32>) kernel {
            %c0 = arith.constant 0 : index
            %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x16xf32>
            %x = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
            %y = vector.transpose %x, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
            %z = arith.addf %x, %y : vector<16x16xf32>
            gpu.return
            } }"""
        )
    )
    text = describe(function, plan_registers(function, cast(XeDevice, find("bmg"))))
    assert text.splitlines() == [
        "@k: 3 vectors in registers, 1 conversion of 20 instructions",
        f"  line 4: %x vector<16x16xf32>: {LANES_ALONG_COLUMNS}; a message of 16x16",
        f"  line 5: %y vector<16x16xf32>: {LANES_ALONG_COLUMNS}",
        f"  line 6: %z vector<16x16xf32>: {LANES_ALONG_COLUMNS}",
        "  line 5: 'vector.transpose' takes %x vector<16x16xf32> otherwise: 20 instructions by subgroup shared "
        "memory, in 0 loops; the result of 'vector.transpose' is taken so",
        f"    from {LANES_ALONG_COLUMNS}",
        f"    to   {LANES_ALONG_ROWS}",
    ]


def test_vectors_that_are_alike_share_a_line() -> None:
    (function,) = functions(
        parse(
            """gpu.module @m { gpu.func @k(%A: memref<64x64xf32>, %n: index) kernel {
            %c0 = arith.constant 0 : index
            %c8 = arith.constant 8 : index
            %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x16xf32>
            %x = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
            %r:2 = scf.for %i = %c0 to %n step %c8 iter_args(%p = %x, %q = %x)
                -> (vector<16x16xf32>, vector<16x16xf32>) {
              scf.yield %q, %p : vector<16x16xf32>, vector<16x16xf32>
            }
            gpu.return
            } }"""
        )
    )
    text = describe(function, plan_registers(function, cast(XeDevice, find("bmg"))))
    assert text.splitlines()[1:] == [
        f"  line 5: %x vector<16x16xf32>: {LANES_ALONG_COLUMNS}; a message of 16x16",
        f"  line 6: %p vector<16x16xf32>: {LANES_ALONG_COLUMNS}",
        f"  line 6: %q vector<16x16xf32>: {LANES_ALONG_COLUMNS}",
        f"  line 6: 2 x %r vector<16x16xf32>: {LANES_ALONG_COLUMNS}",
    ]
