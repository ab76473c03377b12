"""The ops of one kernel as they come into being: each at the user's line, equal pure ops once.

`current()` is the builder of the kernel that is being traced or executed eagerly in this thread; what the language
offers calls it, and nothing else makes ops. A `Builder` puts ops into blocks; an eager one executes each. Functions on
elements work on `Held`, values in IR with their types, and know no classes of values.
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
    """A place between ops."""

    block: Block
    after: Operation | None


@dataclass(eq=False)
class Builder:
    """Makes the ops of a kernel. `sg_layout` is how its subgroups are laid out over rows and columns."""

    sg_layout: Pair
    block: Block = field(default_factory=Block)
    fastmath: FastMathFlagsAttr | None = None
    """What holds of floats in the ops that are made now."""
    _known: list[dict[object, SSAValue]] = field(default_factory=lambda: [{}])
    """Pure values by what makes them, a dict for each block around the current one."""
    _constants: dict[Attribute, SSAValue] = field(default_factory=dict[Attribute, SSAValue])
    _around: list[Block] = field(default_factory=list[Block])
    """The blocks around the current one."""
    _last_at_entry: Operation | None = None

    unfinished: list[FileLineColLoc] = field(default_factory=list["FileLineColLoc"])
    """The positions of the statements whose blocks are being filled, the innermost last."""

    def __post_init__(self) -> None:
        self.entry = self.block

    eager = False
    """Whether ops are executed as they are made, so that values can be asked for."""

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
        """Put an op with one result at the end of the current block; its result."""
        return self.insert(op).results[0]

    def mark(self) -> Mark:
        """Where the next op would stand."""
        return Mark(self.block, self.block.last_op)

    def result_at(self, mark: Mark, op: Operation) -> SSAValue:
        """The result of an op that is put where `mark` was taken."""
        self.place(op)
        if mark.after is not None:
            mark.block.insert_op_after(op, mark.after)
        elif mark.block.first_op is not None:
            mark.block.insert_op_before(op, mark.block.first_op)
        else:
            mark.block.add_op(op)
        return op.results[0]

    def pure(self, op: Operation) -> SSAValue:
        """The result of an op without effects: that of an equal one that is in scope, if there is one."""
        key = (
            op.name,
            tuple(op.operands),
            tuple(sorted(op.properties.items())),
            tuple(sorted(op.attributes.items())),
            op.results[0].type,
        )
        return self.once(key, lambda: op)

    def pure_of(self, op: Callable[..., Operation], *arguments: Hashable) -> SSAValue:
        """The result of `op(*arguments)`, an op without effects; it is made once for equal arguments in scope."""
        return self.once((op, arguments), lambda: op(*arguments))

    def once(self, key: object, make: Callable[[], Operation]) -> SSAValue:
        """The result of what `make` makes, made once for equal keys in scope."""
        for known in reversed(self._known):
            if key in known:
                return known[key]
        found = self.result(make())
        self._known[-1][key] = found
        return found

    def constant(self, value: Constant) -> SSAValue:
        """A constant, which stands at the beginning of the kernel and once."""
        known = self._constants.get(value)
        if known is None:
            known = self._constants[value] = self.at_entry(ConstantOp(value))
        return known

    def at_entry(self, op: Operation) -> SSAValue:
        """The result of an op that stands at the beginning of the kernel, behind those that were put there before."""
        found = self.result_at(Mark(self.entry, self._last_at_entry), op)
        self._last_at_entry = op
        return found

    def index(self, value: int) -> SSAValue:
        """A constant of type index, which has 64 bits."""
        if not -(2**63) <= value < 2**63:
            refuse(f"{value} has more than the 64 bits of an index")
        return named(
            self.constant(IntegerAttr(value, IndexType())), f"c{value}".replace("-", "_")
        )

    def place(self, op: Operation) -> None:
        """Give an op the position of the user's line, where it has none."""
        if isinstance(op.location, UnknownLoc) and (position := here()) is not None:
            op.location = position

    @contextmanager
    def inside(self, block: Block) -> Generator[Block]:
        """Ops go into `block` meanwhile; what is made there is not in scope after."""
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
        """What an eager builder computed for a value (a numpy scalar or array); None when tracing."""
        return None


_builder: ContextVar[Builder | None] = ContextVar("builder", default=None)


def current() -> Builder:
    """The builder at work.

    Errors: XetileError outside of a kernel.
    """
    builder = _builder.get()
    if builder is None:
        refuse(
            "this stands outside of a kernel; call it in a function that @xt.kernel decorates"
        )
    return builder


def building() -> Builder | None:
    """The builder at work, None outside of a kernel."""
    return _builder.get()


@contextmanager
def using(builder: Builder) -> Generator[Builder]:
    """`builder` is the current one meanwhile."""
    token = _builder.set(builder)
    try:
        yield builder
    finally:
        _builder.reset(token)


def named(value: SSAValue, name: str) -> SSAValue:
    """`value`, called `name` in printed IR where it has no name yet, and IR can have that one."""
    if value.name_hint is None and name.isascii():
        value.name_hint = name
    return value


class Held(NamedTuple):
    """A value in IR: elements of a type, in a tile of `shape` or (None) a single one."""

    value: SSAValue
    element: ElementType
    shape: Pair | None

    def describe(self) -> str:
        """What it is, for messages: `a tile of 8x16xf32`, `a scalar of f32`, `an index`."""
        return described(self.element, self.shape)


def described(element: ElementType, shape: Pair | None) -> str:
    """What a value of such a type is, for messages."""
    if shape is not None:
        return f"a tile of {shape[0]}x{shape[1]}x{element}"
    return "an index" if element.kind == "index" else f"a scalar of {element}"


@cache
def type_of(element: ElementType, shape: Pair | None) -> Attribute:
    """The type in IR."""
    fitting_in_memory(shape)
    return element.attribute if shape is None else VectorType(element.attribute, shape)


MOST_ELEMENTS = 1 << 22
"""Of a tile: several times what the registers of a workgroup hold, and little for numpy."""


def fitting_in_memory(shape: Pair | None) -> None:
    """Refuse a tile that is too large before memory is asked for."""
    if shape is not None and shape[0] * shape[1] > MOST_ELEMENTS:
        refuse(
            f"expected a tile of at most {MOST_ELEMENTS} elements, found {shape[0]}x{shape[1]}; "
            "write a loop over parts of it"
        )


def flags() -> FastMathFlagsAttr | None:
    """The fastmath flags that hold where the kernel is being traced."""
    return current().fastmath


Flag: TypeAlias = Literal["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"]
"""LLVM's: any order; no NaN; no infinity; zeros without a sign; reciprocals in place of quotients; a product and a sum
as one op; approximate functions; all of them."""


@contextmanager
def fastmath(*flags: Flag) -> Generator[None]:
    """Ops on floats that are made meanwhile have these flags, and those that hold around.

    Execution on numpy computes as without them; a device may differ by what they allow (docs/devices.md).
    Errors: XetileError for a word that is no flag.
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
    """The flags of words, and those that hold already; they are printed in one order."""
    found = set(outer.data) if outer is not None else set[FastMathFlag]()
    for word in (words,) if isinstance(words, str) else words:
        if word not in get_args(Flag):
            refuse(
                f"xt.fastmath has no {word!r}{hint_or_names(word, get_args(Flag), 'its flags')}"
            )
        found.update(FastMathFlag if word == "fast" else [FastMathFlag(word)])
    return FastMathFlagsAttr([flag for flag in FastMathFlag if flag in found])
