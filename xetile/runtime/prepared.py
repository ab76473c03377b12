"""A kernel that is built once and called often: a launch costs little more than the driver's part.

The checks of a call's arguments depend only on their types, shapes and strides. So they are done once for
each combination, and remembered as a plan: the numbers passed in addition to pointers, and the places of the pointers.
Numbers are checked at each call.
"""

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy
from numpy.typing import NDArray

from xetile.errors import XetileError
from xetile.runtime.arguments import (
    Entry,
    Placed,
    free,
    groups,
    place,
    read_back,
    scalar,
    source_types,
)
from xetile.runtime.buffers import Buffer
from xetile.runtime.code import Code, extents_of
from xetile.runtime.driver import POINTER, Driver, Extents, Memory, Pointer, Program, Scalar
from xetile.runtime.launch_checks import (
    check_preconditions,
    check_shared_memory,
    depends_on_values,
)

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

    from xetile.codegen.contract import Plain

Argument = Buffer | NDArray[numpy.generic] | numpy.generic | int | float

MOST_PLANS = 256
"""Most combinations of types and shapes that a kernel remembers."""

_LARGEST = {"f16": 65504.0, "f32": 3.4e38, "f64": float("inf")}
"""Up to these numbers, infinities aside, each number is near a float of the type."""


class _Plan(NamedTuple):
    """The arguments of a launch, except addresses and numbers, which are filled in.

    `pointers` and `numbers` are pairs of a place among the emitted kernel's arguments and the number of the call's.
    """

    arguments: list[int | float]
    pointers: list[tuple[int, int]]
    numbers: list[tuple[int, int]]
    checked: set[tuple[int | float, ...]]
    """Arguments of launches that meet the preconditions, if numbers affect these."""


class PreparedKernel:
    """A kernel on a device, made by `device.prepare`; call it with buffers and numbers.

    It lives until it is freed, by `free`, at the end of a `with`, or when there are no references to it.
    Threads may call it at once.
    """

    def __init__(
        self,
        device: Driver,
        code: Code,
        kernel: str | None = None,
        *,
        place: "FileLineColLoc | None" = None,
    ) -> None:
        """See `device.prepare`."""
        self.device = device
        self._place = place
        try:
            contract = code.kernel(kernel)
            self.name = str(contract["name"])
            self.grid = extents_of(contract["grid"])
            self._block = _block(contract)
            check_shared_memory(device, contract)
            self._entries = cast("list[Entry]", contract["arguments"])
            self._groups = groups(self._entries)
            self._types = source_types(self._entries)
            checks = device.information.checks_surfaces
            self._checks_surfaces = checks
            self._checks_numbers = checks and depends_on_values(self._entries)
            self._encoders = [_encoder(group[0]) for group in self._groups]
            self._plans: dict[tuple[object, ...], _Plan] = {}
            self._lock = Lock()
            program = device.build(code.spirv, code.options)
            try:
                self._bound = device.bind(program, self.name, _types(self._entries))
            except BaseException:
                device.forget(program)
                raise
            self._program: Program | None = program
        except XetileError as error:
            raise self._placed(error) from error
        self._finalizer = weakref.finalize(
            self, device.left.append, partial(_give_back, device, program, self._bound)
        )
        self._finalizer.atexit = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    def free(self) -> None:
        """Free the program; a second time does nothing."""
        if self._program is not None and self._finalizer.detach() is not None:
            program, self._program = self._program, None
            _give_back(self.device, program, self._bound)

    def __call__(self, *arguments: Argument, grid: Sequence[int] | None = None) -> None:
        """Launch the kernel on `grid` workgroups (x, y, z), by default those of its contract.

        Buffers stay on the device. An array is copied to the device and back, as `xetile.execute` does. Later requests
        to
        the device happen after the launch: unless the device emulates, the call itself does not wait.
        Raise XetileError for arguments that do not fit the kernel, buffers that are freed or another device's, a grid
        that it cannot be launched on; on a device that emulates, also for errors of its instructions.
        """
        try:
            sizes = self.grid if grid is None else _three(grid)
            if sizes is None or self._program is None:
                raise XetileError(self._cannot_start())
            if self.device.left:
                self.device.tidy()
            signature = self._signature(arguments)
            if signature is None:
                self._launch_with_arrays(arguments, sizes, self._program)
                return
            plan = self._plans.get(signature)
            if plan is None:
                plan = self._plan(signature, cast("Sequence[Buffer | int | float]", arguments))
            made = plan.arguments.copy()
            for at, number in plan.pointers:
                made[at] = cast(Buffer, arguments[number]).held()
            for at, number in plan.numbers:
                made[at] = self._encoders[number](cast(float, arguments[number]))
            if self._checks_numbers:
                self._check(plan, made)
            self.device.start(self._bound, made, grid=sizes, block=self._block)
        except XetileError as error:
            raise self._placed(error) from error

    def _signature(self, arguments: Sequence[Argument]) -> tuple[object, ...] | None:
        """Return the key of a plan, or None if arguments contain arrays or types that only `place` handles."""
        found: list[object] = []
        for argument in arguments:
            kind = type(argument)
            if kind is Buffer:
                if cast(Buffer, argument).device is not self.device:
                    raise XetileError(_foreign(arguments, self.device))
                found.append(cast(Buffer, argument).signature)
            elif kind is float or kind is int:
                found.append(kind)
            else:
                return None
        return tuple(found)

    def _plan(
        self, signature: tuple[object, ...], arguments: "Sequence[Buffer | int | float]"
    ) -> _Plan:
        """Check the arguments, and remember the results that hold for all arguments of their types."""
        placed = place(self.device, self._entries, arguments, types=self._types)
        if self._checks_surfaces:
            check_preconditions(self._entries, placed.arguments)
        pointers: list[tuple[int, int]] = []
        numbers: list[tuple[int, int]] = []
        at = 0
        for number, group in enumerate(self._groups):
            where = pointers if group[0]["kind"] == "pointer" else numbers
            where.append((at, number))
            at += len(group)
        made = [0 if isinstance(it, Pointer) else it.value for it in placed.arguments]
        plan = _Plan(made, pointers, numbers, set())
        with self._lock:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[signature] = plan
        return plan

    def _check(self, plan: _Plan, made: list[int | float]) -> None:
        """Check numbers that affect surfaces against the preconditions."""
        key = tuple(made)
        if key in plan.checked:
            return
        pairs = zip(_types(self._entries), made, strict=True)
        check_preconditions(
            self._entries,
            [
                Pointer(Memory(0), 0) if type == POINTER else Scalar(type, value)
                for type, value in pairs
            ],
        )
        with self._lock:
            if len(plan.checked) >= MOST_PLANS:
                plan.checked.clear()
            plan.checked.add(key)

    def _launch_with_arrays(
        self, arguments: Sequence[Argument], grid: Extents, program: Program
    ) -> None:
        for argument in arguments:
            if isinstance(argument, Buffer) and argument.device is not self.device:
                raise XetileError(_foreign(arguments, self.device))
        given = [
            argument.item() if isinstance(argument, numpy.generic) else argument
            for argument in arguments
        ]
        placed: Placed = place(self.device, self._entries, given, types=self._types)
        try:
            if self._checks_surfaces:
                check_preconditions(self._entries, placed.arguments)
            self.device.launch(
                program, self.name, placed.arguments, grid=grid, block=self._block
            )
            read_back(self.device, placed)
        finally:
            free(self.device, placed)

    def _cannot_start(self) -> str:
        if self._program is None:
            return f"the kernel {self.name} is called after it was freed"
        return "a kernel needs known_grid_size, or grid=, to be launched"

    def _placed(self, error: XetileError) -> XetileError:
        """Return the error with the kernel's place, if it has none."""
        if error.location is not None or self._place is None:
            return error
        return XetileError(error.message, self._place, error.notes)


def _block(kernel: "dict[str, Plain]") -> Extents:
    found = extents_of(kernel["block"])
    if found is None:
        raise XetileError("a kernel needs known_block_size to be launched")
    return found


def _three(grid: Sequence[int]) -> Extents:
    if len(grid) == 3:
        x, y, z = grid
        if type(x) is type(y) is type(z) is int and x > 0 and y > 0 and z > 0:
            return x, y, z
    raise XetileError(f"the grid is {[*grid]}; expected three sizes of at least 1, x first")


def _types(entries: Sequence[Entry]) -> list[str]:
    return [POINTER if entry["kind"] == "pointer" else str(entry["type"]) for entry in entries]


def _foreign(arguments: Sequence[Argument], device: Driver) -> str:
    number, other = next(
        (number, argument.device)
        for number, argument in enumerate(arguments)
        if isinstance(argument, Buffer) and argument.device is not device
    )
    names = [each.information.name for each in (other, device)]
    if names[0] == names[1]:
        return f"argument {number} is a buffer of {names[0]} as it was opened another time"
    return f"argument {number} is a buffer of {names[0]}; the kernel is prepared on {names[1]}"


def _encoder(entry: Entry) -> Callable[[float], int | float]:
    """Return the function that encodes a number: a fast one for common types, else `scalar`, which also raises."""
    type, source = str(entry["type"]), str(entry["source"])

    def otherwise(value: float) -> int | float:
        return scalar(entry, value).value

    if entry["kind"] == "pointer":
        return otherwise
    if type in _LARGEST and source == type:
        return partial(_encode_float, _LARGEST[type], otherwise)
    if type.startswith("i") and source in (type, "index") and type != "i8":
        return partial(_encode_integer, 1 << int(type[1:]) - 1, otherwise)
    return otherwise


def _encode_float(
    most: float, otherwise: Callable[[float], int | float], value: float
) -> int | float:
    return float(value) if -most < value < most else otherwise(value)


def _encode_integer(
    most: int, otherwise: Callable[[float], int | float], value: float
) -> int | float:
    return value if type(value) is int and -most <= value < most else otherwise(value)


def _give_back(device: Driver, program: Program, bound: Any) -> None:
    device.release(bound)
    device.forget(program)
