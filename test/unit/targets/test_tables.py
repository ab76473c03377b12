"""The device tables: hard values, the measurements they come from, and where they are there MLIR's headers."""

import csv
import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    FloatTF32Type,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
)

from xetile.errors import XetileError
from xetile.layout.intel.messages import BlockConfiguration
from xetile.targets import DEFAULT, EXAMPLE, find, names
from xetile.targets.target import INDEX_BITS, Access
from xetile.targets.xe.device import LANES, XeDevice
from xetile.targets.xe.messages import HEIGHTS, PAYLOAD_ROW_BYTES, verified
from xetile.targets.xe.surface import SURFACE

MEASURED = Path(__file__).parents[2] / "data" / "capabilities"
HEADER = Path("/usr/lib/llvm-22/include/mlir/Dialect/XeGPU/uArch/IntelGpuXe2.h")

NAMES = {"lnl-m": "lnl", "ptl-h": "ptl"}
FILES: dict[str, Access] = {
    "read": "load",
    "transform": "load_packed",
    "transpose": "load_transposed",
    "write": "store",
    "prefetch": "prefetch",
}


def device(name: str) -> XeDevice:
    found = find(name)
    assert isinstance(found, XeDevice)
    return found


def test_devices_by_name() -> None:
    assert list(names()) == ["pvc", "bmg", "lnl", "ptl", "cri"]
    with pytest.raises(XetileError, match="unknown device 'xe'; known are pvc, bmg, lnl, ptl, cri"):
        device("xe")


@pytest.mark.parametrize(
    ("name", "access", "bits", "configuration"),
    [
        ("bmg", "load", 16, BlockConfiguration(32, 16, 2)),
        ("pvc", "load_packed", 16, BlockConfiguration(32, 16, 2, packed=True)),
        ("lnl", "load_packed", 8, BlockConfiguration(32, 16, 4, packed=True)),
        ("ptl", "load_transposed", 32, BlockConfiguration(16, 8, 1, transposed=True)),
        ("cri", "store", 32, BlockConfiguration(8, 16, 1)),
        ("bmg", "prefetch", 8, BlockConfiguration(8, 32, 1)),
    ],
)
def test_messages_that_the_main_job_uses(
    name: str, access: Access, bits: int, configuration: BlockConfiguration
) -> None:
    assert configuration in device(name).messages(access, bits)


@pytest.mark.parametrize(
    ("access", "bits", "configuration"),
    [
        ("load", 16, BlockConfiguration(64, 16, 1)),
        ("load", 16, BlockConfiguration(32, 16, 4)),
        ("load_packed", 32, BlockConfiguration(8, 16, 1, packed=True)),
        ("load_transposed", 16, BlockConfiguration(16, 8, 1, transposed=True)),
        ("store", 32, BlockConfiguration(16, 16, 1)),
        ("store", 16, BlockConfiguration(8, 16, 2)),
    ],
)
def test_messages_that_no_device_has(
    access: Access, bits: int, configuration: BlockConfiguration
) -> None:
    for name in names():
        assert configuration not in device(name).compiled(access, bits)


def test_what_all_devices_have() -> None:
    assert {DEFAULT, EXAMPLE} <= set(names())
    assert INDEX_BITS == 64
    for name in names():
        target = find(name)
        assert (target.lanes, target.threads) == (LANES, LANES) == (16, 16)
        assert target.registers == (64, (128, 256))
        assert target.shared_bytes == 65536


def test_payloads_hold_rows_that_every_device_prefetches() -> None:
    """Wider rows, which cri alone has, go without a payload."""
    for bits in (8, 16, 32, 64):
        rows = {c.columns * c.blocks * bits // 8 for c in device("bmg").compiled("prefetch", bits)}
        assert max(rows) == PAYLOAD_ROW_BYTES == 64


def test_operands_of_an_instruction() -> None:
    instruction = device("bmg").matrix_instruction(f16, f16, f32)
    assert instruction is not None
    assert [instruction.register_word(operand) for operand in ("a", "b", "c")] == [
        "i16",
        "i32",
        "f32",
    ]
    sizes = {
        operand: instruction.operand_layout(operand, m=8).out_dim_sizes
        for operand in ("a", "b", "c")
    }
    assert sizes == {"a": (8, 16), "b": (16, 16), "c": (8, 16)}


def test_wide_forms_are_some_devices_only() -> None:
    wide = BlockConfiguration(16, 32, 1, packed=True)
    assert wide not in device("pvc").compiled("load_packed", 16)
    assert wide in device("bmg").compiled("load_packed", 16)
    transposed = BlockConfiguration(16, 16, 1, transposed=True)
    found = [n for n in names() if transposed in device(n).compiled("load_transposed", 32)]
    assert found == ["cri"]


def test_what_is_planned_both_tables_have() -> None:
    for name in names():
        for access in FILES.values():
            for bits in (8, 16, 32, 64):
                planned = set(device(name).messages(access, bits))
                assert planned == set(device(name).compiled(access, bits)) & set(
                    verified(access, bits)
                )


def test_matrix_instructions() -> None:
    bmg = device("bmg")
    unsigned = IntegerType(8, Signedness.UNSIGNED)
    assert bmg.matrix_instruction(f16, f16, f32) == ("f16", "f16", "f32", (1, 2, 4, 8), 16, 16)
    assert bmg.matrix_instruction(bf16, bf16, bf16) is not None
    assert bmg.matrix_instruction(FloatTF32Type(), FloatTF32Type(), f32) == (
        "tf32",
        "tf32",
        "f32",
        (1, 2, 4, 8),
        16,
        8,
    )
    mixed = bmg.matrix_instruction(i8, unsigned, i32)
    assert mixed is not None
    assert mixed.mma_types(has_accumulator=True) == ("s32", "s8", "u8", "s32")
    assert mixed.k == 32
    assert bmg.matrix_instruction(f32, f32, f32) is None
    assert bmg.matrix_instruction(f64, f64, f64) is None
    assert bmg.matrix_instruction(f16, bf16, f32) is None
    e4m3 = Float8E4M3FNType()
    assert [n for n in names() if device(n).matrix_instruction(e4m3, e4m3, f32) is not None] == [
        "ptl",
        "cri",
    ]


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"width": 60}, "rows of 60 bytes"),
        ({"width": 66}, "a multiple of 4"),
        ({"pitch": 72}, "a multiple of 16"),
        ({"width": 128, "pitch": 64}, "under rows of 128"),
        ({"base": 32}, "a multiple of 64"),
        ({"column": 2}, "a multiple of 4"),
        ({"height": (1 << 24) + 1}, "reaches at most"),
    ],
)
def test_surfaces_that_2d_access_cannot_reach(values: dict[str, int], word: str) -> None:
    problem = SURFACE.problem(**values)
    assert problem is not None
    assert word in problem


def test_surfaces_that_it_reaches() -> None:
    assert SURFACE.problem(base=128, width=64, height=1, pitch=64, column=-4) is None


@pytest.mark.parametrize("name", FILES)
def test_tables_are_what_was_measured(name: str) -> None:
    """Rows whose height the tables know; a message that the compiler merged with its neighbour counts as absent."""
    access, compared = FILES[name], 0
    with (MEASURED / f"{name}.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            height, width, count = int(row["h"]), int(row["w"]), int(row["v"])
            if height not in HEIGHTS:
                continue
            configuration = BlockConfiguration(
                height, width, count, access == "load_packed", access == "load_transposed"
            )
            target = device(NAMES.get(row["dev"], row["dev"]))
            listed = configuration in target.compiled(access, int(row["bits"]))
            if listed:
                assert not row["status"].startswith("FAIL"), row
            elif row["status"].startswith("OK") and row["nmsg"] == "1" and exact(row):
                pytest.fail(f"measured, but not in the table: {row}")
            compared += 1
    assert compared > 500
    print(f"compared {compared} rows of {name}.tsv")


def exact(row: dict[str, str]) -> bool:
    """Whether the message in the disassembly is the requested one."""
    found = re.findall(r"\d+", row["shape"])
    return found[:3] == [row["w"], row["h"], row["v"]]


@pytest.mark.skipif(not HEADER.exists(), reason="MLIR's headers are not installed")
def test_subgroup_size_is_the_headers() -> None:
    assert re.search(rf"getSubgroupSize\(\)[^{{]*{{\s*return {LANES};", HEADER.read_text())
