"""What surrounds kernels on tiles, written at lane level for each type: what numpy's execution gives, a device does.

All types of a family are in one kernel, which a device builds once.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, cast

import ml_dtypes
import numpy
import pytest
from support.on_device import ON_NUMPY, Place
from support.spread import spread
from support.subgroup import NUMPY as NARROW
from support.subgroup import Array, same

from tools.device_product.accuracy import agree
from xetile import api
from xetile.errors import XetileError
from xetile.runtime.open_device import Device

LANES = 16
NUMPY: dict[str, Any] = {
    **NARROW,
    "i1": numpy.bool_,
    "i64": numpy.int64,
    "index": numpy.int64,
    "f64": numpy.float64,
}


class Part(NamedTuple):
    """What is done for one type, of arguments, and of buffers of the workgroup and of a lane; the last array has results."""

    arguments: str
    body: str
    arrays: Callable[[], list[Array]]
    ops: Sequence[str] = ()
    shared: str = ""
    private: str = ""


def function(arguments: str, body: str, buffers: str = "") -> str:
    return f"""
  gpu.func @k({arguments}) {buffers} kernel attributes {{known_block_size = array<i32: {LANES}, 1, 1>,
      known_grid_size = array<i32: 1, 1, 1>, xetile.level = "lane"}} {{
    %lane = gpu.lane_id
    {"".join(f"%c{n} = arith.constant {n} : index{chr(10)}" for n in range(LANES + 1))}
    {body}
    gpu.return
  }}"""


def kernel(parts: Mapping[str, Part]) -> str:
    """The parts one after the other, each with names of its own."""

    def own(text: str, type: str) -> str:
        return re.sub(r"%(?!lane\b|c\d+\b)(\w+)", rf"%\g<1>_{type}", text)

    def all(texts: Iterable[tuple[str, str]]) -> str:
        return ", ".join(own(text, type) for type, text in texts if text)

    buffers = ""
    for kind in ("shared", "private"):
        declared = all((type, getattr(part, kind)) for type, part in parts.items())
        word = "workgroup" if kind == "shared" else kind
        buffers += f" {word}({declared})" if declared else ""
    body = "\n".join(own(part.body, type) for type, part in parts.items())
    arguments = all((type, part.arguments) for type, part in parts.items())
    return f"gpu.module @m {{{function(arguments, body, buffers)}\n}}"


def numbered(body: str, number: int, **words: str) -> str:
    """A body in which N is a number of its own, and other words are types."""
    for word, meaning in words.items():
        body = body.replace(f"${word}", meaning)
    return body.replace("$N", str(number))


# Quotients.

DIVISIONS = ("floordivsi", "ceildivsi", "ceildivui", "divsi", "divui", "remsi", "remui")
PAIRS = 192


def operands(type: str) -> list[Array]:
    """Each number with each divisor, but for the one quotient that a type does not hold."""
    limits = numpy.iinfo(NUMPY[type])
    low, high = int(limits.min), int(limits.max)
    left = (0, 1, -1, 2, -2, 7, -8, 100, high, high - 1, low, low + 1, high // 2)
    right = (1, 2, 3, 7, -1, -2, -3, 100, high, high - 1, low, low + 1)
    found = [(a, b) for a, b in product(left, right) if (a, b) != (low, -1)]
    found += [(5, 2)] * (PAIRS - len(found))
    a, b = (numpy.array(column, NUMPY[type]) for column in zip(*found, strict=True))
    return [a, b, numpy.zeros((2 * len(DIVISIONS), PAIRS), NUMPY[type])]


def quotients(type: str) -> Part:
    memory = f"memref<?x{type}>, %R: memref<?x?x{type}>"
    body = f"""%rounds = arith.constant {PAIRS // LANES} : index
    scf.for %i = %c0 to %rounds step %c1 {{
      %first = arith.muli %i, %c16 : index
      %at = arith.addi %first, %lane : index
      %x = memref.load %A[%at] : memref<?x{type}>
      %y = memref.load %B[%at] : memref<?x{type}>"""
    lines = """
      %r$N = arith.$O %x, %y : $T
      %k$N = arith.constant $N : index
      memref.store %r$N, %R[%k$N, %at] : memref<?x?x$T>"""
    vectors = """
      %r$N = arith.$O %v, %w : vector<4x$T>
      %k$N = arith.constant $N : index
      vector.store %r$N, %R[%k$N, %at4] : memref<?x?x$T>, vector<4x$T>"""
    body += "".join(numbered(lines, n, O=op, T=type) for n, op in enumerate(DIVISIONS))
    body += f"""
    }}
    %rounds4 = arith.constant {PAIRS // LANES // 4} : index
    scf.for %j = %c0 to %rounds4 step %c1 {{
      %first4 = arith.muli %j, %c16 : index
      %place = arith.addi %first4, %lane : index
      %at4 = arith.muli %place, %c4 : index
      %v = vector.load %A[%at4] : memref<?x{type}>, vector<4x{type}>
      %w = vector.load %B[%at4] : memref<?x{type}>, vector<4x{type}>"""
    more = enumerate(DIVISIONS, len(DIVISIONS))
    body += "".join(numbered(vectors, n, O=op, T=type) for n, op in more) + "\n    }"
    return Part(f"%A: memref<?x{type}>, %B: {memory}", body, lambda: operands(type))


# Functions of floats.

FUNCTIONS = ("rsqrt", "tanh", "erf", "log", "sin", "cos", "sqrt", "exp")
FLOATS = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
FUSED = ("f16", "f32")
"""Types of which numpy knows a sum of a product that rounds once."""


def numbers(type: str) -> list[Array]:
    kind = numpy.dtype(NUMPY[type])
    limits = cast("Any", ml_dtypes.finfo(kind))
    found = [0.0, -0.0, 1.0, -1.5, 0.1, -0.7, 3.0, 0.5, 7.0, 12.0, -3.25, 2.0]
    found += [float(limits.max), float(limits.tiny), float(limits.smallest_subnormal)]
    a = numpy.array([*found, numpy.inf]).astype(kind)
    b = numpy.array([2.0, 0.5, 3.0, 2.0, -1.0, 3.0, 0.25, 1.5] * 2).astype(kind)
    rows = len(FUNCTIONS) + 1 + 2 * (type in FUSED)
    return [a, b, numpy.zeros((rows, LANES), kind)]


def functions(type: str) -> Part:
    body = f"""%x = memref.load %A[%lane] : memref<16x{type}>
    %y = memref.load %B[%lane] : memref<16x{type}>"""
    ops = [f"math.{name}" for name in FUNCTIONS] + ["math.powf"]
    rows = len(ops) + 2 * (type in FUSED)
    for n, op in enumerate(ops):
        values = "%x, %y" if op == "math.powf" else "%x"
        lines = "\n%r$N = $O $V : $T\nmemref.store %r$N, %R[%c$N, %lane] : memref<$Mx16x$T>"
        body += numbered(lines, n, O=op, V=values, T=type, M=str(rows))
    if type in FUSED:
        body += f"""
    %s = math.fma %x, %y, %y : {type}
    memref.store %s, %R[%c{rows - 2}, %lane] : memref<{rows}x16x{type}>
    %i = arith.remui %lane, %c4 : index
    %at = arith.muli %i, %c4 : index
    %v = vector.load %A[%at] : memref<16x{type}>, vector<4x{type}>
    %w = vector.load %B[%at] : memref<16x{type}>, vector<4x{type}>
    %f = vector.fma %v, %w, %w : vector<4x{type}>
    vector.store %f, %R[%c{rows - 1}, %at] : memref<{rows}x16x{type}>, vector<4x{type}>"""
        ops += ["math.fma", "vector.fma"]
    memory = f"memref<16x{type}>"
    arguments = f"%A: {memory}, %B: {memory}, %R: memref<{rows}x16x{type}>"
    return Part(arguments, body, lambda: numbers(type), tuple(ops))


# Memory.

TYPES = ("i1", "i8", "i16", "i32", "i64", "index", *FLOATS)
WIDTHS = (1, 2, 3, 4, 5, 8, 16)


def bits(type: str, shape: tuple[int, ...]) -> Array:
    kind = numpy.dtype(NUMPY[type])
    raw = numpy.random.default_rng(3).integers(0, 120, shape)
    return (raw % 2 if type == "i1" else raw).astype(kind)


def moves(type: str) -> Part:
    """Elements through views, vectors of all lengths, a lane's own memory and a workgroup's."""
    source, window = f"memref<?x?x{type}>", f"memref<?x?x{type}, strided<[?, ?], offset: ?>>"
    out, own = f"memref<32x64x{type}>", f"memref<4x8x{type}>"
    row = f"memref<64x{type}, strided<[1], offset: ?>>"
    shared = f"memref<16x17x{type}, strided<[17, 1]>, #gpu.address_space<workgroup>>".replace(
        ", strided<[17, 1]>", ""
    )
    mine = f"memref<8x{type}, #gpu.address_space<private>>"
    body = f"""
    %w = memref.subview %A[%n, 1] [%n, %c16] [2, %step] : {source} to {window}
    %x = memref.load %w[%c1, %lane] : {window}
    memref.store %x, %R[%c0, %lane] : {out}
    %line = memref.subview %R[%n, 0] [1, 64] [1, 1] : {out} to {row}
    %cast = memref.cast %line : {row} to memref<?x{type}, strided<[1], offset: ?>>
    memref.store %x, %cast[%lane] : memref<?x{type}, strided<[1], offset: ?>>
    %tall = memref.expand_shape %R [[0, 1], [2, 3]] output_shape [2, 16, 4, 16]
      : {out} into memref<2x16x4x16x{type}>
    %y = memref.load %tall[%c0, %c3, %c0, %lane] : memref<2x16x4x16x{type}>
    %flat = memref.collapse_shape %R [[0, 1]] : {out} into memref<2048x{type}>
    %far = arith.constant 80 : index
    %behind = arith.addi %lane, %far : index
    memref.store %x, %flat[%behind] : memref<2048x{type}>
    %again = memref.reinterpret_cast %R to offset: [128], sizes: [4, 16], strides: [16, 1]
      : {out} to memref<4x16x{type}, strided<[16, 1], offset: 128>>
    memref.store %x, %again[%c2, %lane] : memref<4x16x{type}, strided<[16, 1], offset: 128>>
    %p = memref.alloca() : {own}
    scf.for %i = %c0 to %c8 step %c1 {{
      %q = memref.alloca() : memref<2x{type}>
      %z = memref.load %A[%i, %lane] : {source}
      memref.store %z, %q[%c1] : memref<2x{type}>
      %zz = memref.load %q[%c1] : memref<2x{type}>
      memref.store %zz, %p[%c2, %i] : {own}
      memref.store %z, %mine[%i] : {mine}
      memref.store %z, %shared[%lane, %i] : {shared}
    }}
    gpu.barrier
    %place = arith.remui %lane, %c8 : index
    %kept = memref.load %p[%c2, %place] : {own}
    memref.store %kept, %R[%c4, %lane] : {out}
    %priv = memref.load %mine[%place] : {mine}
    memref.store %priv, %R[%c5, %lane] : {out}
    %next = arith.subi %c15, %lane : index
    %other = memref.load %shared[%next, %place] : {shared}
    memref.store %other, %R[%c6, %lane] : {out}
    %many = vector.load %shared[%next, %c1] : {shared}, vector<7x{type}>
    vector.store %many, %R[%c7, %c0] : {out}, vector<7x{type}>
    %five = vector.load %p[%c2, %c3] : {own}, vector<5x{type}>
    vector.store %five, %p[%c0, %c1] : {own}, vector<5x{type}>
    %at5 = memref.load %p[%c0, %c4] : {own}
    memref.store %at5, %R[%c8, %lane] : {out}
    %mine_row = arith.addi %lane, %c16 : index
    """.replace(
        f"    vector.store %many, %R[%c7, %c0] : {out}, vector<7x{type}>\n",
        f"    %e = vector.extract %many[6] : {type} from vector<7x{type}>\n"
        f"    memref.store %e, %R[%c7, %lane] : {out}\n",
    )
    first = 1
    for width in WIDTHS:
        vector = f"vector<{width}x{type}>"
        body += f"""
    %o{width} = arith.constant {first} : index
    %v{width} = vector.load %A[%lane, %o{width}] : {source}, {vector}
    vector.store %v{width}, %R[%mine_row, %o{width}] : {out}, {vector}"""
        first += width
    return Part(
        f"%A: {source}, %R: {out}, %n: index, %step: index",
        body,
        lambda: [bits(type, (24, 64)), numpy.zeros((32, 64), NUMPY[type])],
        shared=f"%shared: {shared}",
        private=f"%mine: {mine}",
    )


# Shuffles.

MODES = ("xor", "up", "down", "idx")
SHUFFLED = tuple(type for type in TYPES if type != "index")


def shuffles(type: str) -> Part:
    """Every mode, by a number that the lanes share and by one of each lane's own; whether there was a source too."""
    body = f"""%x = memref.load %A[%lane] : memref<16x{type}>
    %w = arith.constant 16 : i32
    %three = arith.constant 3 : i32
    %number = arith.index_cast %lane : index to i32
    %zero = arith.constant {_zero(type)} : {type}"""
    pairs = [*product(MODES, ("%three",)), *product(("idx", "xor"), ("%number",))]
    for n, (mode, by) in enumerate(pairs):
        body += f"""
    %r{n}, %p{n} = gpu.shuffle {mode} %x, {by}, %w : {type}
    %s{n} = arith.select %p{n}, %r{n}, %zero : {type}
    memref.store %s{n}, %R[%c{n}, %lane] : memref<6x16x{type}>"""
    return Part(
        f"%A: memref<16x{type}>, %R: memref<6x16x{type}>",
        body,
        lambda: [bits(type, (LANES,)), numpy.zeros((6, LANES), NUMPY[type])],
    )


def _zero(type: str) -> str:
    return "0.0" if "f" in type else "0"


# Branches.

BRANCHES = """
    %x = memref.load %A[%lane] : memref<16xi32>
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    cf.br ^head(%x, %z : i32, i32)
  ^head(%n: i32, %count: i32):
    cf.switch %n : i32, [
      default: ^half(%n : i32),
      1: ^end(%count : i32),
      -7: ^end(%n : i32),
      0: ^zero,
      2: ^end(%count : i32)
    ]
  ^half(%m: i32):
    %rest = arith.andi %m, %one : i32
    %less = arith.shrui %m, %one : i32
    %more = arith.addi %count, %rest : i32
    %next = arith.addi %more, %one : i32
    cf.br ^head(%less, %next : i32, i32)
  ^zero:
    %hundred = arith.constant 100 : i32
    cf.br ^end(%hundred : i32)
  ^end(%found: i32):
    memref.store %found, %R[%lane] : memref<16xi32>
    scf.index_switch %lane
    case 3 {
      memref.store %z, %R[%lane] : memref<16xi32>
      scf.yield
    }
    default {
      scf.yield
    }"""
SWITCHED = numpy.array([0, 1, 2, -7, 9, 13, 100, -1, -7, 2**31 - 1, 3, 4, 5, 6, 7, 8], "i4")


FAMILIES: dict[str, dict[str, Part]] = {
    "quotients": {type: quotients(type) for type in ("i8", "i16", "i32", "i64", "index")},
    "functions": {type: functions(type) for type in FLOATS},
    "moves": {type: moves(type) for type in TYPES},
    "shuffles": {
        **{type: shuffles(type) for type in SHUFFLED},
        "branches": Part(
            "%A: memref<16xi32>, %R: memref<16xi32>",
            BRANCHES,
            lambda: [SWITCHED.copy(), numpy.zeros(LANES, numpy.int32)],
        ),
    },
}
MODULES = {family: kernel(parts) for family, parts in FAMILIES.items()}


def run(place: Place, family: str) -> dict[str, Array]:
    """The results for each type."""
    given: dict[str, list[Array]] = {type: p.arrays() for type, p in FAMILIES[family].items()}
    extra = (3, 2) if family == "moves" else ()
    values = [value for arrays in given.values() for value in (*arrays, *extra)]
    place.execute(api.parse(MODULES[family]), "k", values)
    return {type: arrays[-1] for type, arrays in given.items()}


@pytest.mark.opencl
@pytest.mark.parametrize("family", FAMILIES)
def test_a_device_does_what_numpy_does(family: str, opencl_cpu: Device) -> None:
    expected, found = run(ON_NUMPY, family), run(Place(opencl_cpu), family)
    wrong: list[str] = []
    for type, part in FAMILIES[family].items():
        left, right = expected[type], found[type]
        if part.ops:
            rows = zip(part.ops, left, right, strict=True)
            wrong += [f"{op} {type}" for op, a, b in rows if not agree(op, a, b)]
        elif not same(left, right):
            wrong.append(type)
    assert wrong == []


def test_numpy_is_right() -> None:
    """A few that are written down."""
    a, b, _ = operands("i8")
    found = run(ON_NUMPY, "quotients")["i8"]
    for left, right, floor, ceiling in (
        (-128, 7, -19, -18),
        (7, -128, -1, 0),
        (-128, -128, 1, 1),
    ):
        (at,) = [n for n, pair in enumerate(zip(a, b, strict=True)) if pair == (left, right)]
        assert found[[0, 7], at].tolist() == [floor] * 2
        assert found[[1, 8], at].tolist() == [ceiling] * 2
    moved, source = run(ON_NUMPY, "moves")["f32"], bits("f32", (24, 64))
    assert (moved[16:, 1:40] == source[:16, 1:40]).all()
    assert (moved[0, :16] == source[3 + 2, 1 : 1 + 32 : 2]).all()
    shuffled = run(ON_NUMPY, "shuffles")["i8"]
    assert (shuffled[0] == bits("i8", (16,))[numpy.arange(16) ^ 3]).all()
    branched = run(ON_NUMPY, "shuffles")["branches"].tolist()
    assert branched[:9] == [100, 0, 0, 0, 3, 5, 8, 62, -7]


@pytest.mark.ocloc
@pytest.mark.parametrize("family, device", spread(list(FAMILIES), ["bmg", "pvc"]))
def test_the_devices_compile_them(family: str, device: str, ocloc: object) -> None:
    assert api.emit(api.parse(MODULES[family]), "asm", device)


def refused(body: str, arguments: str = "%A: memref<64x64xf32>") -> str:
    module = api.parse(f"gpu.module @m {{{function(arguments, body)}\n}}")
    with pytest.raises(XetileError) as caught:
        api.lower(module, to="llvm", device="bmg")
    return caught.value.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "%v = vector.load %A[%c0, %c0] : memref<64x64xf32>, vector<2x4xf32>\n"
            "vector.store %v, %A[%c1, %c0] : memref<64x64xf32>, vector<2x4xf32>",
            "'vector.load' of vector<2x4xf32> has no lowering to LLVM IR; expected a vector of one dimension "
            "(vector.shape_cast makes others of it)",
        ),
        (
            "%p = memref.alloca(%c4) : memref<?xf32>",
            "'memref.alloca' of memref<?xf32> has no lowering to LLVM IR; expected a shape and strides that are "
            "known, and offset 0",
        ),
        (
            "%p = memref.alloca() : memref<4xi4>",
            "'memref.alloca' of memref<4xi4> has no lowering to LLVM IR: two elements share a byte; expected "
            "elements of bytes",
        ),
        (
            "%p = memref.alloca() : memref<4xf32, 1>",
            "'memref.alloca' of memref<4xf32, 1 : i64> has no lowering to LLVM IR; expected a buffer of each "
            "work-item, of no memory space or #gpu.address_space<private>",
        ),
        (
            "%p = memref.alloca() : memref<4xf32>\n"
            "%a = memref.extract_aligned_pointer_as_index %p : memref<4xf32> -> index\n"
            "%f = arith.constant 1.0 : f32\n"
            "memref.store %f, %A[%a, %c0] : memref<64x64xf32>",
            "the address of memref<4xf32> has no lowering to LLVM IR: the buffer is memory of each lane, which "
            "neither tiles nor pointers reach",
        ),
        (
            "vector.print %lane : index",
            "'vector.print' has no lowering to LLVM IR; expected gpu.printf, which OpenCL has a function for",
        ),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    assert refused(body) == message


def test_elements_that_share_a_byte() -> None:
    """They were read as if each had one."""
    found = refused(
        "%x = memref.load %A[%lane] : memref<64xi4>\nmemref.store %x, %A[%c0] : memref<64xi4>",
        "%A: memref<64xi4>",
    )
    assert found == (
        "'memref.load' of memref<64xi4> has no lowering to LLVM IR: two elements share a byte; access bytes instead"
    )
