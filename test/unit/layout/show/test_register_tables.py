"""Views: small ones by hand, the document's by their rule, random ones against the triton wheel."""

import json
import random
import subprocess
import sys
from itertools import product

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.show.register_tables import hardware_view, matrix_view, owners, tensor_view
from xetile.layout.text.attribute_text import layout_of

DPAS = (
    "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, "
    "threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2]}>"
)
SMALL = LinearLayout.from_bases(
    {"register": [(0, 1), (2, 0)], "lane": [(0, 2), (1, 0)], "warp": [(0, 0)], "block": []},
    {"dim0": 4, "dim1": 4},
)
SHARED = LinearLayout.from_bases(
    {"offset": [(0, 1), (0, 2), (1, 0), (2, 1)], "block": []}, {"dim0": 4, "dim1": 4}
)


def test_hardware_view_has_a_line_per_register() -> None:
    body = (
        "(0,0), (0,2), (1,0), (1,2)\n(0,1), (0,3), (1,1), (1,3)\n"
        "(2,0), (2,2), (3,0), (3,2)\n(2,1), (2,3), (3,1), (3,3)\n"
    )
    assert hardware_view(SMALL) == f"Warp0:\n{body}Warp1:\n{body}"
    assert hardware_view(SMALL, subgroup="Subgroup").startswith("Subgroup0:\n(0,0)")


def test_hardware_view_names_blocks_where_there_are_several() -> None:
    layout = LinearLayout.from_bases(
        {"lane": [(1,)], "block": [(8,), (2,), (4,)]}, {"dim0": 16}
    )
    assert hardware_view(layout).startswith(
        "Block0:\nWarp0:\n( 0), ( 1)\nBlock1:\nWarp0:\n( 8), "
    )


def test_tensor_view_joins_replicas() -> None:
    assert tensor_view(SMALL) == (
        "[[T0:0|T4:0, T0:1|T4:1, T1:0|T5:0, T1:1|T5:1]\n"
        "[ T2:0|T6:0, T2:1|T6:1, T3:0|T7:0, T3:1|T7:1]\n"
        "[ T0:2|T4:2, T0:3|T4:3, T1:2|T5:2, T1:3|T5:3]\n"
        "[ T2:2|T6:2, T2:3|T6:3, T3:2|T7:2, T3:3|T7:3]]\n"
    )


def test_views_of_shared_memory() -> None:
    assert tensor_view(SHARED) == (
        "[[(0:0),(0:1),(0:2),(0:3)]\n[ (1:0),(1:1),(1:2),(1:3)]\n"
        "[ (2:1),(2:0),(2:3),(2:2)]\n[ (3:1),(3:0),(3:3),(3:2)]]\n"
    )
    assert hardware_view(SHARED).startswith(
        "Block: 0:\nOffset: 0 -> (0,0)\nOffset: 1 -> (0,1)\n"
    )


FEW = LinearLayout.from_bases(
    {"offset": [(0, 1), (1, 0), (0, 2)], "block": []}, {"dim0": 4, "dim1": 4}, require_surjective=False
)  # fmt: skip


def test_fewer_offsets_than_elements_begin_again() -> None:
    """Both texts are triton 3.9's of the same layout."""
    half = "(0:0),(0:1),(1:0),(1:1)]\n[ (0:2),(0:3),(1:2),(1:3)]"
    assert tensor_view(FEW) == f"[[{half}\n[ {half}]\n"
    lines = hardware_view(FEW).splitlines()
    assert lines[0] == "Block: 0:"
    assert lines[8:10] == ["Offset: 7 -> (1,3)", "Offset: 8 -> (0,0)"]
    assert lines[-1] == "Offset: 15 -> (1,3)"


def test_more_offsets_than_elements_are_cut() -> None:
    """Triton shows as many offsets of a block as it has elements."""
    bases = {"offset": [(0, 1), (0, 1), (1, 0)]}
    twice = LinearLayout.from_bases(bases, {"dim0": 2, "dim1": 2})
    assert tensor_view(twice) == "[[(0:0),(0:1)]\n[ (0:1),(0:0)]]\n"
    same = LinearLayout.from_bases(
        {"offset": [(0, 1), (1, 0)], "block": [(0, 0)]}, {"dim0": 2, "dim1": 2}
    )
    assert tensor_view(same) == "[[(0:0),(0:1)]\n[ (0:0),(0:1)]]\n"


def test_the_gemm_operands_of_the_block_load_document() -> None:
    a = hardware_view(layout_of(f"#ttg.dot_op<{{opIdx = 0, parent = {DPAS}}}>", (256, 32)))
    lines = a.splitlines()
    assert lines[0] == "Warp0:"
    assert lines[1].startswith("(  0, 0), (  0, 1), (  0, 2)")
    assert lines[1].endswith("(  0,14), (  0,15)")
    assert lines[32].startswith("( 31, 0), ")
    assert lines[33].startswith("(  0,16), (  0,17)")
    assert lines[65] == "Warp1:"
    b = hardware_view(layout_of(f"#ttg.dot_op<{{opIdx = 1, parent = {DPAS}}}>", (32, 256)))
    first = [line.split("), ")[0] + ")" for line in b.splitlines()[1:129]]
    rows_of = [(0, 0), (0, 16), (16, 0), (16, 16), (0, 128), (0, 144), (16, 128), (16, 144)]
    assert first == [
        f"({row + r:>2},{column:>3})" for row, column in rows_of for r in range(16)
    ]


def test_matrix_view_is_the_matrix_of_bits() -> None:
    layout = LinearLayout.from_bases({"lane": [(0, 1), (2, 1)], "warp": []}, {"dim0": 4, "dim1": 2}, require_surjective=False)  # fmt: skip
    assert matrix_view(layout) == (
        "       lane=1 lane=2\ndim0=1      .      .\ndim0=2      .      1\ndim1=1      1      1\n"
    )


def test_owners_are_those_of_apply() -> None:
    held = owners(SMALL)
    for warp, lane, register in product(range(2), range(4), range(4)):
        at = SMALL.apply({"register": register, "lane": lane, "warp": warp, "block": 0})
        assert (0, warp, lane, register) in held[at["dim0"], at["dim1"]]
    assert sum(map(len, held.values())) == 32


def test_other_dimensions_have_no_view() -> None:
    layout = LinearLayout.identity_1d(4, "iteration", "dim0")
    for view in (hardware_view, tensor_view, owners):
        with pytest.raises(LayoutError, match=r"no view of in dims \[iteration\]"):
            view(layout)
    with pytest.raises(LayoutError, match="a layout of shared memory has no owners"):
        owners(SHARED)


WHEEL = """
import json, sys
from triton._C.libtriton.linear_layout import LinearLayout
views = []
for bases, names, sizes in json.load(sys.stdin):
    layout = LinearLayout.from_bases(list(bases.items()), names, sizes, False)
    view = layout.get_shared_view if "offset" in bases else layout.get_distributed_view
    views.append([view(True), view(False)])
json.dump(views, sys.stdout)
"""
LAYOUTS = 5000
Random = tuple[dict[str, list[list[int]]], list[str], list[int]]


def random_case(source: random.Random, *, shared: bool) -> Random:
    sizes = [1 << source.randint(0, 4) for _ in range(source.randint(1, 3))]
    names = [f"dim{d}" for d in range(len(sizes))]
    if not shared:

        def vector() -> list[int]:
            return [source.randrange(n) if source.random() < 0.6 else 0 for n in sizes]

        dims = ("register", "lane", "warp", "block")
        return {n: [vector() for _ in range(source.randint(0, 3))] for n in dims}, names, sizes
    units = [
        [1 << bit if d == e else 0 for e in range(len(sizes))]
        for d, size in enumerate(sizes)
        for bit in range(size.bit_length() - 1)
    ]
    source.shuffle(units)
    cut = source.randint(0, len(units))
    return {"offset": units[:cut], "block": units[cut:]}, names, sizes


@pytest.mark.triton
def test_random_views_are_those_of_the_wheel() -> None:
    source = random.Random(20260822)
    cases = [random_case(source, shared=i % 2 == 0) for i in range(2 * LAYOUTS)]
    ran = subprocess.run(
        [sys.executable, "-c", WHEEL], input=json.dumps(cases), capture_output=True, text=True, check=True
    )  # fmt: skip
    expected: list[list[str]] = json.loads(ran.stdout)
    for (bases, names, sizes), (hardware, tensor) in zip(cases, expected, strict=True):
        layout = LinearLayout.from_bases(
            bases, dict(zip(names, sizes, strict=True)), require_surjective=False
        )
        assert hardware_view(layout) == hardware
        assert tensor_view(layout) == tensor
