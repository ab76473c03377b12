"""The multiples that integers and addresses are: residues of values, of memrefs' addresses, and what proves them."""

from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.dialects.memref import ReinterpretCastOp, SubviewOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from xetile.analysis.promises import promised_multiple
from xetile.analysis.residues import (
    ANY,
    RULES,
    SHIFTS,
    ZERO,
    Residue,
    in_bytes,
    joined,
    of_expression,
)
from xetile.dialects.index_lists import Mixed, join_mixed
from xetile.dialects.known_integers import folded_integer, known_integer
from xetile.dialects.upstream.memref.memref_layout import ranked, strides_and_offset
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.hints import isa
from xetile.targets.target import BYTE_BITS

ALIGNMENT_ATTRIBUTE = "llvm.align"
"""Attribute of a kernel's argument: bytes of which its address is a multiple (source: MLIR's LLVM dialect)."""

_DEEPEST = 32
"""Depth to which the ops that compute a value are followed: enough for what people write, and bounded."""
_ROUNDS = 4
"""Rounds of a loop that are examined before a carried value is taken to be anything."""


class Alignments:
    """Residues of the integers and addresses (bytes) of a function.

    With `trusting`, arguments, extents and loaded values, which the host supplies, are multiples of any number asked
    for; otherwise they may be anything. Counters (ids, loops) and values computed from them are never trusted.
    """

    def __init__(self, *, trusting: bool) -> None:
        self._given = ZERO if trusting else ANY
        self._known: dict[SSAValue, Residue] = {}
        self._depth = 0

    def _supposing(self, value: SSAValue, found: Residue) -> "Alignments":
        """Return a copy of these residues in which `value` is assumed to have the residue `found`."""
        trial = Alignments(trusting=self._given == ZERO)
        trial._known = {**self._known, value: found}
        trial._depth = self._depth
        return trial

    def mixed(self, value: Mixed) -> Residue:
        """Return the residue of a literal or of a value."""
        return Residue(0, value) if isinstance(value, int) else self.value(value)

    def value(self, value: SSAValue) -> Residue:
        """Return the residue of an integer or an index."""
        found = self._known.get(value)
        if found is None and self._depth < _DEEPEST:
            self._depth += 1
            found = self._known[value] = self._computed(value)
            self._depth -= 1
        return ANY if found is None else found

    def _computed(self, value: SSAValue) -> Residue:
        number = known_integer(value)
        if number is not None:
            return Residue(0, number)
        if isinstance(value, BlockArgument):
            return self._argument(value)
        assert isinstance(value, OpResult)
        return self._result(value, value.op)

    def _result(self, value: OpResult, op: Operation) -> Residue:
        rule = RULES.get(op.name)
        if op.name in SHIFTS and folded_integer(op.operands[1]) is None:
            return self._unknown(op)
        if rule is not None:
            return rule(*map(self.value, op.operands))
        match op.name:
            case "arith.select":
                return self.value(op.operands[1]).join(self.value(op.operands[2]))
            case "affine.apply" | "affine.min" | "affine.max":
                return self._of_map(op)
            case "scf.if" | "scf.index_switch":
                ends = [region.block.last_op for region in op.regions if region.blocks]
                return joined([self.value(end.operands[value.index]) for end in ends if end])
            case "scf.for":
                return self._carried(op.regions[0].block.args[value.index + 1], op)
            case "memref.extract_aligned_pointer_as_index":
                return self.pointer(op.operands[0])
            case "memref.dim" if self._given == ANY:
                promised = promised_multiple(value)
                return ANY if promised is None else Residue(promised)
            case _:
                return self._unknown(op)

    def _unknown(self, op: Operation) -> Residue:
        """Return the residue of the host's values if the op computes only from those, else `ANY`."""
        room = op.name.partition(".")[0]
        if room in ("gpu", "xevm") or op.regions:
            return ANY
        if room in ("arith", "index", "math"):
            counted = any(self.value(operand).modulus for operand in op.operands)
            return ANY if counted else self._given
        return self._given

    def _of_map(self, op: Operation) -> Residue:
        attribute = op.properties["map"]
        assert isinstance(attribute, AffineMapAttr)
        map, values = attribute.data, [self.value(operand) for operand in op.operands]
        return joined([of_expression(part, map.num_dims, values) for part in map.results])

    def _argument(self, argument: BlockArgument) -> Residue:
        block = argument.block
        op = block.parent_op()
        if op is None or block is not op.regions[0].blocks[0]:
            return ANY
        if op.name == "scf.for":
            if argument.index:
                return self._carried(argument, op)
            low, _, step = op.operands[:3]
            return self.value(low) + self.value(step).times(ANY)
        if op.name.partition(".")[0] not in ("func", "gpu"):
            return ANY
        aligned = _aligned_argument(argument)
        return self._given if aligned is None else Residue(aligned)

    def _carried(self, argument: BlockArgument, loop: Operation) -> Residue:
        """Return the residue of a value that an scf.for carries: the join of its initial and its yielded values."""
        last = argument.block.last_op
        assert last is not None
        found = self.value(loop.operands[argument.index + 2])
        for _ in range(_ROUNDS):
            next = self._supposing(argument, found).value(last.operands[argument.index - 1])
            if found.join(next) == found:
                return found
            found = found.join(next)
        return ANY

    # Memory.

    def start(self, memref: SSAValue) -> Residue:
        """Return the residue of the address of a memref's element zero."""
        for value in _views(memref):
            aligned = _assumed(value)
            if aligned is not None:
                return Residue(aligned)
        return self.pointer(memref) + in_bytes(self.offset(memref), _element_bits(memref))

    def pointer(self, memref: SSAValue) -> Residue:
        """Return the residue of a memref's aligned pointer, from which its offset counts."""
        source = _views(memref)[-1]
        if isinstance(source, BlockArgument):
            aligned = _aligned_argument(source)
            return self._given if aligned is None else Residue(aligned)
        op = source.owner
        assert isinstance(op, Operation)
        alignment = op.properties.get("alignment")
        if isa(alignment, IntegerAttr):
            return Residue(alignment.value.data)
        return self._given

    def offset(self, memref: SSAValue) -> Residue:
        """Return the residue of a memref's offset (elements)."""
        layout = strides_and_offset(ranked(memref.type))
        if layout is not None and layout[1] is not None:
            return Residue(0, layout[1])
        op = memref.owner
        if not isinstance(op, Operation):
            return self._given
        if op.name == "memref.subview":
            return self._window(op)
        if op.name == "memref.reinterpret_cast":
            (offset,) = _offsets(op)
            return self.mixed(offset)
        if op.name in _SAME_ELEMENTS:
            return self.offset(op.operands[0])
        return self._given

    def _window(self, op: Operation) -> Residue:
        source = op.operands[0]
        layout = strides_and_offset(ranked(source.type))
        found = self.offset(source)
        offsets = _offsets(op)
        strides = [None] * len(offsets) if layout is None else layout[0]
        for offset, stride in zip(offsets, strides, strict=True):
            step = self._given if stride is None else Residue(0, stride)
            found += self.mixed(offset).times(step)
        return found


_SAME_ELEMENTS = (
    "memref.cast",
    "memref.memory_space_cast",
    "memref.transpose",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.assume_alignment",
)
_SAME_POINTER = (*_SAME_ELEMENTS, "memref.subview", "memref.reinterpret_cast")


def _offsets(view: Operation) -> list[Mixed]:
    """Return the offsets of a subview or of a reinterpret_cast (elements)."""
    assert isinstance(view, SubviewOp | ReinterpretCastOp)
    return join_mixed(view.offsets, view.static_offsets)


def _views(memref: SSAValue) -> list[SSAValue]:
    """Return a memref and those that it is a view of, as long as they share its aligned pointer."""
    found = [memref]
    while isinstance(op := found[-1].owner, Operation) and op.name in _SAME_POINTER:
        found.append(op.operands[0])
    return found


def _assumed(memref: SSAValue) -> int | None:
    """Return the alignment of element zero (bytes) that the program states, or None."""
    ops = [memref.owner] if isinstance(memref.owner, Operation) else []
    ops += [use.operation for use in memref.uses]
    stated = [
        op.properties.get("alignment") for op in ops if op.name == "memref.assume_alignment"
    ]
    return max((a.value.data for a in stated if isa(a, IntegerAttr)), default=None)


def _aligned_argument(argument: BlockArgument) -> int | None:
    """Return the alignment (bytes) that the attribute of a function's argument states, or None."""
    function = argument.block.parent_op()
    given = None if function is None else function.get_attr_or_prop("arg_attrs")
    if not isa(given, ArrayAttr[DictionaryAttr]) or argument.index >= len(given):
        return None
    aligned = given.data[argument.index].data.get(ALIGNMENT_ATTRIBUTE)
    return aligned.value.data if isa(aligned, IntegerAttr) else None


def _element_bits(memref: SSAValue) -> int:
    return memory_bits(cast("MemRefType[Attribute]", memref.type).element_type) or BYTE_BITS
