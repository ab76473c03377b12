"""What a class written in Python means: the attributes that its maker gave it."""

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, EnumType
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, cast

_NAMES = """__dict__ __weakref__ __firstlineno__ __static_attributes__ __dataclass_fields__
__dataclass_params__ __parameters__ __orig_bases__ __abstractmethods__ _abc_impl __doc__
__annotate_func__ __annotations_cache__ __classdictcell__ __conditional_annotations__"""

_SAYS_NOTHING = frozenset(_NAMES.split())
"""Attributes that Python makes, or that say where a class stands."""

_OF_DATACLASSES = re.compile("__(init|repr|eq|hash|lt|le|gt|ge|setattr|delattr|replace)__")
"""Functions that `dataclass` makes; the fields say what they do."""

_OF_ENUMS = re.compile("_[a-z0-9]+(_[a-z0-9]+)*_")
"""Attributes that belong to Python in classes of enumerations."""


_HEAP_TYPE = 1 << 9
"""CPython's flag of classes that are made while a program runs (Py_TPFLAGS_HEAPTYPE)."""

_OF_C = ("wrapper_descriptor", "method_descriptor", "getset_descriptor")
"""Classes of attributes that only a class of C has of its own."""


def _attributes(kind: type) -> dict[str, object]:
    return dict(vars(kind))


def members(kind: type) -> Iterator[tuple[str, object]]:
    """The attributes of a class that mean something, with names."""
    if issubclass(type(kind), EnumType):
        table = cast("dict[str, Enum]", dict(cast(Any, kind).__members__))
        yield from ((name, member.value) for name, member in table.items())
    if _is_dataclass(kind):
        yield "__dataclass_params__", repr(cast(Any, kind).__dataclass_params__)
        yield "__dataclass_fields__", tuple(_field(field) for field in fields(cast(Any, kind)))
    if "__annotate_func__" in _attributes(kind):
        yield "__annotations__", _deferred(kind)
    for name, value in _attributes(kind).items():
        if not _is_made(kind, name, value):
            yield name, value


def _deferred(kind: type) -> dict[str, object]:
    """Annotations, which Python 3.14 makes when they are asked for; before, they are among the attributes."""
    try:
        return kind.__annotations__
    except (AttributeError, NameError):  # some cannot be made yet
        return {}


def _is_dataclass(kind: type) -> bool:
    return is_dataclass(kind)


def _is_made(kind: type, name: str, value: object) -> bool:
    """Whether Python made an attribute from what is looked at elsewhere."""
    if name in _SAYS_NOTHING:
        return True
    if isinstance(value, MemberDescriptorType | GetSetDescriptorType):
        return True
    if isinstance(kind, EnumType):
        is_data = not callable(getattr(value, "__func__", value))
        return name in kind.__members__ or (is_data and _OF_ENUMS.fullmatch(name) is not None)
    if is_dataclass(kind) and isinstance(value, FunctionType):
        return _OF_DATACLASSES.fullmatch(name) is not None and _is_of_dataclasses(value)
    return issubclass(kind, tuple) and _is_of_named_tuples(value)


def _is_of_dataclasses(function: FunctionType) -> bool:
    """Whether `dataclass` made it: of a text, or as it stands; from Python 3.13 on reprlib wraps `__repr__`."""
    made_by = function.__globals__.get("__name__")
    inner = getattr(function, "__wrapped__", function) if made_by == "reprlib" else function
    return inner.__code__.co_filename == "<string>" or made_by == "dataclasses"


def _is_of_named_tuples(value: object) -> bool:
    """Whether Python made it of the names in _fields."""
    function: object = getattr(value, "__func__", value)
    space: dict[str, object] = getattr(function, "__globals__", {})
    return space.get("__name__") == "collections" or type(value).__name__ == "_tuplegetter"


def _field(field: "Field[Any]") -> tuple[object, ...]:
    """What a field of a dataclass means."""
    default, factory = field.default, cast(object, field.default_factory)
    flags = (field.init, field.repr, field.hash, field.compare, field.kw_only)
    metadata = cast("dict[object, object]", dict(field.metadata))
    given = tuple(None if value is MISSING else (value,) for value in (default, factory))
    return (field.name, given, flags, tuple(metadata.items()))


def is_python(kind: type) -> bool:
    """Whether a class is written in Python, so that its instances hold nothing but attributes."""
    if not kind.__flags__ & _HEAP_TYPE:
        return False
    table = _attributes(kind)
    own = (value for name, value in table.items() if name not in _SAYS_NOTHING)
    return not any(
        type(value).__name__ in _OF_C and getattr(value, "__objclass__", None) is kind
        for value in own
    )


def slots(kind: type) -> list[str]:
    """The names of an instance's slots."""
    return [
        name
        for base in kind.__mro__
        for name, value in base.__dict__.items()
        if isinstance(value, MemberDescriptorType)
    ]
