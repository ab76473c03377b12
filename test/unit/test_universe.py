"""xdsl-opt finds our dialects and passes, and still starts."""

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.exceptions import DiagnosticException

from xetile.dialects import NEW_DIALECTS, all_dialects
from xetile.dialects.modules import context, parse
from xetile.passes import all_passes
from xetile.universe import XETILE_UNIVERSE

XDSL_OPT = Path(sys.executable).with_name("xdsl-opt")

KERNEL = """func.func @copy(%A: memref<64x64xf16>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  xetile.store_tile %v, %t : vector<32x32xf16>, !xetile.tile<32x32xf16>
  func.return
}
"""


def xdsl_opt(*arguments: str, text: str = "") -> str:
    done = subprocess.run(
        [str(XDSL_OPT), *arguments], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_xdsl_opt_starts_with_our_entry_point():
    assert "0.75." in xdsl_opt("--version")
    assert "xetile.load_tile" in xdsl_opt("-p", "xetile-init-duplicate", text=KERNEL)


def test_xdsl_opt_reads_and_prints_tiles():
    printed = xdsl_opt(text=KERNEL)
    assert printed.count("!xetile.tile<32x32xf16>") == KERNEL.count("!xetile.tile<32x32xf16>")
    assert xdsl_opt(text=printed) == printed
    assert xdsl_opt("--print-op-generic", text=printed) != printed
    assert xdsl_opt(text=xdsl_opt("--print-op-generic", text=printed)) == printed


DOUBLE = """func.func @k(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  %a_t = xetile.init_tile %A[0, 0] : memref<64x64xf64> -> !xetile.tile<32x32xf64>
  %b_t = xetile.init_tile %B[0, 0] : memref<64x64xf64> -> !xetile.tile<32x32xf64>
  %c_t = xetile.init_tile %C[0, 0] : memref<64x64xf64> -> !xetile.tile<32x32xf64>
  %a = xetile.load_tile %a_t : !xetile.tile<32x32xf64> -> vector<32x32xf64>
  %b = xetile.load_tile %b_t : !xetile.tile<32x32xf64> -> vector<32x32xf64>
  %d = xetile.tile_mma %a, %b : vector<32x32xf64>, vector<32x32xf64> -> vector<32x32xf64>
  xetile.store_tile %d, %c_t : vector<32x32xf64>, !xetile.tile<32x32xf64>
  func.return
}
"""


def test_refusals_are_xdsls_diagnostics():
    passes = "xetile-to-xegpu{device=bmg}"
    told = xdsl_opt("--verify-diagnostics", "-p", passes, text=DOUBLE)
    line, *shown = told.splitlines()
    assert line.startswith("bmg has no matrix instruction for A f64, B f64, accumulator f64")
    (mark,) = [n for n, text in enumerate(shown) if "^^^" in text]
    assert "xetile.tile_mma" in shown[mark - 1]
    assert line in "\n".join(shown[mark:])


def test_notes_go_with_a_diagnostic():
    """What differs between lanes is told at two places."""
    text = KERNEL.replace("  %t = xetile", "  %l = gpu.lane_id\n  %t = xetile").replace(
        "[0, 0]", "[%l, 0]"
    )
    load = XETILE_UNIVERSE.all_passes["xetile-to-xegpu"]
    with pytest.raises(DiagnosticException) as found:
        load()(device="bmg").apply(context(), parse(text, "k.mlir"))  # pyright: ignore[reportCallIssue]
    assert str(found.value).startswith("k.mlir:3:3: error: 'xetile.init_tile' takes a value")
    assert found.value.__notes__ == [
        "k.mlir:2:3: note: 'gpu.lane_id' is another number in each lane"
    ]


def test_a_kernel_for_a_workgroup_may_be_a_func():
    map = "#xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>"
    text = KERNEL.replace("tile<32x32xf16>", f"tile<32x32xf16, {map}>")
    assert "gpu.subgroup_id" in xdsl_opt("-p", "xetile-wg-to-sg", text=text)


def test_no_name_is_xdsls():
    """A clash makes every call of xdsl-opt fail, for everybody in the environment."""
    assert not XETILE_UNIVERSE.all_dialects.keys() & XDSL_UNIVERSE.all_dialects.keys()
    assert not XETILE_UNIVERSE.all_passes.keys() & XDSL_UNIVERSE.all_passes.keys()
    assert not XETILE_UNIVERSE.all_targets.keys() & XDSL_UNIVERSE.all_targets.keys()


def test_everything_listed_is_there():
    assert tuple(XETILE_UNIVERSE.all_dialects) == NEW_DIALECTS
    for name, factory in XETILE_UNIVERSE.all_dialects.items():
        assert factory().name == name
    assert XETILE_UNIVERSE.all_passes.keys() == all_passes().keys()


def test_our_dialects_stand_in_for_xdsls():
    ours = all_dialects()
    assert ours.keys() > XDSL_UNIVERSE.all_dialects.keys()
    for name in ("gpu", "arith", "vector", "memref", "llvm"):
        stock = {operation.name for operation in XDSL_UNIVERSE.all_dialects[name]().operations}
        dialect = ours[name]()
        assert dialect.name == name
        assert stock <= {operation.name for operation in dialect.operations}


@pytest.mark.parametrize("module", ["xetile.dialects", "xetile.universe"])
def test_nothing_is_imported_before_it_is_asked_for(module: str):
    listing = "import sys; print([m for m in sys.modules if m.startswith('xetile.')])"
    done = subprocess.run(
        [sys.executable, "-c", f"import {module}; {listing}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "xetile.dialects.upstream.gpu" not in done.stdout
    assert "xetile.dialects.xetile'" not in done.stdout
    assert "xetile.passes.xe.xetile_blocking" not in done.stdout
