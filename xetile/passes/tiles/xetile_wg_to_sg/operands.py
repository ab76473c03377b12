"""Operands of products that a loop computes: a place for their exchange, should each element have one owner.

Before:

    %b = arith.sitofp %w : vector<32x256xi8> to vector<32x256xf16>
    %d = xetile.tile_mma %a, %b ...

After, where the map of `%b` gives each element to several subgroups:

    %b = arith.sitofp %w : vector<32x256xi8> to vector<32x256xf16>
    %s = xetile.tile_conv_layout %b {wg_map_source = MAP, wg_map_result = MAP} : vector<32x256xf16>
    %d = xetile.tile_mma %a, %s ...

`planning/distribution/holdings` decides whether the source is held otherwise; where it is not, such an op leaves
nothing behind.
"""

from xdsl.ir import Operation, SSAValue

from xetile.dialects.xetile import TileConvLayoutOp, TileMMAOp, WorkgroupMapAttr
from xetile.planning.distribution.operands import computed_operands


def cut_operands(
    function: Operation, maps: dict[SSAValue, WorkgroupMapAttr]
) -> list[Operation]:
    """The ops that now stand behind the operands which subgroups may make together; `maps` gets theirs too."""
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
