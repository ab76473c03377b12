"""Times `xetile-compile` from text to SPIR-V beside mlir-opt 22 on the same kernels, in one run.

    python -m tools.bench_compile [--rounds N] [--quick] [--json]

All figures are seconds of processor time (user and system) of whole processes, medians over rounds in which both take
turns, so that other work on the machine disturbs both alike:

- the RFC's f16 GEMM with prefetch (examples/gemm_f16.mlir), beside upstream's pipeline for XeGPU at workgroup level on
  a text of the same tiles; cold, and in a process that has compiled it before;
- flash attention of 16 queries (64 keys, D = 64), beside that pipeline at subgroup level;
- 100 GEMMs of different sizes in one call, 20,000 elementwise ops, loops and four times as many;
- what each pass takes (`xetile-opt --mlir-timing` beside `mlir-opt --mlir-timing`: wall time).

Modules are compiled to bytecode first, as an installation has them. `--quick` leaves out the long programs. Needs
mlir-opt 22 ($XETILE_MLIR_OPT).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from tools.bench_growth import FACTOR, chain, loops
from tools.instruction_counts.attention import attention
from tools.isa_report.upstream.attention import text as upstream_attention
from xetile.errors import XetileError
from xetile.levels import passes_to
from xetile.passes import PASSES as PASS_LIST
from xetile.targets import find
from xetile.toolchain.paths import find_mlir_opt

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "gemm_f16.mlir"
DEVICE = "bmg"
QUERIES = 16
KERNELS = 100
OPS = 20_000
LOOPS = 200
PASSES = 8
"""How many passes are shown of each."""

WARM = """
import sys
from time import process_time
from xetile.api import emit, parse
for _ in range(int(sys.argv[3])):
    start = process_time()
    emit(parse(sys.argv[1]), "spirv", sys.argv[2])
    print(process_time() - start)
"""
"""Compiles one file again and again, and says what each time took."""

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


Command = Sequence[str | Path]


def _run(command: Command) -> tuple[float, str, str]:
    """Processor time of a process and its children, and what it printed."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = getrusage(RUSAGE_CHILDREN)
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )
    after = getrusage(RUSAGE_CHILDREN)
    if ended.returncode != 0:
        line = next(iter(ended.stderr.strip().splitlines()), "")
        raise XetileError(
            f"{Path(command[0]).name} ended with status {ended.returncode}: {line}"
        )
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, ended.stdout, ended.stderr


def _pipeline(level: str) -> str:
    return f"--gpu-lower-to-xevm-pipeline=xegpu-op-level={level} zebin-chip={DEVICE}"


def _compile(*inputs: str | Path, output: Path) -> list[str | Path]:
    compiler = Path(sys.executable).with_name("xetile-compile")
    return [compiler, *inputs, "--device", DEVICE, "-o", output]


def _written(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.mlir"
    path.write_text(text)
    return path


def beside(mlir_opt: Path, folder: Path, rounds: int) -> dict[str, float]:
    """Medians of processes that take turns, and ratios of those that compile the same."""
    gemm = _written(folder, "upstream_gemm", UPSTREAM)
    theirs = upstream_attention(QUERIES, keys_by_d=False, array_length=1)
    attention_ours = _written(folder, "attention", attention(QUERIES, "D x keys"))
    attention_theirs = _written(folder, "upstream_attention", theirs)
    output, other = folder / "made.spv", folder / "made.mlir"
    commands: Mapping[str, Command] = {
        "xetile": _compile(EXAMPLE, output=output),
        "mlir_opt": [mlir_opt, gemm, _pipeline("workgroup"), "-o", other],
        "attention": _compile(attention_ours, output=output),
        "mlir_opt_attention": [mlir_opt, attention_theirs, _pipeline("subgroup"), "-o", other],
        "empty_python": [sys.executable, "-c", "pass"],
        "empty_mlir_opt": [mlir_opt, "--version"],
    }
    _run(commands["xetile"])  # writes the bytecode of all modules
    times: dict[str, list[float]] = {name: [] for name in commands}
    warm: list[float] = []
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(_run(command)[0])
        printed = _run([sys.executable, "-c", WARM, EXAMPLE, DEVICE, "3"])[1]
        warm += map(float, printed.split()[1:])
    found = {name: statistics.median(seconds) for name, seconds in times.items()}
    found["warm"] = statistics.median(warm)
    return found | {
        "ratio": found["xetile"] / found["mlir_opt"],
        "warm_ratio": found["warm"] / found["mlir_opt"],
        "attention_ratio": found["attention"] / found["mlir_opt_attention"],
    }


def many(folder: Path) -> dict[str, float]:
    """100 kernels in one call, and long programs."""
    kernels = [
        _written(folder, f"gemm_{index}", EXAMPLE.read_text().replace("4096", str(size)))
        for index, size in enumerate(range(512, 512 + 256 * KERNELS, 256))
    ]
    together = _compile(*kernels, output=folder / "made")
    found = {"kernels": _run([*together, "--jobs", "1"])[0]}
    for name, text in (
        ("ops", chain(OPS)),
        ("loops", loops(LOOPS)),
        ("more_loops", loops(FACTOR * LOOPS)),
    ):
        source = _written(folder, name, text)
        found[name] = _run(_compile(source, output=folder / "long.spv"))[0]
    return found


def passes(mlir_opt: Path, folder: Path) -> Iterator[tuple[str, str, float]]:
    """The tool, the pass and its seconds of wall time, the longest ones first."""
    opt = Path(sys.executable).with_name("xetile-opt")
    gemm = folder / "upstream_gemm.mlir"
    commands: Mapping[str, Command] = {
        "xetile": [opt, EXAMPLE, "-p", ",".join(_our_passes())],
        "mlir-opt": [mlir_opt, gemm, _pipeline("workgroup"), "--mlir-timing-display=list"],
    }
    for tool, command in commands.items():
        rows = _rows(_run([*command, "-o", folder / "made.mlir", "--mlir-timing"])[2])
        yield from ((tool, name, seconds) for name, seconds in rows[:PASSES])


def _our_passes() -> Iterator[str]:
    """The passes down to the last level, with what tidies up between two of them, as `-p` has them."""
    path = find(DEVICE).path
    for level, names in passes_to(path[-1].level.name, path):
        for name in names:
            yield f"{name}{{device={DEVICE}}}" if "device" in PASS_LIST[name].options else name
        if level != path[-1].level:
            yield from ("canonicalize", "licm", "cse", "dce")


def _rows(report: str) -> list[tuple[str, float]]:
    """Names and seconds of a table as `--mlir-timing` prints it, without its sums."""
    found: list[tuple[str, float]] = []
    for line in report.splitlines():
        seconds, has_share, name = line.partition("%)")
        if has_share and not any(sum in name for sum in ("root", "Total", "Pipeline")):
            found.append((name.strip(), float(seconds.split()[0])))
    return sorted(found, key=lambda row: -row[1])


def _table(found: Mapping[str, float]) -> Iterator[str]:
    def line(what: str, seconds: str, other: str = "", ratio: str = "") -> str:
        ratio = f"{found[ratio]:10.2f}" if ratio else ""
        other = f"{found[other]:10.3f}" if other else " " * 10
        return f"{what:40}{found[seconds]:10.3f}{other}{ratio}"

    yield f"{'seconds of processor time':40}{'xetile':>10}{'mlir-opt':>10}{'ratio':>10}"
    yield line("an empty process", "empty_python", "empty_mlir_opt")
    yield line("4k GEMM", "xetile", "mlir_opt", "ratio")
    yield line("4k GEMM, compiled before", "warm", "mlir_opt", "warm_ratio")
    yield line(
        f"flash attention, {QUERIES} queries",
        "attention",
        "mlir_opt_attention",
        "attention_ratio",
    )
    if "kernels" in found:
        yield line(f"{KERNELS} kernels in one call", "kernels")
        yield line(f"{OPS} elementwise ops", "ops")
        yield line(f"{LOOPS} loops", "loops")
        yield line(f"{FACTOR * LOOPS} loops", "more_loops")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each is run (7)")
    parser.add_argument("--quick", action="store_true", help="without the long programs")
    parser.add_argument("--json", action="store_true", help="print JSON (seconds)")
    options = parser.parse_args()
    try:
        mlir_opt = find_mlir_opt()
        if mlir_opt is None:
            raise XetileError(
                "mlir-opt 22 is needed and not installed; name it in XETILE_MLIR_OPT"
            )
        with TemporaryDirectory(prefix="xetile-") as name:
            folder = Path(name)
            found = beside(mlir_opt, folder, max(1, options.rounds))
            found |= {} if options.quick else many(folder)
            by_pass = list(passes(mlir_opt, folder))
    except XetileError as error:
        print(f"bench_compile: error: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(found | {"passes": by_pass}))
        return 0
    print("\n".join(_table(found)))
    print("\nthe longest of each, seconds of wall time in one run")
    for tool, name, seconds in by_pass:
        print(f"{tool:10}{seconds:8.4f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
