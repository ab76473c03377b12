"""The workgroup: its position in the grid, barriers, loops, printing and checks.

`xt.range` is a loop of the running kernel. Python's own `range` unrolls: its body is traced once for each number.
"""

import builtins
from collections.abc import Iterator
from typing import Literal, NoReturn, cast

from xetile.language.builder import Held, building, current, named
from xetile.language.elementwise import converted, number_of
from xetile.language.positions import refuse
from xetile.language.tile_values import Tile
from xetile.language.types import f32, f64, i32, i64
from xetile.language.values import Index, Single, Value, describe, refuse_bound

_AXES: dict[int, Literal["x", "y", "z"]] = {0: "x", 1: "y", 2: "z"}


def program_id(axis: int) -> Index:
    """Return the workgroup's position in the grid along axis 0, 1 or 2 (x, y, z)."""
    from xetile.dialects.upstream.gpu import BlockIdOp

    letter = _axis("program_id", axis)
    value = current().pure_of(BlockIdOp, letter)
    return Index.of(named(value, f"block_{letter}"))


def num_programs(axis: int) -> Index:
    """Return the number of workgroups of the grid along axis 0, 1 or 2 (x, y, z)."""
    from xetile.dialects.upstream.gpu import GridDimOp

    letter = _axis("num_programs", axis)
    value = current().pure_of(GridDimOp, letter)
    return Index.of(named(value, f"blocks_{letter}"))


def _axis(name: str, axis: object) -> Literal["x", "y", "z"]:
    if isinstance(axis, bool) or not isinstance(axis, int) or axis not in _AXES:
        refuse(f"xt.{name}({axis!r}); a grid has axes 0, 1 and 2")
    return _AXES[axis]


def barrier() -> None:
    """Let all subgroups of the workgroup wait for each other; all of them see earlier stores afterwards."""
    from xetile.dialects.upstream.gpu import BarrierOp

    current().insert(BarrierOp())


def print(*values: Single | str | float) -> None:
    """Print one line of text, numbers and values of the kernel, from each workgroup that reaches it."""
    from xetile.dialects.upstream.gpu import PrintfOp

    words: list[str] = []
    arguments: list[Held] = []
    for value in values:
        if isinstance(value, Tile):
            refuse(
                f"xt.print of {value.describe()}; it prints single numbers, Python's print(x) tiles in eager execution"
            )
        if not isinstance(value, Value):
            words.append(str(value).replace("%", "%%"))
            continue
        held = _printed(value.held())
        words.append("%g" if held.element.kind == "float" else "%d")
        arguments.append(held)
    text = " ".join(words) + "\n"
    current().insert(PrintfOp(text, [held.value for held in arguments]))


def _printed(held: Held) -> Held:
    """Convert the number to a type that can be printed."""
    element = held.element
    if element.kind == "float":
        return held if element == f64 else converted(held, f32)
    wide = element.kind == "index" or element == i64
    return converted(held, i64 if wide else i32)


def check(condition: "Tile | Single | bool", message: str) -> None:
    """Check that a condition is true, for every element; execution on numpy reports the first that is false.

    Code compiled for a device does not contain the check.
    Errors: XetileError, with the message, if the condition is false before the kernel runs.
    """
    from xetile.dialects.xetile import CheckOp

    _check_text("xt.check", message)
    if isinstance(condition, Value):
        held = condition.held()
        if held.element.kind != "boolean":
            refuse(f"xt.check of {held.describe()}: a condition is i1; write a comparison")
        current().insert(CheckOp(held.value, message))
    else:
        _hold("xt.check", condition, message)


def static_assert(condition: "Single | bool", message: str) -> None:
    """Check a condition on constants and known extents before the kernel runs.

    Errors: XetileError, with the message, if it is false.
    """
    _check_text("xt.static_assert", message)
    _hold("xt.static_assert", condition, message)


def _hold(name: str, condition: object, message: str) -> None:
    if isinstance(condition, Value):
        refuse(
            f"{name} of {describe(condition)}, which is known only when the kernel runs; write xt.check"
        )
    if not isinstance(condition, bool) and not isinstance(number_of(condition), bool):
        refuse(f"{name} of {describe(condition)}: expected a truth value")
    if not condition:
        refuse(message)


def _check_text(name: str, message: object) -> None:
    if not isinstance(message, str):
        refuse(
            f"{name} has the message {describe(message)}; expected text that says what has to hold"
        )


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
    """Return a number as an eager value, so that it is not static; outside of kernels a Python int."""
    from xdsl.dialects.arith import ConstantOp
    from xdsl.dialects.builtin import IndexType, IntegerAttr

    if building() is None:
        return cast(Index, value)
    return Index.of(named(current().result(ConstantOp(IntegerAttr(value, IndexType()))), "k"))


def range(*bounds: object) -> Range:
    """Return the numbers of `xt.range(stop)`, `xt.range(start, stop)` or `xt.range(start, stop, step)`.

    They are those of Python's range. Bounds are Python's numbers or indices; the step is a Python number.

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
