"""What a kernel's contract asks for, made of what a caller gives: one array or number per argument of the kernel.

The contract's arguments come in groups: a pointer and the offset, sizes and strides that belong to it, or a value.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy
from numpy.typing import NDArray

from xetile.codegen.contract import Plain
from xetile.errors import XetileError
from xetile.runtime.device import Argument, Device, Memory, Pointer, Scalar

Array = NDArray[numpy.generic]
Given = Array | int | float

Entry = Mapping[str, Plain]
"""An argument as the contract describes it."""


class Placed(NamedTuple):
    """The arguments of a launch, and which arrays to read back from which memory."""

    arguments: list[Argument]
    arrays: list[tuple[Array, Memory, int]]
    """An array, its allocation, and how many bytes of it come before the array's first element."""


def groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The entries of each of the kernel's own arguments."""
    found: list[list[Entry]] = []
    for entry in entries:
        if entry["kind"] in ("pointer", "value"):
            found.append([entry])
        else:
            found[-1].append(entry)
    return found


def place(device: Device, entries: Sequence[Entry], given: Sequence[Given]) -> Placed:
    """Copy arrays to a device and make the arguments of a launch.

    Arrays that are the same memory share an allocation, as they do on the host.
    Errors: XetileError for a number of arguments that the kernel does not take, arrays that overlap otherwise.
    """
    wanted = groups(entries)
    if len(wanted) != len(given):
        sources = ", ".join(str(group[0]["source"]) for group in wanted)
        raise XetileError(
            f"the kernel takes {len(wanted)} arguments ({sources}), {len(given)} are given"
        )
    placed = Placed([], [])
    for number, (group, value) in enumerate(zip(wanted, given, strict=True)):
        if isinstance(value, numpy.ndarray) and value.ndim > 0:
            placed.arguments.extend(_array(device, placed, group, value, number))
        else:
            number_given = value if isinstance(value, int | float) else value.item()
            placed.arguments.append(
                Scalar(str(group[0]["type"]), cast("int | float", number_given))
            )
    return placed


def read_back(device: Device, placed: Placed) -> None:
    """Copy what a launch left in the device's memory to the arrays, and give the memory back."""
    for array, memory, before in placed.arrays:
        data = numpy.frombuffer(device.read(memory), numpy.uint8)
        found = numpy.lib.stride_tricks.as_strided(
            data[before : before + array.itemsize].view(array.dtype)
            if array.size
            else numpy.empty(0, array.dtype),
            array.shape,
            array.strides,
        )
        array[...] = found
    for memory in {memory for _, memory, _ in placed.arrays}:
        device.free(memory)


def _array(
    device: Device, placed: Placed, group: list[Entry], array: Array, number: int
) -> list[Argument]:
    before = cast("int", group[0].get("offset") or 0) * array.itemsize
    memory = _shared(placed, array, before, number)
    if memory is None:
        span = _span(array)
        memory = device.allocate(before + span)
        raw = numpy.zeros(before + span, numpy.uint8)
        if array.size:
            numpy.lib.stride_tricks.as_strided(
                raw[before:][: array.itemsize].view(array.dtype), array.shape, array.strides
            )[...] = array
        device.write(memory, raw.tobytes())
    placed.arrays.append((array, memory, before))
    steps = [stride // array.itemsize for stride in array.strides]
    made: list[Argument] = [Pointer(memory, 0)]
    for entry in group[1:]:
        dimension = cast("int", entry.get("dimension", 0))
        sizes = {"offset": 0, "size": array.shape[dimension], "stride": steps[dimension]}
        made.append(Scalar(str(entry["type"]), sizes[str(entry["kind"])]))
    return made


def _shared(placed: Placed, array: Array, before: int, number: int) -> Memory | None:
    """The allocation of an array that is the same memory as an earlier one."""
    for other, memory, other_before in placed.arrays:
        if not numpy.may_share_memory(array, other):
            continue
        same = array.ctypes.data == other.ctypes.data and _span(array) == _span(other)
        if same and before == other_before:
            return memory
        raise XetileError(
            f"argument {number} overlaps an earlier one; on a device they are the same memory or do not meet"
        )
    return None


def _span(array: Array) -> int:
    """Bytes from an array's first element to behind its last."""
    if array.size == 0:
        return 0
    ends = ((n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True))
    return sum(ends) + array.itemsize
