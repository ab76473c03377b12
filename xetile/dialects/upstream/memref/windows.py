"""Views with offsets, sizes and strides: xDSL 0.75 does not check them (test_memref_refusals.py tells when it does).

Source: `llvm 22.1.8 mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp` and
`mlir/lib/Interfaces/ViewLikeInterface.cpp`; what is refused is what mlir-opt 22 refuses.
"""

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.dialects.memref import ReinterpretCastOp as StockReinterpretCastOp
from xdsl.dialects.memref import SubviewOp as StockSubviewOp
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream.memref.layout import (
    AnyMemRef,
    linear_strides_and_offset,
    ranked,
)

Lists = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""Offsets, sizes and strides; DYNAMIC_INDEX for what an operand gives."""


class SubviewOp(StockSubviewOp):
    """A part of a memref: it may leave out dimensions of which it has one entry."""

    def verify_(self) -> None:
        super().verify_()
        source, result = ranked(self.source.type), ranked(self.result.type)
        lists = _static_lists(self)
        _verify_lists(lists, source.get_num_dims(), source.get_num_dims())
        expected = subview_type(source, lists)
        if expected is None:
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        if dropped_dimensions(expected, result, lists[1]) is None:
            less = ", or that without dimensions of extent 1" if 1 in lists[1] else ""
            raise VerifyException(f"'result' is {result}, the subview is {expected}{less}")
        _verify_inside(source, lists)


class ReinterpretCastOp(StockReinterpretCastOp):
    """The memory of a memref with another offset, other sizes and strides."""

    def verify_(self) -> None:
        # not the verifier of xDSL, which refuses a dynamic result of a static size
        self.get_irdl_definition().verify(self)
        source, result = ranked(self.source.type), ranked(self.result.type)
        lists = _static_lists(self)
        _verify_lists(lists, 1, result.get_num_dims())
        _verify_operands(self)
        if (
            source.memory_space != result.memory_space
            or source.element_type != result.element_type
        ):
            raise VerifyException(
                f"'result' is {result}, it has to have the elements and the memory space of {source}"
            )
        if isinstance(source.layout, SwizzleAttr):
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        layout = linear_strides_and_offset(result)
        if layout is None:
            raise VerifyException(f"'result' is {result}, whose layout is not strided")
        strides, offset = layout
        shape = [None if n == DYNAMIC_INDEX else n for n in result.get_shape()]
        for name, found, given in (
            ("offset", [offset], lists[0]),
            ("size", shape, lists[1]),
            ("stride", strides, lists[2]),
        ):
            for place, (known, wanted) in enumerate(zip(found, given, strict=True)):
                if known is not None and known != wanted:
                    where = "" if name == "offset" else f" in dimension {place}"
                    raise VerifyException(
                        f"'result' is {result} with {name} {known}{where}, expected {_shown(wanted)}"
                    )


def times(one: int | None, other: int | None) -> int | None:
    """A product of numbers of which None is not known; nothing times anything is nothing."""
    if one == 0 or other == 0:
        return 0
    return None if one is None or other is None else one * other


def subview_type(source: AnyMemRef, lists: Lists) -> AnyMemRef | None:
    """The type of a subview that leaves out no dimension; None for layouts without strides."""
    layout = linear_strides_and_offset(source)
    if layout is None:
        return None
    strides, offset = layout
    offsets, sizes, steps = (
        [None if n == DYNAMIC_INDEX else n for n in part] for part in lists
    )
    for start, stride in zip(offsets, strides, strict=True):
        moved = times(start, stride)
        offset = None if offset is None or moved is None else offset + moved
    return MemRefType(
        source.element_type,
        [DYNAMIC_INDEX if size is None else size for size in sizes],
        StridedLayoutAttr([times(*pair) for pair in zip(strides, steps, strict=True)], offset),
        source.memory_space,
    )


def dropped_dimensions(
    whole: AnyMemRef, result: AnyMemRef, sizes: Sequence[int]
) -> frozenset[int] | None:
    """The dimensions of a subview of type `whole` that `result` leaves out; None where the types do not fit.

    `sizes` are the static ones of the subview. Which of several dimensions of extent 1 goes,
    the strides say.
    """
    if (whole.element_type, whole.memory_space) != (result.element_type, result.memory_space):
        return None
    layouts = linear_strides_and_offset(whole), linear_strides_and_offset(result)
    if layouts[0] is None or layouts[1] is None or layouts[0][1] != layouts[1][1]:
        return None
    if not _shapes_fit(whole.get_shape(), result.get_shape()):
        return None
    strides, kept = list(layouts[0][0]), list(layouts[1][0])
    dropped = _dropped(strides, kept, sizes)
    if [stride for d, stride in enumerate(strides) if d not in dropped] != kept:
        return None
    return dropped


def _dropped(
    strides: Sequence[int | None], kept: Sequence[int | None], sizes: Sequence[int]
) -> frozenset[int]:
    if len(strides) == len(kept):
        return frozenset()
    single = [dimension for dimension, size in enumerate(sizes) if size == 1]
    if len(single) + len(kept) == len(strides):
        return frozenset(single)
    # a dimension goes if its stride goes: more dimensions have it than the result needs
    left, needed, dropped = Counter(strides), Counter(kept), set[int]()
    for dimension in single:
        if left[strides[dimension]] > needed[strides[dimension]]:
            left[strides[dimension]] -= 1
            dropped.add(dimension)
    return frozenset(dropped)


def _shapes_fit(whole: Sequence[int], result: Sequence[int]) -> bool:
    """Whether a shape is the other without some of its ones."""
    rest = list(result)
    for size in whole:
        if rest and rest[0] == size:
            del rest[0]
        elif size != 1:
            return False
    return not rest


def _static_lists(op: StockSubviewOp | StockReinterpretCastOp) -> Lists:
    return (
        op.static_offsets.get_values(),
        op.static_sizes.get_values(),
        op.static_strides.get_values(),
    )


def _shown(number: int) -> str:
    return "a dynamic one" if number == DYNAMIC_INDEX else str(number)


def _verify_lists(lists: Lists, offsets: int, dimensions: int) -> None:
    wanted = (offsets, dimensions, dimensions)
    names = ("offsets", "sizes", "strides")
    for name, found, number in zip(names, lists, wanted, strict=True):
        if len(found) != number:
            raise VerifyException(f"'{name}' has {len(found)} entries, expected {number}")
    for name, found in zip(names[:2], lists[:2], strict=True):
        for value in found:
            if value < 0 and value != DYNAMIC_INDEX:
                raise VerifyException(f"'{name}' has {value}, expected none below 0")


def _verify_operands(op: StockReinterpretCastOp) -> None:
    given = (op.offsets, op.sizes, op.strides)
    for name, values, static in zip(
        ("offsets", "sizes", "strides"), given, _static_lists(op), strict=True
    ):
        open = list(static).count(DYNAMIC_INDEX)
        if len(values) != open:
            raise VerifyException(
                f"'{name}' has {len(values)} operands for {open} dynamic entries"
            )


def _verify_inside(source: AnyMemRef, lists: Lists) -> None:
    for dimension, extent in enumerate(source.get_shape()):
        offset, size, stride = (part[dimension] for part in lists)
        if DYNAMIC_INDEX in (extent, offset):
            continue
        if offset >= extent:
            raise VerifyException(
                f"offset {offset} is outside of dimension {dimension} of {source}"
            )
        last = offset + (size - 1) * stride
        if DYNAMIC_INDEX not in (size, stride) and last >= extent:
            raise VerifyException(
                f"the subview reaches {last} in dimension {dimension} of {source}"
            )
