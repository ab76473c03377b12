"""Ops that a workgroup executes once: refused, or executed by one subgroup, as repetition changes their meaning.

This module also inserts an exchange after operands of products that a loop computes, in case each element gets one
owner.

Before:

    %b = arith.sitofp %w : vector<32x256xi8> to vector<32x256xf16>
    %d = xetile.tile_mma %a, %b ...

After, if the map of `%b` gives each element to several subgroups:

    %b = arith.sitofp %w : vector<32x256xi8> to vector<32x256xf16>
    %s = xetile.tile_conv_layout %b {wg_map_source = MAP, wg_map_result = MAP} : vector<32x256xf16>
    %d = xetile.tile_mma %a, %s ...

`planning/distribution/holdings` decides if the source gets another distribution; otherwise such an op has no effect on
the output.
"""

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import MemRefType, SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.upstream import arith
from xetile.dialects.xetile import CheckOp, TileConvLayoutOp, TileMMAOp, WorkgroupMapAttr
from xetile.dialects.xetile.xetile_attributes import SHARED, memory_space_of
from xetile.errors import fail
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import SubgroupView, retyped
from xetile.planning.distribution.operands import computed_operands
from xetile.rewriting.rewriter import Handlers, on

_ALLOCATIONS = ("memref.alloc", "memref.alloca")

_INSIDE = (
    "differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; "
    "use gpu.block_id, or write the kernel at subgroup level"
)
_UPDATE = (
    "would be done once by every subgroup instead of once by the workgroup; "
    "use xetile.atomic_rmw_tile, or write the kernel at subgroup level"
)
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "gpu.subgroup_id",
            "gpu.lane_id",
            "gpu.thread_id",
            "gpu.global_id",
            "gpu.shuffle",
            "gpu.rotate",
            "gpu.subgroup_broadcast",
            "gpu.subgroup_reduce",
            "gpu.all_reduce",
        ),
        _INSIDE,
    ),
    "memref.atomic_rmw": _UPDATE,
}


def _check(view: SubgroupView, op: Operation) -> None:
    fail(op, f"'{op.name}' {_REASONS[op.name]}")


def _call(view: SubgroupView, op: Operation) -> None:
    """Let every subgroup call a function, unless the callee would then do something else."""
    name = op.properties["callee"]
    callee = SymbolTable.lookup_symbol(op, cast(SymbolRefAttr, name))
    for inner in () if callee is None else callee.walk():
        if inner.name in _REASONS:
            fail(op, f"'{op.name}' calls {name}, whose '{inner.name}' {_REASONS[inner.name]}")
    view.copy(op)


def _print(view: SubgroupView, op: Operation) -> None:
    """Print from the first subgroup for the whole workgroup."""
    first = view.new(arith.CmpiOp(view.identifier(), view.constant(0), "eq"))
    with view.only_if(first):
        view.copy(op)


def _check_condition(view: SubgroupView, op: CheckOp) -> None:
    """Emit a check in the first subgroup that holds each unit."""
    if not is_tile_vector(op.condition.type):
        _print(view, op)
        return
    units = view.units(op.condition)
    with view.first_owners(units.distribution):
        for value in units.values:
            view.emit(retyped(op, [value], []))


HANDLERS: Handlers[SubgroupView] = {
    **on(CheckOp, _check_condition),
    **dict.fromkeys(_REASONS, _check),
    "func.call": _call,
    "gpu.printf": _print,
    "vector.print": _print,
}


def check_one_buffer(op: Operation, source: SSAValue) -> None:
    """Refuse a tile of memory that every subgroup would allocate for itself."""
    root = source
    while isinstance(root.owner, Operation) and root.owner.name.startswith("memref."):
        if root.owner.name in _ALLOCATIONS:
            type = root.type
            assert isinstance(type, MemRefType)
            if memory_space_of(type.memory_space) != SHARED:
                fail(
                    op,
                    f"the tile is of a {type} that every subgroup would allocate for itself; "
                    "allocate it in shared memory (memory space 3)",
                )
            return
        if not root.owner.operands:
            return
        root = root.owner.operands[0]


def cut_operands(
    function: Operation, maps: dict[SSAValue, WorkgroupMapAttr]
) -> list[Operation]:
    """Insert ops after the operands that subgroups may make together, and return them; `maps` gets their maps."""
    made: list[Operation] = []
    for value in computed_operands(function):
        owner, map = value.owner, maps[value]
        assert isinstance(owner, Operation)
        assert owner.parent is not None
        between = TileConvLayoutOp(value, map, map)
        between.location = owner.location
        between.result.name_hint = value.name_hint
        owner.parent.insert_op_after(between, owner)
        for use in list(value.uses):
            if isinstance(use.operation, TileMMAOp) and use.index < len(("a", "b")):
                use.operation.operands[use.index] = between.result
        maps[between.result] = map
        made.append(between)
    return made
