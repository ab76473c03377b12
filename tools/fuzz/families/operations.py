"""Mutations of IR: ops erased, moved, repeated, given other operands of the same types."""

from collections.abc import Callable
from random import Random

from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue

from tools.fuzz.families.attributes import change_attribute
from xetile.dialects.upstream.arith import ConstantOp

Mutation = Callable[[Random, Operation, ModuleOp], None]


def _other_operand(random: Random, op: Operation, module: ModuleOp) -> None:
    if not op.operands:
        return
    number = random.randrange(len(op.operands))
    same = [v for v in _values(module) if v.type == op.operands[number].type]
    op.operands[number] = random.choice(same)


def _erase(random: Random, op: Operation, module: ModuleOp) -> None:
    """Without the op; its results' users take other values of the same types."""
    inside = set(_values(op))
    for result in op.results:
        others = [v for v in _values(module) if v.type == result.type and v not in inside]
        if not others:
            return
        result.replace_all_uses_with(random.choice(others))
    op.detach()
    op.erase(safe_erase=False)


def _repeat(random: Random, op: Operation, module: ModuleOp) -> None:
    block = op.parent
    if block is not None and op is not block.last_op:
        block.insert_op_after(op.clone(), op)


def _move(random: Random, op: Operation, module: ModuleOp) -> None:
    block = op.parent
    if block is None or op is block.last_op or block.first_op is block.last_op:
        return
    op.detach()
    block.insert_op_before(op, random.choice(list(block.ops)))


def _wrap(random: Random, op: Operation, module: ModuleOp) -> None:
    """The op inside a loop that runs once, if nothing after it needs its results."""
    block = op.parent
    if block is None or op is block.last_op or any(result.uses for result in op.results):
        return
    zero, one = (ConstantOp(IntegerAttr(n, IndexType())) for n in (0, 1))
    body = Block(arg_types=[IndexType()])
    block.insert_ops_before([zero, one], op)
    loop = ForOp(zero.results[0], one.results[0], one.results[0], [], Region(body))
    block.insert_op_before(loop, op)
    op.detach()
    body.add_ops([op, YieldOp()])


def _values(op: Operation) -> list[SSAValue]:
    values: list[SSAValue] = []
    for inner in op.walk():
        values.extend(inner.results)
        for region in inner.regions:
            for block in region.blocks:
                values.extend(block.args)
    return values


_MUTATIONS: tuple[Mutation, ...] = (
    _other_operand,
    _other_operand,
    _erase,
    _repeat,
    _move,
    lambda random, op, module: change_attribute(random, op),
    _wrap,
)


def mutate_operations(random: Random, module: ModuleOp) -> None:
    """One to three ops or attributes changed in place; operands keep their types."""
    for _ in range(random.choice((1, 1, 2, 3))):
        operations = [op for op in module.walk() if op.parent is not None]
        random.choice(_MUTATIONS)(random, random.choice(operations), module)
