"""Scattered accesses of a function: the known facts about their addresses, and the price of each vector layout."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from xetile.analysis.constants import dense_value, integers_of
from xetile.analysis.ranges import infer_ranges
from xetile.dialects.known_integers import known_integer
from xetile.dialects.upstream.gpu.gpu_functions import FuncOp
from xetile.dialects.upstream.memref.memref_layout import ranked, strides_and_offset
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import (
    CreateMemDescOp,
    CreateTdescOp,
    LoadMatrixOp,
    LoadOp,
    MemDescType,
    StoreMatrixOp,
    StoreOp,
    TensorDescType,
    UpdateOffsetOp,
)
from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.dialects.xegpu.xegpu_attributes import MemorySpace
from xetile.dialects.xegpu.xegpu_constraints import is_shared_memory
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.planning.shared_memory import is_shared_allocation
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.planning.xe.register_layouts.element_places import PlaceAnalysis
from xetile.planning.xe.register_layouts.held import Held
from xetile.planning.xe.register_layouts.lane_messages import (
    Access,
    LanePlan,
    access,
    lane_messages,
)
from xetile.planning.xe.register_layouts.layout_rules import Relation, is_dealt_out
from xetile.planning.xe.register_layouts.places import (
    ONE,
    Places,
    added,
    matrix_places,
    moved,
    unknown_places,
)
from xetile.targets.target import INDEX_BITS, SHARED_ALIGNMENT
from xetile.targets.xe.device import XeDevice


@dataclass(eq=False)
class LaneAccess:
    """A scattered access of a vector, which may have any layout.

    Attributes:
        value: the vector that is loaded or stored.
        offsets: the index of the operand with unknown offsets; None if all offsets are known.
        mask: the index of the mask operand; None if nothing is masked off.
        relation: the relation of offsets and mask to the value: they have no coordinates within a chunk.
    """

    op: Operation
    value: SSAValue
    access: Access
    device: XeDevice
    relation: Relation | None = None
    offsets: int | None = None
    mask: int | None = None
    _plans: dict[LinearLayout, LanePlan] = field(default_factory=dict)

    def plan(self, layout: LinearLayout) -> LanePlan:
        """Return the messages for a layout of the value."""
        found = self._plans.get(layout)
        if found is None:
            found = self._plans[layout] = lane_messages(
                self.access, layout, self.device.prices, self.device.shared_banks
            )
        return found

    def price(self, held: Held) -> float:
        """Return the instructions if the value is held as `held`; each element packed into a wider word costs one."""
        plan = self.plan(held.layout)
        element = self.access.bits
        packed = sum(
            len(message.registers)
            for message in plan.messages
            if message.word_bits < held.word * element
        )
        return plan.price + packed

    def favourites(self, lanes: int) -> list[Held]:
        """Return layouts that need few messages: a lane has neighbors, or adjacent lanes have them."""
        places = self.access.places
        order = _by_weight(places)
        width = len(order)
        in_lanes = lanes.bit_length() - 1
        found: list[Held] = []
        most = (
            self.device.prices.lane_words
            * REGISTER_BITS
            // min(REGISTER_BITS, self.access.bits)
        )
        for together in range(most.bit_length()):
            if together > max(0, width - in_lanes):
                break
            own, spread, rest = (
                order[:together],
                order[together : together + in_lanes],
                order[together + in_lanes :],
            )
            found.append(Held(_layout((*own, *rest), spread, in_lanes, self.value)))
        return found

    def reads(self, index: int) -> bool:
        """Return True if an operand is read as a vector."""
        operand = self.op.operands[index]
        if not isa(operand.type, VectorType):
            return False
        return operand is self.value or index in (self.offsets, self.mask)


def _by_weight(places: Places) -> list[int]:
    """Return the coordinate bits from the nearest neighbors in memory to the farthest."""
    ones = places.terms.get(ONE)
    weights = [0] * places.width if ones is None else [abs(w) for w in ones.weights]
    if places.swizzle is not None:
        weights = [w | c for w, c in zip(weights, places.swizzle.columns, strict=True)]
    far = 1 << INDEX_BITS
    for product, term in places.terms.items():
        if product != ONE:
            weights = [
                w | (far if own else 0) for w, own in zip(weights, term.weights, strict=True)
            ]
    unknown = places.unknown or 0
    weights = [w | (far if unknown >> bit & 1 else 0) for bit, w in enumerate(weights)]
    return sorted(range(places.width), key=lambda bit: (weights[bit] or far * 2, bit))


def _layout(
    registers: Sequence[int], spread: Sequence[int], in_lanes: int, value: SSAValue
) -> LinearLayout:
    shape = vector_type(value).get_shape()
    lanes = [1 << bit for bit in spread] + [0] * (in_lanes - len(spread))
    columns = {"register": tuple([1 << bit for bit in registers]), "lane": tuple(lanes)}
    widths = {f"dim{d}": extent.bit_length() - 1 for d, extent in enumerate(shape)}
    return LinearLayout.of_columns(columns, widths)


MATRIX_ACCESSES = (LoadMatrixOp, StoreMatrixOp)


class Accesses(dict[Operation, LaneAccess]):
    """The scattered accesses of a function whose values are vectors."""

    def __init__(
        self, ops: Sequence[Operation], function: Operation, device: XeDevice
    ) -> None:
        super().__init__()
        found = [op for op in ops if isinstance(op, (LoadOp, StoreOp, *MATRIX_ACCESSES))]
        if not found:
            return
        analysis = PlaceAnalysis(infer_ranges(function))
        for op in found:
            if isinstance(op, LoadOp | StoreOp):
                made = _scattered(op, analysis, device)
            else:
                made = _of_matrix(op, analysis, device)
            if made is not None:
                self[op] = made

    def unread(self, ops: Sequence[Operation]) -> set[Operation]:
        """Return the ops that only state facts about addresses, so that nothing of them is computed."""
        found: set[Operation] = set()
        for op in reversed(ops if self else ()):
            uses = [use for result in op.results for use in result.uses]
            if not uses or not all(isa(r.type, VectorType) for r in op.results):
                continue
            if (
                not op.regions
                and is_side_effect_free(op)
                and all(
                    use.operation in found
                    or (use.operation in self and not self[use.operation].reads(use.index))
                    for use in uses
                )
            ):
                found.add(op)
        return found


def _scattered(
    op: LoadOp | StoreOp, analysis: PlaceAnalysis, device: XeDevice
) -> LaneAccess | None:
    base = op.source if isinstance(op, LoadOp) else op.dest
    if not isa(op.value.type, VectorType) or not is_dealt_out(op.value.type):
        return None
    bits = memory_bits(op.value.type.element_type)
    if bits is None or bits < BYTE_BITS or not isa(op.mask.type, VectorType):
        return None
    if op.offsets is None:
        base, offsets = _of_descriptor(analysis, base, op.mask)
    else:
        offsets = analysis.places(op.offsets)
    relation = chunk_relation(op)
    places = _with_chunk(moved(offsets, relation), relation)
    mask = None if is_all_true(op.mask) else op.operands.index(op.mask)
    masked = None if mask is None else analysis.places(op.mask).depends
    known = access(
        analysis,
        places,
        bits,
        alignment=base_alignment(base, bits),
        is_shared=is_shared(base),
        masked=masked,
    )
    is_read = op.offsets is not None and places.unknown is not None
    read = op.operands.index(op.offsets) if is_read else None
    return LaneAccess(op, op.value, known, device, relation, read, mask)


def _of_descriptor(
    analysis: PlaceAnalysis, descriptor: SSAValue, mask: SSAValue
) -> tuple[SSAValue, Places]:
    """Return the base of a descriptor and its offsets, which are all unknown if a loop carries it."""
    moves: list[SSAValue] = []
    base = descriptor
    while isinstance(owner := base.owner, CreateTdescOp | UpdateOffsetOp):
        base, offsets = owner.operands
        moves.append(offsets)
    found = unknown_places(vector_type(mask).get_shape())
    if isinstance(base.type, TensorDescType):
        return descriptor, found
    total: Places | None = analysis.places(moves[0])
    for offsets in moves[1:]:
        total = None if total is None else added(total, analysis.places(offsets))
    return base, total or found


def _of_matrix(
    op: LoadMatrixOp | StoreMatrixOp, analysis: PlaceAnalysis, device: XeDevice
) -> LaneAccess | None:
    value, type = (op.res if isinstance(op, LoadMatrixOp) else op.data), op.mem_desc.type
    assert isinstance(type, MemDescType)
    bits = memory_bits(type.element_type)
    if bits is None or bits < BYTE_BITS or not isa(value.type, VectorType):
        return None
    shape = value.type.get_shape()
    if len(shape) != len(type.shape) or not is_dealt_out(value.type):
        return None
    places, multiple = matrix_places(type, op.mixed_offsets, shape, analysis.ranges)
    size = bits // BYTE_BITS
    alignment = _matrix_alignment(op.mem_desc, bits)
    if multiple:
        alignment = min(alignment, multiple * size)
    known = access(analysis, places, bits, alignment=alignment, is_shared=True, masked=None)
    return LaneAccess(op, value, known, device)


def _matrix_alignment(matrix: SSAValue, bits: int) -> int:
    maker = matrix.owner
    if isinstance(maker, CreateMemDescOp):
        return base_alignment(maker.source, bits)
    return bits // BYTE_BITS


def chunk_relation(op: LoadOp | StoreOp) -> Relation:
    """Return the relation of the offsets to the value: the elements of a chunk share one offset."""
    shape = tuple(vector_type(op.value).get_shape())
    outer = tuple(vector_type(op.mask).get_shape())
    width = prod(outer).bit_length() - 1
    inner = prod(shape).bit_length() - 1 - width
    return Relation(outer, shape, (*range(width), *[None] * inner))


def _with_chunk(places: Places, relation: Relation) -> Places:
    """Return places in which the elements of a chunk follow each other."""
    weights, inside = [0] * places.width, 0
    for bit, outer in enumerate(relation.bits):
        if outer is None:
            weights[bit], inside = 1 << inside, inside + 1
    return places.plus(weights) if inside else places


def is_all_true(mask: SSAValue) -> bool:
    """Return True if the ops that make a mask show that it masks nothing off."""
    op = mask.owner
    if not isinstance(op, Operation):
        return False
    if op.name in ("vector.broadcast", "vector.shape_cast", "vector.transpose"):
        return is_all_true(op.operands[0])
    if op.name == "arith.andi":
        return all(map(is_all_true, op.operands))
    if op.name == "arith.constant":
        value = dense_value(op)
        if value is None:
            return bool(known_integer(mask))
        return all(value.get_values())
    if not isa(mask.type, VectorType):
        return False
    extents = mask.type.get_shape()
    if op.name == "vector.constant_mask":
        limits = [*integers_of(op, "mask_dim_sizes")]
    elif op.name == "vector.create_mask":
        limits = [known_integer(operand) or 0 for operand in op.operands]
    else:
        return False
    return all(limit >= extent for limit, extent in zip(limits, extents, strict=True))


def is_shared(base: SSAValue) -> bool:
    """Return True if a base lies in shared local memory."""
    if isinstance(base.type, TensorDescType):
        return base.type.memory_space is MemorySpace.SLM
    return isa(base.type, MemRefType[Attribute]) and is_shared_memory(base.type.memory_space)


_VIEWS = ("memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.transpose")


def base_alignment(base: SSAValue, bits: int) -> int:
    """Return the known alignment of a base in bytes: its elements' size, or more if the kernel owns the memory."""
    size = bits // BYTE_BITS
    op, shift = base.owner, 0
    while isinstance(op, Operation) and op.operands:
        if op.name == "memref.assume_alignment":
            return max(size, _with_shift(_integer(op, "alignment"), shift))
        if op.name == "memref.view":
            known = known_integer(op.operands[1])
            if known is None:
                return size
            shift |= known
        elif op.name not in _VIEWS:
            return size
        base, op = op.operands[0], op.operands[0].owner
    if not is_shared(base) or not _is_buffer(base):
        return size
    layout = strides_and_offset(ranked(base.type))
    if layout is None or layout[1] is None:
        return size
    own = (memory_bits(ranked(base.type).element_type) or BYTE_BITS) // BYTE_BITS
    return max(size, _with_shift(SHARED_ALIGNMENT, shift | layout[1] * own))


def _is_buffer(memref: SSAValue) -> bool:
    """Return True if a memref is a whole buffer that the kernel allocates or that its workgroup owns."""
    if isinstance(memref, BlockArgument):
        function = memref.block.parent_op()
        return isinstance(function, FuncOp) and memref in function.workgroup_buffers
    return isinstance(memref.owner, Operation) and is_shared_allocation(memref.owner)


def _with_shift(alignment: int, shift: int) -> int:
    return min(alignment, shift & -shift) if shift else alignment


def _integer(op: Operation, name: str) -> int:
    value = op.properties.get(name)
    return value.value.data if isinstance(value, IntegerAttr) else 1
