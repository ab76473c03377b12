"""The examples' kernels need no more maps than those of their tiles, their products and the ops that change maps."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.analysis.maps.rules import map_names
from xetile.analysis.module_kernels import functions, level
from xetile.api import parse
from xetile.dialects.modules import context
from xetile.dialects.xetile import TileType
from xetile.passes.tiles.xetile_infer_wg_map import XeTileInferWgMap

EXAMPLES = Path(__file__).parents[5] / "examples"
FILES = sorted(
    path
    for path in EXAMPLES.rglob("*.mlir")
    if "wg_map" in path.read_text() and path.name != "main-text.mlir"
)
KEPT = {
    "xetile.tile_mma": ("wg_map_c",),
    "xetile.tile_conv_layout": ("wg_map_result",),
    "xetile.tile_transpose": ("wg_map_result", "wg_map_source"),
}


def workgroup_functions(module: ModuleOp) -> list[Operation]:
    return [function for function in functions(module) if level(function) == "workgroup"]


def maps(module: ModuleOp) -> list[list[str]]:
    """The maps of each kernel's values in program order."""
    return [
        [str(map) for map in infer_workgroup_maps(function).values()]
        for function in workgroup_functions(module)
    ]


def erase_attributes(function: Operation) -> None:
    """Erase every map but those that change maps, that of products, and those of tiles."""
    for op in function.walk():
        op.attributes.pop("wg_map", None)
        for name, _, _ in map_names(op):
            if name not in KEPT.get(op.name, ()):
                op.properties.pop(name, None)


def erase_types(function: Operation) -> None:
    """Erase the maps in the types of tiles, but for those of programs that only prefetch through them."""
    for op in function.walk():
        arguments = (a for region in op.regions for block in region.blocks for a in block.args)
        for value in (*op.results, *arguments):
            if isinstance(value.type, TileType) and value.type.wg_map is not None:
                Rewriter.replace_value_with_new_type(value, value.type.with_(wg_map=None))


def test_there_are_examples() -> None:
    assert {"gemm_f16.mlir", "2.1-prefetch.mlir", "2.4-shared-memory.mlir"} <= {
        path.name for path in FILES
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_tiles_and_products_are_enough(path: Path) -> None:
    module = parse(path)
    XeTileInferWgMap().apply(context(), module)
    expected = maps(module)
    assert expected
    for function in workgroup_functions(module):
        erase_attributes(function)
    assert maps(module) == expected


def test_a_product_is_enough_where_nothing_is_prefetched() -> None:
    module = parse(EXAMPLES / "rfc" / "2.3-transpose-in-registers.mlir")
    XeTileInferWgMap().apply(context(), module)
    expected = maps(module)
    for function in workgroup_functions(module):
        erase_attributes(function)
        erase_types(function)
    module.verify()
    assert maps(module) == expected
