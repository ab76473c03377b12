"""How ops relate layouts, held to where elements stand: computed one by one, with numpy for what an op does."""

import random
from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.ir import Operation

from xetile.dialects.modules import parse
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.planning.xe.register_layouts.layout_rules import (
    is_computed,
    pulled,
    relation_of,
    repeating,
    replicated,
)


def operand_layout(op: Operation, index: int, result: LinearLayout) -> LinearLayout | None:
    """The layout in which an operand is taken where the result has this one, None where the op relates none."""
    relation = relation_of(op, index)
    return None if relation is None else pulled(relation, result)


def result_layout(op: Operation, index: int, operand: LinearLayout) -> LinearLayout | None:
    """The layout that the result has where an operand is taken in this one."""
    relation = relation_of(op, index)
    return None if relation is None else pulled(relation.inverted(), operand)


Elements = NDArray[np.int64]
LANES = 16


class Case(NamedTuple):
    """An op on %a (and %b), the shapes of an operand and the result, and the operand's elements in the result."""

    text: str
    place: int
    operand: tuple[int, ...]
    result: tuple[int, ...]
    meaning: Callable[[Elements], Elements]
    """What the operand's elements, numbered, become; -1 is none of them."""


def transposed(*permutation: int) -> Callable[[Elements], Elements]:
    return lambda a: a.transpose(permutation)


def reshaped(*shape: int) -> Callable[[Elements], Elements]:
    return lambda a: a.reshape(shape)


def broadcast(*shape: int) -> Callable[[Elements], Elements]:
    return lambda a: np.broadcast_to(a, shape)


def box(*slices: slice | int) -> Callable[[Elements], Elements]:
    return lambda a: a[slices]


def placed(shape: Sequence[int], *slices: slice | int) -> Callable[[Elements], Elements]:
    def place(a: Elements) -> Elements:
        whole = np.full(shape, -1, np.int64)
        whole[slices] = a
        return whole

    return place


def same(a: Elements) -> Elements:
    return a


A = "vector<8x16xf32>"
CASES = [
    Case(f"%r = arith.addf %a, %a : {A}", 1, (8, 16), (8, 16), same),
    Case(f"%r = math.exp %a : {A}", 0, (8, 16), (8, 16), same),
    Case(
        "%r = vector.transpose %a, [1, 0] : vector<16x8xf32> to vector<8x16xf32>",
        0,
        (16, 8),
        (8, 16),
        transposed(1, 0),
    ),
    Case(
        "%r = vector.transpose %a, [2, 0, 1] : vector<4x8x2xf32> to vector<2x4x8xf32>",
        0,
        (4, 8, 2),
        (2, 4, 8),
        transposed(2, 0, 1),
    ),
    Case(
        "%r = vector.shape_cast %a : vector<8x16xf32> to vector<128xf32>",
        0,
        (8, 16),
        (128,),
        reshaped(128),
    ),
    Case(
        "%r = vector.shape_cast %a : vector<16xf32> to vector<16x1xf32>",
        0,
        (16,),
        (16, 1),
        reshaped(16, 1),
    ),
    Case(
        "%r = vector.shape_cast %a : vector<4x2x16xf32> to vector<2x64xf32>",
        0,
        (4, 2, 16),
        (2, 64),
        reshaped(2, 64),
    ),
    Case(
        "%r = vector.broadcast %a : vector<16xf32> to vector<8x16xf32>",
        0,
        (16,),
        (8, 16),
        broadcast(8, 16),
    ),
    Case(
        "%r = vector.broadcast %a : vector<8x1xf32> to vector<8x16xf32>",
        0,
        (8, 1),
        (8, 16),
        broadcast(8, 16),
    ),
    Case(
        "%r = vector.broadcast %a : vector<1x16xf32> to vector<2x8x16xf32>",
        0,
        (1, 16),
        (2, 8, 16),
        broadcast(2, 8, 16),
    ),
    Case(
        "%r = vector.extract %a[1] : vector<8x16xf32> from vector<2x8x16xf32>",
        0,
        (2, 8, 16),
        (8, 16),
        box(1),
    ),
    Case(
        "%r = vector.extract %a[1, 5] : vector<16xf32> from vector<2x8x16xf32>",
        0,
        (2, 8, 16),
        (16,),
        box(1, 5),
    ),
    Case(
        "%r = vector.insert %a, %b[3] : vector<16xf32> into vector<8x16xf32>",
        0,
        (16,),
        (8, 16),
        placed((8, 16), 3),
    ),
    Case(
        "%r = vector.insert %b, %a[3] : vector<16xf32> into vector<8x16xf32>",
        1,
        (8, 16),
        (8, 16),
        same,
    ),
    Case(
        "%r = vector.extract_strided_slice %a {offsets = [8, 16], sizes = [8, 16], strides = [1, 1]}"
        " : vector<32x32xf32> to vector<8x16xf32>",
        0,
        (32, 32),
        (8, 16),
        box(slice(8, 16), slice(16, 32)),
    ),
    Case(
        "%r = vector.extract_strided_slice %a {offsets = [4], sizes = [4], strides = [1]}"
        " : vector<16x8xf32> to vector<4x8xf32>",
        0,
        (16, 8),
        (4, 8),
        box(slice(4, 8)),
    ),
    Case(
        "%r = vector.insert_strided_slice %a, %b {offsets = [8, 16], strides = [1, 1]}"
        " : vector<8x16xf32> into vector<32x32xf32>",
        0,
        (8, 16),
        (32, 32),
        placed((32, 32), slice(8, 16), slice(16, 32)),
    ),
    Case(
        "%r = vector.insert_strided_slice %a, %b {offsets = [1, 8, 0], strides = [1, 1]}"
        " : vector<8x16xf32> into vector<2x16x16xf32>",
        0,
        (8, 16),
        (2, 16, 16),
        placed((2, 16, 16), 1, slice(8, 16), slice(0, 16)),
    ),
]


def random_layout(shape: Sequence[int], seed: int) -> LinearLayout:
    """Lanes that each hold one bit of the coordinates or none, and the rest in registers."""
    draw = random.Random(seed)
    bits = [
        tuple(1 << bit if d == dimension else 0 for d in range(len(shape)))
        for dimension, extent in enumerate(shape)
        for bit in range(extent.bit_length() - 1)
    ]
    draw.shuffle(bits)
    zero = (0,) * len(shape)
    lanes = [bits.pop() if bits and draw.random() < 0.8 else zero for _ in range(4)]
    outs = {f"dim{d}": extent for d, extent in enumerate(shape)}
    return LinearLayout.from_bases({"register": bits, "lane": lanes}, outs)


def elements_of(layout: LinearLayout, numbered: Elements) -> list[list[int]]:
    """For each lane the numbers of its registers' elements."""
    return [
        [
            int(numbered[tuple(layout.apply({"register": r, "lane": lane}).values())])
            for r in range(layout.in_dim_size("register"))
        ]
        for lane in range(LANES)
    ]


def numbered(shape: Sequence[int]) -> Elements:
    return np.arange(prod(shape), dtype=np.int64).reshape(shape)


def operation(text: str) -> Operation:
    operands = {"%a", "%b"} & set(text.replace(",", " ").replace("[", " ").split())
    types = (
        text.split(" : ")[1].replace(" into ", " to ").replace(" from ", " to ").split(" to ")
    )
    if "vector.extract " in text:
        types.reverse()
    firsts = [word for word in ("%a", "%b") if word in operands]
    if text.find("%b") != -1 and text.find("%b") < text.find("%a"):
        firsts.reverse()
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(firsts, types, strict=False))
    module = parse(f"func.func @f({arguments}) {{\n  {text}\n  func.return\n}}")
    return next(op for op in module.walk() if op.results and op.name != "func.func")


def lanes_alone(layout: LinearLayout) -> list[int]:
    """The lanes that repeat no lower one's elements."""
    empty = sum(1 << i for i, column in enumerate(layout.in_columns["lane"]) if not column)
    return [lane for lane in range(LANES) if not lane & empty]


def finds(needed: list[list[int]], held: list[list[int]], lanes: Sequence[int]) -> bool:
    """Whether lanes hold what they need, or where a slice cuts lanes all find it equally far away."""
    return any(
        all(set(needed[lane]) - {-1} <= set(held[lane ^ away]) for lane in lanes)
        for away in range(LANES)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text[5:60])
@pytest.mark.parametrize("seed", range(6))
def test_what_a_lane_needs_it_holds(case: Case, seed: int) -> None:
    op = operation(case.text)
    meaning = case.meaning(numbered(case.operand))
    result = random_layout(case.result, seed)
    operand = operand_layout(op, case.place, result)
    assert operand is not None
    assert operand.is_surjective()
    assert all(operand.in_columns["register"])
    needed, held = elements_of(result, meaning), elements_of(operand, numbered(case.operand))
    assert finds(needed, held, lanes_alone(result))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text[5:60])
@pytest.mark.parametrize("seed", range(6))
def test_what_stays_in_its_lane_gives_the_result(case: Case, seed: int) -> None:
    op = operation(case.text)
    meaning = case.meaning(numbered(case.operand))
    operand = random_layout(case.operand, seed)
    result = result_layout(op, case.place, operand)
    assert result is not None
    assert result.is_surjective()
    needed, held = elements_of(result, meaning), elements_of(operand, numbered(case.operand))
    lanes = set(lanes_alone(result)) & set(lanes_alone(operand))
    assert finds(needed, held, sorted(lanes))


def test_a_broadcast_repeats_registers_of_its_operand() -> None:
    op = operation("%r = vector.broadcast %a : vector<16xf32> to vector<8x16xf32>")
    result = random_layout((8, 16), 3)
    relation = relation_of(op, 0)
    assert relation is not None
    exact = repeating(relation, result)
    meaning = np.broadcast_to(numbered((16,)), (8, 16))
    assert elements_of(exact, numbered((16,))) == elements_of(result, meaning)


def columns(
    *registers: tuple[int, ...], lanes: Sequence[tuple[int, ...]], shape: Sequence[int]
):
    outs = {f"dim{d}": extent for d, extent in enumerate(shape)}
    return LinearLayout.from_bases({"register": registers, "lane": lanes}, outs)


LANES_ARE_COLUMNS = columns(
    (1, 0), (2, 0), (4, 0), lanes=[(0, 1), (0, 2), (0, 4), (0, 8)], shape=(8, 16)
)


def test_a_column_is_broadcast_over_lanes_that_all_hold_it() -> None:
    op = operation("%r = vector.broadcast %a : vector<8x1xf32> to vector<8x16xf32>")
    operand = columns((1, 0), (2, 0), (4, 0), lanes=[(0, 0)] * 4, shape=(8, 1))
    assert operand_layout(op, 0, LANES_ARE_COLUMNS) == operand
    assert result_layout(op, 0, operand) == LANES_ARE_COLUMNS


def test_words_keep_what_lies_inside_of_them_in_the_lowest_registers() -> None:
    narrow = operation("%r = vector.bitcast %a : vector<8x16xf32> to vector<8x32xf16>")
    parts = columns(
        *((0, 1), (1, 0), (2, 0), (4, 0)),
        lanes=[(0, 2), (0, 4), (0, 8), (0, 16)],
        shape=(8, 32),
    )
    assert result_layout(narrow, 0, LANES_ARE_COLUMNS) == parts
    assert operand_layout(narrow, 0, parts) == LANES_ARE_COLUMNS
    wide = operation("%r = vector.bitcast %a : vector<8x32xf16> to vector<8x16xf32>")
    assert operand_layout(wide, 0, LANES_ARE_COLUMNS) == parts
    assert result_layout(wide, 0, parts) == LANES_ARE_COLUMNS


def test_a_reduced_dimension_is_spread_over_lanes_that_hold_nothing_else() -> None:
    op = operation(
        "%r = vector.multi_reduction <add>, %a, %b [1] : vector<8x16xf32> to vector<8xf32>"
    )
    everywhere = replicated((8,), LANES)
    assert operand_layout(op, 0, everywhere) == LANES_ARE_COLUMNS
    assert operand_layout(op, 1, everywhere) == everywhere
    assert result_layout(op, 0, LANES_ARE_COLUMNS) == everywhere


def test_a_box_that_lies_askew_is_picked_among_registers() -> None:
    op = operation(
        "%r = vector.extract_strided_slice %a {offsets = [2], sizes = [4], strides = [1]}"
        " : vector<8x16xf32> to vector<4x16xf32>"
    )
    result = columns((1, 0), (2, 0), lanes=[(0, 1), (0, 2), (0, 4), (0, 8)], shape=(4, 16))
    assert operand_layout(op, 0, result) == LANES_ARE_COLUMNS
    rows = columns(
        (0, 1), (0, 2), (0, 4), lanes=[(1, 0), (2, 0), (0, 8), (0, 0)], shape=(4, 16)
    )
    assert operand_layout(op, 0, rows) == columns(
        *((0, 1), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0)),
        lanes=[(0, 0), (0, 0), (0, 8), (0, 0)],
        shape=(8, 16),
    )


@pytest.mark.parametrize(
    ("text", "computed"),
    [
        ("%r = arith.constant dense<1.0> : vector<8x16xf32>", True),
        ("%r = arith.constant 1.0 : f32", False),
        ("%r = vector.step : vector<16xindex>", True),
        ("%r = vector.constant_mask [8, 3] : vector<8x16xi1>", True),
        ("%r = vector.broadcast %a : f32 to vector<8x16xf32>", True),
        ("%r = vector.broadcast %a : vector<16xf32> to vector<8x16xf32>", False),
        ("%r = arith.negf %a : vector<8x16xf32>", False),
    ],
)
def test_what_is_computed_from_coordinates(text: str, computed: bool) -> None:
    assert is_computed(operation(text)) == computed


def change_of_chunks() -> Operation:
    """An atomic op on 16 chunks of 4 elements, each with one mask."""
    descriptor = "!xegpu.tensor_desc<16x4xf32, #xegpu.scatter_tdesc_attr<chunk_size = 4>>"
    types = f"{descriptor}, vector<16xi1>, vector<16x4xf32>"
    arguments = f"%d: {descriptor}, %m: vector<16xi1>, %v: vector<16x4xf32>"
    module = parse(f"""func.func @f({arguments}) {{
      %r = xegpu.atomic_rmw addf %d, %m, %v : {types} -> vector<16x4xf32>
      func.return }}""")
    return next(op for op in module.walk() if op.name == "xegpu.atomic_rmw")


def test_elements_of_a_chunk_have_the_lane_of_its_mask() -> None:
    """What a lane holds of a chunk lies in its registers."""
    op = change_of_chunks()
    lanes = [(1, 0), (2, 0), (4, 0), (8, 0)]
    chunks = columns((0, 1), (0, 2), lanes=lanes, shape=(16, 4))
    masks = columns(lanes=[(1,), (2,), (4,), (8,)], shape=(16,))
    assert operand_layout(op, 1, chunks) == masks
    assert result_layout(op, 1, masks) == chunks
    assert operand_layout(op, 2, chunks) == chunks


def test_a_relation_says_of_every_bit_of_the_result_which_one_it_is() -> None:
    found = [relation_of(operation(case.text), case.place) for case in CASES]
    for relation in (*found, relation_of(change_of_chunks(), 1)):
        assert relation is not None
        assert 1 << len(relation.bits) == prod(relation.result)
        known = [bit for bit in relation.bits if bit is not None]
        assert len(known) == len(set(known))
        assert all(1 << bit < prod(relation.operand) for bit in known)
