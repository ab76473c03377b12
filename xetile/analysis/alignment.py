"""Which multiples integers and addresses are: residues of values, of memrefs' addresses, and what proves them."""

from collections.abc import Callable, Mapping
from math import gcd
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.dialects.memref import ReinterpretCastOp, SubviewOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from xetile.dialects.index_lists import Mixed, join_mixed
from xetile.dialects.known_integers import known_integer
from xetile.dialects.upstream.memref.layout import ranked, strides_and_offset
from xetile.dialects.xetile.types import memory_bits
from xetile.targets.target import INDEX_BITS

ALIGNMENT_ATTRIBUTE = "llvm.align"
"""Attribute of a kernel's argument: bytes of which its address is a multiple (source: MLIR's LLVM dialect)."""


class Residue(NamedTuple):
    """All integers that are `remainder` modulo `modulus`; that number alone where the modulus is 0."""

    modulus: int
    remainder: int = 0

    def __add__(self, other: "Residue") -> "Residue":  # pyright: ignore[reportIncompatibleMethodOverride]
        return residue(gcd(self.modulus, other.modulus), self.remainder + other.remainder)

    def __neg__(self) -> "Residue":
        return residue(self.modulus, -self.remainder)

    def times(self, other: "Residue") -> "Residue":
        modulus = gcd(
            self.modulus * other.modulus,
            self.modulus * other.remainder,
            self.remainder * other.modulus,
        )
        return residue(modulus, self.remainder * other.remainder)

    def join(self, other: "Residue") -> "Residue":
        """Every number of both."""
        apart = self.remainder - other.remainder
        return residue(gcd(self.modulus, other.modulus, apart), self.remainder)

    def is_multiple(self, of: int) -> bool:
        """Whether every one of the integers is a multiple."""
        return self.modulus % of == 0 and self.remainder % of == 0

    def witness(self, of: int) -> int:
        """One of the integers, modulo `of`, that is no multiple; 0 where all are."""
        return self.remainder % of or self.modulus % of


def residue(modulus: int, remainder: int = 0) -> Residue:
    """The class of a remainder, which is taken into 0 to modulus - 1."""
    return Residue(modulus, remainder % modulus if modulus else remainder)


_BYTE_BITS = 8
_DEEPEST = 32
"""Ops behind a value that are looked at: enough for what people write, and bounded."""


def in_bytes(elements: Residue, bits: int) -> Residue:
    """Of the bytes of so many elements of `bits` in memory."""
    found = elements.times(Residue(0, bits))
    return residue(found.modulus // _BYTE_BITS, found.remainder // _BYTE_BITS)


ANY = Residue(1)
ZERO = Residue(0)


class Alignments:
    """Residues of the integers and addresses (bytes) of a function.

    What a host gives (arguments, extents, what is loaded) is a multiple of whatever is asked for where `trusting`,
    else anything; what counts (ids, loops) is never trusted.
    """

    def __init__(self, *, trusting: bool) -> None:
        self._given = ZERO if trusting else ANY
        self._known: dict[SSAValue, Residue] = {}
        self._depth = 0

    def mixed(self, value: Mixed) -> Residue:
        """Of a literal, or of a value."""
        return Residue(0, value) if isinstance(value, int) else self.value(value)

    def value(self, value: SSAValue) -> Residue:
        """Of an integer or an index."""
        found = self._known.get(value)
        if found is None and self._depth < _DEEPEST:
            self._depth += 1
            found = self._known[value] = self._computed(value)
            self._depth -= 1
        return self._given if found is None else found

    def _computed(self, value: SSAValue) -> Residue:
        number = known_integer(value)
        if number is not None:
            return Residue(0, number)
        if isinstance(value, BlockArgument):
            return self._argument(value)
        assert isinstance(value, OpResult)
        rule = _RULES.get(value.op.name)
        if rule is not None:
            return rule(*map(self.value, value.op.operands))
        if value.op.name == "arith.select":
            return self.value(value.op.operands[1]).join(self.value(value.op.operands[2]))
        if value.op.name == "memref.extract_aligned_pointer_as_index":
            return self.pointer(value.op.operands[0])
        if value.op.name.partition(".")[0] in ("gpu", "xevm"):
            return ANY
        return self._given

    def _argument(self, argument: BlockArgument) -> Residue:
        op = argument.block.parent_op()
        if op is not None and op.name == "scf.for" and argument.index == 0:
            low, _, step = op.operands[:3]
            return self.value(low) + self.value(step).times(ANY)
        aligned = _aligned_argument(argument)
        return self._given if aligned is None else Residue(aligned)

    # Memory.

    def start(self, memref: SSAValue) -> Residue:
        """Of the address of a memref's element zero."""
        for value in _views(memref):
            aligned = _assumed(value)
            if aligned is not None:
                return Residue(aligned)
        return self.pointer(memref) + in_bytes(self.offset(memref), _element_bits(memref))

    def pointer(self, memref: SSAValue) -> Residue:
        """Of a memref's aligned pointer, from which its offset counts."""
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
        """Of a memref's offset (elements)."""
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


def _remainder(left: Residue, right: Residue) -> Residue:
    return residue(gcd(left.modulus, right.modulus, right.remainder), left.remainder)


def _shifted(left: Residue, right: Residue) -> Residue:
    if right.modulus or not 0 <= right.remainder < INDEX_BITS:
        return ANY
    return left.times(Residue(0, 1 << right.remainder))


def _divided(left: Residue, right: Residue) -> Residue:
    by = right.remainder
    if right.modulus or by == 0 or left.modulus % by or left.remainder % by:
        return ANY
    return residue(left.modulus // by, left.remainder // by)


def _subtracted(left: Residue, right: Residue) -> Residue:
    return left + -right


def _same(value: Residue) -> Residue:
    return value


_RULES: Mapping[str, Callable[..., Residue]] = {
    "arith.addi": Residue.__add__,
    "arith.subi": _subtracted,
    "arith.muli": Residue.times,
    "arith.shli": _shifted,
    "arith.divui": _divided,
    "arith.divsi": _divided,
    "arith.remui": _remainder,
    "arith.remsi": _remainder,
    **dict.fromkeys(
        (f"arith.{kind}{sign}i" for kind in ("min", "max") for sign in "su"), Residue.join
    ),
    **dict.fromkeys(
        (
            "arith.index_cast",
            "arith.index_castui",
            "arith.extsi",
            "arith.extui",
            "arith.trunci",
        ),
        _same,
    ),
}
"""What a residue is after an op; integers are taken as if none wrapped around, as addresses are."""

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
    """The offsets of a subview or of a reinterpret_cast (elements)."""
    assert isinstance(view, SubviewOp | ReinterpretCastOp)
    return join_mixed(view.offsets, view.static_offsets)


def _views(memref: SSAValue) -> list[SSAValue]:
    """A memref and those that it is a view of, as far as they have its aligned pointer."""
    found = [memref]
    while isinstance(op := found[-1].owner, Operation) and op.name in _SAME_POINTER:
        found.append(op.operands[0])
    return found


def _assumed(memref: SSAValue) -> int | None:
    """The alignment of element zero (bytes) that the program states."""
    ops = [memref.owner] if isinstance(memref.owner, Operation) else []
    ops += [use.operation for use in memref.uses]
    stated = [
        op.properties.get("alignment") for op in ops if op.name == "memref.assume_alignment"
    ]
    return max((a.value.data for a in stated if isa(a, IntegerAttr)), default=None)


def _aligned_argument(argument: BlockArgument) -> int | None:
    """What the attribute of a function's argument says of its address."""
    function = argument.block.parent_op()
    given = None if function is None else function.get_attr_or_prop("arg_attrs")
    if not isa(given, ArrayAttr[DictionaryAttr]) or argument.index >= len(given):
        return None
    aligned = given.data[argument.index].data.get(ALIGNMENT_ATTRIBUTE)
    return aligned.value.data if isa(aligned, IntegerAttr) else None


def _element_bits(memref: SSAValue) -> int:
    return memory_bits(cast("MemRefType[Attribute]", memref.type).element_type) or _BYTE_BITS
