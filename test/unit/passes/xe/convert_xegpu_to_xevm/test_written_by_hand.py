"""XeGPU that people and upstream's passes write: operands that are not packed, many small loads."""

import numpy
import pytest
from support.on_device import Place, levels_and_places
from support.products import matrices, same_bits
from support.upstream_gemm import upstream_gemm

from xetile.codegen import lower_to_llvm, statistics
from xetile.dialects.modules import context, parse
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

SIZES = (64, 128, 64)
FOR_INSTRUCTIONS = "inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1]"


@pytest.mark.parametrize("layout", ["", f"#xegpu.layout<{FOR_INSTRUCTIONS}>"])
@pytest.mark.parametrize("a_rows", [8, 32])
@pytest.mark.parametrize(
    ("level", "place"), levels_and_places(None, "xevm"), indirect=["place"]
)
def test_bits_are_those_of_the_product(
    level: LevelName | None, place: Place, a_rows: int, layout: str
) -> None:
    m, n, k = SIZES
    a, b = matrices(m, n, k, "f16", integers=True)
    module = parse(upstream_gemm(m, n, k, a_rows=a_rows, layout=layout))
    if level is not None:
        lower(context(), module, level, "bmg")
    c = numpy.zeros((m, n), numpy.float32)
    place.execute(module, "gemm", [a, b, c])
    assert same_bits(c, a.astype(numpy.float32) @ b.astype(numpy.float32))


@pytest.mark.ocloc
@pytest.mark.parametrize("a_rows", [8, 16, 32])
def test_the_hot_loop_is_that_of_a_packed_kernel(a_rows: int) -> None:
    module = parse(upstream_gemm(4096, 4096, 4096, a_rows=a_rows))
    lower(context(), module, "xevm", "bmg")
    (counts,) = statistics(lower_to_llvm(module, "bmg"), "bmg").values()
    assert (counts["load2d"], counts["dpas"], counts["spill_size"]) == (3, 32, 0)
    assert counts["total"] <= 40
