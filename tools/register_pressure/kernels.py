"""The kernels: products of 4096 by all subgroup tiles and types, with and without prefetches, and the report's."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from tools.isa_report.kernels import KERNELS
from xetile.api import parse_text
from xetile.kernels import gemm_module

SUMS: Mapping[str, str] = {"f16": "f32", "bf16": "f32", "i8": "i32", "tf32": "f32"}
TILES = (*product((8, 16, 24, 32), (16, 32, 64), (16, 32, 64)),)
"""Rows, columns and K step of the 36 subgroup tiles."""

SIZE = 4096


class Kernel(NamedTuple):
    """What is compiled: `kind` is `plain`, `prefetch` or `report`, `tile` the subgroup's or the kernel's name."""

    kind: str
    element: str
    tile: str


def tiles() -> Iterator[Kernel]:
    """The products of every tile and type."""
    for kind, element, tile in product(("plain", "prefetch"), SUMS, TILES):
        yield Kernel(kind, element, "x".join(map(str, tile)))


def reported(device: str) -> Iterator[Kernel]:
    """The kernels of the report that a device has; the element is in their names."""
    for name, kernel in KERNELS.items():
        if device in kernel.devices:
            yield Kernel("report", "", name)


def module_of(kernel: Kernel) -> ModuleOp:
    """The kernel's IR."""
    if kernel.kind == "report":
        return parse_text(KERNELS[kernel.tile].text(), "kernel.mlir")
    m, n, k = map(int, kernel.tile.split("x"))
    return gemm_module(
        m=SIZE,
        n=SIZE,
        k=SIZE,
        a=kernel.element,
        accumulator=SUMS[kernel.element],
        workgroup_tile=(8 * m, 4 * n),
        subgroup_tile=(m, n),
        k_step=k,
        prefetch=3 if kernel.kind == "prefetch" else None,
    )
