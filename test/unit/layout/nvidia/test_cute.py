"""CuTe's layouts: offsets summed up as CuTe does, there and back, and those that are not linear."""

from itertools import product
from random import Random

import pytest

from xetile.layout import LayoutError, LinearLayout, from_cute, to_cute
from xetile.layout.nvidia.cute import CuteLayout
from xetile.layout.nvidia.shared_layouts import nvmma_shared_layout


def played(layout: CuteLayout, coordinates: tuple[int, ...]) -> int:
    """The offset of coordinates, by CuTe's definition."""
    offset = 0
    for at, extents, steps in zip(coordinates, layout.shape, layout.stride, strict=True):
        for extent, step in zip(extents, steps, strict=True):
            at, digit = divmod(at, extent)
            offset += digit * step
    if layout.swizzle is None:
        return offset
    bits, base, shift = layout.swizzle
    mask = (1 << bits) - 1
    if shift >= 0:
        return offset ^ (offset & mask << base + shift) >> shift
    return offset ^ (offset & mask << base) << -shift


def test_offsets_are_those_of_cute() -> None:
    random = Random(5)
    for _ in range(200):
        width = random.randrange(2, 9)
        strides = random.sample([1 << bit for bit in range(width)], width)
        first = random.randrange(width)
        stride = (tuple(strides[:first]), tuple(strides[first:]))
        shape = tuple([(2,) * len(steps) for steps in stride])
        bits = random.randrange(width // 2 + 1)
        base = random.randrange(width - 2 * bits + 1)
        swizzle = (bits, base, random.choice((-1, 1)) * bits) if bits else None
        layout = from_cute(shape, stride, swizzle)
        given = CuteLayout(shape, stride, swizzle)
        for at in product(*(range(2 ** len(steps)) for steps in stride)):
            found = layout.apply(dict(zip(("dim0", "dim1"), at, strict=True)))
            assert found == {"offset": played(given, at)}, given
        back = to_cute(layout)
        assert from_cute(*back).bases == layout.bases


def test_hoppers_swizzle_is_cutes() -> None:
    """In elements of 16 bits Swizzle<3,4,3> of bytes is Swizzle<3,3,3>."""
    atom = nvmma_shared_layout((8, 64), 128, 16).sublayout(["offset"], ["dim0", "dim1"])
    cute = to_cute(atom.invert())
    assert str(cute) == "Swizzle<3,3,3> o (8,64):(64,1)"
    assert from_cute((8, 64), (64, 1), (3, 3, 3)) == atom.invert()


def test_modes_are_joined_and_broadcast_is_a_stride_of_zero() -> None:
    layout = from_cute((4, (2, (2, 2))), (2, (1, (8, 16))))
    assert layout.bases == {"dim0": [(2,), (4,)], "dim1": [(1,), (8,), (16,)]}
    assert str(to_cute(layout)) == "(4,(2,4)):(2,(1,8))"
    same = from_cute((4, 2), (0, 1))
    assert same.bases == {"dim0": [(0,), (0,)], "dim1": [(1,)]}
    assert str(to_cute(same)) == "(4,2):(0,1)"
    assert str(to_cute(from_cute(1, 0))) == "(1):(0)"


@pytest.mark.parametrize(
    "shape, stride, swizzle, message",
    [
        ((8, 3), (1, 8), None, "extent 3 of dim1 must be a power of two"),
        ((8, 8), (1,), None, "are nested differently"),
        ((8, (2, 4)), (1, 8), None, "are nested differently"),
        (4, 3, None, "2 steps of 3 lie at offset 6, which has bits in common"),
        # The PTX text's example of a 32-byte swizzle.
        (((8, 2), (4, 4)), ((8, 64), (1, 4)), None, "in dim1, 2 steps of 4 lie at offset 8"),
        ("ab", "cd", None, "'ab' is no number"),
        ((2.5,), (1,), None, "2.5 is no number"),
        (2, 1, (1, 2), r"swizzle \(1, 2\) must be bits, base and shift"),
        (2, -1, None, "offset -1 of dim0 must be from 0"),
        (8, 1, (2, 0, 1), "Swizzle<2,0,1>: bits and base must not be negative, the shift"),
    ],
)
def test_what_is_not_linear(
    shape: int, stride: int, swizzle: tuple[int, int, int] | None, message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        from_cute(shape, stride, swizzle)


def test_what_is_not_cutes() -> None:
    tangled = LinearLayout.from_bases({"dim0": [[1], [3], [7]]}, ["offset"])
    with pytest.raises(LayoutError, match="no single swizzle of CuTe's leaves strides"):
        to_cute(tangled)
    with pytest.raises(LayoutError, match="go to one offset, this one to"):
        to_cute(nvmma_shared_layout((8, 64), 128, 16))
