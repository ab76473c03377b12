"""A faster `xdsl.utils.hints.isa`.

xDSL derives the constraint of a generic attribute anew at each call: a seventh of a small kernel's compilation.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.utils.hints import isa
else:
    from functools import cache
    from types import UnionType
    from typing import get_origin

    from xdsl.irdl import VerificationContext, irdl_to_attr_constraint
    from xdsl.utils.exceptions import VerifyException

    _constraint = cache(irdl_to_attr_constraint)

    @cache
    def _class_of(hint):
        origin = get_origin(hint)
        return origin if isinstance(origin, type) and origin is not UnionType else None

    def isa(value, hint):
        """Return True if a value is of a class, or an attribute of a generic one."""
        if isinstance(hint, type):
            return isinstance(value, hint)
        kind = _class_of(hint)
        if kind is not None and not isinstance(value, kind):
            return False  # a constraint would first print the value into its error
        try:
            _constraint(hint).verify(value, VerificationContext())
        except VerifyException:
            return False
        return True


__all__ = ["isa"]
