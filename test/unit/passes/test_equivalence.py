"""A pass is right when executing its input and its output gives the same bits, on any data."""

from collections.abc import Sequence
from typing import Any

import numpy
import pytest
from support.in_field import same_in_field
from support.on_device import ON_NUMPY, Place
from support.products import RESULTS, Array, matrices, same_bits
from support.spread import spread
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.kernels import gemm_module
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

ABOVE_XEGPU: tuple[LevelName, ...] = ("subgroup", "blocked")
ALL: tuple[LevelName, ...] = ("subgroup", "blocked", "xegpu", "xevm")
ACCUMULATORS = {"f16": "f32", "bf16": "f32", "i8": "i32", "tf32": "f32"}


def executed(
    place: Place, module: ModuleOp, a: Array, b: Array, c_type: str, target: str | None = None
) -> Array:
    c = numpy.zeros((a.shape[0], b.shape[1]), RESULTS[c_type])
    place.execute(module, "gemm", [a, b, c], target=target)
    return c


def check(
    place: Place,
    size: tuple[int, int, int],
    type: str,
    levels: Sequence[LevelName],
    *,
    integers: bool = False,
    accumulator: str | None = None,
    device: str = "bmg",
    **options: Any,
) -> tuple[Array, Array, Array]:
    """Every level gives the bits of workgroup level; returns A, B and that result."""
    m, n, k = size
    a, b = matrices(m, n, k, type, integers=integers)
    kind = accumulator or ACCUMULATORS[type]

    def build() -> ModuleOp:
        return gemm_module(m=m, n=n, k=k, a=type, accumulator=kind, **options)

    c_type = options.get("c") or kind
    expected = executed(ON_NUMPY, build(), a, b, c_type)
    for level in place.levels(levels):
        module = build()
        lower(context(), module, level, device)
        module.verify()
        found = executed(place, module, a, b, c_type, device)
        assert same_bits(found, expected), f"level {level} differs"
    return a, b, expected


ODDEST = (72, 80, 144)
"""The size whose every extent ends within a workgroup's tile; sums are exact in a field for this one, which is dear."""


SIZES = [ODDEST, (128, 128, 64), (120, 128, 64), (128, 112, 64), (128, 128, 80)]


@pytest.mark.parametrize(
    "size, type", [*spread(SIZES, ["f16", "bf16", "i8", "tf32"]), (ODDEST, "tf32")], ids=str
)
def test_all_levels_agree_with_one_another_and_with_numpy(
    size: tuple[int, int, int], type: str, place: Place
) -> None:
    options: dict[str, Any] = {
        "workgroup_tile": (64, 64),
        "subgroup_tile": (32, 32),
        "k_step": 32,
        "prefetch": 2,
    }
    a, b, c = check(place, size, type, ALL, integers=True, **options)
    assert numpy.array_equal(c, a.astype(numpy.int64) @ b.astype(numpy.int64))
    a, b, c = check(place, size, type, ALL, **options)
    exact = a.astype(numpy.float64) @ b.astype(numpy.float64)
    if type == "i8":
        assert numpy.array_equal(c, exact)
    elif type != "tf32":
        bound = (
            size[2] * 2.0**-23 * (abs(a.astype(numpy.float64)) @ abs(b.astype(numpy.float64)))
        )
        assert (abs(c - exact) <= bound).all()
    if type != "i8" and place.device is None and size == ODDEST:
        m, n, k = size
        kind = ACCUMULATORS[type]
        modules = [
            gemm_module(m=m, n=n, k=k, a=type, accumulator=kind, **options)
            for _ in (None, *ALL)
        ]
        for module, level in zip(modules[1:], ALL, strict=True):
            lower(context(), module, level, "bmg")
        same_in_field(modules, "gemm", [a, b, numpy.zeros_like(c)])


@pytest.mark.parametrize("device", ["pvc", "bmg", "lnl", "ptl", "cri"])
def test_every_device_computes_the_same(device: str, place: Place) -> None:
    check(
        place,
        (64, 64, 64),
        "bf16",
        ALL,
        device=device,
        workgroup_tile=(64, 64),
        subgroup_tile=(32, 32),
    )


@pytest.mark.parametrize(
    "rows, type", spread([8, 12, 16, 24, 40, 64, 128, 256], ["f16", "i8"])
)
def test_subgroup_tiles_of_many_heights(rows: int, type: str, place: Place) -> None:
    """The highest are narrow: compilers take much longer for twice as many instructions in a row."""
    columns = 32 if rows < 128 else 16
    check(
        place,
        (rows, 64, 96),
        type,
        ALL,
        workgroup_tile=(rows, columns),
        subgroup_tile=(rows, columns),
        k_step=columns if type == "f16" else 32,
    )


@pytest.mark.parametrize("columns, k_step", spread([16, 32, 48, 80, 128, 256], [32, 64, 96]))
def test_subgroup_tiles_of_many_widths_and_k_steps(
    columns: int, k_step: int, place: Place
) -> None:
    check(
        place,
        (16, max(columns, 64), 192),
        "f16",
        ALL,
        workgroup_tile=(16, columns),
        subgroup_tile=(8, columns),
        k_step=k_step,
    )


@pytest.mark.parametrize(
    ("workgroup_tile", "subgroup_tile", "k_step"),
    [
        ((8, 8), (8, 8), 8),
        ((24, 40), (24, 40), 24),
        ((33, 17), (11, 17), 9),
        ((96, 96), (32, 96), 16),
        ((256, 48), (256, 16), 40),
        ((60, 256), (20, 64), 256),
    ],
)
def test_any_tile_executes_above_xegpu(
    workgroup_tile: tuple[int, int], subgroup_tile: tuple[int, int], k_step: int
) -> None:
    m, n, k = workgroup_tile[0] + 5, workgroup_tile[1] + 3, 2 * k_step + 1
    options: dict[str, Any] = {
        "workgroup_tile": workgroup_tile,
        "subgroup_tile": subgroup_tile,
        "k_step": k_step,
    }
    a, b, c = check(ON_NUMPY, (m, n, k), "f16", ABOVE_XEGPU, integers=True, **options)
    assert numpy.array_equal(c, a.astype(numpy.int64) @ b.astype(numpy.int64))


@pytest.mark.parametrize(
    ("type", "accumulator", "c"),
    [
        ("f16", "f16", None),
        ("bf16", "bf16", None),
        ("f16", "f32", "f16"),
        ("bf16", "f32", "bf16"),
    ],
)
def test_accumulators_and_results_of_other_types(
    type: str, accumulator: str, c: str | None, place: Place
) -> None:
    check(
        place,
        (64, 64, 64),
        type,
        ALL,
        accumulator=accumulator,
        c=c,
        workgroup_tile=(64, 64),
        subgroup_tile=(32, 32),
    )


SHARED = """
#a = #xetile.wg_map<sg_layout = [3, 2], sg_data = [8, 16]>
#b = #xetile.wg_map<sg_layout = [3, 2], sg_data = [16, 16]>
#c = #xetile.wg_map<sg_layout = [3, 2], sg_data = [8, 16]>
gpu.module @m {
  gpu.func @gemm(%A: memref<48x64xf16>, %B: memref<64x64xf16>, %C: memref<48x64xf32>) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %ta = xetile.init_tile %A[0, 0] : memref<48x64xf16> -> !xetile.tile<48x16xf16, #xetile.tile_attr<wg_map = #a>>
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<16x64xf16, #xetile.tile_attr<wg_map = #b>>
    %tc = xetile.init_tile %C[0, 0] : memref<48x64xf32> -> !xetile.tile<48x64xf32, #xetile.tile_attr<wg_map = #c>>
    %zero = xetile.load_tile %tc : !xetile.tile<48x64xf32, #xetile.tile_attr<wg_map = #c>> -> vector<48x64xf32>
    %r:3 = scf.for %k = %c0 to %c64 step %c16 iter_args(%u = %ta, %w = %tb, %acc = %zero)
        -> (!xetile.tile<48x16xf16, #xetile.tile_attr<wg_map = #a>>, !xetile.tile<16x64xf16, #xetile.tile_attr<wg_map = #b>>, vector<48x64xf32>) {
      %a = xetile.load_tile %u : !xetile.tile<48x16xf16, #xetile.tile_attr<wg_map = #a>> -> vector<48x16xf16>
      %b = xetile.load_tile %w : !xetile.tile<16x64xf16, #xetile.tile_attr<wg_map = #b>> -> vector<16x64xf16>
      %d = xetile.tile_mma %a, %b, %acc : vector<48x16xf16>, vector<16x64xf16>, vector<48x64xf32> -> vector<48x64xf32>
      %un = xetile.update_tile_offset %u, [0, 16] : !xetile.tile<48x16xf16, #xetile.tile_attr<wg_map = #a>>
      %wn = xetile.update_tile_offset %w, [16, 0] : !xetile.tile<16x64xf16, #xetile.tile_attr<wg_map = #b>>
      scf.yield %un, %wn, %d : !xetile.tile<48x16xf16, #xetile.tile_attr<wg_map = #a>>, !xetile.tile<16x64xf16, #xetile.tile_attr<wg_map = #b>>, vector<48x64xf32>
    }
    xetile.store_tile %r#2, %tc : vector<48x64xf32>, !xetile.tile<48x64xf32, #xetile.tile_attr<wg_map = #c>>
    gpu.return
  }
}
"""


def test_rounds_shared_units_and_a_factor_of_three(place: Place) -> None:
    """Two rounds in both dimensions on a grid of 3 x 2; A and B are shared by wrap-around; C is loaded and stored."""
    random = numpy.random.default_rng(1)
    a = random.standard_normal((48, 64)).astype(numpy.float16)
    b = random.standard_normal((64, 64)).astype(numpy.float16)
    start = random.standard_normal((48, 64)).astype(numpy.float32)
    expected = start.copy()
    execute(parse(SHARED), "gemm", [a, b, expected])
    for level in place.levels(ALL):
        module = parse(SHARED)
        lower(context(), module, level, "bmg")
        c = start.copy()
        place.execute(module, "gemm", [a, b, c])
        assert same_bits(c, expected), level
    exact = start + a.astype(numpy.float64) @ b.astype(numpy.float64)
    assert abs(expected - exact).max() < 1e-4


CONSTANTS = """
#map = #xetile.wg_map<sg_layout = [1, 2], sg_data = [8, 16]>
gpu.module @m {
  gpu.func @gemm(%A: memref<8x32xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %A[0, 0] : memref<8x32xf32> -> !xetile.tile<8x32xf32, #xetile.tile_attr<wg_map = #map>>
    %v = arith.constant dense<VALUES> : vector<8x32xf32>
    %w = xetile.load_tile %t : !xetile.tile<8x32xf32, #xetile.tile_attr<wg_map = #map>> -> vector<8x32xf32>
    %two = arith.constant dense<2.0> : vector<8x32xf32>
    %x = arith.mulf %w, %two : vector<8x32xf32>
    %s = arith.addf %x, %v : vector<8x32xf32>
    xetile.store_tile %s, %t : vector<8x32xf32>, !xetile.tile<8x32xf32, #xetile.tile_attr<wg_map = #map>>
    gpu.return
  }
}
"""


def test_constants_that_are_no_splats_and_elementwise_ops(place: Place) -> None:
    values = numpy.arange(256, dtype=numpy.float32).reshape(8, 32)
    text = CONSTANTS.replace("VALUES", str([[float(x) for x in row] for row in values]))
    start = numpy.random.default_rng(2).standard_normal((8, 32)).astype(numpy.float32)
    for level in place.levels((None, *ALL)):
        module = parse(text)
        if level is not None:
            lower(context(), module, level, "bmg")
        array = start.copy()
        place.execute(module, "gemm", [array])
        assert numpy.array_equal(array, start * 2 + values), level


SOURCES = {
    "batch": ("%A: memref<3x64x64xf32>", "%A[2, %m, 0] : memref<3x64x64xf32>"),
    "dynamic": ("%A: memref<?x?xf32>", "%A[%m, 0], [%n, %n], [%n, 1] : memref<?x?xf32>"),
    "address": ("%A: i64", "%A[%m, 0], [%n, %n], [%n, 1] : i64"),
    "pitched": (
        "%A: memref<64x64xf32, strided<[96, 1]>>",
        "%A[%m, 0] : memref<64x64xf32, strided<[96, 1]>>",
    ),
}


@pytest.mark.parametrize("form", SOURCES)
def test_sources_of_all_forms(form: str, place: Place) -> None:
    argument, source = SOURCES[form]
    text = f"""
    gpu.module @m {{ gpu.func @k({argument}, %C: memref<16x64xf32>, %m: index, %n: index) kernel
        attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
      %t = xetile.init_tile {source} -> !xetile.tile<16x64xf32>
      %v = xetile.load_tile %t : !xetile.tile<16x64xf32> -> vector<16x64xf32>
      %u = xetile.init_tile %C[0, 0] : memref<16x64xf32> -> !xetile.tile<16x64xf32>
      xetile.store_tile %v, %u : vector<16x64xf32>, !xetile.tile<16x64xf32>
      gpu.return
    }} }}"""
    random = numpy.random.default_rng(3)
    if form == "batch":
        a = random.standard_normal((3, 64, 64)).astype(numpy.float32)
        plane = a[2]
    elif form == "pitched":
        plane = a = random.standard_normal((64, 96)).astype(numpy.float32)[:, :64]
    else:
        plane = a = random.standard_normal((64, 64)).astype(numpy.float32)
    expected = numpy.zeros((16, 64), numpy.float32)
    expected[:8] = plane[56:]
    for level in place.levels((None, "blocked", "xegpu", "xevm")):
        module = parse(text)
        if level is not None:
            lower(context(), module, level, "bmg")
        c = numpy.zeros((16, 64), numpy.float32)
        place.execute(module, "k", [a, c, 56, 64])
        assert numpy.array_equal(c, expected), level
