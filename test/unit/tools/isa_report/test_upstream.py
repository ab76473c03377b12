"""Upstream's texts compute what ours do, and its programs make what the page says."""

import numpy
import pytest
from support.tiled.attention import ERROR, attended

from tools.isa_report.counting import ours, upstreams
from tools.isa_report.kernels import KERNELS
from tools.isa_report.upstream import attention, softmax
from tools.isa_report.upstream.routes import unescaped
from xetile.api import parse_text
from xetile.codegen import statistics
from xetile.interpreter import execute

KEYS = 128
LARGE = ("-ze-opt-large-register-file",)


@pytest.mark.parametrize("rows", [8, 16])
@pytest.mark.parametrize("keys_by_d", [False, True])
def test_attention(rows: int, keys_by_d: bool) -> None:
    random = numpy.random.default_rng(0)
    q, k, v = (random.standard_normal((4096, 64)).astype(numpy.float16) for _ in range(3))
    found = numpy.zeros((4096, 64), numpy.float32)
    text = attention.text(rows, keys_by_d=keys_by_d, array_length=2)
    held = k if keys_by_d else k.T.copy()
    execute(
        parse_text(text, "kernel.mlir"), "attention", [q, held, v, found, KEYS], grid=(2, 1, 1)
    )
    expected = attended(q[: 2 * rows], k[:KEYS], v[:KEYS])
    assert abs(found[: 2 * rows] - expected).max() <= ERROR * abs(expected).max()
    assert not found[2 * rows :].any()


@pytest.mark.parametrize(
    "text", [softmax.text(), KERNELS["softmax, three passes"].text()], ids=["upstream", "ours"]
)
def test_softmax(text: str) -> None:
    x = numpy.random.default_rng(0).standard_normal((4096, 4096)).astype(numpy.float32)
    found = numpy.zeros_like(x)
    execute(parse_text(text, "kernel.mlir"), "softmax", [x, found], grid=(1, 1, 1))
    powers = numpy.exp(x[:8].astype(float) - x[:8].max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    assert abs(found[:8] - expected).max() <= 1e-5 * expected.max()


def test_escapes_of_mlir() -> None:
    assert unescaped(r"\03\02#\07a\\\"\n") == b'\x03\x02#\x07a\\"\n'


@pytest.mark.ocloc
def test_a_row_is_what_the_compiler_counts() -> None:
    kernel = KERNELS["f16, prefetch"]
    found = ours(kernel, "bmg")
    (counted,) = statistics(parse_text(kernel.text(), "kernel.mlir"), "bmg").values()
    assert found.counts == counted | {"bound": 5}


@pytest.mark.ocloc
@pytest.mark.mlir_opt
def test_what_the_stock_pipeline_makes() -> None:
    found = upstreams(KERNELS["f16"], 0, {"bmg": LARGE})["bmg"].counts
    assert found is not None
    assert (found["load2d"], found["dpas"], found["spill_size"]) == (16, 32, 0)
    assert found["total"] > 50


@pytest.mark.mlir_opt
def test_where_upstream_stops_the_reason_is_said() -> None:
    found = upstreams(KERNELS["tf32"], 0, {"bmg": LARGE})["bmg"]
    assert found.counts is None
    assert found.fails == (
        "mlir-opt-22: failed to legalize operation 'xegpu.load_nd' that was explicitly marked illegal"
    )
