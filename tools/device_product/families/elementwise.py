"""Every elementwise op by type, as one lane's scalars and vectors, on numbers where types end and rounding decides.

An op is a part of a case; the parts of a type that reach SPIR-V are one kernel. What MLIR leaves open (too many bits of
a shift, a number that an integer does not hold) stands in parts of its own.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import ml_dtypes
import numpy

from tools.device_product.case import Array, Case, Program, Result

COLUMNS = 64
"""Of every matrix; four subgroups of a workgroup take 16 each."""
COUNT = 2048
"""Numbers of an operand."""

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
BITS = {
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "i1": 8,
    "index": 64,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
}
BITS |= {name: int(name[1:]) for name in INTEGERS}
DTYPES = {
    "f16": numpy.dtype(numpy.float16),
    "bf16": numpy.dtype(ml_dtypes.bfloat16),
    "f32": numpy.dtype(numpy.float32),
    "f64": numpy.dtype(numpy.float64),
    "f8E4M3FN": numpy.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": numpy.dtype(ml_dtypes.float8_e5m2),
    "i1": numpy.dtype(numpy.int8),
    "index": numpy.dtype(numpy.int64),
    **{name: numpy.dtype(f"int{name[1:]}") for name in INTEGERS},
}

FLOAT_BINARY = (
    *("addf", "subf", "mulf", "divf", "remf"),
    *("maximumf", "minimumf"),
)
NUMBERS = ("maxnumf", "minnumf")
CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
WRAPPING = ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui")
DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")
UNARY_MATH = (
    *(
        "absf",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cbrt",
        "ceil",
        "cos",
        "cosh",
    ),
    *("erf", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "round"),
    *("roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
BINARY_MATH = ("atan2", "copysign", "powf")
INTEGER_MATH = ("absi", "ctlz", "ctpop", "cttz")


class Op(NamedTuple):
    """What computes %r of %x, %y, %z: lines of IR, in which #T> is a vector of T or T; the result's type."""

    lines: str
    result: str
    operands: str = "xy"
    open: str = ""


def cases() -> list[Case]:
    """A case for each type, of vectors and of scalars."""
    return [
        Case(
            f"elementwise {type} {'vectors' if width > 1 else 'scalars'}",
            partial(_program, type, width),
            tuple(_ops(type)),
        )
        for type in (*FLOATS, *INTEGERS, "i1", "index", "f8E4M3FN", "f8E5M2")
        for width in (8, 1)
    ]


def _ops(type: str) -> dict[str, Op]:
    if type in FLOATS or type.startswith("f8"):
        return _float_ops(type)
    return _integer_ops(type)


def _float_ops(t: str) -> dict[str, Op]:
    ops = {f"arith.{n}": Op(f"%r = arith.{n} %x, %y : #{t}>", t) for n in FLOAT_BINARY}
    ops |= {f"arith.{n}": Op(f"%r = arith.{n} %x, %n : #{t}>", t, "xn") for n in NUMBERS}
    ops |= {
        f"arith.{n} of two zeros": Op(
            f"%r = arith.{n} %x, %y : #{t}>", t, open="MLIR takes either of two zeros"
        )
        for n in NUMBERS
    }
    ops |= {f"arith.cmpf {n}": Op(_bit(f"arith.cmpf {n}, %x, %y : #{t}>"), "i8") for n in CMPF}
    ops["arith.select"] = Op(
        f"%c = arith.cmpf olt, %x, %y : #{t}>\n%r = arith.select %c, %x, %y : #i1>, #{t}>", t
    )
    ops["arith.negf"] = Op(f"%r = arith.negf %x : #{t}>", t)
    ops["math.fma"] = Op(f"%r = math.fma %x, %y, %z : #{t}>", t, "xyz")
    ops |= {f"math.{n}": Op(f"%r = math.{n} %x : #{t}>", t) for n in UNARY_MATH}
    ops |= {f"math.{n}": Op(f"%r = math.{n} %x, %y : #{t}>", t) for n in BINARY_MATH}
    others = [o for o in (*FLOATS, "f8E4M3FN", "f8E5M2") if o != t]
    for other in others:
        if BITS[other] != BITS[t]:
            name = "extf" if BITS[other] > BITS[t] else "truncf"
            ops[f"arith.{name} to {other}"] = Op(
                f"%r = arith.{name} %x : #{t}> to #{other}>", other
            )
    for other in INTEGERS:
        for name in ("fptosi", "fptoui"):
            line = f"%r = arith.{name} %{{}} : #{t}> to #{other}>"
            held = f"{name[-2]}{other[1:]}"
            ops[f"arith.{name} to {other}"] = Op(line.format(held), other, held)
            ops[f"arith.{name} to {other} of what it does not hold"] = Op(
                line.format("x"), other, open="MLIR has no result for it"
            )
    ops[f"arith.bitcast to i{BITS[t]}"] = Op(
        f"%r = arith.bitcast %x : #{t}> to #i{BITS[t]}>", f"i{BITS[t]}"
    )
    return ops


def _integer_ops(t: str) -> dict[str, Op]:
    ops = {f"arith.{n}": Op(f"%r = arith.{n} %x, %y : #{t}>", t) for n in WRAPPING}
    ops |= {f"arith.{n}": Op(f"%r = arith.{n} %x, %d : #{t}>", t, "xd") for n in DIVISIONS}
    ops |= {f"arith.{n}": Op(f"%r = arith.{n} %x, %s : #{t}>", t, "xs") for n in SHIFTS}
    ops |= {
        f"arith.{n} by too much": Op(
            f"%r = arith.{n} %x, %y : #{t}>", t, open="MLIR has no result for it"
        )
        for n in SHIFTS
    }
    ops |= {f"arith.cmpi {n}": Op(_bit(f"arith.cmpi {n}, %x, %y : #{t}>"), "i8") for n in CMPI}
    ops["arith.select"] = Op(
        f"%c = arith.cmpi slt, %x, %y : #{t}>\n%r = arith.select %c, %x, %y : #i1>, #{t}>", t
    )
    ops |= {f"math.{n}": Op(f"%r = math.{n} %x : #{t}>", t) for n in INTEGER_MATH}
    ops["math.ipowi"] = Op(f"%r = math.ipowi %x, %s : #{t}>", t, "xs")
    for other in ("i1", *INTEGERS, "index"):
        if other == t:
            continue
        if "index" in (t, other):
            names = ("index_cast", "index_castui")
        else:
            names = ("extsi", "extui") if _width(other) > _width(t) else ("trunci",)
        for name in names:
            line = f"arith.{name} %x : #{t}> to #{other}>"
            ops[f"arith.{name} to {other}"] = Op(
                _bit(line) if other == "i1" else f"%r = {line}",
                "i8" if other == "i1" else other,
            )
    if t != "index":
        for other in FLOATS:
            for name in ("sitofp", "uitofp"):
                ops[f"arith.{name} to {other}"] = Op(
                    f"%r = arith.{name} %x : #{t}> to #{other}>", other
                )
        for other in FLOATS:
            if BITS[other] == BITS[t] and t != "i1":
                ops[f"arith.bitcast to {other}"] = Op(
                    f"%r = arith.bitcast %x : #{t}> to #{other}>", other
                )
    return ops


def _width(type: str) -> int:
    return 1 if type == "i1" else BITS[type]


def _bit(line: str) -> str:
    return f"%b = {line}\n%r = arith.extui %b : #i1> to #i8>"


def _program(type: str, width: int, parts: Sequence[str]) -> Program:
    ops = {part: _ops(type)[part] for part in parts}
    return kernel(type, width, ops, _operands(type))


def kernel(
    type: str, width: int, ops: Mapping[str, Op], operands: Mapping[str, Array]
) -> Program:
    """A kernel of all these ops on vectors of `width` elements, or scalars; operands by name, all as long."""
    count = len(next(iter(operands.values())))
    used = [name for name in operands if any(name in _names(op) for op in ops.values())]
    arrays = [in_memory(operands[name]) for name in used]
    results: dict[int, Result] = {}
    body: list[str] = []
    for number, name in enumerate(used):
        body += _loaded(name, number, type, width)
    for number, (part, op) in enumerate(ops.items(), len(used)):
        dtype = DTYPES[op.result]
        arrays.append(in_memory(numpy.zeros(count, dtype)))
        results[number] = Result(part, part.partition(" ")[0], op.open, dtype)
        body += [*_renamed(op.lines, number, width), *_stored(number, op.result, width)]
    return Program(
        _text(arrays, body, count // COLUMNS // width), arrays, "k", results=results
    )


def _renamed(lines: str, number: int, width: int) -> list[str]:
    """Lines for elements that are as many, with names of their own."""
    shape = rf"vector<{width}x\1>" if width > 1 else r"\1"
    return [
        re.sub(r"%([rbc])\b", rf"%\g<1>_{number}", re.sub(r"#(\w+)>", shape, line))
        for line in lines.splitlines()
    ]


def _names(op: Op) -> list[str]:
    return list(op.operands) if op.operands.isalpha() else [op.operands]


_HELD = {"bf16": "i16", "f8E4M3FN": "i8", "f8E5M2": "i8", "i1": "i8", "index": "i64"}
"""Types that a lane makes of integers of so many bits."""


def _of(type: str, width: int) -> str:
    return f"vector<{width}x{type}>"


def _message(type: str, width: int) -> tuple[str, int, int]:
    """How a lane's elements cross: bits of an element of the message, its rows, rows of a store (at most 8)."""
    bits = BITS[type]
    return ("i32", 2 * width, min(8, 2 * width)) if bits == 64 else (f"i{bits}", width, width)


def _loaded(name: str, number: int, type: str, width: int) -> list[str]:
    word, rows, _ = _message(type, width)
    held, raw = _HELD.get(type, type), _of(word, rows)
    lines = [
        f"%y{number} = arith.muli %row, %c{rows} : i32",
        f"%m{number} = xevm.blockload2d %p{number}, %bytes{word}, %rows{number}, %bytes{word}, %at_x, %y{number} "
        f"<{{elem_size_in_bits = {word[1:]} : i32, pack_register = false, tile_height = {rows} : i32, "
        f"tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}}> : {_SURFACE}) -> {raw}",
    ]
    cast = {"i1": "arith.trunci", "index": "arith.index_cast"}.get(type)
    value = f"%m{number}"
    for op, target in (
        ("vector.bitcast", _of(held if cast else type, width)),
        (cast, _of(type, width)),
    ):
        if op is not None and target != raw:
            lines.append(f"{value}c = {op} {value} : {raw} to {target}")
            value, raw = f"{value}c", target
    if width == 1:
        return [*lines, f"%{name} = vector.extract {value}[0] : {type} from {_of(type, 1)}"]
    zeros = ", ".join(map(str, range(width)))
    return [*lines, f"%{name} = vector.shuffle {value}, {value} [{zeros}] : {raw}, {raw}"]


_SURFACE = "(!llvm.ptr<1>, i32, i32, i32, i32, i32"


def _stored(number: int, type: str, width: int) -> list[str]:
    word, rows, at_once = _message(type, width)
    value, lines, current = f"%r_{number}", list[str](), _of(type, width)
    if width == 1:
        lines.append(f"%e{number} = vector.from_elements {value} : {current}")
        value = f"%e{number}"
    cast = {"i1": "arith.extui", "index": "arith.index_cast"}.get(type)
    for op, target in (
        (cast, _of(_HELD.get(type, type), width)),
        ("vector.bitcast", _of(word, rows)),
    ):
        if op is not None and target != current:
            lines.append(f"%w{number}{op[0]} = {op} {value} : {current} to {target}")
            value, current = f"%w{number}{op[0]}", target
    for start in range(0, rows, at_once):
        part = ", ".join(str(start + i) for i in range(at_once))
        lines += [
            f"%s{number}_{start} = vector.shuffle {value}, {value} [{part}] : {current}, {current}",
            f"%t{number}_{start} = arith.constant {start} : i32",
            f"%u{number}_{start} = arith.muli %row, %c{rows} : i32",
            f"%v{number}_{start} = arith.addi %u{number}_{start}, %t{number}_{start} : i32",
            f"xevm.blockstore2d %p{number}, %bytes{word}, %rows{number}, %bytes{word}, %at_x, %v{number}_{start}, "
            f"%s{number}_{start} <{{elem_size_in_bits = {word[1:]} : i32, tile_height = {at_once} : i32, "
            f"tile_width = 16 : i32}}> : {_SURFACE}, {_of(word, at_once)})",
        ]
    return lines


def _text(arrays: Sequence[Array], body: Sequence[str], workgroups: int) -> str:
    types = [f"memref<{a.shape[0]}x{a.shape[1]}xi{8 * a.itemsize}>" for a in arrays]
    parameters = ", ".join(f"%a{n}: {t}" for n, t in enumerate(types))
    pointers = "\n".join(
        f"""%i{n} = memref.extract_aligned_pointer_as_index %a{n} : {t} -> index
        %l{n} = arith.index_cast %i{n} : index to i64
        %p{n} = llvm.inttoptr %l{n} : i64 to !llvm.ptr<1>
        %rows{n} = arith.constant {arrays[n].shape[0]} : i32"""
        for n, t in enumerate(types)
    )
    lines = "\n        ".join(body)
    return f"""
    gpu.module @m {{ gpu.func @k({parameters}) kernel attributes {{known_block_size = array<i32: {COLUMNS}, 1, 1>,
        known_grid_size = array<i32: {workgroups}, 1, 1>, intel_reqd_sub_group_size = 16 : i32,
        xetile.level = "lane"}} {{
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %c8 = arith.constant 8 : i32
        %c16 = arith.constant 16 : i32
        %bytesi8 = arith.constant {COLUMNS} : i32
        %bytesi16 = arith.constant {COLUMNS * 2} : i32
        %bytesi32 = arith.constant {COLUMNS * 4} : i32
        %block = gpu.block_id x
        %row = arith.index_cast %block : index to i32
        %subgroup = gpu.subgroup_id : index
        %column = arith.index_cast %subgroup : index to i32
        %at_x = arith.muli %column, %c16 : i32
        {pointers}
        {lines}
        gpu.return
    }} }}"""


def in_memory(values: Array) -> Array:
    """Numbers as a matrix of the messages' words: those of 64 bits have their halves in two rows."""
    words = numpy.ascontiguousarray(values).reshape(-1, COLUMNS)
    if values.itemsize < 8:
        return words.view(f"i{values.itemsize}")
    halves = words.view(numpy.int32).reshape(-1, COLUMNS, 2)
    return numpy.ascontiguousarray(halves.transpose(0, 2, 1)).reshape(-1, COLUMNS)


def _operands(type: str) -> dict[str, Array]:
    """Numbers by the names of what is computed with them."""
    if type in FLOATS or type.startswith("f8"):
        return _floats(type)
    random = numpy.random.default_rng(BITS[type])
    dtype = DTYPES[type]
    if type == "i1":
        x, y = (random.integers(0, 2, COUNT).astype(dtype) for _ in range(2))
        return {"x": x, "y": y, "d": numpy.ones(COUNT, dtype), "s": numpy.zeros(COUNT, dtype)}
    info = numpy.iinfo(dtype)
    edges = [0, 1, -1, 2, -2, 7, info.max, info.min, info.max - 1, info.min + 1, 100, -100]
    x, y = _pairs(
        numpy.array(edges, dtype),
        lambda: random.integers(info.min, info.max, COUNT, dtype, endpoint=True),
    )
    divisors = numpy.where((y == 0) | ((y == -1) & (x == info.min)), dtype.type(3), y)
    shifts = random.integers(0, BITS[type], COUNT).astype(dtype)
    return {"x": x, "y": y, "d": divisors, "s": shifts}


def _pairs(edges: Array, more: Callable[[], Array]) -> tuple[Array, Array]:
    """Every pair of edges, then random ones."""
    x, y = more(), more()
    left, right = (grid.ravel() for grid in numpy.meshgrid(edges, edges))
    x[: len(left)], y[: len(right)] = left, right
    return x, y


def _floats(type: str) -> dict[str, Array]:
    random = numpy.random.default_rng(BITS[type] + (type == "bf16"))
    dtype, info = DTYPES[type], ml_dtypes.finfo(DTYPES[type])
    edges = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        3.0,
        float(info.max),
        float(info.tiny),
        float(info.smallest_subnormal),
    ]
    edges += [float(info.tiny) * 0.75, 100.3, numpy.nan, numpy.inf, 1 + float(info.eps)]
    with numpy.errstate(all="ignore"):
        signed = numpy.array([s * e for e in edges for s in (1, -1)]).astype(dtype)

    def numbers() -> Array:
        bits = random.integers(
            0, 1 << min(BITS[type], 63), COUNT, numpy.uint64, endpoint=False
        )
        any_bits = bits.astype(f"u{BITS[type] // 8}").view(dtype)
        near = (random.standard_normal(COUNT) * 4).astype(dtype)
        return numpy.where(numpy.arange(COUNT) % 4 == 0, any_bits, near)

    x, y = _pairs(signed, numbers)
    held = {
        f"{sign}{bits}": _held(sign, bits, dtype, random)
        for sign in "su"
        for bits in (8, 16, 32, 64)
    }
    same_zeros = numpy.where(abs(x) + abs(y) == 0, x, y)
    return {"x": x, "y": y, "z": numbers(), "n": same_zeros, **held}


def _held(
    sign: str, bits: int, dtype: "numpy.dtype[numpy.generic]", random: numpy.random.Generator
) -> Array:
    """Numbers of a float type that an integer type holds."""
    high = min(2.0 ** (bits - (sign == "s")), float(ml_dtypes.finfo(dtype).max))
    low = -high if sign == "s" else 0.0
    size = numpy.exp2(random.uniform(-3, numpy.log2(high), COUNT))
    values = numpy.where(
        random.integers(0, 2, COUNT) == 1, size, size if sign == "u" else -size
    ).astype(dtype)
    wide = values.astype(numpy.float64)
    inside = (numpy.trunc(wide) >= low) & (numpy.trunc(wide) < 2.0 ** (bits - (sign == "s")))
    return numpy.where(inside, values, dtype.type(1.5))
