from dataclasses import replace
from math import prod

import pytest

from xetile.errors import XetileError
from xetile.kernels.gemm_module import conversions, gemm_module
from xetile.kernels.gemm_plan import ACCUMULATORS, GemmPlan, Map, check_plan, prefetch_map
from xetile.layout.algebra.distribution import Distribution

RFC = GemmPlan(
    m=4096,
    n=4096,
    k=4096,
    a="f16",
    b="f16",
    accumulator="f32",
    c="f32",
    workgroup_tile=(256, 256),
    subgroup_tile=(32, 64),
    k_step=32,
    prefetch=3,
)


def test_the_first_program_of_the_rfc() -> None:
    request = check_plan(RFC)
    assert request.grid == (16, 16, 1)
    assert request.work_items == 512
    assert request.operand_map("a") == Map((8, 4), (32, 32))
    assert request.operand_map("b") == Map((8, 4), (32, 64))
    assert request.operand_map("c") == Map((8, 4), (32, 64))
    assert request.prefetch_map("a") == Map((32, 1), (8, 32))
    assert request.prefetch_map("b") == Map((4, 8), (8, 32))


def test_a_grid_covers_what_does_not_divide() -> None:
    assert replace(RFC, m=300, n=513).grid == (2, 3, 1)


@pytest.mark.parametrize("subgroups", [1, 2, 3, 4, 6, 8, 16, 24, 32, 48, 64])
@pytest.mark.parametrize("shape", [(256, 32), (32, 256), (8, 16), (24, 40), (96, 32), (7, 16)])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_prefetches_are_dealt_out_evenly(
    shape: tuple[int, int], subgroups: int, bits: int
) -> None:
    chosen = prefetch_map(shape, subgroups, bits)
    assert prod(chosen.sg_layout) == subgroups
    distribution = Distribution(shape, chosen.sg_data, chosen.sg_layout)
    assert distribution.local_units == 1
    assert chosen.sg_data[1] * bits % 32 == 0


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
            f"subgroup tile 1x32 makes {2**35} work-items of workgroup tile {2**30}x64, "
            "they have to be at most 2147483647",
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
def test_impossible_requests_name_what_is_legal(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(XetileError) as caught:
        check_plan(replace(RFC, **changes))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("source", "target", "ops"),
    [
        ("f32", "f32", []),
        ("f32", "f16", [("arith.truncf", "f16")]),
        ("f32", "f64", [("arith.extf", "f64")]),
        ("f16", "bf16", [("arith.extf", "f32"), ("arith.truncf", "bf16")]),
        ("i32", "i8", [("arith.trunci", "i8")]),
        ("i32", "i64", [("arith.extsi", "i64")]),
        ("i32", "f16", [("arith.sitofp", "f16")]),
    ],
)
def test_conversions(source: str, target: str, ops: list[tuple[str, str]]) -> None:
    assert conversions(source, target) == ops


@pytest.mark.parametrize(
    ("operands", "accumulator"), [(a, acc) for a, accs in ACCUMULATORS.items() for acc in accs]
)
def test_every_product_makes_legal_ir(operands: str, accumulator: str) -> None:
    module = gemm_module(
        m=64, n=64, k=40, a=operands, accumulator=accumulator, workgroup_tile=(64, 64)
    )
    module.verify()
