"""The ops of one kernel as they are created, each at the user's line; equal pure ops are created once.

`current()` is the builder of the kernel that is being traced or executed eagerly in this thread; all ops of the
language are created through it. A `Builder` puts ops into blocks; an eager one executes each. Functions on elements
work on `Held`, values in IR with their types, and know no classes of values.
"""

from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple, TypeAlias, get_args

from xdsl.dialects.arith import ConstantOp, FastMathFlagsAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    UnknownLoc,
    VectorType,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.advice import hint_or_names
from xetile.language.positions import here, refuse
from xetile.language.types import ElementType

Pair = tuple[int, int]
"""Rows and columns."""

Constant: TypeAlias = (
    "IntegerAttr[IntegerType | IndexType] | FloatAttr[AnyFloat] | DenseIntOrFPElementsAttr"
)


class Mark(NamedTuple):
    """A position between ops."""

    block: Block
    after: Operation | None


@dataclass(eq=False)
class Builder:
    """The creator of a kernel's ops. `sg_layout` is the layout of its subgroups over rows and columns."""

    sg_layout: Pair
    block: Block = field(default_factory=Block)
    fastmath: FastMathFlagsAttr | None = None
    """The fast-math flags of the ops on floats that are created now."""
    _known: list[dict[object, SSAValue]] = field(default_factory=lambda: [{}])
    """Pure values by key, a dict for each block around the current one."""
    _constants: dict[Attribute, SSAValue] = field(default_factory=dict[Attribute, SSAValue])
    _around: list[Block] = field(default_factory=list[Block])
    """The blocks around the current one."""
    _last_at_entry: Operation | None = None

    unfinished: list[FileLineColLoc] = field(default_factory=list["FileLineColLoc"])
    """The positions of the statements whose blocks are being filled, the innermost last."""

    def __post_init__(self) -> None:
        self.entry = self.block

    eager = False
    """True if ops are executed as they are created, so that values are available."""

    def insert(self, op: Operation) -> Operation:
        """Put an op at the end of the current block, with the position of the user's line."""
        self.place(op)
        for operand in op.operands:
            self._check_scope(operand)
        self.block.add_op(op)
        return op

    def _check_scope(self, operand: SSAValue) -> None:
        owner = operand.owner
        block = owner if isinstance(owner, Block) else owner.parent
        if block is not self.block and block is not self.entry and block not in self._around:
            name = f"'{operand.name_hint}'" if operand.name_hint else "a value"
            refuse(
                f"{name} was computed in a traced loop or branch that has ended; what is to be used behind it "
                "is a name that is bound before it too"
            )

    def result(self, op: Operation) -> SSAValue:
        """Put an op with one result at the end of the current block and return the result."""
        return self.insert(op).results[0]

    def mark(self) -> Mark:
        """Return the position of the next op."""
        return Mark(self.block, self.block.last_op)

    def result_at(self, mark: Mark, op: Operation) -> SSAValue:
        """Insert an op at the position `mark` and return its result."""
        self.place(op)
        if mark.after is not None:
            mark.block.insert_op_after(op, mark.after)
        elif mark.block.first_op is not None:
            mark.block.insert_op_before(op, mark.block.first_op)
        else:
            mark.block.add_op(op)
        return op.results[0]

    def pure(self, op: Operation) -> SSAValue:
        """Return the result of an op without effects, or that of an equal one in scope if there is one."""
        key = (
            op.name,
            tuple(op.operands),
            tuple(sorted(op.properties.items())),
            tuple(sorted(op.attributes.items())),
            op.results[0].type,
        )
        return self.once(key, lambda: op)

    def pure_of(self, op: Callable[..., Operation], *arguments: Hashable) -> SSAValue:
        """Return the result of `op(*arguments)`, an op without effects, created once for equal arguments in scope."""
        return self.once((op, arguments), lambda: op(*arguments))

    def once(self, key: object, make: Callable[[], Operation]) -> SSAValue:
        """Return the result of the op that `make` creates, once for equal keys in scope."""
        for known in reversed(self._known):
            if key in known:
                return known[key]
        found = self.result(make())
        self._known[-1][key] = found
        return found

    def constant(self, value: Constant) -> SSAValue:
        """Return a constant, which is created once, at the beginning of the kernel."""
        known = self._constants.get(value)
        if known is None:
            known = self._constants[value] = self.at_entry(ConstantOp(value))
        return known

    def at_entry(self, op: Operation) -> SSAValue:
        """Insert an op at the beginning of the kernel, after those inserted there before, and return its result."""
        found = self.result_at(Mark(self.entry, self._last_at_entry), op)
        self._last_at_entry = op
        return found

    def index(self, value: int) -> SSAValue:
        """Return a constant of type index, which has 64 bits."""
        if not -(2**63) <= value < 2**63:
            refuse(f"{value} has more than the 64 bits of an index")
        return named(
            self.constant(IntegerAttr(value, IndexType())), f"c{value}".replace("-", "_")
        )

    def place(self, op: Operation) -> None:
        """Give an op the position of the user's line if it has none."""
        if isinstance(op.location, UnknownLoc) and (position := here()) is not None:
            op.location = position

    @contextmanager
    def inside(self, block: Block) -> Generator[Block]:
        """Insert ops into `block` within the context; pure values created there are not in scope afterwards."""
        outer, self.block = self.block, block
        self._around.append(outer)
        self._known.append({})
        try:
            yield block
        finally:
            self._known.pop()
            self._around.pop()
            self.block = outer

    def concrete(self, value: SSAValue) -> object | None:
        """Return the value that an eager builder computed (a numpy scalar or array), or None when tracing."""
        return None


_builder: ContextVar[Builder | None] = ContextVar("builder", default=None)


def current() -> Builder:
    """Return the current builder.

    Errors: XetileError outside of a kernel.
    """
    builder = _builder.get()
    if builder is None:
        refuse(
            "this stands outside of a kernel; call it in a function that @xt.kernel decorates"
        )
    return builder


def building() -> Builder | None:
    """Return the current builder, or None outside of a kernel."""
    return _builder.get()


@contextmanager
def using(builder: Builder) -> Generator[Builder]:
    """Make `builder` the current one within the context."""
    token = _builder.set(builder)
    try:
        yield builder
    finally:
        _builder.reset(token)


def named(value: SSAValue, name: str) -> SSAValue:
    """Return `value`, named `name` in printed IR if it has no name yet and the name is ASCII."""
    if value.name_hint is None and name.isascii():
        value.name_hint = name
    return value


class Held(NamedTuple):
    """A value in IR with its element type; `shape` is that of a tile, or None for a single number."""

    value: SSAValue
    element: ElementType
    shape: Pair | None

    def describe(self) -> str:
        """Describe it for diagnostics: `a tile of 8x16xf32`, `a scalar of f32`, `an index`."""
        return described(self.element, self.shape)


def described(element: ElementType, shape: Pair | None) -> str:
    """Describe a value of such a type for diagnostics."""
    if shape is not None:
        return f"a tile of {shape[0]}x{shape[1]}x{element}"
    return "an index" if element.kind == "index" else f"a scalar of {element}"


@cache
def type_of(element: ElementType, shape: Pair | None) -> Attribute:
    """Return the type in IR."""
    fitting_in_memory(shape)
    return element.attribute if shape is None else VectorType(element.attribute, shape)


MOST_ELEMENTS = 1 << 22
"""The most elements of a tile: several times the registers of a workgroup, and little memory for numpy."""


def fitting_in_memory(shape: Pair | None) -> None:
    """Raise if a tile is too large, before memory is allocated."""
    if shape is not None and shape[0] * shape[1] > MOST_ELEMENTS:
        refuse(
            f"expected a tile of at most {MOST_ELEMENTS} elements, found {shape[0]}x{shape[1]}; "
            "write a loop over parts of it"
        )


def flags() -> FastMathFlagsAttr | None:
    """Return the fast-math flags at the point that is being traced."""
    return current().fastmath


Flag: TypeAlias = Literal["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"]
"""LLVM's flags: any order; no NaN; no infinity; zeros without a sign; reciprocals for quotients; a product and a
sum as one op; approximate functions; all of them.
"""


@contextmanager
def fastmath(*flags: Flag) -> Generator[None]:
    """Add fast-math flags to the ops on floats created within the context, in addition to the flags around it.

    Execution on numpy ignores the flags; results of a device may differ within what they allow (docs/devices.md).
    Errors: XetileError for a word that is not a flag.
    """
    builder = current()
    outer = builder.fastmath
    builder.fastmath = flags_of(flags, outer)
    try:
        yield
    finally:
        builder.fastmath = outer


def flags_of(
    words: tuple[str, ...], outer: FastMathFlagsAttr | None = None
) -> FastMathFlagsAttr:
    """Return the flags for the words together with `outer`; they are printed in a fixed order."""
    found = set(outer.data) if outer is not None else set[FastMathFlag]()
    for word in (words,) if isinstance(words, str) else words:
        if word not in get_args(Flag):
            refuse(
                f"xt.fastmath has no {word!r}{hint_or_names(word, get_args(Flag), 'its flags')}"
            )
        found.update(FastMathFlag if word == "fast" else [FastMathFlag(word)])
    return FastMathFlagsAttr([flag for flag in FastMathFlag if flag in found])
