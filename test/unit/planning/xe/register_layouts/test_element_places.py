"""Where the elements of vectors of offsets lie, against executing what makes them."""

from collections.abc import Mapping

import pytest
from xdsl.ir import SSAValue

from xetile.analysis.ranges import infer_ranges
from xetile.dialects.modules import parse
from xetile.planning.xe.register_layouts.element_places import PlaceAnalysis
from xetile.planning.xe.register_layouts.places import ONE, Places


def places(body: str) -> tuple[Places, Mapping[str, SSAValue]]:
    """Those of %o, and the function's arguments by name."""
    module = parse(f"""func.func @f(%n: index, %p: index) {{
    %s = vector.step : vector<4xindex>
    %c = vector.broadcast %s : vector<4xindex> to vector<4x4xindex>
    %r = vector.transpose %c, [1, 0] : vector<4x4xindex> to vector<4x4xindex>
    %four = arith.constant dense<4> : vector<4x4xindex>
    %ns = vector.broadcast %n : index to vector<4x4xindex>
    {body}
    return }}""")
    (function,) = module.body.block.ops
    block = function.regions[0].block
    found = next(r for op in block.ops for r in op.results if r.name_hint == "o")
    names = {str(value.name_hint): value for value in block.args}
    return PlaceAnalysis(infer_ranges(function)).places(found), names


def test_rows_and_columns_have_weights():
    found, names = places("""%q = arith.muli %r, %four : vector<4x4xindex>
    %t = arith.addi %q, %c : vector<4x4xindex>
    %o = arith.addi %t, %ns : vector<4x4xindex>""")
    assert found.terms[ONE].weights == (4, 8, 1, 2)
    assert found.terms[names["n"],].number == 1
    assert found.unknown is None


def test_a_pitch_is_a_factor():
    found, names = places("""%q = arith.muli %r, %ns : vector<4x4xindex>
    %o = arith.subi %q, %c : vector<4x4xindex>""")
    assert found.terms[names["n"],].weights == (1, 2, 0, 0)
    assert found.terms[ONE].weights == (0, 0, -1, -2)


@pytest.mark.parametrize("op", ["arith.ori", "arith.xori", "arith.addi"])
def test_what_has_no_bit_in_common_is_a_sum(op: str):
    found, _ = places(f"""%q = arith.muli %r, %four : vector<4x4xindex>
    %o = {op} %q, %c : vector<4x4xindex>""")
    assert found.terms[ONE].weights == (4, 8, 1, 2)
    assert found.swizzle is None


def test_swizzles_have_columns():
    found, names = places("""%q = arith.muli %r, %four : vector<4x4xindex>
    %t = arith.addi %q, %c : vector<4x4xindex>
    %x = arith.xori %t, %r : vector<4x4xindex>
    %o = arith.xori %x, %ns : vector<4x4xindex>""")
    assert found.swizzle is not None
    assert found.swizzle.columns == (5, 10, 1, 2)
    assert found.swizzle.uniform == (((names["n"],), 1),)


@pytest.mark.parametrize(
    ("constant", "weights"),
    [
        (
            "[[7, 8, 9, 10], [17, 18, 19, 20], [27, 28, 29, 30], [37, 38, 39, 40]]",
            (10, 20, 1, 2),
        ),
        ("[[7, 8, 9, 10], [17, 18, 19, 20], [27, 28, 29, 30], [37, 38, 39, 41]]", None),
    ],
)
def test_constants_are_linear_or_not(constant: str, weights: tuple[int, ...] | None):
    found, _ = places(f"%o = arith.constant dense<{constant}> : vector<4x4xindex>")
    assert found.unknown == (15 if weights is None else None)
    if weights is not None:
        assert found.terms[ONE] == (7, weights)


def test_narrow_integers_are_exact_where_they_fit():
    fits = """%i = arith.index_cast %c : vector<4x4xindex> to vector<4x4xi8>
    %k = arith.constant dense<{0}> : vector<4x4xi8>
    %q = arith.muli %i, %k : vector<4x4xi8>
    %o = arith.index_cast %q : vector<4x4xi8> to vector<4x4xindex>"""
    assert places(fits.format(40))[0].terms[ONE].weights == (0, 0, 40, 80)
    assert places(fits.format(50))[0].unknown == 0b1100


def test_products_of_coordinates_are_unknown():
    found, _ = places("%o = arith.muli %r, %c : vector<4x4xindex>")
    assert found.unknown == 15
    assert not found.terms


def test_unknown_numbers_are_no_number():
    known = """%x = arith.index_cast %n : index to i32
    %y = vector.broadcast %x : i32 to vector<1xi32>
    %h = arith.extui %y : vector<1xi32> to vector<1xi64>
    %o = arith.index_cast %h : vector<1xi64> to vector<1xindex>"""
    found, _ = places(known)
    assert (found.unknown, found.depends, found.number) == (0, 0, None)
    found, _ = places(f"""{known.replace("%o", "%u")}
    %v = vector.broadcast %u : vector<1xindex> to vector<4x4xindex>
    %o = arith.ori %v, %c : vector<4x4xindex>""")
    assert (found.unknown, found.number) == (0b1100, None)


def test_slices_begin_somewhere_else():
    found, _ = places("""%q = vector.extract_strided_slice %r
        {offsets = [2, 0], sizes = [1, 4], strides = [1, 1]} : vector<4x4xindex> to vector<1x4xindex>
    %o = vector.shape_cast %q : vector<1x4xindex> to vector<4xindex>""")
    assert (found.unknown, found.number) == (0, None)
    found, _ = places("""%o = vector.extract_strided_slice %four
        {offsets = [2, 0], sizes = [1, 4], strides = [1, 1]} : vector<4x4xindex> to vector<1x4xindex>""")
    assert found.number == 4


def test_bits_of_other_types_are_unknown():
    found, _ = places("""%i = arith.index_cast %four : vector<4x4xindex> to vector<4x4xi32>
    %o = vector.bitcast %i : vector<4x4xi32> to vector<4x2xi64>""")
    assert (found.unknown, found.number) == (7, None)
