"""The GEMM at subgroup level, as Intel's users write it, without a device: right at every level down to a lane."""

from pathlib import Path

import numpy
import pytest
from support.on_device import Place, levels_and_places

import xetile
from xetile.levels import LevelName

EXAMPLE = Path(__file__).parents[3] / "examples" / "gemm_f16_subgroup.mlir"


@pytest.mark.parametrize(
    ("level", "place"),
    levels_and_places("subgroup", "blocked", "xegpu", "xevm"),
    indirect=["place"],
)
def test_the_product_is_numpys(level: LevelName, place: Place) -> None:
    text = (
        EXAMPLE.read_text()
        .replace("4096x4096", "256x256")
        .replace("constant 4096", "constant 256")
    )
    text = text.replace("16, 16, 1>", "1, 1, 1>")
    lowered = xetile.lower(xetile.parse(text), to=level)
    random = numpy.random.default_rng(8)
    a, b = (random.integers(-4, 5, (256, 256)).astype(numpy.float16) for _ in "ab")
    c = numpy.full((256, 256), 7, numpy.float32)
    place.execute(lowered, "gemm", [a, b, c], target="pvc")
    assert numpy.array_equal(c, a.astype(numpy.float32) @ b.astype(numpy.float32))


def test_it_becomes_spirv(capsys: pytest.CaptureFixture[str]) -> None:
    module = xetile.parse(EXAMPLE)
    assert xetile.emit(module, "spirv") == xetile.emit(module, "spirv", "pvc")
    assert capsys.readouterr().err == ""
