"""Which vectors registers and lanes can hold: those whose extents are powers of two."""

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.hints import isa
from xetile.planning.layout_rules import is_dealt_out, relates_elements

_ACCESSES = ("xegpu.load", "xegpu.store")


def check_extents(function: Operation) -> None:
    """Refuse vectors that no layout holds.

    One of rank 1 may have any extent where each lane has it whole, as an op that takes
    single elements does.
    """
    for op in function.walk():
        for value in (*op.operands, *op.results):
            type = value.type
            if not isa(type, VectorType) or is_dealt_out(type):
                continue
            if type.get_num_dims() > 1 or relates_elements(op) or op.name in _ACCESSES:
                odd = next(n for n in type.get_shape() if n & (n - 1))
                fail(
                    op,
                    f"'{op.name}' has {type}; expected extents that are powers of two, of which "
                    f"lanes can hold parts: instead of {odd} take {_parts(odd)}",
                )


def _parts(extent: int) -> str:
    """An extent in powers of two: 24 is 16 and 8."""
    bits = [1 << bit for bit in reversed(range(extent.bit_length())) if extent >> bit & 1]
    return " and ".join(map(str, bits))
