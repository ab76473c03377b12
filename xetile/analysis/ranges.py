"""Bounds of every integer of a kernel.

One forward walk over structured control flow. Sources of bounds are constants, the launch
sizes (ids), static shapes, and loops: a value that a loop moves by a bounded step lies within
as many steps as the loop has rounds.

Interval arithmetic computes the bounds of the results of arith ops from those of the operands.

Functions take pairs (low, high), both included, and return one, or None for anything. Values
are mathematical integers; the caller has to check that a result fits its type.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.analysis.kernel_targets import subgroup_threads
from xetile.analysis.module_kernels import launch_sizes, subgroup_count
from xetile.dialects.known_integers import known_integer
from xetile.hints import isa
from xetile.targets.target import INDEX_BITS

Bounds: TypeAlias = tuple[int, int]
Function: TypeAlias = Callable[..., Bounds | None]


def _hull(*values: int) -> Bounds:
    return min(values), max(values)


def _add(a: Bounds, b: Bounds) -> Bounds:
    return a[0] + b[0], a[1] + b[1]


def _subtract(a: Bounds, b: Bounds) -> Bounds:
    return a[0] - b[1], a[1] - b[0]


def _multiply(a: Bounds, b: Bounds) -> Bounds:
    return _hull(*(x * y for x in a for y in b))


def _natural(function: Callable[[Bounds, Bounds], Bounds | None]) -> Function:
    """Restrict a function to naturals: if an operand may be negative, the result can be anything."""

    def checked(a: Bounds, b: Bounds) -> Bounds | None:
        return function(a, b) if a[0] >= 0 and b[0] >= 0 else None

    return checked


def _divide(a: Bounds, b: Bounds) -> Bounds:
    return a[0] // max(1, b[1]), a[1] // max(1, b[0])


def _divide_up(a: Bounds, b: Bounds) -> Bounds:
    return -(-a[0] // max(1, b[1])), -(-a[1] // max(1, b[0]))


def _remainder(a: Bounds, b: Bounds) -> Bounds:
    if a[1] < b[0]:
        return a
    return 0, min(a[1], max(0, b[1] - 1))


def _floor_divide(a: Bounds, b: Bounds) -> Bounds | None:
    return _hull(*(x // y for x in a for y in b)) if b[0] > 0 else None


def _ceiling_divide(a: Bounds, b: Bounds) -> Bounds | None:
    return _hull(*(-(-x // y) for x in a for y in b)) if b[0] > 0 else None


def _minimum(a: Bounds, b: Bounds) -> Bounds:
    return min(a[0], b[0]), min(a[1], b[1])


def _maximum(a: Bounds, b: Bounds) -> Bounds:
    return max(a[0], b[0]), max(a[1], b[1])


def _and(a: Bounds, b: Bounds) -> Bounds | None:
    naturals = [high for low, high in (a, b) if low >= 0]
    return (0, min(naturals)) if naturals else None


def _or(a: Bounds, b: Bounds) -> Bounds:
    return 0, 2 ** max(a[1], b[1]).bit_length() - 1


def _shift_left(a: Bounds, b: Bounds) -> Bounds | None:
    return _multiply(a, (1 << b[0], 1 << b[1])) if b[0] >= 0 and b[1] < 64 else None


def _shift_right(a: Bounds, b: Bounds) -> Bounds | None:
    return _hull(*(x >> y for x in a for y in b)) if b[0] >= 0 and b[1] < 64 else None


def _same(a: Bounds) -> Bounds:
    return a


def _same_natural(a: Bounds) -> Bounds | None:
    return a if a[0] >= 0 else None


def _select(_: Bounds, a: Bounds, b: Bounds) -> Bounds:
    return _hull(*a, *b)


_OF_ARITH: Mapping[str, Function] = {
    "arith.addi": _add,
    "arith.subi": _subtract,
    "arith.muli": _multiply,
    "arith.divui": _natural(_divide),
    "arith.divsi": _natural(_divide),
    "arith.remui": _natural(_remainder),
    "arith.remsi": _natural(_remainder),
    "arith.ceildivui": _natural(_divide_up),
    "arith.floordivsi": _floor_divide,
    "arith.ceildivsi": _ceiling_divide,
    "arith.minsi": _minimum,
    "arith.maxsi": _maximum,
    "arith.minui": _natural(_minimum),
    "arith.maxui": _natural(_maximum),
    "arith.andi": _and,
    "arith.ori": _natural(_or),
    "arith.xori": _natural(_or),
    "arith.shli": _shift_left,
    "arith.shrsi": _shift_right,
    "arith.shrui": _natural(_shift_right),
    "arith.select": _select,
    "arith.index_cast": _same,
    "arith.extsi": _same,
    "arith.trunci": _same,
    "arith.index_castui": _same_natural,
    "arith.extui": _same_natural,
}

_OF_INDEX: Mapping[str, str] = {
    "index.add": "arith.addi",
    "index.sub": "arith.subi",
    "index.mul": "arith.muli",
    **{
        f"index.{name}{sign}": f"arith.{name}{sign}i"
        for name in ("div", "rem", "min", "max", "ceildiv")
        for sign in "su"
    },
    "index.floordivs": "arith.floordivsi",
    "index.and": "arith.andi",
    "index.or": "arith.ori",
    "index.xor": "arith.xori",
    "index.shl": "arith.shli",
    "index.shrs": "arith.shrsi",
    "index.shru": "arith.shrui",
    "index.casts": "arith.index_cast",
    "index.castu": "arith.index_castui",
}

OPERATIONS: Mapping[str, Function] = {
    **_OF_ARITH,
    **{name: _OF_ARITH[of] for name, of in _OF_INDEX.items()},
}

SIGNED = frozenset(
    f"arith.{name}"
    for name in (
        "divsi",
        "remsi",
        "floordivsi",
        "ceildivsi",
        "minsi",
        "maxsi",
        "shrsi",
        "extsi",
        "index_cast",
    )
) | {"index.casts"}
"""Ops to which an i1 is 0 or -1."""


_MAX_ID = 2**32 - 1
"""Sizes of a launch are 32-bit unsigned (Level Zero specification, zeCommandListAppendLaunchKernel)."""


class Interval(NamedTuple):
    """All integers from `low` to `high`, both included."""

    low: int
    high: int

    def join(self, other: "Interval") -> "Interval":
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def negated(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def holds(self, other: "Interval") -> bool:
        """Return True if `other` lies inside."""
        return self.low <= other.low and other.high <= self.high

    def fits(self, bits: int) -> bool:
        """Return True if a signed integer of `bits` bits can represent every value."""
        return -(2 ** (bits - 1)) <= self.low and self.high < 2 ** (bits - 1)


Ranges: TypeAlias = dict[SSAValue, Interval]


def infer_ranges(function: Operation, given: Mapping[SSAValue, Interval] = {}) -> Ranges:
    """Return the interval of every scalar integer and index value of a kernel; an unknown one is its type's.

    A signless integer counts as signed, i1 as 0 or 1, an index as 64 bits. `given` are intervals known for one launch.
    """
    analysis = _Analysis(function, given)
    for region in function.regions:
        for block in region.blocks:
            analysis.open(block)
            analysis.block(block)
    return analysis.ranges


def type_interval(type: Attribute) -> Interval | None:
    """Return the interval of an integer type, or None for other types."""
    if isinstance(type, IndexType):
        bits, signed = INDEX_BITS, True
    elif isa(type, IntegerType):
        bits = type.width.data
        signed = type.signedness.data is not Signedness.UNSIGNED and bits > 1
    else:
        return None
    return (
        Interval(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        if signed
        else Interval(0, 2**bits - 1)
    )


class _Analysis:
    def __init__(self, function: Operation, given: Mapping[SSAValue, Interval]) -> None:
        self.ranges: Ranges = {}
        self.given = given
        self.function = function
        self.block_size = launch_sizes(function, "known_block_size")
        self.grid_size = launch_sizes(function, "known_grid_size")

    def known(self, value: SSAValue) -> Interval:
        found = self.ranges.get(value) or type_interval(value.type)
        return found or Interval(-(2**63), 2**63 - 1)

    def give(self, value: SSAValue, interval: Interval | None) -> None:
        """Record an interval; one that exceeds the type becomes the type's, since the value wraps around."""
        limits = type_interval(value.type)
        if limits is None:
            return
        interval = self.given.get(value, interval)
        inside = (
            interval is not None and interval.low <= interval.high and limits.holds(interval)
        )
        self.ranges[value] = interval if inside and interval is not None else limits

    def open(self, block: Block) -> None:
        for argument in block.args:
            self.give(argument, None)

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.operation(op)

    def operation(self, op: Operation) -> None:
        if op.name == "scf.for":
            self.loop(op)
            return
        for region in op.regions:
            for inner in region.blocks:
                self.open(inner)
                self.block(inner)
        if op.name == "scf.if" and op.results:
            for result, *yielded in zip(op.results, *_yields(op), strict=True):
                self.give(result, reduce(Interval.join, map(self.known, yielded)))
            return
        bounds = self.bounds(op)
        for result in op.results:
            self.give(result, bounds)

    def bounds(self, op: Operation) -> Interval | None:
        """Return the interval of the results of an op without regions, or None if nothing is known."""
        if op.name in OPERATIONS:
            return self.computed(op)
        if op.results and (number := known_integer(op.results[0])) is not None:
            return Interval(number, number)
        dialect, _, name = op.name.partition(".")
        if dialect in ("gpu", "xevm"):
            return self.identifier(op, name)
        if op.name == "memref.dim":
            return self.extent(op)
        if op.name == "arith.cmpi":
            return Interval(0, 1)
        return None

    def computed(self, op: Operation) -> Interval | None:
        """Return the bounds of an op of `OPERATIONS`; ops that count i1 as signed use 0 and -1."""
        signed = op.name in SIGNED

        def read(value: SSAValue) -> Interval:
            known = self.known(value)
            return known.negated() if signed and value.type == i1 else known

        found = OPERATIONS[op.name](*map(read, op.operands))
        if found is None:
            return None
        result = Interval(*found)
        return result.negated() if signed and op.results[0].type == i1 else result

    def identifier(self, op: Operation, name: str) -> Interval | None:
        """Return the bounds of ids and sizes of the launch, such as `gpu.block_id x` or `xevm.group_id.x`."""
        dimension = op.properties.get("dimension")
        axis = str(getattr(dimension, "data", name.rpartition(".")[2]))
        kind = _IDENTIFIERS.get(name.partition(".")[0])
        if kind is None:
            return None
        low, high = kind(self.sizes("xyz".find(axis)))
        upper = op.properties.get("upper_bound")
        if isa(upper, IntegerAttr):
            high = min(high, upper.value.data - (1 - low))
        return Interval(low, high)

    def sizes(self, axis: int) -> "_Sizes":
        block, grid = (
            _size(sizes[axis] if sizes is not None and axis >= 0 else None)
            for sizes in (self.block_size, self.grid_size)
        )
        threads = subgroup_threads(self.function)
        subgroups = _size(subgroup_count(self.function), _MAX_ID // threads)
        return _Sizes(block, grid, subgroups, threads)

    def extent(self, op: Operation) -> Interval:
        type, index = op.operands[0].type, self.known(op.operands[1])
        shape = type.get_shape() if isa(type, MemRefType) else ()
        size = (
            shape[index.low] if index.low == index.high and 0 <= index.low < len(shape) else -1
        )
        return Interval(size, size) if size >= 0 else Interval(0, 2**63 - 1)

    def loop(self, op: Operation) -> None:
        """Bound a loop: first its arguments, by their steps where possible, else until no interval grows."""
        low, high, step = map(self.known, op.operands[:3])
        body = op.regions[0].blocks[0]
        rounds = max(0, -((low.low - high.high) // step.low)) if step.low > 0 else None
        top = high.high - 1
        if rounds and step.low == step.high and low.low == low.high:
            top = low.low + (rounds - 1) * step.low
        self.give(body.args[0], Interval(low.low, max(low.low, top)))
        carried = [
            _Carried(*row, self.move(row[0], row[2], body) if rounds is not None else None)
            for row in zip(
                body.args[1:], op.operands[3:], _yields(op)[0], op.results, strict=True
            )
        ]
        for value in carried:
            start = self.known(value.initial)
            if value.move is not None and rounds is not None:
                start = _after(start, value.move, max(0, rounds - 1))
            self.give(value.argument, start)
        self.settle(body, [value for value in carried if value.move is None])
        for value in carried:
            start = self.known(value.initial)
            if value.move is None or rounds is None:
                self.give(value.result, start.join(self.known(value.output)))
            else:
                self.give(value.result, _after(start, value.move, rounds))

    def settle(self, body: Block, carried: "Sequence[_Carried]") -> None:
        """Walk the body until no argument leaves its interval.

        An argument that does gets the join of its intervals the first time, then its type's.
        """
        widened: set[SSAValue] = set()
        settled = False
        while not settled:
            self.block(body)
            settled = True
            for argument, _, output, _, _ in carried:
                known, next = self.known(argument), self.known(output)
                if known.holds(next):
                    continue
                self.give(argument, None if argument in widened else known.join(next))
                widened.add(argument)
                settled = False

    def move(self, argument: SSAValue, value: SSAValue, body: Block) -> Interval | None:
        """Return how far one round moves an argument, or None unless it only adds values from outside the loop."""
        if value is argument:
            return Interval(0, 0)
        op = value.owner
        if not isinstance(op, Operation) or op.parent_block() is not body:
            return None
        kind = op.name.partition(".")[2]
        if kind not in ("addi", "subi", "add", "sub"):
            return None
        left, right = op.operands
        if kind in ("addi", "add") and self.move(argument, left, body) is None:
            left, right = right, left
        before, step = self.move(argument, left, body), self.outside(right, body)
        if before is None or step is None:
            return None
        if kind in ("subi", "sub"):
            step = Interval(-step.high, -step.low)
        return Interval(before.low + step.low, before.high + step.high)

    def outside(self, value: SSAValue, body: Block) -> Interval | None:
        """Return the interval of a constant or of a value computed outside the loop's body, else None."""
        if (number := known_integer(value)) is not None:
            return Interval(number, number)
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
        while block is not None and block is not body:
            parent = block.parent_op()
            block = None if parent is None else parent.parent_block()
        return self.known(value) if block is None else None


class _Carried(NamedTuple):
    """A value that a loop carries; `move` is the distance that a round moves it by, or None."""

    argument: SSAValue
    initial: SSAValue
    output: SSAValue
    result: SSAValue
    move: Interval | None


class _Sizes(NamedTuple):
    """The bounds of a launch's sizes along one axis, and of its subgroups."""

    block: Interval
    grid: Interval
    subgroups: Interval
    threads: int


def _size(known: int | None, most: int = _MAX_ID) -> Interval:
    return Interval(1, most) if known is None else Interval(known, known)


_IDENTIFIERS: Mapping[str, Callable[[_Sizes], tuple[int, int]]] = {
    "block_id": lambda sizes: (0, sizes.grid.high - 1),
    "group_id": lambda sizes: (0, sizes.grid.high - 1),
    "grid_dim": lambda sizes: sizes.grid,
    "group_count": lambda sizes: sizes.grid,
    "thread_id": lambda sizes: (0, sizes.block.high - 1),
    "local_id": lambda sizes: (0, sizes.block.high - 1),
    "block_dim": lambda sizes: sizes.block,
    "local_size": lambda sizes: sizes.block,
    "global_id": lambda sizes: (0, sizes.block.high * sizes.grid.high - 1),
    "subgroup_id": lambda sizes: (0, sizes.subgroups.high - 1),
    "num_subgroups": lambda sizes: sizes.subgroups,
    "lane_id": lambda sizes: (0, sizes.threads - 1),
    "subgroup_size": lambda sizes: (sizes.threads, sizes.threads),
}


def _after(start: Interval, move: Interval, rounds: int) -> Interval:
    return Interval(
        start.low + min(0, move.low) * rounds, start.high + max(0, move.high) * rounds
    )


def _yields(op: Operation) -> list[tuple[SSAValue, ...]]:
    found: list[tuple[SSAValue, ...]] = []
    for region in op.regions:
        last = region.blocks[0].last_op if region.blocks else None
        if last is not None:
            found.append(tuple(last.operands))
    return found
