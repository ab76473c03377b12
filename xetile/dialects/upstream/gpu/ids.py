"""The ops that tell a work-item where it is."""

from abc import ABC
from collections.abc import Mapping
from typing import Literal

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from xetile.dialects.upstream.gpu.attributes import Dimension, DimensionAttr


def bound_property(upper_bound: int | None) -> dict[str, Attribute]:
    """The property that says that an id is below `upper_bound`."""
    if upper_bound is None:
        return {}
    return {"upper_bound": IntegerAttr.from_index_int_value(upper_bound)}


def parse_upper_bound(parser: Parser) -> dict[str, Attribute]:
    """Read `upper_bound N`, if present."""
    if parser.parse_optional_keyword("upper_bound") is None:
        return {}
    return bound_property(parser.parse_integer(allow_boolean=False))


def print_upper_bound(printer: Printer, upper_bound: IntegerAttr[IndexType] | None) -> None:
    """Print `upper_bound N`, if there is one."""
    if upper_bound is not None:
        printer.print_string(f" upper_bound {upper_bound.value.data}")


class DimensionOperation(IRDLOperation, ABC):
    """An op with one result for one axis: `gpu.block_id x`."""

    dimension = prop_def(DimensionAttr)
    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType())

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
            properties={"dimension": dimension, **bound_property(upper_bound)},
            attributes=dict(attributes or {}),
        )

    @classmethod
    def parse(cls, parser: Parser) -> "DimensionOperation":
        """Read `x upper_bound N {...}`."""
        dimension = DimensionAttr(parser.parse_str_enum(Dimension))
        operation = cls(dimension)
        operation.properties |= parse_upper_bound(parser)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print `x upper_bound N {...}`; mlir-opt has two spaces before the axis."""
        printer.print_string(f"  {self.dimension.data}")
        print_upper_bound(printer, self.upper_bound)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class BlockIdOp(DimensionOperation):
    """The workgroup's coordinate in the grid."""

    name = "gpu.block_id"


@irdl_op_definition
class BlockDimOp(DimensionOperation):
    """The number of work-items of a workgroup along one axis."""

    name = "gpu.block_dim"


@irdl_op_definition
class GridDimOp(DimensionOperation):
    """The number of workgroups of the grid along one axis."""

    name = "gpu.grid_dim"


@irdl_op_definition
class ThreadIdOp(DimensionOperation):
    """The work-item's coordinate in its workgroup."""

    name = "gpu.thread_id"


@irdl_op_definition
class GlobalIdOp(DimensionOperation):
    """The work-item's coordinate in the grid: block_id * block_dim + thread_id."""

    name = "gpu.global_id"


@irdl_op_definition
class ClusterIdOp(DimensionOperation):
    """The cluster's coordinate in the grid."""

    name = "gpu.cluster_id"


@irdl_op_definition
class ClusterDimOp(DimensionOperation):
    """The number of clusters of the grid along one axis."""

    name = "gpu.cluster_dim"


@irdl_op_definition
class ClusterDimBlocksOp(DimensionOperation):
    """The number of workgroups of a cluster along one axis."""

    name = "gpu.cluster_dim_blocks"


@irdl_op_definition
class ClusterBlockIdOp(DimensionOperation):
    """The workgroup's coordinate in its cluster."""

    name = "gpu.cluster_block_id"


class SubgroupOperation(IRDLOperation, ABC):
    """An op with one index result and no axis: `gpu.subgroup_id : index`."""

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(
        self,
        upper_bound: int | None = None,
        *,
        attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        super().__init__(
            result_types=[IndexType()],
            properties=bound_property(upper_bound),
            attributes=dict(attributes or {}),
        )


class TypedSubgroupOperation(SubgroupOperation, ABC):
    """One that writes its type: `gpu.subgroup_id upper_bound 4 : index`."""

    @classmethod
    def parse(cls, parser: Parser) -> "TypedSubgroupOperation":
        """Read `upper_bound N {...} : index`."""
        operation = cls()
        operation.properties |= parse_upper_bound(parser)
        operation.attributes |= parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        if parser.parse_type() != IndexType():
            parser.raise_error(f"the result of {cls.name} is index", position, parser.pos)
        return operation

    def print(self, printer: Printer) -> None:
        """Print `upper_bound N {...} : index`."""
        print_upper_bound(printer, self.upper_bound)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : index")


@irdl_op_definition
class SubgroupIdOp(TypedSubgroupOperation):
    """The subgroup's number in its workgroup."""

    name = "gpu.subgroup_id"


@irdl_op_definition
class SubgroupSizeOp(TypedSubgroupOperation):
    """The number of lanes of a subgroup."""

    name = "gpu.subgroup_size"


@irdl_op_definition
class NumSubgroupsOp(TypedSubgroupOperation):
    """The number of subgroups of a workgroup."""

    name = "gpu.num_subgroups"


@irdl_op_definition
class LaneIdOp(SubgroupOperation):
    """The lane's number in its subgroup."""

    name = "gpu.lane_id"

    @classmethod
    def parse(cls, parser: Parser) -> "LaneIdOp":
        """Read `upper_bound N {...}`."""
        operation = cls()
        operation.properties |= parse_upper_bound(parser)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print `upper_bound N {...}`."""
        print_upper_bound(printer, self.upper_bound)
        printer.print_op_attributes(self.attributes)
