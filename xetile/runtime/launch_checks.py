"""Checks of a launch's arguments against the preconditions of bases, widths, pitches and columns in its contract."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, cast

from xetile.errors import XetileError
from xetile.runtime.arguments import Entry
from xetile.runtime.driver import Argument, Driver, Scalar

if TYPE_CHECKING:
    from xetile.codegen.contract import Plain

_IN_WORDS = {
    "base": "a base",
    "width": "rows of {} bytes",
    "pitch": "a pitch of {} bytes",
    "pitch over width": "a pitch of {} bytes more than its rows",
    "column": "a column offset of {} bytes",
    "step between bases": "a step of {} bytes from one to the next",
}


def check_preconditions(entries: Sequence[Entry], arguments: Sequence[Argument]) -> None:
    """Raise if 2D block messages do not accept the arguments of a launch, with the values found.

    Addresses are counted from the start of their allocations, which are aligned.
    """
    values = [
        given.value if isinstance(given, Scalar) else given.offset for given in arguments
    ]
    for number, entry in enumerate(entries):
        for stated in _stated(entry):
            found = sum(_terms(stated, values))
            if (problem := _problem(stated, found)) is not None:
                raise XetileError(
                    f"argument {number} ({entry['name']}): the matrix has {problem}; "
                    "a kernel that is compiled with assume = check or gather takes it"
                )


def depends_on_values(entries: Sequence[Entry]) -> bool:
    """Return True if a number that is passed affects a precondition, not only extents of arrays."""
    return any(
        entries[number]["kind"] == "value"
        for entry in entries
        for stated in _stated(entry)
        for term in cast("list[dict[str, Plain]]", stated["bytes"] or [])
        for number in cast("list[int]", term["arguments"])
    )


def check_shared_memory(device: Driver, kernel: "dict[str, Plain]") -> None:
    """Raise if a kernel needs more shared memory than the device gives a workgroup."""
    needed, there = kernel.get("shared_memory"), device.information.shared_bytes
    if isinstance(needed, int) and there is not None and needed > there:
        raise XetileError(
            f"the kernel takes {needed} bytes of shared memory; {device.information.name} gives a workgroup {there}"
        )


def _stated(entry: Entry) -> "list[dict[str, Plain]]":
    surface = cast("dict[str, Plain]", entry.get("surface") or {})
    return cast("list[dict[str, Plain]]", surface.get("preconditions") or [])


def _terms(stated: "dict[str, Plain]", values: Sequence[float]) -> Iterator[int]:
    for term in cast("list[dict[str, Plain]]", stated["bytes"] or []):
        numbers = cast("list[int]", term["arguments"])
        yield cast(int, term["factor"]) * prod(int(values[number]) for number in numbers)


def _problem(stated: "dict[str, Plain]", found: int) -> str | None:
    what, multiple = str(stated["of"]), cast(int, stated["multiple"])
    least, most = (cast("int | None", stated[key]) for key in ("least", "most"))
    if found % multiple and least is None and what == "base":
        return (
            f"a base {found % multiple} bytes above a multiple of {multiple}; "
            f"2D block access needs a multiple of {multiple}"
        )
    below, above = least is not None and found < least, most is not None and found > most
    if not (found % multiple or below or above):
        return None
    limits = [] if least is None else [f"at least {least}"]
    limits += [f"at most {most}"] if above else []
    limits += [f"a multiple of {multiple}"] if multiple > 1 else []
    return f"{_IN_WORDS[what].format(found)}; 2D block access needs {' and '.join(limits)}"
