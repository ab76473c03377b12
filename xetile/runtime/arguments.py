"""The arguments that a kernel's contract asks for, made from the caller's: one array or number per kernel argument.

The contract's arguments come in groups: a pointer and the offset, sizes and strides that belong to it, or a value.

Arrays that overlap on the host share an allocation, at the same distance from each other. A copied array starts at a
multiple of `ALIGNMENT` bytes, even a view that does not on the host; of arrays that overlap, the first.

A memref of host code comes with all of the memory that it is a view of, because execution on numpy lets a kernel
reach all of it. An array that is given alone has nothing before it. If a memref's static offset says otherwise, memory
is added there, so that a kernel harms nothing, but all of its bits are set, and stores to it raise.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from xetile.codegen.contract import Plain
from xetile.errors import XetileError
from xetile.runtime.buffers import Buffer
from xetile.runtime.driver import ALIGNMENT, Argument, Driver, Memory, Pointer, Scalar

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from xetile.interpreter.machine.runtime_values import HostView, Passed, Value

Array = NDArray[numpy.generic]
Given = Array | int | float

Entry = Mapping[str, Plain]
"""An argument as the contract describes it."""


_NOBODYS = 0xFF
"""The bytes before an array: as floats they are NaN."""


class _Array(NamedTuple):
    """Memory of one of the kernel's arguments: element zero is at byte `start` of the array.

    `lead` is the number of bytes before the array from which the memref's offset is counted.
    """

    number: int
    data: Array
    start: int
    lead: int


class _Located(NamedTuple):
    """An array, and the offsets in an allocation of the array and of the argument's element zero."""

    number: int
    data: Array
    offset: int
    element_zero: int


class Allocation(NamedTuple):
    """Memory of a device, its content before the launch, and the arrays in it."""

    memory: Memory
    before: bytes
    arrays: list[_Located]


class Placed(NamedTuple):
    """The arguments of a launch, and the memory that they are in."""

    arguments: list[Argument]
    allocations: list[Allocation]


def groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries of each of the kernel's own arguments."""
    found: list[list[Entry]] = []
    for entry in entries:
        if entry["kind"] in ("pointer", "value"):
            found.append([entry])
        else:
            found[-1].append(entry)
    return found


def source_types(entries: Sequence[Entry]) -> "list[Attribute]":
    """Return the types of the kernel's own arguments, which the contract has as text."""
    from xdsl.parser import Parser

    from xetile.dialects.modules import context

    known = context()
    return [
        Parser(known, str(group[0]["source"])).parse_attribute() for group in groups(entries)
    ]


def check(types: "Sequence[Attribute]", given: "Sequence[Given]") -> "list[Value]":
    """Return the values that numpy would execute on; raise if arguments do not fit the kernel's own.

    Pointers, which numpy does not have, are treated as addresses in integers.
    """
    from xdsl.dialects.builtin import i64
    from xdsl.dialects.llvm import LLVMPointerType
    from xdsl.ir import Block

    from xetile.interpreter.machine.launch_arguments import place_all
    from xetile.interpreter.machine.memory import Memory as HostMemory

    if len(types) != len(given):
        listed = ", ".join(map(str, types))
        raise XetileError(
            f"the kernel takes {len(types)} arguments ({listed}), {len(given)} are given"
        )
    known = [i64 if isinstance(type, LLVMPointerType) else type for type in types]
    return place_all(HostMemory(), Block(arg_types=known).args, given)


def place(
    device: Driver,
    entries: Sequence[Entry],
    given: "Sequence[Given | Passed | Buffer]",
    *,
    types: "Sequence[Attribute] | None" = None,
) -> Placed:
    """Copy arrays, and the memory of memrefs of host code, to a device and make the arguments of a launch.

    Buffers are there already. `types` are the `source_types` of the entries, if the caller has them.
    Raise XetileError for arguments that do not fit the kernel's; then nothing is left on the device.
    """
    views = [_as_view(value) for value in given]
    elements = [_elements(value) for value in given]
    values = check(types or source_types(entries), cast("Sequence[Given]", elements))
    wanted = groups(entries)
    arrays: list[_Array] = []
    pointers: dict[int, Pointer] = {}
    for number, (group, value) in enumerate(zip(wanted, elements, strict=True)):
        _check_kind(group[0], cast(Given, value), number)
        buffer = given[number]
        if isinstance(buffer, Buffer):
            _check_start(group[0], number)
            pointers[number] = Pointer(buffer.held(), 0)
        elif group[0]["kind"] == "pointer":
            arrays.append(_memory_of(number, group[0], cast(Array, value), views[number]))
    placed = Placed([], [])
    try:
        for cluster in _clusters(arrays):
            placed.allocations.append(_allocate(device, cluster))
    except BaseException:
        free(device, placed)
        raise
    for memory, _, located_there in placed.allocations:
        for located in located_there:
            pointers[located.number] = Pointer(memory, located.element_zero)
    for number, (group, value) in enumerate(zip(wanted, elements, strict=True)):
        if number in pointers:
            view = views[number]
            offset = 0 if view is None else view.offset
            placed.arguments.append(pointers[number])
            placed.arguments.extend(_extents(group, cast(Array, value), offset))
        else:
            placed.arguments.append(_encoded(group[0], cast(Array, values[number])))
    return placed


def restore(device: Driver, placed: Placed) -> None:
    """Write back to the device's memory its content before the launch."""
    for allocation in placed.allocations:
        device.write(allocation.memory, allocation.before)


def read_back(device: Driver, placed: Placed) -> None:
    """Copy the content of the device's memory after a launch to the arrays.

    Raise XetileError if it changed a read-only array, or memory before an array; then no array changes.
    """
    left = [
        (numpy.frombuffer(device.read(allocation.memory), numpy.uint8), allocation)
        for allocation in placed.allocations
    ]
    for raw, allocation in left:
        _refuse_stores(raw, allocation)
    for raw, allocation in left:
        for located in allocation.arrays:
            if located.data.flags.writeable:
                located.data[...] = _view(raw, located)


def _refuse_stores(raw: NDArray[numpy.uint8], allocation: Allocation) -> None:
    """Raise for changes before arrays, and in read-only ones, unless they are views of writable arrays."""
    first = min(allocation.arrays, key=lambda located: located.offset)
    changed = numpy.flatnonzero(raw[: first.offset] != _NOBODYS)
    if changed.size:
        raise XetileError(
            f"the kernel stores in front of argument {first.number}, "
            f"{first.offset - int(changed[0])} bytes before its first element"
        )
    expected = numpy.frombuffer(bytearray(allocation.before), numpy.uint8)
    for located in allocation.arrays:
        if located.data.flags.writeable:
            _view(expected, located)[...] = _view(raw, located)
    for located in allocation.arrays:
        if located.data.flags.writeable:
            continue
        if _view(expected, located).tobytes() != _view(raw, located).tobytes():
            raise XetileError(
                f"the kernel stores to argument {located.number}, an array that is read-only"
            )


def free(device: Driver, placed: Placed) -> None:
    """Free the memory of a launch's arguments."""
    for allocation in placed.allocations:
        device.free(allocation.memory)


def scalar(entry: Entry, value: float) -> Scalar:
    """Return a number as the argument of an entry.

    Raise XetileError if the kernel takes an address, or its type cannot represent the number.
    """
    if entry["kind"] == "pointer":
        raise XetileError(
            f"argument {entry['name']} is an address, a device takes arrays in its place"
        )
    (held,) = check(source_types([entry]), [value])
    return _encoded(entry, cast(Array, held))


def _encoded(entry: Entry, held: Array) -> Scalar:
    """Return a number as numpy executes on it; types that a device lacks become integers of their bits."""
    type = str(entry["type"])
    if not type.startswith("i"):
        return Scalar(type, float(held[0]))
    if held.dtype.kind not in "iub":
        held = held.view(f"u{held.itemsize}")
    return Scalar(type, int(held[0]))


def _check_kind(entry: Entry, value: Given, number: int) -> None:
    """Raise for a number as an address, and the other way round; numpy would accept both."""
    is_array = isinstance(value, numpy.ndarray)
    if entry["kind"] == "pointer" and not is_array:
        raise XetileError(
            f"argument {number} is an address; a device takes an array in its place, not {value}"
        )
    if entry["kind"] == "value" and is_array and value.ndim > 0:
        raise XetileError(
            f"argument {number} is {entry['source']} and not only an address to the kernel; "
            "a device takes a number there, not an array"
        )


def _check_start(entry: Entry, number: int) -> None:
    """Raise for a buffer if a kernel may access memory before its first element."""
    if offset := entry.get("offset"):
        raise XetileError(
            f"argument {number} is {entry['source']}, whose first element is number {offset}; "
            "nothing lies in front of a buffer, give an array"
        )


def _elements(given: "Given | Passed | Buffer") -> "Given | Passed":
    view = _as_view(given)
    if view is not None:
        return cast("Given", view.elements)
    return given.stand_in() if isinstance(given, Buffer) else given


def _as_view(given: "Given | Passed | Buffer") -> "HostView | None":
    from xetile.interpreter.machine.runtime_values import HostView

    return given if isinstance(given, HostView) else None


def _memory_of(number: int, entry: Entry, elements: Array, view: "HostView | None") -> _Array:
    """Return the part of an argument's memory that is copied to the device."""
    if view is None:
        lead = cast("int", entry.get("offset") or 0) * elements.itemsize
        return _Array(number, elements, 0, lead)
    start = view.base + view.offset * elements.itemsize
    return _Array(number, view.memory, start, max(0, -view.base))


def _extents(group: Sequence[Entry], array: Array, offset: int) -> list[Argument]:
    """Return the offset, sizes and strides that follow a memref's pointer, in elements."""
    if len(group) == 1:
        return []
    from xetile.interpreter.machine.elements import element_in
    from xetile.interpreter.machine.launch_arguments import (
        extents_in_elements,
        strides_in_elements,
    )

    of = element_in(source_types(group)[0])
    steps, sizes = strides_in_elements(array, of), extents_in_elements(array.shape, of)
    made: list[Argument] = []
    for entry in group[1:]:
        values = {"offset": (offset,), "size": sizes, "stride": steps}[str(entry["kind"])]
        dimension = cast("int", entry.get("dimension", 0))
        made.append(Scalar(str(entry["type"]), values[dimension]))
    return made


def _clusters(arrays: Sequence[_Array]) -> list[list[_Array]]:
    """Return groups of arrays whose bytes overlap, the lowest first; an array without elements is alone."""
    found = [[array] for array in arrays if not array.data.size]
    filled = [array for array in arrays if array.data.size]
    end = None
    for array in sorted(filled, key=lambda array: byte_bounds(array.data)[0]):
        low, high = byte_bounds(array.data)
        if end is not None and low < end:
            found[-1].append(array)
        else:
            found.append([array])
        end = high if end is None else max(end, high)
    return found


def _allocate(device: Driver, cluster: Sequence[_Array]) -> Allocation:
    low = byte_bounds(cluster[0].data)[0]
    lead = max(array.lead + low - byte_bounds(array.data)[0] for array in cluster)
    above = max(lead, 0)
    above += (cluster[0].lead - above) % ALIGNMENT
    arrays: list[_Located] = []
    for number, data, start, _ in cluster:
        offset = byte_bounds(data)[0] - low + above
        arrays.append(_Located(number, data, offset, offset + start))
    ends = (byte_bounds(array.data)[1] for array in cluster if array.data.size)
    size = above + max(ends, default=low) - low
    memory = device.allocate(size)
    try:
        raw = numpy.zeros(size, numpy.uint8)
        raw[:above] = _NOBODYS
        for located in arrays:
            _view(raw, located)[...] = located.data
        before = raw.tobytes()
        device.write(memory, before)
    except BaseException:
        device.free(memory)
        raise
    return Allocation(memory, before, arrays)


def _view(raw: NDArray[numpy.uint8], located: _Located) -> Array:
    """Return the elements of an array in the bytes of its allocation."""
    _, data, offset, _ = located
    if data.size == 0:
        return numpy.empty(data.shape, data.dtype)
    return numpy.ndarray(data.shape, data.dtype, raw, offset, data.strides)
