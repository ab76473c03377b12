"""The values that are one as long as a loop does not hand them on, by the loop that they are in."""

from collections import defaultdict
from collections.abc import Iterable

from xdsl.ir import Block, Operation, SSAValue

from xetile.analysis.same_value import Classes

_LOOPS = ("scf.for", "scf.while")


class LoopParts:
    """Pairs of values that are to be in one form, joined where both are in one loop, or both in none."""

    def __init__(self, pairs: Iterable[tuple[SSAValue, SSAValue]]) -> None:
        self._parts = Classes[None](lambda left, right: None)
        self._depths: dict[Block, tuple[Operation | None, int]] = {}
        across: list[tuple[SSAValue, SSAValue]] = []
        for pair in pairs:
            if self._loop(pair[0])[0] is self._loop(pair[1])[0]:
                self._parts.unite(*pair)
            else:
                across.append(pair)
        self._inner = defaultdict[SSAValue, dict[SSAValue, None]](dict)
        for pair in across:
            outer, inner = sorted(pair, key=lambda value: self._loop(value)[1])
            if self._loop(outer)[1] < self._loop(inner)[1]:
                self._inner[self.find(outer)][self.find(inner)] = None

    def find(self, value: SSAValue) -> SSAValue:
        """The representative of what is one with a value in its loop."""
        return self._parts.find(value)

    def is_in_loop(self, value: SSAValue) -> bool:
        return self._loop(value)[0] is not None

    def inner(self, value: SSAValue) -> Iterable[SSAValue]:
        """What stands for a value in the loops that are in its own, each once and in order."""
        return self._inner[self.find(value)]

    def _loop(self, value: SSAValue) -> tuple[Operation | None, int]:
        """The innermost loop around a value, and in how many it is."""
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent_block()
        return (None, 0) if block is None else self._loop_around(block)

    def _loop_around(self, block: Block) -> tuple[Operation | None, int]:
        if block not in self._depths:
            op = block.parent_op()
            outer = None if op is None else op.parent_block()
            loop, depth = (None, 0) if outer is None else self._loop_around(outer)
            if op is not None and op.name in _LOOPS:
                loop, depth = op, depth + 1
            self._depths[block] = loop, depth
        return self._depths[block]
