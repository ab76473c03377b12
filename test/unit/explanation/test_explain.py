"""What is explained of the examples, against figures that are known otherwise, and that it is what passes decided."""

import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import UnknownLoc

import xetile
from xetile.explanation.facts import Access, Kernel, Place, Tally
from xetile.kernels import gemm_module
from xetile.levels import LevelName

EXAMPLES = Path(__file__).parents[3] / "examples"


Explained = Callable[[str], Kernel]


@pytest.fixture(scope="module")
def explained() -> Explained:
    """An example on bmg, without ocloc."""

    @cache
    def of(name: str) -> Kernel:
        module = xetile.parse(EXAMPLES / f"{name}.mlir")
        return xetile.explain(module, device="bmg", assembly=False).kernels[0]

    return of


def messages(access: Access) -> str:
    return " + ".join(map(str, access.messages))


def plan(kernel: Kernel) -> list[tuple[int, str, str, str, int | None]]:
    return [
        (
            access.place.line if access.place else 0,
            access.kind,
            access.matrix,
            messages(access),
            access.loop,
        )
        for access in kernel.accesses
    ]


def test_a_gemm_has_3_loads_and_32_products_in_a_k_step(explained: Explained) -> None:
    kernel = explained("gemm_f16_plain")
    assert plan(kernel) == [
        (39, "load", "A", "1 of 32x16x2", 0),
        (40, "load", "B", "2 of 32x16x2 packed", 0),
        (51, "store", "C", "16 of 8x16", None),
    ]
    (loop,) = kernel.loops
    assert loop.tally == Tally(loads=3, products=32, rows=32 * 8, flops=2 * 32 * 64 * 32)
    assert (loop.rounds, loop.copies, kernel.hot) == (4096 // 32, 16, 0)
    assert kernel.once == Tally(stores=16)
    assert (kernel.grid, kernel.subgroups, kernel.shared_bytes) == ((16, 16, 1), 32, 0)


def test_tiles_are_those_of_the_workgroup_and_of_one_subgroup(explained: Explained) -> None:
    found = {
        (access.kind, access.matrix): (access.workgroup, access.subgroup, access.bytes)
        for access in explained("gemm_f16").accesses
    }
    assert found == {
        ("load", "A"): ((256, 32), (32, 32), 32 * 32 * 2),
        ("load", "B"): ((32, 256), (32, 64), 32 * 64 * 2),
        ("prefetch", "A"): ((256, 32), (8, 32), 8 * 32 * 2),
        ("prefetch", "B"): ((32, 256), (8, 32), 8 * 32 * 2),
        ("store", "C"): ((256, 256), (32, 64), 32 * 64 * 4),
    }


def test_what_holds_registers_is_what_the_estimate_counts(explained: Explained) -> None:
    kernel = explained("gemm_f16_plain")
    found = kernel.registers
    path = str(EXAMPLES / "gemm_f16_plain.mlir")
    assert [(h.place, h.op, round(h.registers)) for h in found.holders[:3]] == [
        (Place(path, 42, 7), "tile_mma", 32 * 64 * 4 // 64),
        (Place(path, 40, 7), "load_tile", 32 * 64 * 2 // 64),
        (Place(path, 39, 7), "load_tile", 32 * 32 * 2 // 64),
    ]
    assert (found.held, found.counted, found.file, found.size) == (225, 258, "large", 256)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.mlir")), ids=lambda path: path.stem)
def test_holders_make_up_what_is_held_and_bytes_what_is_moved(
    path: Path, explained: Explained
) -> None:
    kernel = explained(path.stem)
    held = sum(holder.registers for holder in kernel.registers.holders)
    assert kernel.registers.held - 1 < held <= kernel.registers.held
    tallies = [kernel.once, *(loop.tally for loop in kernel.loops)]
    for name in ("load", "store", "prefetch"):
        counts = [
            message.count
            for access in kernel.accesses
            if access.kind == name and access.space == "global"
            for message in access.messages
        ]
        counted = {"prefetch": "prefetches"}.get(name, f"{name}s")
        assert sum(counts) == sum(getattr(tally, counted) for tally in tallies)


def test_a_softmax_is_converted_by_its_reductions_alone(explained: Explained) -> None:
    kernel = explained("softmax")
    assert plan(kernel) == [
        (18, "load", "X", "16 of 8x16", None),
        (33, "store", "Y", "16 of 8x16", None),
    ]
    assert [
        (one.place and one.place.line, one.op, one.how, one.price, one.count)
        for one in kernel.conversions
    ] == [
        (22, "tile_reduce", "subgroup shared memory", 12, 1),
        (28, "tile_reduce", "subgroup shared memory", 14, 1),
    ]
    assert (kernel.loops, kernel.hot) == ((), None)
    assert kernel.shared_bytes == 16 * 512


def test_attention_loads_keys_transposed_and_reduces_in_its_loop(explained: Explained) -> None:
    kernel = explained("flash_attention")
    assert plan(kernel) == [
        (36, "load", "Q", "2 of 16x16x2", None),
        (50, "load", "K", "16 of 16x8 transposed, words of 32 bits", 0),
        (86, "load", "V", "4 of 32x16x2 packed", 0),
        (102, "store", "O", "4 of 8x32", None),
    ]
    (loop,) = kernel.loops
    assert (loop.rounds, loop.copies, loop.tally.products) == (64, 1, 64)
    inside = [
        (one.place and one.place.line, one.count) for one in kernel.conversions if one.loop
    ]
    assert inside == [(57, 2), (62, 2), (78, 2)]
    (moved,) = kernel.owners
    assert moved.how == "in registers"
    assert moved.what.startswith("xetile.tile_transpose of 64x64xf16 from [1, 8] x [64, 64]")


def test_weights_are_computed_once_through_shared_memory(explained: Explained) -> None:
    kernel = explained("gemm_int8_weights")
    outer, inner = kernel.loops
    assert (outer.rounds, inner.rounds, inner.outer, kernel.hot) == (32, 4, 0, 1)
    assert kernel.rounds(1) == 4096 // 32
    assert (inner.tally.shared, inner.tally.barriers) == (10, 1)
    broadcast, operand = kernel.owners
    assert broadcast.how == "by loading or making it so"
    assert "computed once" in operand.what
    assert operand.how.startswith("through shared memory: 2 buffers of 16384 bytes")
    assert kernel.shared_bytes == 2 * 16384


def test_the_report_is_what_the_pass_prints(
    explained: Explained, capsys: pytest.CaptureFixture[str]
) -> None:
    from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg

    module = xetile.parse(EXAMPLES / "gemm_int8_weights.mlir")
    from xetile.dialects.modules import context

    XeTileWgToSg(print_plan=True).apply(context(), module)
    owners = explained("gemm_int8_weights").owners
    assert [f"{one.place}: {one.what} {one.how}" for one in owners] == (
        capsys.readouterr().err.splitlines()
    )


def test_ocloc_counts_the_k_step(ocloc: Path) -> None:
    found = xetile.explain(xetile.parse(EXAMPLES / "gemm_f16_plain.mlir"), device="bmg")
    (kernel,) = found.kernels
    assert (kernel.counter, kernel.instructions, kernel.spilled) == ("ocloc", 37.4375, 0)
    assert kernel.outside is not None
    assert "37.4 in a round of loop 1, 1.17 for each dpas" in str(found)


def test_a_kernel_without_positions_is_explained_by_its_text() -> None:
    module = gemm_module(m=64, n=64, k=64, workgroup_tile=(32, 32), subgroup_tile=(16, 16))
    for op in module.walk():
        op.location = UnknownLoc()
    before = xetile.text(module)
    (kernel,) = xetile.explain(module, device="bmg", assembly=False).kernels
    load = kernel.accesses[0]
    assert load.place is not None
    assert load.place.file == "<module>"
    assert "xetile.load_tile" in before.splitlines()[load.place.line - 1]
    assert xetile.text(module) == before


def test_what_cannot_be_moved_by_blocks_is_told_as_lanes() -> None:
    module = gemm_module(m=64, n=60, k=64, workgroup_tile=(32, 32), subgroup_tile=(16, 16))
    (kernel,) = xetile.explain(module, device="bmg", assembly=False).kernels
    found = {(a.matrix, a.kind): messages(a) for a in kernel.accesses}
    assert found["A", "load"] == "1 of 16x16x2"
    assert found["B", "load"] == "32 of 16 lanes x 2 bytes"


def test_messages_that_a_kernel_tests_for_are_told_without_the_gathers_beside_them(
    explained: Explained,
) -> None:
    module = xetile.parse(EXAMPLES / "gemm_f16_plain.mlir")
    found = xetile.explain(module, device="bmg", assume="check", assembly=False)
    (kernel,) = found.kernels
    plain = explained("gemm_f16_plain")
    assert kernel.is_tested
    assert not plain.is_tested
    assert (kernel.accesses, kernel.loops, kernel.once) == (
        plain.accesses,
        plain.loops,
        plain.once,
    )
    assert "beside all this: the same with gathers" in str(found)


def test_accesses_to_shared_memory_are_told_apart() -> None:
    module = xetile.parse(EXAMPLES / "rfc" / "2.4-shared-memory.mlir")
    (kernel,) = xetile.explain(module, device="bmg", assembly=False).kernels
    found = {
        (one.matrix, one.kind): (one.space, messages(one))
        for one in kernel.accesses
        if one.loop == 0
    }
    assert found == {
        ("A", "load"): ("global", "1 of 4x16x2"),
        ("B", "load"): ("global", "1 of 4x16x2 packed"),
        ("ring_a", "load"): ("shared", "8 of 256 bytes in a row"),
        ("ring_b", "load"): ("shared", "4 of 512 bytes in a row"),
        ("ring_a", "store"): ("shared", "2 of 128 bytes in a row"),
        ("ring_b", "store"): ("shared", "2 of 128 bytes in a row"),
    }
    assert kernel.loops[0].tally.shared == 16


def test_loops_are_left_as_they_are_where_asked() -> None:
    module = xetile.parse(EXAMPLES / "gemm_f16_plain.mlir")
    (kernel,) = xetile.explain(
        module, device="bmg", unroll=1, grf="large", assembly=False
    ).kernels
    assert kernel.loops[0].copies == 1
    assert kernel.registers.file == "large"


def test_what_is_at_the_last_level_is_refused() -> None:
    module = xetile.lower(xetile.parse(EXAMPLES / "softmax.mlir"), to="llvm", device="bmg")
    with pytest.raises(xetile.XetileError, match="'softmax' is at level llvm already"):
        xetile.explain(module, device="bmg")


def test_no_kernel_is_refused() -> None:
    module = xetile.parse(EXAMPLES / "softmax.mlir")
    with pytest.raises(xetile.XetileError, match="there is no kernel 'gemm'"):
        xetile.explain(module, device="bmg", kernel="gemm")


def test_the_page_shows_what_is_printed(ocloc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = EXAMPLES.parent
    monkeypatch.chdir(root)
    page = (root / "docs" / "compiling.md").read_text()
    found = str(xetile.explain(xetile.parse("examples/gemm_f16_plain.mlir"), device="bmg"))
    assert textwrap.indent(found, "    ") in page


@pytest.mark.parametrize("level", ["subgroup", "blocked", "xegpu", "xevm"])
def test_a_kernel_is_explained_from_its_own_level_down(
    level: LevelName, explained: Explained
) -> None:
    above = explained("gemm_f16")
    module = xetile.lower(xetile.parse(EXAMPLES / "gemm_f16.mlir"), to=level, device="bmg")
    (kernel,) = xetile.explain(module, device="bmg", assembly=False).kernels
    assert (kernel.loops, kernel.once) == (above.loops, above.once)
    assert [(one.place, one.kind, one.messages) for one in kernel.accesses] == [
        (one.place, one.kind, one.messages) for one in above.accesses
    ]
    assert {one.workgroup for one in kernel.accesses} == {None}
