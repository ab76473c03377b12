"""One walk that rebuilds a function: new values of old ones, insertion points, and a handler for each op.

A pass has one table of handlers, combined from those of its modules:

    HANDLERS: Handlers[View] = {**on(LoadTileOp, load_tile), "arith.constant": constant}

An op with a class that only xetile has is named by the class, and its handler takes that class. Others are matched by
name: in an xDSL pipeline they are of its classes, else of those of `dialects.upstream`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, NoReturn, Self, TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from xetile.errors import fail

Became = TypeVar("Became")
View = TypeVar("View")
Op = TypeVar("Op", bound=Operation)

Handler: TypeAlias = Callable[[View, Operation], None]
Handlers: TypeAlias = Mapping[str, Handler[View]]
"""The handlers that rewrite the ops of each name."""


def on(kind: type[Op], handler: Callable[[View, Op], None]) -> Handlers[View]:
    """Return the table entry of a handler for the ops of one class."""
    return {kind.name: cast(Handler[View], handler)}


def remade(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    regions: Sequence[Region] = (),
) -> Operation:
    """Return a copy of an op with other operands, result types and regions."""
    return type(op).create(
        operands=operands,
        result_types=result_types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
        location=op.location,
    )


def check_lowered(function: Operation, dialect: str, to: str) -> None:
    """Raise XetileError at an op that a pass has left of the dialect that it lowers."""
    for op in function.walk():
        if op.name.partition(".")[0] == dialect:
            fail(op, f"'{op.name}' is not lowered to {to} yet")


class Rewriter(ABC, Generic[Became]):
    """The state of rewriting one function; `environment` maps old values to their new forms."""

    def __init__(self, function: Operation, handlers: Handlers[Self]) -> None:
        self.function = function
        self.handlers = handlers
        self.environment: dict[SSAValue, Became] = {}
        self.entry = Block()
        self.block = self.entry
        self.current: Operation = function
        self._last_in_entry: Operation | None = None
        self._shared: dict[tuple[object, ...], SSAValue] = {}

    # The environment.

    def bind(self, value: SSAValue, became: Became) -> None:
        self.environment[value] = became
        if isinstance(became, OpResult | BlockArgument):
            hand_name_on(value, cast(SSAValue, became))

    def get(self, value: SSAValue) -> Became:
        return self.environment[value]

    # Emission.

    def emit(self, op: Operation) -> Operation:
        """Add an op to the block that is being built, with the position of the current op."""
        self._place(op)
        self.block.add_op(op)
        return op

    def new(self, op: Operation) -> SSAValue:
        return self.emit(op).results[0]

    def emit_at_entry(self, op: Operation) -> SSAValue:
        """Add an op with one result at the start of the function, after those added before."""
        self._place(op)
        if self._last_in_entry is not None:
            self.entry.insert_op_after(op, self._last_in_entry)
        elif self.entry.first_op is not None:
            self.entry.insert_op_before(op, self.entry.first_op)
        else:
            self.entry.add_op(op)
        self._last_in_entry = op
        return op.results[0]

    def shared(self, key: tuple[object, ...], make: Callable[[], Operation]) -> SSAValue:
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = self.emit_at_entry(make())
        return found

    def erase(self, op: Operation) -> None:
        """Erase an emitted op without uses; later ops at the start of the function stay in order."""
        if op is self._last_in_entry:
            self._last_in_entry = op.prev_op
        op.detach()
        op.erase()

    def _place(self, op: Operation) -> None:
        if isinstance(op.location, UnknownLoc):
            op.location = self.current.location

    @contextmanager
    def building(self, block: Block) -> Generator[None]:
        outer, self.block = self.block, block
        yield
        self.block = outer

    # The walk.

    def rewrite_block(self, old: Block) -> None:
        for op in old.ops:
            self.current = op
            self.rewrite(op)

    def rewrite(self, op: Operation) -> None:
        handler = self.handlers.get(op.name)
        if handler is not None:
            handler(self, op)
        else:
            self.other(op)

    def refuse(self, message: str) -> NoReturn:
        """Raise XetileError because the current op cannot be rewritten here; its name precedes the message."""
        fail(self.current, f"'{self.current.name}' {message}")

    @abstractmethod
    def other(self, op: Operation) -> None:
        """Rewrite an op that has no handler."""


def hand_name_on(old: SSAValue, new: SSAValue) -> None:
    """Copy a value's name to its new value, unless that has a name."""
    if new.name_hint is None:
        new.name_hint = old.name_hint
