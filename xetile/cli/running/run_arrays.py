"""The arrays of a run: made as the command line says, read from files, compared.

Arrays in `.npy` files, whose headers may say anything: a header never makes us execute or allocate anything.

Source: numpy.lib.format, "Format Version 1.0" and after.
"""

import os
import warnings
from contextlib import suppress
from io import BytesIO
from math import isfinite, prod
from pathlib import Path
from typing import NamedTuple, cast

import numpy
from ml_dtypes import finfo
from numpy.lib import format as npy
from numpy.typing import NDArray
from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xetile.advice import hint
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xetile.tile_type import per_byte
from xetile.errors import XetileError, one_line, reason_of
from xetile.interpreter.machine.elements import find_element

_LONGEST_REASON = 100


def read_array(path: str) -> NDArray[numpy.generic]:
    """Return the array of a file; it is read-only.

    Raise XetileError for a file that is not an array, or is shorter than its header says.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise XetileError(f"cannot read '{path}': {reason_of(error)}") from error
    try:
        return _array_of(data)
    except XetileError as error:
        raise XetileError(f"cannot read '{path}': {error.message}") from error


def _array_of(data: bytes) -> NDArray[numpy.generic]:
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


Array = NDArray[numpy.generic]
Argument = Array | int | float

KINDS = ("int", "zeros", "ones", "normal", "iota")
LARGEST_INTEGER = 4
"""`int` draws from the whole numbers in [-4, 4]: sums of their products are exact in f32."""

GIB = 1 << 30
"""Bytes."""

DYNAMIC = -1
"""An extent that the type leaves open."""


class Parameter(NamedTuple):
    """A kernel's parameter.

    Its type as printed, its extents (None for a scalar; DYNAMIC), its strides in elements (None for
    dense ones), the dtype of its elements, and how many elements share a byte; if several do,
    extents and strides are those of the bytes.
    """

    type: str
    shape: tuple[int, ...] | None
    strides: tuple[int, ...] | None
    dtype: numpy.dtype[numpy.generic]
    per_byte: int = 1


def make_argument(parameter: Parameter, request: str, seed: int, position: int) -> Argument:
    """Return the argument for a parameter: a kind of KINDS, a number, or the path of a `.npy` file.

    Two positions have different random data; the same seed and position always the same.
    Raise XetileError for a request that does not fit the parameter.
    """
    try:
        if request.endswith(".npy"):
            return _spread(_from_file(parameter, request), parameter.strides)
        if parameter.shape is None:
            return _scalar(parameter, request)
        if min(parameter.shape, default=1) < 0:
            raise XetileError(
                f"{parameter.type} has dynamic extents; give an array as FILE.npy"
            )
        _refuse_larger_than_memory(parameter, parameter.shape)
        make = _shared_bytes if parameter.per_byte > 1 else _array
        array = make(parameter, parameter.shape, request, seed, position)
        return _spread(array, parameter.strides)
    except XetileError as error:
        raise XetileError(f"argument {position}: {error.message}", error.location) from error


def _refuse_larger_than_memory(parameter: Parameter, shape: tuple[int, ...]) -> None:
    """Raise for an array larger than memory: the system would grant it, and fail when it is filled."""
    dense = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    steps = zip(shape, parameter.strides or dense, strict=True)
    size = (1 + sum((n - 1) * stride for n, stride in steps)) * parameter.dtype.itemsize
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if size > memory and 0 not in shape:
        raise XetileError(
            f"{parameter.type} takes {size / GIB:,.1f} GiB, this machine has {memory / GIB:,.1f} GiB"
        )


def _number(text: str) -> int | float | None:
    try:
        number = int(text)
        float(number)
    except (ValueError, OverflowError):
        with suppress(ValueError):
            return float(text)
        return None
    return number


def _unknown(request: str) -> XetileError:
    advice = hint(request, KINDS)
    return XetileError(
        f"'{request}' is none of {', '.join(KINDS)}, a number, the path of a .npy file{advice}"
    )


def _is_integer(dtype: numpy.dtype[numpy.generic]) -> bool:
    return dtype.kind in "iub"


def _scalar(parameter: Parameter, request: str) -> int | float:
    number: int | float | None = {"zeros": 0, "ones": 1}.get(request, _number(request))
    if number is None and request not in KINDS:
        raise _unknown(request)
    if number is None:
        raise XetileError(f"a scalar {parameter.type} needs a number, not '{request}'")
    if _is_integer(parameter.dtype):
        if not isfinite(number) or number != int(number):
            raise XetileError(f"{parameter.type} needs a whole number, not {request}")
        return int(number)
    return float(number)


def _array(
    parameter: Parameter, shape: tuple[int, ...], request: str, seed: int, position: int
) -> Array:
    dtype = parameter.dtype
    generator = numpy.random.default_rng([seed, position])
    match request:
        case "zeros":
            return numpy.zeros(shape, dtype)
        case "ones":
            return numpy.ones(shape, dtype)
        case "int":
            low = 0 if dtype.kind in "ub" else -LARGEST_INTEGER
            high = 1 if dtype.kind == "b" else LARGEST_INTEGER
            return generator.integers(low, high, shape, endpoint=True).astype(dtype)
        case "iota":
            count = numpy.arange(prod(shape), dtype=numpy.int64) % _exact_integers(dtype)
            return count.reshape(shape).astype(dtype)
        case "normal":
            if _is_integer(dtype):
                raise XetileError(
                    f"{parameter.type} holds whole numbers, 'normal' makes others"
                )
            return generator.standard_normal(shape, numpy.float32).astype(dtype)
        case _:
            number = _number(request)
    if number is None:
        raise _unknown(request)
    _refuse_unless_kept(parameter, request, number)
    return numpy.full(shape, number).astype(dtype)


def _shared_bytes(
    parameter: Parameter, shape: tuple[int, ...], request: str, seed: int, position: int
) -> Array:
    """Return bytes of two elements each, whose elements are made as single ones are."""
    from xetile.interpreter.machine.elements import packed

    *rows, columns = shape
    elements = (*rows, columns * parameter.per_byte)
    single = parameter._replace(dtype=numpy.dtype(numpy.int8), per_byte=1)
    made = _array(single, elements, request, seed, position)
    if request not in KINDS and not -8 <= int(made.flat[0]) <= 15:
        raise XetileError(
            f"{parameter.type} does not hold {request}, but whole numbers of 4 bits"
        )
    return packed(made)


def _refuse_unless_kept(parameter: Parameter, request: str, number: float) -> None:
    if not _is_integer(parameter.dtype):
        with numpy.errstate(over="ignore"):
            held = numpy.full((), number).astype(parameter.dtype)
        if isfinite(number) and not isfinite(float(held)):
            largest = float(_float_limits(parameter.dtype).max)
            raise XetileError(
                f"{parameter.type} does not hold {request}, its largest number is {largest:g}"
            )
        return
    low, high = _limits(parameter.dtype)
    if not isfinite(number) or number != int(number) or not low <= number <= high:
        raise XetileError(
            f"{parameter.type} does not hold {request}, but whole numbers from {low} to {high}"
        )


def _limits(dtype: numpy.dtype[numpy.generic]) -> tuple[int, int]:
    """Return the least and the greatest value of an integer type."""
    if dtype.kind == "b":
        return 0, 1
    limits = numpy.iinfo(dtype.name)
    return int(limits.min), int(limits.max)


def _exact_integers(dtype: numpy.dtype[numpy.generic]) -> int:
    """Return how far a type counts without gaps: `iota` starts again there."""
    if _is_integer(dtype):
        return _limits(dtype)[1] + 1
    return int(2 / _float_limits(dtype).eps)


def _float_limits(dtype: numpy.dtype[numpy.generic]) -> "numpy.finfo[numpy.float64]":
    return cast("numpy.finfo[numpy.float64]", finfo(dtype))


def _from_file(parameter: Parameter, path: str) -> Array:
    array = read_array(path)
    wanted = parameter.dtype
    if array.dtype == numpy.dtype(f"V{wanted.itemsize}"):
        array = array.view(wanted)  # numpy files know bf16 and fp8 as bytes only
    if array.dtype != wanted:
        raise XetileError(f"'{path}' holds {array.dtype}, {parameter.type} needs {wanted}")
    if parameter.shape is not None and not _fits(array.shape, parameter.shape):
        raise XetileError(
            f"'{path}' has shape {list(array.shape)}, {parameter.type} needs {list(parameter.shape)}"
        )
    return array


def _fits(found: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(found) == len(wanted) and all(
        extent in (DYNAMIC, size) for size, extent in zip(found, wanted, strict=True)
    )


def parameter(kind: Attribute) -> Parameter:
    """Return a kernel's parameter of an IR type.

    Raise XetileError for a type that cannot be executed.
    """
    if not isa(kind, MemRefType):
        return Parameter(str(kind), None, None, _dtype(kind))
    shape = tuple(
        max(extent, DYNAMIC) for extent in kind.get_shape()
    )  # xDSL's is the least i64
    strides, shared = _strides(kind), per_byte(kind.element_type)
    if shared == 1 or not shape:
        return Parameter(str(kind), shape, strides, _dtype(kind.element_type))
    shape = (*shape[:-1], max(shape[-1] // shared, DYNAMIC))
    if strides is not None:
        strides = (*(stride // shared for stride in strides[:-1]), strides[-1])
    return Parameter(str(kind), shape, strides, numpy.dtype(numpy.uint8), shared)


def _dtype(element: Attribute) -> numpy.dtype[numpy.generic]:
    found = find_element(element)
    if found is None:
        raise XetileError(f"cannot execute on elements of type {element}")
    return found.dtype


def _strides(kind: MemRefType[Attribute]) -> tuple[int, ...] | None:
    """Return the strides in elements if the type states all of them and they are not dense, else None."""
    layout = None if isinstance(kind.layout, NoneAttr) else strides_and_offset(kind)
    if layout is None:
        return None
    known = tuple(stride for stride in layout[0] if stride is not None)
    return known if len(known) == len(layout[0]) else None


def duplicate(array: Array) -> Array:
    """Return a copy with the same strides."""
    return _spread(array, tuple(stride // array.itemsize for stride in array.strides))


def _spread(array: Array, strides: tuple[int, ...] | None) -> Array:
    """Return a copy with these strides in elements; the gaps between its elements are zero."""
    if strides is None or array.size == 0:
        return array.copy()
    last = sum((n - 1) * stride for n, stride in zip(array.shape, strides, strict=True))
    # as words: numpy makes no strided array of some 8-bit floats
    buffer = numpy.zeros(last + 1, f"u{array.itemsize}")
    steps = tuple(stride * array.itemsize for stride in strides)
    spread = numpy.lib.stride_tricks.as_strided(buffer, array.shape, steps).view(array.dtype)
    spread[...] = array
    return spread


class Difference(NamedTuple):
    """The difference of two arrays: the largest error, how many elements differ, the first place and its values."""

    largest: float
    number: int
    place: tuple[int, ...]
    ours: object
    theirs: object


def compare(ours: Array, theirs: Array, bound: float | None) -> Difference | None:
    """Return how two arrays of one shape and type differ, or None if they do not.

    `bound` is the largest absolute difference that counts as equal; None asks for equal bits, but any NaN is
    equal to any other. Errors are computed in f64; a NaN or infinity on one side only is an infinite error.
    """
    nan = _is_nan(ours) & _is_nan(theirs)
    error = _errors(ours, theirs)
    error[nan] = 0.0
    unequal = _bits(ours) != _bits(theirs) if bound is None else error > bound
    unequal &= ~nan
    if not unequal.any():
        return None
    place = tuple(int(index) for index in numpy.argwhere(unequal)[0])
    largest = float(error[unequal].max())
    return Difference(largest, int(unequal.sum()), place, ours[place], theirs[place])


def _bits(array: Array) -> Array:
    size = array.dtype.itemsize
    return numpy.ascontiguousarray(array).view(numpy.dtype(f"u{size}")).reshape(array.shape)


def _is_nan(array: Array) -> NDArray[numpy.bool]:
    return numpy.isnan(_wide(array))


def _wide(array: Array) -> NDArray[numpy.float64]:
    return array.astype(numpy.float64)


def _errors(ours: Array, theirs: Array) -> NDArray[numpy.float64]:
    left, right = _wide(ours), _wide(theirs)
    with numpy.errstate(invalid="ignore"):
        error = numpy.abs(left - right)
    error[left == right] = 0.0
    return numpy.where(numpy.isnan(error), numpy.inf, error)
