"""Warnings about kernels that are probably mistakes: many subgroups, and nothing distributes the work among them."""

from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.analysis.dependence import decided_by, origin_of, told_apart
from xetile.analysis.kernel_targets import subgroup_threads
from xetile.analysis.module_kernels import (
    OLDER_CONVENTION,
    functions,
    launch_sizes,
    launches,
    level,
)
from xetile.dialects.known_integers import folded_integer
from xetile.dialects.traits import WritesTile, has_trait
from xetile.dialects.xetile.tile_type import TileType
from xetile.errors import warn
from xetile.levels import UNIT_ATTRIBUTE


def warn_of_missing_maps(module: ModuleOp) -> None:
    """Warn about each kernel whose subgroups all store the same tile because no map or id distributes the work."""
    for function in functions(module):
        count = _subgroups(function)
        if count < 2 or UNIT_ATTRIBUTE in function.attributes or level(function) != "subgroup":
            continue
        store = _stored_by_all(function)
        if store is not None:
            warn(
                store,
                f"each of the {count} subgroups computes and stores this whole tile of {_shape(store)}: "
                "no tile has a wg_map, and nothing depends on gpu.subgroup_id; deal the tiles out by "
                "#xetile.tile_attr<wg_map = <sg_layout = [..], sg_data = [..]>>, or launch one subgroup",
            )


def _stored_by_all(function: Operation) -> Operation | None:
    """Return the first op that writes a tile, or None if any such op depends on the subgroup that executes it."""
    stores = [op for op in function.walk() if has_trait(op, WritesTile)]
    if not stores:
        return None
    told = told_apart(function)
    if any(origin_of(op, told) or decided_by(op, told) for op in stores):
        return None
    return stores[0]


def _subgroups(function: Operation) -> int:
    """Return the number of subgroups of a workgroup if the kernel or its launches state it, else 1."""
    block = launch_sizes(function, "known_block_size") or _launched_block(function)
    if block is None:
        return 1
    older = OLDER_CONVENTION in function.attributes
    return prod(block) if older else prod(block) // subgroup_threads(function)


def _launched_block(function: Operation) -> tuple[int, ...] | None:
    for launch in launches(function):
        sizes = [
            folded_integer(size)
            for size in (launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ)
        ]
        known = tuple(size for size in sizes if size is not None)
        if len(known) == len(sizes):
            return known
    return None


def _shape(store: Operation) -> str:
    shapes = [op.type.shape for op in store.operands if isinstance(op.type, TileType)]
    return "x".join(map(str, shapes[0]))
