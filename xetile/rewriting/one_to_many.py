"""One-to-many rewriting of a structured function, by an environment instead of casts.

A pass that splits values (a workgroup's tile into its subgroups' units, a vector into blocks, a block into
registers) subclasses `Expansion`, names a handler per op, and runs it on each function. The body is rebuilt in
one forward walk; the environment keeps what each old value became. Loops and branches carry the parts.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Self

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, UnknownLoc
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from xetile.dialects.upstream import arith
from xetile.errors import fail, remark

Offset = int | SSAValue
"""An index that is known (elements) or computed by an op."""


class Parts:
    """What one value became: `values` are carried by loops, all else stays the same around a loop."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[SSAValue]) -> None:
        self.values = tuple(values)

    def with_values(self, values: Sequence[SSAValue]) -> Self:
        """These parts with other carried values of the same number and types."""
        copy = object.__new__(type(self))
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                setattr(copy, name, getattr(self, name))
        copy.values = tuple(values)
        return copy

    def agrees_with(self, other: "Parts") -> bool:
        """Whether a loop may carry `other` where it carried these parts."""
        return type(self) is type(other) and _types(self.values) == _types(other.values)

    def describe(self) -> str:
        """The parts in words, for diagnostics."""
        kinds = sorted({str(value.type) for value in self.values})
        return f"{len(self.values)} x {', '.join(kinds)}"


def _types(values: Sequence[SSAValue]) -> list[Attribute]:
    return [value.type for value in values]


class Expansion:
    """Rebuilds one function; subclasses name the handlers and, where values meet, how to adapt them."""

    handlers: ClassVar[Mapping[str, Callable[..., None]]] = {}

    def __init__(self, function: Operation) -> None:
        self.function = function
        self.environment: dict[SSAValue, Parts | SSAValue] = {}
        self.block = Block()
        self.entry = self.block
        self.current: Operation = function
        self._last_in_entry: Operation | None = None
        self._remarked = False
        self._shared: dict[tuple[object, ...], SSAValue] = {}

    def run(self) -> None:
        """Replace the body of the function."""
        region = self.function.regions[0]
        if len(region.blocks) != 1:
            fail(
                self.function,
                f"the body has {len(region.blocks)} blocks; expected one block with structured control flow (scf)",
            )
        old = region.blocks[0]
        for argument in old.args:
            self.environment[argument] = _copy_argument(self.entry, argument, argument.type)
        self.rewrite_block(old)
        self.function.detach_region(region)
        self.function.add_region(Region(self.entry))
        region.drop_all_references()

    # The environment.

    def bind(self, value: SSAValue, became: Parts | SSAValue) -> None:
        """Record what an old value became and hand its name on."""
        self.environment[value] = became
        if isinstance(became, Parts):
            for part in became.values:
                _name(part, value)
        else:
            _name(became, value)

    def get(self, value: SSAValue) -> Parts | SSAValue:
        """What an old value became."""
        return self.environment[value]

    def single(self, value: SSAValue) -> SSAValue:
        """What an old value became, for a value that no pass splits (an index, a memref)."""
        became = self.environment[value]
        if isinstance(became, Parts):
            fail(
                self.current,
                f"'{self.current.name}' is not lowered here yet: "
                f"its operand of type {value.type} became {became.describe()}",
            )
        return became

    # Emission.

    def emit(self, op: Operation) -> Operation:
        """Add an op at the end of the block that is being built, with the position of the current op."""
        self._stamp(op)
        self.block.add_op(op)
        return op

    def emit_value(self, op: Operation) -> SSAValue:
        """`emit` for an op with one result."""
        return self.emit(op).results[0]

    def emit_at_entry(self, op: Operation) -> SSAValue:
        """Add an op with one result at the start of the function, after those added there before."""
        self._stamp(op)
        if self._last_in_entry is not None:
            self.entry.insert_op_after(op, self._last_in_entry)
        elif self.entry.first_op is not None:
            self.entry.insert_op_before(op, self.entry.first_op)
        else:
            self.entry.add_op(op)
        self._last_in_entry = op
        return op.results[0]

    def shared(self, key: tuple[object, ...], make: Callable[[], Operation]) -> SSAValue:
        """The value of an op at the start of the function, made once per key."""
        if key not in self._shared:
            self._shared[key] = self.emit_at_entry(make())
        return self._shared[key]

    def constant(self, value: int, type: IndexType | IntegerType | None = None) -> SSAValue:
        """An integer constant at the start of the function (index unless a type is given)."""
        kind = IndexType() if type is None else type
        made = self.shared(
            ("constant", value, kind), lambda: arith.ConstantOp(IntegerAttr(value, kind))
        )
        if made.name_hint is None and value >= 0:
            made.name_hint = f"c{value}" if isinstance(kind, IndexType) else f"c{value}_{kind}"
        return made

    def index(self, offset: Offset) -> SSAValue:
        """An offset as an SSA value."""
        return self.constant(offset) if isinstance(offset, int) else offset

    def add(self, left: Offset, right: Offset) -> Offset:
        """The sum of two offsets, computed now where both are known."""
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if left == 0:
            return right
        if right == 0:
            return left
        return self.emit_value(arith.AddiOp(self.index(left), self.index(right)))

    def multiply(self, left: Offset, right: Offset) -> Offset:
        """The product of two offsets, computed now where both are known."""
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if left == 1:
            return right
        if right == 1:
            return left
        return self.emit_value(arith.MuliOp(self.index(left), self.index(right)))

    def _stamp(self, op: Operation) -> None:
        if isinstance(op.location, UnknownLoc):
            op.location = self.current.location

    def remark_once(self, message: str) -> None:
        """Tell the user of a condition of this function, the first time only."""
        if not self._remarked:
            self._remarked = True
            remark(self.current, message)

    # What subclasses may refine.

    def loop_parts(self, argument: SSAValue, init: Parts | SSAValue) -> Parts | SSAValue:
        """The form in which a loop carries `argument`, or a branch gives it as result, made from a value of it."""
        return init

    def adapt(self, became: Parts | SSAValue, like: Parts | SSAValue) -> Parts | SSAValue:
        """`became` in the form of `like`, where control flow joins; refused unless they agree."""
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
        """An op without handler: copied with what is in its regions, unless one of its operands was split."""
        if not op.regions:
            mapping = {operand: self.single(operand) for operand in op.operands}
            copy = op.clone(mapping)
        else:
            copy = type(op).create(
                operands=[self.single(operand) for operand in op.operands],
                result_types=[result.type for result in op.results],
                properties=dict(op.properties),
                attributes=dict(op.attributes),
                regions=[self._copied_region(region) for region in op.regions],
                location=op.location,
            )
        self.current = op
        self.emit(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self.environment[old] = new

    def _copied_region(self, region: Region) -> Region:
        """A region of an op that hands no split value in or out."""
        if not region.blocks:
            return Region()
        arguments = len(region.blocks[0].args)
        block = self.rewrite_region(region, (), leading=arguments)
        end = region.blocks[0].last_op
        if end is not None and end.name in _REGION_ENDS:
            self.current = end
            outer, self.block = self.block, block
            self.emit(end.clone({operand: self.single(operand) for operand in end.operands}))
            self.block = outer
        return Region(block)

    # The walk.

    def rewrite_block(self, old: Block) -> None:
        """Rewrite the ops of a block into the block that is being built."""
        for op in old.ops:
            self.current = op
            self.rewrite(op)

    def rewrite(self, op: Operation) -> None:
        """Rewrite one op: by its handler, as structured control flow, or by copying it."""
        handler = self.handlers.get(op.name) or _STRUCTURED.get(op.name)
        if handler is not None:
            handler(self, op)
        else:
            self.other(op)

    def rewrite_region(
        self, old: Region, arguments: Sequence[Parts | SSAValue | None], *, leading: int = 0
    ) -> Block:
        """A new block for a region whose first `leading` arguments stay and whose others became `arguments`."""
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
            assert like is not None
            self.environment[argument] = _carried(block, argument, like)
        outer, self.block = self.block, block
        self.rewrite_block(old_block)
        self.block = outer
        return block

    def flatten(self, values: Sequence[Parts | SSAValue]) -> list[SSAValue]:
        """The carried values in order."""
        flat: list[SSAValue] = []
        for value in values:
            flat.extend(value.values if isinstance(value, Parts) else (value,))
        return flat

    def bind_results(
        self, old: Sequence[SSAValue], new: Sequence[SSAValue], like: Sequence[Parts | SSAValue]
    ) -> None:
        """Give the results of a rebuilt control flow op to the old results, in the form of `like`."""
        start = 0
        for result, form in zip(old, like, strict=True):
            if isinstance(form, Parts):
                stop = start + len(form.values)
                self.bind(result, form.with_values(new[start:stop]))
            else:
                stop = start + 1
                self.bind(result, new[start])
            start = stop


def _name(value: SSAValue, like: SSAValue) -> None:
    if value.name_hint is None:
        value.name_hint = like.name_hint


def _copy_argument(block: Block, argument: SSAValue, type: Attribute) -> BlockArgument:
    copy = block.insert_arg(type, len(block.args))
    if isinstance(argument, BlockArgument):
        copy.location = argument.location
    copy.name_hint = argument.name_hint
    return copy


def _carried(block: Block, argument: SSAValue, like: Parts | SSAValue) -> Parts | SSAValue:
    if isinstance(like, Parts):
        return like.with_values([_copy_argument(block, argument, v.type) for v in like.values])
    return _copy_argument(block, argument, like.type)


def _yield_like(
    expansion: Expansion, operands: Sequence[SSAValue], forms: Sequence[Parts | SSAValue]
) -> list[SSAValue]:
    adapted = [
        expansion.adapt(expansion.get(value), form)
        for value, form in zip(operands, forms, strict=True)
    ]
    return expansion.flatten(adapted)


def _rewrite_for(expansion: Expansion, op: Operation) -> None:
    lower, upper, step = (expansion.single(operand) for operand in op.operands[:3])
    old_body = op.regions[0].blocks[0]
    forms = [
        expansion.loop_parts(argument, expansion.get(init))
        for argument, init in zip(old_body.args[1:], op.operands[3:], strict=True)
    ]
    body = expansion.rewrite_region(op.regions[0], forms, leading=1)
    _close(expansion, old_body, body, forms)
    expansion.current = op
    loop = scf.ForOp(lower, upper, step, expansion.flatten(forms), Region(body))
    loop.attributes.update(op.attributes)
    expansion.emit(loop)
    expansion.bind_results(op.results, loop.results, forms)


def _close(expansion: Expansion, old: Block, new: Block, forms: Sequence[Parts | SSAValue]) -> None:
    """End a rebuilt region with the values of the old terminator, in the given forms."""
    terminator = old.last_op
    assert terminator is not None
    expansion.current = terminator
    outer, expansion.block = expansion.block, new
    values = _yield_like(expansion, terminator.operands, forms)
    expansion.emit(scf.YieldOp(*values))
    expansion.block = outer


def _rewrite_branches(expansion: Expansion, op: Operation) -> None:
    """An op that runs one of its regions and has what it yields: the first region says in which form."""
    operands = [expansion.single(operand) for operand in op.operands]
    blocks = [
        expansion.rewrite_region(region, ()) if region.blocks else None for region in op.regions
    ]
    forms = _yielded_forms(expansion, op.regions[0].blocks[0], blocks[0], op.results)
    for region, block in zip(op.regions[1:], blocks[1:], strict=True):
        if block is not None:
            _close(expansion, region.blocks[0], block, forms)
    expansion.current = op
    branch = type(op).create(
        operands=operands,
        result_types=_types(expansion.flatten(forms)),
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[Region(block) if block is not None else Region() for block in blocks],
        location=op.location,
    )
    expansion.emit(branch)
    expansion.bind_results(op.results, branch.results, forms)


def _yielded_forms(
    expansion: Expansion, old: Block, new: Block | None, results: Sequence[SSAValue]
) -> list[Parts | SSAValue]:
    """End a rebuilt region with its values in the form in which they leave it, and say these forms."""
    terminator = old.last_op
    assert terminator is not None
    assert new is not None
    expansion.current = terminator
    outer, expansion.block = expansion.block, new
    forms = [
        expansion.loop_parts(result, expansion.get(value))
        for result, value in zip(results, terminator.operands, strict=True)
    ]
    expansion.emit(scf.YieldOp(*expansion.flatten(forms)))
    expansion.block = outer
    return forms


def _rewrite_while(expansion: Expansion, op: Operation) -> None:
    old_before, old_after = (region.blocks[0] for region in op.regions)
    forms = [
        expansion.loop_parts(argument, expansion.get(init))
        for argument, init in zip(old_before.args, op.operands, strict=True)
    ]
    before = expansion.rewrite_region(op.regions[0], forms)
    condition = old_before.last_op
    assert condition is not None
    expansion.current = condition
    outer, expansion.block = expansion.block, before
    passed = [
        expansion.loop_parts(argument, expansion.get(value))
        for argument, value in zip(old_after.args, condition.operands[1:], strict=True)
    ]
    flag = expansion.single(condition.operands[0])
    expansion.emit(scf.ConditionOp(flag, *expansion.flatten(passed)))
    expansion.block = outer
    after = expansion.rewrite_region(op.regions[1], passed)
    _close(expansion, old_after, after, forms)
    expansion.current = op
    types = _types(expansion.flatten(passed))
    loop = scf.WhileOp(expansion.flatten(forms), types, Region(before), Region(after))
    loop.attributes.update(op.attributes)
    expansion.emit(loop)
    expansion.bind_results(op.results, loop.results, passed)


def _skip(expansion: Expansion, op: Operation) -> None:
    """Terminators of regions: their values are taken by the op that owns the region."""


_REGION_ENDS = ("scf.yield", "scf.condition")
_STRUCTURED: Mapping[str, Callable[[Expansion, Operation], None]] = {
    "scf.for": _rewrite_for,
    "scf.if": _rewrite_branches,
    "scf.index_switch": _rewrite_branches,
    "scf.execute_region": _rewrite_branches,
    "scf.while": _rewrite_while,
    **dict.fromkeys(_REGION_ENDS, _skip),
}


def operation(value: SSAValue) -> Operation | None:
    """The op that makes a value, None for a block argument."""
    return value.owner if isinstance(value.owner, Operation) else None
