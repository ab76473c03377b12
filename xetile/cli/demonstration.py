"""The demonstration of `python -m xetile.cli.demo`: a GEMM's levels, its code, its execution."""

import subprocess
import time
from collections import Counter
from pathlib import Path

import numpy
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.analysis.module_kernels import kernel_functions
from xetile.api import execute, lower, parse_text, text
from xetile.cli.frame.inputs_outputs import make_folder, read_input, write_output
from xetile.codegen import emit, lower_to_llvm, statistics
from xetile.kernels import gemm_module
from xetile.levels import LevelName
from xetile.targets import find
from xetile.toolchain.paths import find_mlir_opt, find_ocloc

TITLES: dict[LevelName, str] = {
    "workgroup": "W  workgroup XeTile",
    "subgroup": "S  subgroup XeTile",
    "blocked": "B  blocked XeTile",
    "xegpu": "X  XeGPU",
    "xevm": "V  XeVM, one lane",
}
KINDS = {
    **dict.fromkeys(("xetile.tile_mma", "xegpu.dpas", "xevm.mma"), "dpas"),
    **dict.fromkeys(("xetile.load_tile", "xegpu.load_nd", "xevm.blockload2d"), "loads"),
    **dict.fromkeys(
        ("xetile.prefetch_tile", "xegpu.prefetch_nd", "xevm.blockprefetch2d"), "prefetches"
    ),
}
"""The class that each op is counted in."""


def show(kernel: str, device: str, folder: str) -> list[str]:
    """Print the demonstration and write the SPIR-V to the folder; return the problems found."""
    started = time.monotonic()
    find(device)  # report an unknown device before anything is shown
    module = _show_kernel(kernel)
    stages = _show_stages(module, device)
    problems = _check_with_mlir(stages)
    _show_code(module, device, Path(folder) / f"{Path(kernel).stem}.spv")
    problems += _show_execution(device)
    print(f"\ndone in {time.monotonic() - started:.0f} s")
    return problems


def _title(said: str) -> None:
    print(f"\n== {said}", flush=True)


def _show_kernel(path: str) -> ModuleOp:
    _title(f"The kernel, {path}: tiles of whole workgroups")
    source, name = read_input(path)
    lines = source.splitlines()
    print("\n".join(line for line in lines if not line.strip().startswith("//")).strip())
    return parse_text(source, name)


def _stages(module: ModuleOp, device: str) -> dict[LevelName, ModuleOp]:
    """Return the module at every level of the device above the last one."""
    path = [step.level.name for step in find(device).path[:-1]]
    stages: dict[LevelName, ModuleOp] = {"workgroup": module}
    for level in TITLES:
        if level in path:
            stages[level] = lower(module, to=level, device=device)
    return stages


def _show_stages(module: ModuleOp, device: str) -> dict[LevelName, ModuleOp]:
    _title(f"What each stage makes of it for {device}: messages and products per K step")
    print(f"{'level':20} {'loads':>6} {'prefetches':>11} {'DPAS':>6} {'ops':>6}")
    stages = _stages(module, device)
    for level, stage in stages.items():
        (kernel,) = kernel_functions(stage)
        counts = _step_counts(kernel)
        number = sum(1 for _ in kernel.walk())
        print(
            f"{TITLES[level]:20} {counts['loads']:>6} {counts['prefetches']:>11} {counts['dpas']:>6} "
            f"{number:>6}"
        )
    print("(one tile_mma at W, S and B stands for all of a workgroup's or subgroup's DPAS)")
    return stages


def _step_counts(kernel: Operation) -> Counter[str]:
    loops = [op for op in kernel.walk() if op.name == "scf.for"]
    counts = [_count(loop) for loop in loops] or [_count(kernel)]
    return max(counts, key=lambda count: count["dpas"])


def _count(op: Operation) -> Counter[str]:
    inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
    return Counter(KINDS[inner.name] for inner in inside if inner.name in KINDS)


def _check_with_mlir(stages: dict[LevelName, ModuleOp]) -> list[str]:
    """Return the errors that mlir-opt reports."""
    _title("Upstream MLIR's opinion of levels X and V")
    program = find_mlir_opt()
    if program is None:
        print("mlir-opt 22 is not installed: left out (name one in XETILE_MLIR_OPT)")
        return []
    problems: list[str] = []
    for level in ("xegpu", "xevm"):
        answer = subprocess.run(
            [program], input=text(stages[level]), capture_output=True, text=True, check=False
        )
        verdict = "accepts" if answer.returncode == 0 else "refuses"
        print(f"{program} {verdict} the {level} module")
        if answer.returncode != 0:
            problems.append(f"mlir-opt refuses the {level} module: {answer.stderr.strip()}")
    return problems


def _show_code(module: ModuleOp, device: str, target: Path) -> None:
    _title("The code")
    started = time.monotonic()
    lowered = lower_to_llvm(module, device)
    code = emit(lowered, "spirv", device)
    seconds = time.monotonic() - started
    make_folder(str(target.parent))
    write_output(str(target), code)
    print(f"SPIR-V: {target.resolve()} ({len(code)} bytes, made in {seconds:.1f} s)")
    if find_ocloc() is None:
        print("ocloc is not installed: no machine code to look at (name one in XETILE_OCLOC)")
        return
    for name, counts in statistics(lowered, device).items():
        shown = ", ".join(f"{key} {counts[key]:g}" for key in ("load2d", "prefetch2d", "dpas"))
        print(
            f"machine code of '{name}' for {device}, per K step: {shown}, {counts['total']:g} in all"
        )
        print(f"registers {counts['grf_count']:g}, spilled bytes {counts['spill_size']:g}")


def _show_execution(device: str) -> list[str]:
    """Return the levels whose result is wrong or differs from that of the first."""
    m, n, k = 144, 112, 96
    _title(f"A small GEMM, {m}x{n}x{k}, f16, executed on the CPU and held against numpy")
    module = gemm_module(
        m=m, n=n, k=k, workgroup_tile=(64, 64), subgroup_tile=(32, 32), prefetch=2
    )
    generator = numpy.random.default_rng(0)
    a = generator.standard_normal((m, k)).astype(numpy.float16)
    b = generator.standard_normal((k, n)).astype(numpy.float16)
    exact = a.astype(numpy.float64) @ b.astype(numpy.float64)
    bound = k * 2.0**-23 * (abs(a).astype(numpy.float64) @ abs(b).astype(numpy.float64))
    problems: list[str] = []
    first: bytes | None = None
    for level, stage in _stages(module, device).items():
        title = TITLES[level]
        c = numpy.zeros((m, n), numpy.float32)
        execute(stage, "gemm", a, b, c)
        first = c.tobytes() if first is None else first
        same = "same bits as at W" if c.tobytes() == first else "OTHER BITS THAN AT W"
        error = numpy.abs(c - exact)
        print(f"{title:20} largest error {error.max():.2e}, {same}")
        if c.tobytes() != first or (error > bound).any():
            problems.append(f"executing level {title} gives a wrong result")
    return problems
