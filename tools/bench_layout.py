"""Times linear layouts beside triton's class in one run, on layouts of 256x256 tensors.

    python tools/bench_layout.py [--rounds N]

Prints for each operation the time here, the time there, their ratio and the bound that it keeps; the status is 1
when one is exceeded. Needs the extra `oracle`. A time is the median over rounds that alternate between the two,
so that other work on the machine disturbs both alike.
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Protocol, cast

import numpy as np

from xetile.layout.linear import LinearLayout

POINTS = 65536
SECONDS_PER_ROUND = 0.004

Bases = dict[str, list[tuple[int, ...]]]


class WheelLayout(Protocol):
    """What triton binds of its class, as far as it is timed here."""

    def __mul__(self, other: "WheelLayout") -> "WheelLayout": ...
    def apply(self, coordinates: dict[str, int]) -> dict[str, int]: ...
    def compose(self, outer: "WheelLayout") -> "WheelLayout": ...
    def invert(self) -> "WheelLayout": ...
    def invert_and_compose(self, outer: "WheelLayout") -> "WheelLayout": ...


class WheelClass(Protocol):
    """Triton's class itself."""

    def identity_1d(self, size: int, in_dim: str, out_dim: str) -> WheelLayout: ...
    def from_bases(
        self, bases: list[tuple[str, list[list[int]]]], names: list[str], sizes: list[int], surjective: bool
    ) -> WheelLayout: ...


DPAS_C: Bases = {
    "register": [(1, 0), (2, 0), (4, 0), (0, 16), (8, 0), (16, 0), (0, 128)],
    "lane": [(0, 1), (0, 2), (0, 4), (0, 8)],
    "warp": [(0, 32), (0, 64), (32, 0), (64, 0), (128, 0)],
}
BLOCKED: Bases = {
    "register": [(0, 1), (0, 2), (0, 4), (64, 0), (128, 0), (0, 128), (32, 0)],
    "lane": [(0, 8), (0, 16), (0, 32), (0, 64)],
    "warp": [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0)],
}
SWIZZLED: Bases = {
    "offset": [(0, 1 << bit) for bit in range(8)]
    + [(1, 8), (2, 16), (4, 32), (8, 0), (16, 0), (32, 0), (64, 0), (128, 0)]
}
NVMMA: Bases = {
    "offset": [(0, 1 << bit) for bit in range(6)]
    + [(1, 8), (2, 16), (4, 32), (8, 0), (16, 0), (32, 0), (64, 0), (128, 0), (0, 64), (0, 128)]
}
OUTS = {"dim0": 256, "dim1": 256}
FACTORS = [(8, "register", "dim0"), (16, "lane", "dim1"), (2, "register", "dim1")]
FACTORS += [(4, "register", "dim0"), (4, "warp", "dim1"), (8, "warp", "dim0")]


def here(bases: Bases) -> LinearLayout:
    """A layout of this package."""
    return LinearLayout.from_bases(bases, OUTS)


def chain_here() -> LinearLayout:
    """A product of six identities."""
    layout = LinearLayout.empty()
    for factor in FACTORS:
        layout = layout * LinearLayout.identity_1d(*factor)
    return layout


def median_seconds(run: Callable[[], object]) -> float:
    """Time of one call, measured over enough calls to be seen."""
    start = perf_counter()
    run()
    calls = max(1, int(SECONDS_PER_ROUND / max(perf_counter() - start, 1e-7)))
    start = perf_counter()
    for _ in range(calls):
        run()
    return (perf_counter() - start) / calls


def compared(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median times of both, in seconds, from alternating rounds."""
    times = [(median_seconds(ours), median_seconds(theirs)) for _ in range(rounds)]
    return statistics.median(a for a, _ in times), statistics.median(b for _, b in times)


def benchmarks(wheel: WheelClass) -> list[tuple[str, float, Callable[[], object], Callable[[], object]]]:
    """Name, bound on the ratio, the call here and the same call there."""

    def lists(bases: Bases) -> list[tuple[str, list[list[int]]]]:
        return [(name, [list(vector) for vector in vectors]) for name, vectors in bases.items()]

    def there(bases: list[tuple[str, list[list[int]]]]) -> WheelLayout:
        return wheel.from_bases(bases, list(OUTS), list(OUTS.values()), True)

    def chain_there() -> WheelLayout:
        layout = wheel.identity_1d(0, "", "")
        for factor in FACTORS:
            layout = layout * wheel.identity_1d(*factor)
        return layout

    ours = [here(bases) for bases in (DPAS_C, BLOCKED, SWIZZLED, NVMMA)]
    dpas, blocked, swizzled, nvmma = ours
    dpas_, blocked_, swizzled_, nvmma_ = [there(lists(b)) for b in (DPAS_C, BLOCKED, SWIZZLED, NVMMA)]
    low, high = chain_here(), LinearLayout.identity_1d(2, "register", "dim0")
    low_, high_ = chain_there(), wheel.identity_1d(2, "register", "dim0")
    dpas_lists, blocked_lists = lists(DPAS_C), lists(BLOCKED)
    to_shared, to_shared_ = blocked.invert_and_compose(swizzled), blocked_.invert_and_compose(swizzled_)
    point = {"register": 77, "lane": 11, "warp": 21}
    return [
        ("construct, DPAS C", 2, lambda: LinearLayout.from_bases(dpas_lists, OUTS), lambda: there(dpas_lists)),
        ("construct, blocked", 2, lambda: LinearLayout.from_bases(blocked_lists, OUTS), lambda: there(blocked_lists)),
        ("identity_1d", 2, lambda: LinearLayout.identity_1d(256, "lane", "dim0"), lambda: wheel.identity_1d(256, "lane", "dim0")),
        ("* once", 2, lambda: low * high, lambda: low_ * high_),
        ("* of six identities", 2, chain_here, chain_there),
        ("apply, one point", 2, lambda: dpas.apply(point), lambda: dpas_.apply(point)),
        ("compose", 1, lambda: to_shared.compose(swizzled), lambda: to_shared_.compose(swizzled_)),
        ("invert, nvmma", 1, nvmma.invert, nvmma_.invert),
        ("invert, DPAS C", 1, dpas.invert, dpas_.invert),
        ("invert_and_compose, blocked and swizzled", 1, lambda: blocked.invert_and_compose(swizzled), lambda: blocked_.invert_and_compose(swizzled_)),
        ("invert_and_compose, DPAS C and nvmma", 1, lambda: dpas.invert_and_compose(nvmma), lambda: dpas_.invert_and_compose(nvmma_)),
        ("invert_and_compose, DPAS C and blocked", 1, lambda: dpas.invert_and_compose(blocked), lambda: dpas_.invert_and_compose(blocked_)),
        *batched("DPAS C", dpas, dpas_), *batched("nvmma", nvmma, nvmma_),
    ]


def batched(name: str, ours: LinearLayout, theirs: WheelLayout) -> list[tuple[str, float, Callable[[], object], Callable[[], object]]]:
    """One array of points here, a call for each point there."""
    arrays: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
    index = np.arange(POINTS, dtype=np.int64)
    for in_dim, size in ours.in_dims.items():
        arrays[in_dim] = index % size
        index = index // size
    points = [dict(zip(arrays, values, strict=True)) for values in zip(*[a.tolist() for a in arrays.values()], strict=True)]

    def each() -> None:
        for point in points:
            theirs.apply(point)

    return [(f"apply, {POINTS} points at once, {name}", 0.01, lambda: ours.apply(arrays), each)]


def main() -> int:
    """Prints the table; 1 when a bound is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = cast("int", parser.parse_args().rounds)
    wheel = cast("WheelClass", getattr(import_module("triton._C.libtriton"), "linear_layout").LinearLayout)
    exceeded = 0
    print(f"{'operation':<44}{'xetile us':>12}{'triton us':>12}{'ratio':>9}{'bound':>8}")
    for name, bound, ours, theirs in benchmarks(wheel):
        mine, other = compared(ours, theirs, rounds)
        exceeded += mine > bound * other
        print(f"{name:<44}{mine * 1e6:>12.2f}{other * 1e6:>12.2f}{mine / other:>9.4f}{bound:>8}")
    return int(exceeded > 0)


if __name__ == "__main__":
    sys.exit(main())
