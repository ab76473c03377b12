"""What verification refuses beside what the ops say themselves."""

import pytest

from xetile.api import parse_text
from xetile.errors import XetileError


def message(line: str) -> str:
    with pytest.raises(XetileError) as error:
        parse_text(f"func.func @f(%c: i32) {{\n  {line}\n  func.return\n}}\n", "f.mlir")
    return str(error.value)


def test_a_vector_has_elements():
    assert message("%v = vector.broadcast %c : i32 to vector<0x4xi32>") == (
        "f.mlir:2:3: error: vector<0x4xi32> has no elements; the extents of a vector are positive"
    )


def test_the_extents_of_a_tile_are_indices():
    text = message(
        '"xetile.prefetch_tile"(%c) : (!xetile.tile<18446744073709551616x8xf32>) -> ()'
    )
    assert text.endswith(
        "tile shape 18446744073709551616x8 has an extent that no index takes (64 bits)"
    )


def test_a_symbol_is_defined_once():
    with pytest.raises(XetileError) as error:
        parse_text(
            "func.func private @f()\nfunc.func private @g()\n  func.func private @f()\n",
            "f.mlir",
        )
    assert str(error.value) == (
        "f.mlir:3:3: error: redefinition of symbol 'f'; give one of the two another name"
    )
    (note,) = error.value.notes
    assert (note.message, note.location.line.data) == ("previously defined here", 1)


@pytest.mark.parametrize(
    "op", ['"scf.if"() : () -> ()', '"scf.while"() : () -> ()', '"gpu.module"() : () -> ()']
)
def test_ops_without_their_regions_are_answered(op: str):
    assert "region" in message(op) or "operand" in message(op)


def test_what_others_stumble_over_is_what_is_wrong():
    with pytest.raises(XetileError) as error:
        parse_text(
            '"gpu.module"() <{sym_name = "m"}> ({\n'
            '  "gpu.func"() ({\n    "gpu.return"() : () -> ()\n  }) {sym_name = "k"} : () -> ()\n'
            "}) : () -> ()\n",
            "f.mlir",
        )
    assert (
        str(error.value) == "f.mlir:2:3: error: 'gpu.func' needs the property 'function_type'"
    )


def test_a_property_of_another_kind_is_shown():
    with pytest.raises(XetileError) as error:
        parse_text(
            '"func.func"() <{sym_name = "f", function_type = "f"}> ({\n}) : () -> ()\n',
            "f.mlir",
        )
    assert str(error.value) == 'f.mlir:1:1: error: "f" should be of base attribute fun'


def test_what_a_call_stumbles_over_is_what_is_wrong():
    with pytest.raises(XetileError) as error:
        parse_text(
            'func.func @f() {\n  "func.call"() <{callee = @g}> : () -> ()\n  func.return\n}\n'
            '"func.func"() <{sym_name = "g", sym_visibility = "private"}> ({\n}) : () -> ()\n',
            "f.mlir",
        )
    assert (
        str(error.value) == "f.mlir:5:1: error: 'func.func' needs the property 'function_type'"
    )
