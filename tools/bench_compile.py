"""Times `xetile-compile` from text to SPIR-V beside mlir-opt 22 on the same kernel, in one run.

    python tools/bench_compile.py [--rounds N] [--json]

The kernel is the RFC's f16 GEMM with prefetch (examples/gemm_f16.mlir); mlir-opt runs its own pipeline for XeGPU at
workgroup level (gpu-lower-to-xevm-pipeline) on an XeGPU text of the same tiles. Prints the median wall time of each
process, what an empty process of each costs, and the ratio. The two take turns, so that other work on the machine
disturbs both alike. Needs mlir-opt 22 ($XETILE_MLIR_OPT).
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from xetile.errors import XetileError
from xetile.toolchain.paths import find_mlir_opt

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "gemm_f16.mlir"
DEVICE = "bmg"
PIPELINE = f"--gpu-lower-to-xevm-pipeline=xegpu-op-level=workgroup zebin-chip={DEVICE}"

UPSTREAM = """\
#a = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32], inst_data = [8, 16]>
#b = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 64], inst_data = [16, 16]>
#c = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 64], inst_data = [8, 16]>
#ahead_a = #xegpu.layout<sg_layout = [32, 1], sg_data = [8, 32], inst_data = [8, 16]>
#ahead_b = #xegpu.layout<sg_layout = [4, 8], sg_data = [8, 32], inst_data = [8, 16]>
!a = !xegpu.tensor_desc<256x32xf16, #a>
!b = !xegpu.tensor_desc<32x256xf16, #b>
!c = !xegpu.tensor_desc<256x256xf32, #c>
!ahead_a = !xegpu.tensor_desc<256x32xf16, #ahead_a>
!ahead_b = !xegpu.tensor_desc<32x256xf16, #ahead_b>
gpu.module @kernels {
  gpu.func @gemm(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %C: memref<4096x4096xf32>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %m = arith.muli %block_x, %c256 : index
    %n = arith.muli %block_y, %c256 : index
    %a = xegpu.create_nd_tdesc %A : memref<4096x4096xf16> -> !a
    %b = xegpu.create_nd_tdesc %B : memref<4096x4096xf16> -> !b
    %c = xegpu.create_nd_tdesc %C : memref<4096x4096xf32> -> !c
    %ahead_a = xegpu.create_nd_tdesc %A : memref<4096x4096xf16> -> !ahead_a
    %ahead_b = xegpu.create_nd_tdesc %B : memref<4096x4096xf16> -> !ahead_b
    %zero = arith.constant {layout_result_0 = #c} dense<0.0> : vector<256x256xf32>
    %sum = scf.for %k = %c0 to %c4096 step %c32 iter_args(%acc = %zero) -> (vector<256x256xf32>) {
      %va = xegpu.load_nd %a[%m, %k] <{layout = #a}> : !a -> vector<256x32xf16>
      %vb = xegpu.load_nd %b[%k, %n] <{layout = #b}> : !b -> vector<32x256xf16>
      %ahead = arith.addi %k, %c96 : index
      xegpu.prefetch_nd %ahead_a[%m, %ahead] <{layout = #ahead_a}> : !ahead_a
      xegpu.prefetch_nd %ahead_b[%ahead, %n] <{layout = #ahead_b}> : !ahead_b
      %next = xegpu.dpas %va, %vb, %acc {layout_a = #a, layout_b = #b, layout_cd = #c}
          : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
      scf.yield %next : vector<256x256xf32>
    }
    xegpu.store_nd %sum, %c[%m, %n] <{layout = #c}> : vector<256x256xf32>, !c
    gpu.return
  }
}
"""
"""The same kernel as upstream's XeGPU has it, with the layouts that its passes ask for."""


def _seconds(command: Sequence[str | Path]) -> float:
    start = perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    elapsed = perf_counter() - start
    if ended.returncode != 0:
        line = next(iter(ended.stderr.strip().splitlines()), "")
        raise XetileError(
            f"{Path(command[0]).name} ended with status {ended.returncode}: {line}"
        )
    return elapsed


def measure(mlir_opt: Path, folder: Path, rounds: int) -> dict[str, float]:
    """Median seconds of each process over rounds in which they take turns, and the ratio of the two that compile."""
    upstream = folder / "gemm.mlir"
    upstream.write_text(UPSTREAM)
    compiler = Path(sys.executable).with_name("xetile-compile")
    output = folder / "gemm.spv"
    commands: dict[str, list[str | Path]] = {
        "xetile": [compiler, EXAMPLE, "--device", DEVICE, "--emit", "spirv", "-o", output],
        "mlir_opt": [mlir_opt, upstream, PIPELINE, "-o", folder / "out.mlir"],
        "empty_python": [sys.executable, "-c", "pass"],
        "empty_mlir_opt": [mlir_opt, "--version"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(_seconds(command))
    medians = {name: statistics.median(found) for name, found in times.items()}
    return medians | {"ratio": medians["xetile"] / medians["mlir_opt"]}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each is run (7)")
    parser.add_argument("--json", action="store_true", help="print JSON (seconds)")
    options = parser.parse_args()
    try:
        mlir_opt = find_mlir_opt()
        if mlir_opt is None:
            raise XetileError(
                "mlir-opt 22 is needed and not installed; name it in XETILE_MLIR_OPT"
            )
        with TemporaryDirectory(prefix="xetile-") as name:
            found = measure(mlir_opt, Path(name), max(1, options.rounds))
    except XetileError as error:
        print(f"bench_compile: error: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(found))
        return 0
    print(
        f"xetile-compile, text to SPIR-V   {found['xetile']:.3f} s (empty process {found['empty_python']:.3f} s)"
    )
    print(
        f"mlir-opt 22, text to SPIR-V      {found['mlir_opt']:.3f} s (empty process {found['empty_mlir_opt']:.3f} s)"
    )
    print(f"ratio                            {found['ratio']:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
