"""Ops under other names, in the RFC and in Intel's implementation: read, and printed under their own."""

from collections.abc import Mapping
from typing import ClassVar, Self, cast

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser

from xetile.dialects.renamed import Parts, Renamed
from xetile.dialects.xetile.rearrange import (
    TileBroadcastOp,
    TileConvLayoutOp,
    TileReduceOp,
    TileTransposeOp,
    TileUnpackOp,
)
from xetile.dialects.xetile.tile_accesses import AtomicRMWTileOp, LoadGatherOp, StoreScatterOp

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


class Alias(Renamed):
    """Another name of an op of the dialect."""

    target: ClassVar[type[IRDLOperation]]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cast(Self, cls.target.parse(parser))

    @classmethod
    def become(cls, parts: Parts) -> Operation:
        """Properties may stand among the attributes."""
        named = cls.target.get_irdl_definition().properties
        own = dict(parts.properties)
        discardable: dict[str, Attribute] = {}
        for name, attribute in parts.attributes.items():
            (own if name in named and name not in own else discardable)[name] = attribute
        return cls.target.create(
            **parts._replace(properties=own, attributes=discardable)._asdict()
        )


def alias_classes() -> list[type[Operation]]:
    """A class for each alias, for the dialect's list of ops."""
    return [
        type(name.replace(".", "_"), (Alias,), {"name": name, "target": target})
        for name, target in ALIASES.items()
    ]
