"""What a kernel prints, and what it holds to be true: `xt.print("k =", k)`, `xt.check(i < N, "rows lie inside")`."""

from xetile.language.arithmetic import Single
from xetile.language.builder import current
from xetile.language.conversions import converted
from xetile.language.held import Held
from xetile.language.literals import number_of
from xetile.language.refusals import refuse
from xetile.language.tiles import Tile
from xetile.language.types import f32, f64, i32, i64
from xetile.language.values import Value, describe


def print(*values: Single | str | float) -> None:
    """One line of text, numbers and values of the kernel, from each workgroup that comes here."""
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
    """The number in a type that printing takes."""
    element = held.element
    if element.kind == "float":
        return held if element == f64 else converted(held, f32)
    wide = element.kind == "index" or element == i64
    return converted(held, i64 if wide else i32)


def check(condition: "Tile | Single | bool", message: str) -> None:
    """What has to hold here, for every element; execution on numpy reports the first where it does not.

    It is no part of what is compiled for a device.
    Errors: XetileError, with the message, for what is False before the kernel runs.
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
    """What has to hold before the kernel runs, of constants and known extents.

    Errors: XetileError, with the message, where it does not.
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
