"""Kernels on elements of the field: sums in any order are equal, and nothing that is wrong is."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Literal, cast

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray
from support.in_field import equal, in_field, same_in_field
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import xetile
from xetile.errors import XetileError
from xetile.interpreter.field.prime_field import (
    LARGEST,
    NAN,
    centred,
    of_floats,
    scattered,
    times,
)

Array = NDArray[Any]
LEVELS: tuple[Literal["subgroup", "blocked", "xegpu", "xevm"], ...] = (
    "subgroup",
    "blocked",
    "xegpu",
    "xevm",
)
SIZES = "known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>"


def normal(*shape: int, type: Any = numpy.float16) -> Array:
    return numpy.random.default_rng(sum(shape)).standard_normal(shape).astype(type)


def elements(values: Array) -> Array:
    return of_floats(values.astype(numpy.float64))


def gemm(type: str) -> ModuleOp:
    return xetile.kernels.gemm_module(
        m=32, n=32, k=64, a=type, workgroup_tile=(32, 32), subgroup_tile=(16, 32), k_step=32
    )


FORMATS: dict[str, Any] = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": numpy.float32,
}


@pytest.mark.parametrize("type", FORMATS)
def test_products_are_exact_at_every_level(type: str) -> None:
    a, b = normal(32, 64, type=FORMATS[type]), normal(64, 32, type=FORMATS[type])
    c = numpy.zeros((32, 32), numpy.float32)
    module = gemm(type)
    lowered = [xetile.lower(module, to=level, device="bmg") for level in LEVELS]
    found = same_in_field([module, *lowered], "gemm", [a, b, c])
    exact = elements(a).astype(object) @ elements(b).astype(object)
    assert ((found[2] - exact) % (2 * LARGEST + 1) == 0).all()
    assert found[2].dtype == numpy.int64
    assert not c.any(), "given arrays stay"


def without_one_product(module: ModuleOp) -> Iterator[Operation]:
    for op in list(module.walk()):
        if op.name == "xevm.mma":
            op.results[0].replace_all_uses_with(op.operands[2])
            yield op


def with_another_operand(module: ModuleOp) -> Iterator[Operation]:
    products = [op for op in module.walk() if op.name == "xevm.mma"]
    for earlier, op in pairwise(products):
        if earlier.operands[0] is not op.operands[0]:
            op.operands[0] = earlier.operands[0]
            yield op


def from_another_place(module: ModuleOp) -> Iterator[Operation]:
    for op in list(module.walk()):
        if op.name == "xevm.blockload2d":
            op.operands[4], op.operands[5] = op.operands[5], op.operands[4]
            yield op


@pytest.mark.parametrize(
    "change", [without_one_product, with_another_operand, from_another_place]
)
def test_every_fault_shows(change: Callable[[ModuleOp], Iterator[Operation]]) -> None:
    arrays = [normal(32, 64), normal(64, 32), numpy.zeros((32, 32), numpy.float32)]
    lowered = xetile.lower(gemm("f16"), to="xevm", device="bmg")
    right = in_field(lowered, "gemm", arrays)
    count = sum(1 for _ in change(lowered.clone()))
    assert count >= 2
    for number in range(count):
        wrong = lowered.clone()
        for position, _ in enumerate(change(wrong)):
            if position == number:
                break
        assert not equal(right, in_field(wrong, "gemm", arrays)), number


def kernel(parameters: str, body: str) -> ModuleOp:
    return xetile.parse(
        f'gpu.module @m {{ gpu.func @k({parameters}) kernel attributes {{{SIZES}, xetile.level = "lane"}} {{\n'
        f"%lane = gpu.lane_id\n{body}\ngpu.return }} }}"
    )


def values(type: str, body: str, given: Array, result: str = "") -> Array:
    """What a body makes of each lane's %x, as %r."""
    result = result or type
    out = numpy.zeros(16, numpy.int32 if result == "i32" else given.dtype)
    module = kernel(
        f"%A: memref<16x{type}>, %R: memref<16x{result}>",
        f"%x = memref.load %A[%lane] : memref<16x{type}>\n{body}\n"
        f"memref.store %r, %R[%lane] : memref<16x{result}>",
    )
    return in_field(module, "k", [given, out])[1]


def test_the_order_of_a_sum_does_not_show() -> None:
    given = normal(16, type=numpy.float32)
    parts = "%e = math.exp %x : f32\n%s = math.sqrt %x : f32\n"
    left = parts + "%t = arith.addf %x, %e : f32\n%r = arith.addf %t, %s : f32"
    right = parts + "%t = arith.addf %s, %e : f32\n%r = arith.addf %t, %x : f32"
    found = values("f32", left, given)
    assert (found == values("f32", right, given)).all()
    assert (found != values("f32", parts + "%r = arith.addf %x, %e : f32", given)).all()


OPS: list[tuple[str, Callable[[Array], Array]]] = [
    ("%r = arith.subf %x, %x : f32", lambda x: x - x),
    ("%r = arith.negf %x : f32", lambda x: -x),
    ("%y = arith.divf %x, %x : f32\n%r = arith.mulf %y, %x : f32", lambda x: x),
    ("%r = math.fma %x, %x, %x : f32", lambda x: centred(times(x, x) + x)),
    ("%r = math.exp %x : f32", lambda x: scattered("math.exp", [x])),
    ("%r = math.absf %x : f32", lambda x: numpy.abs(x)),
    ("%r = math.floor %x : f32", lambda x: x),
    ("%h = arith.truncf %x : f32 to f16\n%r = arith.extf %h : f16 to f32", lambda x: x),
    ("%z = arith.constant 2.0 : f32\n%r = arith.maximumf %x, %z : f32", lambda x: x.clip(2)),
    ("%b = arith.bitcast %x : f32 to i32\n%r = arith.bitcast %b : i32 to f32", lambda x: x),
    (
        "%v = vector.from_elements %x, %x : vector<2xf32>\n"
        "%h = vector.bitcast %v : vector<2xf32> to vector<4xi16>\n"
        "%w = vector.bitcast %h : vector<4xi16> to vector<2xf32>\n"
        "%r = vector.extract %w[1] : f32 from vector<2xf32>",
        lambda x: x,
    ),
    (
        "%b = arith.bitcast %x : f32 to i32\n%c = arith.constant 16 : i32\n%h = arith.shrui %b, %c : i32\n"
        "%m = arith.constant 65535 : i32\n%l = arith.andi %b, %m : i32\n%u = arith.shli %h, %c : i32\n"
        "%w = arith.ori %l, %u : i32\n%r = arith.bitcast %w : i32 to f32",
        lambda x: x,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), OPS, ids=range(len(OPS)))
def test_ops(body: str, expected: Callable[[Array], Array]) -> None:
    given = normal(16, type=numpy.float32)
    assert (values("f32", body, given) == expected(elements(given))).all()


def test_nan_and_infinity_are_as_in_ieee() -> None:
    given = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 5] * 4, numpy.float32)
    constant = "%z = arith.constant 1.0 : f32\n"
    found = values("f32", f"{constant}%r = arith.maximumf %x, %z : f32", given)
    assert found[:4].tolist() == [NAN, LARGEST - 1, 1, 5]
    found = values("f32", f"{constant}%r = arith.minnumf %x, %z : f32", given)
    assert found[:4].tolist() == [1, 1, 1 - LARGEST, 1]
    body = "%n = arith.cmpf uno, %x, %x : f32\n%r = arith.uitofp %n : i1 to f32"
    assert values("f32", body, given)[:4].tolist() == [1, 0, 0, 0]


def test_integers_of_floats_and_back() -> None:
    given = numpy.arange(-8, 8).astype(numpy.float32)
    body = "%i = arith.fptosi %x : f32 to i32\n%j = arith.muli %i, %i : i32\n%r = arith.sitofp %j : i32 to f32"
    assert values("f32", body, given).tolist() == [n * n for n in range(-8, 8)]


@pytest.mark.parametrize(
    ("body", "op"),
    [
        ("%b = arith.bitcast %x : f32 to i32\n%c = arith.addi %b, %b : i32\n%r = arith.bitcast %c : i32 to f32",
         "'arith.addi' takes the bits of floats for a number, and elements of the field have none"),
        ("%b = arith.bitcast %x : f32 to i32\n%i = arith.index_cast %b : i32 to index\n%r = arith.index_cast %i : index to i32",
         "'arith.index_cast' takes the bits of floats for a number"),
        ("%b = arith.bitcast %x : f32 to i32\n%t = arith.trunci %b : i32 to i16\n%h = arith.bitcast %t : i16 to f16\n"
         "%r = arith.extf %h : f16 to f32", "'arith.bitcast' takes bytes for f16 that are no whole float"),
    ],
)  # fmt: skip
def test_bits_that_mean_nothing_are_refused(body: str, op: str) -> None:
    with pytest.raises(XetileError, match=op):
        values("f32", body, normal(16, type=numpy.float32), "i32" if "index" in op else "")


def test_an_array_of_integers_that_holds_floats_is_refused() -> None:
    module = kernel(
        "%A: memref<16xf32>, %R: memref<16xi32>",
        "%x = memref.load %A[%lane] : memref<16xf32>\n%b = arith.bitcast %x : f32 to i32\n"
        "memref.store %b, %R[%lane] : memref<16xi32>",
    )
    arrays = [normal(16, type=numpy.float32), numpy.zeros(16, numpy.int32)]
    with pytest.raises(XetileError, match="argument 1 is an array of int32 and holds bits of"):
        in_field(module, "k", arrays)


def test_arrays_that_share_memory_do_so_here() -> None:
    whole = normal(32, type=numpy.float32)
    module = kernel(
        "%A: memref<16xf32>, %R: memref<16xf32, strided<[1]>>",
        "%x = memref.load %A[%lane] : memref<16xf32>\n"
        "memref.store %x, %R[%lane] : memref<16xf32, strided<[1]>>",
    )
    found = in_field(module, "k", [whole[:16], whole[8:24]])
    assert (found[1] == elements(whole[:16])).all()
    assert (found[0][8:] == found[1][:8]).all()


def test_integers_and_numbers_are_themselves() -> None:
    module = kernel(
        "%A: memref<16xi32>, %f: f32, %R: memref<16xf32>",
        "%x = memref.load %A[%lane] : memref<16xi32>\n%y = arith.addi %x, %x : i32\n"
        "memref.store %y, %A[%lane] : memref<16xi32>\nmemref.store %f, %R[%lane] : memref<16xf32>",
    )
    given = numpy.arange(16, dtype=numpy.int32)
    found = in_field(module, "k", [given, 2.5, numpy.zeros(16, numpy.float32)])
    assert (found[0] == 2 * given).all()
    assert found[0].dtype == numpy.int32
    assert (found[1] == elements(numpy.array([2.5]))).all()


@pytest.mark.parametrize("type", ["f16", "f32"])
def test_atomic_sums_do_not_depend_on_their_order(type: str) -> None:
    """Lanes add to one element, in their order or from the last to the first."""
    given = normal(16, type=FORMATS.get(type, numpy.float32))
    found: list[Array] = []
    for lane in ("%lane", "%turned"):
        module = kernel(
            f"%A: memref<16x{type}>, %R: memref<1x{type}>",
            "%c0 = arith.constant 0 : index\n%c15 = arith.constant 15 : index\n"
            f"%turned = arith.subi %c15, %lane : index\n%x = memref.load %A[{lane}] : memref<16x{type}>\n"
            f"%o = memref.atomic_rmw addf %x, %R[%c0] : ({type}, memref<1x{type}>) -> {type}",
        )
        found.append(in_field(module, "k", [given, numpy.zeros(1, given.dtype)])[1])
    assert found[0] == found[1]
    assert (found[0] - elements(given).sum()) % (2 * LARGEST + 1) == 0


def test_python_programs_ask_for_it() -> None:
    module = gemm("f16")
    arrays = [normal(32, 64), normal(64, 32), numpy.zeros((32, 32), numpy.float32)]
    found = xetile.execute(module, "gemm", *arrays, values="field")
    assert numpy.array_equal(found[2], in_field(module, "gemm", arrays)[2])
    with pytest.raises(
        XetileError, match="values='field' is executed on numpy; leave out on="
    ):
        xetile.execute(module, "gemm", *arrays, values="field", on="opencl:cpu")
    with pytest.raises(
        XetileError, match="unknown values 'ring'; expected one of bits, field"
    ):
        xetile.execute(module, "gemm", *arrays, values=cast("Literal['bits']", "ring"))
