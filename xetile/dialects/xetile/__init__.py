"""The XeTile dialect: tiles of matrices at workgroup, subgroup and blocked level (docs/xetile-dialect.md)."""

from xdsl.ir import Dialect

from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.xetile.aliases import alias_classes
from xetile.dialects.xetile.compute import CheckOp, TileMMAOp
from xetile.dialects.xetile.init_tile import InitTileOp, UpdateTileOffsetOp
from xetile.dialects.xetile.message import MessageAttr
from xetile.dialects.xetile.rearrange import (
    TileBroadcastOp,
    TileConvLayoutOp,
    TilePackOp,
    TileReduceOp,
    TileTransposeOp,
    TileUnpackOp,
)
from xetile.dialects.xetile.tile_accesses import (
    AtomicRMWTileOp,
    LoadGatherOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreScatterOp,
    StoreTileOp,
)
from xetile.dialects.xetile.tile_type import TileType
from xetile.dialects.xetile.xetile_attributes import (
    CacheHint,
    CacheHintAttr,
    ScatterAttr,
    SubgroupMapAttr,
    TileAttr,
    WorkgroupMapAttr,
)

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
