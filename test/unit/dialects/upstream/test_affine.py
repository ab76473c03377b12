"""affine.max, which xDSL lacks."""

import pytest
from xdsl.dialects.affine import Affine

from xetile import api
from xetile.errors import XetileError

TEXT = """builtin.module {
  func.func @f(%x: index, %n: index) -> index {
    %r = affine.max affine_map<(d0)[s0] -> (d0, (s0 + 1))> (%x)[%n]
    func.return %r : index
  }
}
"""


def test_upstream_still_lacks_it() -> None:
    assert "affine.max" not in {op.name for op in Affine.operations}


def test_it_is_read_and_printed() -> None:
    module = api.parse(TEXT)
    assert api.text(api.parse(api.text(module))) == api.text(module)
    assert "affine.max affine_map<(d0)[s0] -> (d0, (s0 + 1))>(%x)[%n]" in api.text(module)


def test_operands_are_those_of_the_map() -> None:
    with pytest.raises(XetileError, match="the map takes 2 operands, 1 are given"):
        api.parse(TEXT.replace("(%x)[%n]", "(%x)"))
