"""How many subgroups run a kernel, in the spellings that Intel's files have."""

import numpy
import pytest
from support.on_device import Place

from xetile import api
from xetile.analysis.module_kernels import (
    functions,
    launch_sizes,
    mapped_subgroups,
    subgroup_count,
)
from xetile.levels import LevelName

LEVELS: tuple[LevelName, ...] = ("subgroup", "blocked", "xegpu", "xevm")

KERNEL = """#map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [8, 32]>
gpu.module @kernels {{
  gpu.func @copy(%A: memref<16x64xf32>, %B: memref<16x64xf32>) kernel attributes {{{attributes}}} {{
    %a = xetile.init_tile %A[0, 0] : memref<16x64xf32> -> !xetile.tile<16x64xf32, #map>
    %v = xetile.load_tile %a : !xetile.tile<16x64xf32, #map> -> vector<16x64xf32>
    %b = xetile.init_tile %B[0, 0] : memref<16x64xf32> -> !xetile.tile<16x64xf32, #map>
    xetile.store_tile %v, %b : vector<16x64xf32>, !xetile.tile<16x64xf32, #map>
    gpu.return
  }}
}}
"""


@pytest.mark.parametrize(
    "attributes",
    [
        "known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>",
        "gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>",
        "VectorComputeFunctionINTEL, gpu.known_block_size = array<i32: 2, 2, 1>, "
        "gpu.known_grid_size = array<i32: 1, 1, 1>, "
        "spirv.entry_point_abi = #spirv.entry_point_abi<>",
    ],
)
def test_spellings_of_the_launch(attributes: str, place: Place) -> None:
    module = api.parse(KERNEL.format(attributes=attributes))
    (kernel,) = functions(module)
    assert subgroup_count(kernel) == 4
    assert launch_sizes(kernel, "known_grid_size") == (1, 1, 1)
    a = numpy.arange(16 * 64, dtype=numpy.float32).reshape(16, 64)
    for level in place.levels(LEVELS):
        b = numpy.zeros_like(a)
        lowered = api.lower(module, to=level, device="bmg")
        place.execute(lowered, "copy", [a, b])
        assert (a == b).all()
        (kernel,) = functions(lowered)
        assert subgroup_count(kernel) == 4


@pytest.mark.parametrize(
    "attributes, maps, expected",
    [
        ("xetile.sg_layout = array<i64: 4, 2>", True, 8),
        ("xetile.sg_layout = array<i64: 4, 2>", False, 8),
        ("", True, 4),
        ("", False, None),
    ],
)
def test_subgroups_of_layouts_and_maps(
    attributes: str, maps: bool, expected: int | None
) -> None:
    text = KERNEL.format(attributes=attributes)
    module = api.parse(text if maps else text.replace("xf32, #map>", "xf32>"))
    (kernel,) = functions(module)
    assert mapped_subgroups(kernel) == expected
