"""The arithmetic of a layout, executed on all inputs and compared with the layout; and how many ops it takes."""

from collections import Counter
from collections.abc import Mapping
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, Signedness, f32, i8, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.test_value import create_ssa_value

from xetile.analysis.ranges import Interval
from xetile.api import parse_text
from xetile.dialects.upstream import arith
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.nvidia.shared_layouts import swizzled_shared_layout
from xetile.layout.text.attribute_text import layout_of
from xetile.rewriting.layout_arithmetic import Coordinate, apply_layout

LANES = 16

Points = dict[str, NDArray[np.int64]]
TYPES = {
    "index": (IndexType(), "arith.index_cast {} : i64 to index", "arith.index_cast {} : index to i64"),
    "i32": (i32, "arith.trunci {} : i64 to i32", "arith.extui {} : i32 to i64"),
}  # fmt: skip


def executed(layout: LinearLayout, points: Points, type: str, *, bounded: bool) -> Points:
    """The images of points, by the ops that the layout becomes, run by the interpreter."""
    integer, narrowed, widened = TYPES[type]
    images = {name: np.zeros_like(next(iter(points.values()))) for name in layout.out_dims}
    memory = f"memref<{len(next(iter(points.values())))}xi64>"
    parameters = [f"%p_{name}: {memory}" for name in (*points, *images)]
    reads = [
        f"%m_{name} = memref.load %p_{name}[%i] : {memory}\n"
        f"%{name} = {narrowed.format(f'%m_{name}')}"
        for name in points
    ]
    writes = [
        f"%{name} = arith.constant 0 : {type}\n"
        f"%w_{name} = {widened.format(f'%{name}')}\n"
        f"memref.store %w_{name}, %p_{name}[%i] : {memory}"
        for name in images
    ]
    module = parse_text(
        f"""
        gpu.module @m {{
          gpu.func @k({", ".join(parameters)}) kernel
              attributes {{known_block_size = array<i32: {LANES}, 1, 1>, xetile.level = "lane"}} {{
            %i = gpu.global_id x
            {" ".join(reads + writes)}
            gpu.return
          }}
        }}
        """,
        "kernel.mlir",
    )
    named: dict[str | None, SSAValue] = {
        op.results[0].name_hint: op.results[0] for op in module.walk() if op.results
    }
    coordinates: dict[str, SSAValue] = {name: named[name] for name in points}
    first = named[next(iter(images))].owner
    assert not isinstance(first, Block)
    builder = Builder(InsertPoint.before(first))
    sizes = layout.in_dims.items()
    ranges = (
        {coordinates[name]: Interval(0, size - 1) for name, size in sizes} if bounded else {}
    )
    for name, image in apply_layout(
        layout, coordinates, builder.insert, ranges=ranges
    ).items():
        if isinstance(image, int):
            image = builder.insert(arith.ConstantOp(IntegerAttr(image, integer))).results[0]
        named[name].replace_all_uses_with(image)
    arrays = [*points.values(), *images.values()]
    execute(module, None, arrays, grid=(len(arrays[0]) // LANES, 1, 1))
    return images


def every_point(layout: LinearLayout) -> Points:
    """All inputs of a layout, repeated to fill whole subgroups."""
    numbers = np.arange(max(LANES, layout.total_in_dim_size), dtype=np.int64)
    points: Points = {}
    for name, size in layout.in_dims.items():
        points[name] = numbers % size
        numbers = numbers // size
    return points


def agrees(layout: LinearLayout, points: Points, type: str, *, bounded: bool) -> bool:
    made = executed(layout, points, type, bounded=bounded)
    wanted = layout.apply(points)
    return all(np.array_equal(made[name], np.broadcast_to(wanted[name], made[name].shape)) for name in made)  # fmt: skip


@st.composite
def layouts(draw: st.DrawFn) -> LinearLayout:
    """Bases of zeros, single bits and anything, in up to three dims on each side."""
    outs = {name: 1 << draw(st.integers(0, 4)) for name in "xyz"[: draw(st.integers(1, 3))]}
    value = st.tuples(
        *(
            st.one_of(
                st.just(0),
                st.sampled_from([1 << bit for bit in range(size.bit_length())]),
                st.integers(0, size - 1),
            ).map(lambda found, top=size - 1: found & top)
            for size in outs.values()
        )
    )
    ins = "abc"[: draw(st.integers(1, 3))]
    bases = {name: draw(st.lists(value, max_size=4)) for name in ins}
    return LinearLayout.from_bases(bases, outs, require_surjective=False)


@settings(max_examples=60, deadline=None)
@given(layouts(), st.sampled_from(sorted(TYPES)), st.booleans())
def test_every_input_of_random_layouts(layout: LinearLayout, type: str, bounded: bool) -> None:
    assert agrees(layout, every_point(layout), type, bounded=bounded)


@settings(max_examples=30, deadline=None)
@given(layouts(), st.sampled_from(sorted(TYPES)), st.randoms(use_true_random=False))
def test_bits_past_the_size_are_ignored(
    layout: LinearLayout, type: str, random: Random
) -> None:
    points = {
        name: np.array([random.randrange(-(1 << 31), 1 << 31) for _ in range(64)], np.int64)
        for name in layout.in_dims
    }
    assert agrees(layout, points, type, bounded=False)


DPAS = (
    "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, "
    "threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2]}>"
)
BLOCKED = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
DPAS_A = layout_of(f"#ttg.dot_op<{{opIdx = 0, parent = {DPAS}, kWidth = 1}}>", (256, 32))
DPAS_B = layout_of(f"#ttg.dot_op<{{opIdx = 1, parent = {DPAS}, kWidth = 2}}>", (32, 256))
IDENTITY = LinearLayout.identity_1d(256, "offset", "dim0")
STRIDED = LinearLayout.strided_1d(16, 4, "lane", "dim0")
SPLIT = LinearLayout.identity_1d(256, "offset", "flat").reshape_outs(
    [("dim1", 16), ("dim0", 16)]
)
SWIZZLED = swizzled_shared_layout((64, 32), 8, 1, 4, (1, 0)).sublayout(
    ["offset"], ["dim0", "dim1"]
)

# layout, the ops when all coordinates are known to be below their sizes
COUNTS: list[tuple[str, LinearLayout, dict[str, int]]] = [
    ("identity", IDENTITY, {}),
    ("strided", STRIDED, {"shli": 1}),
    ("split", SPLIT, {"andi": 1, "shrui": 1}),
    ("joined", SPLIT.invert(), {"shli": 1, "addi": 1}),
    ("blocked", layout_of(BLOCKED, (64, 64)), {"andi": 4, "shrui": 1, "shli": 3, "addi": 4}),
    ("dpas a", DPAS_A, {"andi": 3, "shrui": 1, "shli": 1, "addi": 2}),
    ("dpas b", DPAS_B, {"andi": 5, "shrui": 1, "shli": 2, "addi": 4}),
    ("dpas c", layout_of(DPAS, (256, 256)), {"andi": 5, "shrui": 1, "shli": 3, "addi": 4}),
    ("swizzled", SWIZZLED, {"shrui": 2, "andi": 2, "xori": 1}),
    ("zeros", LinearLayout.zeros_1d(16, "lane", "dim0", 4), {}),
]


def test_the_highest_bit_of_an_index() -> None:
    layout = LinearLayout.from_bases(
        {"a": [(1,), *[(0,)] * 62, (1 << 63,)]}, {"x": 1 << 64}, require_surjective=False
    )
    made = arguments_of(layout)
    apply_layout(layout, made.values, made.builder.insert)
    assert made.counts() == {"andi": 1}
    constant = made.block.first_op
    assert constant is not None
    assert constant.properties["value"] == IntegerAttr(1 - (1 << 63), IndexType())
    points = {"a": np.array([0, 1, -1, 6, 1 - (1 << 63)] * LANES, np.int64)}
    images = executed(layout, points, "index", bounded=False)["x"]
    assert list(images[:5]) == [0, 1, 1 - (1 << 63), 0, 1 - (1 << 63)]


class Arguments:
    """Values of a type and, below them, the ops that are made."""

    def __init__(self, names: Mapping[str, Attribute]) -> None:
        self.block = Block(arg_types=list(names.values()))
        self.values: dict[str, SSAValue] = dict(zip(names, self.block.args, strict=True))
        self.builder = Builder(InsertPoint.at_end(self.block))

    def counts(self) -> dict[str, int]:
        """The ops by name, but constants."""
        names = Counter(op.name.removeprefix("arith.") for op in self.block.ops)
        return {name: number for name, number in names.items() if name != "constant"}


def arguments_of(layout: LinearLayout) -> Arguments:
    return Arguments({name: IndexType() for name in layout.in_dims})


@pytest.mark.parametrize(
    "layout, counts", [row[1:] for row in COUNTS], ids=[row[0] for row in COUNTS]
)
def test_ops_for_known_ranges(layout: LinearLayout, counts: dict[str, int]) -> None:
    made = arguments_of(layout)
    ranges = {
        made.values[name]: Interval(0, size - 1) for name, size in layout.in_dims.items()
    }
    apply_layout(layout, made.values, made.builder.insert, ranges=ranges)
    assert made.counts() == counts
    assert agrees(layout, every_point(layout), "index", bounded=True)


def test_a_mask_where_nothing_is_known() -> None:
    made = arguments_of(STRIDED)
    apply_layout(STRIDED, made.values, made.builder.insert)
    assert made.counts() == {"andi": 1, "shli": 1}


def test_a_wider_range_keeps_the_mask() -> None:
    made = arguments_of(STRIDED)
    apply_layout(
        STRIDED,
        made.values,
        made.builder.insert,
        ranges={made.values["lane"]: Interval(0, 16)},
    )
    assert made.counts() == {"andi": 1, "shli": 1}


def test_numbers_alone_make_numbers() -> None:
    made = arguments_of(DPAS_A)
    point = {"register": 37, "lane": 5, "warp": 9, "block": 0}
    assert apply_layout(DPAS_A, point, made.builder.insert) == DPAS_A.apply(point)
    assert not list(made.block.ops)


def test_one_value_may_be_two_coordinates() -> None:
    """Where both move the same bits, nothing is left of it."""
    layout = LinearLayout.from_bases({"x": [(1,), (2,)], "y": [(1,), (2,), (4,)]}, {"out": 8})
    value = create_ssa_value(IndexType())
    made: list[Operation] = []

    def emit(op: Operation) -> Operation:
        made.append(op)
        return op

    apply_layout(layout, {"x": value, "y": value}, emit)
    assert [op.name for op in made] == ["arith.constant", "arith.andi"]


def test_a_constant_is_a_number() -> None:
    made = arguments_of(STRIDED)
    five = made.builder.insert(arith.ConstantOp(IntegerAttr(5, i32))).results[0]
    assert apply_layout(STRIDED, {"lane": five}, made.builder.insert) == {"dim0": 20}
    assert made.counts() == {}


def test_known_registers_cost_one_addition_each() -> None:
    """As passes use it: the register is known, lane and subgroup are not."""
    made = arguments_of(DPAS_A)
    ranges = {made.values["lane"]: Interval(0, 15), made.values["warp"]: Interval(0, 31)}
    point: dict[str, Coordinate] = {**made.values, "register": 37, "block": 0}
    image = apply_layout(DPAS_A, point, made.builder.insert, ranges=ranges)
    assert made.counts() == {"andi": 1, "shli": 1, "addi": 2}
    at_zero = apply_layout(
        DPAS_A, {**point, "register": 0}, arguments_of(DPAS_A).builder.insert, ranges=ranges
    )
    assert at_zero["dim1"] is made.values["lane"]
    assert image["dim1"] is not made.values["lane"]


def test_a_known_coordinate_that_shares_bits_is_exclusive() -> None:
    layout = LinearLayout.from_bases({"a": [(1,), (2,)], "b": [(3,)]}, {"x": 4})
    made = arguments_of(layout)
    apply_layout(layout, {**made.values, "b": 1}, made.builder.insert)
    assert made.counts() == {"andi": 1, "xori": 1}


def test_shared_parts_are_made_once() -> None:
    layout = LinearLayout.from_bases(
        {"a": [(1, 1), (2, 2), (0, 4)]}, {"x": 4, "y": 8}, require_surjective=False
    )
    made = arguments_of(layout)
    image = apply_layout(layout, made.values, made.builder.insert)
    assert image["x"] is not image["y"]
    assert made.counts() == {"andi": 2}
    twice = LinearLayout.from_bases(
        {"a": [(1, 1), (2, 2)]}, {"x": 4, "y": 4}, require_surjective=False
    )
    made = arguments_of(twice)
    image = apply_layout(twice, made.values, made.builder.insert)
    assert image["x"] is image["y"]
    assert made.counts() == {"andi": 1}


def test_names_must_be_the_in_dims() -> None:
    made = arguments_of(STRIDED)
    with pytest.raises(
        LayoutError, match=r"coordinates for \['register'\], but .* \['lane'\]"
    ):
        apply_layout(STRIDED, {"register": made.values["lane"]}, made.builder.insert)


WIDE = LinearLayout.identity_1d(1 << 9, "a", "x") * LinearLayout.identity_1d(2, "b", "x")
REFUSED: list[tuple[dict[str, Attribute], str]] = [
    ({"a": f32, "b": f32}, "a coordinate of type f32; expected index or a signless integer"),
    (
        {"a": IntegerType(32, Signedness.SIGNED), "b": i32},
        "a coordinate of type si32; expected",
    ),
    ({"a": i32, "b": IndexType()}, "coordinates of types i32 and index; expected one type"),
    ({"a": i8, "b": i8}, "out-dim 'x' needs 10 bits; coordinates of type i8 have 8"),
]


@pytest.mark.parametrize("types, message", REFUSED)
def test_types_that_cannot_be(types: dict[str, Attribute], message: str) -> None:
    made = Arguments(types)
    with pytest.raises(XetileError, match=message):
        apply_layout(WIDE, made.values, made.builder.insert)


def test_a_constant_part_that_does_not_fit() -> None:
    made = Arguments({"a": i8})
    with pytest.raises(XetileError, match="out-dim 'x' needs 10 bits; coordinates of type i8"):
        apply_layout(WIDE, {**made.values, "b": 1}, made.builder.insert)
