"""Values that hold no others and never change: their bytes."""

import re
import sys
from decimal import Decimal
from fractions import Fraction
from struct import pack
from types import EllipsisType, NoneType, NotImplementedType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import numpy

_BY_REPR = (
    NoneType,
    bool,
    EllipsisType,
    NotImplementedType,
    range,
    Fraction,
    Decimal,
    re.Pattern,
)
"""Types whose `repr` says all."""

SUBCLASSED = (int, float, complex, str, bytes)
"""Types of numbers and texts that others may be made of."""


def leaf(value: object) -> tuple[str, bytes] | None:
    """What a value is and its bytes; None where it is none of these."""
    kind = type(value)
    if kind is str:
        return "str", cast(str, value).encode(errors="surrogatepass")
    if kind is float:
        return "float", pack("<d", value)
    if kind is complex:
        number = cast(complex, value)
        return "complex", pack("<dd", number.real, number.imag)
    if kind is bytes:
        return "bytes", cast(bytes, value)
    if kind is int:
        return "int", f"{value:x}".encode()
    if kind in _BY_REPR:
        return kind.__name__, repr(value).encode()
    return _leaf_of_numpy(value) if "numpy" in sys.modules else None


def _leaf_of_numpy(value: object) -> tuple[str, bytes] | None:
    import numpy

    if isinstance(value, numpy.dtype):
        return "dtype", _type(cast("numpy.dtype[Any]", value))
    if isinstance(value, numpy.generic):
        scalar = cast("numpy.generic[Any]", value)
        if not scalar.dtype.hasobject:
            return "scalar", _type(scalar.dtype) + b"\0" + scalar.tobytes()
    return None


def _type(dtype: "numpy.dtype[Any]") -> bytes:
    return f"{dtype.name} {dtype.str} {dtype.descr if dtype.fields else ''}".encode()


def is_array(value: object) -> bool:
    """Whether a value is an array of numpy's, which is not imported for that."""
    if "numpy" not in sys.modules:
        return False
    import numpy

    return isinstance(value, numpy.ndarray)


def content_of(value: object) -> bytes:
    """The number or text that an instance of a class made of one is; nothing of others."""
    for kind in SUBCLASSED:
        if isinstance(value, kind):
            return kind.__repr__(cast(Any, value)).encode()
    return b""
