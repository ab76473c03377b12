"""Arrays in `.npy` files, whose headers may say anything; nothing is executed or allocated on their word.

Source: numpy.lib.format, "Format Version 1.0" and after.
"""

import warnings
from io import BytesIO
from math import prod
from pathlib import Path
from typing import cast

import numpy
from numpy.lib import format as npy
from numpy.typing import NDArray

from xetile.errors import XetileError, one_line, reason_of

_LONGEST_REASON = 100


def read_array(path: str) -> NDArray[numpy.generic]:
    """The array of a file, which is not to be written to.

    Errors: XetileError for a file that is none, or shorter than its header says.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise XetileError(f"cannot read '{path}': {reason_of(error)}") from error
    try:
        return _array(data)
    except XetileError as error:
        raise XetileError(f"cannot read '{path}': {error.message}") from error


def _array(data: bytes) -> NDArray[numpy.generic]:
    if not data.startswith(npy.MAGIC_PREFIX):
        said = "it is no .npy file, which numpy.save writes" if data else "it is empty"
        raise XetileError(said)
    stream = BytesIO(data)
    shape, by_columns, dtype = _header(stream)
    if dtype.hasobject:
        raise XetileError("it holds Python objects; save an array of numbers")
    if any(isinstance(extent, bool) or extent < 0 for extent in shape):
        raise XetileError(f"its header has the shape {shape}; expected whole numbers from 0")
    found, needed = len(data) - stream.tell(), prod(shape) * dtype.itemsize
    if found < needed:
        raise XetileError(f"it has {found} bytes of data, its header says {needed}")
    order = "F" if by_columns else "C"
    try:
        return numpy.ndarray(shape, dtype, buffer=data, offset=stream.tell(), order=order)
    except (ValueError, TypeError) as error:
        raise _not_understood(error) from error


def _header(stream: BytesIO) -> tuple[tuple[int, ...], bool, numpy.dtype[numpy.generic]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on headers that Python 2 wrote
            version = npy.read_magic(stream)
            # version 3 has names of fields in UTF-8, and no other difference
            read = (
                npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            )
            if version not in ((1, 0), (2, 0), (3, 0)):
                raise XetileError(
                    f"its header is of version {version[0]}.{version[1]}; known are 1.0 to 3.0"
                )
            return cast(
                "tuple[tuple[int, ...], bool, numpy.dtype[numpy.generic]]", read(stream)
            )
    except XetileError:
        raise
    except Exception as error:  # reading Python's literals fails in many ways
        raise _not_understood(error) from error


def _not_understood(error: Exception) -> XetileError:
    reason = one_line(str(error)).partition(": <ast.")[0]
    if len(reason) > _LONGEST_REASON:
        reason = f"{reason[:_LONGEST_REASON]}..."
    return XetileError(f"its header is not understood ({reason or type(error).__name__})")
