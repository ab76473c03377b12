"""The XeTile dialect: tiles of matrices at workgroup, subgroup and blocked level (docs/xetile-dialect.md)."""

from xdsl.ir import Dialect

from xetile.dialects.xetile.attributes import (
    CacheHint,
    CacheHintAttr,
    ScatterAttr,
    SubgroupMapAttr,
    TileAttr,
    WorkgroupMapAttr,
)
from xetile.dialects.xetile.compute import TileMMAOp
from xetile.dialects.xetile.init_tile import InitTileOp
from xetile.dialects.xetile.memory import (
    LoadTileOp,
    PrefetchTileOp,
    StoreTileOp,
    UpdateTileOffsetOp,
)
from xetile.dialects.xetile.pack import TilePackOp, TileUnpackOp
from xetile.dialects.xetile.types import TileType

__all__ = [
    "CacheHint",
    "CacheHintAttr",
    "InitTileOp",
    "LoadTileOp",
    "PrefetchTileOp",
    "ScatterAttr",
    "StoreTileOp",
    "SubgroupMapAttr",
    "TileAttr",
    "TileMMAOp",
    "TilePackOp",
    "TileType",
    "TileUnpackOp",
    "UpdateTileOffsetOp",
    "WorkgroupMapAttr",
    "XeTile",
]

XeTile = Dialect(
    "xetile",
    [
        InitTileOp,
        LoadTileOp,
        PrefetchTileOp,
        StoreTileOp,
        TileMMAOp,
        TilePackOp,
        TileUnpackOp,
        UpdateTileOffsetOp,
    ],
    [CacheHintAttr, ScatterAttr, SubgroupMapAttr, TileAttr, TileType, WorkgroupMapAttr],
)
