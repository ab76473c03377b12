"""Who executes the accesses of a kernel of level workgroup, where one thread stands for all subgroups."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from xetile.analysis.maps.inference import known_tile_maps
from xetile.dialects.traits import WritesTile, has_trait
from xetile.dialects.xetile import TileType, WorkgroupMapAttr
from xetile.errors import fail
from xetile.interpreter.machine.values import Array
from xetile.interpreter.sanitizer.sets import singletons, union


class Holders:
    """The subgroups to which the map of an op's tile gives each element; without a tile every one.

    Of those that hold a unit the first one writes it. Who accesses a tile whose map does not
    follow, as of none in eager execution, is not known: no one.
    """

    def __init__(self, subgroups: int) -> None:
        self._singletons = singletons(subgroups)
        self._everyone = union(self._singletons)
        self._nobody = np.zeros_like(self._everyone)
        self._dealt: dict[tuple[WorkgroupMapAttr, tuple[int, ...], bool], Array] = {}
        self._inferred: dict[Operation, Mapping[SSAValue, WorkgroupMapAttr]] = {}

    def of(self, at: Operation, shape: Sequence[int]) -> Array:
        """The sets of subgroups that access each element: [*shape, words], or [words] for all."""
        tile = next((value for value in at.operands if isinstance(value.type, TileType)), None)
        if tile is None:
            return self._everyone
        map = self._map(tile, at)
        if map is None:
            return self._nobody
        assert isinstance(tile.type, TileType)
        # Blocks, of four dimensions, are dealt out by no map.
        if tile.type.shape != tuple(shape):
            return self._everyone
        key = (map, tile.type.shape, has_trait(at, WritesTile))
        if key not in self._dealt:
            self._dealt[key] = self._deal(at, map, tile.type.shape)
        return self._dealt[key]

    def _map(self, tile: SSAValue, at: Operation) -> WorkgroupMapAttr | None:
        assert isinstance(tile.type, TileType)
        if tile.type.wg_map is not None:
            return tile.type.wg_map
        function = _function_around(at)
        if function not in self._inferred:
            self._inferred[function] = known_tile_maps(function)
        return self._inferred[function].get(tile)

    def _deal(self, at: Operation, map: WorkgroupMapAttr, shape: tuple[int, ...]) -> Array:
        dealt, there = map.distribution(shape), len(self._singletons)
        if dealt.subgroups > there:
            fail(
                at,
                f"sg_layout {list(map.sg_layout)} has {dealt.subgroups} subgroups, "
                f"the workgroup has {there}",
            )
        height, width = dealt.unit
        rows, columns = dealt.units(0), dealt.units(1)
        writers = 1 if has_trait(at, WritesTile) else None
        units = [
            union(self._singletons[dealt.owners(unit)[:writers]])
            for unit in np.ndindex(rows, columns)
        ]
        held = np.array(units).reshape(rows, columns, -1)
        return held.repeat(height, axis=0).repeat(width, axis=1)


def _function_around(op: Operation) -> Operation:
    while (outer := op.parent_op()) is not None and not op.name.endswith("func"):
        op = outer
    return op
