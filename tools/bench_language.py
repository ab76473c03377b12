"""What kernels in Python cost: tracing, specialising and compiling, the first kernel of a process; least times.

    python tools/bench_language.py

The kernel is the GEMM of 256x256x32 tiles with a prefetch. Bars: 15 ms to trace, 150 ms to specialise and compile to
SPIR-V in a warm process, 700 ms for the first kernel of a process, each on an idle machine.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

import xetile.language as xt

TYPES = (xt.f16[4096, 4096], xt.f16[4096, 4096], xt.f32[4096, 4096])


@xt.kernel(sg_layout=(8, 4))
def gemm(
    A: xt.Array, B: xt.Array, C: xt.Array, *, BM: int = 256, BN: int = 256, BK: int = 32
) -> None:
    """C = A * B, with A fetched three rounds ahead."""
    m, n = xt.program_id(0) * BM, xt.program_id(1) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in xt.range(0, A.shape[1], BK):
        A.at[m : m + BM, k + 3 * BK : k + 4 * BK].prefetch()
        acc += A[m : m + BM, k : k + BK] @ B[k : k + BK, n : n + BN]
    C[m : m + BM, n : n + BN] = acc


def compile_once() -> None:
    """Specialise and compile, as nothing is kept."""
    gemm.specialize(*TYPES).compile("bmg")


def least(work: Callable[[], object], times: int) -> float:
    """The least of the times that something takes, in milliseconds."""
    found: list[float] = []
    for _ in range(times):
        start = perf_counter()
        work()
        found.append(perf_counter() - start)
    return 1000 * min(found)


def first() -> None:
    """A process that imports the language, traces and compiles one kernel."""
    code = "import sys; sys.path.insert(0, 'tools'); import bench_language; bench_language.compile_once()"
    subprocess.run([sys.executable, "-c", code], check=True)


def main() -> None:
    """Print the three times, and those of a process that does nothing."""
    os.environ["XETILE_CACHE"] = ""
    gemm.specialize(*TYPES)
    empty = least(lambda: subprocess.run([sys.executable, "-c", ""], check=True), 5)
    print(f"trace                     {least(lambda: gemm.specialize(*TYPES), 20):7.1f} ms")
    print(f"specialise and compile    {least(compile_once, 7):7.1f} ms")
    print(f"first kernel of a process {least(first, 5) - empty:7.1f} ms")


if __name__ == "__main__":
    main()
