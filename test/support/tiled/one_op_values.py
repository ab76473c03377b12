"""Kernels of one op each that computes: elementwise, functions, products, control flow."""

from support.subgroup import vector
from support.tiled.case import Case
from support.tiled.one_op import (
    BOX,
    Operand,
    literal,
    one_op,
)


def elementwise() -> list[Case]:
    """Arithmetic, comparisons, casts, constants, by type."""
    cases: list[Case] = []
    for t in ("f16", "bf16", "f32", "f64"):
        v, two = vector(BOX, t), [Operand("a", t), Operand("b", t)]
        for name in ("addf", "mulf", "divf", "maximumf", "minnumf"):
            cases.append(one_op(f"{name}_{t}", f"%r = arith.{name} %a, %b : {v}", two))
    for t in ("i8", "i16", "i32", "i64"):
        v, two = vector(BOX, t), [Operand("a", t), Operand("b", t)]
        for name in ("addi", "muli", "xori", "maxsi"):
            cases.append(one_op(f"{name}_{t}", f"%r = arith.{name} %a, %b : {v}", two))
    casts = (
        ("extf", "f16", "f32"), ("extf", "bf16", "f32"), ("truncf", "f32", "f16"), ("truncf", "f32", "bf16"),
        ("truncf", "f32", "tf32"), ("sitofp", "i8", "f16"), ("sitofp", "i32", "f32"), ("fptosi", "f32", "i32"),
        ("fptosi", "f32", "i8"), ("extsi", "i8", "i32"), ("extui", "i8", "i16"), ("trunci", "i32", "i8"),
        ("trunci", "i32", "i16"), ("bitcast", "f32", "i32"), ("bitcast", "i16", "f16"), ("extf", "f8E4M3FN", "f16"),
        ("truncf", "f16", "f8E5M2"), ("extui", "i1", "i32"),
    )  # fmt: skip
    for name, t, to in casts:
        line = f"%r = arith.{name} %a : {vector(BOX, t)} to {vector(BOX, to)}"
        cases.append(one_op(f"{name}_{t}_{to}", line, [Operand("a", t)], to))
    v = vector(BOX, "f32")
    two = [Operand("a", "f32"), Operand("b", "f32")]
    mask = f"%m = arith.cmpf olt, %a, %b : {v}\n    "
    cases += [
        one_op(
            "select", f"{mask}%r = arith.select %m, %a, %b : {vector(BOX, 'i1')}, {v}", two
        ),
        one_op("mask_stored", f"%r = arith.cmpf olt, %a, %b : {v}", two, "i1"),
        one_op("vector_fma", f"%r = vector.fma %a, %b, %a : {v}", two),
        one_op("splat", f"%r = arith.constant dense<2.5> : {v}"),
        one_op(
            "constant",
            f"%r = arith.constant dense<{literal((8, 16))}> : {vector((8, 16), 'i32')}",
            result="i32",
            shape=(8, 16),
        ),
    ]
    return cases


UNARY = (
    "absf", "ceil", "cos", "erf", "exp", "exp2", "floor", "log", "log2", "round", "roundeven", "rsqrt", "sin", "sqrt",
    "tanh", "trunc",
)  # fmt: skip


def functions() -> list[Case]:
    """Functions of math, of f32 and f16."""
    cases: list[Case] = []
    for t in ("f32", "f16"):
        v = vector(BOX, t)
        positive = f"%p = math.absf %a : {v}\n    "
        for name in UNARY:
            cases.append(
                one_op(
                    f"{name}_{t}", f"{positive}%r = math.{name} %p : {v}", [Operand("a", t)]
                )
            )
        two = [Operand("a", t), Operand("b", t)]
        cases.append(one_op(f"powf_{t}", f"{positive}%r = math.powf %p, %b : {v}", two))
        cases.append(one_op(f"fma_{t}", f"%r = math.fma %a, %b, %a : {v}", two))
    return cases


def products() -> list[Case]:
    """Products of every type, of narrow and of odd extents."""
    forms: list[tuple[str, str, str, tuple[int, int, int]]] = [
        ("f16", "f16", "f32", (16, 32, 32)), ("bf16", "bf16", "f32", (16, 32, 32)), ("tf32", "tf32", "f32", (16, 32, 16)),
        ("i8", "i8", "i32", (16, 32, 64)), ("si8", "ui8", "i32", (16, 32, 32)), ("f16", "f16", "f16", (16, 32, 32)),
        ("bf16", "bf16", "bf16", (16, 32, 32)), ("f8E4M3FN", "f8E4M3FN", "f32", (16, 32, 32)),
        ("f8E5M2", "f8E4M3FN", "f32", (16, 32, 32)), ("f32", "f32", "f32", (16, 16, 8)), ("f64", "f64", "f64", (16, 16, 8)),
        ("f16", "f16", "f32", (16, 8, 32)), ("f16", "f16", "f32", (16, 24, 32)), ("f16", "f16", "f32", (16, 4, 32)),
        ("f16", "f16", "f32", (16, 1, 32)), ("i8", "i8", "i32", (16, 8, 32)), ("tf32", "tf32", "f32", (16, 8, 16)),
        ("f16", "f16", "f32", (4, 32, 32)), ("f16", "f16", "f32", (1, 32, 32)), ("f16", "f16", "f32", (12, 16, 16)),
        ("f16", "f16", "f32", (16, 16, 8)), ("f16", "f16", "f32", (16, 16, 24)), ("f16", "f16", "f32", (16, 16, 40)),
        ("bf16", "bf16", "f32", (16, 16, 40)), ("i8", "i8", "i32", (16, 16, 40)), ("tf32", "tf32", "f32", (16, 16, 12)),
    ]  # fmt: skip
    return [_product(*form) for form in forms]


def _product(a: str, b: str, c: str, extents: tuple[int, int, int]) -> Case:
    m, n, k = extents
    of_a, of_b, of_c = vector((m, k), a), vector((k, n), b), vector((m, n), c)
    return one_op(
        f"mma_{a}_{b}_{c}_{m}x{n}x{k}",
        f"%r = xetile.tile_mma %a, %b, %c : {of_a}, {of_b}, {of_c} -> {of_c}",
        [Operand("a", a, (m, k)), Operand("b", b, (k, n)), Operand("c", c, (m, n))],
        c,
        (m, n),
    )


def control() -> list[Case]:
    """Loops and branches around tiles and vectors."""
    f = vector(BOX, "f32")
    constants = """%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    """
    return [
        one_op(
            "for",
            f"""{constants}%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %a) -> ({f}) {{
      %t = arith.mulf %s, %s : {f}
      scf.yield %t : {f}
    }}""",
        ),
        one_op(
            "for_of_sums",
            f"""{constants}%none = arith.constant dense<0.0> : {vector((16, 1), "f32")}
    %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %none) -> ({vector((16, 1), "f32")}) {{
      %line = xetile.tile_reduce <add>, %a [1] : {f} -> {vector((16, 1), "f32")}
      %t = arith.addf %s, %line : {vector((16, 1), "f32")}
      scf.yield %t : {vector((16, 1), "f32")}
    }}
    %r = xetile.tile_broadcast %sum [1] : {vector((16, 1), "f32")} -> {f}""",
        ),
        one_op(
            "if",
            f"""{constants}%p = arith.cmpi slt, %n, %c3 : index
    %r = scf.if %p -> ({f}) {{
      %t = arith.negf %a : {f}
      scf.yield %t : {f}
    }} else {{
      scf.yield %a : {f}
    }}""",
            parameters=[("%n: index", 2)],
        ),
        one_op(
            "while",
            f"""{constants}%end:2 = scf.while (%i = %c0, %s = %a) : (index, {f}) -> (index, {f}) {{
      %p = arith.cmpi slt, %i, %c3 : index
      scf.condition(%p) %i, %s : index, {f}
    }} do {{
    ^bb0(%i: index, %s: {f}):
      %t = arith.addf %s, %s : {f}
      %next = arith.addi %i, %c1 : index
      scf.yield %next, %t : index, {f}
    }}
    %r = arith.negf %end#1 : {f}""",
        ),
        one_op(
            "index_switch",
            f"""%r = scf.index_switch %n -> {f}
    case 2 {{
      %t = arith.negf %a : {f}
      scf.yield %t : {f}
    }}
    default {{
      scf.yield %a : {f}
    }}""",
            parameters=[("%n: index", 2)],
        ),
    ]
