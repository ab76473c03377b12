"""What a GEMM kernel needs to know before any IR is made: types, tiles, who holds and fetches what."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Literal

from xetile.errors import XetileError
from xetile.language.layouts import prefetched
from xetile.targets import DEFAULT, find
from xetile.targets.target import Operand

Pair = tuple[int, int]

ELEMENT_BITS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "f32": 32,
    "f64": 64,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "i8": 8,
    "si8": 8,
    "ui8": 8,
}
"""Element types of the operands, with the bits that they take in memory."""

_LARGEST = 2**31 - 1
"""What known_block_size and known_grid_size hold, and so the largest extent (elements)."""

_INTEGER_OPERANDS = ("i8", "si8", "ui8")
_FLOAT8_OPERANDS = ("f8E4M3FN", "f8E5M2")

ACCUMULATORS = {
    "f16": ("f32", "f16"),
    "bf16": ("f32", "bf16"),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
    **dict.fromkeys(_FLOAT8_OPERANDS, ("f32", "bf16")),
    **dict.fromkeys(_INTEGER_OPERANDS, ("i32",)),
}
"""The accumulators of each operand type: docs/xetile-dialect.md, section "Verification"."""

RESULTS = {
    "float": ("f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2"),
    "integer": ("i32", "i8", "i16", "i64", "f32", "f16", "bf16", "f64"),
}
"""What an accumulator of each kind can be stored as."""


@dataclass(frozen=True)
class Map:
    """A wg_map as plain data: subgroups along each dimension, elements of one unit."""

    sg_layout: Pair
    sg_data: Pair


@dataclass(frozen=True)
class GemmPlan:
    """A request for a GEMM kernel, in the units of `gemm_module`."""

    m: int
    n: int
    k: int
    a: str
    b: str
    accumulator: str
    c: str
    workgroup_tile: Pair
    subgroup_tile: Pair
    k_step: int
    prefetch: int | None

    @property
    def grid(self) -> tuple[int, int, int]:
        """Workgroups: x counts row tiles of C, y column tiles."""
        rows, columns = self.workgroup_tile
        return ceil(self.m / rows), ceil(self.n / columns), 1

    @property
    def sg_layout(self) -> Pair:
        """Subgroups of a workgroup along the rows and the columns of C."""
        rows, columns = self.subgroup_tile
        return self.workgroup_tile[0] // rows, self.workgroup_tile[1] // columns

    @property
    def work_items(self) -> int:
        return find(DEFAULT).threads * prod(self.sg_layout)

    def operand_map(self, operand: Operand) -> Map:
        """Who loads or stores what; subgroups of a row share A, those of a column B."""
        return Map(self.sg_layout, self._part(operand, self.subgroup_tile))

    def prefetch_map(self, operand: Literal["a", "b"]) -> Map:
        bits = ELEMENT_BITS[self.a if operand == "a" else self.b]
        return prefetch_map(self.tile_shape(operand), prod(self.sg_layout), bits)

    def tile_shape(self, operand: Operand) -> Pair:
        return self._part(operand, self.workgroup_tile)

    def _part(self, operand: Operand, tile: Pair) -> Pair:
        rows, columns = tile
        return {"a": (rows, self.k_step), "b": (self.k_step, columns), "c": tile}[operand]


def prefetch_map(shape: Pair, subgroups: int, element_bits: int) -> Map:
    """Deal a tile out to all subgroups as `xetile.language.layouts.prefetched` does."""
    return Map(*prefetched(shape, subgroups, element_bits))


def check_plan(plan: GemmPlan) -> GemmPlan:
    """The plan itself; XetileError with the values and what would be legal where it is impossible."""
    _check_types(plan)
    for name in ("m", "n", "k", "k_step"):
        value: int = getattr(plan, name)
        _check_range((value,), f"{name} is {value}, it has")
    for name in ("workgroup_tile", "subgroup_tile"):
        tile: Pair = getattr(plan, name)
        _check_range(tile, f"{name} is {_times(tile)}, its extents have")
    if plan.prefetch is not None:
        steps = f"prefetch is {plan.prefetch} K steps ahead, it has"
        _check_range((plan.prefetch,), steps, " (none: leave it out)")
    for name, whole, part in zip(
        ("rows", "columns"), plan.workgroup_tile, plan.subgroup_tile, strict=True
    ):
        if whole % part != 0:
            raise XetileError(
                f"subgroup tile {_times(plan.subgroup_tile)} does not divide workgroup tile "
                f"{_times(plan.workgroup_tile)}: {whole} {name} are no multiple of {part}"
            )
    items = (
        f"subgroup tile {_times(plan.subgroup_tile)} makes {plan.work_items} work-items of "
        f"workgroup tile {_times(plan.workgroup_tile)}, they have"
    )
    _check_range((plan.work_items,), items)
    return plan


def _check_range(values: Sequence[int], found: str, instead_of_none: str = "") -> None:
    if min(values) < 1:
        raise XetileError(f"{found} to be at least 1{instead_of_none}")
    if max(values) > _LARGEST:
        raise XetileError(f"{found} to be at most {_LARGEST}")


def _check_types(plan: GemmPlan) -> None:
    for operand, name in (("a", plan.a), ("b", plan.b)):
        if name not in ELEMENT_BITS:
            legal = ", ".join(ELEMENT_BITS)
            raise XetileError(f"type of {operand} is '{name}', it has to be one of {legal}")
    if not _go_together(plan.a, plan.b):
        raise XetileError(
            f"type of a is {plan.a} and of b {plan.b}; they have to be equal, "
            "or both 8-bit integers, or both 8-bit floats"
        )
    legal = ACCUMULATORS[plan.a]
    if plan.accumulator not in legal:
        raise XetileError(
            f"accumulator is '{plan.accumulator}', for {plan.a} operands it has to be "
            f"{' or '.join(legal)}"
        )
    results = RESULTS["integer" if plan.accumulator == "i32" else "float"]
    if plan.c not in results:
        raise XetileError(
            f"type of c is '{plan.c}', for an {plan.accumulator} accumulator it has to be one of "
            f"{', '.join(results)}"
        )


def _go_together(a: str, b: str) -> bool:
    groups = (_INTEGER_OPERANDS, _FLOAT8_OPERANDS)
    return a == b or any(a in group and b in group for group in groups)


def _times(tile: Pair) -> str:
    return f"{tile[0]}x{tile[1]}"
