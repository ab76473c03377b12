"""Products of converted operands: their order at L, and that it keeps the bits."""

import numpy
import pytest
from support.on_device import Place, levels_and_places
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tools.instruction_counts.weights import weights
from xetile.api import lower, parse_text
from xetile.interpreter import execute
from xetile.levels import LevelName


def _kernel(*, scaled: bool) -> ModuleOp:
    """Two steps of K for one subgroup."""
    text = weights(scaled=scaled, subgroups=(1, 1))
    return parse_text(
        text.replace("%k = %c0 to %c4096", "%k = %c0 to %rows_twice").replace(
            "%columns = ", "%rows_twice = arith.constant 64 : index\n    %columns = "
        ),
        "kernel.mlir",
    )


def _is_product(op: Operation) -> bool:
    return isinstance(op, llvm.CallOp) and "_matrix_mad_" in str(op.callee)


def _loop(module: ModuleOp) -> list[Operation]:
    """The ops of the block of products."""
    block = next(op for op in module.walk() if _is_product(op)).parent
    assert block is not None
    return list(block.ops)


@pytest.mark.parametrize("scaled", [False, True])
def test_an_operand_is_converted_beside_its_products(*, scaled: bool) -> None:
    ops = _loop(lower(_kernel(scaled=scaled), to="llvm", device="bmg"))
    products = [op for op in ops if _is_product(op)]
    operands = [op.operands[1] for op in products]
    # 4 blocks of rows take each of 2 x 4 operands, one after the other
    assert len(products) == 32
    assert operands == [value for value in dict.fromkeys(operands) for _ in range(4)]
    last = ops.index(products[0])
    for product in products[4::4]:
        place = ops.index(product)
        between = {op.name for op in ops[last:place]}
        assert {"llvm.sitofp", "llvm.bitcast"} <= between
        assert scaled == ("llvm.fmul" in between)
        last = place


def test_scales_are_splats_of_their_block() -> None:
    ops = _loop(lower(_kernel(scaled=True), to="llvm", device="bmg"))
    factors = {op.operands[1].owner for op in ops if isinstance(op, llvm.FMulOp)}
    assert len(factors) == 4
    assert factors <= set(ops)


def test_loaded_operands_keep_the_order_of_rows() -> None:
    text = weights(subgroups=(1, 1)).replace("xi8", "xf16")
    text = text.replace("%w_f16 = arith.sitofp %w : vector<32x64xf16> to !vb", "")
    text = text.replace("%a, %w_f16,", "%a, %w,")
    ops = _loop(lower(parse_text(text, "kernel.mlir"), to="llvm", device="bmg"))
    rows = [op.operands[0] for op in ops if _is_product(op)]
    assert rows[0] is rows[2] is rows[4] is rows[6]


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("xegpu", "xevm"), indirect=["place"]
)
@pytest.mark.parametrize("scaled", [False, True])
def test_bits(*, scaled: bool, level: LevelName, place: Place) -> None:
    random = numpy.random.default_rng(3)
    a, w = numpy.zeros((4096, 4096), numpy.float16), numpy.zeros((4096, 4096), numpy.int8)
    a[:32, :64] = random.standard_normal((32, 64))
    w[:64, :64] = random.integers(-128, 128, (64, 64))
    s = random.standard_normal((1, 4096)).astype(numpy.float16)
    expected, found = (numpy.zeros((4096, 4096), numpy.float32) for _ in range(2))
    module = _kernel(scaled=scaled)
    execute(module, "gemm", [a, w, s, expected], grid=(1, 1, 1))
    place.execute(
        lower(module, to=level, device="bmg"), "gemm", [a, w, s, found], grid=(1, 1, 1)
    )
    assert expected.any()
    assert numpy.array_equal(expected.view(numpy.int32), found.view(numpy.int32))
