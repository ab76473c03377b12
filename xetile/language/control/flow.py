"""What rewritten statements call while a kernel is traced."""

from collections.abc import Callable, Iterable
from inspect import currentframe
from typing import Protocol, cast

from xetile.language.control.branches import Branch, PlainBranch
from xetile.language.control.conditions import condition, is_traced, is_tracing
from xetile.language.control.construct import caller
from xetile.language.control.loops import Loop, PlainLoop
from xetile.language.control.repetitions import Repetition
from xetile.language.control.sites import Site
from xetile.language.indices import Index
from xetile.language.ranges import Range
from xetile.language.refusals import refuse
from xetile.language.values import Value

_INSTEAD = {
    "return": "bind a name before it, and return that at the end",
    "break": "make its condition a part of that of a `while`",
    "continue": "put the rest of the round under an `if`",
    "raise": "write xt.check(condition, message)",
}


class Statement(Protocol):
    """A statement that may be traced."""

    @property
    def traced(self) -> bool:
        """Whether it is."""
        ...


class Flow:
    """The statements of one function; a statement is named by its number."""

    def __init__(self, filename: str, sites: tuple[Site, ...]) -> None:
        self.filename = filename
        self.sites = sites

    def loop(self, items: object, number: int) -> Loop | PlainLoop:
        """A `for` statement over `items` begins."""
        if not isinstance(items, Range) or not is_tracing():
            return PlainLoop(cast("Iterable[object]", items))
        return Loop(self.sites[number], self.filename, caller(currentframe()), items)

    def repetition(self, number: int) -> Repetition:
        """A `while` statement begins."""
        return Repetition(self.sites[number], self.filename)

    def branch(self, test: object, number: int) -> Branch | PlainBranch:
        """An `if` statement on `test` begins."""
        if not is_traced(test):
            return PlainBranch(first=bool(test))
        condition(test, "if")
        frame = caller(currentframe())
        return Branch(self.sites[number], self.filename, frame, cast(Value, test))

    def same(self, one: object, other: object) -> bool:
        """Whether two objects are one, which values of the kernel do not say."""
        if is_traced(one) and is_traced(other):
            refuse("`is` of two values of the kernel; compare them with ==")
        return one is other

    def asked(self, function: Callable[..., object], *given: object) -> object:
        """`isinstance`, which of a number that a loop carries finds an index where Python finds an int."""
        if function is isinstance and len(given) == 2 and isinstance(given[0], Index):
            classes = cast(
                "tuple[object, ...]", given[1] if isinstance(given[1], tuple) else given[1:]
            )
            if int in classes and Index not in classes and is_traced(given[0]):
                refuse(
                    "a whole number is Python's int or an index; ask for both, (int, xt.Index)"
                )
        return function(*given)

    def leave(self, word: str, *around: Statement) -> None:
        """A statement that leaves others, which none that is traced may."""
        for statement in around:
            if statement.traced:
                refuse(f"`{word}` leaves a loop or branch that is traced; {_INSTEAD[word]}")
