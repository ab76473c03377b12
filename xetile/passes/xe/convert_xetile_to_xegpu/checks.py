"""The requirements on a blocked kernel before it is lowered."""

from math import prod

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import CheckOp, TileMMAOp, TileType
from xetile.errors import fail, remark
from xetile.targets import which_multiply
from xetile.targets.xe.device import XeDevice

MOST_BLOCKS = 1 << 14
"""A bound on unrolled blocks, hundreds of times what the registers of a subgroup hold."""


def check_instruction(target: XeDevice, op: TileMMAOp) -> None:
    """Refuse element types and blocks that no matrix instruction of the device supports."""
    vectors = [vector_type(value) for value in (op.a, op.b, op.result)]
    a, b, c = (vector.element_type for vector in vectors)
    instruction = target.matrix_instruction(a, b, c)
    if instruction is None:
        fail(
            op,
            f"{target.name} has no matrix instruction for A {a}, B {b}, accumulator {c}{which_multiply(a, b, c)}; "
            f"it has {target.describe_products()}",
        )
    if vectors[0].get_num_dims() != 4:
        fail(op, f"{vectors[0]} is not in blocks, run xetile-blocking first")
    m, k = vectors[0].get_shape()[2:]
    n = vectors[1].get_shape()[3]
    if m not in instruction.m or instruction.n % n != 0 or instruction.k % k != 0:
        fail(
            op,
            f"blocks of m = {m}, n = {n}, k = {k}; the matrix instruction of {target.name} for {a} takes "
            f"m of {', '.join(map(str, instruction.m))}, n = {instruction.n}, k = {instruction.k}, "
            "and of n and k what divides these",
        )


def tell_of_checks(function: Operation) -> None:
    """Remark that a kernel's `xetile.check` is dropped here: a device has no way to report to its host."""
    first = next((op for op in function.walk() if isinstance(op, CheckOp)), None)
    if first is not None:
        remark(
            first,
            "checks are executed on numpy, down to level blocked; what is compiled has none",
        )


def check_blocks(op: Operation) -> None:
    """Refuse ops with too many blocks: each becomes a value of its own, which takes registers and compile time."""
    for value in (*op.operands, *op.results):
        type = value.type
        if isinstance(type, TileType):
            shape = type.value_shape
        else:
            shape = type.get_shape() if isinstance(type, VectorType) else ()
        blocks = prod(shape[:2]) if len(shape) == 4 else 1
        if blocks > MOST_BLOCKS:
            fail(
                op,
                f"{type} has {blocks} blocks, expected at most {MOST_BLOCKS} in one subgroup; "
                "make the tile smaller, or share it among more subgroups",
            )
