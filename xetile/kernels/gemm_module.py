"""The IR of `gemm` for given extents, types and tiles."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from xetile.errors import XetileError
from xetile.kernels.gemm import gemm
from xetile.language.types import ELEMENTS, ElementType, accumulators
from xetile.targets import DEFAULT, find

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

Pair = tuple[int, int]

OPERANDS = ("f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2", "i8", "si8", "ui8")
_RESULTS = {
    "float": ("f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2"),
    "integer": ("i32", "i8", "i16", "i64", "f32", "f16", "bf16", "f64"),
}
"""The types in which an accumulator of each kind can be stored."""

TYPES = {type.name: type for type in (*ELEMENTS, ElementType("si8", "integer", 8, 7))}
"""Element types by name: those of the language, and the signed i8."""

_LARGEST = 2**31 - 1
"""The largest extent (elements) and number of workgroups: known_grid_size has 32 bits."""


def gemm_module(
    *,
    m: int,
    n: int,
    k: int,
    a: str = "f16",
    b: str | None = None,
    accumulator: str = "f32",
    c: str | None = None,
    workgroup_tile: Pair = (256, 256),
    subgroup_tile: Pair = (32, 64),
    k_step: int = 32,
    prefetch: int | None = None,
) -> "ModuleOp":
    """Return the module of `gemm`, C = A * B, with one workgroup for each tile of C.

    Shapes: A is `m` x `k`, B `k` x `n`, C `m` x `n`, in elements, as are the tiles of C; extents need not be multiples
    of tiles. Units: `k_step` counts elements of K, `prefetch` rounds of the loop, None for none. Types have MLIR's
    names; `b` is that of `a` by default, `c` that of the accumulator, from which it is converted after the loop.
    Errors: XetileError with the values and what would be legal.
    """
    b, c = a if b is None else b, accumulator if c is None else c
    _check_types(a, b, accumulator, c)
    for name, extent in {"m": m, "n": n, "k": k, "k_step": k_step}.items():
        _check_range((extent,), f"{name} is {extent}, it has")
    for name, tile in {
        "workgroup_tile": workgroup_tile,
        "subgroup_tile": subgroup_tile,
    }.items():
        _check_range(tile, f"{name} is {_times(tile)}, its extents have")
    if prefetch is not None:
        steps = f"prefetch is {prefetch} K steps ahead, it has"
        _check_range((prefetch,), steps, " (none: leave it out)")
    rows, columns = workgroup_tile
    return gemm.specialize(
        TYPES[a][m, k],
        TYPES[b][k, n],
        TYPES[c][m, n],
        BM=rows,
        BN=columns,
        BK=k_step,
        ahead=prefetch,
        accumulator=TYPES[accumulator],
        sg_layout=_sg_layout(workgroup_tile, subgroup_tile),
    ).module


def _sg_layout(workgroup_tile: Pair, subgroup_tile: Pair) -> Pair:
    (rows, columns), (m, n) = workgroup_tile, subgroup_tile
    whole, part = _times(workgroup_tile), _times(subgroup_tile)
    for name, extent, divisor in (("rows", rows, m), ("columns", columns, n)):
        if extent % divisor != 0:
            raise XetileError(
                f"subgroup tile {part} does not divide workgroup tile {whole}: "
                f"{extent} {name} are no multiple of {divisor}"
            )
    layout = rows // m, columns // n
    most = find(DEFAULT).most_subgroups
    if prod(layout) > most:
        raise XetileError(
            f"expected at most {most} subgroups, found {prod(layout)} of subgroup tile {part} "
            f"in workgroup tile {whole}; use a larger subgroup tile"
        )
    return layout


def _check_range(values: Sequence[int], found: str, instead_of_none: str = "") -> None:
    if min(values) < 1:
        raise XetileError(f"{found} to be at least 1{instead_of_none}")
    if max(values) > _LARGEST:
        raise XetileError(f"{found} to be at most {_LARGEST}")


def _check_types(a: str, b: str, accumulator: str, c: str) -> None:
    for operand, name in (("a", a), ("b", b)):
        if name not in OPERANDS:
            legal = ", ".join(OPERANDS)
            raise XetileError(f"type of {operand} is '{name}', it has to be one of {legal}")
    legal = [total.name for total in accumulators(TYPES[a], TYPES[b])]
    if not legal:
        raise XetileError(
            f"type of a is {a} and of b {b}; they have to be equal, "
            "or both 8-bit integers, or both 8-bit floats"
        )
    if accumulator not in legal:
        raise XetileError(
            f"accumulator is '{accumulator}', for {a} operands it has to be {' or '.join(legal)}"
        )
    results = _RESULTS[TYPES[accumulator].kind]
    if c not in results:
        raise XetileError(
            f"type of c is '{c}', for an {accumulator} accumulator it has to be one of "
            f"{', '.join(results)}"
        )


def _times(tile: Pair) -> str:
    return f"{tile[0]}x{tile[1]}"
