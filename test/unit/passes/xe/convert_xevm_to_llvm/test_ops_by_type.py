"""Every elementwise op that L has, for every type that it takes: level V's bits are numpy's execution, and the device's.

A kernel has all ops of a type, so that it is built once, and a subgroup computes few elements, so that this is quick;
each op writes rows of its own.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import ml_dtypes
import numpy
import pytest
from support.on_device import ON_NUMPY, Place
from support.subgroup import NUMPY, Argument, Array, kernel, load, memref, same, tile, vector

from tools.device_product.accuracy import agree
from xetile import api
from xetile.passes.xe.convert_xevm_to_llvm import arithmetic, float_functions, floats

SHAPE = (2, 32)
SUBGROUPS = 4
ROWS = SHAPE[0] * SUBGROUPS
"""Of the operands, and of the results of each op."""

FLOATS_8 = ("f8E4M3FN", "f8E5M2")
FLOATS = ("f16", "bf16", "f32", *FLOATS_8)
INTEGERS = ("i8", "i16", "i32")
FAR = (numpy.inf, -numpy.inf, numpy.nan)

FLOAT_OPS = (
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf", "arith.maximumf", "arith.minimumf",
    "arith.maxnumf", "arith.minnumf", "math.atan2", "math.copysign", "math.powf",
)  # fmt: skip
FLOAT_FUNCTIONS = (
    "arith.negf", "math.absf", "math.ceil", "math.floor", "math.sqrt", "math.exp", "math.exp2", "math.log", "math.log2",
    "math.sin", "math.cos", "math.tan", "math.acos", "math.asin", "math.atan", "math.cosh", "math.sinh", "math.tanh",
    "math.acosh", "math.asinh", "math.atanh", "math.cbrt", "math.erf", "math.expm1", "math.log10", "math.log1p", "math.round",
    "math.roundeven", "math.rsqrt", "math.trunc",
)  # fmt: skip
INTEGER_OPS = (
    "arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori", "arith.minsi", "arith.maxsi",
    "arith.minui", "arith.maxui",
)  # fmt: skip
INTEGER_FUNCTIONS = ("math.absi", "math.ctlz", "math.ctpop", "math.cttz")
BY_DIVISORS = (
    "arith.divui", "arith.divsi", "arith.remui", "arith.remsi", "arith.ceildivui", "arith.ceildivsi", "arith.floordivsi",
    "math.ipowi",
)  # fmt: skip
SHIFTS = ("arith.shli", "arith.shrui", "arith.shrsi")
FLOAT_ORDERS = (
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
)
INTEGER_ORDERS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

CONVERSIONS: dict[str, tuple[str, ...]] = {
    "f16": ("arith.bitcast i16", "arith.truncf f8E4M3FN", "arith.truncf f8E5M2", "arith.extf f32", "arith.fptosi i32", "arith.fptoui i32", "arith.fptosi i16"),
    "bf16": ("arith.extf f32", "arith.truncf f8E4M3FN", "arith.truncf f8E5M2", "arith.fptosi i32", "arith.fptoui i32", "arith.fptosi i16"),
    **dict.fromkeys(FLOATS_8, ("arith.bitcast i8", "arith.extf f16", "arith.extf bf16", "arith.extf f32", "arith.fptosi i32", "arith.fptosi i16")),
    "f32": ("arith.bitcast i32", "arith.truncf f16", "arith.truncf bf16", "arith.truncf f8E4M3FN", "arith.truncf f8E5M2", "arith.fptosi i32", "arith.fptoui i32", "arith.fptosi i16"),
    "i8": ("arith.extsi i16", "arith.extui i16", "arith.extsi i32", "arith.extui i32", "arith.sitofp f32", "arith.uitofp f32",
           "arith.sitofp f16", "arith.uitofp bf16"),
    "i16": ("arith.bitcast f16", "arith.trunci i8", "arith.extsi i32", "arith.extui i32", "arith.sitofp f32", "arith.uitofp f32", "arith.sitofp f16"),
    "i32": ("arith.bitcast f32", "arith.trunci i8", "arith.trunci i16", "arith.sitofp f32", "arith.uitofp f32", "arith.sitofp f16",
            "arith.sitofp bf16", "arith.uitofp bf16"),
}  # fmt: skip


class Op(NamedTuple):
    """Lines that define %r of a type, in which N stands for a number of its own and V for the vector's type."""

    name: str
    lines: str
    result: str


def ops(element: str) -> Iterator[Op]:
    """What is computed of %a and %b; %c are small numbers, not 0: divisors, lengths of shifts, exponents."""
    if element in FLOATS:
        for name in FLOAT_OPS:
            yield Op(
                name, f"%rN = {name} %a, %{'c' if name == 'math.powf' else 'b'} : V", element
            )
        for name in FLOAT_FUNCTIONS:
            yield Op(name, f"%rN = {name} %a : V", element)
        for order in FLOAT_ORDERS:
            lines = (
                f"%mN = arith.cmpf {order}, %a, %b : V\n%rN = arith.select %mN, %a, %b : M, V"
            )
            yield Op(f"arith.cmpf {order}", lines, element)
        if element not in ("bf16", *FLOATS_8):
            yield Op("math.fma", "%rN = math.fma %a, %b, %c : V", element)
        numbers = vector(SHAPE, "i32")
        lines = f"%nN = arith.constant dense<-3> : {numbers}\n%rN = math.fpowi %a, %nN : V, {numbers}"
        yield Op("math.fpowi", lines, element)
        return
    for name in INTEGER_OPS:
        yield Op(name, f"%rN = {name} %a, %b : V", element)
    for name in INTEGER_FUNCTIONS:
        yield Op(name, f"%rN = {name} %a : V", element)
    for name in (*BY_DIVISORS, *SHIFTS):
        yield Op(name, f"%rN = {name} %a, %c : V", element)
    for order in INTEGER_ORDERS:
        lines = f"%mN = arith.cmpi {order}, %a, %b : V\n%rN = arith.select %mN, %a, %b : M, V"
        yield Op(f"arith.cmpi {order}", lines, element)


def conversions(element: str) -> Iterator[Op]:
    """Casts of %a, or of %c where the result is an integer, which does not hold every float."""
    for conversion in CONVERSIONS[element]:
        name, _, to = conversion.partition(" ")
        source = "%c" if name.startswith("arith.fpto") else "%a"
        yield Op(conversion, f"%rN = {name} {source} : V to {vector(SHAPE, to)}", to)


def pairs(element: str) -> tuple[Array, Array, Array]:
    """Each of 16 numbers that lie at the ends of what the type has with each other one, and the small numbers."""
    kind = numpy.dtype(NUMPY[element])
    if element in FLOATS:
        limits = cast("Any", ml_dtypes.finfo(kind))
        least = float(limits.smallest_subnormal)
        ends = [limits.max, -limits.max, limits.tiny, least, 3 * least]
        numbers = [0.0, -0.0, 1.0, -1.5, 0.1, -0.7, 100.25, 3.0, *FAR, *map(float, ends)]
        small = [0.5, 1.0, 2.0, 3.0, 1.25, 7.0, 0.1, 5.5]
    else:
        limits = cast("Any", numpy.iinfo(kind))
        ends = [limits.max, limits.min, limits.max - 1, limits.min + 1]
        numbers = [0, 1, -1, 2, -2, 3, -7, 10, 17, 64, 85, -86, *map(int, ends)]
        small = [1, 2, 3, 4, 5, 6, 7, 3]
    left, right = numpy.meshgrid(numpy.array(numbers), numpy.array(numbers))
    made = (left, right, numpy.resize(numpy.array(small), left.shape))
    with numpy.errstate(all="ignore"):
        a, b, c = (values.astype(kind).reshape(ROWS, -1) for values in made)
    return a, b, c


def padded(values: Array) -> Array:
    """In a matrix whose rows are as long as block messages want them."""
    wide = numpy.zeros((ROWS, 64), values.dtype)
    wide[:, : SHAPE[1]] = values
    return wide


def program(element: str, computed: Sequence[Op]) -> tuple[str, list[Argument]]:
    """A kernel, and its arguments: three operands, and a matrix for the results of each type."""
    arguments = [
        Argument(name, memref((ROWS, 64), element), padded(values), padded(values))
        for name, values in zip("ABC", pairs(element), strict=True)
    ]
    body = f"""
    %height = arith.constant {SHAPE[0]} : index
    %subgroup = gpu.subgroup_id : index
    %row = arith.muli %subgroup, %height : index"""
    for a in arguments:
        body += load(a.name.lower(), a, SHAPE, element).replace("[0, 0]", "[%row, 0]")
    for to in dict.fromkeys(op.result for op in computed):
        rows = sum(op.result == to for op in computed) * ROWS
        zeros = numpy.zeros((rows, 64), NUMPY[to])
        out = Argument(f"OUT_{to}", memref(zeros.shape, to), zeros, zeros)
        arguments.append(out)
        t, v = tile(SHAPE, to), vector(SHAPE, to)
        for row, (number, op) in enumerate(
            c for c in enumerate(computed) if c[1].result == to
        ):
            lines = re.sub(r"\bV\b", vector(SHAPE, element), op.lines)
            lines = re.sub(r"\bM\b", vector(SHAPE, "i1"), lines)
            lines = re.sub("(%[a-z])N", rf"\g<1>{number}", lines)
            body += f"""
    {lines}
    %first{number} = arith.constant {row * ROWS} : index
    %row{number} = arith.addi %row, %first{number} : index
    %t{number} = xetile.init_tile %{out.name}[%row{number}, 0] : {out.type} -> {t}
    xetile.store_tile %r{number}, %t{number} : {v}, {t}"""
    return kernel(body, arguments, SUBGROUPS), arguments


def executed(text: str, arguments: Sequence[Argument], place: Place) -> dict[str, Array]:
    module = api.lower(api.parse(text), to="xevm", device="bmg")
    arrays = [argument.before.copy() for argument in arguments]
    place.execute(module, "k", arrays)
    return {argument.name: array for argument, array in zip(arguments, arrays, strict=True)}


def check(element: str, computed: Sequence[Op], place: Place) -> None:
    text, arguments = program(element, computed)
    written = [a.before.copy() for a in arguments]
    ON_NUMPY.execute(api.parse(text), "k", written)
    expected = dict(zip((a.name for a in arguments), written, strict=True))
    found = executed(text, arguments, place)
    rows: dict[str, int] = {}
    wrong: list[str] = []
    for op in computed:
        row = rows.get(op.result, 0)
        rows[op.result] = row + ROWS
        at = slice(row, row + ROWS)
        left, right = (values[f"OUT_{op.result}"][at] for values in (expected, found))
        if not (same(left, right) if place.device is None else agree(op.name, left, right)):
            wrong.append(op.name)
    assert wrong == []


@pytest.mark.parametrize("element", [*FLOATS, *INTEGERS])
def test_every_op(element: str, place: Place) -> None:
    check(element, list(ops(element)), place)


@pytest.mark.parametrize("element", [*FLOATS, *INTEGERS])
def test_every_conversion(element: str, place: Place) -> None:
    check(element, list(conversions(element)), place)


ELSEWHERE = {
    "arith.addui_extended": "two results: test_execution.py",
    "arith.mulsi_extended": "two results: test_execution.py",
    "arith.mului_extended": "two results: test_execution.py",
    "arith.index_cast": "on scalars: test_execution.py",
    "arith.index_castui": "on scalars: test_execution.py",
    "builtin.unrealized_conversion_cast": "what passes leave between their types",
    "vector.constant_mask": "takes no vector: test_math.py",
    "vector.create_mask": "takes no vector: test_math.py",
    "vector.fma": "as math.fma: test_math.py",
    "vector.step": "takes no vector: test_math.py",
}
"""Ops that are no elementwise ops of vectors of one result, and where they are tested."""


def test_every_elementwise_op_of_the_pass_is_here() -> None:
    computed = [
        op for element in (*FLOATS, *INTEGERS) for op in (*ops(element), *conversions(element))
    ]
    names = {word for op in computed for word in op.lines.split() if "." in word}
    handled = {
        name for room in (arithmetic, floats, float_functions) for name in room.HANDLERS
    }
    assert names == handled - ELSEWHERE.keys()
