"""Kernels that the fuzzer executes on a device: what is found there, and what is no finding."""

import resource
from typing import Any

import pytest

from tools.fuzz import on_device
from tools.fuzz.case import Finding, Outcome
from tools.fuzz.corpus import executable
from tools.fuzz.families import make
from tools.fuzz.lowering import check_lowering
from tools.fuzz.on_device import SECONDS, is_installed
from tools.fuzz.pool import LONGEST_SILENCE, MEMORY, Name, alone
from xetile.errors import XetileError

(GEMM,) = (text for text in executable() if "%positive" in text)
DOUBLED = """
gpu.module @m {
  gpu.func @k(%a: memref<8x16xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %a[0, 0] : memref<8x16xf32> -> !xetile.tile<8x16xf32>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %w = arith.addf %v, %v : vector<8x16xf32>
    xetile.store_tile %w, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
"""
TILE = "!xetile.tile<16x16xf64>"
PRODUCT = f"""gpu.module @m {{
  gpu.func @k(%A: memref<16x16xf64>, %C: memref<16x16xf64>) kernel
      attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %t = xetile.init_tile %A[0, 0] : memref<16x16xf64> -> {TILE}
    %a = xetile.load_tile %t : {TILE} -> vector<16x16xf64>
    %c = xetile.tile_mma %a, %a : vector<16x16xf64>, vector<16x16xf64> -> vector<16x16xf64>
    %u = xetile.init_tile %C[0, 0] : memref<16x16xf64> -> {TILE}
    xetile.store_tile %c, %u : vector<16x16xf64>, {TILE}
    gpu.return
  }}
}}
"""
"""Which no device has an instruction for."""


def installed(monkeypatch: pytest.MonkeyPatch, executed: Any) -> None:
    """A device that executes so."""
    monkeypatch.setattr(on_device, "is_installed", lambda: True)
    monkeypatch.setattr(on_device, "device", lambda: None)
    monkeypatch.setattr(on_device, "execute_on", executed)


def idle(*_: object, **__: object) -> float:
    """What executes nothing."""
    return 0.0


def test_one_kernel_in_ten_is_for_the_device() -> None:
    chosen = [make("kernel", 0, number).on_device for number in range(400)]
    assert 20 < sum(chosen) < 60


def test_another_result_of_the_device_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, idle)
    assert check_lowering(GEMM) == Outcome("same result")
    found = check_lowering(GEMM, on_device=True)
    assert found.finding == Finding("compare", "argument 2 differs on opencl:cpu")


def test_a_device_that_ends_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashes(*_: object, **__: object) -> float:
        raise XetileError("opencl:cpu ended with SIGSEGV; it was to run the kernel to its end")

    installed(monkeypatch, crashes)
    finding = check_lowering(GEMM, on_device=True).finding
    assert finding is not None
    assert finding.what.startswith("fails: opencl:cpu ended with SIGSEGV")


def test_another_result_in_one_lanes_registers_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed(monkeypatch, idle)
    monkeypatch.setattr(on_device, "execute", idle)
    finding = check_lowering(GEMM, on_device=True).finding
    assert finding == Finding("compare", "argument 2 differs on level V")


@pytest.mark.parametrize("text", [GEMM.replace("muli %y, %c32", "muli %y, %m"), DOUBLED])
def test_what_depends_on_the_order_of_subgroups_is_refused_at_workgroup_level(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Workgroups, or the subgroups of one, that load and store the same tile: an answer, and nothing to compare."""
    installed(monkeypatch, idle)
    assert check_lowering(text, on_device=True) == Outcome("execute")


def test_what_is_refused_on_the_way_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> float:
        raise AssertionError("executed")

    installed(monkeypatch, unreachable)
    assert check_lowering(PRODUCT, on_device=True) == Outcome("refused below level B")


def test_a_device_that_is_started_again_is_not_limited_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[int] = []

    def execute(*_: object, **__: object) -> float:
        limits.append(resource.getrlimit(resource.RLIMIT_AS)[0])
        return 0.0

    installed(monkeypatch, execute)
    _, most = resource.getrlimit(resource.RLIMIT_AS)

    def attempt(_: Name) -> Outcome:
        check_lowering(GEMM, on_device=True)
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        return Outcome(str([*limits, soft >= MEMORY, hard]))  # without a limit it is negative

    assert alone(Name("kernel", 0, 0), attempt) == Outcome(str([most, True, most]))


def test_a_device_answers_before_its_worker_is_taken_to_hang() -> None:
    """A build, another start, a build again and a launch, each as slow as may be."""
    assert 4 * SECONDS < LONGEST_SILENCE


@pytest.mark.opencl
def test_a_worker_has_a_device_in_spite_of_its_limits() -> None:
    assert is_installed()
    outcome = alone(Name("kernel", 0, 0), lambda _: check_lowering(GEMM, on_device=True))
    assert outcome == Outcome("same result on the device")
