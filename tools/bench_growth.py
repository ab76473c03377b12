"""How compiling grows with a kernel: processor time and calls from text to SPIR-V, of n ops and of four times as many.

    python tools/bench_growth.py [--only FAMILY ...] [--scale N]

What grows with the number of ops has a ratio of 4, what grows with its square 16. Calls (of Python, in a run of their
own) depend on nothing but the program; times are those of a process whose collector of cycles is off, as the commands'.
"""

import argparse
import cProfile
import gc
import pstats
import sys
from collections.abc import Callable, Iterable, Mapping
from time import process_time

from xetile.api import emit, parse_text

DEVICE = "bmg"
FACTOR = 4
TILE = "!xetile.tile<8x16xf32>"
VALUE = "vector<8x16xf32>"


def loops(count: int) -> str:
    """Loops that load and store one tile."""
    return _kernel(
        f"""scf.for %i = %c0 to %c64 step %c8 {{
          %v = xetile.load_tile %t : {TILE} -> {VALUE}
          %w = arith.addf %v, %v : {VALUE}
          xetile.store_tile %w, %t : {VALUE}, {TILE}
        }}"""
        for _ in range(count)
    )


def chain(count: int) -> str:
    """Elementwise ops, each on the result of the one before."""
    return _kernel(
        (
            f"%v0 = xetile.load_tile %t : {TILE} -> {VALUE}",
            *(f"%v{i + 1} = arith.addf %v{i}, %v0 : {VALUE}" for i in range(count)),
            f"xetile.store_tile %v{count}, %t : {VALUE}, {TILE}",
        )
    )


def tiles(count: int) -> str:
    """Tiles that are made, loaded and stored, each its own."""
    return _kernel(
        f"""%t{i} = xetile.init_tile %M[{8 * i}, 0] : memref<65536x64xf32> -> {TILE}
        %v{i} = xetile.load_tile %t{i} : {TILE} -> {VALUE}
        xetile.store_tile %v{i}, %t{i} : {VALUE}, {TILE}"""
        for i in range(count)
    )


def products(count: int) -> str:
    """Loops that carry a tile and a sum of products."""
    tile, value, sums = "!xetile.tile<16x16xf16>", "vector<16x16xf16>", "vector<16x16xf32>"
    return _kernel(
        f"""%h{i} = xetile.init_tile %H[0, 0] : memref<64x64xf16> -> {tile}
        %x{i}, %r{i} = scf.for %i{i} = %c0 to %c64 step %c8 iter_args(%u = %h{i}, %sum = %zero) -> ({tile}, {sums}) {{
          %a = xetile.load_tile %u : {tile} -> {value}
          %d = xetile.tile_mma %a, %a, %sum : {value}, {value}, {sums} -> {sums}
          %n = xetile.update_tile_offset %u, [0, 16] : {tile}
          scf.yield %n, %d : {tile}, {sums}
        }}
        xetile.store_tile %r{i}, %s : {sums}, !xetile.tile<16x16xf32>"""
        for i in range(count)
    )


FAMILIES: Mapping[str, tuple[Callable[[int], str], int]] = {
    "loops": (loops, 200),
    "chain": (chain, 5000),
    "tiles": (tiles, 200),
    "products": (products, 100),
}
"""Kernels by number of repetitions, and how many are measured."""


def calls(text: str) -> int:
    """Python calls between a text and its SPIR-V."""
    profile = cProfile.Profile()
    profile.runcall(_compile, text)
    stats: Mapping[object, tuple[int, int]] = vars(pstats.Stats(profile))["stats"]
    return sum(found[1] for found in stats.values())


def seconds(text: str) -> float:
    """Processor time between a text and its SPIR-V."""
    gc.collect()
    gc.disable()
    start = process_time()
    _compile(text)
    elapsed = process_time() - start
    gc.enable()
    return elapsed


def _compile(text: str) -> None:
    emit(parse_text(text, "growth"), "spirv", DEVICE)


def _kernel(body: Iterable[str]) -> str:
    lines = "\n        ".join(body)
    return f"""
    gpu.module @m {{
      gpu.func @f(%A: memref<64x64xf32>, %M: memref<65536x64xf32>, %H: memref<64x64xf16>) kernel
          attributes {{xetile.level = "subgroup"}} {{
        %c0 = arith.constant 0 : index
        %c8 = arith.constant 8 : index
        %c64 = arith.constant 64 : index
        %zero = arith.constant dense<0.0> : vector<16x16xf32>
        %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> {TILE}
        %s = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32>
        {lines}
        gpu.return
      }}
    }}
    """


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--scale", type=float, default=1, help="so many times as many ops")
    options = parser.parse_args()
    print("family      n          seconds            ratio   calls' ratio")
    for name in options.only:
        make, usual = FAMILIES[name]
        count = max(1, round(usual * options.scale))
        texts = [make(count), make(FACTOR * count)]
        seconds(texts[0])
        few, many = map(seconds, texts)
        called = calls(texts[1]) / calls(texts[0])
        print(
            f"{name:10} {count:6} to {FACTOR * count:6} {few:7.2f} to {many:7.2f} {many / few:8.2f} {called:8.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
