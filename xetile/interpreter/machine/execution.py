"""Execution of blocks of ops for a batch of threads in lockstep."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import NoReturn, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from xetile.errors import fail
from xetile.interpreter.machine.domain import Domain
from xetile.interpreter.machine.elements import (
    BYTE,
    Element,
    in_bytes,
    packed,
    packed_padding,
    refuse_elements,
    unpacked,
)
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Access, Observer, TileAccess
from xetile.interpreter.machine.runtime_values import (
    Array,
    MemRef,
    ScatteredTile,
    Tile,
    Value,
    Values,
    check_memref,
    take,
)
from xetile.interpreter.machine.thread_batches import Threads

Handler: TypeAlias = "Callable[[Frame, Operation], Values]"
"""Executes one kind of op and returns the values of its results."""

Handlers: TypeAlias = Mapping[str, Handler]
"""The handlers of ops by name."""

_Kept = TypeVar("_Kept")


_TOO_LARGE = ("array is too big", "Maximum allowed dimension exceeded")
"""Starts of numpy's ValueErrors for arrays beyond the address space (measured; a test provokes one of each)."""


@dataclass(eq=False)
class Machine:
    """The state that all threads of a launch share.

    `refuse` raises for an op without a handler; `dynamic_shared` is the size in bytes of a
    workgroup's dynamic shared memory, `dynamic_base` its address in this batch; either may be
    unknown. `called` are the functions whose calls are being executed, `rounds` is the product
    of the rounds of all loops being executed.
    """

    handlers: Handlers
    memory: Memory
    threads: Threads
    _: KW_ONLY
    refuse: Callable[[Operation], NoReturn]
    observer: Observer
    domain: Domain

    def __post_init__(self) -> None:
        self.dynamic_shared: int | None = None
        self.dynamic_base: int | None = None
        self.called: list[Operation] = []
        self.rounds = 1
        self.output: Callable[[str], object] = partial(print, end="")
        self._kept: dict[object, object] = {}

    def keep(self, key: object, make: Callable[[], _Kept]) -> _Kept:
        """Return the result of the first call of `make` for this key."""
        if key not in self._kept:
            self._kept[key] = make()
        return cast(_Kept, self._kept[key])


class Frame:
    """The values of the active threads.

    `active` are their numbers in the batch, ascending. A frame inside of divergent control
    flow looks up missing values in the enclosing one.
    """

    def __init__(
        self,
        machine: Machine,
        active: Array,
        outer: "tuple[Frame, Array] | None" = None,
    ) -> None:
        self.machine = machine
        self.active = active
        self._outer = outer
        self._values: MutableMapping[SSAValue, Value] = {}

    @property
    def count(self) -> int:
        return len(self.active)

    @property
    def memory(self) -> Memory:
        return self.machine.memory

    @property
    def domain(self) -> Domain:
        return self.machine.domain

    @property
    def threads(self) -> Threads:
        return self.machine.threads

    def of(self, index: Array) -> "Frame":
        """Return a frame for some of the active threads, by position."""
        return Frame(self.machine, self.active[index], (self, index))

    def find(self, value: SSAValue) -> Value | None:
        """Return the value of the active threads if this frame itself has one, else None."""
        return self._values.get(value)

    def get(self, value: SSAValue) -> Value:
        found = self._values.get(value)
        if found is not None:
            return found
        assert self._outer is not None, "used before it is executed"
        frame, index = self._outer
        found = take(frame.get(value), index)
        self._values[value] = found
        return found

    def array(self, value: SSAValue) -> Array:
        """Return a scalar or vector: [threads or 1, *shape]."""
        found = self.get(value)
        return (
            found if isinstance(found, np.ndarray) else _unexpected(value, "scalar or vector")
        )

    def first(self, op: Operation) -> Array:
        return self.array(op.operands[0])

    def arrays(self, values: Sequence[SSAValue]) -> list[Array]:
        return [self.array(value) for value in values]

    def memref(self, value: SSAValue) -> MemRef:
        found = self.get(value)
        return found if isinstance(found, MemRef) else _unexpected(value, "memref")

    def tile(self, value: SSAValue) -> Tile:
        found = self.get(value)
        return (
            found
            if isinstance(found, Tile)
            else _unexpected(value, "tile of consecutive rows")
        )

    def scattered_tile(self, value: SSAValue) -> ScatteredTile:
        found = self.get(value)
        return (
            found if isinstance(found, ScatteredTile) else _unexpected(value, "scattered tile")
        )

    def read(
        self,
        at: Operation,
        addresses: Array,
        of: Element,
        where: Array | None = None,
        otherwise: ArrayLike = 0,
    ) -> Array:
        """Read elements at addresses [threads or 1, *shape]; return `otherwise` where not `where`."""
        if of.per_byte > 1:
            refuse_elements(at, of)
        if where is None:
            self.machine.observer.read(Access(at, self.active, addresses, of))
            return self.memory.read(at, addresses, of)
        addresses, where, otherwise = np.broadcast_arrays(addresses, where, otherwise)
        self.machine.observer.read(Access(at, self.active, addresses, of, where))
        found = self.memory.read(at, addresses[where], of)
        return self.memory.storage.filled(found, where, otherwise, of)

    def write(
        self,
        at: Operation,
        addresses: Array,
        of: Element,
        values: Array,
        where: Array | None = None,
    ) -> None:
        """Store chosen elements at addresses [threads or 1, *shape], threads ascending."""
        if of.per_byte > 1:
            refuse_elements(at, of)
        chosen = () if where is None else (where,)
        addresses, values, *chosen = np.broadcast_arrays(addresses, values, *chosen)
        where = chosen[0] if chosen else None
        self.machine.observer.write(Access(at, self.active, addresses, of, where), values)
        if where is not None:
            addresses, values = addresses[where], values[where]
        self.memory.write(at, addresses, of, values)

    def read_tile(
        self,
        at: Operation,
        tile: Tile,
        shape: tuple[int, int],
        of: Element,
        padding: ArrayLike = 0,
        *,
        threads: Array | None = None,
    ) -> Array:
        """Read a tile's elements, [threads or 1, rows, columns]; `padding` outside of the surface.

        `threads` read, by default all.
        """
        if of.per_byte > 1:
            half, shape = in_bytes(at, tile, of), (shape[0], shape[1] // of.per_byte)
            filler = packed_padding(padding)
            bytes = self.read_tile(at, half, shape, BYTE, filler, threads=threads)
            return unpacked(bytes, of)
        who = self.active if threads is None else threads
        self.machine.observer.read_tile(TileAccess(at, who, tile, shape, of))
        return self.memory.read_tile(at, tile, shape, of, padding)

    def write_tile(
        self,
        at: Operation,
        tile: Tile,
        shape: tuple[int, int],
        of: Element,
        values: Array,
        *,
        threads: Array | None = None,
    ) -> None:
        """Store the part of a tile inside of the surface, by `threads` (None: all), ascending."""
        if of.per_byte > 1:
            tile, shape = in_bytes(at, tile, of), (shape[0], shape[1] // of.per_byte)
            of, values = BYTE, packed(values)
        who = self.active if threads is None else threads
        self.machine.observer.write_tile(TileAccess(at, who, tile, shape, of), values)
        self.memory.write_tile(at, tile, shape, of, values)

    def bind(self, value: SSAValue, found: Value) -> None:
        self._values[value] = found

    def run(self, block: Block, arguments: Values) -> list[Value]:
        """Execute a block and return the operands of its terminator."""
        for argument, found in zip(block.args, arguments, strict=True):
            self._values[argument] = found
        handlers = self.machine.handlers
        for op in block.ops:
            handler = handlers.get(op.name)
            if handler is None:
                if op.has_trait(IsTerminator, value_if_unregistered=False):
                    return [self.get(value) for value in op.operands]
                self.machine.refuse(op)
            try:
                values = handler(self, op)
            except (MemoryError, ValueError) as error:
                if isinstance(error, ValueError) and not str(error).startswith(_TOO_LARGE):
                    raise
                fail(op, f"'{op.name}' takes more memory than there is")
            for result, found in zip(op.results, values, strict=True):
                if isinstance(found, MemRef):
                    check_memref(op, result.type, found)
                self._values[result] = found
        return []


def _unexpected(value: SSAValue, expected: str) -> NoReturn:
    fail(value, f"expected a {expected}, found {value.type}")
