"""Every elementwise op by type, as one lane's scalars and vectors, on numbers where types end and rounding decides.

An op is a part of a case; the parts of a type that reach SPIR-V are one kernel.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy

from tools.device_product.case import Array, Case, Program, Result
from tools.device_product.families.numbers import (
    BITS,
    COLUMNS,
    DTYPES,
    FLOATS,
    INTEGERS,
    in_memory,
    operands_of,
)

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


_BEFORE = 77
"""In every word of a result: no op has that for all numbers."""


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
    ops = _binary(t, FLOAT_BINARY)
    ops |= _binary(t, NUMBERS, "n")
    ops |= _binary(t, NUMBERS, where=" of two zeros", open="MLIR takes either of two zeros")
    ops |= _comparisons(t, "cmpf", CMPF, "olt")
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
                line.format("x"), other
            )
    ops[f"arith.bitcast to i{BITS[t]}"] = Op(
        f"%r = arith.bitcast %x : #{t}> to #i{BITS[t]}>", f"i{BITS[t]}"
    )
    return ops


def _integer_ops(t: str) -> dict[str, Op]:
    ops = _binary(t, WRAPPING)
    ops |= _binary(t, DIVISIONS, "d")
    ops |= _binary(t, SHIFTS, "s")
    ops |= _binary(t, SHIFTS, where=" by too much")
    ops |= _comparisons(t, "cmpi", CMPI, "slt")
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


def _binary(
    t: str, names: Sequence[str], right: str = "y", *, where: str = "", open: str = ""
) -> dict[str, Op]:
    """Ops of arith on %x and the operand of that name; `where` tells parts of one op apart."""
    return {
        f"arith.{n}{where}": Op(f"%r = arith.{n} %x, %{right} : #{t}>", t, f"x{right}", open)
        for n in names
    }


def _comparisons(t: str, op: str, predicates: Sequence[str], less: str) -> dict[str, Op]:
    """Every predicate, and a choice by one."""
    compare, operands = f"arith.{op}", f"%x, %y : #{t}>"
    ops = {f"{compare} {p}": Op(_bit(f"{compare} {p}, {operands}"), "i8") for p in predicates}
    ops["arith.select"] = Op(
        f"%c = {compare} {less}, {operands}\n%r = arith.select %c, %x, %y : #i1>, #{t}>", t
    )
    return ops


def _width(type: str) -> int:
    return 1 if type == "i1" else BITS[type]


def _bit(line: str) -> str:
    return f"%b = {line}\n%r = arith.extui %b : #i1> to #i8>"


def _program(type: str, width: int, parts: Sequence[str]) -> Program:
    ops = {part: _ops(type)[part] for part in parts}
    return kernel(type, width, ops, operands_of(type))


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
        arrays.append(numpy.full_like(in_memory(numpy.zeros(count, dtype)), _BEFORE))
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
