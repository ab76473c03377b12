"""The arguments of a kernel: arrays and numbers, their types, and checks against the specialized types.

Arrays that the kernel stores to must be writable, and must not overlap another array unless both are the same.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.dialects.traits import WritesTile, has_trait
from xetile.language.positions import refuse
from xetile.language.types import ELEMENTS, ArrayType, ElementType, f32, i32, i64

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from xetile.runtime.buffers import Buffer


Given: TypeAlias = "NDArray[numpy.generic] | numpy.generic | int | float"
"""An argument of a call."""

Passed: TypeAlias = "Given | Buffer"
"""An argument of a launch on a device: a buffer, which stays there, or a value that is copied there and back."""

ArgumentType: TypeAlias = ArrayType | ElementType
"""The type of an argument: of an array, or of a number."""

_HALF_BYTE = 4
"""Bits of an element that shares a byte with another: arrays store two in a uint8, the lower half first."""

_HELD_AS = {"tf32": "float32", "index": "int64"}
"""Elements without a numpy type of their own, and the numpy types that store them."""


_NUMPY = {
    **{"float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16"},
    **{"int32": "i32", "int64": "i64", "uint8": "ui8", "bool": "i1", "bfloat16": "bf16"},
    **{"float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2"},
}
"""Names of numpy and ml_dtypes types, and of the elements of their arrays."""


@cache
def _elements() -> "Mapping[numpy.dtype[numpy.generic], ElementType]":
    """Return the element type of each numpy type."""
    import ml_dtypes
    import numpy

    named = {element.name: element for element in ELEMENTS}
    return {
        numpy.dtype(getattr(ml_dtypes, name, name)): named[element]
        for name, element in _NUMPY.items()
    }


@cache
def held_as(element: ElementType) -> "tuple[numpy.dtype[numpy.generic], ...]":
    """Return the numpy types of arrays that can store such elements; the first is the usual one."""
    import numpy

    if element.bits == _HALF_BYTE:
        return numpy.dtype("uint8"), numpy.dtype("int8")
    if element.name in _HELD_AS:
        return (numpy.dtype(_HELD_AS[element.name]),)
    found = [kind for kind, other in _elements().items() if other == element]
    if element.kind == "integer" and found and found[0].kind == "i":
        found.append(numpy.dtype(f"uint{element.bits}"))
    return tuple(found)


def type_of(given: object, name: str) -> ArgumentType:
    """Return the type for which an argument specializes a kernel: Python ints are i32 (i64 if larger), floats f32.

    Errors: XetileError with the parameter's name if kernels do not accept the argument.
    """
    import numpy

    if isinstance(given, bool | numpy.bool):
        refuse(
            f"argument '{name}' is {given}; kernels take arrays and numbers, no truth values"
        )
    if isinstance(given, int):
        return i32 if given.bit_length() < i32.bits else i64
    if isinstance(given, float):
        return f32
    facts = _facts(given)
    if facts is None:
        refuse(f"argument '{name}' is {described(given)}; kernels take arrays and numbers")
    element = _elements().get(facts.dtype)
    if element is None:
        known = ", ".join(str(kind) for kind in _elements())
        refuse(f"argument '{name}' has elements of {facts.dtype}; kernels take {known}")
    return _type_of_array(facts, element, name) if facts.shape else element


class _Facts(NamedTuple):
    """Facts about a numpy array or a buffer on a device; strides in bytes."""

    dtype: "numpy.dtype[numpy.generic]"
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _facts(given: object) -> _Facts | None:
    """Return None for a value that is not an array, and for a masked array, whose mask a kernel would ignore."""
    import numpy

    if isinstance(given, numpy.ma.MaskedArray):
        return None
    dtype, shape = getattr(given, "dtype", None), getattr(given, "shape", None)
    strides = getattr(given, "strides", None)
    if not isinstance(dtype, numpy.dtype):
        return None
    if not isinstance(shape, tuple) or not isinstance(strides, tuple):
        return None
    kind = cast("numpy.dtype[numpy.generic]", dtype)
    return _Facts(kind, cast("tuple[int, ...]", shape), cast("tuple[int, ...]", strides))


def _type_of_array(given: _Facts, element: ElementType, name: str) -> ArrayType:
    _check_elements(given, name)
    for column_major in (False, True):
        type = ArrayType(element, given.shape, column_major=column_major)
        if _misplaced(given, type) is None:
            return type
    refuse(
        f"argument '{name}' has strides {list(given.strides)} bytes for shape {list(given.shape)}; "
        f"kernels take row-major and column-major arrays: {_whole_or_copy(name)}"
    )


def _whole_or_copy(name: str, make: str = "ascontiguousarray") -> str:
    """Return advice on what to pass instead of a view; a copy alone would lose the kernel's stores."""
    return (
        f"pass the array that it is a view of, and slice that in the kernel, or numpy.{make}({name}), "
        "which is copied back if the kernel stores to it"
    )


def _check_elements(given: _Facts, name: str) -> None:
    if 0 in given.shape:
        refuse(f"argument '{name}' has shape {list(given.shape)}, without an element")


def _misplaced(given: _Facts, type: ArrayType) -> int | None:
    """Return the first dimension whose stride differs from that of the type, or None."""
    order = list(range(len(given.shape)))
    if type.column_major:
        if len(order) < _MATRIX:
            return 0
        order[-2:] = order[:-3:-1]
    step = given.dtype.itemsize
    for dimension in reversed(order):
        if given.shape[dimension] > 1 and given.strides[dimension] != step:
            return dimension
        step *= given.shape[dimension]
    return None


_MATRIX = 2
"""The number of dimensions of a matrix."""


def described(given: object) -> str:
    """Describe a Python value for diagnostics."""
    facts = _facts(given)
    if facts is not None and facts.shape:
        return f"an array of {'x'.join(map(str, facts.shape))} {facts.dtype}"
    if isinstance(given, bool | int | float):
        return f"{type(given).__name__} {given!r}"
    return f"a {type(given).__name__}"


def check(
    kernel: str, types: Mapping[str, ArgumentType], given: Sequence[object]
) -> dict[str, int]:
    """Check that arguments have the types of a specialization and return the named extents.

    Errors: XetileError that names the parameter, the value found and the type expected.
    """
    if len(given) != len(types):
        listed = ", ".join(f"{name}: {type}" for name, type in types.items())
        refuse(f"'{kernel}' takes {len(types)} arguments ({listed}), {len(given)} are given")
    extents: dict[str, int] = {}
    first: dict[str, str] = {}
    for one, (name, type) in zip(given, types.items(), strict=True):
        if isinstance(type, ArrayType):
            for extent, size in _check_array(one, type, name):
                if extents.setdefault(extent, size) != size:
                    refuse(
                        f"'{extent}' is {extents[extent]} by argument '{first[extent]}' and {size} by "
                        f"argument '{name}'"
                    )
                first.setdefault(extent, name)
        else:
            _check_number(one, type, name)
    return extents


def extents_of(
    types: Mapping[str, ArgumentType], given: Sequence[object]
) -> list[tuple[int, ...]]:
    """Return the shapes of checked arguments in elements, `()` for a number."""
    found: list[tuple[int, ...]] = []
    for one, type in zip(given, types.values(), strict=True):
        facts = _facts(one)
        if facts is None or not isinstance(type, ArrayType):
            found.append(())
        else:
            found.append(_shape(facts, type.element))
    return found


def launched(given: "Sequence[Given]") -> "list[NDArray[numpy.generic] | int | float]":
    """Return the arguments with Python numbers in place of numpy's."""
    import numpy

    return [
        cast("int | float", one.item()) if isinstance(one, numpy.generic) else one
        for one in given
    ]


def _shape(facts: _Facts, element: ElementType) -> tuple[int, ...]:
    """Return the shape in elements, of which two may share a byte."""
    if element.bits != _HALF_BYTE:
        return facts.shape
    return (*facts.shape[:-1], 2 * facts.shape[-1])


def _check_array(given: object, type: ArrayType, name: str) -> Iterator[tuple[str, int]]:
    said = f"argument '{name}' is {type}"
    facts = _facts(given)
    if facts is None or not facts.shape:
        refuse(f"{said}; given is {described(given)}")
    if facts.dtype not in held_as(type.element):
        kind = held_as(type.element)[0]
        refuse(f"{said}, an array of {kind}; given is {described(given)}")
    sizes = _shape(facts, type.element)
    if len(sizes) != len(type.extents):
        refuse(f"{said}; given is {described(given)}")
    for extent, size in zip(type.extents, sizes, strict=True):
        if isinstance(extent, str):
            yield extent, size
        elif extent != size:
            refuse(f"{said}; given is {described(given)}")
    _check_elements(facts, name)
    if _misplaced(facts, type) is not None:
        order = "column-major" if type.column_major else "row-major"
        make = "asfortranarray" if type.column_major else "ascontiguousarray"
        refuse(
            f"{said}, {order} without gaps; given are strides of {list(facts.strides)} bytes: "
            f"{_whole_or_copy(name, make)}"
        )


def _check_number(given: object, type: ElementType, name: str) -> None:
    said = f"argument '{name}' is {type}"
    facts = _facts(given)
    if facts is not None and not facts.shape:
        given = cast("numpy.generic", given).item()
    if isinstance(given, bool) or not isinstance(given, int | float):
        refuse(f"{said}, a number; given is {described(given)}")
    if type.kind != "float":
        _check_whole(given, type, said)


def _check_whole(given: float, type: ElementType, said: str) -> None:
    low, high = -(1 << type.bits - 1), 1 << type.bits - 1
    if type.unsigned:
        low, high = 0, 1 << type.bits
    if given != given // 1 or not low <= given < high:
        refuse(f"{said}, which does not hold {given!r}")


_VIEWS = ("memref.transpose", "memref.reinterpret_cast", "memref.cast")
"""Ops whose result refers to the memory of their first operand."""


def stored_arguments(kernel: Operation) -> frozenset[int]:
    """Return the numbers of the arguments that a kernel at level W stores to, or changes atomically."""
    block = kernel.regions[0].blocks[0]
    bases = [_base(value) for op in kernel.walk() for value in _stored(op)]
    return frozenset(
        base.index for base in bases if isinstance(base, BlockArgument) and base.owner is block
    )


def _stored(op: Operation) -> Iterator[SSAValue]:
    """Yield the memory that an op changes."""
    if op.name == "memref.store":
        yield op.operands[1]
    elif has_trait(op, WritesTile):
        for operand in op.operands:
            if isinstance(owner := operand.owner, Operation) and owner.name == _TILE:
                yield owner.operands[0]


_TILE = "xetile.init_tile"


def _base(value: SSAValue) -> SSAValue:
    while isinstance(owner := value.owner, Operation) and owner.name in _VIEWS:
        value = owner.operands[0]
    return value


def check_memory(
    names: Sequence[str], given: Sequence[object], stored: Callable[[], Collection[int]]
) -> None:
    """Raise if the kernel stores to a read-only array, or to one that overlaps another argument.

    `stored` returns the numbers of the arguments that the kernel stores to; it is called only if needed. Arrays have no
    gaps, so their bounds show whether they overlap. Two arguments that are one array are updated in place.
    Errors: XetileError with the parameters.
    """
    arrays = [
        (number, cast("NDArray[numpy.generic]", one))
        for number, one in enumerate(given)
        if hasattr(one, "flags") and getattr(one, "ndim", 0)
    ]
    for number, array in arrays:
        if not array.flags.writeable and number in stored():
            refuse(
                f"argument '{names[number]}' is an array that is read-only; the kernel stores to it"
            )
    for (first, one), (second, other) in combinations(arrays, 2):
        if one is other or not _overlap(one, other):
            continue
        changed = next((n for n in (first, second) if n in stored()), None)
        if changed is not None:
            refuse(
                f"arguments '{names[first]}' and '{names[second]}' overlap in memory and are not the same array; "
                f"the kernel stores to '{names[changed]}'"
            )


def _overlap(one: "NDArray[numpy.generic]", other: "NDArray[numpy.generic]") -> bool:
    """Return True if two arrays share memory and are not the same array."""
    import numpy

    return numpy.may_share_memory(one, other) and _seen(one) != _seen(other)


def _seen(array: "NDArray[numpy.generic]") -> tuple[object, ...]:
    return array.ctypes.data, array.dtype, array.shape, array.strides
