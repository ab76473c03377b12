"""The directives of declarative formats, each on a small op: read, printed, refused."""

from io import StringIO

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, IndexType, IntegerAttr, UnitAttr, i32, i64
from xdsl.dialects.test import Test
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.directives import AtomicKind, SameType
from xetile.dialects.formats import format_of, sorted_op
from xetile.dialects.index_lists import (
    DYNAMIC_INDEX,
    IndexList,
    OptionalIndexList,
    join_mixed,
    verify_count,
)
from xetile.dialects.xegpu import XeGPU
from xetile.dialects.xevm import XeVM
from xetile.parser import Parser


@irdl_attr_definition
class PairAttr(ParametrizedAttribute):
    name = "made.pair"

    left: IntegerAttr
    right: IntegerAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[IntegerAttr]:
        with parser.in_angle_brackets():
            left = parser.parse_integer()
            parser.parse_punctuation(",")
            return [IntegerAttr(left, i32), IntegerAttr(parser.parse_integer(), i32)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.left.value.data}, {self.right.value.data}>")


@sorted_op
class PlaceOp(IRDLOperation):
    name = "made.place"

    base = operand_def()
    offsets = var_operand_def(IndexType())
    const_offsets = opt_prop_def()
    hint = opt_prop_def()
    size = opt_prop_def()

    assembly_format = (
        "$base `` custom<OptionalIndexList>($offsets, $const_offsets) "
        "prop-dict attr-dict `:` type($base)"
    )
    custom_directives = (OptionalIndexList,)


@sorted_op
class MoveOp(IRDLOperation):
    name = "made.move"

    base = operand_def()
    offsets = var_operand_def(IndexType())
    const_offsets = prop_def()
    hint = opt_prop_def()
    result = result_def()

    assembly_format = (
        "$base `,` custom<IndexList>($offsets, $const_offsets) attr-dict "
        "`:` custom<SameType>(type($base), type($result))"
    )
    custom_directives = (IndexList, SameType)


@sorted_op
class ShapeOp(IRDLOperation):
    name = "made.shape"

    sizes = var_operand_def(IndexType())
    const_sizes = opt_prop_def()

    assembly_format = "(`of` custom<IndexList>($sizes, $const_sizes)^)? attr-dict"
    custom_directives = (IndexList,)


@sorted_op
class CountOp(IRDLOperation):
    name = "made.count"

    kind = prop_def(IntegerAttr.constr(i64))
    first = operand_def(i32)
    second = opt_operand_def(i32)

    assembly_format = (
        "custom<AtomicKind>($kind) $first (`,` $second^)? attr-dict `:` type(operands)"
    )
    custom_directives = (AtomicKind,)


@sorted_op
class PairOp(IRDLOperation):
    name = "made.pair_op"

    pair = prop_def(PairAttr)

    assembly_format = "$pair attr-dict-with-keyword"


Made = Dialect("made", [PlaceOp, MoveOp, ShapeOp, CountOp, PairOp], [PairAttr])

PREFIX = '%m, %i, %j, %k = "test.op"() : () -> (memref<4x4xf32>, index, i32, i32)\n'


def read(line: str) -> Operation:
    context = Context()
    for dialect in (Builtin, Test, Made):
        context.load_dialect(dialect)
    module = Parser(context, PREFIX + line).parse_module()
    module.verify()
    last = module.body.block.last_op
    assert last is not None
    return last


def shown(line: str) -> str:
    op = read(line)
    module = op.parent_op()
    assert module is not None
    stream = StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue().splitlines()[2].strip()


@pytest.mark.parametrize(
    "line",
    [
        "made.place %m  : memref<4x4xf32>",
        "made.place %m[%i, 16]  : memref<4x4xf32>",
        "made.place %m[-1] <{hint, size = 2 : i32}> {note} : memref<4x4xf32>",
        "made.place %m  {a, b} : memref<4x4xf32>",
        "%0 = made.move %m, [] : memref<4x4xf32>",
        "%0 = made.move %m, [%i, 4, %i] {hint, note} : memref<4x4xf32>",
        "made.shape",
        "made.shape of [%i, 4] {note}",
        "made.count addi %j : i32",
        "made.count xori %j, %k {note} : i32, i32",
        "made.pair_op <1, 2>",
        "made.pair_op <1, 2> attributes {note}",
    ],
)
def test_round_trip(line: str) -> None:
    assert shown(line) == line


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        (
            "made.place %m {size = 2 : i32, b, hint, a} : memref<4x4xf32>",
            "made.place %m <{hint, size = 2 : i32}> {a, b} : memref<4x4xf32>",
        ),
        (
            "made.place %m {const_offsets = array<i64: 1>} : memref<4x4xf32>",
            "made.place %m[1]  : memref<4x4xf32>",
        ),
        (
            "%0 = made.move %m, [1] {z, hint, a} : memref<4x4xf32>",
            "%0 = made.move %m, [1] {a, hint, z} : memref<4x4xf32>",
        ),
        ("made.pair_op #made.pair<1, 2>", "made.pair_op <1, 2>"),
    ],
)
def test_other_spellings(line: str, printed: str) -> None:
    assert shown(line) == printed


def test_what_is_stored() -> None:
    op = read("made.place %m[%i, 16] {hint} : memref<4x4xf32>")
    assert isinstance(op, PlaceOp)
    assert op.properties["hint"] == UnitAttr()
    assert not op.attributes
    assert [str(value.type) for value in op.offsets] == ["index"]
    assert str(op.const_offsets) == f"array<i64: {DYNAMIC_INDEX}, 16>"
    moved = read("%0 = made.move %m, [] : memref<4x4xf32>")
    assert moved.results[0].type == moved.operands[0].type
    assert not read("made.shape").properties


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("made.place %m[] : memref<4x4xf32>", "expected a list of values or integers"),
        ("made.place %m[%i : memref<4x4xf32>", "expected ']'"),
        ("%0 = made.move %m, [true] : memref<4x4xf32>", "expected a whole number"),
        ("%0 = made.move %m : memref<4x4xf32>", "expected ','"),
        ("made.count plus %j : i32", "plus"),
        ("made.count addi %j, %k : i32", "1 types for 2 operands"),
        ("made.count addi %j : i32, i32", "2 types for 1 operands"),
        ("made.pair_op 1", "expected '<'"),
    ],
)
def test_errors(line: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        read(line)
    assert message in str(error.value)
    assert "<unknown>:2:" in str(error.value)


def test_types_are_left_to_the_verifier() -> None:
    custom = "made.count addi %m : memref<4x4xf32>"
    generic = '"made.count"(%m) <{kind = 1 : i64}> : (memref<4x4xf32>) -> ()'
    words: list[str] = []
    for line in (custom, generic):
        with pytest.raises(VerifyException) as error:
            read(line)
        words.append(str(error.value).splitlines()[-1])
    assert words[0] == words[1]


def test_mixed_lists() -> None:
    op = read("made.place %m[%i, 16, %i]  : memref<4x4xf32>")
    assert isinstance(op, PlaceOp)
    (i, j) = op.offsets
    literals = op.const_offsets
    assert join_mixed(op.offsets, literals) == [i, 16, j]
    assert join_mixed(op.offsets, None) == [i, j]
    verify_count("const_offsets", op.offsets, None)
    verify_count("const_offsets", op.offsets, literals)
    with pytest.raises(
        VerifyException, match="'const_offsets' has 2 dynamic entries and 1 values"
    ):
        verify_count("const_offsets", [i], literals)


@pytest.mark.parametrize(
    "op",
    [
        op
        for dialect in (XeGPU, XeVM)
        for op in dialect.operations
        if issubclass(op, IRDLOperation) and op.get_irdl_definition().assembly_format
    ],
    ids=lambda op: op.name,
)
def test_every_format_compiles(op: type[IRDLOperation]) -> None:
    assert format_of(op).stmts


BLOCK = "#xegpu.block_tdesc_attr"


@pytest.mark.parametrize(
    "attribute",
    [
        f"{BLOCK}<>",
        f"{BLOCK}<memory_space =  slm, array_length = 2 : i64, boundary_check = false>",
        "#xevm.mma_types<d = f32, a = f16, b = f16>",
        '#xevm.target<chip = "pvc">',
        "#xevm.target",
        "#xegpu.layout<sg_layout = [8, 4], order = [0, 1]>",
    ],
)
def test_structs(attribute: str) -> None:
    assert str(parse_attribute(attribute)) == attribute


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (
            f"{BLOCK}<size = 2 : i64>",
            "'size' is no parameter; legal are memory_space, array_len",
        ),
        (f"{BLOCK}<array_length = 2, array_length = 2>", "'array_length' is given twice"),
        (f'{BLOCK}<array_length = "two">', 'expected an integer, got "two"'),
        ("#xevm.mma_types<d = f32>", "expected d, a, b and optionally c, found d"),
    ],
)
def test_wrong_structs(attribute: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_attribute(attribute)


def parse_attribute(text: str) -> Attribute:
    context = Context()
    for dialect in (Builtin, XeGPU, XeVM):
        context.load_dialect(dialect)
    return Parser(context, text).parse_attribute()


def test_the_plain_decorator_knows_none_of_this() -> None:
    with pytest.raises(Exception, match="prop-dict"):

        @irdl_op_definition
        class Other(IRDLOperation):
            name = "made.other"

            assembly_format = "prop-dict attr-dict"

        del Other
