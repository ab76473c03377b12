"""Layouts and conversions of a function as readable text."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from xetile.analysis.module_kernels import symbol_name
from xetile.dialects.xegpu import LoadNdOp
from xetile.errors import position
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.message_layouts import BlockConfiguration
from xetile.planning.xe.register_layouts import RegisterLayouts
from xetile.planning.xe.register_layouts.access_layouts import LaneAccess
from xetile.planning.xe.register_layouts.conversion_prices import Conversion

_Entry: TypeAlias = tuple[str, ...]


def describe(function: Operation, layouts: RegisterLayouts) -> str:
    """Describe each vector in a line, and each conversion with place, kind and reason. Equal lines are merged.

    @k: 3 vectors have layouts, 1 conversion of 44 instructions
      line 8: %y vector<16x16xf16>: registers (1, 0) (2, 0) (4, 0) (8, 0), lanes (0, 1) (0, 2) (0, 4) (0, 8)
    """
    return "\n".join(_lines(function, layouts))


def _lines(function: Operation, layouts: RegisterLayouts) -> Iterator[str]:
    vectors, conversions = [*layouts.vectors], layouts.conversions
    total = _number(sum(conversion.price for conversion in conversions))
    yield (
        f"@{symbol_name(function)}: {_counted(len(vectors), 'vector')} in registers, "
        f"{_counted(len(conversions), 'conversion')} of {total} instructions"
    )
    yield from _grouped(_vector(layouts, value) for value in vectors)
    yield from _grouped(_access(*access) for access in layouts.accesses)
    yield from _grouped(_conversion(conversion) for conversion in conversions)


def _grouped(entries: Iterable[_Entry]) -> Iterator[str]:
    """Yield lines of entries, each a place and its text; equal entries are counted at the first of them."""
    for (place, first, *more), count in Counter(entries).items():
        yield f"  {place}{f'{count} x ' if count > 1 else ''}{first}"
        yield from more


def _vector(layouts: RegisterLayouts, value: SSAValue) -> _Entry:
    owner = value.owner
    message = _message(layouts, owner) if isinstance(owner, LoadNdOp) else ""
    what = f"{_name(value)}{value.type}: {_layout(layouts.of(value))}{message}"
    return (_place(value), what)


def _access(access: LaneAccess, layout: LinearLayout) -> _Entry:
    """Describe a scattered access: its messages by form, and their bank conflicts in shared memory."""
    known = access.access
    counts = Counter(
        (message.form, message.words(known.bits), message.word_bits)
        for message in access.plan(layout).messages
    )
    messages = " and ".join(
        f"{_counted(count, 'block' if form == 'block' else 'message')} of "
        f"{_counted(words, 'word')} of {bits} bits for each lane"
        for (form, words, bits), count in counts.items()
    )
    conflicts = sum(message.conflicts for message in access.plan(layout).messages)
    met = f", {_counted(conflicts, 'bank conflict')}" if known.is_shared else ""
    return (_place(access.op), f"'{access.op.name}' of {access.value.type}: {messages}{met}")


def _conversion(conversion: Conversion) -> _Entry:
    op, value = conversion.op, conversion.value
    loops = _counted(conversion.depth, "loop")
    where = f"in {loops}" + (", before those of the use" if conversion.is_ahead else "")
    what = (
        f"'{op.name}' takes {_name(value)}{value.type} otherwise: "
        f"{_number(conversion.price)} instructions by {_kind(conversion)}, {where}; {conversion.reason}"
    )
    if conversion.source.layout == conversion.target.layout:
        return (_place(op), what)
    return (
        _place(op),
        what,
        f"    from {_layout(conversion.source.layout)}",
        f"    to   {_layout(conversion.target.layout)}",
    )


def _kind(conversion: Conversion) -> str:
    if conversion.kind != "none":
        met = conversion.conflicts
        return (
            f"{conversion.kind} with {_counted(met, 'bank conflict')}"
            if met
            else conversion.kind
        )
    return f"words of {conversion.target.word} in place of {conversion.source.word} elements"


def _message(layouts: RegisterLayouts, op: LoadNdOp) -> str:
    message, join = layouts.message(op), layouts.joined(op)
    if join is not None:
        return f"; part of a message of {_shape(join.message)} with {len(join.loads) - 1} more"
    return "" if message is None else f"; a message of {_shape(message)}"


def _shape(message: BlockConfiguration) -> str:
    blocks = f"x{message.blocks}" if message.blocks > 1 else ""
    form = " packed" if message.packed else " transposed" if message.transposed else ""
    return f"{message.rows}x{message.columns}{blocks}{form}"


def _layout(layout: LinearLayout) -> str:
    """Describe the element to which each bit of a register's and of a lane's number leads: (row, column) and so on."""
    parts: list[str] = []
    for name, bases in layout.bases.items():
        shown = " ".join(f"({', '.join(map(str, basis))})" for basis in bases) or "one"
        parts.append(f"{name}s {shown}")
    return ", ".join(parts)


def _place(at: Operation | SSAValue) -> str:
    place = position(at)
    return "" if place is None else f"line {place.line.data}: "


def _name(value: SSAValue) -> str:
    return "" if value.name_hint is None else f"%{value.name_hint} "


def _number(price: float) -> str:
    return f"{price:g}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
