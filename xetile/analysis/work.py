"""The work of a launch that follows from its kernel: the operations of its matrix products.

A product of m x n x k is 2 m n k operations, including elements outside of a surface, which are zero. Loops
count as often as they run, with the sizes and numbers of the launch.
"""

from collections.abc import Sequence
from math import isqrt, prod
from typing import NamedTuple, cast

from xdsl.dialects.builtin import IntegerType, MemRefType, VectorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from xetile.analysis.module_kernels import level, mapped_subgroups, subgroup_count
from xetile.analysis.ranges import Interval, Ranges, infer_ranges
from xetile.dialects.known_integers import known_integer
from xetile.dialects.xegpu import DpasOp
from xetile.dialects.xetile import TileMMAOp
from xetile.dialects.xevm import MMAOp
from xetile.hints import isa

PRODUCTS = (TileMMAOp, DpasOp, MMAOp)

Extents = tuple[int, int, int]


class Work(NamedTuple):
    """Operations of all workgroups, or None with the op that keeps the number unknown."""

    operations: int | None
    unknown: Operation | None = None


class _Unknown(Exception):
    def __init__(self, at: Operation) -> None:
        self.at = at


def products_of_launch(
    kernel: Operation, shapes: Sequence[Sequence[int] | int | float], grid: Extents
) -> Work:
    """Return the operations of a launch's matrix products.

    `shapes` are, for each argument, the extents of an array or its number; `grid` counts workgroups.
    """
    ranges = infer_ranges(kernel, _given(kernel, shapes))
    try:
        each = sum(_of_block(block, ranges) for block in kernel.regions[0].blocks)
    except _Unknown as unknown:
        return Work(None, unknown.at)
    if level(kernel) != "workgroup":
        each *= subgroup_count(kernel) or mapped_subgroups(kernel) or 1
    return Work(each * prod(grid))


def _given(kernel: Operation, shapes: Sequence[Sequence[int] | int | float]) -> Ranges:
    """Return the values that the launch makes known: its numbers, and extents of its arrays that the kernel reads."""
    known: Ranges = {}
    arguments = kernel.regions[0].blocks[0].args
    for argument, given in zip(arguments, shapes, strict=False):
        if isinstance(given, int):
            known[argument] = Interval(given, given)
        elif not isinstance(given, float):
            _give_extents(argument, given, known)
    return known


def _give_extents(argument: BlockArgument, shape: Sequence[int], known: Ranges) -> None:
    if not isa(argument.type, MemRefType):
        return
    for use in argument.uses:
        user = use.operation
        if user.name == "memref.dim":
            dimension = known_integer(user.operands[1])
            if dimension is not None and 0 <= dimension < len(shape):
                known[user.results[0]] = Interval(shape[dimension], shape[dimension])
        elif user.name == "memref.extract_strided_metadata":
            for result, size in zip(user.results[2:], shape, strict=False):
                known[result] = Interval(size, size)


def _of_block(block: Block, ranges: Ranges) -> int:
    return sum(_of_op(op, ranges) for op in block.ops)


def _of_op(op: Operation, ranges: Ranges) -> int:
    if isinstance(op, MMAOp):
        return 2 * prod(op.shape.sizes)
    if isinstance(op, PRODUCTS):
        left, right, result = (_shape(value) for value in (*op.operands[:2], op.results[0]))
        if len(left) == 1:  # a lane's part of a dpas
            raise _Unknown(op)
        # m k, k n and m n elements, whatever blocks they are in
        return 2 * isqrt(prod((*left, *right, *result)))
    if op.name == "func.call":
        raise _Unknown(op)
    inner = [sum(_of_block(block, ranges) for block in region.blocks) for region in op.regions]
    if not any(inner):
        return 0
    if op.name == "scf.for":
        return inner[0] * _rounds(op, ranges)
    if op.name == "scf.if":
        return inner[_branch(op, ranges)]
    raise _Unknown(op)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return cast("VectorType[Attribute]", value.type).get_shape()


def _rounds(op: Operation, ranges: Ranges) -> int:
    first, end, step = (_exact(op, index, ranges) for index in range(3))
    return max(0, -((first - end) // step)) if step > 0 else 0


def _branch(op: Operation, ranges: Ranges) -> int:
    """Return the index of the region of an scf.if that is executed; an i1 is 0 or 1 here."""
    return 0 if _exact(op, 0, ranges) else 1


def _exact(op: Operation, operand: int, ranges: Ranges) -> int:
    value = op.operands[operand]
    known = ranges.get(value)
    if known is None or known.low != known.high:
        raise _Unknown(op)
    return known.low


def holds_float_products(kernel: Operation) -> bool:
    """Return True if any matrix product of the kernel is one of floats."""
    products = (op for op in kernel.walk() if isinstance(op, PRODUCTS))
    types = (cast("VectorType[Attribute]", op.results[0].type) for op in products)
    return any(not isinstance(type.element_type, IntegerType) for type in types)
