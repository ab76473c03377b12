"""Addresses of a lane's words: what the subgroup has in common, the lane's part, and a number for each message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    VectorType,
)
from xdsl.ir import SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import ExtractOp
from xetile.passes.xe.convert_xegpu_to_xevm.pointers import behind
from xetile.passes.xe.convert_xegpu_to_xevm.view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.words import single
from xetile.planning.xe.register_layouts.lane_messages import (
    Access,
    LaneMessage,
    LanePlan,
    Part,
)
from xetile.planning.xe.register_layouts.places import Product
from xetile.planning.xe.words import BYTE_BITS
from xetile.rewriting.one_to_many import Offset


@dataclass(eq=False)
class Addresses:
    """The addresses of one access: each part is computed once.

    `offsets` are the registers of the vector of offsets, in the value's layout, where the access reads it.
    """

    view: LaneView
    access: Access
    plan: LanePlan
    base: SSAValue
    offsets: SSAValue | None = None
    _parts: dict[Part, tuple[SSAValue, int]] = field(default_factory=dict)

    def pointer(self, message: LaneMessage) -> SSAValue:
        """Where a lane's words of a message begin; of a block message where those of the first lane do."""
        if message.part not in self._parts:
            self._parts[message.part] = self._part(message)
        pointer, number = self._parts[message.part]
        return behind(self.view, pointer, (message.offset - number) * self._size)

    @property
    def _size(self) -> int:
        return self.access.bits // BYTE_BITS

    def _part(self, message: LaneMessage) -> tuple[SSAValue, int]:
        """The address of a part, and the number that is in it already."""
        view, part = self.view, message.part
        if self.offsets is not None:
            own = single(view, self.offsets, message.registers[0])
            return behind(self.view, self.base, view.multiply(own, self._size)), message.offset
        is_block = message.form == "block"
        pointer = behind(self.view, self.base, view.multiply(self._uniform(part), self._size))
        lanes = 0 if is_block else self._of_lane(part)
        return behind(self.view, pointer, view.multiply(lanes, self._size)), 0

    def _uniform(self, part: Part) -> Offset:
        """What all lanes have in common (elements); a twist of lanes comes with their part."""
        view, total = self.view, 0
        for product, number, _ in part.steps:
            if number:
                total = view.add(total, view.multiply(_scalar(view, product), number))
        if part.twist is not None and not any(part.twist.lanes):
            total = view.add(total, _exclusive(view, self._inside(), part.twist.number))
        return total

    def _of_lane(self, part: Part) -> Offset:
        view, total = self.view, 0
        for product, _, lanes in part.steps:
            if any(lanes):
                own = of_lane(view, lanes)
                total = view.add(total, view.multiply(_scalar(view, product), own))
        if part.twist is not None and any(part.twist.lanes):
            common = _exclusive(view, self._inside(), part.twist.number)
            total = view.add(total, _exclusive(view, common, of_lane(view, part.twist.lanes)))
        return total

    def _inside(self) -> Offset:
        """The uniform part of a swizzle."""
        swizzle = self.access.places.swizzle
        assert swizzle is not None
        total: Offset = 0
        for product, count in swizzle.uniform:
            scalar = _scalar(self.view, product)
            total = self.view.add(total, self.view.multiply(scalar, count))
        return total


def _scalar(view: LaneView, product: Product) -> Offset:
    found: Offset = 1
    for value in product:
        found = view.multiply(found, _as_index(view, view.single(value)))
    return found


def _as_index(view: LaneView, value: SSAValue) -> SSAValue:
    if isinstance(value.type, IndexType):
        return value
    return view.new(arith.IndexCastOp(value, IndexType()))


def _exclusive(view: LaneView, left: Offset, right: Offset) -> Offset:
    if isinstance(left, int) and isinstance(right, int):
        return left ^ right
    if left == 0:
        return right
    if right == 0:
        return left
    return view.new(arith.XOrIOp(view.index(left), view.index(right)))


def of_lane(view: LaneView, table: Sequence[int]) -> Offset:
    """The number that each lane has in a table, as an index."""
    if not any(table):
        return 0
    columns = [table[1 << bit] for bit in range((len(table) - 1).bit_length())]
    if min(columns) >= 0 and _images(columns, lambda a, b: a ^ b) == list(table):
        return view.lane_part(columns)
    if _images(columns, lambda a, b: a + b) == list(table):
        return _weighed(view, columns)
    words = VectorType(IndexType(), (len(table),))
    value = view.emit_at_entry(
        arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(words, list(table)))
    )
    return view.emit_at_entry(ExtractOp(value, [view.lane()], IndexType()))


def _images(columns: Sequence[int], combine: Callable[[int, int], int]) -> list[int]:
    images = [0]
    for column in columns:
        images += [combine(image, column) for image in images]
    return images


def _weighed(view: LaneView, weights: Sequence[int]) -> Offset:
    """The sum of the weights of the lane's bits: runs of bits whose weights double are one product."""
    total: Offset = 0
    start = 0
    while start < len(weights):
        end = start + 1
        while end < len(weights) and weights[end] == 2 * weights[end - 1]:
            end += 1
        columns = [
            1 << bit - start if start <= bit < end else 0 for bit in range(len(weights))
        ]
        part = view.lane_part(columns)
        weight = weights[start]
        if isinstance(part, SSAValue) and weight:
            factor = view.constant(weight)
            term = view.shared(
                ("lane times", part, weight),
                lambda part=part, factor=factor: arith.MuliOp(part, factor),
            )
            total = term if isinstance(total, int) else _sum_at_entry(view, total, term)
        start = end
    return total


def _sum_at_entry(view: LaneView, left: SSAValue, right: SSAValue) -> SSAValue:
    return view.shared(("sum", left, right), lambda: arith.AddiOp(left, right))
