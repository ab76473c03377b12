"""Write the map of every workgroup-level vector and tile into the IR.

All other maps follow from those that are written, forward and backward (analysis/maps). They are written into the types
of tiles, into `wg_map_a`, `wg_map_result`, ... of XeTile's vector ops, and into `wg_map` of the ops of other dialects.
A second run changes nothing.

Before (8 x 4 subgroups; only the product has a map):

    %a = xetile.init_tile %A[%m, 0] : memref<512x32xf16> -> !xetile.tile<256x32xf16>
    %va = xetile.load_tile %a : !xetile.tile<256x32xf16> -> vector<256x32xf16>
    %x = arith.negf %va : vector<256x32xf16>
    %d = xetile.tile_mma %x, %b {wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>}
        : vector<256x32xf16>, vector<32x256xf16> -> vector<256x256xf32>

After:

    %a = xetile.init_tile %A[%m, 0] : memref<512x32xf16>
        -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>
    %va = xetile.load_tile %a : !xetile.tile<256x32xf16, ...> -> vector<256x32xf16>
    %x = arith.negf %va {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>} : vector<256x32xf16>
    %d = xetile.tile_mma %x, %b {wg_map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>, wg_map_b = ...,
        wg_map_c = ...} : vector<256x32xf16>, vector<32x256xf16> -> vector<256x256xf32>

A constant (or splat, or mask) without a map of its own is copied for each map that its users need. That costs no data,
while a `tile_conv_layout` would move some. One without uses is removed. The vector dialect's reductions of rows or
columns become `tile_reduce` (vector_reductions.py). If maps disagree in a kernel that only specifies its
`xetile.sg_layout`, a `tile_conv_layout` is inserted between (agreement.py).
"""

from dataclasses import dataclass
from itertools import islice
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xetile.analysis.maps.rules import is_fresh, map_names
from xetile.analysis.module_kernels import functions, level
from xetile.dialects.xetile import TileType, WorkgroupMapAttr
from xetile.passes.tiles.xetile_infer_wg_map.agreement import agreed_maps
from xetile.passes.tiles.xetile_infer_wg_map.vector_reductions import raise_vector_reductions
from xetile.rewriting.grouped_reductions import expand_grouped_reductions
from xetile.rewriting.straight_blocks import merge_straight_blocks

Maps = dict[SSAValue, WorkgroupMapAttr]


def write_workgroup_maps(function: Operation) -> None:
    """Write the maps of a workgroup-level function into it.

    Errors: XetileError if they contradict one another or do not follow (`infer_workgroup_maps`).
    """
    merge_straight_blocks(function)
    raise_vector_reductions(function)
    expand_grouped_reductions(function)
    copies = _copy_per_use(function)
    maps = agreed_maps(function)
    for op in function.walk():
        _write_attributes(op, maps)
    _write_types(function, maps)
    for made in copies:
        _join_equal(made)


def _copy_per_use(function: Operation) -> list[list[Operation]]:
    """Give each use of a constant, splat or mask a copy, and return the copies of each in the order of the uses."""
    uses: dict[SSAValue, list[tuple[Operation, int]]] = {}
    for op in function.walk():
        for result in op.results:
            if is_fresh(result):
                uses[result] = []
        for number, operand in enumerate(op.operands):
            if operand in uses:
                uses[operand].append((op, number))
    return [made for value, users in uses.items() if (made := _copies(value, users))]


def _copies(value: SSAValue, users: list[tuple[Operation, int]]) -> list[Operation]:
    """Return the op of a value, followed by a copy for each further use."""
    op = cast(Operation, value.owner)
    block = op.parent
    assert block is not None
    if not users:
        op.detach()
        op.erase()
        return []
    made = [op]
    for user, number in islice(users, 1, None):
        copy = op.clone()
        block.insert_op_after(copy, made[-1])
        user.operands[number] = copy.results[0]
        made.append(copy)
    return made


def _join_equal(made: list[Operation]) -> None:
    kept: dict[object, Operation] = {}
    for op in made:
        first = kept.setdefault(op.attributes.get("wg_map"), op)
        if first is not op:
            op.results[0].replace_all_uses_with(first.results[0])
            op.detach()
            op.erase()


def _write_attributes(op: Operation, maps: Maps) -> None:
    for name, value, _ in map_names(op):
        if value in maps:
            op.properties[name] = maps[value]
    if op.name.partition(".")[0] in ("xetile", "scf"):
        return
    for result in op.results:
        if result in maps and not isinstance(result.type, TileType):
            op.attributes["wg_map"] = maps[result]


def _write_types(function: Operation, maps: Maps) -> None:
    for value, map in maps.items():
        if isinstance(value.type, TileType) and value.type.wg_map is None:
            typed = Rewriter.replace_value_with_new_type(value, value.type.with_(wg_map=map))
            if isinstance(value, BlockArgument) and isinstance(typed, BlockArgument):
                typed.location = value.location
    old = function.properties.get("function_type")
    if isinstance(old, FunctionType):
        inputs = [argument.type for argument in function.regions[0].blocks[0].args]
        count = len(old.inputs)
        function.properties["function_type"] = FunctionType.from_lists(
            inputs[:count], list(old.outputs)
        )


@dataclass(frozen=True)
class XeTileInferWgMap(ModulePass):
    """Derive the wg_map of every workgroup-level value from those that are written."""

    name = "xetile-infer-wg-map"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(functions(op)):
            if level(function) == "workgroup":
                write_workgroup_maps(function)
