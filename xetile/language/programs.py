"""The workgroup: which one it is, what its subgroups share, where they wait for each other."""

from collections.abc import Sequence
from typing import Literal, cast

from xetile.language.arithmetic import element_of
from xetile.language.arrays import Array
from xetile.language.builder import current, named
from xetile.language.indices import Index
from xetile.language.literals import number_of
from xetile.language.memories import Memory
from xetile.language.refusals import refuse
from xetile.language.surfaces import SHARED, Surface
from xetile.language.types import ArrayType, ElementType

_AXES: dict[int, Literal["x", "y", "z"]] = {0: "x", 1: "y", 2: "z"}


def program_id(axis: int) -> Index:
    """The workgroup's place in the grid along axis 0, 1 or 2 (x, y, z)."""
    from xetile.dialects.upstream.gpu import BlockIdOp

    letter = _axis("program_id", axis)
    value = current().pure_of(BlockIdOp, letter)
    return Index.of(named(value, f"block_{letter}"))


def num_programs(axis: int) -> Index:
    """How many workgroups the grid has along axis 0, 1 or 2 (x, y, z)."""
    from xetile.dialects.upstream.gpu import GridDimOp

    letter = _axis("num_programs", axis)
    value = current().pure_of(GridDimOp, letter)
    return Index.of(named(value, f"blocks_{letter}"))


def _axis(name: str, axis: object) -> Literal["x", "y", "z"]:
    if isinstance(axis, bool) or not isinstance(axis, int) or axis not in _AXES:
        refuse(f"xt.{name}({axis!r}); a grid has axes 0, 1 and 2")
    return _AXES[axis]


def barrier() -> None:
    """All subgroups of the workgroup wait for each other; what they stored before is seen by all after."""
    from xetile.dialects.upstream.gpu import BarrierOp

    current().insert(BarrierOp())


def shared(shape: tuple[int, ...], type: ElementType) -> Array:
    """An array in the workgroup's shared memory, of extents that are known; it holds nothing at first.

    Between a store and what another subgroup loads of it stands xt.barrier().
    Errors: XetileError for extents that are not known.
    """
    from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
    from xdsl.dialects.memref import AllocOp

    element, found = element_of(type), _extents(shape)
    kind = MemRefType(element.attribute, found, memory_space=IntegerAttr(SHARED, i64))
    value = current().at_entry(AllocOp((), (), kind))
    memory = Memory(Surface(value, element, found, shared=True))
    return Array(value, ArrayType(element, found), found, memory)


def _extents(shape: object) -> tuple[int, ...]:
    every = cast("Sequence[object]", shape) if isinstance(shape, tuple | list) else (shape,)
    numbers = [number_of(extent) for extent in every]
    found = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and n > 0]
    if len(found) != len(numbers) or not found:
        refuse(
            f"xt.shared of shape {shape!r}; its extents are known before it runs, such as (64, 32)"
        )
    return tuple(found)
