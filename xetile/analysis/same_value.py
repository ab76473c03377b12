"""Values that are the same at run time: those that control flow carries, those that elementwise ops relate."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.xetile import TileMMAOp

_BRANCHES = ("scf.if", "scf.index_switch", "scf.execute_region")

Fact = TypeVar("Fact")
Pair = tuple[SSAValue, SSAValue]


class Classes(Generic[Fact]):
    """Classes of values, by union and find, with one optional fact per class."""

    def __init__(self, merge: Callable[[Fact, Fact], Fact]) -> None:
        """Start with no values; `merge` joins two facts about one class, or raises."""
        self._parent: dict[SSAValue, SSAValue] = {}
        self._facts: dict[SSAValue, Fact] = {}
        self._merge = merge

    def find(self, value: SSAValue) -> SSAValue:
        """Return the representative of the class of a value."""
        root = value
        while (parent := self._parent.get(root)) is not None:
            root = parent
        while (parent := self._parent.get(value)) is not None:
            self._parent[value] = root
            value = parent
        return root

    def unite(self, left: SSAValue, right: SSAValue) -> None:
        a, b = self.find(left), self.find(right)
        if a is b:
            return
        self._parent[b] = a
        fact = self._facts.pop(b, None)
        if fact is not None:
            self.give(a, fact)

    def give(self, value: SSAValue, fact: Fact) -> None:
        """Add a fact about the class of a value."""
        root = self.find(value)
        known = self._facts.get(root)
        self._facts[root] = fact if known is None else self._merge(known, fact)

    def fact(self, value: SSAValue) -> Fact | None:
        return self._facts.get(self.find(value))


def is_tile_vector(type: Attribute) -> bool:
    """Return True for a vector type of rank 2, the type of a tile's value."""
    return (
        isinstance(type, VectorType) and cast(VectorType[Attribute], type).get_num_dims() == 2
    )


def vector_shape(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a vector value (elements)."""
    return tuple(cast(VectorType[Attribute], value.type).get_shape())


class Carried(NamedTuple):
    """Two values that are the same at run time: the op `by` passes `source` on as `target`."""

    source: SSAValue
    target: SSAValue
    by: Operation


def carried(op: Operation) -> Iterator[Carried]:
    """Yield the pairs of values that a loop or branch carries: initial value, block argument, yielded value, result."""
    if op.name == "scf.for":
        body = op.regions[0].blocks[0]
        yield from _loop(op, op.operands[3:], body.args[1:], terminator(body), op.results)
    elif op.name in _BRANCHES and op.results:
        for region in op.regions:
            if len(region.blocks) != 1:
                continue
            last = terminator(region.blocks[0])
            for value, result in zip(last.operands, op.results, strict=True):
                yield Carried(value, result, last)
    elif op.name == "scf.while":
        before, after = (region.blocks[0] for region in op.regions)
        condition = terminator(before)
        yield from _loop(op, op.operands, before.args, terminator(after))
        rows = zip(condition.operands[1:], after.args, op.results, strict=True)
        for passed, argument, result in rows:
            yield Carried(passed, argument, condition)
            yield Carried(passed, result, condition)


def _loop(
    op: Operation,
    initial: Sequence[SSAValue],
    arguments: Sequence[SSAValue],
    last: Operation,
    results: Sequence[SSAValue] = (),
) -> Iterator[Carried]:
    for start, argument, next in zip(initial, arguments, last.operands, strict=True):
        yield Carried(start, argument, op)
        yield Carried(next, argument, last)
    for argument, result in zip(arguments, results, strict=False):
        yield Carried(argument, result, op)


def carried_pairs(op: Operation) -> Iterator[Pair]:
    """Yield the pairs of `carried` without the op."""
    for pair in carried(op):
        yield pair.target, pair.source


def computed_pairs(op: Operation) -> Iterator[Pair]:
    """Yield pairs of vectors that an op keeps in one form: accumulator and result, operands and result."""
    if isinstance(op, TileMMAOp):
        if op.c is not None:
            yield op.result, op.c
    elif has_trait(op, Elementwise):
        vectors = [v for v in (*op.results, *op.operands) if is_tile_vector(v.type)]
        for other in vectors[1:]:
            yield vectors[0], other


def terminator(block: Block) -> Operation:
    """Return the last op of a block, which must have one."""
    last = block.last_op
    assert last is not None
    return last
