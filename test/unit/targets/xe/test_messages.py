"""The tables of messages: hard values, and the measurements that they come from."""

import csv
import re
from pathlib import Path

import pytest

from xetile.layout.intel.message_layouts import Access, BlockConfiguration
from xetile.targets import find, names
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.messages import HEIGHTS, PAYLOAD_ROW_BYTES, lane_words, verified

MEASURED = Path(__file__).parents[3] / "data" / "capabilities"


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


def test_payloads_hold_rows_that_every_device_prefetches() -> None:
    """Wider rows, which cri alone has, go without a payload."""
    for bits in (8, 16, 32, 64):
        rows = {
            c.columns * c.blocks * bits // 8 for c in device("bmg").compiled("prefetch", bits)
        }
        assert max(rows) == PAYLOAD_ROW_BYTES == 64


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


@pytest.mark.parametrize(
    "bits, count, alignment, words",
    [
        (8, 1, None, (8, 1)),
        (16, 1, 2, (16, 1)),
        (16, 2, None, (32, 1)),
        (8, 8, 4, (32, 2)),
        (32, 4, 4, (32, 4)),
        (64, 8, 8, (64, 8)),
        # several narrow words, too many words, an address between words
        (8, 2, None, None),
        (64, 16, None, None),
        (32, 1, 2, None),
        (16, 2, 2, None),
    ],
)
def test_a_lane_has_words_of_its_own(
    bits: int, count: int, alignment: int | None, words: tuple[int, int] | None
) -> None:
    assert lane_words(bits, count, alignment) == words
