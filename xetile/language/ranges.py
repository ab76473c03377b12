"""`xt.range`: the loop that runs when the kernel runs.

Python's own `range` unrolls: its body is traced once for each number.
"""

import builtins
from collections.abc import Iterator
from typing import NoReturn, cast

from xetile.language.builder import building, current, named
from xetile.language.indices import Index, refuse_bound
from xetile.language.refusals import refuse


class Range:
    """The numbers from `start` on, `step` apart, before `stop`; a `for` statement over it is traced as one loop."""

    def __init__(self, start: Index | int, stop: Index | int, step: int) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    def __iter__(self) -> Iterator[Index]:
        if building() is not None and not current().eager:
            refuse(
                "xt.range is looped over by a `for` statement alone: `for k in xt.range(...):`, in a function that "
                "@xt.kernel or @xt.function decorates; Python's range unrolls anywhere"
            )
        return (_number(i) for i in builtins.range(int(self.start), int(self.stop), self.step))

    def __reversed__(self) -> Iterator[Index]:
        refuse("reversed(xt.range(...)); give it the last number, the first one - 1 and -1")

    def __len__(self) -> int:
        _no_sequence("len()")

    def __contains__(self, _: object) -> bool:
        _no_sequence("`in`")

    def __getitem__(self, _: object) -> Index:
        _no_sequence("an element")


def _no_sequence(what: str) -> NoReturn:
    refuse(
        f"{what} of xt.range(...), which only a `for` statement takes; compute it from the bounds"
    )


def _number(value: int) -> Index:
    """A number as an eager kernel has it, with a value, so that it is not static; outside of kernels Python's."""
    from xdsl.dialects.arith import ConstantOp
    from xdsl.dialects.builtin import IndexType, IntegerAttr

    if building() is None:
        return cast(Index, value)
    return Index.of(named(current().result(ConstantOp(IntegerAttr(value, IndexType()))), "k"))


def range(*bounds: object) -> Range:
    """`xt.range(stop)`, `xt.range(start, stop)`, `xt.range(start, stop, step)`, as Python's range.

    Bounds are Python's numbers or indices; the step is a Python number.

    Errors: XetileError for bounds of other types, and for a step of 0 or one that is known only when the kernel runs.
    """
    if not 1 <= len(bounds) <= 3:
        refuse(f"xt.range of {len(bounds)} bounds; write `xt.range(start, stop, step)`")
    numbers = [_bound(bound) for bound in bounds]
    start, stop = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = Index.of(numbers[2]).known if len(numbers) == 3 else 1
    if step is None:
        refuse("the step of xt.range is a Python number; write `xt.range(count)` and multiply")
    if step == 0:
        refuse("the step of xt.range is 0")
    return Range(start, stop, step)


def _bound(bound: object) -> Index | int:
    if isinstance(bound, (Index, int)) and not isinstance(bound, bool):
        return bound
    refuse_bound("a bound of xt.range", bound)
