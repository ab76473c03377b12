"""The memref dialect: views, allocations and single elements."""

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from xetile.dialects.upstream.memref.views import dropped_dimensions, subview_type
from xetile.dialects.xetile.xetile_attributes import SHARED, memory_space_of
from xetile.errors import fail
from xetile.interpreter.common.accesses import (
    element_addresses,
    first_outside,
    load,
    store,
    update_elements,
)
from xetile.interpreter.common.ieee import IEEE
from xetile.interpreter.common.scalars import dense_values, nothing, unchanged
from xetile.interpreter.common.variables import find_variable
from xetile.interpreter.machine.allocation import (
    dense_strides,
    extents_of,
    memref_type,
    new_memref,
    slot_of,
)
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import (
    all_numbers,
    attribute,
    element,
    integers,
    mixed,
    mixed_lists,
    number,
    segments,
)
from xetile.interpreter.machine.runtime_values import Array, MemRef, Values, uniform


def _atomic_rmw(frame: Frame, op: Operation) -> Values:
    value, memref, *indices = op.operands
    at = element_addresses(frame, op, memref, all_numbers(frame, indices))
    return [update_elements(frame, op, at, element(value), frame.array(value))]


def _allocate(frame: Frame, op: Operation) -> Values:
    sizes, symbols = (all_numbers(frame, part) for part in segments(op))
    return [new_memref(frame, op, memref_type(op.results[0]), sizes, symbols)]


def _dim(frame: Frame, op: Operation) -> Values:
    found, index = frame.memref(op.operands[0]), number(frame, op.operands[1])
    rank = len(found.sizes)
    if (wrong := first_outside(index, 0, rank)) is not None:
        fail(op, f"dimension {wrong} of a memref of rank {rank}")
    if len(index) == 1:
        return [found.sizes[int(index[0])]]
    sizes = np.stack(np.broadcast_arrays(*found.sizes, index)[:rank])
    return [sizes[index, np.arange(len(index))]]


def _rank(frame: Frame, op: Operation) -> Values:
    return [uniform(len(frame.memref(op.operands[0]).sizes))]


_LISTS = ("static_offsets", "static_sizes", "static_strides")


def _subview(frame: Frame, op: Operation) -> Values:
    found = frame.memref(op.operands[0])
    offsets, sizes, steps = mixed_lists(frame, op, _LISTS, segments(op)[1:])
    offset = found.offset
    for index, stride in zip(offsets, found.strides, strict=True):
        offset = offset + index * stride
    strides = [step * stride for step, stride in zip(steps, found.strides, strict=True)]
    kept = _kept_dimensions(op)
    return [
        MemRef(
            found.base, offset, tuple(sizes[d] for d in kept), tuple(strides[d] for d in kept)
        )
    ]


def _kept_dimensions(op: Operation) -> list[int]:
    """Return the source dimensions that a subview's result keeps: all but the dropped ones of extent 1."""
    offsets, sizes, strides = (integers(op, name) for name in _LISTS)
    whole = subview_type(memref_type(op.operands[0]), (offsets, sizes, strides))
    result = memref_type(op.results[0])
    dropped = None if whole is None else dropped_dimensions(whole, result, sizes)
    if dropped is None:
        fail(op, f"the result is {result}, the subview is {whole}")
    return [dimension for dimension in range(len(sizes)) if dimension not in dropped]


def _reinterpret_cast(frame: Frame, op: Operation) -> Values:
    found = frame.memref(op.operands[0])
    offsets, sizes, strides = mixed_lists(frame, op, _LISTS, segments(op)[1:])
    return [MemRef(found.base, offsets[0], tuple(sizes), tuple(strides))]


def _view(frame: Frame, op: Operation) -> Values:
    source, shift, *dynamic = op.operands
    found, type = frame.memref(source), memref_type(op.results[0])
    sizes = extents_of(type, all_numbers(frame, dynamic))
    base = found.base + found.offset + number(frame, shift)
    return [MemRef(base, uniform(0), sizes, dense_strides(sizes))]


def _transpose(frame: Frame, op: Operation) -> Values:
    found, map = frame.memref(op.operands[0]), attribute(op, "permutation")
    assert isinstance(map, AffineMapAttr)
    order = [cast(AffineDimExpr, result).position for result in map.data.results]
    sizes, strides = (tuple(part[d] for d in order) for part in (found.sizes, found.strides))
    swizzle = tuple(found.swizzle[d] for d in order) if found.swizzle else ()
    return [found._replace(sizes=sizes, strides=strides, swizzle=swizzle)]


def _expand_shape(frame: Frame, op: Operation) -> Values:
    source, *dynamic = op.operands
    found = frame.memref(source)
    # sizes that are dynamic in the result's type may be constants here
    sizes = tuple(mixed(frame, integers(op, "static_output_shape"), dynamic))
    strides = list(sizes)
    for merged, group in enumerate(_reassociation(op)):
        stride, total = found.strides[merged], uniform(1)
        for dimension in reversed(group):
            strides[dimension] = stride
            stride, total = stride * sizes[dimension], total * sizes[dimension]
        if (total != found.sizes[merged]).any():
            split = [int(sizes[dimension].max()) for dimension in group]
            extent = int(found.sizes[merged].max())
            fail(op, f"dimension {merged} of extent {extent} is split to extents {split}")
    return [MemRef(found.base, found.offset, sizes, tuple(strides))]


def _collapse_shape(frame: Frame, op: Operation) -> Values:
    found = frame.memref(op.operands[0])
    sizes: list[Array] = []
    strides: list[Array] = []
    for group in _reassociation(op):
        size = uniform(1)
        for dimension in group:
            size = size * found.sizes[dimension]
        sizes.append(size)
        # The innermost dimension that is not of extent 1 has the stride.
        wide = [d for d in group if (found.sizes[d] != 1).any()] or group[:1]
        _check_mergeable(op, found, wide, size)
        strides.append(found.strides[wide[-1]] if wide else uniform(1))
    return [MemRef(found.base, found.offset, tuple(sizes), tuple(strides))]


def _check_mergeable(op: Operation, found: MemRef, group: Sequence[int], count: Array) -> None:
    """Raise if dimensions to be merged are not contiguous in memory."""
    for outer, inner in pairwise(group):
        needed = found.strides[inner] * found.sizes[inner]
        if ((found.strides[outer] != needed) & (count > 0)).any():
            fail(
                op,
                f"dimension {outer} has stride {int(found.strides[outer].max())}, "
                f"to be merged with dimension {inner} it needs {int(needed.max())}",
            )


def _reassociation(op: Operation) -> list[list[int]]:
    groups = attribute(op, "reassociation")
    if not isinstance(groups, ArrayAttr):
        fail(op, "'reassociation' is missing")
    lists = cast("ArrayAttr[ArrayAttr[IntegerAttr]]", groups)
    return [[index.value.data for index in group] for group in lists]


def _get_global(frame: Frame, op: Operation) -> Values:
    """Return memory of the module, the same for all threads of the launch; shared memory is one per workgroup."""
    type, name = memref_type(op.results[0]), str(attribute(op, "name")).lstrip("@")

    variable, known = find_variable(op, "memref.global", name), frame.memory.globals
    if attribute(variable, "type") != type:
        fail(op, f"the memref.global '{name}' is {attribute(variable, 'type')}, not {type}")
    if memory_space_of(type.memory_space) == SHARED:
        whole = frame.machine.keep(variable, lambda: _shared_global(frame, variable, type))
        workgroups = frame.active // frame.threads.per_workgroup
        return [whole._replace(base=whole.base[workgroups])]
    if variable not in known:
        values = np.array(_initial_values(variable)).reshape(-1)
        if attribute(variable, "constant") is not None:
            values.flags.writeable = False
        known[variable] = frame.memory.add(values, f"the global '{name}'")
    base = known[variable]
    sizes = tuple(uniform(n) for n in type.get_shape())
    return [MemRef(uniform(base), uniform(0), sizes, dense_strides(sizes))]


def _shared_global(frame: Frame, variable: Operation, type: MemRefType[Attribute]) -> MemRef:
    """Allocate a variable in the shared memory of each workgroup of the batch."""
    threads = frame.threads.per_workgroup
    firsts = np.arange(0, frame.threads.count, threads)
    return new_memref(Frame(frame.machine, firsts), variable, type, [])


def _initial_values(variable: Operation) -> Array:
    type, initial = attribute(variable, "type"), attribute(variable, "initial_value")
    assert isinstance(type, MemRefType)
    memref = cast("MemRefType[Attribute]", type)
    of = element_of(memref, variable)
    if isinstance(initial, DenseIntOrFPElementsAttr):
        dense = cast("DenseIntOrFPElementsAttr", initial)
        values = dense_values(dense, of, IEEE).reshape(-1)
        return np.broadcast_to(values, prod(memref.get_shape()))
    return np.zeros(memref.get_shape(), of.dtype)


def _alloca_scope(frame: Frame, op: Operation) -> Values:
    return frame.run(op.regions[0].block, [])


def _aligned_pointer(frame: Frame, op: Operation) -> Values:
    return [frame.memref(op.operands[0]).base]


def _strided_metadata(frame: Frame, op: Operation) -> Values:
    found = frame.memref(op.operands[0])
    buffer = MemRef(found.base, uniform(0), (), ())
    return [buffer, found.offset, *found.sizes, *found.strides]


def _copy(frame: Frame, op: Operation) -> Values:
    source, target = op.operands
    shape = _uniform_extents(frame, op, source)
    check_same_extents(op, shape, _uniform_extents(frame, op, target))
    if prod(shape) == 0:
        return []
    indices = [grid.reshape(1, *shape) for grid in np.indices(shape)]
    values = frame.read(
        op, element_addresses(frame, op, source, indices), element_of(source.type, op)
    )
    at = element_addresses(frame, op, target, indices)
    frame.write(op, at, element_of(target.type, op), values)
    return []


def _uniform_extents(frame: Frame, op: Operation, value: SSAValue) -> list[int]:
    sizes = frame.memref(value).sizes
    if any((size != size[0]).any() for size in sizes):
        fail(op, "cannot execute 'memref.copy' with different extents in different threads")
    return [int(size[0]) for size in sizes]


def check_same_extents(op: Operation, source: Sequence[int], target: Sequence[int]) -> None:
    """Refuse a copy between memrefs of different extents."""
    if list(source) != list(target):
        fail(op, f"'{op.name}' from extents {list(source)} to {list(target)}")


def _dynamic_shared(frame: Frame, op: Operation) -> Values:
    machine, type = frame.machine, memref_type(op.results[0])
    if machine.dynamic_shared is None:
        fail(
            op,
            f"the launch does not say how much memory '{op.name}' has; launch it from host code",
        )
    size = uniform(machine.dynamic_shared)
    if machine.dynamic_base is None:
        found = new_memref(frame, op, type, [size])
        first = (
            frame.active[0] // frame.threads.per_workgroup * slot_of(machine.dynamic_shared)
        )
        machine.dynamic_base = int(found.base[0] - first)
        return [found]
    workgroups = frame.active // frame.threads.per_workgroup
    base = machine.dynamic_base + workgroups * slot_of(machine.dynamic_shared)
    return [MemRef(base, uniform(0), (size,), (uniform(1),))]


HANDLERS: Handlers = {
    "gpu.dynamic_shared_memory": _dynamic_shared,
    "memref.load": load,
    "memref.store": store,
    "memref.atomic_rmw": _atomic_rmw,
    "memref.alloc": _allocate,
    "memref.alloca": _allocate,
    "memref.dealloc": nothing,
    "memref.cast": unchanged,
    "memref.memory_space_cast": unchanged,
    "memref.assume_alignment": unchanged,
    "memref.dim": _dim,
    "memref.rank": _rank,
    "memref.expand_shape": _expand_shape,
    "memref.collapse_shape": _collapse_shape,
    "memref.get_global": _get_global,
    "memref.alloca_scope": _alloca_scope,
    "memref.subview": _subview,
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.view": _view,
    "memref.transpose": _transpose,
    "memref.extract_aligned_pointer_as_index": _aligned_pointer,
    "memref.extract_strided_metadata": _strided_metadata,
    "memref.copy": _copy,
}
