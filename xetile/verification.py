"""Verification that reports the innermost op that is wrong, with its place."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import StringAttr, VectorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from xetile.complaints.verifying import verify_complaint
from xetile.errors import XetileError, fail, notes_at, position

_COMPLAINTS = (DiagnosticException, ValueError)
"""Errors that verifiers raise. Other errors of xDSL's own (a failed `assert`, a bare Exception, an index that is not
there) are reported too; from a verifier of ours they are faults.
"""


def verify(module: Operation, further: Callable[[Operation], None]) -> None:
    """Check an op, such as a module, and every op in it, and that every value is defined before it is used.

    `further` is first called with every op.

    Raise XetileError with the message of the op's verifier and the op's position.
    """
    for op in module.walk():
        further(op)
        _verify_extents(op)
        _verify_symbols(op)
    try:
        module.verify()
    except XetileError:
        raise
    except Exception as complaint:
        culprit, reason = _first_wrong(module) or (None, complaint)
        if not isinstance(reason, _COMPLAINTS):
            culprit, reason = _first_malformed(module) or (culprit, reason)
        if not _is_complaint(culprit, reason):
            raise
        wrong = culprit or module
        message, notes = verify_complaint(wrong, str(reason))
        message = message or f"'{wrong.name}' does not verify"
        raise XetileError(message, position(wrong), notes) from complaint
    _verify_order(module, set())


def _verify_extents(op: Operation) -> None:
    """Raise for empty vectors, as MLIR does; xDSL 0.75 accepts them."""
    for value in op.results:
        if not isinstance(value.type, VectorType):
            continue
        type = cast("VectorType[Attribute]", value.type)
        if 0 in type.get_shape():
            fail(op, f"{type} has no elements; the extents of a vector are positive")


def _verify_symbols(op: Operation) -> None:
    """Raise at a second symbol of one name; xDSL 0.75 reports the op around it."""
    if not op.has_trait(SymbolTable, value_if_unregistered=False):
        return
    if len(op.regions) != 1 or len(op.regions[0].blocks) != 1:
        return  # the op's own verifier reports it
    first: dict[StringAttr, Operation] = {}
    for inner in op.regions[0].block.ops:
        name = inner.get_attr_or_prop("sym_name")
        if not isinstance(name, StringAttr):
            continue
        if name in first:
            fail(
                inner,
                f"redefinition of symbol '{name.data}'; give one of the two another name",
                notes_at(first[name], "previously defined here"),
            )
        first[name] = inner


def _is_complaint(op: Operation | None, error: Exception) -> bool:
    by_xdsl = op is not None and type(op).__module__.startswith("xdsl.")
    return by_xdsl or isinstance(error, _COMPLAINTS)


def _inside_out(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _inside_out(inner)
    yield op


def _first_wrong(module: Operation) -> tuple[Operation, Exception] | None:
    """Return the first op, inner ones first, whose own verifier raises, and its error."""
    for op in _inside_out(module):
        try:
            op.verify(verify_nested_ops=False)
            for region in op.regions:
                _verify_terminators(region)
        except Exception as complaint:
            return op, complaint
    return None


def _first_malformed(module: Operation) -> tuple[Operation, Exception] | None:
    """Return the first op, outer ones first, that violates its definition, which makes other verifiers fail."""
    for op in module.walk():
        if not isinstance(op, IRDLOperation):
            continue
        try:
            op.get_irdl_definition().verify(op)
        except VerifyException as complaint:
            return op, complaint
        except Exception:  # traits look at other ops, which may be the ones
            continue
    return None


def _verify_terminators(region: Region) -> None:
    """Run the checks of empty blocks, which are not those of ops."""
    for block in region.blocks:
        if not block.ops:
            block.verify()


def _verify_order(op: Operation, defined: set[SSAValue]) -> None:
    """Raise for a use before its definition, or on a path without it; `defined` is unchanged afterwards."""
    for region in op.regions:
        if not region.blocks:
            continue
        blocks = _immediately_dominated(region) if len(region.blocks) > 1 else {}
        waiting = [(region.blocks[0], False)]
        while waiting:
            block, is_left = waiting.pop()
            if is_left:
                defined.difference_update(_values(block))
                continue
            waiting.append((block, True))
            waiting.extend((inner, False) for inner in blocks.get(block, ()))
            _verify_block_order(block, defined)
        if blocks:
            _verify_unreachable(region, blocks.keys(), defined)


def _verify_block_order(block: Block, defined: set[SSAValue]) -> None:
    """Raise for a use before its definition; add the values that the block defines."""
    defined.update(block.args)
    for op in block.ops:
        for number, operand in enumerate(op.operands):
            if operand not in defined:
                fail(
                    op,
                    f"operand {_name(operand, number)} is used before it is defined",
                    notes_at(operand, "defined here"),
                )
        _verify_order(op, defined)
        defined.update(op.results)


def _verify_unreachable(
    region: Region, reached: Collection[Block], defined: set[SSAValue]
) -> None:
    """Let unreachable blocks use all values of their region, as in MLIR; regions of their ops keep their order."""
    dead = [block for block in region.blocks if block not in reached]
    if not dead:
        return
    all_values = {*defined, *(value for block in region.blocks for value in _values(block))}
    for block in dead:
        for op in block.ops:
            _verify_order(op, all_values)


def _values(block: Block) -> Iterator[SSAValue]:
    yield from block.args
    for op in block.ops:
        yield from op.results


def _immediately_dominated(region: Region) -> dict[Block, list[Block]]:
    """Return the blocks that each reachable block immediately dominates; all of these are keys.

    xDSL 0.75's `DominanceInfo` counts branches from unreachable blocks, which MLIR does not. Source: Cooper,
    Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
    """
    order = _reverse_postorder(region.blocks[0])
    number = {block: place for place, block in enumerate(order)}
    before: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for target in _successors(block):
            before[target].append(block)
    dominator = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [b for b in before[block] if b in dominator]
            found = known[0]
            for other in known[1:]:
                while found is not other:
                    if number[found] > number[other]:
                        found = dominator[found]
                    else:
                        other = dominator[other]
            changed |= dominator.get(block) is not found
            dominator[block] = found
    dominated: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order[1:]:
        dominated[dominator[block]].append(block)
    return dominated


def _reverse_postorder(entry: Block) -> list[Block]:
    """Return the reachable blocks, each before its successors except for back edges."""
    left: list[Block] = []
    seen = {entry}
    waiting = [(entry, iter(_successors(entry)))]
    while waiting:
        block, targets = waiting[-1]
        target = next((t for t in targets if t not in seen), None)
        if target is None:
            waiting.pop()
            left.append(block)
        else:
            seen.add(target)
            waiting.append((target, iter(_successors(target))))
    return left[::-1]


def _successors(block: Block) -> Sequence[Block]:
    return () if block.last_op is None else block.last_op.successors


def _name(value: SSAValue, number: int) -> str:
    if value.name_hint is None or isinstance(value, BlockArgument):
        return str(number)
    return f"%{value.name_hint}"
