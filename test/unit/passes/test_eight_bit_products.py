"""Products of 8-bit elements whose types differ, and of 8-bit floats: every level, and the device, give the same bits."""

import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray
from support.on_device import Place, levels_and_places

from xetile.api import lower, parse
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.levels import LevelName

Array = NDArray[Any]

E4, E5 = "f8E4M3FN", "f8E5M2"

DTYPES: dict[str, Any] = {
    "i8": numpy.int8,
    "si8": numpy.int8,
    "ui8": numpy.uint8,
    E4: ml_dtypes.float8_e4m3fn,
    E5: ml_dtypes.float8_e5m2,
    "i32": numpy.int32,
    "f32": numpy.float32,
    "bf16": ml_dtypes.bfloat16,
}

INTEGERS = [("si8", "ui8", "i32"), ("ui8", "si8", "i32"), ("i8", "ui8", "i32")]
FLOATS = [(E4, E4, "f32"), (E5, E5, "f32"), (E4, E5, "f32"), (E5, E4, "bf16")]

LEVELS = levels_and_places(None, "subgroup", "blocked", "xegpu", "xevm")


def kernel(a: str, b: str, c: str) -> str:
    """16x64 = 16x64 times 64x64, plus what the result held."""

    def tile(name: str, shape: str, type: str) -> str:
        return (
            f"%t{name} = xetile.init_tile %{name}[0, 0] : memref<{shape}x{type}> -> !xetile.tile<{shape}x{type}>\n"
            f"%v{name} = xetile.load_tile %t{name} : !xetile.tile<{shape}x{type}> -> vector<{shape}x{type}>\n"
        )

    return f"""
gpu.module @m {{
gpu.func @k(%A: memref<16x64x{a}>, %B: memref<64x64x{b}>, %C: memref<16x64x{c}>) kernel attributes
    {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  {tile("A", "16x64", a)}{tile("B", "64x64", b)}{tile("C", "16x64", c)}
  %d = xetile.tile_mma %vA, %vB, %vC : vector<16x64x{a}>, vector<64x64x{b}>, vector<16x64x{c}> -> vector<16x64x{c}>
  xetile.store_tile %d, %tC : vector<16x64x{c}>, !xetile.tile<16x64x{c}>
  gpu.return
}}
}}"""


def data(a: str, b: str, c: str) -> list[Array]:
    """All bit patterns of 8 bits that are finite, and their order mixed."""
    random = numpy.random.default_rng(3)
    found: list[Array] = []
    for shape, type in (((16, 64), a), ((64, 64), b)):
        bits = random.integers(0, 256, shape).astype(numpy.uint8)
        values = bits.view(DTYPES[type])
        if type.startswith("f"):
            values = numpy.where(numpy.isfinite(values.astype(numpy.float32)), values, 1)
        found.append(values.astype(DTYPES[type]))
    found.append(random.integers(-9, 9, (16, 64)).astype(DTYPES[c]))
    return found


def expected(a: str, b: str, c: str) -> list[Array]:
    arrays = data(a, b, c)
    execute(parse(kernel(a, b, c)), "k", arrays)
    return arrays


@pytest.mark.parametrize(("level", "place"), LEVELS, indirect=["place"])
@pytest.mark.parametrize("types", [*INTEGERS, *FLOATS], ids="-".join)
def test_the_same_bits(
    types: tuple[str, str, str], level: LevelName | None, place: Place
) -> None:
    arrays = data(*types)
    module = parse(kernel(*types))
    if level is not None:
        module = lower(module, to=level, device="cri")
    module.verify()
    place.execute(module, "k", arrays, target="cri")
    assert arrays[2].tobytes() == expected(*types)[2].tobytes()


def test_sums_of_mixed_signs() -> None:
    a, b, _ = data("si8", "ui8", "i32")
    c = expected("si8", "ui8", "i32")[2] - data("si8", "ui8", "i32")[2]
    assert (c == a.astype(numpy.int32) @ b.astype(numpy.int32)).all()


@pytest.mark.mlir_opt
@pytest.mark.parametrize("level", ["xegpu", "xevm"])
@pytest.mark.parametrize("types", [*INTEGERS, *FLOATS], ids="-".join)
def test_upstream_takes_it(
    mlir_opt: Path, types: tuple[str, str, str], level: LevelName
) -> None:
    module = lower(parse(kernel(*types)), to=level, device="cri")
    done = subprocess.run(
        [mlir_opt], input=str(module), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    name = "xetile.operand_types"
    assert done.stdout.count(name) == str(module).count(name)


@pytest.mark.parametrize("device", ["pvc", "bmg", "lnl"])
def test_devices_without_products_of_8_bit_floats(device: str) -> None:
    module = parse(kernel(E4, E5, "f32"))
    with pytest.raises(
        XetileError, match=r"no matrix instruction for A f8E4M3FN, .*; ptl and cri have one"
    ):
        lower(module, to="xegpu", device=device)
