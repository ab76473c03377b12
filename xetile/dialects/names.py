"""Names of attributes that nobody reads: what they should say would be left out without a word.

mlir-opt keeps an attribute without a dialect's prefix on any op. Refused here are those on ops of
XeTile, maps under names that no pass looks for, and what a function says of itself under a name
that is almost right. On ops of XeGPU and XeVM and on vector's reductions, where upstream's word
counts, there is a warning.
"""

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

from xetile.advice import nearest
from xetile.dialects.fast_math import FASTMATH, WITH_ATTRIBUTE
from xetile.dialects.reduction_order import REASSOCIATES
from xetile.errors import fail, warn
from xetile.levels import (
    LAUNCH_ATTRIBUTE,
    SG_LAYOUT_ATTRIBUTE,
    SURFACES_ATTRIBUTE,
    UNIT_ATTRIBUTE,
)

FUNCTION_ATTRIBUTES = (
    "VectorComputeFunctionINTEL",
    "gpu.kernel",
    "gpu.known_block_size",
    "gpu.known_grid_size",
    "intel_reqd_sub_group_size",
    "known_block_size",
    "known_cluster_size",
    "known_grid_size",
    "spirv.entry_point_abi",
)
"""What is read of the attributes of a function."""

_OF_XETILE = (LAUNCH_ATTRIBUTE, SG_LAYOUT_ATTRIBUTE, SURFACES_ATTRIBUTE, UNIT_ATTRIBUTE)
_FUNCTIONS = ("gpu.func", "func.func")
_REDUCTIONS = ("vector.multi_reduction", "vector.reduction")
"""Ops of upstream's of which we read an attribute that upstream does not know."""

_ALMOST = 0.75
_MISSPELLED = 0.85
"""How alike a name has to be to one that is read to be taken for a slip, of 1: to warn, and to refuse."""


def verify_names(op: Operation) -> None:
    """Refuse an attribute whose name nothing reads, where somebody meant something by it."""
    if op.name.startswith("xetile."):
        _verify_properties(op)
    for name in op.attributes.keys() & op.properties.keys():
        fail(op, f"'{name}' is given twice, as a property and as another attribute")
    for name, attribute in op.attributes.items():
        _verify_name(op, name, attribute)
    order = op.attributes.get(REASSOCIATES) if op.name in _REDUCTIONS else None
    if order is not None and not isinstance(order, UnitAttr):
        fail(op, f"'{REASSOCIATES}' is {order}; expected a word without a value")
    flags = op.attributes.get(FASTMATH) if op.name in WITH_ATTRIBUTE else None
    if flags is not None and not isinstance(flags, FastMathFlagsAttr):
        fail(op, f"'{FASTMATH}' is {flags}; expected #arith.fastmath<...>")


def warn_of_names(op: Operation) -> None:
    """Tell of attributes on ops of upstream's that mlir-opt keeps, and that are almost called as one that is read."""
    if not op.attributes or not isinstance(op, IRDLOperation):
        return
    if op.name in _REDUCTIONS:
        legal = (REASSOCIATES, FASTMATH, "wg_map")
    elif op.name in WITH_ATTRIBUTE:
        legal = (FASTMATH, "wg_map")
    elif op.name.partition(".")[0] in ("xegpu", "xevm"):
        legal = tuple(op.get_irdl_definition().properties)
    else:
        return
    for name in op.attributes:
        near = None if "." in name or name in legal else nearest(name, legal, _ALMOST)
        if near is not None:
            warn(op, f"{op.name} has no '{name}', which has no effect; did you mean '{near}'?")


def _verify_properties(op: Operation) -> None:
    """Refuse properties that the op does not have; xDSL advises to write them as attributes."""
    from xetile.dialects.xetile.op import XeTileOp
    from xetile.dialects.xetile.reading import unknown_name

    if not isinstance(op, XeTileOp):
        return
    legal = op.get_irdl_definition().properties
    for name in op.properties:
        if name not in legal:
            fail(op, unknown_name(name, op.FORMAT, *legal))


def _verify_name(op: Operation, name: str, attribute: Attribute) -> None:
    if name.startswith("xetile.") and name not in _OF_XETILE:
        near = nearest(name, _OF_XETILE, _MISSPELLED)
        if near is not None:
            fail(op, f"'{name}' is no attribute of the dialect; did you mean '{near}'?")
    of_xetile = op.name.startswith("xetile.")
    if attribute.name == "xetile.wg_map" and name != "wg_map" and not of_xetile:
        fail(op, f"'{name}' is no name of a workgroup map on {op.name}; write wg_map")
    if op.name not in _FUNCTIONS or name in FUNCTION_ATTRIBUTES:
        return
    near = nearest(name, FUNCTION_ATTRIBUTES, _MISSPELLED)
    if near is not None:
        fail(op, f"'{name}' is no attribute that anything reads; did you mean '{near}'?")
