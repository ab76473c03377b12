"""Products of small integers and f16, which are formed in f32: the bits of f16, whatever the factor."""

import numpy
import pytest
from support.on_device import Place
from support.subgroup import given, kernel, load, made, run, store
from xdsl.dialects.builtin import ModuleOp, VectorType, f32

from xetile.dialects.modules import context
from xetile.passes.pipelines import lower

SHAPE = (16, 32)
SPECIAL = (
    0.0,
    -0.0,
    1e-8,
    -6e-8,
    3e-5,
    6.1e-5,
    1 / 3,
    65504.0,
    numpy.inf,
    -numpy.inf,
    numpy.nan,
)


def lanes(module: ModuleOp) -> None:
    lower(context(), module, "xevm", "bmg")


def program(cast: str) -> str:
    return f"""
    %w_f16 = {cast} %w : vector<16x32xi8> to vector<16x32xf16>
    %r = arith.mulf %w_f16, %s : vector<16x32xf16>"""


@pytest.mark.parametrize(("cast", "type"), [("sitofp", numpy.int8), ("uitofp", numpy.uint8)])
def test_bits_are_those_of_f16(cast: str, type: type[numpy.generic], place: Place) -> None:
    random = numpy.random.default_rng(0)
    bytes = random.integers(0, 256, SHAPE).astype(numpy.uint8)
    bytes[0, :8] = (0, 1, 127, 128, 129, 254, 255, 3)
    factors = (random.standard_normal(SHAPE) * 2.0 ** random.integers(-24, 12, SHAPE)).astype(
        numpy.float16
    )
    for row in range(2):
        factors[row, : len(SPECIAL)] = SPECIAL
    with numpy.errstate(all="ignore"):
        products = bytes.view(type).astype(numpy.float16) * factors
    arguments = [
        given("W", bytes.view(numpy.int8), "i8"),
        given("S", factors, "f16"),
        made("R", products, "f16"),
    ]
    loads = load("w", arguments[0], SHAPE, "i8") + load("s", arguments[1], SHAPE, "f16")
    body = loads + program(f"arith.{cast}") + store("r", arguments[2], SHAPE, "f16")
    text = kernel(body, arguments)
    module = run(text, arguments, lanes, place=place)
    factors_of = {str(op.results[0].type) for op in module.walk() if op.name == "arith.mulf"}
    assert factors_of == {str(VectorType(f32, [8]))}
    if place.device is None:
        run(text, arguments)
