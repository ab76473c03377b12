"""The parameters of a kernel that its ops may read from, and those that they may write to, at any level.

The addresses of an op that accesses memory are followed back: through views, tiles,
descriptors and integers, and through values that loops and branches carry. An op whose
effects are not known may do both.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects, is_side_effect_free

from xetile.dialects.traits import PrefetchesTile, ReadsTile, WritesTile, has_trait
from xetile.hints import isa

_KNOWN_NUMBERS = ("memref.dim",)
_NO_ACCESS = ("barrier", "fence", "prefetch", "print", "assert", "check", "return", "yield")
_LOADS = ("load", "read", "gather")
_STORES = ("store", "write", "scatter")


class Touched(NamedTuple):
    """Positions of parameters that may be read, and of those that may be written."""

    read: frozenset[int]
    written: frozenset[int]


def touched_parameters(kernel: Operation) -> Touched | None:
    """Return the parameters that are read and written, or None if the kernel calls functions, which may do either."""
    entry = kernel.regions[0].blocks[0]
    reads, writes = set[SSAValue](), set[SSAValue]()
    for op in kernel.walk():
        if op.name.endswith(".call"):
            return None
        reading, writing = _accesses(op)
        if reading:
            reads.update(_bases(op))
        if writing:
            writes.update(_bases(op))
    return Touched(_parameters(entry, reads), _parameters(entry, writes))


def _accesses(op: Operation) -> tuple[bool, bool]:
    """Return whether an op may read memory, and whether it may write memory."""
    last = op.name.rpartition(".")[2]
    if (op.regions and not last.endswith("atomic_rmw")) or is_side_effect_free(op):
        return False, False
    if has_trait(op, PrefetchesTile) or any(name in last for name in _NO_ACCESS):
        return False, False
    if has_trait(op, ReadsTile, WritesTile):
        return has_trait(op, ReadsTile), has_trait(op, WritesTile)
    effects = get_effects(op)
    if effects is not None:
        kinds = {effect.kind for effect in effects}
        return MemoryEffectKind.READ in kinds, MemoryEffectKind.WRITE in kinds
    loads, stores = (any(name in last for name in names) for names in (_LOADS, _STORES))
    return (loads, stores) if loads != stores else (True, True)


def _parameters(entry: Block, values: set[SSAValue]) -> frozenset[int]:
    """Return the parameters that values depend on."""
    seen, rest = set(values), list(values)
    while rest:
        for source in _addresses(_sources(rest.pop(), entry)):
            if source not in seen:
                seen.add(source)
                rest.append(source)
    return frozenset(argument.index for argument in entry.args if argument in seen)


def _sources(value: SSAValue, entry: Block) -> Iterator[SSAValue]:
    if isinstance(value, BlockArgument):
        if value.block is not entry:
            region, outer = value.block.parent, value.block.parent_op()
            assert region is not None
            assert outer is not None
            yield from outer.operands
            yield from _handed_on(region.blocks)
        return
    op = value.owner
    assert isinstance(op, Operation)
    if op.name in _KNOWN_NUMBERS:
        return
    if op.name == "memref.extract_strided_metadata" and value is not op.results[0]:
        return
    for region in op.regions:
        yield from _handed_on(region.blocks)
    if op.regions:
        yield from op.operands
    elif not _accesses(op)[0]:  # a loaded number is not an address
        yield from _bases(op)


def _bases(op: Operation) -> Sequence[SSAValue]:
    """Return the operands that address an op's memory: those that are not numbers, or all if all are numbers."""
    bases = [value for value in op.operands if not _is_number(value.type)]
    return bases or op.operands


def _handed_on(blocks: Sequence[Block]) -> Iterator[SSAValue]:
    for block in blocks:
        if block.last_op is not None:
            yield from block.last_op.operands


def _addresses(values: Sequence[SSAValue] | Iterator[SSAValue]) -> Iterator[SSAValue]:
    return (value for value in values if not _is_float(value.type))


def _is_number(type: Attribute) -> bool:
    return isinstance(type, AnyFloat | IntegerType | IndexType | VectorType)


def _is_float(type: Attribute) -> bool:
    if isa(type, VectorType[Attribute]):
        type = type.element_type
    return isinstance(type, AnyFloat)
