from typing import Any

import pytest

import xetile
from xetile.errors import XetileError
from xetile.kernels import gemm_module
from xetile.kernels.gemm_module import OPERANDS, TYPES
from xetile.language.types import accumulators

EXTENTS: dict[str, Any] = {"m": 4096, "n": 4096, "k": 4096}


def test_a_grid_covers_what_does_not_divide() -> None:
    text = xetile.text(gemm_module(m=300, n=513, k=4096))
    assert "known_grid_size = array<i32: 2, 3, 1>" in text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a": "f17"}, "type of a is 'f17', it has to be one of f16, bf16, "),
        ({"a": "f16", "b": "bf16"}, "type of a is f16 and of b bf16; they have to be equal"),
        (
            {"accumulator": "bf16"},
            "accumulator is 'bf16', for f16 operands it has to be f32 or f16",
        ),
        ({"a": "i8", "b": "ui8"}, "accumulator is 'f32', for i8 operands it has to be i32"),
        (
            {"c": "i8"},
            "type of c is 'i8', for an f32 accumulator it has to be one of f32, f16",
        ),
        ({"m": 0}, "m is 0, it has to be at least 1"),
        ({"n": 2**31}, "n is 2147483648, it has to be at most 2147483647"),
        ({"k_step": 10**30}, f"k_step is {10**30}, it has to be at most 2147483647"),
        (
            {"prefetch": 10**30},
            f"prefetch is {10**30} K steps ahead, it has to be at most 2147483647",
        ),
        (
            {"workgroup_tile": (10**12, 64), "subgroup_tile": (1, 32)},
            "workgroup_tile is 1000000000000x64, its extents have to be at most 2147483647",
        ),
        (
            {"workgroup_tile": (2**30, 64), "subgroup_tile": (1, 32)},
            f"expected at most 64 subgroups, found {2**31} of subgroup tile 1x32 in workgroup "
            f"tile {2**30}x64; use a larger subgroup tile",
        ),
        ({"k_step": -1}, "k_step is -1, it has to be at least 1"),
        ({"prefetch": 0}, "prefetch is 0 K steps ahead, it has to be at least 1"),
        ({"subgroup_tile": (0, 8)}, "subgroup_tile is 0x8, its extents have to be at least 1"),
        (
            {"subgroup_tile": (32, 48)},
            "subgroup tile 32x48 does not divide workgroup tile 256x256: 256 columns are no "
            "multiple of 48",
        ),
    ],
)
def test_impossible_requests_name_what_is_legal(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(XetileError) as caught:
        gemm_module(**{**EXTENTS, **changes})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("operands", "accumulator"),
    [(a, acc.name) for a in OPERANDS for acc in accumulators(TYPES[a], TYPES[a])],
)
def test_every_product_makes_legal_ir(operands: str, accumulator: str) -> None:
    module = gemm_module(
        m=64, n=64, k=40, a=operands, accumulator=accumulator, workgroup_tile=(64, 64)
    )
    module.verify()
