"""The parser: bits in dense<>, source positions, errors that name their place; its fast paths give the same results."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.parser import Parser as StockParser
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import Parser, context, parse
from xetile.parser import BYTE_ORDER_MARK, end_of_numbers, numbers, parse_error_location


def stock_context() -> Context:
    fresh = Context()
    for name, factory in get_all_dialects().items():
        fresh.register_dialect(name, factory)
    return fresh


def place(text: str) -> tuple[int, int, str]:
    with pytest.raises(ParseError) as caught:
        parse(text)
    return parse_error_location(caught.value)


def dense_values(module: ModuleOp) -> list[float]:
    attribute = next(iter(module.ops)).properties["value"]
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    return [float(value) for value in attribute.get_values() if not isinstance(value, tuple)]


HEXADECIMAL = [
    ("f16", "0x3C00", 1.0),
    ("f16", "0xFC00", float("-inf")),
    ("bf16", "0xFF80", float("-inf")),
    ("bf16", "0x3FC0", 1.5),
    ("f32", "0xFF800000", float("-inf")),
    ("f32", "0x7f800000", float("inf")),
    ("f64", "0xC000000000000000", -2.0),
    ("tf32", "0x1FE00", 1.5),
    ("f8E5M2", "0x3C", 1.0),
    ("f8E4M3FN", "0x38", 1.0),
    ("f4E2M1FN", "0x2", 1.0),
]


@pytest.mark.parametrize(("element", "bits", "value"), HEXADECIMAL)
def test_hexadecimal_in_dense_is_the_bit_pattern(element: str, bits: str, value: float):
    splat = parse(
        f"%0 = arith.constant dense<{bits}> : vector<2x{element}>", "", stock_context()
    )
    assert dense_values(splat) == [value, value]
    mixed = parse(
        f"%0 = arith.constant dense<[1.0, {bits}]> : vector<2x{element}>", "", stock_context()
    )
    assert dense_values(mixed) == [1.0, value]


def test_hexadecimal_nan_in_dense():
    module = parse(
        "%0 = arith.constant dense<0x7FC00000> : vector<1xf32>", "", stock_context()
    )
    (value,) = dense_values(module)
    assert value != value


def test_hexadecimal_integers_stay_integers():
    module = parse(
        "%0 = arith.constant dense<[0x10, -1]> : vector<2xi32>", "", stock_context()
    )
    assert dense_values(module) == [16, -1]


def test_hexadecimal_complex_in_dense():
    module = parse(
        '"test.op"() {a = dense<(0x3f800000, 0x40000000)> : tensor<1xcomplex<f32>>} : () -> ()'
    )
    attribute = next(iter(module.ops)).attributes["a"]
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    assert list(attribute.get_values()) == [(1.0, 2.0)]


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ("0x1FF800000", "hexadecimal float literal has more bits than f32"),
        ("-0x3f800000", "hexadecimal float literal with a leading minus sign"),
    ],
)
def test_bits_that_are_no_float_are_refused(element: str, message: str):
    text = f"%0 = arith.constant dense<{element}> : vector<2xf32>"
    assert place(text) == (1, 27, message)


def test_stock_parser_reads_hexadecimal_floats_as_integers():
    """Gap of xDSL 0.75; once this fails, `_HexadecimalElement` can go."""
    text = "%0 = arith.constant dense<0xFF800000> : vector<1xf32>"
    assert dense_values(StockParser(stock_context(), text).parse_module()) == [4286578688.0]


SOURCE = """\
func.func @f(%a: i32, %b : i32) -> i32 {
  %c = arith.addi %a,
         %b : i32
  %d:2 = "test.op"() ({
    ^bb0(%x: i32):
      "test.termop"() : () -> ()
  }) : () -> (i32, i32)
    func.return %c : i32
}
"""


def positions(module: ModuleOp) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for operation in module.walk():
        place = operation.location
        assert isinstance(place, FileLineColLoc)
        assert place.filename.data == "kernel.mlir"
        found[operation.name] = (place.line.data, place.column.data)
        for region in operation.regions:
            for argument in (a for block in region.blocks for a in block.args):
                assert isinstance(argument.location, FileLineColLoc)
                line, column = argument.location.line.data, argument.location.column.data
                found[f"%{argument.name_hint}"] = (line, column)
    return found


def test_every_op_and_block_argument_has_its_position():
    assert positions(parse(SOURCE, "kernel.mlir")) == {
        "builtin.module": (1, 1),
        "func.func": (1, 1),
        "%a": (1, 14),
        "%b": (1, 23),
        "arith.addi": (2, 3),
        "test.op": (4, 3),
        "%x": (5, 10),
        "test.termop": (6, 7),
        "func.return": (8, 5),
    }


def test_explicit_locations_win():
    module = parse('"test.op"() : () -> () loc("there.py":7:9)', "here.mlir")
    location = next(iter(module.ops)).location
    assert str(location) == 'loc("there.py":7:9)'


def test_positions_are_not_printed():
    assert "loc(" not in str(parse(SOURCE))


def test_stock_parser_gives_no_positions():
    """Gap of xDSL 0.75; once this fails, positions can come from upstream."""
    module = StockParser(stock_context(), SOURCE).parse_module()
    assert all(isinstance(operation.location, UnknownLoc) for operation in module.walk())


def test_undefined_values_are_reported_at_their_first_use():
    text = 'func.func @f() {\n  %x = arith.addi %y, %y : i32\n  "test.op"(%y) : (i32) -> ()\n  func.return\n}\n'
    assert place(text) == (2, 19, "value %y is used but not defined")


def test_a_value_of_a_sibling_region_is_undefined():
    text = '"test.op"() ({ %x = arith.constant 1 : i32 }) : () -> ()\n"test.op"(%x) : (i32) -> ()\n'
    assert place(text) == (
        *(2, 11),
        "value %x is used but not defined; a loop or branch gives values out by its yield and its results",
    )


def test_values_may_be_used_before_their_definition():
    module = parse(
        '"test.op"() ({\n^a:\n"test.op"(%x) : (i32) -> ()\n%x = "test.op"() : () -> i32}) : () -> ()'
    )
    assert len(list(module.walk())) == 4


def test_stock_parser_reports_undefined_values_at_the_end():
    """Gap of xDSL 0.75."""
    text = "%x = arith.addi %y, %y : i32\n\n\n"
    with pytest.raises(ParseError) as caught:
        StockParser(stock_context(), text).parse_module()
    assert parse_error_location(caught.value)[0] == 4


def test_unknown_ops_are_reported_at_the_op():
    assert place("\n  foo.bar %x, %y") == (2, 3, "there is no op 'foo.bar'")
    assert place("vector.brodcast %x") == (
        1,
        1,
        "there is no op 'vector.brodcast'; did you mean 'vector.broadcast'?",
    )


def test_stock_parser_reports_unknown_ops_at_the_next_token():
    """Gap of xDSL 0.75."""
    with pytest.raises(ParseError) as caught:
        StockParser(stock_context(), "foo.bar %x").parse_module()
    assert parse_error_location(caught.value)[:2] == (1, 9)


def test_errors_of_attributes_have_a_place():
    line, column, message = place('\n "test.op"() {a = 300 : i8} : () -> ()')
    assert (line, column) == (2, 2)
    assert message.startswith("integer value 300 is out of range for type i8")


def test_stock_parser_places_no_errors_of_attributes():
    """Gap of xDSL 0.75."""
    with pytest.raises(VerifyException):
        StockParser(stock_context(), '"test.op"() {a = 300 : i8} : () -> ()').parse_module()


def test_deep_nesting_is_one_error():
    text = '"test.op"() ({ ' * 3000
    assert place(text)[2] == "nested too deeply"


def test_syntax_errors_have_a_place_and_one_line():
    text = "func.func @f() {\n  %x = arith.addi %a // b\n}"
    assert place(text) == (2, 21, "expected ',' before '}'")


def test_bytes_and_names():
    module = Parser(context(), b'"test.op"() : () -> ()', "bytes.mlir").parse_module()
    location = next(iter(module.ops)).location
    assert isinstance(location, FileLineColLoc)
    assert location.filename.data == "bytes.mlir"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("func.func @f() {}", 16),
        ("func.func private @f() -> i32 attributes {a} {\n}", 46),
    ],
)
def test_a_function_with_nothing_in_its_braces_is_no_declaration(
    text: str, column: int
) -> None:
    assert place(text) == (
        1,
        column,
        "the function's body is empty; end it with func.return, or declare it without braces",
    )


@pytest.mark.parametrize(
    "text",
    [
        "func.func private @f() attributes {a}",
        '"func.func"() <{sym_name = "f", function_type = () -> (), sym_visibility = "private"}> ({}) : () -> ()',
    ],
)
def test_declarations_have_no_body(text: str) -> None:
    (declaration,) = parse(text).ops
    assert not declaration.regions[0].blocks


def test_unregistered_ops_have_the_generic_form_only() -> None:
    unregistered = context()
    unregistered.allow_unregistered = True
    with pytest.raises(ParseError) as caught:
        parse("func.func @f() {\n  foo.op %a\n}", "", unregistered)
    assert parse_error_location(caught.value) == (
        2,
        3,
        "'foo.op' is of an unknown dialect, of which only the generic form is read: \"foo.op\"(...) : (...) -> ...",
    )


@pytest.mark.parametrize("text", ["", "// nothing", "#map = affine_map<(d0) -> (d0)>\n"])
def test_no_text_is_an_empty_module(text: str) -> None:
    assert not parse(text).body.block.ops


def test_stray_text_is_no_operation() -> None:
    assert place("func.func private @f()\n }") == (
        *(2, 2),
        "this '}' closes nothing, since every '{' above is closed already; remove one '}'",
    )


@pytest.mark.parametrize(
    ("literal", "printed"),
    [
        ("1.0e300 : f32", "0x7f800000 : f32"),
        ("-65520.0 : f16", "0xfc00 : f16"),
        (
            "dense<[1.0e300, -65520.0]> : vector<2xf16>",
            "dense<[0x7c00, 0xfc00]> : vector<2xf16>",
        ),
        ("-9223372036854775808 : index", "-9223372036854775808 : index"),
    ],
)
def test_what_is_too_large_is_infinity_as_in_mlir(literal: str, printed: str):
    module = parse(f"func.func @f() {{\n  %a = arith.constant {literal}\n  func.return\n}}\n")
    assert f"arith.constant {printed}" in str(module)


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        ("0x7FC00000 : f16", "2:23: hexadecimal float constant out of range for type"),
        (
            "9223372036854775808 : index",
            "2:23: integer 9223372036854775808 is out of range for index, which has 64 bits",
        ),
        (
            "dense<9223372036854775808> : vector<4xindex>",
            "2:29: integer 9223372036854775808 is out of range for index, which has 64 bits",
        ),
        (
            "dense<1> : vector<65536x4294967296xi32>",
            "2:3: more elements than there is memory for",
        ),
        ("dense<1.0> : vector<4xf80>", "2:3: elements of this type are not supported"),
    ],
)
def test_numbers_that_no_type_takes(literal: str, message: str):
    with pytest.raises(ParseError) as error:
        parse(f"func.func @f() {{\n  %a = arith.constant {literal}\n  func.return\n}}\n")
    line, column, text = parse_error_location(error.value)
    assert f"{line}:{column}: {text}" == message


def test_xdsl_still_refuses_elements_that_mlir_rounds_to_infinity():
    with pytest.raises(OverflowError):
        StockParser(context(), "dense<1.0e300> : vector<2xf32>").parse_attribute()


@pytest.mark.parametrize("encode", [str, str.encode])
def test_a_byte_order_mark_is_no_text(encode: Callable[[str], str | bytes]):
    text = encode(f"{BYTE_ORDER_MARK}func.func private @f(f32)\n")
    module = Parser(context(), text).parse_module()
    assert next(iter(module.ops)).location == FileLineColLoc(
        StringAttr("<unknown>"), IntAttr(1), IntAttr(1)
    )


def test_suffixes_of_names_do_not_pile_up():
    """Gap of xDSL 0.75: of `%v_1_0` it keeps `v_1`, which is what a second `%v` is printed as."""
    text = """func.func @f(%a: i32, %p: i1) -> i32 {
  %v = arith.addi %a, %a : i32
  %v_1 = arith.addi %v, %v : i32
  %v_1_0 = arith.addi %v_1, %v : i32
  cf.cond_br %p, ^b, ^b_1
^b:
  cf.br ^b_1_0
^b_1:
  cf.br ^b_1_0
^b_1_0:
  func.return %v_1_0 : i32
}"""
    module = parse(text)
    assert parse(str(module)).is_structurally_equivalent(module)
    stock = str(StockParser(stock_context(), text).parse_module())
    with pytest.raises(ParseError):
        StockParser(stock_context(), stock).parse_module()


@pytest.mark.parametrize(
    ("location", "printed"),
    [
        ('fused<"hi">["a.py":3:4]', 'fused<"hi">["a.py":3:4]'),
        ('fused["a.py":3:4, "b":1:2]', 'fused["a.py":3:4, "b":1:2]'),
        ('"a.py":1:2 to 3:4', '"a.py":1:2 to 3:4'),
        ('"a.py":1:2 to :4', '"a.py":1:2 to 1:4'),
        (
            'callsite("f"("a":1:2 to 3:4) at unknown)',
            'callsite("f"("a":1:2 to 3:4) at unknown)',
        ),
    ],
)
def test_locations_that_mlir_opt_prints(location: str, printed: str):
    module = parse(f"func.func @f() {{\n  return loc({location})\n}}", "k.mlir")
    (place,) = (op.location for op in module.walk() if op.name == "func.return")
    assert str(place) == f"loc({printed})"


ELEMENTS = (
    "1, 2, 3",
    " -1,2 ,\n -0 ",
    "1.5, -2.e3, 3.25E-2, 7",
    "1e3",
    "0x10, 2",
    "true, false",
    "1, // one\n 2",
    "007, 1",
    "[1, 2], [3, 4]",
    "[1, 2], [3]",
    "1.0, 70000.0, 1.0e40, -1.0e400",
    "300, 1",
    "1,",
    "",
    "(1, 2)",
    "9" * 300,
)


@pytest.mark.parametrize("type", ["f32", "f16", "i8", "ui8", "index", "i64"])
@pytest.mark.parametrize("elements", ELEMENTS)
def test_numbers_of_a_list(elements: str, type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once or one by one: the same attribute, or the same complaint at the same place."""
    count = elements.count(",") + 1
    text = f"dense<[{elements}]> : vector<{count}x{type}>"
    at_once = outcome(text)
    monkeypatch.setattr("xetile.parser.end_of_numbers", none_at_once)
    assert at_once == outcome(text)


def none_at_once(text: str, start: int) -> None:
    """As `end_of_numbers` of lists that are read one by one."""


def outcome(text: str) -> object:
    try:
        return str(Parser(context(), text, "k.mlir").parse_attribute())
    except ParseError as error:
        return (error.msg, error.span.start, error.span.end)
    except (ValueError, OverflowError) as error:
        return str(error)


WHOLE = "arith.constant"


@pytest.mark.parametrize(
    ("number", "type"),
    [
        ("4", "index"),
        ("-4", "i8"),
        ("007", "i16"),
        ("0", "i32"),
        ("123456789012345678", "i64"),
    ],
)
def test_a_whole_number_is_what_any_constant_is(number: str, type: str) -> None:
    """The form that is printed is read at once; with a space more, as any op."""
    plain = parse(f"%v_1_0 = {WHOLE} {number} : {type}\n", "k.mlir")
    slow = parse(f"%v_1_0 = {WHOLE}  {number} : {type}\n", "k.mlir")
    assert plain.is_structurally_equivalent(slow)
    (one,), (other,) = plain.ops, slow.ops
    assert one.location == other.location
    assert one.results[0].name_hint == other.results[0].name_hint


@pytest.mark.parametrize("name", ["%_1", "%_0", "%_1_2"])
def test_a_name_that_is_a_suffix_alone_is_no_name(name: str) -> None:
    for space in (" ", "  "):
        module = parse(f"{name} = {WHOLE}{space}4 : index\n", "k.mlir")
        (op,) = module.ops
        assert op.results[0].name_hint is None


@pytest.mark.parametrize("place", ['loc("x":1:2)', "// here\n loc(unknown)"])
def test_a_place_may_stand_on_the_next_line(place: str) -> None:
    plain, slow = (
        parse(f"%c = {WHOLE}{space}4 : index\n {place}\n", "k.mlir") for space in (" ", "  ")
    )
    (one,), (other,) = plain.ops, slow.ops
    assert one.location == other.location


@pytest.mark.parametrize(
    "text",
    [
        "{v} {n} 300 : i8\n",
        "{v} {n} 99999999999999999 : i32\n",
        "{v} {n} 1 : i32\n{v} {n} 2 : i32\n",
        "{v} {n} 1 : i32\n%b = arith.addi %a, %c : i32\n",
        "{v} {n} 1 : i32\n%b = arith.addi %a, %a : i64\n",
        "%b = arith.addi %a, %a : i64\n{v} {n} 1 : i32\n",
        "{v} {n} 1 : f32\n",
    ],
)
def test_mistakes_are_told_as_of_any_constant(text: str) -> None:
    def told(name: str) -> tuple[str, int]:
        with pytest.raises(ParseError) as found:
            parse(text.format(v="%a =", n=name), "k.mlir")
        return found.value.msg, found.value.span.get_location().line

    assert told(WHOLE) == told(f"{WHOLE} ")


def test_the_quick_ways_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the comparisons above would compare the slow way with itself."""
    assert end_of_numbers(" -1,2 ,\n -0 ] : x", 0) == len(" -1,2 ,\n -0 ]")
    assert [number for number, *_ in numbers("1, -2.5e1]", 0, 10)] == [1, -25.0]
    for other in ("true]", "0x10]", "1e3]", "[1]]", "1, // one\n 2]", "007]", "1"):
        assert end_of_numbers(other, 0) is None, other

    def unread(self: Parser, name: str) -> None:
        raise AssertionError(f"'{name}' was read as any op")

    monkeypatch.setattr(Parser, "_get_op_by_name", unread)
    parser = Parser(context(), f"%c = {WHOLE} 4 : index\n", "k.mlir")
    assert parser.parse_operation().name == WHOLE
