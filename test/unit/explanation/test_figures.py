"""What configurations are compared by: figures that follow from the tiles, and their order."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.explanation.measures import Figures
from xetile.kernels import gemm_module

EXAMPLES = Path(__file__).parents[3] / "examples"


def of_example(name: str, device: str = "bmg") -> Figures:
    return xetile.figures(
        xetile.parse(EXAMPLES / f"{name}.mlir"), device=device, assembly=False
    )


def test_figures_of_a_gemm() -> None:
    found = of_example("gemm_f16_plain")
    rounds = 4096 // 32
    assert found.unit == "kernel"
    assert found.flops == 2 * 256 * 256 * 4096
    assert found.tile_bytes == rounds * 2 * (256 * 32 + 32 * 256) + 256 * 256 * 4
    assert found.message_bytes == 32 * (rounds * 2 * (32 * 32 + 32 * 64) + 32 * 64 * 4)
    assert found.intensity == pytest.approx(120.47, abs=0.01)
    assert (found.work, found.work_unit, found.workgroups) == (32, "dpas", 256)
    assert (found.registers, found.register_file, found.spilled) == (225, 256, 0)


def test_a_loop_of_unknown_length_is_compared_by_its_round() -> None:
    found = xetile.figures(xetile.parse(UNKNOWN_DEPTH), device="bmg", assembly=False)
    assert found.unit == "round"
    assert found.flops == 2 * 32 * 32 * 32
    assert found.tile_bytes == 2 * (32 * 32 + 32 * 32)
    assert found.message_bytes == 4 * 2 * (16 * 32 + 32 * 16)
    assert (found.workgroups, found.subgroups) == (None, 4)


def test_a_kernel_without_products_is_compared_by_what_it_stores() -> None:
    found = of_example("softmax")
    assert (found.flops, found.intensity) == (0, None)
    assert (found.work, found.work_unit) == (8 * 256 * 4 / 64, "register stored")
    assert found.bytes_per_work == 2


@pytest.mark.parametrize(
    ("name", "counted"),
    [("gemm_f16_plain", 37.4375), ("flash_attention", 553), ("softmax", 997)],
)
def test_estimates_of_instructions_are_near_what_ocloc_counts(
    name: str, counted: float
) -> None:
    assert of_example(name).counter == "estimate"
    assert of_example(name).instructions == pytest.approx(counted, rel=0.15)


def configurations() -> list[tuple[str, ModuleOp]]:
    tiles = [((256, 256), (64, 64)), ((128, 128), (16, 32)), ((256, 256), (32, 64))]
    return [
        (
            f"{sg[0]}x{sg[1]}",
            gemm_module(m=512, n=512, k=512, workgroup_tile=wg, subgroup_tile=sg),
        )
        for wg, sg in tiles
    ]


def test_what_spills_comes_behind_and_larger_tiles_first() -> None:
    told: list[tuple[int, int]] = []
    found = xetile.rank(
        configurations(),
        device="bmg",
        assembly=False,
        report=lambda done, all: told.append((done, all)),
    )
    assert [one.label for one in found.entries] == ["32x64", "16x32", "64x64"]
    assert found.best == "32x64"
    assert told == [(1, 3), (2, 3), (3, 3)]
    spilled = [one.figures.spilled for one in found.entries if one.figures is not None]
    assert spilled[:2] == [0, 0]
    assert spilled[2] > 0


def test_the_order_does_not_depend_on_the_number_of_processes() -> None:
    assert xetile.rank(configurations(), device="bmg", assembly=False, jobs=2) == xetile.rank(
        configurations(), device="bmg", assembly=False, jobs=1
    )


class Broken:
    """Processes that end before they have done anything."""

    def submit(self, *task: object) -> Future[object]:
        future: Future[object] = Future()
        future.set_exception(BrokenProcessPool())
        return future


def test_what_a_process_leaves_undone_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**options: object) -> Broken:
        return Broken()

    monkeypatch.setattr("joblib.externals.loky.get_reusable_executor", broken)
    found = xetile.rank(configurations()[1:], device="bmg", assembly=False, jobs=2)
    assert [one.label for one in found.entries if one.figures] == ["32x64", "16x32"]


def test_what_cannot_be_compiled_comes_last_with_its_reason() -> None:
    wide = UNKNOWN_DEPTH.replace(
        " kernel\n", " workgroup(%w: memref<200x1024xf32, 3>) kernel\n"
    )
    wrong = xetile.parse(wide, name="w.mlir")
    found = xetile.rank(
        [("wrong", wrong), *configurations()[2:]],
        device="bmg",
        assembly=False,
        report=lambda done, all: None,
    )
    assert [one.label for one in found.entries] == ["32x64", "wrong"]
    assert found.entries[1].reason.startswith("w.mlir:")
    assert str(found).splitlines()[-1].startswith("not compiled: wrong: w.mlir:")


def test_a_ranking_is_a_table() -> None:
    assert (
        str(
            xetile.rank(
                configurations()[1:2], device="bmg", assembly=False, report=lambda d, a: None
            )
        )
        == TABLE
    )


def test_nothing_that_compiles_has_no_best() -> None:
    with pytest.raises(xetile.XetileError, match="none of the configurations can be compiled"):
        _ = xetile.rank([], device="bmg", assembly=False, report=lambda done, all: None).best


def test_unknown_devices_and_numbers_of_processes_are_refused() -> None:
    with pytest.raises(xetile.XetileError, match="unknown device 'bgm'"):
        xetile.rank(configurations()[:1], device="bgm")
    with pytest.raises(xetile.XetileError, match="0 is no number of processes"):
        xetile.rank(configurations()[:1], device="bmg", jobs=0)


TABLE = """\
1 configuration of @gemm on bmg, by estimate
   spilled  instructions    message bytes   flops  registers   work-  shared
     bytes        a dpas  for 1,000 flops  a byte       live  groups   bytes  configuration
1        0          1.41            97.66    51.2  81 of 256      16       0  16x32"""

UNKNOWN_DEPTH = """
#map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
!a = !xetile.tile<32x32xf16>
!c = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #map>>
gpu.module @kernels {
  gpu.func @gemm(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>, %K: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant {wg_map = #map} dense<0.0> : vector<32x32xf32>
    %sums = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
      %ta = xetile.init_tile %A[%c0, %k] : memref<64x64xf16> -> !a
      %tb = xetile.init_tile %B[%k, %c0] : memref<64x64xf16> -> !a
      %a = xetile.load_tile %ta : !a -> vector<32x32xf16>
      %b = xetile.load_tile %tb : !a -> vector<32x32xf16>
      %s = xetile.tile_mma %a, %b, %acc {wg_map_c = #map}
          : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      scf.yield %s : vector<32x32xf32>
    }
    %tc = xetile.init_tile %C[%c0, %c0] : memref<64x64xf32> -> !c
    xetile.store_tile %sums, %tc : vector<32x32xf32>, !c
    gpu.return
  }
}
"""
