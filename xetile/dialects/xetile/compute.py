"""The matrix product of the vectors of tiles, and `xetile.check`.

A check says what a kernel holds to be true, of a scalar or of every element of a vector.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, VectorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xetile.field_lists import parse_colon, parse_operand_name, refuse
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.shared_formats import (
    Format,
    parse_dictionary,
    parse_vector_result,
    parse_vector_type,
    print_dictionary,
    print_types,
    print_values,
)
from xetile.dialects.xetile.tile_support import (
    in_words,
    map_of,
    vector_of,
    verify_dictionary,
    verify_map,
)
from xetile.dialects.xetile.xetile_attributes import WorkgroupMapAttr
from xetile.hints import isa

_MAPS = ("wg_map_a", "wg_map_b", "wg_map_c")

_PRODUCTS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("f16",), ("f32", "f16")),
    (("bf16",), ("f32", "bf16")),
    (("tf32",), ("f32",)),
    (("f8E4M3FN", "f8E5M2"), ("f32", "bf16")),
    (("f32",), ("f32",)),
    (("f64",), ("f64",)),
    (("i8", "si8", "ui8"), ("i32",)),
    (("i4", "si4", "ui4"), ("i32",)),
)
"""Element types of A and B that may meet, and their accumulators."""


@irdl_op_definition
class TileMMAOp(XeTileOp):
    """`%d = xetile.tile_mma %a, %b, %c : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> ...`.

    Without `%c` the accumulator starts at zero. 4D operands contract dims 1 and 3 of A with 0 and 2 of B.
    """

    name = "xetile.tile_mma"
    FORMAT: ClassVar[Format] = Format("tile_mma", _MAPS, "wg_map_c")

    a = operand_def(VectorType)
    b = operand_def(VectorType)
    c = opt_operand_def(VectorType)
    wg_map_a = opt_prop_def(WorkgroupMapAttr)
    wg_map_b = opt_prop_def(WorkgroupMapAttr)
    wg_map_c = opt_prop_def(WorkgroupMapAttr)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue | None,
        *,
        result_type: Attribute | None = None,
        wg_map_a: WorkgroupMapAttr | None = None,
        wg_map_b: WorkgroupMapAttr | None = None,
        wg_map_c: WorkgroupMapAttr | None = None,
    ) -> None:
        if result_type is None:
            if c is None:
                raise ValueError("result_type is needed where there is no c")
            result_type = c.type
        super().__init__(
            operands=[a, b, [] if c is None else [c]],
            result_types=[result_type],
            properties={"wg_map_a": wg_map_a, "wg_map_b": wg_map_b, "wg_map_c": wg_map_c},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "TileMMAOp":
        """Read the op with named maps or maps without names."""
        start = parser.pos
        names = [parse_operand_name(parser, "A")]
        while parser.parse_optional_punctuation(",") is not None:
            names.append(parse_operand_name(parser, "B or C"))
        if not 2 <= len(names) <= 3:
            refuse(
                parser, f"A, B and optionally C expected, found {len(names)} operands", start
            )
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        start = parser.pos
        types = [parse_vector_type(parser)]
        while parser.parse_optional_punctuation(",") is not None:
            types.append(parse_vector_type(parser))
        if len(types) != len(names):
            refuse(parser, f"{len(types)} types for {len(names)} operands, {_ORDER}", start)
        result = parse_vector_result(parser)
        if len(types) == 3 and _is_rotated(types, result):
            refuse(parser, f"the types are in the order C, A, B; {_ORDER}", start)
        return cls.made(parser, list(zip(names, types, strict=True)), [result], entries)

    def verify_(self) -> None:
        verify_dictionary(self, self.FORMAT)
        a, b, result = vector_of(self.a), vector_of(self.b), vector_of(self.result)
        verify_product_types(a, b, result)
        if self.c is not None and self.c.type != result:
            raise VerifyException(f"'c' is {self.c.type}, expected the result's type {result}")
        shapes = [vector.get_shape() for vector in (a, b, result)]
        if {len(shape) for shape in shapes} not in ({2}, {4}):
            raise VerifyException(
                f"'a', 'b' and the result are {', '.join(in_words(s) for s in shapes)}; "
                "expected all of rank 2 or all of rank 4"
            )
        if not _fits(*shapes):
            raise VerifyException(
                f"'a' {in_words(shapes[0])}, 'b' {in_words(shapes[1])} and the result {in_words(shapes[2])} "
                f"do not fit; expected {_LEGAL[len(shapes[0])]}"
            )
        for name, value in zip(_MAPS, (self.a, self.b, self.result), strict=True):
            verify_map(self, name, value)
        _verify_k(self)
        _verify_derived(self)


_ORDER = "write them in the order of the operands: A, B, C"
_LEGAL = {
    2: "(m x k) times (k x n) giving (m x n)",
    4: "(m x k x bm x bk) times (k x n x bk x bn) giving (m x n x bm x bn)",
}


def _fits(a: Sequence[int], b: Sequence[int], c: Sequence[int]) -> bool:
    """Return True if shapes of one rank multiply: dims 0, 2, ... and 1, 3, ... of A are M and K, of B K and N."""
    return tuple(a[1::2]) == tuple(b[0::2]) and all(
        c[d] == (a[d] if d % 2 == 0 else b[d]) for d in range(len(c))
    )


def _is_rotated(types: Sequence[VectorType[Attribute]], result: VectorType[Attribute]) -> bool:
    shapes = [type.get_shape() for type in types]
    if len({len(shape) for shape in (*shapes, result.get_shape())}) != 1:
        return False
    c, a, b = shapes
    return types[0] == result and _fits(a, b, c) and not _fits(*shapes)


def verify_product_types(
    a: VectorType[Attribute], b: VectorType[Attribute], result: VectorType[Attribute]
) -> None:
    """Raise unless the element types of A, B and the result are in one row of the table of products.

    Errors: VerifyException with the types found and those that are legal.
    """
    types = [str(vector.element_type) for vector in (a, b, result)]
    for operands, accumulators in _PRODUCTS:
        if types[0] not in operands:
            continue
        if types[1] not in operands:
            raise VerifyException(
                f"'a' has elements of {types[0]}, 'b' of {types[1]}; expected {' or '.join(operands)} in both"
            )
        if types[2] not in accumulators:
            raise VerifyException(
                f"the accumulator of {types[0]} is {' or '.join(accumulators)}, found {types[2]}"
            )
        return
    legal = ", ".join(" or ".join(operands) for operands, _ in _PRODUCTS)
    raise VerifyException(
        f"'a' has elements of {types[0]}, which tile_mma does not multiply; legal are {legal}"
    )


def multiplies(a: str, b: str, result: str) -> bool:
    """Return True if `tile_mma` multiplies elements of types `a` and `b` (names) and accumulates in `result`."""
    return any(
        a in operands and b in operands and result in accumulators
        for operands, accumulators in _PRODUCTS
    )


def _verify_k(op: TileMMAOp) -> None:
    """Every subgroup holds all of K: it is one unit, or the operand's subgroups do not divide it."""
    for name, value, inner in (("wg_map_a", op.a, 1), ("wg_map_b", op.b, 0)):
        wg_map = map_of(op, name)
        if wg_map is None:
            continue
        extent = vector_of(value).get_shape()[inner]
        if wg_map.sg_data[inner] == extent or wg_map.sg_layout[inner] == 1:
            continue
        meant = list(wg_map.sg_data)
        meant[inner] = extent
        raise VerifyException(
            f"K = {extent} is spread over {wg_map.sg_layout[inner]} subgroups "
            f"(sg_layout {list(wg_map.sg_layout)}); use sg_data {meant}"
        )


def _verify_derived(op: TileMMAOp) -> None:
    """A shares C's rows, B shares C's columns, and all have one sg_layout."""
    a, b, c = (map_of(op, name) for name in _MAPS)
    for (name, operand), dimension in ((("wg_map_a", a), 0), (("wg_map_b", b), 1)):
        if operand is None or c is None:
            continue
        data = list(operand.sg_data)
        data[dimension] = c.sg_data[dimension]
        expected = WorkgroupMapAttr(c.sg_layout, data)
        if operand != expected:
            raise VerifyException(
                f"'{name}' is {operand.body}, wg_map_c {c.body} asks for {expected.body}"
            )
    if a is not None and b is not None and a.sg_layout != b.sg_layout:
        raise VerifyException(
            f"'wg_map_a' has sg_layout {list(a.sg_layout)}, 'wg_map_b' {list(b.sg_layout)}; expected the same"
        )


@irdl_op_definition
class CheckOp(XeTileOp):
    """`xetile.check %inside, "rows lie inside" : vector<64x1xi1>`: an error where an element is false.

    It is executed on numpy down to level B, with the first such element in the message; XeGPU has none.
    """

    name = "xetile.check"
    FORMAT: ClassVar[Format] = Format("check", ())

    condition = operand_def()
    message = prop_def(StringAttr)

    def __init__(self, condition: SSAValue, message: str | StringAttr) -> None:
        text = StringAttr(message) if isinstance(message, str) else message
        super().__init__(operands=[condition], properties={"message": text})

    @classmethod
    def parse(cls, parser: Parser) -> "CheckOp":
        """Read the op; a dictionary may follow the message."""
        condition = parse_operand_name(parser, "the condition")
        parser.parse_punctuation(",", " before the message")
        message = parser.parse_str_literal(" that says what is held to be true")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        type = parser.parse_type()
        return cls.made(parser, [(condition, type)], [], entries, message=StringAttr(message))

    def print(self, printer: Printer) -> None:
        print_values(printer, self.condition)
        printer.print_string(", ")
        printer.print_string_literal(self.message.data)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, self.operands, ())

    def verify_(self) -> None:
        super().verify_()
        type = self.condition.type
        element = type.element_type if isa(type, VectorType) else type
        if element != i1:
            raise VerifyException(f"'condition' is {type}, expected i1 or a vector of i1")
