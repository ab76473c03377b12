"""One-to-many rewriting of a structured function, by an environment instead of casts.

A pass that splits values (a tile into units, a vector into blocks, a block into registers) subclasses `Expansion`,
names a handler for each op, and runs it on each function. The body is rebuilt in one forward walk. Loops and branches
carry the parts that the environment has for old values.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import Self, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from xetile.analysis.same_value import terminator
from xetile.dialects.shared_attributes import INDEX, integer
from xetile.dialects.upstream import arith
from xetile.errors import fail, remark
from xetile.rewriting.rewriter import Handlers, Rewriter, hand_name_on, remade

Offset = int | SSAValue
"""A known index (elements), or one computed by an op."""


def _constant(value: int, type: IndexType | IntegerType) -> Operation:
    return arith.ConstantOp.create(
        result_types=[type], properties={"value": integer(value, type)}
    )


@dataclass(eq=False)
class Parts:
    """The values that replace one value: loops carry `values`, and all else stays the same around a loop."""

    values: Sequence[SSAValue]

    def __post_init__(self) -> None:
        self.values = tuple(self.values)

    def with_values(self, values: Sequence[SSAValue]) -> Self:
        """Return these parts with other carried values of the same number and types."""
        made = copy(self)
        made.values = tuple(values)
        return made

    def agrees_with(self, other: "Parts") -> bool:
        """Return True if a loop that carried these parts may carry `other`."""
        return type(self) is type(other) and _types(self.values) == _types(other.values)

    def describe(self) -> str:
        kinds = sorted({str(value.type) for value in self.values})
        return f"{len(self.values)} x {', '.join(kinds)}"


def _types(values: Sequence[SSAValue]) -> list[Attribute]:
    return [value.type for value in values]


Form: TypeAlias = Parts | SSAValue
"""The form of an old value in the new function: split, or whole."""


class Expansion(Rewriter[Form]):
    """Rebuilds one function. Passes define the handlers and, where values meet, how to adapt them."""

    def __init__(self, function: Operation, handlers: Handlers[Self]) -> None:
        super().__init__(function, handlers)
        self._remarked = False

    def run(self) -> None:
        region = self.function.regions[0]
        if len(region.blocks) != 1:
            fail(
                self.function,
                f"the body has {len(region.blocks)} blocks; expected one block with structured control flow (scf)",
            )
        old = region.blocks[0]
        for argument in old.args:
            self.environment[argument] = self.given(argument)
        self.rewrite_block(old)
        self.function.detach_region(region)
        self.function.add_region(Region(self.entry))
        region.drop_all_references()

    # New values of old ones.

    def bind(self, value: SSAValue, became: Form) -> None:
        super().bind(value, became)
        if isinstance(became, Parts):
            for part in became.values:
                hand_name_on(value, part)

    def single(self, value: SSAValue) -> SSAValue:
        """Return the new value of an old one that no pass splits (an index, a memref)."""
        became = self.environment[value]
        if isinstance(became, Parts):
            self.refuse(
                f"is not lowered here yet: "
                f"its operand of type {value.type} became {became.describe()}"
            )
        return became

    def mapped(self, offsets: Iterable[Offset]) -> list[Offset]:
        return [o if isinstance(o, int) else self.single(o) for o in offsets]

    # Index arithmetic.

    def constant(self, value: int, type: IndexType | IntegerType | None = None) -> SSAValue:
        """Return an integer constant at the start of the function (index unless a type is given)."""
        kind = INDEX if type is None else type
        made = self.shared(("constant", value, kind), lambda: _constant(value, kind))
        if made.name_hint is None and value >= 0:
            made.name_hint = f"c{value}" if isinstance(kind, IndexType) else f"c{value}_{kind}"
        return made

    def index(self, offset: Offset) -> SSAValue:
        return self.constant(offset) if isinstance(offset, int) else offset

    def add(self, left: Offset, right: Offset) -> Offset:
        """Return the sum of two offsets, computed now if both are known."""
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if left == 0:
            return right
        if right == 0:
            return left
        return self.new(arith.AddiOp(self.index(left), self.index(right)))

    def multiply(self, left: Offset, right: Offset) -> Offset:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if left == 1:
            return right
        if right == 1:
            return left
        return self.new(arith.MuliOp(self.index(left), self.index(right)))

    def remark_once(self, message: str) -> None:
        if not self._remarked:
            self._remarked = True
            remark(self.current, message)

    # Methods that subclasses may override.

    def given(self, argument: SSAValue) -> Form:
        """Add an argument to the end of the new function's arguments and return it."""
        return self.argument(argument, argument.type)

    def argument(self, old: SSAValue, type: Attribute) -> BlockArgument:
        """Return an argument of the new function in place of an old one."""
        return _copy_argument(self.entry, old, type)

    def loop_parts(self, argument: SSAValue, init: Form) -> Form:
        """Return the form in which a loop carries `argument`, or a branch returns it."""
        return init

    def adapt(self, became: Form, like: Form) -> Form:
        if isinstance(became, Parts) and isinstance(like, Parts):
            if like.agrees_with(became):
                return became
            fail(
                self.current,
                f"values of different form meet: {became.describe()} and {like.describe()}",
            )
        if isinstance(became, Parts) or isinstance(like, Parts):
            fail(self.current, "a split value and a whole value meet in the control flow")
        return became

    def other(self, op: Operation) -> None:
        self.copy(op)

    # The walk.

    def copy(self, op: Operation) -> None:
        """Copy an op and its regions; refuse it if one of its operands was split."""
        copy = remade(
            op,
            [self.single(operand) for operand in op.operands],
            op.result_types,
            [self._copied_region(region) for region in op.regions],
        )
        self.current = op
        self.emit(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self.bind(old, new)

    def _copied_region(self, region: Region) -> Region:
        """Copy a region of an op that passes no split value in or out."""
        if not region.blocks:
            return Region()
        arguments = len(region.blocks[0].args)
        block = self.rewrite_region(region, (), leading=arguments)
        end = region.blocks[0].last_op
        if end is not None and end.name in _REGION_ENDS:
            self.current = end
            with self.building(block):
                self.emit(remade(end, [self.single(operand) for operand in end.operands], ()))
        return Region(block)

    def rewrite(self, op: Operation) -> None:
        structured = None if op.name in self.handlers else _STRUCTURED.get(op.name)
        if structured is not None:
            structured(self, op)
        else:
            super().rewrite(op)

    def rewrite_region(
        self, old: Region, arguments: Sequence[Form], *, leading: int = 0
    ) -> Block:
        """Return a block for a region: the first `leading` arguments stay, others became `arguments`."""
        if len(old.blocks) != 1:
            fail(
                self.current,
                f"a region of '{self.current.name}' has {len(old.blocks)} blocks; "
                "expected one block with structured control flow (scf)",
            )
        block = Block()
        old_block = old.blocks[0]
        for argument in old_block.args[:leading]:
            self.environment[argument] = _copy_argument(block, argument, argument.type)
        for argument, like in zip(old_block.args[leading:], arguments, strict=True):
            self.environment[argument] = _carried(block, argument, like)
        with self.building(block):
            self.rewrite_block(old_block)
        return block

    def forms(self, arguments: Sequence[SSAValue], values: Sequence[SSAValue]) -> list[Form]:
        """Return old values in the forms in which control flow carries them as `arguments`."""
        return [
            self.loop_parts(argument, self.get(value))
            for argument, value in zip(arguments, values, strict=True)
        ]

    def flatten(self, values: Sequence[Form]) -> list[SSAValue]:
        flat: list[SSAValue] = []
        for value in values:
            flat.extend(value.values if isinstance(value, Parts) else (value,))
        return flat

    def close(self, old: Block, new: Block, forms: Sequence[Form]) -> None:
        self.current = terminator(old)
        with self.building(new):
            values = [
                self.adapt(self.get(value), form)
                for value, form in zip(self.current.operands, forms, strict=True)
            ]
            self.emit(scf.YieldOp(*self.flatten(values)))

    def bind_results(
        self, old: Sequence[SSAValue], made: Operation, forms: Sequence[Form]
    ) -> None:
        new = iter(made.results)
        for result, form in zip(old, forms, strict=True):
            if isinstance(form, Parts):
                self.bind(result, form.with_values(list(islice(new, len(form.values)))))
            else:
                self.bind(result, next(new))


def _copy_argument(block: Block, argument: SSAValue, type: Attribute) -> BlockArgument:
    copy = block.insert_arg(type, len(block.args))
    if isinstance(argument, BlockArgument):
        copy.location = argument.location
    copy.name_hint = argument.name_hint
    return copy


def _carried(block: Block, argument: SSAValue, like: Form) -> Form:
    if isinstance(like, Parts):
        return like.with_values([_copy_argument(block, argument, v.type) for v in like.values])
    return _copy_argument(block, argument, like.type)


def _rewrite_for(expansion: Expansion, op: Operation) -> None:
    lower, upper, step = (expansion.single(operand) for operand in op.operands[:3])
    old_body = op.regions[0].blocks[0]
    forms = expansion.forms(old_body.args[1:], op.operands[3:])
    body = expansion.rewrite_region(op.regions[0], forms, leading=1)
    expansion.close(old_body, body, forms)
    expansion.current = op
    loop = scf.ForOp(lower, upper, step, expansion.flatten(forms), Region(body))
    loop.attributes.update(op.attributes)
    expansion.bind_results(op.results, expansion.emit(loop), forms)


def _rewrite_branches(expansion: Expansion, op: Operation) -> None:
    """Rewrite an op whose results one of its regions yields; the first region determines their forms."""
    operands = [expansion.single(operand) for operand in op.operands]
    first, *others = (
        (region.blocks[0], expansion.rewrite_region(region, ()))
        for region in op.regions
        if region.blocks
    )
    forms = _yielded_forms(expansion, *first, op.results)
    for old, block in others:
        expansion.close(old, block, forms)
    expansion.current = op
    regions = [Region(block) for _, block in (first, *others)]
    regions.extend(Region() for region in op.regions if not region.blocks)
    branch = remade(op, operands, _types(expansion.flatten(forms)), regions)
    expansion.bind_results(op.results, expansion.emit(branch), forms)


def _yielded_forms(
    expansion: Expansion, old: Block, new: Block, results: Sequence[SSAValue]
) -> list[Form]:
    """End a rebuilt region with its values in the forms in which they leave it, and return these forms."""
    expansion.current = terminator(old)
    with expansion.building(new):
        forms = expansion.forms(results, expansion.current.operands)
        expansion.emit(scf.YieldOp(*expansion.flatten(forms)))
    return forms


def _rewrite_while(expansion: Expansion, op: Operation) -> None:
    old_before, old_after = (region.blocks[0] for region in op.regions)
    forms = expansion.forms(old_before.args, op.operands)
    before = expansion.rewrite_region(op.regions[0], forms)
    expansion.current = terminator(old_before)
    condition, *values = expansion.current.operands
    with expansion.building(before):
        passed = expansion.forms(old_after.args, values)
        flag = expansion.single(condition)
        expansion.emit(scf.ConditionOp(flag, *expansion.flatten(passed)))
    after = expansion.rewrite_region(op.regions[1], passed)
    expansion.close(old_after, after, forms)
    expansion.current = op
    types = _types(expansion.flatten(passed))
    loop = scf.WhileOp(expansion.flatten(forms), types, Region(before), Region(after))
    loop.attributes.update(op.attributes)
    expansion.bind_results(op.results, expansion.emit(loop), passed)


def _skip(expansion: Expansion, op: Operation) -> None:
    """Skip terminators of regions, whose operands the op with the region handles."""


_REGION_ENDS = ("scf.yield", "scf.condition")
_STRUCTURED: Handlers[Expansion] = {
    "scf.for": _rewrite_for,
    "scf.if": _rewrite_branches,
    "scf.index_switch": _rewrite_branches,
    "scf.execute_region": _rewrite_branches,
    "scf.while": _rewrite_while,
    **dict.fromkeys(_REGION_ENDS, _skip),
}
