"""Programs of memrefs and vectors as programs on tiles: the RFC's, and what mlir-opt makes of linalg."""

import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from support.on_device import Place
from xdsl.dialects.builtin import ModuleOp

from xetile.api import emit, lower, parse
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.tiles.convert_vector_to_xetile import ConvertVectorToXeTile
from xetile.passes.tiles.xetile_carry_tiles import XeTileCarryTiles
from xetile.toolchain.paths import find_mlir_opt, find_spirv_val

ROOT = Path(__file__).parents[5]
PROGRAMS = ROOT / "examples" / "vector"
SOURCES = ROOT / "test" / "data" / "linalg"
RAGGED = ("ragged", "ragged-reduction", "ragged-elementwise", "dynamic")
LINALG = ("matmul", "transposed", "batched", "reduction", "elementwise", *RAGGED)
GRIDS = {"linalg-dynamic": (4, 2, 1)}
"""Of the programs whose kernels do not say it."""

Array = NDArray[Any]


def small(shape: tuple[int, ...], type: str) -> Array:
    """Numbers whose sums are exact in every order."""
    values = np.random.default_rng(0).integers(-3, 4, shape)
    return values.astype(getattr(ml_dtypes, type) if type == "bfloat16" else type)


def given(name: str) -> tuple[list[Array], Array]:
    """Arguments of a program, the last of which is the result, and what that is to be."""
    if name.startswith("rfc"):
        a = small((256, 128), "bfloat16")
        b = small((128, 192), "bfloat16")
        stored = b if name == "rfc-row-major" else np.ascontiguousarray(b.T)
        if "column-major" in name:
            stored = stored.T  # the same memory, seen as B
        return [a, stored, np.zeros((256, 192), np.float32)], a.astype(np.float32) @ b.astype(
            np.float32
        )
    match name.removeprefix("linalg-"):
        case "matmul":
            a, b, c = (
                small((512, 256), "float16"),
                small((256, 384), "float16"),
                small((512, 384), "float32"),
            )
            return [a, b, c], c + a.astype(np.float32) @ b.astype(np.float32)
        case "transposed":
            a, b, c = (
                small((512, 256), "bfloat16"),
                small((384, 256), "bfloat16"),
                small((512, 384), "float32"),
            )
            return [a, b, c], c + a.astype(np.float32) @ b.astype(np.float32).T
        case "batched":
            a, b, c = (
                small((3, 256, 128), "float16"),
                small((3, 128, 192), "float16"),
                small((3, 256, 192), "float32"),
            )
            return [a, b, c], c + a.astype(np.float32) @ b.astype(np.float32)
        case "ragged" | "dynamic":
            a, b, c = (
                small((100, 72), "float16"),
                small((72, 120), "float16"),
                small((100, 120), "float32"),
            )
            return [a, b, c], c + a.astype(np.float32) @ b.astype(np.float32)
        case "ragged-reduction":
            x, y = -small((100, 72), "float32") - 4, np.full((100,), -9, np.float32)
            return [x, y], np.maximum(y, x.max(1))
        case "ragged-elementwise":
            x, bias = small((100, 72), "float16"), small((72,), "float16")
            return [x, bias, np.zeros((100, 72), np.float16)], np.maximum(x + bias, 0)
        case "reduction":
            x, y = small((512, 256), "float32"), small((512,), "float32")
            return [x, y], y + x.sum(1)
        case _:
            x, bias = small((512, 256), "float16"), small((256,), "float16")
            return [x, bias, np.zeros((512, 256), np.float16)], np.maximum(x + bias, 0)


def converted(name: str) -> ModuleOp:
    module = parse((PROGRAMS / f"{name}.mlir").read_text())
    ConvertVectorToXeTile().apply(context(), module)
    module.verify()
    return module


NAMES = sorted(path.stem for path in PROGRAMS.glob("*.mlir"))


def test_there_are_the_programs_of_the_rfc_and_of_linalg() -> None:
    assert [name for name in NAMES if name.startswith("rfc")]
    assert {f"linalg-{name}" for name in LINALG} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_vectors_and_tiles_compute_the_same(name: str) -> None:
    arguments, expected = given(name)
    grid = GRIDS.get(name)
    execute(parse((PROGRAMS / f"{name}.mlir").read_text()), None, arguments, grid=grid)
    assert (arguments[-1] == expected).all()
    module = converted(name)
    assert not any(
        op.name.startswith(("vector.transfer", "vector.contract", "vector.mask"))
        for op in module.walk()
    )
    # of the dynamic one nothing says that the columns of A are as many as the rows of B
    views = [op for op in module.walk() if op.name == "memref.subview"]
    assert bool(views) == (name == "linalg-dynamic")
    for carried in (False, True):
        if carried:
            XeTileCarryTiles().apply(context(), module)
        arguments, expected = given(name)
        execute(module, None, arguments, grid=grid)
        assert (arguments[-1] == expected).all()


@pytest.mark.parametrize("name", NAMES)
def test_lower_levels_and_a_device_compute_the_same(name: str, place: Place) -> None:
    for level in place.levels(("blocked", "xevm")):
        arguments, expected = given(name)
        module = lower(converted(name), to=level, device="bmg")
        place.execute(module, None, arguments, grid=GRIDS.get(name))
        assert (arguments[-1] == expected).all(), level


@pytest.mark.spirv_val
def test_spirv_is_valid(tmp_path: Path) -> None:
    for name in NAMES:
        file = tmp_path / f"{name}.spv"
        code = emit(converted(name), "spirv", "bmg")
        assert isinstance(code, bytes)
        file.write_bytes(code)
        command = [str(find_spirv_val()), str(file)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0, name


@pytest.mark.mlir_opt
@pytest.mark.parametrize("name", LINALG)
def test_mlir_opt_still_prints_it(name: str) -> None:
    command = [
        str(find_mlir_opt()),
        f"--transform-preload-library=transform-library-paths={SOURCES / name}.schedule.mlir",
        *(
            "--transform-interpreter",
            "--canonicalize",
            "--cse",
            "--gpu-launch-sink-index-computations",
        ),
        *(
            "--gpu-kernel-outlining",
            "--canonicalize",
            "--cse",
            str(SOURCES / f"{name}.linalg.mlir"),
        ),
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (PROGRAMS / f"linalg-{name}.mlir").read_text().strip() == printed.strip()


# RFC, appendix 1: lowerings that it calls correct, and those that it calls incorrect.

ROWS = "memref<1024x1024xf16>"
COLUMNS = "memref<1024x1024xf16, affine_map<(d0, d1) -> (d1, d0)>>"
TRANSPOSED = "!xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>>"
PLAIN = "!xetile.tile<64x32xf16, #xetile.tile_attr<order = [1, 0]>>"
UNSAID = "!xetile.tile<64x32xf16>"


@pytest.mark.parametrize(
    "memref, tile, legal",
    [
        (ROWS, PLAIN, True),
        (ROWS, UNSAID, True),
        (COLUMNS, TRANSPOSED, True),
        (COLUMNS, PLAIN, False),
        (COLUMNS, UNSAID, False),
        (ROWS, TRANSPOSED, False),
    ],
)
def test_the_order_of_a_tile_is_that_of_the_memref(
    memref: str, tile: str, legal: bool
) -> None:
    text = f"func.func @f(%A: {memref}) {{\n  %t = xetile.init_tile %A[0, 0] : {memref} -> {tile}\n  return\n}}"
    if legal:
        parse(text)
        return
    with pytest.raises(XetileError, match="order"):
        parse(text)
