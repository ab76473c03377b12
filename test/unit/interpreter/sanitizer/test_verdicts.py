"""Races of random kernels: the same verdict at every level, and that of a list of all accesses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from support.workgroup import Map, kernel, tile, wg_map
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.interpreter.machine.runtime_values import Array
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

SIZE = 16
"""Rows and columns of the shared buffer; elements are i32."""

SUBGROUPS = 4
OWNING: Sequence[Map] = (
    ((4, 1), (4, 16)),
    ((1, 4), (16, 4)),
    ((2, 2), (8, 8)),
    ((4, 1), (2, 16)),
    ((2, 2), (4, 8)),
)
"""Maps by which each element has one subgroup."""

WHOLE: Map = ((4, 1), (16, 16))
"""The map by which every subgroup has every element: for loads."""

TYPE = f"memref<{SIZE}x{SIZE}xi32, 3>"
FLAT = f"memref<{SIZE * SIZE}xi32, 3>"
OUT = f"memref<{SIZE}x{SIZE}xi32>"
LOCAL = "memory_space = 3"


class Step(NamedTuple):
    """What the workgroup does with its shared buffer.

    Attributes:
        kind: what it does, a name of `STEPS`.
        map: the tile's.
        places: the element of the buffer that each element of the tile is, flat.
        value: what is stored, in each element or in all.
        mask: the first rows that a gather or scatter accesses.
    """

    kind: str
    map: Map | None = None
    places: Sequence[int] = ()
    value: int | None = None
    mask: int = SIZE


READS = ("load", "gather", "element_load", "row_load")
SINGLE = ("element_load", "row_load", "element_store", "row_store", "barrier")
"""Steps that go down to lanes."""
STEPS = (*SINGLE, "load", "gather", "store", "scatter", "atomic")


def random_step(random: Random, kinds: Sequence[str]) -> Step:
    kind = random.choice(kinds)
    if kind == "barrier":
        return Step(kind)
    map = random.choice([*OWNING, WHOLE] if kind in READS else OWNING)
    value = random.choice([None, 1, 1, 2])
    everywhere = range(SIZE * SIZE)
    if kind in ("gather", "scatter"):
        places = [*everywhere]
        if random.random() < 0.6:
            places = [place ^ random.choice([0, 64, 240]) for place in places]
        if random.random() < 0.3:
            places = [place & ~1 for place in places]
        return Step(kind, map, places, value, random.choice([0, 4, SIZE]))
    if kind.startswith(("element", "row")):
        first = random.randrange(SIZE) * SIZE
        places = range(first, first + (1 if kind.startswith("element") else SIZE))
        return Step(kind, None, places, value or 3)
    return Step(kind, map, everywhere, value)


def random_steps(seed: int, kinds: Sequence[str] = STEPS) -> list[Step]:
    random = Random(seed)
    return [random_step(random, kinds) for _ in range(random.randint(1, 5))]


# The program


def text_of(steps: Sequence[Step], *, written: bool) -> str:
    """The kernel; where not `written`, the tiles' types leave out the maps that follow."""
    lines = [
        f"%flat = memref.alloc() : {FLAT}",
        f"%s = memref.expand_shape %flat [[0, 1]] output_shape [{SIZE}, {SIZE}] : {FLAT} into {TYPE}",
    ]
    for number, step in enumerate(zeros(steps)):
        lines += lines_of(step, f"z{number}", written=True)
    for number, step in enumerate(steps):
        lines += lines_of(step, str(number), written=written)
    body = "\n        ".join(lines)
    arguments = [f"%{name}: memref<{SIZE}x{SIZE}xi32>" for name in ("in", "out")]
    return kernel(arguments, SUBGROUPS, body)


def zeros(steps: Sequence[Step]) -> list[Step]:
    """What writes all elements first: a tile, or rows where none of the steps has tiles."""
    everywhere = range(SIZE * SIZE)
    stores = [Step("store", OWNING[0], everywhere, 0)]
    if all(step.map is None for step in steps):
        rows = range(0, SIZE * SIZE, SIZE)
        stores = [Step("row_store", None, range(row, row + SIZE), 0) for row in rows]
    return [*stores, Step("barrier")]


def lines_of(step: Step, name: str, *, written: bool) -> list[str]:
    match step.kind:
        case "barrier":
            return ["gpu.barrier"]
        case "element_load" | "element_store" | "row_load" | "row_store":
            return of_row(step, name)
        case "gather" | "scatter":
            return of_indices(step, name)
        case _:
            return of_tile(step, name, written=written)


def of_row(step: Step, name: str) -> list[str]:
    type = "" if len(step.places) == 1 else f", vector<{SIZE}xi32>"
    value = f"{step.value} : i32" if not type else f"dense<{step.value}> : vector<{SIZE}xi32>"
    dialect = "vector" if type else "memref"
    at = [
        f"%r{name} = arith.constant {step.places[0] // SIZE} : index",
        f"%c{name} = arith.constant {step.places[0] % SIZE} : index",
    ]
    place = f"%s[%r{name}, %c{name}] : {TYPE}{type}"
    if step.kind in READS:
        kept = f"{dialect}.store %l{name}, %out[%r{name}, %c{name}] : {OUT}{type}"
        return [*at, f"%l{name} = {dialect}.load {place}", kept]
    return [*at, f"%v{name} = arith.constant {value}", f"{dialect}.store %v{name}, {place}"]


def value_lines(step: Step, name: str) -> list[str]:
    """`%v`: a splat, or values that differ between elements."""
    assert step.map is not None
    vector = f"vector<{SIZE}x{SIZE}xi32>"
    if step.value is not None:
        attributes = f" {{wg_map = {wg_map(step.map)}}}"
        return [f"%v{name} = arith.constant{attributes} dense<{step.value}> : {vector}"]
    of = tile((SIZE, SIZE), "i32", step.map)
    return [
        f"%g{name} = xetile.init_tile %in[0, 0] : memref<{SIZE}x{SIZE}xi32> -> {of}",
        f"%v{name} = xetile.load_tile %g{name} : {of} -> {vector}",
    ]


def used(map: Map, name: str) -> list[str]:
    """What is loaded goes to memory, so that no pass takes the load for dead."""
    vector = f"vector<{SIZE}x{SIZE}xi32>"
    if map == WHOLE:
        return [
            f"%e{name} = vector.extract %l{name}[0, 0] : i32 from {vector}",
            f"%k{name} = arith.constant 0 : index",
            f"memref.store %e{name}, %out[%k{name}, %k{name}] : {OUT}",
        ]
    of = tile((SIZE, SIZE), "i32", map)
    return [
        f"%u{name} = xetile.init_tile %out[0, 0] : {OUT} -> {of}",
        f"xetile.store_tile %l{name}, %u{name} : {vector}, {of}",
    ]


def of_tile(step: Step, name: str, *, written: bool) -> list[str]:
    assert step.map is not None
    follows = not written and step.kind != "load"
    of = tile((SIZE, SIZE), "i32", None if follows else step.map, LOCAL)
    vector = f"vector<{SIZE}x{SIZE}xi32>"
    made = f"%t{name} = xetile.init_tile %s[0, 0] : {TYPE} -> {of}"
    match step.kind:
        case "load":
            load = f"%l{name} = xetile.load_tile %t{name} : {of} -> {vector}"
            return [made, load, *used(step.map, name)]
        case "store":
            stored = f"xetile.store_tile %v{name}, %t{name} : {vector}, {of}"
            return [*value_lines(step, name), made, stored]
        case _:
            change = f"xetile.atomic_rmw_tile <addi> %v{name}, %t{name} : {vector}, {of} -> {vector}"
            return [*value_lines(step, name), made, f"%o{name} = {change}"]


def of_indices(step: Step, name: str) -> list[str]:
    assert step.map is not None
    of = tile((SIZE, SIZE), "i32", step.map, f"{LOCAL}, scattered = true")
    vector, indices, mask = (f"vector<{SIZE}x{SIZE}x{t}>" for t in ("i32", "index", "i1"))
    rows = [list(step.places[SIZE * row : SIZE * (row + 1)]) for row in range(SIZE)]
    flags = [[str(row < step.mask).lower()] * SIZE for row in range(SIZE)]
    table = str(flags).replace("'", "")
    map = f"{{wg_map = {wg_map(step.map)}}}"
    lines = [
        f"%i{name} = arith.constant {map} dense<{rows}> : {indices}",
        f"%m{name} = arith.constant {map} dense<{table}> : {mask}",
        f"%t{name} = xetile.init_tile %flat, %i{name} : {FLAT}, {indices} -> {of}",
    ]
    if step.kind == "gather":
        load = f"xetile.load_gather %t{name}, %m{name} : {of}, {mask} -> {vector}"
        return [*lines, f"%l{name} = {load}", *used(step.map, name)]
    store = f"xetile.store_scatter %v{name}, %t{name}, %m{name} : {vector}, {of}, {mask}"
    return [*lines, *value_lines(step, name), store]


# What is right


class Touch(NamedTuple):
    """One subgroup's access to one element: a read, a write of `value`, or an atomic change."""

    subgroup: int
    kind: str
    value: int
    order: int


def holders(map: Map | None, row: int, column: int) -> list[int]:
    """The subgroups of an element, as docs/xetile-dialect.md says it."""
    if map is None:
        return list(range(SUBGROUPS))
    (down, across), (height, width) = map
    here: list[int] = []
    for subgroup in range(SUBGROUPS):
        place = divmod(subgroup, across)
        rows = row // height % down == place[0] % min(down, SIZE // height)
        columns = column // width % across == place[1] % min(across, SIZE // width)
        if rows and columns:
            here.append(subgroup)
    return here


def touches(steps: Sequence[Step]) -> Iterator[dict[int, list[Touch]]]:
    """Of each epoch the accesses to each element, in each subgroup's order."""
    epoch: dict[int, list[Touch]] = {}
    for order, step in enumerate(steps):
        if step.kind == "barrier":
            yield epoch
            epoch = {}
            continue
        kind = "read" if step.kind in READS else "atomic" if step.kind == "atomic" else "write"
        for number, place in enumerate(step.places):
            row, column = divmod(number, SIZE)
            if row >= step.mask:
                continue
            value = 100 + number if step.value is None else step.value
            for subgroup in holders(step.map, row, column):
                touch = Touch(subgroup, kind, value, order)
                epoch.setdefault(place, []).append(touch)
    yield epoch


def conflict(one: Touch, other: Touch, there: Sequence[Touch]) -> bool:
    """Whether two accesses to an element race; `there` are all of the epoch."""
    if one.subgroup == other.subgroup:
        return False
    kinds = {one.kind, other.kind}
    if kinds in ({"read"}, {"atomic"}):
        return False
    if kinds == {"write"}:
        return one.value != other.value
    if kinds != {"read", "write"}:
        return True
    read, write = (one, other) if one.kind == "read" else (other, one)
    own = [t for t in there if t.subgroup == read.subgroup and t.order < read.order]
    stored = [t for t in own if t.kind == "write"]
    return not stored or stored[-1].value != write.value


def races(steps: Sequence[Step]) -> bool:
    return any_conflict(touches(steps))


def any_conflict(epochs: Iterable[Mapping[int, Sequence[Touch]]]) -> bool:
    return any(
        conflict(one, other, there)
        for epoch in epochs
        for there in epoch.values()
        for one, other in combinations(there, 2)
    )


# The comparison


def verdict(text: str, level: LevelName) -> bool:
    """Whether a kernel races at a level."""
    module = parse(text)
    if level != "workgroup":
        lower(context(), module, level, "bmg")
    source: Array = np.arange(100, 100 + SIZE * SIZE, dtype=np.int32).reshape(SIZE, SIZE)
    return refused(module, [source, np.zeros_like(source)])


def refused(module: ModuleOp, arrays: list[Array]) -> bool:
    try:
        execute(module, "k", arrays, sanitize=True)
    except XetileError as error:
        if "no barrier between" in error.message or "different values" in error.message:
            return True
        raise
    return False


@pytest.mark.parametrize("seed", range(30))
def test_every_level_finds_what_a_list_of_all_accesses_has(seed: int):
    steps = random_steps(seed)
    text = text_of(steps, written=seed % 2 == 0)
    levels: list[LevelName] = ["workgroup", "subgroup", "blocked"]
    found = {level: verdict(text, level) for level in levels}
    assert found == dict.fromkeys(levels, races(steps)), text


@pytest.mark.parametrize("seed", range(6))
def test_single_elements_down_to_lanes(seed: int):
    steps = random_steps(seed, SINGLE)
    text = text_of(steps, written=True)
    levels: list[LevelName] = ["workgroup", "subgroup", "blocked", "xegpu", "xevm"]
    found = {level: verdict(text, level) for level in levels}
    assert found == dict.fromkeys(levels, races(steps)), text


# Subgroups that go ways of their own

PLACES = 2

STORED: Mapping[str, Sequence[int]] = {"seven": [7], "eight": [8], "both": [7, 8]}
"""What is stored, the last one stays; an atomic op makes 8 of 7."""


class Own(NamedTuple):
    """What each subgroup does at its element, or does not (None); `barrier` is of all."""

    kind: str
    places: Sequence[int | None] = ()


def random_own(random: Random) -> Own:
    kind = random.choice(["barrier", *STORED, "seven", "eight", "load", "load", "atomic"])
    if kind == "barrier":
        return Own(kind)
    return Own(kind, random.choices([0, 1, *[None] * 4], k=SUBGROUPS))


def random_owns(seed: int) -> list[Own]:
    """Steps that do not race, but for the last one of some: a race early in a program hides all later ones."""
    random = Random(seed)
    steps: list[Own] = []
    for _ in range(12):
        longer = [*steps, random_own(random)]
        if not races_of_own(longer):
            steps = longer
        elif random.random() < 0.2:
            return longer
    return steps


def text_of_own(steps: Sequence[Own], unit: str) -> str:
    """Steps of a kernel at level subgroup or lane."""
    type = f"memref<{PLACES}xi32, 3>"
    lines = [
        "%sg = gpu.subgroup_id : index",
        f"%s = memref.alloc() : {type}",
        f"%limit = arith.constant {PLACES} : index",
        "%yes = arith.constant dense<true> : vector<2xi1>",
        "%values = arith.constant dense<[7, 8]> : vector<2xi32>",
    ]
    lines += [f"%v{value} = arith.constant {value} : i32" for value in (0, 1, 7, 8)]
    for place in range(PLACES):
        lines += [
            f"%k{place} = arith.constant {place} : index",
            f"memref.store %v0, %s[%k{place}] : {type}",
        ]
    lines.append("gpu.barrier")
    for number, step in enumerate(steps):
        lines += lines_of_own(step, str(number), type)
    text = kernel([], SUBGROUPS, "\n        ".join(lines))
    return text.replace("attributes {", f'attributes {{xetile.level = "{unit}", ')


def lines_of_own(step: Own, name: str, type: str) -> list[str]:
    if step.kind == "barrier":
        return ["gpu.barrier"]
    table = ", ".join(str(PLACES if place is None else place) for place in step.places)
    at = f"%s[%p{name}] : {type}"
    vectors = "vector<2xindex>, vector<2xi1>, vector<2xi32>"
    op = {
        "seven": f"memref.store %v7, {at}",
        "eight": f"memref.store %v8, {at}",
        "both": f"vector.scatter %s[%k0][%q{name}], %yes, %values : {type}, {vectors}",
        "load": f"%r{name} = memref.load {at}",
        "atomic": f"%r{name} = memref.atomic_rmw addi %v1, %s[%p{name}] : (i32, {type}) -> i32",
    }[step.kind]
    return [
        f"%t{name} = arith.constant dense<[{table}]> : vector<{SUBGROUPS}xindex>",
        f"%p{name} = vector.extract %t{name}[%sg] : index from vector<{SUBGROUPS}xindex>",
        f"%q{name} = vector.broadcast %p{name} : index to vector<2xindex>",
        f"%d{name} = arith.cmpi ult, %p{name}, %limit : index",
        f"scf.if %d{name} {{",
        f"  {op}",
        "}",
    ]


def races_of_own(steps: Sequence[Own]) -> bool:
    epochs: list[dict[int, list[Touch]]] = [{}]
    kinds = {"load": "read", "atomic": "atomic"}
    for order, (kind, places) in enumerate(steps):
        if kind == "barrier":
            epochs.append({})
        for subgroup, place in enumerate(places):
            if place is None:
                continue
            for value in STORED.get(kind, [0]):
                touch = Touch(subgroup, kinds.get(kind, "write"), value, order)
                epochs[-1].setdefault(place, []).append(touch)
    return any_conflict(epochs)


def of(subgroup: int, *kinds: str) -> list[Own]:
    places = [0 if number == subgroup else None for number in range(SUBGROUPS)]
    return [Own(kind, places) for kind in kinds]


RARE = (
    [*of(0, "seven", "eight", "eight"), *of(1, "eight")],
    [*of(0, "both"), *of(1, "eight")],
    [*of(0, "seven", "atomic"), *of(1, "atomic")],
    [*of(0, "seven", "atomic"), *of(1, "eight")],
    [*of(0, "seven", "load"), *of(1, "seven"), *of(0, "load", "seven")],
)
"""What random steps hardly come to."""


@pytest.mark.parametrize("unit", ["subgroup", "lane"])
def test_subgroups_that_go_ways_of_their_own(unit: str):
    for steps in (*RARE, *map(random_owns, range(60))):
        text = text_of_own(steps, unit)
        assert refused(parse(text), []) == races_of_own(steps), text


def test_maps_say_how_many_subgroups_there_are_where_the_kernel_does_not():
    everywhere = range(SIZE * SIZE)
    for map, expected in ((OWNING[0], False), (OWNING[1], True)):
        steps = [Step("store", OWNING[0], everywhere, 1), Step("load", map, everywhere)]
        text = text_of(steps, written=True).replace(
            "known_block_size = array<i32: 64, 1, 1>, ", ""
        )
        assert "known_block_size" not in text
        assert verdict(text, "workgroup") == expected
