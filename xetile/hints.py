"""Whether a value is of a kind, as `xdsl.utils.hints.isa` says it, but quickly.

xDSL derives the constraint of a generic attribute anew at each call: a seventh of a small kernel's compilation.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.utils.hints import isa
else:
    from functools import cache

    from xdsl.irdl import VerificationContext, irdl_to_attr_constraint
    from xdsl.utils.exceptions import VerifyException

    _constraint = cache(irdl_to_attr_constraint)

    def isa(value, hint):
        """Whether a value is of a class, or an attribute of a generic one."""
        if isinstance(hint, type):
            return isinstance(value, hint)
        try:
            _constraint(hint).verify(value, VerificationContext())
        except VerifyException:
            return False
        return True


__all__ = ["isa"]
