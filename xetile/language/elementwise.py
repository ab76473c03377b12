"""Ops on elements: operands meet in one type and shape, then one op of arith or math."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from xdsl.ir import Operation

from xetile.language.builder import current
from xetile.language.conversions import converted
from xetile.language.held import Held, flags
from xetile.language.literals import literal, range_of
from xetile.language.rearranging import broadcast, common_shape
from xetile.language.refusals import refuse
from xetile.language.types import ElementType, f32, i1, i16, i64, promote

Maker: TypeAlias = Callable[..., Operation]
"""The class of an op, which is called with operands and, of floats, flags."""

Kind: TypeAlias = Literal[
    "add",
    "sub",
    "mul",
    "div",
    "floordiv",
    "ceildiv",
    "mod",
    "and",
    "or",
    "xor",
    "shl",
    "shr",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
]
Comparison: TypeAlias = Literal["eq", "ne", "lt", "le", "gt", "ge"]

SYMBOLS: Mapping[str, str] = {
    **{"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%"},
    **{"ceildiv": "xt.cdiv"},
    **{"and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"},
    **{"maximum": "xt.maximum", "minimum": "xt.minimum", "fmax": "xt.fmax", "fmin": "xt.fmin"},
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
}
"""How one writes each op."""


class _Ops(NamedTuple):
    """The op for each kind of element, None where there is none."""

    float: Maker | None = None
    signed: Maker | None = None
    unsigned: Maker | None = None
    boolean: Maker | None = None

    def of(self, element: ElementType) -> Maker | None:
        if element.kind == "float":
            return self.float
        if element.kind == "boolean":
            return self.boolean
        return self.unsigned if element.unsigned else self.signed


@cache
def _table() -> Mapping[str, _Ops]:
    from xetile.dialects.upstream import arith as a

    return {
        "add": _Ops(a.AddfOp, a.AddiOp, a.AddiOp),
        "sub": _Ops(a.SubfOp, a.SubiOp, a.SubiOp),
        "mul": _Ops(a.MulfOp, a.MuliOp, a.MuliOp),
        "div": _Ops(a.DivfOp),
        "floordiv": _Ops(None, a.FloorDivSIOp, a.DivUIOp),
        "ceildiv": _Ops(None, a.CeilDivSIOp, a.CeilDivUIOp),
        "mod": _Ops(None, a.RemSIOp, a.RemUIOp),
        "and": _Ops(None, a.AndIOp, a.AndIOp, a.AndIOp),
        "or": _Ops(None, a.OrIOp, a.OrIOp, a.OrIOp),
        "xor": _Ops(None, a.XOrIOp, a.XOrIOp, a.XOrIOp),
        "shl": _Ops(None, a.ShLIOp, a.ShLIOp),
        "shr": _Ops(None, a.ShRSIOp, a.ShRUIOp),
        "maximum": _Ops(a.MaximumfOp, a.MaxSIOp, a.MaxUIOp),
        "minimum": _Ops(a.MinimumfOp, a.MinSIOp, a.MinUIOp),
        "fmax": _Ops(a.MaxnumfOp, a.MaxSIOp, a.MaxUIOp),
        "fmin": _Ops(a.MinnumfOp, a.MinSIOp, a.MinUIOp),
    }


_INSTEAD: Mapping[tuple[str, str], str] = {
    ("div", "integer"): "'//' divides integers; `.to(xt.f32)` makes floats of them",
    ("div", "index"): "'//' divides integers",
    ("floordiv", "float"): "write xt.floor(x / y)",
    ("ceildiv", "float"): "write xt.ceil(x / y)",
    ("mod", "float"): "write x - xt.floor(x / y) * y",
    ("maximum", "boolean"): "write `|`",
    ("minimum", "boolean"): "write `&`",
    ("fmax", "boolean"): "write `|`",
    ("fmin", "boolean"): "write `&`",
}
"""What to write where an op does not take a kind of element."""


def binary(kind: Kind, left: Held, right: Held) -> Held:
    """`left kind right`, of two values that meet in a type and a shape."""
    left, right = met(SYMBOLS[kind], left, right)
    element = left.element
    op = _table()[kind].of(element)
    if op is None:
        _refuse_kind(kind, element)
    if kind == "mod" and not element.unsigned:
        return binary("sub", left, binary("mul", binary("floordiv", left, right), right))
    if element.kind == "float":
        return left._replace(value=current().pure_of(op, left.value, right.value, flags()))
    return left._replace(value=current().pure_of(op, left.value, right.value))


def _refuse_kind(kind: str, element: ElementType) -> NoReturn:
    default = "integers have it, `.to(xt.i32)`"
    if element.kind == "boolean":
        default = "truth values have `&`, `|`, `^`, `~`, and xt.where"
    instead = _INSTEAD.get((kind, element.kind), default)
    refuse(f"'{SYMBOLS[kind]}' takes no {element}; {instead}")


def met(symbol: str, left: Held, right: Held) -> tuple[Held, Held]:
    """Two operands in the type and shape in which they meet.

    Errors: XetileError where they do not, with what would.
    """
    if left.element is not right.element and left.element != right.element:
        element = promote(left.element, right.element)
        if element is None:
            _refuse_types(symbol, left, right)
        left, right = converted(left, element), converted(right, element)
    if left.shape == right.shape:
        return left, right
    shape = common_shape(left.shape, right.shape)
    if shape is None:
        refuse(
            f"'{symbol}' of {left.describe()} and {right.describe()}: extents are equal, or one of them is 1"
        )
    return broadcast(left, shape), broadcast(right, shape)


def _refuse_types(symbol: str, left: Held, right: Held) -> NoReturn:
    found = f"'{symbol}' of {left.describe()} and {right.describe()}"
    for one, other in ((left, right), (right, left)):
        if one.element.kind == "boolean":
            refuse(
                f"{found}: truth values are no numbers; write xt.where, or `.to(xt.{other.element})`"
            )
    kinds = {(one.element.kind, one.shape is None) for one in (left, right)}
    if symbol == "+" and ("index", True) in kinds and len(kinds) == 2:
        refuse(f"{found}; a sum of tiles begins with xt.zeros(shape, type), not with a number")
    floats = [one.element for one in (left, right) if one.element.kind == "float"]
    wider = floats[0] if len(floats) == 1 else f32
    if not floats:
        wider = i16 if max(left.element.bits, right.element.bits) == 8 else i64
    refuse(
        f"{found}: neither type holds every value of the other; convert what shall be rounded, `.to(xt.{wider})`"
    )


def compare(kind: Comparison, left: Held, right: Held) -> Held:
    """Whether `left kind right`, by element; comparisons with NaN are false, but `!=`."""
    from xetile.dialects.upstream.arith import CmpfOp, CmpiOp

    left, right = met(SYMBOLS[kind], left, right)
    element = left.element
    builder = current()
    if element.kind == "float":
        predicate = "une" if kind == "ne" else f"o{kind}"
        value = builder.pure_of(CmpfOp, left.value, right.value, predicate, flags())
        return Held(value, i1, left.shape)
    if kind in ("eq", "ne"):
        predicate = kind
    elif element.kind == "boolean":
        refuse(f"'{SYMBOLS[kind]}' takes no {element}; truth values have `&`, `|`, `^`, `~`")
    else:
        predicate = f"u{kind}" if element.unsigned else f"s{kind}"
    return Held(builder.pure_of(CmpiOp, left.value, right.value, predicate), i1, left.shape)


def negative(held: Held) -> Held:
    """`-held`."""
    element = held.element
    if element.kind == "boolean":
        refuse(f"'-' takes no {element}; `~` is its opposite")
    if element.kind == "float":
        from xetile.dialects.upstream.arith import NegfOp

        return held._replace(value=current().pure_of(NegfOp, held.value, flags()))
    return binary("sub", literal(0, element, held.shape), held)


def inverted(held: Held) -> Held:
    """`~held`: the opposite of truth values, the other bits of integers."""
    element = held.element
    if element.kind == "float":
        refuse(f"'~' takes no {element}; it is for truth values and integers")
    ones = (
        True if element.kind == "boolean" else range_of(element)[1] if element.unsigned else -1
    )
    return binary("xor", held, literal(ones, element, held.shape))


def select(condition: Held, yes: Held, no: Held) -> Held:
    """`yes` where the condition holds, else `no`."""
    from xetile.dialects.upstream.arith import SelectOp

    if condition.element != i1:
        refuse(f"xt.where({condition.describe()}, ...): a condition is i1; write a comparison")
    yes, no = met("xt.where", yes, no)
    shape = common_shape(condition.shape, yes.shape)
    if shape is None and (condition.shape or yes.shape):
        refuse(
            f"xt.where of {condition.describe()} and {yes.describe()}: extents are equal, or one of them is 1"
        )
    if condition.shape is not None:
        condition = broadcast(condition, shape)
    yes, no = broadcast(yes, shape), broadcast(no, shape)
    value = current().pure_of(SelectOp, condition.value, yes.value, no.value)
    return yes._replace(value=value)


Function: TypeAlias = Literal[
    "exp",
    "exp2",
    "log",
    "log2",
    "sqrt",
    "rsqrt",
    "tanh",
    "erf",
    "sin",
    "cos",
    "floor",
    "ceil",
]


@cache
def _functions() -> Mapping[str, Maker]:
    from xdsl.dialects import math

    return {
        "exp": math.ExpOp,
        "exp2": math.Exp2Op,
        "log": math.LogOp,
        "log2": math.Log2Op,
        "sqrt": math.SqrtOp,
        "rsqrt": math.RsqrtOp,
        "tanh": math.TanhOp,
        "erf": math.ErfOp,
        "sin": math.SinOp,
        "cos": math.CosOp,
        "floor": math.FloorOp,
        "ceil": math.CeilOp,
    }


def function(name: Function, held: Held) -> Held:
    """A function of floats, by element."""
    if held.element.kind != "float":
        refuse(f"xt.{name} takes no {held.element}; it is for floats, `.to(xt.f32)`")
    return held._replace(value=current().pure_of(_functions()[name], held.value, flags()))


def absolute(held: Held) -> Held:
    """The magnitude."""
    from xdsl.dialects import math

    element = held.element
    if element.kind == "boolean":
        refuse(f"abs takes no {element}")
    if element.kind == "float":
        return held._replace(value=current().pure_of(math.AbsFOp, held.value, flags()))
    if element.unsigned:
        return held
    if element.kind == "index":
        return binary("maximum", held, negative(held))
    return held._replace(value=current().pure_of(math.AbsIOp, held.value))


def fused(a: Held, b: Held, c: Held) -> Held:
    """`a * b + c`, rounded once."""
    from xdsl.dialects import math

    a, b = met("xt.fma", a, b)
    a, c = met("xt.fma", a, c)
    b, c = met("xt.fma", b, c)
    if a.element.kind != "float":
        refuse(f"xt.fma takes no {a.element}; it is for floats, write a * b + c")
    return a._replace(value=current().pure_of(math.FmaOp, a.value, b.value, c.value, flags()))
