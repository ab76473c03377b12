"""Ops on the vectors of tiles: the matrix product, and the change between whole and blocked vectors."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, VectorType, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
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

from xetile.dialects.xetile.attributes import WorkgroupMapAttr
from xetile.dialects.xetile.parsing import (
    integers_of,
    parse_colon,
    parse_operand_name,
    parse_result_type,
    refuse,
)
from xetile.dialects.xetile.support import in_words, vector_of
from xetile.dialects.xetile.types import verify_distribution

_MAPS = ("wg_map_a", "wg_map_b", "wg_map_c")

_INTEGERS_8 = ("i8", "si8", "ui8")
_FLOATS_8 = ("f8E4M3FN", "f8E5M2")
_ACCUMULATORS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("f16",), ("f32", "f16")),
    (("bf16",), ("f32", "bf16")),
    (("tf32",), ("f32",)),
    (_FLOATS_8, ("f32", "bf16")),
    (("f32",), ("f32",)),
    (("f64",), ("f64",)),
    (_INTEGERS_8, ("i32",)),
    (("i4", "si4", "ui4"), ("i32",)),
)
"""Element types of A and B that may meet, and their accumulators."""


@irdl_op_definition
class TileMMAOp(IRDLOperation):
    """`%d = xetile.tile_mma %a, %b, %c : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> ...`.

    Without `%c` the accumulator starts at zero. 4D operands contract dims 1 and 3 of A with 0 and 2 of B.
    """

    name = "xetile.tile_mma"

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
            assert c is not None
            result_type = c.type
        super().__init__(
            operands=[a, b, [] if c is None else [c]],
            result_types=[result_type],
            properties={"wg_map_a": wg_map_a, "wg_map_b": wg_map_b, "wg_map_c": wg_map_c},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "TileMMAOp":
        """Read the op with named or positional maps."""
        names = [parse_operand_name(parser, "operand A")]
        while parser.parse_optional_punctuation(",") is not None:
            names.append(parse_operand_name(parser, "an operand"))
        attributes = _parse_maps(parser)
        start = parser.pos
        if not 2 <= len(names) <= 3:
            refuse(
                parser, f"tile_mma takes A, B and optionally C, found {len(names)} operands", start
            )
        parse_colon(parser)
        types = [parser.parse_type()]
        while parser.parse_optional_punctuation(",") is not None:
            types.append(parser.parse_type())
        if len(types) != len(names):
            refuse(
                parser,
                f"{len(types)} types for {len(names)} operands; write the types of A, B, C in this order",
                start,
            )
        result = parse_result_type(parser)
        operands = [parser.resolve_operand(n, t) for n, t in zip(names, types, strict=True)]
        properties = {name: attributes.pop(name) for name in _MAPS if name in attributes}
        return cls.create(
            operands=operands, result_types=[result], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        maps = {name: self.properties[name] for name in _MAPS if name in self.properties}
        printer.print_op_attributes({**maps, **self.attributes})
        printer.print_string(" : ")
        printer.print_list([v.type for v in self.operands], printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """Check element types, shapes and maps."""
        a, b, result = vector_of(self.a), vector_of(self.b), vector_of(self.result)
        _verify_product_types(a, b, result)
        if self.c is not None and self.c.type != result:
            raise VerifyException(f"'c' is {self.c.type}, expected the result's type {result}")
        shapes = [v.get_shape() for v in (a, b, result)]
        if {len(shape) for shape in shapes} == {2}:
            (m, k), (k2, n), got = shapes
            fits = k == k2 and got == (m, n)
        elif {len(shape) for shape in shapes} == {4}:
            (m, k, bm, bk), (k2, n, bk2, bn), got = shapes
            fits = (k, bk) == (k2, bk2) and got == (m, n, bm, bn)
        else:
            raise VerifyException(
                f"operands have shapes {', '.join(in_words(s) for s in shapes)}; "
                "expected all of rank 2 or all of rank 4"
            )
        if not fits:
            raise VerifyException(
                f"A {in_words(shapes[0])}, B {in_words(shapes[1])} and result {in_words(shapes[2])} do not fit; "
                "expected (m x k) times (k x n) giving (m x n), blocks alike"
            )
        for name, vector in zip(_MAPS, (a, b, result), strict=True):
            map = self.properties.get(name)
            if isinstance(map, WorkgroupMapAttr):
                verify_distribution(name, map, vector.get_shape())


def _parse_maps(parser: Parser) -> dict[str, Attribute]:
    """Read `{wg_map_a = .., ...}`, `{wg_map = ..}` (the result's), `{#c}` or `{#a, #b, #c}`."""
    start = parser.pos
    if parser.parse_optional_punctuation("{") is None:
        return {}
    named: dict[str, Attribute] = {}
    positional: list[Attribute] = []
    if parser.parse_optional_punctuation("}") is not None:
        return named
    while True:
        attribute = parser.parse_optional_attribute()
        if attribute is not None:
            positional.append(attribute)
        else:
            key = parser.parse_identifier(" or a wg_map in braces")
            parser.parse_punctuation("=")
            named[{"wg_map": "wg_map_c", "map": "wg_map_c"}.get(key, key)] = (
                parser.parse_attribute()
            )
        parser.parse_optional_punctuation(",")
        if parser.parse_optional_punctuation("}") is not None:
            break
    if len(positional) not in (0, 1, 3):
        refuse(
            parser,
            f"{len(positional)} positional maps; write the result's, all of A, B, C, or name them "
            "wg_map_a, wg_map_b, wg_map_c",
            start,
        )
    names = _MAPS if len(positional) == 3 else ("wg_map_c",)
    named |= dict(zip(names, positional, strict=False))
    return named


def _verify_product_types(
    a: VectorType[Attribute], b: VectorType[Attribute], result: VectorType[Attribute]
) -> None:
    types = [str(vector.element_type) for vector in (a, b, result)]
    for operands, accumulators in _ACCUMULATORS:
        if types[0] not in operands:
            continue
        if types[1] not in operands:
            raise VerifyException(
                f"A has elements of {types[0]}, B of {types[1]}; expected {' or '.join(operands)} in both"
            )
        if types[2] not in accumulators:
            raise VerifyException(
                f"the accumulator of {types[0]} is {' or '.join(accumulators)}, found {types[2]}"
            )
        return
    legal = ", ".join(" or ".join(operands) for operands, _ in _ACCUMULATORS)
    raise VerifyException(
        f"A has elements of {types[0]}, which tile_mma does not multiply; legal are {legal}"
    )


class _BlockingOp(IRDLOperation):
    """What tile_pack and tile_unpack share: one operand, blocks, one result."""

    @classmethod
    def parse(cls, parser: Parser) -> "IRDLOperation":
        """Read the op, with blocks as an array or a list."""
        source = parse_operand_name(parser, "the vector")
        attributes = dict(parser.parse_optional_attr_dict())
        start = parser.pos
        blocks = attributes.pop("inner_blocks", None)
        values = None if blocks is None else integers_of(blocks)
        if values is None:
            refuse(
                parser, "'inner_blocks' is needed, as in {inner_blocks = array<i64: 16, 16>}", start
            )
        parse_colon(parser)
        source_type = parser.parse_type()
        result = parse_result_type(parser)
        return cls.create(
            operands=[parser.resolve_operand(source, source_type)],
            result_types=[result],
            properties={"inner_blocks": DenseArrayBase.from_list(i64, values)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.operands[0])
        blocks = {"inner_blocks": self.properties["inner_blocks"]}
        printer.print_op_attributes({**blocks, **self.attributes})
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)
        printer.print_string(" -> ")
        printer.print_attribute(self.results[0].type)


def _verify_blocking(
    whole: VectorType[Attribute], blocked: VectorType[Attribute], blocks: Sequence[int]
) -> None:
    if whole.element_type != blocked.element_type:
        raise VerifyException(
            f"elements of {whole.element_type} and {blocked.element_type}; expected the same"
        )
    if len(blocks) != 2 or min(blocks) < 1:
        raise VerifyException(f"'inner_blocks' is {list(blocks)}, expected 2 positive integers")
    if whole.get_num_dims() != 2 or blocked.get_num_dims() != 4:
        raise VerifyException(
            f"{whole} and {blocked}; expected a vector of rank 2 and one of rank 4"
        )
    shape = whole.get_shape()
    if any(extent % block for extent, block in zip(shape, blocks, strict=True)):
        raise VerifyException(f"'inner_blocks' {list(blocks)} do not divide {in_words(shape)}")
    expected = (shape[0] // blocks[0], shape[1] // blocks[1], *blocks)
    if blocked.get_shape() != expected:
        raise VerifyException(
            f"the blocked vector is {blocked}, blocks of {in_words(blocks)} of {in_words(shape)} "
            f"make it {in_words(expected)}"
        )


@irdl_op_definition
class TilePackOp(_BlockingOp, HasFolderInterface):
    """`%p = xetile.tile_pack %v {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>`."""

    name = "xetile.tile_pack"

    source = operand_def(VectorType)
    inner_blocks = prop_def(DenseArrayBase[I64])
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, inner_blocks: Sequence[int]) -> None:
        vector = vector_of(source)
        rows, columns = vector.get_shape()
        shape = (rows // inner_blocks[0], columns // inner_blocks[1], *inner_blocks)
        super().__init__(
            operands=[source],
            result_types=[VectorType(vector.element_type, shape)],
            properties={"inner_blocks": DenseArrayBase.from_list(i64, list(inner_blocks))},
        )

    def verify_(self) -> None:
        """Check shapes and blocks."""
        _verify_blocking(
            vector_of(self.source), vector_of(self.result), self.inner_blocks.get_values()
        )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The pack of an unpack with the same blocks is the blocked vector."""
        return _cancelled(self, TileUnpackOp)


@irdl_op_definition
class TileUnpackOp(_BlockingOp, HasFolderInterface):
    """`%u = xetile.tile_unpack %w {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>`."""

    name = "xetile.tile_unpack"

    source = operand_def(VectorType)
    inner_blocks = prop_def(DenseArrayBase[I64])
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue) -> None:
        vector = vector_of(source)
        rows, columns, *blocks = vector.get_shape()
        super().__init__(
            operands=[source],
            result_types=[VectorType(vector.element_type, (rows * blocks[0], columns * blocks[1]))],
            properties={"inner_blocks": DenseArrayBase.from_list(i64, blocks)},
        )

    def verify_(self) -> None:
        """Check shapes and blocks."""
        _verify_blocking(
            vector_of(self.result), vector_of(self.source), self.inner_blocks.get_values()
        )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The unpack of a pack with the same blocks is the whole vector."""
        return _cancelled(self, TilePackOp)


def _cancelled(
    op: IRDLOperation, inverse: type[IRDLOperation]
) -> Sequence[SSAValue | Attribute] | None:
    inner = op.operands[0].owner
    if not isinstance(inner, Operation) or not isinstance(inner, inverse) or op.attributes:
        return None
    same = inner.operands[0].type == op.results[0].type and inner.properties == op.properties
    return (inner.operands[0],) if same else None
