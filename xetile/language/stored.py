"""Memory of a call's arrays: what is stored to is writable, and overlaps no other array but one that is the same."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, cast

from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.dialects.traits import WritesTile, has_trait
from xetile.language.refusals import refuse

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_VIEWS = ("memref.transpose", "memref.reinterpret_cast", "memref.cast")
"""Ops whose result is the memory of their first operand."""


def stored_arguments(kernel: Operation) -> frozenset[int]:
    """The numbers of the arguments that a kernel at level W stores to, or changes atomically."""
    block = kernel.regions[0].blocks[0]
    bases = [_base(value) for op in kernel.walk() for value in _stored(op)]
    return frozenset(
        base.index for base in bases if isinstance(base, BlockArgument) and base.owner is block
    )


def _stored(op: Operation) -> Iterator[SSAValue]:
    """The memory that an op changes."""
    if op.name == "memref.store":
        yield op.operands[1]
    elif has_trait(op, WritesTile):
        for operand in op.operands:
            if isinstance(owner := operand.owner, Operation) and owner.name == _TILE:
                yield owner.operands[0]


_TILE = "xetile.init_tile"


def _base(value: SSAValue) -> SSAValue:
    while isinstance(owner := value.owner, Operation) and owner.name in _VIEWS:
        value = owner.operands[0]
    return value


def check_memory(
    names: Sequence[str], given: Sequence[object], stored: Callable[[], Collection[int]]
) -> None:
    """Refuse arrays that the kernel stores to and may not, or that it sees by another argument too.

    `stored` gives the numbers of the arguments that it stores to; it is asked only where that matters. Arrays have no
    gaps, so that their bounds tell whether they overlap. Two arguments that are one array are updated in place.
    Errors: XetileError with the parameters.
    """
    arrays = [
        (number, cast("NDArray[numpy.generic]", one))
        for number, one in enumerate(given)
        if hasattr(one, "flags") and getattr(one, "ndim", 0)
    ]
    for number, array in arrays:
        if not array.flags.writeable and number in stored():
            refuse(
                f"argument '{names[number]}' is an array that is read-only; the kernel stores to it"
            )
    for (first, one), (second, other) in combinations(arrays, 2):
        if one is other or not _overlap(one, other):
            continue
        changed = next((n for n in (first, second) if n in stored()), None)
        if changed is not None:
            refuse(
                f"arguments '{names[first]}' and '{names[second]}' overlap in memory and are not the same array; "
                f"the kernel stores to '{names[changed]}'"
            )


def _overlap(one: "NDArray[numpy.generic]", other: "NDArray[numpy.generic]") -> bool:
    """Whether two arrays share some memory, and are not the same one."""
    import numpy

    return numpy.may_share_memory(one, other) and _seen(one) != _seen(other)


def _seen(array: "NDArray[numpy.generic]") -> tuple[object, ...]:
    return array.ctypes.data, array.dtype, array.shape, array.strides
