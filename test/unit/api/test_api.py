from pathlib import Path

import numpy
import pytest
from xdsl.dialects.builtin import FileLineColLoc

import xetile
from xetile.api import KINDS

EXAMPLES = sorted(Path("examples").glob("*.mlir"))
FUNCTION = "func.func @f(%a: i32) -> i32 {\n  func.return %a : i32\n}\n"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_legal_and_printed_as_it_reads(path: Path) -> None:
    text = xetile.text(xetile.parse(path))
    again = xetile.text(xetile.parse(text))
    assert "xetile.load_tile" in text
    assert again == text


def test_text_or_path(tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(FUNCTION)
    texts = {xetile.text(xetile.parse(source)) for source in (FUNCTION, path, str(path))}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("module\n{", "<text>:2:2: error: "),
        (FUNCTION.replace("%a : i32\n", "%b : i32\n"), "<text>:2:15: error: value %b is used"),
        (FUNCTION.replace("-> i32", "-> i64"), "<text>:2:3: error: "),
        (
            "func.func @f() -> i32 {\n  %b = arith.addi %c, %c : i32\n"
            "  %c = arith.constant 1 : i32\n  func.return %b : i32\n}\n",
            "<text>:2:3: error: operand %c is used before it is defined",
        ),
        ("missing.mlir", "cannot read 'missing.mlir': no such file or directory"),
    ],
)
def test_wrong_text_has_a_place(source: str, message: str) -> None:
    with pytest.raises(xetile.XetileError) as caught:
        xetile.parse(source)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_positions_carry_the_name() -> None:
    module = xetile.parse(FUNCTION, name="here")
    (function,) = module.ops
    location = function.location
    assert isinstance(location, FileLineColLoc)
    assert (location.filename.data, location.line.data) == ("here", 1)


def test_values_of_one_branch_are_not_seen_by_the_next() -> None:
    text = """func.func @f(%c: i1) {
  scf.if %c {
    %v = arith.constant 1 : i32
  } else {
    %w = arith.addi %v, %v : i32
  }
  func.return
}
"""
    with pytest.raises(xetile.XetileError, match=r"<text>:5:21: error: value %v is used"):
        xetile.parse(text)


def test_unknown_levels_and_kinds_are_named() -> None:
    module = xetile.parse(FUNCTION)
    with pytest.raises(
        xetile.XetileError, match=r"unknown level 'x'; .*subgroup, blocked, xegpu, xevm, llvm"
    ):
        xetile.lower(module, to="x")
    with pytest.raises(xetile.XetileError, match=f"unknown kind .*{', '.join(KINDS)}"):
        xetile.emit(module, "x", "bmg")  # pyright: ignore[reportArgumentType]


def test_llvm_ir_has_no_register_file() -> None:
    module = xetile.parse("examples/gemm_f16_plain.mlir")
    with pytest.raises(
        xetile.XetileError, match=r"^grf=small goes with what is built for a device"
    ):
        xetile.emit(module, "ll", "bmg", grf="small")


def test_lowering_leaves_its_argument_alone() -> None:
    module = xetile.parse("examples/gemm_f16_plain.mlir")
    before = xetile.text(module)
    lowered = xetile.lower(module, to="subgroup")
    assert xetile.text(module) == before
    assert "gpu.subgroup_id" in xetile.text(lowered)


def test_what_is_lower_already_does_not_go_up() -> None:
    module = xetile.lower(
        xetile.kernels.gemm_module(m=64, n=64, k=64), to="xegpu", device="bmg"
    )
    with pytest.raises(
        xetile.XetileError, match="this kernel is at level xegpu already, which is"
    ):
        xetile.lower(module, to="blocked", device="bmg")


def test_an_unknown_name_is_no_attribute() -> None:
    name = "nothing"
    with pytest.raises(AttributeError, match="module 'xetile' has no attribute 'nothing'"):
        getattr(xetile, name)
    assert set(xetile.__all__) <= set(dir(xetile))
    assert callable(xetile.emit)


def test_a_host_function_runs_its_kernel(capfd: pytest.CaptureFixture[str]):
    module = xetile.parse(
        """func.func private @printI64(i64)
func.func @main(%a: memref<4xi64>) -> i64 {
  %two = arith.constant 2 : index
  %value = memref.load %a[%two] : memref<4xi64>
  call @printI64(%value) : (i64) -> ()
  return %value : i64
}
"""
    )
    (result,) = xetile.execute_host(module, "main", numpy.array([5, 6, 7, 8]))
    assert result == 7
    assert capfd.readouterr().out == "7"
