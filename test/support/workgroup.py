"""Kernels for a workgroup, written as text; every op that has a map names it.

`same_below` runs a kernel before and after lowerings, with the sanitizer.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy
from support.subgroup import FLOATS, TYPES, Array, vector
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.levels import LevelName
from xetile.passes.pipelines import lower
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg

Map = tuple[tuple[int, int], tuple[int, int]]
"""sg_layout and sg_data."""


def random_array(shape: Sequence[int], type: str, seed: int = 0) -> Array:
    random = numpy.random.default_rng([seed, *shape])
    if type in FLOATS:
        return random.standard_normal(shape).astype(TYPES[type])
    return random.integers(-128, 128, shape).astype(TYPES[type])


def wg_map(map: Map) -> str:
    layout, data = map
    return f"#xetile.wg_map<sg_layout = {list(layout)}, sg_data = {list(data)}>"


def tile(shape: Sequence[int], type: str, map: Map | None = None, more: str = "") -> str:
    attributes = [more] if more else []
    if map is not None:
        attributes.insert(0, f"wg_map = {wg_map(map)}")
    return f"!xetile.tile<{shape[0]}x{shape[1]}x{type}, #xetile.tile_attr<{', '.join(attributes)}>>"


def kernel(arguments: Sequence[str], subgroups: int, body: str, grid: int = 1) -> str:
    return f"""
    gpu.module @m {{
      gpu.func @k({", ".join(arguments)}) kernel
          attributes {{known_block_size = array<i32: {16 * subgroups}, 1, 1>, known_grid_size = array<i32: {grid}, 1, 1>}} {{
        {body}
        gpu.return
      }}
    }}"""


def load(name: str, source: str, from_: str, shape: Sequence[int], type: str, map: Map) -> str:
    """Load `%name` from offset (0, 0) of the memref `source`."""
    of = tile(shape, type, map)
    return f"""
        %t_{name} = xetile.init_tile %{source}[0, 0] : {from_} -> {of}
        %{name} = xetile.load_tile %t_{name} : {of} -> {vector(shape, type)}"""


def store(name: str, target: str, to: str, shape: Sequence[int], type: str, map: Map) -> str:
    """Store `%name` at offset (0, 0) of the memref `target`."""
    of = tile(shape, type, map)
    return f"""
        %s_{name} = xetile.init_tile %{target}[0, 0] : {to} -> {of}
        xetile.store_tile %{name}, %s_{name} : {vector(shape, type)}, {of}"""


def executed(
    text: str, arrays: Sequence[Any], *passes: Callable[[ModuleOp], None]
) -> list[Any]:
    """Copies of the arrays after a run of the kernel, lowered by passes."""
    module = parse(text)
    for apply in passes:
        apply(module)
        module.verify()
    copies: list[Any] = [copy(a) for a in arrays]
    execute(module, "k", copies, sanitize=True)
    return copies


def distributed(
    exchange_bytes: int = XeTileWgToSg.exchange_bytes, loads: str = "mapped"
) -> Callable[[ModuleOp], None]:
    """The distribution alone, with a limit of the shared memory of an exchange; by default none is avoided by a load."""
    return lambda module: XeTileWgToSg(exchange_bytes, loads).apply(context(), module)


def to_level(level: LevelName) -> Callable[[ModuleOp], None]:
    """All steps to a level."""
    return lambda module: lower(context(), module, level, "bmg")


def same_below(
    text: str, arrays: Sequence[Any], *lowered: Callable[[ModuleOp], None]
) -> list[Any]:
    """Every array has the same bits after the kernel as it is written and after each lowering; returns them."""
    expected = executed(text, arrays)
    for apply in lowered:
        found = executed(text, arrays, apply)
        for left, right in zip(expected, found, strict=True):
            if isinstance(left, numpy.ndarray):
                assert left.tobytes() == right.tobytes()
    return expected


def same_at_subgroup_level(text: str, arrays: Sequence[Any]) -> list[Any]:
    """`same_below` for subgroup level, with the exchanges that loads would avoid and without."""
    return same_below(text, arrays, to_level("subgroup"), distributed())


def own_map(shape: Sequence[int], subgroups: int) -> Map | None:
    """A map by which every subgroup has a unit of its own."""
    rows, columns = shape
    for down in range(subgroups, 0, -1):
        across = subgroups // down
        if down * across == subgroups and rows % down == 0 and columns % across == 0:
            return (down, across), (rows // down, columns // across)
    return None


def convert_and_store(
    name: str, target: str, to: str, shape: Sequence[int], type: str, map: Map
) -> str:
    """Store `%name`, which has `map`, after a change of its map where its units are shared."""
    layout, data = map
    if all(n // d >= g for n, d, g in zip(shape, data, layout, strict=True)):
        return store(name, target, to, shape, type, map)
    output = own_map(shape, layout[0] * layout[1])
    assert output is not None, "too many subgroups"
    return f"""
        %c_{name} = xetile.tile_conv_layout %{name} {{wg_map_result = {wg_map(output)}, wg_map_source = {wg_map(map)}}} : {vector(shape, type)}
    """ + store(f"c_{name}", target, to, shape, type, output)
