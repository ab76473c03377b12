"""What may be taken for granted of floats: `with xt.fastmath("afn"): y = xt.tanh(x)`."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, TypeAlias, get_args

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.utils import FastMathFlag

from xetile.advice import hint_or_names
from xetile.language.builder import current
from xetile.language.refusals import refuse

Flag: TypeAlias = Literal["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"]
"""LLVM's: any order; no NaN; no infinity; zeros without a sign; reciprocals in place of quotients; a product and a sum
as one op; approximate functions; all of them."""


@contextmanager
def fastmath(*flags: Flag) -> Generator[None]:
    """Ops on floats that are made meanwhile have these flags, and those that hold around.

    Execution on numpy computes as without them; a device may differ by what they allow (docs/devices.md).
    Errors: XetileError for a word that is no flag.
    """
    builder = current()
    outer = builder.fastmath
    builder.fastmath = flags_of(flags, outer)
    try:
        yield
    finally:
        builder.fastmath = outer


def flags_of(
    words: tuple[str, ...], outer: FastMathFlagsAttr | None = None
) -> FastMathFlagsAttr:
    """The flags of words, and those that hold already; they are printed in one order."""
    found = set(outer.data) if outer is not None else set[FastMathFlag]()
    for word in (words,) if isinstance(words, str) else words:
        if word not in get_args(Flag):
            refuse(
                f"xt.fastmath has no {word!r}{hint_or_names(word, get_args(Flag), 'its flags')}"
            )
        found.update(FastMathFlag if word == "fast" else [FastMathFlag(word)])
    return FastMathFlagsAttr([flag for flag in FastMathFlag if flag in found])
