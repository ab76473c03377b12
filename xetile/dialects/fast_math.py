"""The freedom that an op gives in computing its floats: fastmath flags, or the older attribute `reassoc`.

    %s = xetile.tile_reduce <maximumf>, %x [1] {fastmath = #arith.fastmath<nnan,nsz>}
    %m = vector.multi_reduction <add>, %v, %start {fastmath = #arith.fastmath<reassoc>} [1]
    %n = vector.multi_reduction <add>, %v, %start {reassoc} [1]

The ops of arith and math, and vector.reduction, have the property of upstream. Others have none there in LLVM 22
(`vector.multi_reduction`, `vector.fma`); mlir-opt keeps an attribute of that name on them, which is read here.

The one order of all reductions: elements that lie half of the index apart are combined first.

Of n elements, with h the largest power of two below n, y[i] = x[i] op x[i + h] where i + h < n, else y[i] = x[i];
and so on with the h elements that are left, until it is one. So the bits of the index are taken from the highest, and
what holds a bit, registers or lanes, combines along it.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation

_T = TypeVar("_T")

REASSOCIATES = "reassoc"
"""The mark that allows any order of a reduction: a property of tile_reduce, an attribute of vector's ops."""


def half(count: int) -> int:
    """Return the largest power of two below `count`, which is at least 2."""
    return 1 << (count - 1).bit_length() - 1


def halved(items: Sequence[_T], combine: Callable[[_T, _T], _T]) -> _T:
    """One or more items combined to one, the lower index first."""
    while len(items) > 1:
        step = half(len(items))
        pairs = zip(items, items[step:], strict=False)
        items = [*(combine(x, y) for x, y in pairs), *items[len(items) - step : step]]
    return items[0]


FASTMATH = "fastmath"
"""The property, or attribute."""

WITH_ATTRIBUTE = ("vector.fma", "vector.multi_reduction")
"""Ops of upstream's on which it is an attribute."""


def fast_math(op: Operation) -> FastMathFlagsAttr:
    """The flags of an op; none where it says nothing."""
    found = op.properties.get(FASTMATH, op.attributes.get(FASTMATH))
    flags = found if isinstance(found, FastMathFlagsAttr) else FastMathFlagsAttr("none")
    word = op.properties.get(REASSOCIATES, op.attributes.get(REASSOCIATES))
    if not isinstance(word, UnitAttr) or FastMathFlag.REASSOC in flags.data:
        return flags
    return FastMathFlagsAttr([*flags.data, FastMathFlag.REASSOC])
