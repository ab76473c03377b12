"""Triton's encodings: a blocked layout, its slices, and what operands of a dot hold."""

from itertools import product

from xetile.layout.text.attribute_text import layout_of
from xetile.layout.triton.encodings import Blocked, DotOperand, Slice

BLOCKED = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 4], warpsPerCTA = [2, 2], order = [1, 0]}>"


def test_a_shape_larger_than_the_layout_repeats_in_registers() -> None:
    small, large = layout_of(BLOCKED, (16, 16)), layout_of(BLOCKED, (32, 64))
    # The fastest dimension of the order repeats first.
    assert large.bases["register"] == [*small.bases["register"], (0, 16), (0, 32), (16, 0)]
    assert large.is_surjective()


def test_a_slice_holds_what_the_parent_holds_along_the_other_dimension() -> None:
    parent = Blocked((2, 2), (4, 4), (2, 2), (1, 0))
    whole = parent.to_linear_layout((16, 1))
    part = Slice(1, parent).to_linear_layout((16,))
    for lane, warp in product(range(16), range(4)):
        inputs = {"register": 0, "lane": lane, "warp": warp, "block": 0}
        assert part.apply(inputs) == {"dim0": whole.apply(inputs)["dim0"]}


def test_a_dot_operand_holds_all_of_k_in_every_thread() -> None:
    parent = Blocked((2, 4), (8, 4), (2, 4), (1, 0))
    for operand, shape in ((0, (32, 16)), (1, (16, 64))):
        layout = DotOperand(operand, parent).to_linear_layout(shape)
        k = "dim1" if operand == 0 else "dim0"
        assert layout.sublayout_is_zero(["lane", "warp"], [k])
        assert layout.is_surjective()
