"""What `if` and `while` are asked: Python's truth of a value, or a condition of the kernel's."""

from xdsl.ir import SSAValue

from xetile.language.builder import building
from xetile.language.refusals import refuse
from xetile.language.tiles import Tile
from xetile.language.types import i1
from xetile.language.unavailable import is_unavailable
from xetile.language.values import Value


def is_tracing() -> bool:
    """Whether a kernel is being traced here."""
    builder = building()
    return builder is not None and not builder.eager


def is_traced(test: object) -> bool:
    """Whether a test is known when the kernel runs."""
    return isinstance(test, Value) and not is_unavailable(test) and is_tracing()


def condition(test: object, word: str) -> SSAValue:
    """A condition in IR.

    Errors: XetileError for values that are no truth values.
    """
    if not isinstance(test, Value):
        refuse(f"the condition of a traced `{word}` became Python's {test!r}")
    if isinstance(test, Tile):
        refuse(
            f"`{word}` takes one truth value, and this is {test.describe()}; "
            "reduce it, or choose elements with xt.where"
        )
    if test.element != i1:
        refuse(f"`{word}` takes a condition, and this is {test.describe()}; write `!= 0`")
    return test.ssa()
