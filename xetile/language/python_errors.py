"""What Python itself refuses in a kernel (a name that is not defined, an attribute that is not there), in one line.

An exception that a kernel raises in so many words stays what it is, as does one from inside of a module that it calls.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dis import opmap
from types import TracebackType

from xetile.errors import XetileError
from xetile.language.positions import is_ours, place_at
from xetile.language.values import Value

_REFUSED = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""What Python's interpreter raises where operators, names, attributes and places do not fit."""

_RAISE = opmap["RAISE_VARARGS"]


@contextmanager
def in_one_line() -> Generator[None]:
    """What Python's interpreter refuses inside of a function of a user's comes out as XetileError, at its line."""
    try:
        yield
    except XetileError:
        raise
    except _REFUSED as error:
        last = _last(error.__traceback__)
        if last is None or is_ours(last.tb_frame) or _is_raise(last):
            raise
        place = place_at(last.tb_frame.f_code, last.tb_lasti)
        raise XetileError(_said(error), place) from error


def _last(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _is_raise(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == _RAISE


def _said(error: Exception) -> str:
    if isinstance(error, AttributeError) and isinstance(error.obj, Value):
        from xetile.advice import hint

        known = [name for name in dir(type(error.obj)) if not name.startswith("_")]
        return f"{error.obj.describe()} has no '.{error.name}'{hint(error.name or '', known)}"
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, TypeError) and "'Array'" in text:
        text += "; an array lies in memory, load a tile of it: A[m:m + BM, n:n + BN]"
    if isinstance(error, TypeError) and text.endswith("argument: 'axis'"):
        text += ", 0 (down the columns) or 1 (along the rows); .sum(1).sum(0) for example is of all"
    return text
