"""Ids and sizes of a launch mean the same at every level, in both launch conventions, and numpy says what."""

from itertools import product

import numpy
import pytest
from support.on_device import Place, levels_and_places

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.interpreter import execute_host
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

LEVELS: tuple[LevelName | None, ...] = (None, "blocked", "xegpu", "xevm")
AXES = ("x", "y", "z")
IDS = ("thread_id", "global_id", "block_id", "block_dim", "grid_dim")
LANES = 16

Sizes = tuple[int, int, int]


def kernel(ids: list[str], attributes: str, subgroups: int, workgroups: int) -> str:
    """A kernel whose subgroups note ids in rows of their own: first as scalars, then on a copied tile."""
    lines = [f"%id{n} = gpu.{name}" for n, name in enumerate(ids)]
    for n in range(len(ids)):
        lines += [
            f"%place{n} = arith.constant {n} : index",
            f"memref.store %id{n}, %out[%row, %place{n}] : memref<{workgroups * subgroups}x{len(ids)}xindex>",
        ]
    body = "\n".join(lines)
    surface = f"memref<{8 * workgroups * subgroups}x16xf32>"
    return f"""
    module attributes {{gpu.container_module}} {{
    gpu.module @m {{
      gpu.func @k(%a: {surface}, %b: {surface}, %out: memref<{workgroups * subgroups}x{len(ids)}xindex>)
          kernel attributes {{{attributes}}} {{
        %c8 = arith.constant 8 : index
        %subgroups = arith.constant {subgroups} : index
        %x = gpu.block_id x
        %y = gpu.block_id y
        %z = gpu.block_id z
        %along_x = gpu.grid_dim x
        %along_y = gpu.grid_dim y
        %zy = arith.muli %z, %along_y : index
        %above = arith.addi %zy, %y : index
        %wide = arith.muli %above, %along_x : index
        %workgroup = arith.addi %wide, %x : index
        %first = arith.muli %workgroup, %subgroups : index
        %subgroup = gpu.subgroup_id : index
        %row = arith.addi %first, %subgroup : index
        {body}
        %r = arith.muli %row, %c8 : index
        %t = xetile.init_tile %a[%r, 0] : {surface} -> !xetile.tile<8x16xf32>
        %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
        %u = xetile.init_tile %b[%r, 0] : {surface} -> !xetile.tile<8x16xf32>
        xetile.store_tile %v, %u : vector<8x16xf32>, !xetile.tile<8x16xf32>
        gpu.return
      }}
    }}
    HOST
    }}
    """


def expected(ids: list[str], grid: Sizes, block: Sizes) -> list[list[int]]:
    """What each subgroup of each workgroup notes; a block counts subgroups."""
    rows: list[list[int]] = []
    for bz, by, bx in product(*map(range, grid[::-1])):
        for tz, ty, tx in product(*map(range, block[::-1])):
            known = {
                "thread_id": (tx, ty, tz),
                "block_id": (bx, by, bz),
                "block_dim": block,
                "grid_dim": grid,
                "global_id": tuple(
                    b * s + t
                    for b, s, t in zip((bx, by, bz), block, (tx, ty, tz), strict=True)
                ),
            }
            rows.append([known[i.split()[0]][AXES.index(i.split()[1])] for i in ids])
    return rows


def text(sizes: Sizes) -> str:
    return f"array<i32: {', '.join(map(str, sizes))}>"


ALL = [f"{name} {axis}" for name in IDS for axis in AXES]
SIZES = [((2, 1, 3), (2, 3, 2)), ((1, 2, 2), (1, 1, 5)), ((3, 2, 1), (4, 1, 1))]


@pytest.mark.parametrize("prefix", ["", "gpu."])
@pytest.mark.parametrize(("grid", "block"), SIZES)
@pytest.mark.parametrize(("level", "place"), levels_and_places(*LEVELS), indirect=["place"])
def test_ids_that_count_subgroups(
    level: LevelName | None, place: Place, grid: Sizes, block: Sizes, prefix: str
) -> None:
    subgroups, workgroups = int(numpy.prod(block)), int(numpy.prod(grid))
    attributes = (
        f"VectorComputeFunctionINTEL, {prefix}known_block_size = {text(block)}, "
        f"{prefix}known_grid_size = {text(grid)}"
    )
    module = parse(kernel(ALL, attributes, subgroups, workgroups).replace("HOST", ""))
    if level is not None:
        lower(context(), module, level, "bmg")
        module.verify()
    a = numpy.random.default_rng(0).random((8 * workgroups * subgroups, 16), numpy.float32)
    b, out = numpy.zeros_like(a), numpy.zeros((workgroups * subgroups, len(ALL)), numpy.int64)
    place.execute(module, "k", [a, b, out])
    assert numpy.array_equal(a, b)
    assert out.tolist() == expected(ALL, grid, block)


NUMBERS = 128
"""More than any id or size of these launches, in lanes."""


def noting_in_tiles(ids: list[str], attributes: str, subgroups: int, workgroups: int) -> str:
    """`kernel`, whose subgroups note ids as tiles that they fetch from a table, which devices can store."""
    rows, columns = 8 * workgroups * subgroups, 16 * len(ids)
    surface, table = f"memref<{rows}x{columns}xi32>", f"memref<{8 * NUMBERS}x16xi32>"
    tile, vector = "!xetile.tile<8x16xi32>", "vector<8x16xi32>"
    text = kernel([], attributes, subgroups, workgroups).replace("HOST", "")
    text = text.replace(
        f"memref<{workgroups * subgroups}x0xindex>", f"{surface}, %numbers: {table}"
    )
    lines = [""]
    for n, name in enumerate(ids):
        lines += [
            f"%id{n} = gpu.{name}",
            f"%at{n} = arith.muli %id{n}, %c8 : index",
            f"%f{n} = xetile.init_tile %numbers[%at{n}, 0] : {table} -> {tile}",
            f"%v{n} = xetile.load_tile %f{n} : {tile} -> {vector}",
            f"%t{n} = xetile.init_tile %out[%r, {16 * n}] : {surface} -> {tile}",
            f"xetile.store_tile %v{n}, %t{n} : {vector}, {tile}",
        ]
    after = "%r = arith.muli %row, %c8 : index"
    assert after in text
    return text.replace(after, after + "\n        ".join(lines))


@pytest.mark.parametrize("older", [True, False])
@pytest.mark.parametrize(("grid", "block"), SIZES)
def test_ids_in_tiles(grid: Sizes, block: Sizes, older: bool, place: Place) -> None:
    """Both conventions: blocks that count subgroups, and blocks of as many work-items, 16 along x to a subgroup."""
    subgroups, workgroups = int(numpy.prod(block)), int(numpy.prod(grid))
    items = block if older else (LANES * block[0], *block[1:])
    attributes = f"known_block_size = {text(items)}, known_grid_size = {text(grid)}"
    if older:
        attributes += ", VectorComputeFunctionINTEL"
    lanes_differ = {"thread_id x", "global_id x"}
    ids = [id for id in ALL if older or id not in lanes_differ]
    source = noting_in_tiles(ids, attributes, subgroups, workgroups)
    wanted = numpy.array(expected(ids, grid, block))
    if not older:
        wanted[:, ids.index("block_dim x")] *= LANES
    numbers = numpy.arange(NUMBERS, dtype=numpy.int32).repeat(8 * 16).reshape(-1, 16)
    for level in place.levels(LEVELS):
        module = parse(source)
        if level is not None:
            lower(context(), module, level, "bmg")
        a = numpy.random.default_rng(0).random((8 * workgroups * subgroups, 16), numpy.float32)
        b = numpy.zeros_like(a)
        out = numpy.zeros((len(a), 16 * len(ids)), numpy.int32)
        place.execute(module, "k", [a, b, out, numbers])
        assert numpy.array_equal(a, b)
        assert numpy.array_equal(out, wanted.repeat(8, axis=0).repeat(16, axis=1)), level


HOST = """
func.func @main(%a: memref<{r}x16xf32>, %b: memref<{r}x16xf32>, %out: memref<{n}x{m}xindex>) {{
  %one = arith.constant 1 : {type}
  %two = arith.constant 2 : {type}
  %three = arith.constant 3 : {type}
  gpu.launch_func @m::@k blocks in (%one, %three, %two) threads in (%two, %two, %three) {colon}
      args(%a : memref<{r}x16xf32>, %b : memref<{r}x16xf32>, %out : memref<{n}x{m}xindex>)
  func.return
}}
"""


@pytest.mark.parametrize("type", ["index", "i32"])
@pytest.mark.parametrize("level", LEVELS)
def test_sizes_that_only_the_launch_says(level: LevelName | None, type: str) -> None:
    grid, block = (1, 3, 2), (2, 2, 3)
    rows = 12 * 6
    colon = "" if type == "index" else f": {type}"
    host = HOST.format(r=8 * rows, n=rows, m=len(ALL), type=type, colon=colon)
    source = kernel(ALL, "VectorComputeFunctionINTEL", 12, 6).replace("HOST", host)
    module = parse(source)
    if level is not None:
        lower(context(), module, level, "bmg")
        module.verify()
    a = numpy.random.default_rng(0).random((8 * rows, 16), numpy.float32)
    b, out = numpy.zeros_like(a), numpy.zeros((rows, len(ALL)), numpy.int64)
    execute_host(module, "main", [a, b, out], output=print)
    assert numpy.array_equal(a, b)
    assert out.tolist() == expected(ALL, grid, block)


def on_tile(value: str, attributes: str, argument: str = "") -> str:
    """A kernel that copies a tile whose row is given by `value`, which defines %i."""
    return f"""
    gpu.module @m {{
      gpu.func @k(%a: memref<64x64xf32>, %b: memref<64x64xf32>{argument}) kernel attributes {{{attributes}}} {{
        %c8 = arith.constant 8 : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        {value}
        %r = arith.muli %i, %c8 : index
        %t = xetile.init_tile %a[%r, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
        %u = xetile.init_tile %b[%r, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
        %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
        xetile.store_tile %v, %u : vector<8x16xf32>, !xetile.tile<8x16xf32>
        gpu.return
      }}
    }}
    """


SHARED = [
    ("gpu.thread_id y", (32, 4, 1), [0, 1, 2, 3]),
    ("gpu.thread_id z", (8, 2, 4), [0, 1, 2, 3]),
    ("gpu.thread_id z", (16, 2, 4), [0, 1, 2, 3]),
    ("gpu.thread_id y", (64, 1, 1), [0]),
    ("gpu.thread_id x", (1, 16, 2), [0]),
    ("gpu.global_id y", (16, 2, 1), [0, 1, 2, 3, 4, 5]),
    ("gpu.global_id z", (16, 1, 2), [0, 1]),
]


@pytest.mark.parametrize(("id", "block", "tiles"), SHARED)
@pytest.mark.parametrize(("level", "place"), levels_and_places(*LEVELS), indirect=["place"])
def test_ids_of_work_items_that_lanes_share(
    level: LevelName | None, id: str, block: Sizes, tiles: list[int], place: Place
) -> None:
    attributes = f"known_block_size = {text(block)}, known_grid_size = {text((1, 3, 1))}"
    module = parse(on_tile(f"%i = {id}", attributes))
    if level is not None:
        lower(context(), module, level, "bmg")
    a = numpy.random.default_rng(0).random((64, 64), numpy.float32)
    b, wanted = numpy.zeros_like(a), numpy.zeros_like(a)
    for tile in tiles:
        wanted[8 * tile : 8 * tile + 8, :16] = a[8 * tile : 8 * tile + 8, :16]
    if place.device is not None and block[0] % LANES:
        with pytest.raises(XetileError, match="expected an extent along x that is a multiple"):
            place.execute(module, "k", [a, b])
        return
    place.execute(module, "k", [a, b])
    assert numpy.array_equal(b, wanted)


WHY = "a subgroup is 16 of the block [32, 4, 1], x first"
TAKES = (
    "'{op}' takes a value that differs between the lanes of a subgroup (of '{id}'), which access a tile "
    "together; expected gpu.subgroup_id, gpu.block_id, or another id that the lanes share"
)
SOME = (
    "'{op}' is done by some lanes of a subgroup and not by others (of '{id}'), which access a tile "
    "together; expected gpu.subgroup_id, gpu.block_id, or another id that the lanes share"
)


@pytest.mark.parametrize(
    ("value", "id", "why"),
    [
        ("%i = gpu.thread_id x", "gpu.thread_id", f"counts work-items: {WHY}"),
        ("%i = gpu.global_id x", "gpu.global_id", f"counts work-items: {WHY}"),
        ("%i = gpu.lane_id", "gpu.lane_id", "is another number in each lane"),
        (
            """%l = gpu.lane_id
            %i = scf.for %k = %c0 to %l step %c1 iter_args(%s = %c0) -> (index) {
              scf.yield %s : index
            }""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
            %i = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %c0) -> (index) {
              %n = arith.addi %s, %l : index
              scf.yield %n : index
            }""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.thread_id x
            %p = arith.cmpi eq, %l, %c0 : index
            %i = scf.if %p -> (index) {
              scf.yield %c0 : index
            } else {
              scf.yield %c1 : index
            }""",
            "gpu.thread_id",
            f"counts work-items: {WHY}",
        ),
        (
            """%l = gpu.lane_id
%m = index.mul %l, %c8
%i = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%m)""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%p = arith.cmpi ult, %l, %c8 : index
%i = arith.select %p, %c0, %c8 : index""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%i = scf.index_switch %l -> index
case 0 {
scf.yield %c0 : index
}
default {
scf.yield %c8 : index
}""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%i = scf.while (%s = %c0) : (index) -> index {
%p = arith.cmpi ult, %s, %l : index
scf.condition(%p) %s : index
} do {
^bb0(%s: index):
%n = arith.addi %s, %c1 : index
scf.yield %n : index
}""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%p = arith.cmpi ult, %l, %c8 : index
cf.cond_br %p, ^b(%c0 : index), ^b(%c8 : index)
^b(%i: index):""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%o = memref.alloca() : memref<4xindex>
memref.store %l, %o[%c0] : memref<4xindex>
%i = memref.load %o[%c0] : memref<4xindex>""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%o = memref.alloca() : memref<32xindex>
memref.store %c0, %o[%c0] : memref<32xindex>
memref.store %c8, %o[%l] : memref<32xindex>
%i = memref.load %o[%c0] : memref<32xindex>""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%o = memref.alloca() : memref<4xindex>
memref.store %c0, %o[%c0] : memref<4xindex>
%p = arith.cmpi ult, %l, %c8 : index
scf.if %p {
memref.store %c8, %o[%c0] : memref<4xindex>
}
%i = memref.load %o[%c0] : memref<4xindex>""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%l = gpu.lane_id
%o = memref.alloca() : memref<2x4xindex>
%w = memref.subview %o[1, 0] [1, 4] [1, 1] : memref<2x4xindex> to memref<4xindex, strided<[1], offset: 4>>
%x = vector.broadcast %l : index to vector<4xindex>
vector.store %x, %w[%c0] : memref<4xindex, strided<[1], offset: 4>>, vector<4xindex>
%i = memref.load %o[%c1, %c0] : memref<2x4xindex>""",
            "gpu.lane_id",
            "is another number in each lane",
        ),
        (
            """%z = arith.constant 0 : i32
%o = arith.constant 3 : i32
%w = arith.constant 16 : i32
%f, %p = gpu.shuffle up %z, %o, %w : i32
%i = arith.select %p, %c0, %c8 : index""",
            "gpu.shuffle",
            "finds no source in some of the lanes",
        ),
    ],
)
def test_tiles_at_offsets_that_differ_between_lanes(value: str, id: str, why: str) -> None:
    with pytest.raises(XetileError) as caught:
        lower(
            context(),
            parse(on_tile(value, "known_block_size = array<i32: 32, 4, 1>")),
            "xegpu",
            "bmg",
        )
    error = caught.value
    assert error.message == TAKES.format(op="xetile.init_tile", id=id)
    assert [note.message for note in error.notes] == [f"'{id}' {why}"]


def test_what_lanes_keep_for_themselves_may_be_the_same() -> None:
    value = """%s = gpu.subgroup_id : index
    %o = memref.alloca() : memref<4xindex>
    memref.store %s, %o[%c0] : memref<4xindex>
    %z = arith.constant 3 : i32
    %w = arith.constant 16 : i32
    %f, %p = gpu.shuffle idx %z, %z, %w : i32
    %j = arith.index_cast %f : i32 to index
    %k = memref.load %o[%c0] : memref<4xindex>
    %i = arith.addi %j, %k : index"""
    module = parse(on_tile(value, "known_block_size = array<i32: 32, 4, 1>"))
    lower(context(), module, "llvm", "bmg")


def test_ids_without_a_block_size() -> None:
    with pytest.raises(XetileError) as caught:
        lower(context(), parse(on_tile("%i = gpu.thread_id y", "")), "xegpu", "bmg")
    assert [note.message for note in caught.value.notes] == [
        "'gpu.thread_id' counts work-items: without known_block_size lanes may lie along any axis"
    ]


def test_more_subgroups_than_work_items_can_be_counted() -> None:
    attributes = "VectorComputeFunctionINTEL, known_block_size = array<i32: 268435456, 1, 1>"
    with pytest.raises(XetileError, match="4294967296 along x, expected at most 2147483647"):
        lower(context(), parse(on_tile("%i = gpu.thread_id x", attributes)), "xegpu", "bmg")


XEGPU = """
gpu.module @m {
  gpu.func @k(%a: memref<64x64xf32>, %b: memref<64x64xf32>) kernel attributes {ATTRIBUTES} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %x = gpu.thread_id x
    %i = arith.muli %x, %c8 : index
    %s = xegpu.create_nd_tdesc %a : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %d = xegpu.create_nd_tdesc %b : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    BODY
    gpu.return
  }
}
"""
MOVED = """
    %v = xegpu.load_nd %s[%i, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    xegpu.store_nd %v, %d[%i, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
"""
DIVERGED = """
    %p = arith.cmpi ult, %x, %c8 : index
    scf.if %p {
      %v = xegpu.load_nd %s[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
      xegpu.store_nd %v, %d[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    }
"""


@pytest.mark.parametrize(("body", "message"), [(MOVED, TAKES), (DIVERGED, SOME)])
def test_messages_that_lanes_do_differently(body: str, message: str) -> None:
    text = XEGPU.replace("BODY", body)
    text = text.replace("ATTRIBUTES", "known_block_size = array<i32: 64, 1, 1>")
    with pytest.raises(XetileError) as caught:
        lower(context(), parse(text), "xevm", "bmg")
    assert caught.value.message == message.format(op="xegpu.load_nd", id="gpu.thread_id")


def test_xegpu_that_counts_subgroups(place: Place) -> None:
    """A kernel that was written on XeGPU's descriptors follows the launch convention too."""
    text = XEGPU.replace("BODY", MOVED).replace(
        "ATTRIBUTES",
        "VectorComputeFunctionINTEL, known_block_size = array<i32: 4, 1, 1>, known_grid_size = array<i32: 1, 1, 1>",
    )
    a = numpy.random.default_rng(0).random((64, 64), numpy.float32)
    for level in place.levels((None, "xevm")):
        module = parse(text)
        if level is not None:
            lower(context(), module, level, "bmg")
            assert "VectorCompute" not in str(module)
        b = numpy.zeros_like(a)
        place.execute(module, "k", [a, b])
        assert numpy.array_equal(b[:32, :16], a[:32, :16])
        assert not b[32:].any()
