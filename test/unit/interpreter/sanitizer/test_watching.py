"""Races on shared memory and other wrong uses of it: found at the op, and nothing found in right programs."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.interpreter.machine.runtime_values import Array

LINES_BEFORE = 11
"""Lines of HEADER: the first line of a body is one more."""

HEADER = """\
gpu.module @m {
  gpu.func @k(%in: memref<4x8x16xf16>, %out: memref<4x8x16xf16>) WORKGROUP kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %sg = gpu.subgroup_id : index
    %up = arith.addi %sg, %c1 : index
    %next = arith.remui %up, %c4 : index
"""

FOOTER = """
    gpu.return
  }
}
"""

TILES = """\
%s = memref.alloc() : memref<32x16xf16, 3>
%c8 = arith.constant 8 : index
%own = arith.muli %sg, %c8 : index
%foreign = arith.muli %next, %c8 : index
%ti = xetile.init_tile %in[%sg, 0, 0] : memref<4x8x16xf16> -> !xetile.tile<8x16xf16>
%to = xetile.init_tile %out[%sg, 0, 0] : memref<4x8x16xf16> -> !xetile.tile<8x16xf16>
%v = xetile.load_tile %ti : !xetile.tile<8x16xf16> -> vector<8x16xf16>
%tw = xetile.init_tile %s[%own, 0] : memref<32x16xf16, 3> -> !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3>>
%tr = xetile.init_tile %s[%foreign, 0] : memref<32x16xf16, 3> -> !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3>>
"""
WRITE = "xetile.store_tile %v, %tw : vector<8x16xf16>, !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3>>\n"
READ = "%r = xetile.load_tile %tr : !xetile.tile<8x16xf16, #xetile.tile_attr<memory_space = 3>> -> vector<8x16xf16>\n"
OUT = "xetile.store_tile %r, %to : vector<8x16xf16>, !xetile.tile<8x16xf16>\n"
BARRIER = "gpu.barrier\n"


SHARED = "#gpu.address_space<workgroup>"
ATTRIBUTION = f"workgroup(%s: memref<32x16xf16, {SHARED}>)"


def kernel(body: str, *, workgroup: str = "", level: str | None = None) -> str:
    text = HEADER.replace("WORKGROUP", workgroup) + body + FOOTER
    if level is not None:
        text = text.replace("attributes {", f'attributes {{xetile.level = "{level}", ')
    return text


def line_of(body: str, op: str) -> int:
    """The line of the kernel where `op`, a line of the body, stands first."""
    return LINES_BEFORE + 1 + body.split("\n").index(op.rstrip())


def run(body: str, **options: str) -> tuple[Array, Array]:
    """What the kernel is given and what it leaves, both [4, 8, 16]."""
    source = np.random.default_rng(7).standard_normal((4, 8, 16)).astype(np.float16)
    out = np.zeros_like(source)
    module = parse_text(kernel(body, **options), "k.mlir")
    execute(module, None, [source, out], sanitize=True)
    return source, out


def refused(body: str, at: int, message: str, **options: str) -> None:
    """The whole message, at a line of the kernel."""
    with pytest.raises(XetileError) as caught:
        run(body, **options)
    assert caught.value.message == message
    assert caught.value.location is not None
    assert caught.value.location.line.data == at


def test_tiles_handed_on_through_shared_memory():
    source, out = run(TILES + WRITE + BARRIER + READ + OUT)
    np.testing.assert_array_equal(out, source[[1, 2, 3, 0]])


def test_a_read_that_no_barrier_orders_after_the_write():
    body = TILES + WRITE + READ + OUT
    refused(
        body,
        line_of(body, READ),
        "subgroup 0 reads element [8, 0] of the shared buffer allocated at line 12, "
        "which subgroup 1 wrote at line 21 with no barrier between",
    )


def test_a_write_that_no_barrier_orders_after_the_read():
    body = TILES + WRITE + BARRIER + READ + WRITE
    refused(
        body,
        24,
        "subgroup 0 writes element [0, 0] of the shared buffer allocated at line 12, "
        "which subgroup 3 read at line 23 with no barrier between",
    )


def test_the_other_access_is_a_note():
    """Of races in a workgroup and between workgroups."""
    bodies = {
        TILES + WRITE + READ: ("subgroup 1 wrote it here", 21),
        RACED_STORES: ("workgroup [1, 0, 0] stored it here", 16),
    }
    for body, (message, line) in bodies.items():
        with pytest.raises(XetileError) as caught:
            run(body)
        (note,) = caught.value.notes
        assert note.message == message
        assert note.location.line.data == line


def test_shared_memory_that_nothing_has_written():
    body = TILES + READ + OUT
    refused(
        body,
        21,
        "subgroup 0 reads element [8, 0] of the shared buffer allocated at line 12, "
        "which nothing has written",
    )


def test_nothing_is_watched_unless_asked(monkeypatch: pytest.MonkeyPatch):
    module = parse_text(kernel(TILES + WRITE + READ + OUT), "k.mlir")
    arrays = [np.zeros((4, 8, 16), np.float16) for _ in range(2)]
    execute(module, None, arrays, sanitize=False)
    monkeypatch.setenv("XETILE_SANITIZE", "0")
    execute(module, None, arrays)
    monkeypatch.setenv("XETILE_SANITIZE", "1")
    with pytest.raises(XetileError, match="with no barrier between"):
        execute(module, None, arrays)


@pytest.mark.parametrize("space", ["3", "3 : i32", SHARED])
def test_every_spelling_of_shared_memory(space: str):
    body = (TILES + WRITE + READ).replace("xf16, 3>", f"xf16, {space}>")
    with pytest.raises(
        XetileError, match=r"reads element .* which subgroup 1 wrote at line 21"
    ):
        run(body)
    source, out = run(
        (TILES + WRITE + BARRIER + READ + OUT).replace("xf16, 3>", f"xf16, {space}>")
    )
    np.testing.assert_array_equal(out, source[[1, 2, 3, 0]])


def test_shared_memory_of_the_function():
    tiles = "\n".join(TILES.split("\n")[1:]).replace("xf16, 3>", f"xf16, {SHARED}>")
    source, out = run(tiles + WRITE + BARRIER + READ + OUT, workgroup=ATTRIBUTION)
    np.testing.assert_array_equal(out, source[[1, 2, 3, 0]])
    refused(
        tiles + WRITE + READ,
        21,
        "subgroup 0 reads element [8, 0] of the shared buffer allocated at line 2, "
        "which subgroup 1 wrote at line 20 with no barrier between",
        workgroup=ATTRIBUTION,
    )


def ring(slots: int, *, barriers: str) -> str:
    """Eight rounds through a ring of buffers: write, BARRIER, read; `barriers` names where they are."""
    after = {name: BARRIER if name in barriers.split() else "" for name in ("write", "read")}
    return f"""\
%s = memref.alloc() : memref<{slots}x4xindex, 3>
%rounds = arith.constant 8 : index
%slots = arith.constant {slots} : index
%sum = scf.for %i = %c0 to %rounds step %c1 iter_args(%total = %c0) -> (index) {{
  %slot = arith.remui %i, %slots : index
  %value = arith.addi %i, %sg : index
  memref.store %value, %s[%slot, %sg] : memref<{slots}x4xindex, 3>
  {after["write"]}
  %r = memref.load %s[%slot, %next] : memref<{slots}x4xindex, 3>
  {after["read"]}
  %t = arith.addi %total, %r : index
  scf.yield %t : index
}}
%n = arith.index_cast %sum : index to i32
%f = arith.sitofp %n : i32 to f16
memref.store %f, %out[%sg, %c0, %c0] : memref<4x8x16xf16>
"""


@pytest.mark.parametrize(
    "slots, barriers", [(1, "write read"), (2, "write"), (3, "write"), (2, "write read")]
)
def test_rings_of_buffers(slots: int, barriers: str):
    _, out = run(ring(slots, barriers=barriers))
    assert out[:, 0, 0].tolist() == [sum(range(8)) + 8 * n for n in (1, 2, 3, 0)]


def test_a_ring_that_is_written_while_others_read():
    refused(
        ring(1, barriers="write"),
        18,
        "subgroup 0 writes element [0, 0] of the shared buffer allocated at line 12, "
        "which subgroup 3 read at line 21 with no barrier between",
    )


def test_a_ring_that_is_read_while_others_write():
    refused(
        ring(2, barriers="read"),
        20,
        "subgroup 0 reads element [0, 1] of the shared buffer allocated at line 12, "
        "which subgroup 1 wrote at line 18 with no barrier between",
    )


SCALARS = "%s = memref.alloc() : memref<8xi32, 3>\n%n = arith.index_cast %sg : index to i32\n"
SHARED_SCALARS = "memref<8xi32, 3>"


@pytest.mark.parametrize(
    "ops, message",
    [
        (["memref.store %n, %s[%c0]"], "subgroups 0 and 3 store different values to element [0]"),
        (["%k = arith.constant 5 : i32", "memref.store %k, %s[%c0]"], None),
        (["%k = arith.constant 5 : i32", "memref.store %k, %s[%c0]", "%r = memref.load %s[%c0]"], None),
        (["memref.store %n, %s[%sg]", "%r = memref.load %s[%sg]", "memref.store %r, %s[%sg]"], None),
        (["memref.store %n, %s[%sg]", "memref.store %n, %s[%next]"], "subgroup 0 writes element [1]"),
        (["memref.store %n, %s[%sg]", "gpu.barrier", "memref.store %n, %s[%next]"], None),
        (["memref.store %n, %s[%sg]", "gpu.barrier", "%r = memref.load %s[%next]", "%q = memref.load %s[%sg]"], None),
    ],
)  # fmt: skip
def test_scalars(ops: list[str], message: str | None):
    body = SCALARS + "\n".join(
        op if op.startswith(("%k", "gpu")) else f"{op} : {SHARED_SCALARS}" for op in ops
    )
    if message is None:
        run(body)
        return
    with pytest.raises(XetileError) as caught:
        run(body)
    assert caught.value.message.startswith(message)


ATOMIC = "%o = memref.atomic_rmw addi %n, %s[%c0] : (i32, memref<8xi32, 3>) -> i32\n"
ZERO = f"%k = arith.constant 0 : i32\nmemref.store %k, %s[%c0] : {SHARED_SCALARS}\n"
PLAIN = f"%r = memref.load %s[%c0] : {SHARED_SCALARS}\n"


FIRST_ONLY = f"""\
%first = arith.cmpi eq, %sg, %c0 : index
scf.if %first {{
  memref.store %n, %s[%c0] : {SHARED_SCALARS}
  %p = memref.atomic_rmw addi %n, %s[%c0] : (i32, {SHARED_SCALARS}) -> i32
}}
"""


@pytest.mark.parametrize(
    "body, message",
    [
        (ZERO + BARRIER + ATOMIC + ATOMIC.replace("%o", "%p") + BARRIER + PLAIN, None),
        (ZERO + ATOMIC, "writes element [0]"),
        (ZERO + BARRIER + ATOMIC + PLAIN, "reads element [0]"),
        (ZERO + BARRIER + PLAIN + ATOMIC, "writes element [0]"),
        (ZERO + BARRIER + ATOMIC + ZERO.replace("%k", "%l"), "writes element [0]"),
        (FIRST_ONLY + ATOMIC, "writes element [0]"),
        (
            ATOMIC,
            "reads element [0] of the shared buffer allocated at line 12, which nothing has written",
        ),
    ],
)
def test_atomic_ops_do_not_race_with_each_other(body: str, message: str | None):
    if message is None:
        run(SCALARS + body)
        return
    with pytest.raises(XetileError) as caught:
        run(SCALARS + body)
    assert message in caught.value.message


POOL = """\
%pool = memref.alloc() : memref<1024xi8, 3>
%half = arith.constant 512 : index
%wide = memref.view %pool[%c0][] : memref<1024xi8, 3> to memref<64xi32, 3>
%narrow = memref.view %pool[%half][] : memref<1024xi8, 3> to memref<64xi16, 3>
%same = memref.view %pool[%c0][] : memref<1024xi8, 3> to memref<64xi16, 3>
%n = arith.index_cast %sg : index to i32
%h = arith.trunci %n : i32 to i16
memref.store %n, %wide[%sg] : memref<64xi32, 3>
memref.store %h, %narrow[%sg] : memref<64xi16, 3>
"""


def test_views_of_a_pool_do_not_meet():
    run(f"{POOL}%a = memref.load %wide[%sg] : memref<64xi32, 3>\n")
    run(
        f"{POOL}%two = arith.muli %sg, %c2 : index\n%a = memref.load %same[%two] : memref<64xi16, 3>\n"
    )
    run(f"{POOL}{BARRIER}%a = memref.load %narrow[%next] : memref<64xi16, 3>\n")


def test_views_of_a_pool_that_meet():
    refused(
        f"{POOL}%a = memref.load %same[%sg] : memref<64xi16, 3>\n",
        21,
        "subgroup 1 reads element [2] of the shared buffer allocated at line 12, "
        "which subgroup 0 wrote at line 19 with no barrier between",
    )
    with pytest.raises(XetileError, match=r"element \[520\] of .* which nothing has written"):
        run(f"{POOL}{BARRIER}%a = memref.load %narrow[%c4] : memref<64xi16, 3>\n")


def test_tiles_that_reach_out_of_shared_memory():
    body = (TILES + WRITE).replace("%s[%own, 0]", "%s[%own, 8]")
    refused(
        body,
        21,
        "subgroup 0 accesses column 23 of a matrix in shared memory, which has 16 columns",
    )
    body = TILES.replace("%s[%foreign, 0]", "%s[%up8, 0]").replace(
        "%tr =", "%up8 = arith.muli %up, %c8 : index\n%tr ="
    )
    refused(
        body + WRITE + BARRIER + READ,
        24,
        "subgroup 3 accesses row 39 of a matrix in shared memory, which has 32 rows",
    )


def test_memory_of_another_workgroup():
    cast = (
        "%s = memref.alloc() : memref<8xi32, 3>\n%far = arith.constant 16 : index\n"
        "%w = memref.reinterpret_cast %s to offset: [0], sizes: [32], strides: [1] "
        ": memref<8xi32, 3> to memref<32xi32, 3>\n"
        "%n = arith.index_cast %sg : index to i32\n"
        "memref.store %n, %w[%far] : memref<32xi32, 3>\n"
    )
    refused(
        cast,
        16,
        "subgroup 0 accesses byte 64 of the shared buffer allocated at line 12, which has 32 bytes",
    )


VECTORS = """\
%s = memref.alloc() : memref<64xi32, 3>
%c16 = arith.constant 16 : index
%own = arith.muli %sg, %c16 : index
%other = arith.muli %next, %c16 : index
%v = arith.constant dense<7> : vector<16xi32>
%z = arith.constant dense<0> : vector<16xi32>
%lane = vector.step : vector<16xindex>
%ids = vector.broadcast %own : index to vector<16xindex>
%at = arith.addi %lane, %ids : vector<16xindex>
%first = vector.create_mask %c1 : vector<16xi1>
%none = arith.constant dense<false> : vector<16xi1>
"""
TYPES = "memref<64xi32, 3>, vector<16xi32>"
MASKED = "memref<64xi32, 3>, vector<16xi1>, vector<16xi32>"
INDEXED = "memref<64xi32, 3>, vector<16xindex>, vector<16xi1>, vector<16xi32>"


@pytest.mark.parametrize(
    "write, read, message",
    [
        (f"vector.store %v, %s[%own] : {TYPES}", f"vector.load %s[%other] : {TYPES}", "reads element [16]"),
        (f"vector.store %v, %s[%own] : {TYPES}", f"vector.load %s[%own] : {TYPES}", None),
        (f"vector.store %v, %s[%own] : {TYPES}", f"vector.maskedload %s[%other], %none, %z : {MASKED} into vector<16xi32>", None),
        (f"vector.store %v, %s[%own] : {TYPES}", f"vector.maskedload %s[%other], %first, %z : {MASKED} into vector<16xi32>", "reads element [16]"),
        (f"vector.maskedstore %s[%own], %first, %v : {MASKED}", f"vector.load %s[%own] : {TYPES}", "subgroup 0 reads element [1]"),
        (f"vector.scatter %s[%c0][%at], %first, %v : {INDEXED}", f"vector.gather %s[%c0][%at], %first, %z : {INDEXED} into vector<16xi32>", None),
        (f"vector.scatter %s[%c0][%lane], %first, %v : {INDEXED}", f"vector.gather %s[%c0][%at], %first, %z : {INDEXED} into vector<16xi32>", "subgroup 1 reads element [16]"),
    ],
)  # fmt: skip
def test_vectors(write: str, read: str, message: str | None):
    body = f"{VECTORS}{write}\n%r = {read}\n"
    if message is None:
        run(body)
        return
    with pytest.raises(XetileError) as caught:
        run(body)
    assert message in caught.value.message


def test_lanes_of_one_subgroup_do_not_race():
    def body(distance: int) -> str:
        return f"""\
%s = memref.alloc() : memref<64xindex, 3>
%d = arith.constant {distance} : index
%size = arith.constant 64 : index
%x = gpu.thread_id x
%y = arith.addi %x, %d : index
%z = arith.remui %y, %size : index
%group = arith.constant 16 : index
%g = arith.divui %z, %group : index
memref.store %x, %s[%x] : memref<64xindex, 3>
%lane = gpu.lane_id
%flip = arith.subi %group, %lane : index
%base = arith.muli %sg, %group : index
%l = arith.subi %flip, %c1 : index
%near = arith.addi %base, %l : index
%a = memref.load %s[%near] : memref<64xindex, 3>
%b = memref.load %s[%z] : memref<64xindex, 3>
"""

    run(body(0), level="lane")
    refused(
        body(1),
        27,
        "subgroup 0 reads element [16] of the shared buffer allocated at line 12, "
        "which subgroup 1 wrote at line 20 with no barrier between",
        level="lane",
    )


def test_barriers_of_one_workgroup_do_not_order_another():
    """Workgroup 0 passes a barrier, workgroup 1 does not."""
    body = """\
%s = memref.alloc() : memref<4xindex, 3>
memref.store %sg, %s[%sg] : memref<4xindex, 3>
%b = gpu.block_id x
%is = arith.cmpi eq, %b, %cN : index
scf.if %is {
  gpu.barrier
}
%r = scf.if %is -> (index) {
  %x = memref.load %s[%next] : memref<4xindex, 3>
  scf.yield %x : index
} else {
  scf.yield %c0 : index
}
"""
    run(body.replace("%cN", "%c1"))
    with pytest.raises(XetileError, match=r"reads element"):
        run(
            body.replace("%cN", "%c1").replace(
                "%r = scf.if %is", "%no = arith.cmpi ne, %b, %c1 : index\n%r = scf.if %no"
            )
        )


STEPS = st.one_of(
    st.just(("barrier", ())),
    st.tuples(
        st.sampled_from(["store", "load", "atomic"]),
        st.lists(st.integers(0, 5), min_size=4, max_size=4).map(tuple),
    ),
)


def program(steps: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    """Each step of each subgroup at its element of six; every store has a value of its own."""
    lines = [
        "%s = memref.alloc() : memref<6xi32, 3>",
        "%n = arith.index_cast %sg : index to i32",
    ]
    lines += [f"%k{i} = arith.constant {i} : index" for i in range(6)]
    lines += [
        "%zero = arith.constant 0 : i32",
        "%first = arith.cmpi eq, %sg, %c0 : index",
        "scf.if %first {",
    ]
    lines += [f"  memref.store %zero, %s[%k{i}] : memref<6xi32, 3>" for i in range(6)]
    lines += ["}", "gpu.barrier"]
    for number, (step, places) in enumerate(steps):
        if step == "barrier":
            lines.append("gpu.barrier")
            continue
        table = ", ".join(map(str, places))
        lines += [
            f"%t{number} = arith.constant dense<[{table}]> : vector<4xindex>",
            f"%p{number} = vector.extract %t{number}[%sg] : index from vector<4xindex>",
            f"%o{number} = arith.constant {10 * number} : i32",
            f"%v{number} = arith.addi %n, %o{number} : i32",
            {
                "store": f"memref.store %v{number}, %s[%p{number}] : memref<6xi32, 3>",
                "load": f"%r{number} = memref.load %s[%p{number}] : memref<6xi32, 3>",
                "atomic": f"%r{number} = memref.atomic_rmw addi %v{number}, %s[%p{number}] : (i32, memref<6xi32, 3>) -> i32",
            }[step],
        ]
    return "\n".join(lines) + "\n"


def races(steps: Sequence[tuple[str, tuple[int, ...]]]) -> bool:
    """Whether two subgroups access an element between the same barriers, one of them writing."""
    since: list[tuple[str, int, int]] = []
    for step, places in steps:
        if step == "barrier":
            since.clear()
            continue
        for subgroup, place in enumerate(places):
            for kind, other, there in since:
                plain = {step, kind} != {"atomic"} and {step, kind} != {"load"}
                if there == place and other != subgroup and plain:
                    return True
            since.append((step, subgroup, place))
    return False


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=6))
def test_the_same_verdict_as_a_list_of_all_accesses(steps: list[tuple[str, tuple[int, ...]]]):
    if not races(steps):
        run(program(steps))
        return
    with pytest.raises(XetileError, match=r"with no barrier between|store different values"):
        run(program(steps))


STORES = """\
%b = gpu.block_id x
%value = arith.constant 2.0 : f16
"""
OWN = "memref.store %value, %out[%c0, %sg, %b] : memref<4x8x16xf16>\n"
FIRST = "memref.store %value, %out[%c0, %sg, %c0] : memref<4x8x16xf16>\n"
TWICE = "%four = arith.addf %value, %value : f16\n" + FIRST.replace("%value", "%four")
ONLY_ONE = """\
%last = arith.cmpi eq, %b, %c1 : index
scf.if %last {
BODY
}
"""
DIFFERENT = "%w = arith.index_cast %b : index to i32\n%x = arith.sitofp %w : i32 to f16\n"


RACED_STORES = STORES + DIFFERENT + FIRST.replace("%value", "%x")


@pytest.mark.parametrize(
    "body, raced",
    [
        (STORES + OWN, False),
        (STORES + FIRST, False),
        (STORES + DIFFERENT + OWN.replace("%value", "%x"), False),
        (STORES + DIFFERENT + FIRST.replace("%value", "%x"), True),
        (STORES + DIFFERENT + FIRST + FIRST.replace("%value", "%x"), True),
        (STORES + ONLY_ONE.replace("BODY", FIRST + FIRST), False),
        (STORES + FIRST + ONLY_ONE.replace("BODY", TWICE), True),
        (STORES + ONLY_ONE.replace("BODY", TWICE + FIRST) + FIRST, True),
    ],
)
@pytest.mark.parametrize("level", ["subgroup", "lane"])
def test_stores_of_two_workgroups(body: str, raced: bool, level: str):
    if not raced:
        run(body, level=level)
        return
    with pytest.raises(XetileError) as caught:
        run(body, level=level)
    assert "to which workgroup [" in caught.value.message
    assert "stored another value at line" in caught.value.message


def test_stores_of_workgroups_in_different_batches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("xetile.interpreter.machine.workgroup_batches.BATCH_BYTES", 1)
    refused(
        STORES + DIFFERENT + FIRST.replace("%value", "%x"),
        16,
        "workgroup [1, 0, 0] stores to an element to which workgroup [0, 0, 0] stored another value at line 16; "
        "workgroups run in any order",
    )


def test_tiles_of_workgroups_that_meet():
    body = """\
%b = gpu.block_id x
%c8 = arith.constant 8 : index
%v = arith.constant dense<VALUE> : vector<8x16xf16>
%at = arith.muli %b, %cN : index
%flat = memref.collapse_shape %out [[0, 1], [2]] : memref<4x8x16xf16> into memref<32x16xf16>
%t = xetile.init_tile %flat[%at, 0] : memref<32x16xf16> -> !xetile.tile<8x16xf16>
%w = arith.index_cast %b : index to i32
%x = arith.sitofp %w : i32 to f16
%y = vector.broadcast %x : f16 to vector<8x16xf16>
xetile.store_tile %y, %t : vector<8x16xf16>, !xetile.tile<8x16xf16>
""".replace("VALUE", "1.0")
    run(body.replace("%cN", "%c8"))
    refused(
        body.replace("%cN", "%c4"),
        21,
        "workgroup [0, 0, 0] stores to an element to which workgroup [1, 0, 0] stored another value at line 21; "
        "workgroups run in any order",
    )


WORKGROUP = """
#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
#columns = #xetile.wg_map<sg_layout = [1, 4], sg_data = [32, 8]>
#shared = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 32]>
!whole = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #rows>>
!written = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #rows, memory_space = 3>>
!read = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #MAP, memory_space = 3>>
!out = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #OUT>>
gpu.module @m {
  gpu.func @k(%in: memref<32x32xf32>, %out: memref<32x32xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %s = memref.alloc() : memref<32x32xf32, 3>
    %ti = xetile.init_tile %in[0, 0] : memref<32x32xf32> -> !whole
    %v = xetile.load_tile %ti : !whole -> vector<32x32xf32>
    %tw = xetile.init_tile %s[0, 0] : memref<32x32xf32, 3> -> !written
    xetile.store_tile %v, %tw : vector<32x32xf32>, !written
    BARRIER
    %tr = xetile.init_tile %s[0, 0] : memref<32x32xf32, 3> -> !read
    %r = xetile.load_tile %tr : !read -> vector<32x32xf32>
    %to = xetile.init_tile %out[0, 0] : memref<32x32xf32> -> !out
    xetile.store_tile %r, %to : vector<32x32xf32>, !out
    gpu.return
  }
}
"""


@pytest.mark.parametrize(
    "map, out, place",
    [
        ("rows", "rows", None),
        ("columns", "columns", "subgroup 1 reads element [0, 8] of the shared buffer allocated at line 12, which subgroup 0"),
        ("shared", "rows", "subgroup 1 reads element [0, 0] of the shared buffer allocated at line 12, which subgroup 0"),
    ],
)  # fmt: skip
def test_maps_say_who_accesses_what_of_a_workgroup(map: str, out: str, place: str | None):
    """At level workgroup the maps of the tiles say which subgroups store and load an element."""
    text = WORKGROUP.replace("#MAP", f"#{map}").replace("#OUT", f"#{out}")
    source = np.arange(1024, dtype=np.float32).reshape(32, 32)
    target = np.zeros_like(source)
    ordered = parse_text(text.replace("BARRIER", "gpu.barrier"), "w.mlir")
    execute(ordered, None, [source, target], sanitize=True)
    np.testing.assert_array_equal(target, source)
    module = parse_text(text.replace("BARRIER", ""), "w.mlir")
    if place is None:
        execute(module, None, [source, target], sanitize=True)
        return
    with pytest.raises(XetileError) as caught:
        execute(module, None, [source, target], sanitize=True)
    assert caught.value.message == f"{place} wrote at line 16 with no barrier between"
