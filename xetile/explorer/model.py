"""The model of an exploration: levels side by side with their links, the place of each element, and the costs.

All classes are plain data; the page and other programs read the result of `as_json` (see
docs/explorer.schema.json). Numbers in tuples are indices into the lists next to them; lines and columns
count from 0, columns in characters, spans are half open.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Literal, NamedTuple, TypeAlias, cast

VERSION = 2
"""Version of the form; it changes if a reader of the old one would be misled."""

LevelId = Literal["Y", "W", "S", "B", "X", "V", "L", "P", "I"]
"""Python source, workgroup, subgroup, blocked, xegpu, xevm, llvm, SPIR-V, the device's instructions."""

Place = Literal["memory", "registers", "slm"]
MoveKind = Literal["message", "rename", "shuffle", "shared", "replicate", "reduce"]

At: TypeAlias = tuple[int, int]
"""A level and an op, or a level and a value, of it."""


class Op(NamedTuple):
    """One op, or one instruction: its place, its name, and its parents, ops of the level `Level.of`."""

    line: int
    first: int
    last: int
    name: int
    parents: tuple[int, ...] = ()


class Value(NamedTuple):
    """A result of an op, or an argument of its blocks.

    `number` counts the op's results, then the arguments of its blocks in order; the span is that of the name (`%b`)
    where it is defined. Several results that are printed as one name (`%r:3`) share it.
    """

    op: int
    number: int
    line: int
    first: int
    last: int
    holding: int | None = None


class Use(NamedTuple):
    """An operand of an op, and its value."""

    op: int
    operand: int
    value: int


@dataclass
class Level:
    """One text of the kernel, and the places of its ops and values.

    Attributes:
        of: the level to which `Op.parents` belong; None for the first. For P and I it is L.
        passes: the passes that made this level from the one before, in their order.
        lines: the text; of the first level it is the source as written.
        numbers: of the lines, from 1, if they are not 1, 2, 3, ... (functions of several Python files); 0 for a line
            that is in no file (one between two functions, or with the name of another file).
    """

    id: LevelId
    title: str
    of: int | None
    passes: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    numbers: list[int] | None = None
    ops: list[Op] = field(default_factory=list[Op])
    values: list[Value] = field(default_factory=list[Value])
    uses: list[Use] = field(default_factory=list[Use])


class Bases(NamedTuple):
    """A linear layout: by in dimension its basis vectors, by out dimension its size, both in order."""

    inputs: Mapping[str, tuple[tuple[int, ...], ...]]
    outputs: Mapping[str, int]


@dataclass
class Holding:
    """The place of the elements of a value, or of a part of one.

    Attributes:
        tensor: names of the dimensions of the tile (M, N, K of the product that it feeds, else dim0, dim1, ...).
        sizes: of this value's part of the tile, in elements; `offset` is where the part begins in the tile.
        tile: the value (level, value) that is the whole tile; None if this is it.
        bits: of an element.
        layout: (register, lane) -> `tensor`, (subgroup) -> `tensor`, or (offset) -> `tensor`; if sizes are not
            powers of two it is that of one block, and `blocks` has [offset, sizes] of each. None if unknown.
            Basis vectors are in the coordinates of the part, so that those of the tile are `offset` more.
        base: where it begins: {"register": 35, "word": 16} (from the assembly), {"buffer": 0,
            "byte": 0}. Registers contain words of `word` bits, a component of the value, one after the other, each for
            all lanes: element e of a lane is in word e * bits // word; `byte` is present if it begins inside of one.
            For a subgroup's tile {"value": 7, "unit": 0}: the value of W, and which of the subgroup's units it is.
        copies: where it begins in the order of the assembly: instructions that write or read it in another register
            than those before, and that register; rounds of an unrolled loop may each have their own.
        step: the op (level, op) that brings the value there.
    """

    tensor: list[str]
    sizes: list[int]
    bits: int
    place: Place
    layout: Bases | None = None
    blocks: list[tuple[list[int], list[int]]] | None = None
    offset: list[int] | None = None
    tile: At | None = None
    base: dict[str, int] | None = None
    step: At | None = None
    copies: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


@dataclass
class Message:
    """One message to memory: a block of `rows` x `columns` elements, `blocks` times along the columns.

    `form` is plain, packed, transposed, or the name of a message by lanes; `offset` is where it begins in the
    subgroup's tile; `asm` are the instructions.
    """

    rows: int
    columns: int
    blocks: int
    form: str
    bytes: int
    offset: list[int] | None = None
    asm: list[int] = field(default_factory=list[int])


@dataclass
class Round:
    """One round of a shuffle: lanes whose numbers differ by `xor` exchange `registers`; then `selects` instructions."""

    xor: int
    registers: list[int]
    selects: int
    asm: list[int] = field(default_factory=list[int])


@dataclass
class Access:
    """How the lanes of a subgroup store to shared memory, or load from it.

    Attributes:
        form: neighboring words of all lanes, or separate words of each lane.
        bits: of one lane in one access; a block message of several words is as many accesses.
        layout: (register, lane) -> rows and columns, of one block of the subgroup's part.
        owners: (register, subgroup) -> the same, of the whole; None for a subgroup's own slice.
    """

    form: Literal["block", "lanes"]
    bits: int
    layout: Bases
    owners: Bases | None = None


@dataclass
class Shared:
    """The placement of an exchange in shared memory.

    Attributes:
        places: (offset) -> rows and columns, in elements and without gaps.
        gap: elements that follow each other, and the distance from the first of them to the next run; None without.
        bits: of an element in memory.
        banks: that serve a word of 4 bytes each at a time.
        conflicts: additional cycles as the passes counted them: of one message that stores, or loads; of all of them.
    """

    store: Access
    load: Access
    places: Bases
    gap: tuple[int, int] | None
    bits: int
    banks: int
    conflicts: dict[str, int]


class Way(NamedTuple):
    """One of the alternatives between which the passes chose; its price in instructions, None if it was abandoned."""

    what: str
    price: float | None
    is_taken: bool


@dataclass
class Move:
    """A move of a value from one place to another, as the passes decided it.

    `price` is in instructions, `ways` are the alternatives that were compared, if any.
    """

    op: At
    kind: MoveKind
    source: int | None
    target: int | None
    price: float | None = None
    reason: str = ""
    messages: list[Message] = field(default_factory=list[Message])
    rounds: list[Round] = field(default_factory=list[Round])
    shared: Shared | None = None
    ways: list[Way] = field(default_factory=list[Way])


@dataclass
class Dpas:
    """One matrix instruction of the assembly: its op at L, its sizes, and the holdings of operands and result (`d`)."""

    op: At
    asm: int
    m: int
    n: int
    k: int
    a: int | None
    b: int | None
    c: int | None
    d: int | None


@dataclass
class Loop:
    """A loop of the assembly, from its first to its last instruction; `unroll` rounds of `op` are unrolled into it.

    `trips` are the rounds of `op` as written, None if known only at run time; `step` is the step of one (`K 32`). If
    the compiler has unrolled all rounds, `unroll` equals `trips` and nothing branches back.
    """

    asm: tuple[int, int]
    unroll: int
    step: str
    trips: int | None
    op: At | None = None
    is_hot: bool = False


@dataclass
class Costs:
    """The class of each instruction; `bytes` of messages by op, for one round of its loop as written.

    `grf` counts registers, `spill` and `scratch` bytes. `bytes` are those of one subgroup: level, op, bytes. `rereads`:
    by op how many subgroups of a workgroup read the same elements. An instruction without an op is the compiler's
    own.
    """

    asm: list[int]
    classes: list[str]
    grf: int
    spill: int
    scratch: int
    bytes: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    rereads: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])


@dataclass
class Kernel:
    """One kernel at all of its levels.

    Attributes:
        certainty: for each kind of number on the page a sentence that says if it is exact, modeled or guessed.
        inferred: instructions (ops of level I) that no debug line gives to an op below the function; they are shown
            with the op that first reads their results.
    """

    name: str
    levels: list[Level]
    names: list[str]
    subgroups: int | None
    sg_layout: list[int] | None
    lanes: int
    register_bytes: int
    holdings: list[Holding] = field(default_factory=list[Holding])
    moves: list[Move] = field(default_factory=list[Move])
    dpas: list[Dpas] = field(default_factory=list[Dpas])
    loops: list[Loop] = field(default_factory=list[Loop])
    costs: Costs | None = None
    notes: list[str] = field(default_factory=list[str])
    certainty: dict[str, str] = field(default_factory=dict[str, str])
    inferred: list[int] = field(default_factory=list[int])


@dataclass
class Model:
    """A file, or a module, on a device; `notes` say what is missing and how to get it (ocloc, a device)."""

    file: str
    device: str
    options: dict[str, str | int | None]
    kernels: list[Kernel]
    notes: list[str] = field(default_factory=list[str])
    version: int = VERSION


Plain: TypeAlias = "str | int | float | list[Plain] | dict[str, Plain] | None"

_SCALARS = frozenset((int, str, float, bool, type(None)))
"""Types of most of the numbers in a model, which need no call each."""


def as_json(model: Model) -> "dict[str, Plain]":
    """Return dataclasses as objects by their fields, tuples as arrays, layouts as {"in": {...}, "out": {...}}."""
    return cast("dict[str, Plain]", _plain(model))


def as_line(form: Mapping[str, object]) -> str:
    """Return the JSON form of an exploration as it is written: one line."""
    return json.dumps(form, separators=(",", ":"), ensure_ascii=False) + "\n"


def _plain(value: object) -> "Plain":
    match value:
        case None | str() | int() | float():
            return value
        case Bases(inputs, outputs):
            return {"in": _plain(inputs), "out": _plain(outputs)}
        case list() | tuple():
            given = cast("list[Plain]", value)
            return [one if type(one) in _SCALARS else _plain(one) for one in given]
        case Mapping():
            items = cast("Mapping[str, object]", value).items()
            return {key: _plain(one) for key, one in items}
        case _:
            return {name: _plain(getattr(value, name)) for name in _names(type(value))}


@cache
def _names(kind: type) -> tuple[str, ...]:
    assert is_dataclass(kind), kind
    return tuple(field.name for field in fields(kind))
