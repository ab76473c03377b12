"""Ops under other names, in the RFC and in Intel's implementation: read, and printed under their own."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser

from xetile.dialects.xetile.atomic import AtomicRMWTileOp
from xetile.dialects.xetile.pack import TileUnpackOp
from xetile.dialects.xetile.rearrange import TileBroadcastOp, TileConvLayoutOp, TileTransposeOp
from xetile.dialects.xetile.reduce import TileReduceOp
from xetile.dialects.xetile.scattered import LoadGatherOp, StoreScatterOp

ALIASES: Mapping[str, type[IRDLOperation]] = {
    "xetile.atomic_rmw": AtomicRMWTileOp,
    "xetile.transpose": TileTransposeOp,
    "xetile.reduction": TileReduceOp,
    "xetile.reduce": TileReduceOp,
    "xetile.broadcast": TileBroadcastOp,
    "xetile.convert_layout": TileConvLayoutOp,
    "xetile.conv_layout": TileConvLayoutOp,
    "xetile.load": LoadGatherOp,
    "xetile.store": StoreScatterOp,
    "xetile.tile_upack": TileUnpackOp,
}
"""Another name to the op that is meant."""


class Alias(Operation):
    """A name that stands for another op: parsing it makes that op, none of its own kind ever exists."""

    target: ClassVar[type[IRDLOperation]]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cast(Self, cls.target.parse(parser))

    @classmethod
    def create(
        cls,
        *,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        location: LocationAttr | None = None,
        successors: Sequence[Block] = (),
        regions: Sequence[Region] = (),
    ) -> Self:
        """Make the other op, out of the generic form; properties may stand among the attributes."""
        named = cls.target.get_irdl_definition().properties
        own = dict(properties or {})
        discardable: dict[str, Attribute] = {}
        for name, attribute in (attributes or {}).items():
            (own if name in named and name not in own else discardable)[name] = attribute
        made = cls.target.create(
            operands=operands,
            result_types=result_types,
            properties=own,
            attributes=discardable,
            location=location,
            successors=successors,
            regions=regions,
        )
        return cast(Self, made)


def alias_classes() -> list[type[Operation]]:
    """A class for each alias, for the dialect's list of ops."""
    return [
        type(name.replace(".", "_"), (Alias,), {"name": name, "target": target})
        for name, target in ALIASES.items()
    ]
