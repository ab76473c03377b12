"""Times linear layouts beside triton's class in one run, on layouts of 256x256 tensors.

    python tools/bench_layout.py [--rounds N]

Prints for each operation the time here, the time there, their ratio and the bound that it keeps, and marks the
ratios above 1; the status is 1 when a bound is exceeded. Needs the extra `oracle`. A time is this process's
processor time, the median over rounds that alternate between the two, so that other work on the machine disturbs
both alike.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from time import process_time
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.show.register_tables import hardware_view

POINTS = 65536
SECONDS_PER_ROUND = 0.004

Bases = dict[str, list[tuple[int, ...]]]
Call = Callable[[], object]


class Benchmark(NamedTuple):
    """The same call here and there, and how much of the time there it may take."""

    name: str
    bound: float
    ours: Call
    theirs: Call


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
    + [
        (1, 8),
        (2, 16),
        (4, 32),
        (8, 0),
        (16, 0),
        (32, 0),
        (64, 0),
        (128, 0),
        (0, 64),
        (0, 128),
    ]
}
DPAS_A: Bases = {
    "register": [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (0, 16)],
    "lane": [(0, 1), (0, 2), (0, 4), (0, 8)],
    "warp": [(0, 0), (0, 0), (32, 0), (64, 0), (128, 0)],
    "block": [],
}
FACTORS = [
    (8, "register", "dim0"),
    (16, "lane", "dim1"),
    (2, "register", "dim1"),
    (4, "register", "dim0"),
    (4, "warp", "dim1"),
    (8, "warp", "dim0"),
]


def product(left: object, right: object) -> object:
    """`*` of two layouts of one class."""
    return cast("LinearLayout", left) * cast("LinearLayout", right)


def equal(left: object, right: object) -> bool:
    """`==` of two layouts of one class."""
    return left == right


class Side:
    """The calls of one class: ours or triton's, which have the same names."""

    def __init__(self, layout_class: object) -> None:
        self.layout_class = layout_class
        self.dpas, self.blocked, self.swizzled, self.nvmma = (
            self.from_bases(bases)() for bases in (DPAS_C, BLOCKED, SWIZZLED, NVMMA)
        )
        self.again = self.from_bases(DPAS_C)()
        self.low = self.chain()
        self.high = self.method(layout_class, "identity_1d", 2, "register", "dim0")()
        self.to_shared = self.method(self.blocked, "invert_and_compose", self.swizzled)()

    def method(self, receiver: object, name: str, *arguments: object) -> Call:
        """A call of a method by its name."""
        return partial(cast("Callable[..., object]", getattr(receiver, name)), *arguments)

    def vectors(self, bases: Bases) -> list[tuple[str, list[list[int]]]]:
        """Basis vectors as triton takes them."""
        return [
            (name, [list(vector) for vector in columns]) for name, columns in bases.items()
        ]

    def from_bases(self, bases: Bases) -> Call:
        """Construction from lists of basis vectors."""
        return self.method(
            self.layout_class, "from_bases", self.vectors(bases), ["dim0", "dim1"], [256, 256]
        )

    def printed(self, make: Call) -> str:
        """The text of a layout that nobody printed before."""
        return str(make())

    def compared(self, make: Call) -> bool:
        """`==` with a layout that nobody compared before."""
        return make() == self.dpas

    def chain(self) -> object:
        """A product of six identities."""
        layout = self.method(self.layout_class, "identity_1d", 1, "register", "dim0")()
        for factor in FACTORS:
            identity = self.method(self.layout_class, "identity_1d", *factor)()
            layout = product(layout, identity)
        return layout

    def calls(self) -> dict[str, Call]:
        """Everything that is timed for one layout at a time."""
        point = {"register": 77, "lane": 11, "warp": 21}
        return {
            "construct, DPAS C": self.from_bases(DPAS_C),
            "construct, blocked": self.from_bases(BLOCKED),
            "construct, sizes inferred": self.method(
                self.layout_class, "from_bases", self.vectors(DPAS_C), ["dim0", "dim1"]
            ),
            "identity_1d": self.method(self.layout_class, "identity_1d", 256, "lane", "dim0"),
            "* once": partial(product, self.low, self.high),
            "* of six identities": self.chain,
            "apply, one point": self.method(self.dpas, "apply", point),
            "== of equal ones": partial(equal, self.dpas, self.again),
            "== of different ones": partial(equal, self.dpas, self.blocked),
            "str": partial(str, self.dpas),
            "construct and str": partial(self.printed, self.from_bases(DPAS_C)),
            "construct and ==": partial(self.compared, self.from_bases(DPAS_C)),
            "is_surjective": self.method(self.dpas, "is_surjective"),
            "compose": self.method(self.to_shared, "compose", self.swizzled),
            "invert, nvmma": self.method(self.nvmma, "invert"),
            "invert, DPAS C": self.method(self.dpas, "invert"),
            "invert_and_compose, blocked, swizzled": self.method(
                self.blocked, "invert_and_compose", self.swizzled
            ),
            "invert_and_compose, DPAS C, nvmma": self.method(
                self.dpas, "invert_and_compose", self.nvmma
            ),
            "invert_and_compose, DPAS C, blocked": self.method(
                self.dpas, "invert_and_compose", self.blocked
            ),
        }


def bound_of(name: str) -> float:
    """The part of triton's time that an operation may take."""
    return 1 if name.startswith(("compose", "invert")) else 1.5


def batched(name: str, ours: LinearLayout, theirs: object) -> Benchmark:
    """All points as arrays here, one after the other there."""
    arrays: dict[str, NDArray[np.int64]] = {}
    index = np.arange(POINTS, dtype=np.int64)
    for in_dim, size in ours.in_dims.items():
        arrays[in_dim] = index % size
        index = index // size
    columns = [cast("list[int]", array.tolist()) for array in arrays.values()]
    points = [dict(zip(arrays, values, strict=True)) for values in zip(*columns, strict=True)]
    apply_there = cast("Callable[..., object]", getattr(theirs, "apply"))  # noqa: B009

    def each() -> None:
        for point in points:
            apply_there(point)

    return Benchmark(
        f"apply, {POINTS} points at once, {name}", 0.01, partial(ours.apply, arrays), each
    )


def viewed(triton_class: object) -> Benchmark:
    """The hardware view of DPAS A on 256x32."""
    shape = {"dim0": 256, "dim1": 32}
    ours = LinearLayout.from_bases(DPAS_A, shape)
    vectors = [(name, [list(v) for v in columns]) for name, columns in DPAS_A.items()]
    make = cast("Callable[..., object]", getattr(triton_class, "from_bases"))  # noqa: B009
    theirs = make(vectors, list(shape), list(shape.values()))
    view = cast("Callable[[bool], str]", getattr(theirs, "get_distributed_view"))  # noqa: B009
    assert view(True) == hardware_view(ours)
    return Benchmark(
        "hardware view, 256x32", 0.5, partial(hardware_view, ours), partial(view, True)
    )


def benchmarks() -> list[Benchmark]:
    """Everything that is timed."""
    triton = import_module("triton._C.libtriton")
    triton_class: object = triton.linear_layout.LinearLayout
    ours, theirs = Side(LinearLayout), Side(triton_class)
    there = theirs.calls()
    single = [
        Benchmark(name, bound_of(name), call, there[name])
        for name, call in ours.calls().items()
    ]
    layouts = {"DPAS C": DPAS_C, "nvmma": NVMMA}
    return [*single, viewed(triton_class)] + [
        batched(
            name,
            LinearLayout.from_bases(bases, {"dim0": 256, "dim1": 256}),
            theirs.from_bases(bases)(),
        )
        for name, bases in layouts.items()
    ]


def seconds(call: Call) -> float:
    """Time of one call, measured over enough of them to be seen."""
    start = process_time()
    call()
    count = max(1, int(SECONDS_PER_ROUND / max(process_time() - start, 1e-7)))
    start = process_time()
    for _ in range(count):
        call()
    return (process_time() - start) / count


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; 1 when a bound is exceeded."""
    parser = argparse.ArgumentParser(description="Times linear layouts beside triton's class.")
    parser.add_argument("--rounds", type=int, default=9)
    rounds = cast("int", parser.parse_args(arguments).rounds)
    exceeded, slower = 0, 0
    print(f"{'operation':<44}{'xetile us':>12}{'triton us':>12}{'ratio':>9}{'bound':>8}")
    for name, bound, ours, theirs in benchmarks():
        times = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
        here, there = (statistics.median(column) for column in zip(*times, strict=True))
        ratio = here / there
        exceeded += ratio > bound
        slower += ratio > 1
        mark = "  above its bound" if ratio > bound else "  above 1" if ratio > 1 else ""
        print(
            f"{name:<44}{here * 1e6:>12.2f}{there * 1e6:>12.2f}{ratio:>9.4f}{bound:>8}{mark}"
        )
    print(f"{slower} above 1, {exceeded} above their bounds")
    return int(exceeded > 0)


if __name__ == "__main__":
    sys.exit(main())
