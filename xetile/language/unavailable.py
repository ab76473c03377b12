"""What a name holds where Python would give it a value of another round or branch: each use of it is refused."""

from typing import NoReturn

from xetile.language.refusals import refuse
from xetile.language.values import Value


class Unavailable(Value):
    """Stands for a value that there is not; `why` says so, and what to write."""

    def __init__(self, why: str) -> None:
        object.__setattr__(self, "why", why)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        refuse(str(object.__getattribute__(self, "why")))

    def __getattribute__(self, name: str) -> object:
        Unavailable._refuse(self)

    __setattr__ = __delattr__ = __call__ = _refuse
    __bool__ = __index__ = __int__ = __float__ = __len__ = __iter__ = __next__ = _refuse
    __getitem__ = __setitem__ = __delitem__ = __contains__ = __enter__ = __exit__ = _refuse
    __repr__ = __str__ = __format__ = __round__ = __reversed__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __sub__ = __mul__ = __matmul__ = __truediv__ = __floordiv__ = __mod__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __rmatmul__ = __rtruediv__ = __rfloordiv__ = _refuse
    __rmod__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __and__ = __rand__ = _refuse
    __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = _refuse
    __rrshift__ = __neg__ = __pos__ = __abs__ = __invert__ = _refuse
    __hash__ = object.__hash__


def is_unavailable(value: object) -> bool:
    """Whether a name holds no value; it may be asked for nothing but its type."""
    return type(value) is Unavailable
