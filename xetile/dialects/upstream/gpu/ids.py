"""The ops that tell a work-item where it is; xDSL 0.75 lacks most of them, and a form of any.

test/unit/dialects/upstream/test_gpu.py tells when it has one.
"""

from abc import ABC
from collections.abc import Mapping
from typing import Literal, TypeVar, cast

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.gpu.attributes import Dimension, DimensionAttr


def _bound(upper_bound: int | None) -> IntegerAttr[IndexType] | None:
    return None if upper_bound is None else IntegerAttr.from_index_int_value(upper_bound)


class DimensionOperation(IRDLOperation, ABC):
    """An op with one result for one axis: `gpu.block_id  x upper_bound 64`."""

    dimension = prop_def(DimensionAttr)
    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType())

    assembly_format = "` ` $dimension (`upper_bound` $upper_bound^)? attr-dict"

    traits = traits_def(Pure())

    def __init__(
        self,
        dimension: DimensionAttr | Literal["x", "y", "z"],
        upper_bound: int | None = None,
        *,
        attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        if not isinstance(dimension, DimensionAttr):
            dimension = DimensionAttr(Dimension(dimension))
        super().__init__(
            result_types=[IndexType()],
            properties={"dimension": dimension, "upper_bound": _bound(upper_bound)},
            attributes=dict(attributes or {}),
        )


class SubgroupOperation(IRDLOperation, ABC):
    """An op with one result and no axis: `gpu.subgroup_id upper_bound 4 : index`."""

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType())

    assembly_format = "(`upper_bound` $upper_bound^)? attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(
        self,
        upper_bound: int | None = None,
        *,
        attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        super().__init__(
            result_types=[IndexType()],
            properties={"upper_bound": _bound(upper_bound)},
            attributes=dict(attributes or {}),
        )


_Id = TypeVar("_Id", bound=IRDLOperation)


def _id_op(base: type[_Id], name: str, meaning: str) -> type[_Id]:
    """An op as `base`, of another name: `gpu.block_id` is the class `BlockIdOp`."""
    members = {"__doc__": meaning, "__module__": __name__, "name": f"gpu.{name}"}
    made = type(f"{name.title().replace('_', '')}Op", (base,), members)
    return formatted_op(cast("type[_Id]", made))


def _axis_op(name: str, meaning: str) -> type[DimensionOperation]:
    return _id_op(DimensionOperation, name, meaning)


def _subgroup_op(name: str, meaning: str) -> type[SubgroupOperation]:
    return _id_op(SubgroupOperation, name, meaning)


BlockIdOp = _axis_op("block_id", "The workgroup's coordinate in the grid.")
BlockDimOp = _axis_op("block_dim", "The number of work-items of a workgroup along one axis.")
GridDimOp = _axis_op("grid_dim", "The number of workgroups of the grid along one axis.")
ThreadIdOp = _axis_op("thread_id", "The work-item's coordinate in its workgroup.")
GlobalIdOp = _axis_op(
    "global_id", "The coordinate in the grid: block_id * block_dim + thread_id."
)
ClusterIdOp = _axis_op("cluster_id", "The cluster's coordinate in the grid.")
ClusterDimOp = _axis_op("cluster_dim", "The number of clusters of the grid along one axis.")
ClusterDimBlocksOp = _axis_op(
    "cluster_dim_blocks", "The workgroups of a cluster along one axis."
)
ClusterBlockIdOp = _axis_op("cluster_block_id", "The workgroup's coordinate in its cluster.")

SubgroupIdOp = _subgroup_op("subgroup_id", "The subgroup's number in its workgroup.")
SubgroupSizeOp = _subgroup_op("subgroup_size", "The number of lanes of a subgroup.")
NumSubgroupsOp = _subgroup_op("num_subgroups", "The number of subgroups of a workgroup.")


@formatted_op
class LaneIdOp(SubgroupOperation):
    """The lane's number in its subgroup."""

    name = "gpu.lane_id"

    assembly_format = "(`upper_bound` $upper_bound^)? attr-dict"
