"""Elementwise ops: convert operands to a common type and shape, then create one op of arith or math.

Python's numbers become constants of the type of the other operand. Conversions from one element type to another:

| from | to | value |
|---|---|---|
| float | float | rounded to nearest even; beyond the range an infinity (f8E4M3FN: NaN) |
| float | integer | toward zero; beyond the range the nearest, NaN 0 |
| integer | float | rounded to nearest even |
| integer | integer | modulo the width |
| any | i1 | true unless it is 0 |
| i1 | any | 0 or 1 |
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal, NamedTuple, NoReturn, SupportsFloat, TypeAlias, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Operation

from xetile.hints import isa
from xetile.language.builder import (
    Constant,
    Held,
    Pair,
    current,
    fitting_in_memory,
    flags,
    type_of,
)
from xetile.language.positions import refuse
from xetile.language.types import ElementType, f32, f64, i1, i16, i64, promote


def number_of(value: object) -> int | float | None:
    """Return a Python number, or a numpy scalar as one; None for anything else."""
    if isinstance(value, int | float):
        if type(value).__module__ == "numpy":
            return float(value)
        return value
    from numpy import character, complexfloating, datetime64, generic, timedelta64

    if not isinstance(value, generic):
        return None
    if isinstance(value, character | complexfloating | datetime64 | timedelta64):
        return None
    found = cast("Callable[[], object]", value.item)()
    if isinstance(found, int | float):
        return found
    try:
        return float(cast("SupportsFloat", value))
    except (TypeError, ValueError):  # a record
        return None


def whole_of(value: object) -> int | None:
    """Return an integer of Python's or numpy's; None for anything else, also for truth values."""
    number = number_of(value)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


_SHORT = 40
"""Decimal digits of a number that diagnostics show."""


def shown(value: float) -> str:
    """Return a number for diagnostics: its digits, unless there are too many."""
    if isinstance(value, int) and value.bit_length() > 4 * _SHORT:
        return f"a whole number of {value.bit_length()} bits"
    return repr(value)


def literal(value: float, element: ElementType, shape: Pair | None) -> Held:
    """Return a Python number as a constant of a type, rounded to nearest even.

    Errors: XetileError if the type cannot represent it: out of range, a fraction for an integer type, a number for
    truth values.
    """
    return Held(current().constant(constant_attribute(value, element, shape)), element, shape)


def constant_attribute(
    value: float, element: ElementType, shape: Pair | None = None
) -> Constant:
    """Return the attribute of such a constant; errors as for `literal`."""
    fitting_in_memory(shape)
    found = _boolean(value, element) if element.kind == "boolean" else _number(value, element)
    return _constant(element, shape, repr(found))


def _boolean(value: float, element: ElementType) -> int:
    if not isinstance(value, bool):
        refuse(f"{value!r} stands where truth values ({element}) are; write True or False")
    return int(value)


def _number(value: float, element: ElementType) -> int | float:
    if isinstance(value, bool):
        refuse(f"{value} stands where numbers of {element} are; write {int(value)}")
    if element.kind == "float":
        return _rounded(value, element)
    if isinstance(value, float):
        refuse(
            f"{value!r} stands where integers ({element}) are; convert them, `.to(xt.f32)`, "
            "or write an integer"
        )
    low, high = range_of(element)
    if not low <= value <= high:
        refuse(f"{shown(value)} is out of the range of {element}, {low} to {high}")
    return value


def range_of(element: ElementType) -> tuple[int, int]:
    """Return the smallest and the largest value of an integer type."""
    high = (1 << element.digits) - 1
    return (0 if element.unsigned else -high - 1), high


def _rounded(value: float, element: ElementType) -> float:
    try:
        exact = float(value)
        found = _nearest(exact, element)
    except OverflowError:
        exact, found = math.inf, math.nan
    if math.isnan(exact) or found == exact:
        return found
    if not math.isfinite(found):
        refuse(f"{shown(value)} is out of the range of {element}")
    if found == 0:
        wide = f32 if element.bits < f32.bits and _nearest(exact, f32) else f64
        refuse(
            f"{value!r} is 0 in {element}; numbers that small need a wider type, `.to(xt.{wide})`"
        )
    return found


def _nearest(value: float, element: ElementType) -> float:
    kind = element.attribute
    assert isinstance(kind, AnyFloat)
    return kind.unpack(kind.pack([value]), 1)[0]


@cache
def _constant(element: ElementType, shape: Pair | None, text: str) -> Constant:
    """Return the attribute, cached by the number's text, since 0.0 equals -0.0."""
    kind = element.attribute
    if isinstance(kind, AnyFloat):
        if shape is None:
            return FloatAttr(float(text), kind)
        return DenseIntOrFPElementsAttr.from_list(VectorType(kind, shape), [float(text)])
    assert isa(kind, IntegerType | IndexType)
    if shape is None:
        return IntegerAttr(int(text), kind)
    return DenseIntOrFPElementsAttr.from_list(VectorType(kind, shape), [int(text)])


def numbers(count: int, axis: int, element: ElementType) -> Held:
    """Return 0, 1, ... along an axis: a column of `count` elements for axis 0, a row for axis 1."""
    shape = (1, count) if axis == 1 else (count, 1)
    fitting_in_memory(shape)
    return Held(current().constant(_consecutive(shape, element)), element, shape)


@cache
def _consecutive(shape: Pair, element: ElementType) -> Constant:
    kind = element.attribute
    count = max(shape)
    if isinstance(kind, AnyFloat):
        return DenseIntOrFPElementsAttr.from_list(
            VectorType(kind, shape), [float(number) for number in range(count)]
        )
    assert isa(kind, IntegerType | IndexType)
    return DenseIntOrFPElementsAttr.from_list(VectorType(kind, shape), list(range(count)))


def converted(held: Held, to: ElementType) -> Held:
    """Convert the value to another type."""
    if held.element == to:
        return held
    if to.name == "tf32" and held.element.digits > f32.digits:
        refuse(f"{held.describe()} to tf32 rounds twice; write `.to(xt.f32).to(xt.tf32)`")
    if to.kind == "boolean":
        return _truth(held, to)
    for step in (*_steps(held.element, to), to):
        held = _step(held, step)
    return held


def _steps(source: ElementType, to: ElementType) -> tuple[ElementType, ...]:
    """Return the intermediate types of a conversion for which there is no single op."""
    if "float" not in (source.kind, to.kind):
        return ()
    if source.kind == to.kind == "float":
        return (f32,) if source.bits == to.bits else ()
    return (i64,) if "index" in (source.kind, to.kind) else ()


def _step(held: Held, to: ElementType) -> Held:
    return Held(current().pure(_op(held, to)), to, held.shape)


def _op(held: Held, to: ElementType) -> Operation:
    from xetile.dialects.upstream import arith

    value, source, type = held.value, held.element, type_of(to, held.shape)
    if source.kind == to.kind == "float":
        if to.bits < source.bits:
            return arith.TruncFOp(value, type, fastmath=flags())
        return arith.ExtFOp(value, type, fastmath=flags())
    if source.kind == "float":
        return (arith.FPToUIOp if to.unsigned else arith.FPToSIOp)(value, type)
    positive = source.unsigned or source.kind == "boolean"
    if to.kind == "float":
        return (arith.UIToFPOp if positive else arith.SIToFPOp)(value, type)
    if "index" in (source.kind, to.kind):
        return (arith.IndexCastUIOp if positive else arith.IndexCastOp)(value, type)
    if to.bits < source.bits:
        return arith.TruncIOp(value, type)
    if to.bits > source.bits:
        return (arith.ExtUIOp if positive else arith.ExtSIOp)(value, type)
    return arith.BitcastOp(value, type)


def _truth(held: Held, to: ElementType) -> Held:
    from xetile.dialects.upstream import arith

    zero = literal(0, held.element, held.shape).value
    if held.element.kind == "float":
        op = arith.CmpfOp(held.value, zero, "une", flags())
    else:
        op = arith.CmpiOp(held.value, zero, "ne")
    return Held(current().pure(op), to, held.shape)


def common_shape(left: Pair | None, right: Pair | None) -> Pair | None:
    """Return the common shape of two operands, or None if extents differ and neither is 1 (as in numpy).

    A scalar (None) takes the shape of the other.
    """
    if left is None or right is None:
        return left or right
    pairs = list(zip(left, right, strict=True))
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return None
    rows, columns = (max(pair) for pair in pairs)
    return rows, columns


def broadcast(held: Held, shape: Pair | None) -> Held:
    """Broadcast the value to `shape`, with which its own is compatible."""
    if held.shape == shape or shape is None:
        return held
    from xetile.dialects.upstream.vector import BroadcastOp
    from xetile.dialects.xetile import TileBroadcastOp

    builder = current()
    type = type_of(held.element, shape)
    assert isa(type, VectorType)
    if held.shape is None:
        value = builder.pure_of(BroadcastOp, held.value, type)
    else:
        dims = tuple(d for d in (0, 1) if held.shape[d] != shape[d])
        value = builder.pure_of(TileBroadcastOp, held.value, dims, type)
    return Held(value, held.element, shape)


def transposed(held: Held) -> Held:
    """Swap rows and columns of a tile."""
    from xetile.dialects.xetile import TileTransposeOp

    assert held.shape is not None
    rows, columns = held.shape
    value = current().pure_of(TileTransposeOp, held.value, (1, 0))
    return Held(value, held.element, (columns, rows))


def sliced(held: Held, places: object) -> Held:
    """Return the part of a tile given by two slices with numeric bounds, which may count from the end as in numpy.

    Errors: XetileError for other places, with what to write.
    """
    from xetile.dialects.upstream.vector import ExtractStridedSliceOp

    assert held.shape is not None
    pair = cast("tuple[object, ...]", places if isinstance(places, tuple) else (places,))
    if len(pair) != len(held.shape):
        refuse(
            f"{len(pair)} place{'s' * (len(pair) != 1)} in the brackets of a tile, which has two dimensions; "
            "write x[:, 0:16]"
        )
    spans = [_bounds(place, extent) for place, extent in zip(pair, held.shape, strict=True)]
    if spans == [(0, extent) for extent in held.shape]:
        return held
    starts = tuple(start for start, _ in spans)
    rows, columns = (stop - start for start, stop in spans)
    map = _whole_where_cut(held, (rows, columns))
    whole = held if map is None else mapped(held, current().sg_layout, map)
    value = current().pure_of(ExtractStridedSliceOp, whole.value, starts, (rows, columns))
    part = Held(value, held.element, (rows, columns))
    if map is None:
        return part
    cut = [min(pair) for pair in zip(map, (rows, columns), strict=True)]
    return mapped(part, current().sg_layout, (cut[0], cut[1]))


def _whole_where_cut(held: Held, shape: Pair) -> Pair | None:
    """Return the `sg_data` of a tile before a slice of `shape`: whole along dimensions that are cut and shared.

    Return None if subgroups share none of those, or if the map of a `.map` already satisfies it.
    """
    assert held.shape is not None
    layout = current().sg_layout
    extents = zip(layout, shape, held.shape, strict=True)
    shared = [n > 1 and part < extent for n, part, extent in extents]
    known = _written_map(held)
    if known is not None:
        shared = [
            part < extent and data < extent
            for data, part, extent in zip(known, shape, held.shape, strict=True)
        ]
    if not any(shared):
        return None
    rows, columns = (
        extent if part < extent or extent % n else extent // n
        for extent, part, n in zip(held.shape, shape, layout, strict=True)
    )
    return rows, columns


def _written_map(held: Held) -> Pair | None:
    """Return the `sg_data` of the map that the user gave to a value, or None."""
    from xetile.dialects.xetile import TileConvLayoutOp, WorkgroupMapAttr

    owner = held.value.owner
    map = None
    if isinstance(owner, TileConvLayoutOp):
        map = owner.wg_map_result
    elif isinstance(owner, ConstantOp):
        map = owner.attributes.get("wg_map")
    if not isinstance(map, WorkgroupMapAttr):
        return None
    rows, columns = map.sg_data
    return rows, columns


def _bounds(place: object, extent: int) -> Pair:
    """Return the first element and the one after the last."""
    if not isinstance(place, slice):
        refuse(
            f"{place!r} in the brackets of a tile, which keeps two dimensions: write slices, x[:, 3:4]"
        )
    bounds = cast("tuple[object, object, object]", (place.start, place.stop, place.step))
    numbers = [None if bound is None else number_of(bound) for bound in bounds]
    if any(n is not None and not isinstance(n, int) for n in numbers) or any(
        bound is not None and number is None
        for bound, number in zip(bounds, numbers, strict=True)
    ):
        refuse("a slice of a tile has bounds that are known before the kernel runs")
    start, stop, step = slice(*numbers).indices(extent)
    if step != 1:
        refuse(f"a slice of a tile with a step of {step}; a tile's parts are of neighbours")
    if stop <= start:
        refuse(f"a slice of no element, from {start} to {stop}, of {extent}")
    return start, stop


def mapped(held: Held, sg_layout: Pair, sg_data: Pair) -> Held:
    """Give a tile a map: a constant is created with it, any other value is converted.

    Errors: XetileError for a map that does not split the tile evenly.
    """
    from xdsl.utils.exceptions import VerifyException

    from xetile.dialects.xetile import TileConvLayoutOp, WorkgroupMapAttr

    assert held.shape is not None
    try:
        wg_map = WorkgroupMapAttr(sg_layout, sg_data)
    except VerifyException as error:
        refuse(f"map({sg_layout}, {sg_data}): {error}")
    _verify_even(held.shape, sg_layout, sg_data)
    builder = current()
    owner = held.value.owner
    if isinstance(owner, ConstantOp):
        made = ConstantOp(owner.value)
        made.attributes["wg_map"] = wg_map
        return held._replace(value=builder.result(made))
    return held._replace(value=builder.pure_of(TileConvLayoutOp, held.value, wg_map))


def _verify_even(shape: Pair, sg_layout: Pair, sg_data: Pair) -> None:
    for extent, subgroups, unit in zip(shape, sg_layout, sg_data, strict=True):
        units = extent // unit
        if extent % unit or (units % subgroups and subgroups % units):
            refuse(
                f"map({sg_layout}, {sg_data}) does not deal out a tile of {shape[0]}x{shape[1]}: {extent} elements "
                f"in units of {unit} for {subgroups} subgroups"
            )


Maker: TypeAlias = Callable[..., Operation]
"""The class of an op, called with operands and, for floats, flags."""

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
"""The spelling of each op in Python."""


class _Ops(NamedTuple):
    """The op for each kind of element, None if there is none."""

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
"""Advice if an op does not accept a kind of element."""


def binary(kind: Kind, left: Held, right: Held) -> Held:
    """Return `left kind right`, of two values with a common type and shape."""
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
    """Convert two operands to their common type and shape.

    Errors: XetileError if there is none, with advice.
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
    """Compare two values, elementwise; comparisons with NaN are false, except `!=`."""
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
    """Return `-held`."""
    element = held.element
    if element.kind == "boolean":
        refuse(f"'-' takes no {element}; `~` is its opposite")
    if element.kind == "float":
        from xetile.dialects.upstream.arith import NegfOp

        return held._replace(value=current().pure_of(NegfOp, held.value, flags()))
    return binary("sub", literal(0, element, held.shape), held)


def inverted(held: Held) -> Held:
    """Return `~held`: the negation of truth values, the complement of integers."""
    element = held.element
    if element.kind == "float":
        refuse(f"'~' takes no {element}; it is for truth values and integers")
    ones = (
        True if element.kind == "boolean" else range_of(element)[1] if element.unsigned else -1
    )
    return binary("xor", held, literal(ones, element, held.shape))


def select(condition: Held, yes: Held, no: Held) -> Held:
    """Return `yes` where the condition is true, else `no`."""
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


def function(name: str, held: Held) -> Held:
    """Apply a function of floats, elementwise; the op of xDSL's math has the same name."""
    from xdsl.dialects import math

    if held.element.kind != "float":
        refuse(f"xt.{name} takes no {held.element}; it is for floats, `.to(xt.f32)`")
    op: Maker = getattr(math, f"{name.capitalize()}Op")
    return held._replace(value=current().pure_of(op, held.value, flags()))


def absolute(held: Held) -> Held:
    """Return the absolute value."""
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
    """Return `a * b + c`, rounded once."""
    from xdsl.dialects import math

    a, b = met("xt.fma", a, b)
    a, c = met("xt.fma", a, c)
    b, c = met("xt.fma", b, c)
    if a.element.kind != "float":
        refuse(f"xt.fma takes no {a.element}; it is for floats, write a * b + c")
    return a._replace(value=current().pure_of(math.FmaOp, a.value, b.value, c.value, flags()))
