"""Resolve disagreeing maps in a kernel that leaves them to us: insert a `tile_conv_layout` and emit a remark.

Before (2 x 2 subgroups; the result of one product is cut along the K of the next one):

    %s = xetile.tile_mma %q, %k : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
    %p = arith.truncf %s : vector<32x32xf32> to vector<32x32xf16>
    %d = xetile.tile_mma %p, %v : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>

After:

    %p = arith.truncf %s : vector<32x32xf32> to vector<32x32xf16>
    %whole = xetile.tile_conv_layout %p {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 32]>}
        : vector<32x32xf16>
    %d = xetile.tile_mma %whole, %v : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
"""

from xdsl.ir import Operation, SSAValue

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.analysis.maps.map_words import a_conversion, name_of
from xetile.analysis.maps.propagation import Disagreement, Disputed
from xetile.analysis.module_kernels import sg_layout_of
from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.xetile import TileConvLayoutOp, WorkgroupMapAttr
from xetile.errors import remark


def agreed_maps(function: Operation) -> dict[SSAValue, WorkgroupMapAttr]:
    """Return the maps of a workgroup-level function; insert conversions if it specifies its `xetile.sg_layout`.

    Errors: XetileError as from `infer_workgroup_maps`, if no conversion of a vector makes the maps agree.
    """
    converted: set[tuple[Operation, Disputed]] = set()
    while True:
        try:
            return infer_workgroup_maps(function)
        except Disagreement as found:
            if sg_layout_of(function) is None:
                raise
            for disputed in found.values:
                made = found.by, disputed
                if made not in converted and _convert(found.by, disputed):
                    converted.add(made)
                    break
            else:
                raise


def _convert(by: Operation, disputed: Disputed) -> bool:
    """Convert an op's operand to the map it needs, or its result for all others; return True if that is possible."""
    value = disputed.value
    if not is_tile_vector(value.type):
        return False
    block = by.parent
    assert block is not None
    if value in by.operands:
        map = disputed.needed
        conversion = _conversion(by, value, map)
        block.insert_op_before(conversion, by)
        for number, operand in enumerate(by.operands):
            if operand is value and disputed.operand in (None, number):
                by.operands[number] = conversion.result
    elif value.owner is by:
        map = disputed.elsewhere
        conversion = _conversion(by, value, map)
        block.insert_op_after(conversion, by)
        value.replace_uses_with_if(
            conversion.result, lambda use: use.operation is not conversion
        )
    else:
        return False
    remark(
        by,
        f"{name_of(value)} changes its subgroups here, to {map.body}, by {a_conversion(by)}",
    )
    return True


def _conversion(by: Operation, value: SSAValue, map: WorkgroupMapAttr) -> TileConvLayoutOp:
    made = TileConvLayoutOp(value, wg_map_result=map)
    made.location = by.location
    made.result.name_hint = value.name_hint
    return made
