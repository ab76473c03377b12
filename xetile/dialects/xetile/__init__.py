"""The XeTile dialect: tiles of matrices at workgroup, subgroup and blocked level (docs/xetile-dialect.md)."""

from xdsl.ir import Dialect

from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.xetile.aliases import alias_classes
from xetile.dialects.xetile.atomic import AtomicRMWTileOp
from xetile.dialects.xetile.attributes import (
    CacheHint,
    CacheHintAttr,
    ScatterAttr,
    SubgroupMapAttr,
    TileAttr,
    WorkgroupMapAttr,
)
from xetile.dialects.xetile.check import CheckOp
from xetile.dialects.xetile.compute import TileMMAOp
from xetile.dialects.xetile.init_tile import InitTileOp
from xetile.dialects.xetile.memory import (
    LoadTileOp,
    PrefetchTileOp,
    StoreTileOp,
)
from xetile.dialects.xetile.message import MessageAttr
from xetile.dialects.xetile.pack import TilePackOp, TileUnpackOp
from xetile.dialects.xetile.rearrange import TileBroadcastOp, TileConvLayoutOp, TileTransposeOp
from xetile.dialects.xetile.reduce import TileReduceOp
from xetile.dialects.xetile.scattered import LoadGatherOp, StoreScatterOp
from xetile.dialects.xetile.types import TileType
from xetile.dialects.xetile.update_tile_offset import UpdateTileOffsetOp

__all__ = [
    "AtomicRMWTileOp",
    "CacheHint",
    "CacheHintAttr",
    "CheckOp",
    "InitTileOp",
    "LoadGatherOp",
    "LoadTileOp",
    "MessageAttr",
    "PrefetchTileOp",
    "ScatterAttr",
    "StoreScatterOp",
    "StoreTileOp",
    "SubgroupMapAttr",
    "SwizzleAttr",
    "TileAttr",
    "TileBroadcastOp",
    "TileConvLayoutOp",
    "TileMMAOp",
    "TilePackOp",
    "TileReduceOp",
    "TileTransposeOp",
    "TileType",
    "TileUnpackOp",
    "UpdateTileOffsetOp",
    "WorkgroupMapAttr",
    "XeTile",
]

XeTile = Dialect(
    "xetile",
    [
        AtomicRMWTileOp,
        CheckOp,
        InitTileOp,
        LoadGatherOp,
        LoadTileOp,
        PrefetchTileOp,
        StoreScatterOp,
        StoreTileOp,
        TileBroadcastOp,
        TileConvLayoutOp,
        TileMMAOp,
        TilePackOp,
        TileReduceOp,
        TileTransposeOp,
        TileUnpackOp,
        UpdateTileOffsetOp,
        *alias_classes(),
    ],
    [
        CacheHintAttr,
        MessageAttr,
        ScatterAttr,
        SubgroupMapAttr,
        SwizzleAttr,
        TileAttr,
        TileType,
        WorkgroupMapAttr,
    ],
)
