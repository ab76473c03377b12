"""The report's own arithmetic: bounds, rows, what changed; and that page and picture are what the figures render to."""

import pytest

from tools.isa_report.bounds import Tile, bound, fewest
from tools.isa_report.counting import Found, names_of, per_block
from tools.isa_report.figures import Figures, changes, read, row, written
from tools.isa_report.kernels import KERNELS
from tools.isa_report.page import PAGE, page
from tools.isa_report.picture import PICTURE, picture
from xetile.analysis.targets import device_named
from xetile.api import parse_text


@pytest.mark.parametrize(
    ("tile", "device", "messages"),
    [
        (Tile("load", 32, 32, 16), "bmg", 1),
        (Tile("load_packed", 32, 64, 16), "bmg", 2),
        (Tile("load_packed", 32, 64, 8), "bmg", 1),
        (Tile("load_transposed", 64, 16, 32), "bmg", 8),
        (Tile("load_transposed", 64, 16, 32), "cri", 4),
        (Tile("load", 16, 64, 32), "pvc", 4),
        (Tile("prefetch", 8, 32, 16), "pvc", 1),
        (Tile("prefetch", 8, 128, 16), "bmg", 4),
        (Tile("prefetch", 8, 128, 16), "cri", 1),
    ],
)
def test_fewest_messages(tile: Tile, device: str, messages: int) -> None:
    assert fewest(tile, device) == messages
    assert bound([tile, tile], device) == 2 * messages


def counts(total: float, **others: float) -> dict[str, float]:
    return {"total": total, "spill_size": 0, "outside": 100} | others


def test_the_best_way_is_the_one_with_the_fewest_instructions() -> None:
    ways = {
        "stock": Found(counts(53)),
        "second": Found(None, "crashes"),
        "third": Found(counts(40)),
    }
    found = row(Found(counts(41)), ways)
    assert found.stock is not None
    assert found.best is not None
    assert (found.stock.way, found.best.way) == ("stock", "third")
    assert found.is_above_upstream
    assert not row(Found(counts(40)), ways).is_above_upstream


def test_a_kernel_of_which_upstream_makes_nothing() -> None:
    found = row(Found(counts(41)), {"stock": Found(None, "no builtin")})
    assert found.best is not None
    assert (found.best.counts, found.best.fails) == (None, "no builtin")
    assert not found.is_above_upstream


def test_what_became_better_and_worse() -> None:
    before: Figures = {"f16": {"bmg": row(Found(counts(37.5, instructions=5000)), {})}}
    after: Figures = {
        "f16": {"bmg": row(Found(counts(37.4999, instructions=4900, outside=120)), {})}
    }
    assert [(c.key, c.is_worse) for c in changes(before, after)] == [
        ("outside", True),
        ("instructions", False),
    ]
    assert str(next(changes(before, after))) == "worse: f16, bmg: outside 100 -> 120"
    stopped: Figures = {"f16": {"bmg": row(Found(None, "error"), {})}}
    assert [c.is_worse for c in changes(before, stopped)] == [True]
    assert list(changes({}, after)) == []


LOAD = "        send.ugm (1|M0)          r67  r230  null:0  0x0  0x0  {$3} // load_block2d.ugm.d32.a64\n"
MOVE = "        mov (16|M0)              r6.0<1>:f     r144.0<1;1,0>:f\n"
BRANCH = "(W&f0.0) jmpi                               {label}\n"


def test_counts_of_a_kernel_without_products_are_those_of_its_loops_for_each_block() -> None:
    """A loop of two blocks with 6 instructions, and one of one block with 4: 3 and 4, behind 2 others."""
    text = MOVE * 2 + "L1:\n" + (LOAD + MOVE) * 2 + MOVE + BRANCH.format(label="L1")
    text += "L2:\n" + LOAD + MOVE * 2 + BRANCH.format(label="L2")
    found = per_block(text, device_named("bmg"), 10)
    assert (found["total"], found["mov"], found["load2d"]) == (7, 3.5, 2)
    assert (found["outside"], found["instructions"]) == (2, 2 + 5 * 6 + 10 * 4)
    assert per_block(MOVE * 3, device_named("bmg"), 10) == {}


def test_the_file_holds_what_is_read() -> None:
    figures = read()
    assert read.__defaults__ is not None
    (file,) = read.__defaults__
    assert file.read_text() == written(figures)


def test_every_kernel_is_measured_on_each_of_its_devices() -> None:
    assert {name: tuple(rows) for name, rows in read().items()} == {
        name: kernel.devices for name, kernel in KERNELS.items()
    }


def test_page_and_picture_are_what_the_figures_render_to() -> None:
    assert PAGE.read_text() == page(read()), "run python -m tools.isa_report --write"
    assert PICTURE.read_text() == picture(read())


def test_kernels_are_chosen_by_patterns() -> None:
    assert names_of(["attention, 8*"]) == [
        "attention, 8 rows, K as D x keys",
        "attention, 8 rows, K as keys x D",
    ]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_valid(name: str) -> None:
    parse_text(KERNELS[name].text(), "kernel.mlir").verify()
    assert KERNELS[name].ways() or KERNELS[name].why_none


def test_no_loop_has_more_instructions_than_upstreams_best() -> None:
    above = {
        (name, device)
        for name, rows in read().items()
        for device, found in rows.items()
        if found.is_above_upstream
    }
    assert above == set()
