"""What threads print."""

from collections.abc import Callable

import numpy as np
import pytest
from support.numbered import kernel

from xetile.errors import XetileError

Run = Callable[..., None]


def test_printf(run: Run, capsys: pytest.CaptureFixture[str]):
    run(
        kernel(
            """
            %x = arith.constant 2.5 : f16
            %m = arith.constant -3 : i32
            %some = arith.cmpi sge, %n, %c4 : index
            scf.if %some {
              gpu.printf "%lld: %5.2f %u%% %d\\0A", %n, %x, %sg, %m : index, f16, index, i32
            }
            """
        ),
        np.zeros(8, np.int64),
    )
    assert capsys.readouterr().out == "".join(f"{n}:  2.50 {n - 4}% -3\n" for n in range(4, 8))


@pytest.mark.parametrize(
    "op, message",
    [
        ('gpu.printf "%d %d", %n : index', "2 conversions for 1 values"),
        ('gpu.printf "%f", %n : index', "'%f' for a value of type index"),
        ('gpu.printf "%s", %n : index', "'%s' for a value of type index"),
        ('gpu.printf "100 %"', "a % that begins no conversion"),
    ],
)
def test_formats_that_are_refused(run: Run, op: str, message: str):
    with pytest.raises(XetileError, match=message):
        run(kernel(op), np.zeros(8, np.int64))


def test_vectors_are_printed(run: Run, capsys: pytest.CaptureFixture[str]):
    run(
        kernel(
            """
            %v = arith.constant dense<[[1.5, 2.0], [-3.0, 4.0]]> : vector<2x2xf32>
            %w = arith.constant dense<[true, false]> : vector<2xi1>
            %last = arith.constant 7 : index
            %is = arith.cmpi eq, %n, %last : index
            scf.if %is {
              "vector.print"(%v) : (vector<2x2xf32>) -> ()
              "vector.print"(%w) : (vector<2xi1>) -> ()
              "vector.print"(%n) : (index) -> ()
            }
            """
        ),
        np.zeros(8, np.int64),
    )
    assert capsys.readouterr().out == "( ( 1.5, 2 ), ( -3, 4 ) )\n( 1, 0 )\n7\n"
