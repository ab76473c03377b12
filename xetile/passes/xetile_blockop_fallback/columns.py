"""What the column offsets of tiles are made of, as far as a test in front of all accesses can tell."""

from collections.abc import Callable, Iterable

from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.analysis.alignment import Alignments
from xetile.analysis.residues import in_bytes
from xetile.dialects.index_lists import Mixed
from xetile.dialects.xetile.attributes import COLUMN_MAJOR
from xetile.dialects.xetile.types import memory_bits
from xetile.planning.fallbacks import COLUMN, Family
from xetile.targets.xe.surface import SURFACE

_SUMS = ("arith.addi", "arith.subi", "index.add", "index.sub")
_CHOICES = ("arith.minsi", "arith.minui", "arith.maxsi", "arith.maxui")
_PRODUCTS = ("arith.muli", "index.mul")


def column_parts(
    family: Family, is_known: Callable[[SSAValue], bool]
) -> list[SSAValue] | None:
    """The known values which, if all are multiples of what 2D block access needs, make all columns multiples.

    None where a column has a part that is not known in front of the accesses and not proven to be a multiple.
    """
    if COLUMN not in family.unknown:
        return []
    bits = memory_bits(family.type.element_type)
    assert bits is not None
    axis = -2 if family.type.order == COLUMN_MAJOR else -1
    return _Parts(bits, is_known).of(
        op.mixed_offsets[axis] for op in (*family.beginnings, *family.moves)
    )


class _Parts:
    def __init__(self, bits: int, is_known: Callable[[SSAValue], bool]) -> None:
        self._bits = bits
        self._is_known = is_known
        self._proven = Alignments(trusting=False)
        self._seen: set[SSAValue] = set()

    def of(self, values: Iterable[Mixed]) -> list[SSAValue] | None:
        """The parts of all of some numbers of elements."""
        found: dict[SSAValue, None] = {}
        for value in values:
            parts = self._of(value)
            if parts is None:
                return None
            found.update(dict.fromkeys(parts))
        return list(found)

    def _of(self, value: Mixed) -> list[SSAValue] | None:
        proven = in_bytes(self._proven.mixed(value), self._bits)
        if proven.is_multiple(SURFACE.column_multiple) or value in self._seen:
            return []
        if isinstance(value, int) or not isinstance(value.type, IndexType):
            return None
        if self._is_known(value):
            return [value]
        self._seen.add(value)
        if isinstance(value, BlockArgument):
            return self._argument(value)
        op = value.owner
        assert isinstance(op, Operation)
        if op.name in (*_SUMS, *_CHOICES):
            return self.of(op.operands)
        if op.name == "arith.select":
            return self.of(op.operands[1:])
        if op.name in _PRODUCTS:
            return self._product(*op.operands)
        return None

    def _product(self, left: SSAValue, right: SSAValue) -> list[SSAValue] | None:
        """Of a product with a constant."""
        if self._proven.value(right).modulus == 0:
            return self._of(left)
        return self._of(right) if self._proven.value(left).modulus == 0 else None

    def _argument(self, argument: BlockArgument) -> list[SSAValue] | None:
        """Of what a loop counts, or carries."""
        loop = argument.block.parent_op()
        if loop is None or loop.name != "scf.for":
            return None
        if argument.index == 0:
            return self.of((loop.operands[0], loop.operands[2]))
        last = argument.block.last_op
        assert last is not None
        return self.of((loop.operands[argument.index + 2], last.operands[argument.index - 1]))
