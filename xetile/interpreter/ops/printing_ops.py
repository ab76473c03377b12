"""Printing ops: each thread prints once, in the order of threads."""

import re
from typing import cast

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from xetile.dialects.upstream.gpu.collectives import (
    CONVERSION,
    SIGNED,
    format_of,
    kinds_of,
)
from xetile.dialects.upstream.vector import Punctuation, PunctuationAttr
from xetile.interpreter.machine.elements import Element, signed, unsigned
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import attribute, element
from xetile.interpreter.machine.runtime_values import Array, Values


def _printf(frame: Frame, op: Operation) -> Values:
    columns = _columns(frame, op)
    text = CONVERSION.sub(_conversion, format_of(op))
    for thread in range(frame.count):
        frame.machine.output(text % tuple(column[thread] for column in columns))
    return []


def _conversion(found: re.Match[str]) -> str:
    kind = {"u": "d", "i": "d", "a": "g", "A": "G", "p": "#x"}.get(
        found["kind"], found["kind"]
    )
    return f"%{found['flags']}{found['width']}{found['precision']}{kind}"


def _columns(frame: Frame, op: Operation) -> list[list[object]]:
    columns: list[list[object]] = []
    for kind, value in zip(kinds_of(op), op.operands, strict=True):
        of, found = element(value), frame.array(value)
        reading = signed if kind in SIGNED else unsigned
        numbers = found.astype(np.float64) if of.is_float else reading(found, of)
        columns.append(np.broadcast_to(numbers, frame.count).tolist())
    return columns


def _print_vector(frame: Frame, op: Operation) -> Values:
    text = attribute(op, "stringLiteral")
    if isinstance(text, StringAttr):  # no punctuation follows a text
        frame.machine.output(text.data * frame.count)
        return []
    found = attribute(op, "punctuation")
    punctuation = found.data if isinstance(found, PunctuationAttr) else Punctuation.NEWLINE
    ending, texts = _ENDINGS[punctuation], [""] * frame.count
    for value in op.operands:
        of, held = element(value), frame.array(value)
        held = held.astype(np.float64) if of.is_float else _whole(held, of)
        vectors = np.broadcast_to(held, (frame.count, *held.shape[1:]))
        texts = [_listed(cast(Array, vector)) for vector in vectors]
    for shown in texts:
        frame.machine.output(f"{shown}{ending}")
    return []


_ENDINGS = {
    Punctuation.NO_PUNCTUATION: "",
    Punctuation.NEWLINE: "\n",
    Punctuation.COMMA: ", ",
    Punctuation.OPEN: "( ",
    Punctuation.CLOSE: " )",
}


def _whole(values: Array, of: Element) -> Array:
    return (unsigned if of.unsigned or of.bits == 1 else signed)(values, of)


def _listed(values: Array) -> str:
    """Format elements as MLIR's runner does: ( 1, 2 )."""
    if values.ndim == 0:
        return f"{values.item():g}" if values.dtype == np.float64 else str(values.item())
    return f"( {', '.join(_listed(part) for part in values)} )"


HANDLERS: Handlers = {
    "gpu.printf": _printf,
    "vector.print": _print_vector,
}
