"""The format of gpu.printf: C's, where a value's type says how wide it is, and a length modifier nothing."""

import re

from xdsl.dialects.builtin import AnyFloat, StringAttr
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.hints import isa

CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>(?:\.\d*)?)(?:hh|h|ll|l|z|t|j)?(?P<kind>[a-zA-Z%])"
)
"""A conversion, or `%%`."""

SIGNED, UNSIGNED, FLOATS = "di", "uoxX", "aAeEfFgG"
"""Conversions of integers as signed numbers, as unsigned ones, and of floats."""


def format_of(op: Operation) -> str:
    """The text of an op's format."""
    format = op.properties["format"]
    assert isinstance(format, StringAttr)
    return format.data


def kinds_of(op: Operation) -> list[str]:
    """The letter of each value's conversion.

    Errors: XetileError where conversions and values do not fit, in number or in type.
    """
    format = format_of(op)
    found = list(CONVERSION.finditer(format))
    kinds = [one["kind"] for one in found if one["kind"] != "%"]
    if len(kinds) != len(op.operands):
        fail(op, f"the format has {len(kinds)} conversions for {len(op.operands)} values")
    if format.count("%") != sum(one[0].count("%") for one in found):
        fail(op, f"the format '{format}' has a % that begins no conversion")
    for kind, value in zip(kinds, op.operands, strict=True):
        legal = FLOATS if isa(value.type, AnyFloat) else f"{SIGNED}{UNSIGNED}pc"
        if kind not in legal:
            fail(op, f"the format has '%{kind}' for a value of type {value.type}")
    return kinds
