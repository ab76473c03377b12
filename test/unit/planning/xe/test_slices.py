"""Boxes that slices take out of vectors, in blocks that are whole on both sides."""

import pytest

from xetile.dialects.modules import parse
from xetile.planning.xe.roles import Block, Slice, slice_of


@pytest.mark.parametrize(
    ("box", "block", "inside", "around"),
    [
        (Slice((0, 16), (32, 16)), (32, 16), (32, 16), (32, 16)),
        (Slice((8, 0), (16, 32)), (32, 32), (8, 32), (8, 16)),
        (Slice((4, 0), (12, 48)), (8, 16), (4, 16), (4, 16)),
        (Slice((1, 3), (5, 7)), (8, 16), (1, 1), (1, 1)),
    ],
)
def test_blocks_are_cut_until_they_are_whole(
    box: Slice, block: Block, inside: Block, around: Block
) -> None:
    assert box.whole_blocks(block) == inside
    assert box.blocks_around(block, (64, 48)) == around


def test_dimensions_that_are_not_named_are_taken_whole() -> None:
    module = parse(
        """func.func @f(%v: vector<32x48xf16>) {
  %s = vector.extract_strided_slice %v {offsets = [8], sizes = [16], strides = [1]} : vector<32x48xf16> to vector<16x48xf16>
  func.return
}"""
    )
    found = [slice_of(op) for op in module.walk()]
    assert [box for box in found if box is not None] == [Slice((8, 0), (16, 48))]
