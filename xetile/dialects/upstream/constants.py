"""The constant that a value is.

As xDSL's `ConstantLike.get_constant_value`, which looks through the traits of every op that it is asked for: most are
no constants, which their classes say.
"""

from functools import cache

from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike


def constant_value(value: SSAValue) -> Attribute | None:
    """What an op like `arith.constant` holds; None of any other value."""
    if isinstance(value, OpResult) and _is_constant(type(value.op)):
        return ConstantLike.get_constant_value(value)
    return None


@cache
def _is_constant(kind: type[Operation]) -> bool:
    return kind.get_trait(ConstantLike) is not None
