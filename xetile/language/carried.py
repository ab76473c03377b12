"""Values that control flow carries: what a Python value holds of the kernel's, and that value made of others.

A tile, a scalar, an index is carried as one value in IR; a Python int as an index; a tuple, list, dict, dataclass or
region as what it holds. Anything else has to be the same object in each round and each branch.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

from xdsl.ir import SSAValue

from xetile.language.arrays import Array, Region
from xetile.language.indices import Index
from xetile.language.tiles import Tile
from xetile.language.unavailable import is_unavailable
from xetile.language.values import Value, describe

_PLAIN = (int, float, bool, complex, str, bytes)

Change: TypeAlias = Callable[[object], object]


def is_number(value: object) -> bool:
    """Whether this is Python's int, which a loop carries as an index."""
    return type(value) is int


def mapped(value: object, change: Change, known: dict[int, object]) -> object:
    """`value` with `change` of each value of the kernel and each int in it.

    `known` has the copies of the containers by the id of the container, so that two names for one list are so after.
    """
    if is_unavailable(value):
        return value
    if isinstance(value, Value) or is_number(value):
        return change(value)
    if not is_container(value):
        return value
    if id(value) not in known:
        known[id(value)] = _with_items(
            value, [mapped(item, change, known) for item in items(value)]
        )
    return known[id(value)]


def leaves(value: object) -> list[Value]:
    """What a value holds of the kernel's; ints as indices."""
    found: list[Value] = []

    def keep(leaf: object) -> object:
        found.append(Index.of(leaf) if isinstance(leaf, int) else cast(Value, leaf))
        return leaf

    mapped(value, keep, {})
    return found


def rebuilt(value: object, new: Iterator[SSAValue | None], known: dict[int, object]) -> object:
    """`value` with what it holds of the kernel's made of `new`; None leaves a value as it is."""

    def change(leaf: object) -> object:
        made = next(new)
        if made is None:
            return leaf
        return Index.of(made) if isinstance(leaf, int) else cast(Value, leaf).like(made)

    return mapped(value, change, known)


def settle(value: object) -> None:
    """Compute here what is still to be computed of a value, since a block that ends could not give it."""
    if isinstance(value, Tile):
        value.ssa()


def is_container(value: object) -> bool:
    """Whether a value is carried as what it holds."""
    if isinstance(value, tuple):
        return type(cast(object, value)) is tuple or hasattr(cast(object, value), "_fields")
    return type(value) in (list, dict, Region) or _is_dataclass(value)


def is_mutable(value: object) -> bool:
    """Whether a container can be changed in place, so that it matters which names are the same one."""
    if isinstance(value, (tuple, Region)):
        return False
    return not (_is_dataclass(value) and cast(Any, value).__dataclass_params__.frozen)


def mutables(value: object, name: str) -> list[tuple[str, object]]:
    """The lists, dicts and objects that a value is made of and that can be changed in place, as they are called."""
    if is_unavailable(value) or isinstance(value, Value) or not is_container(value):
        return []
    inner = [
        found
        for label, item in zip(_labels(value), items(value), strict=True)
        for found in mutables(item, f"{name}{label}")
    ]
    return [(name, value), *inner] if is_mutable(value) else inner


def items(value: object) -> list[object]:
    """What a container holds, in order."""
    match value:
        case tuple() | list():
            return list(cast("list[object]", value))
        case dict():
            return list(cast("dict[object, object]", value).values())
        case Region():
            return list(value.starts)
        case _:
            return [getattr(value, name) for name in _fields(value)]


def _with_items(value: object, new: list[object]) -> object:
    kind = cast("type[Any]", type(value))
    match value:
        case tuple():
            return kind(*new) if hasattr(kind, "_fields") else kind(new)
        case list():
            return kind(new)
        case dict():
            return kind(zip(cast("dict[object, object]", value), new, strict=True))
        case Region():
            made = copy.copy(value)
            made.starts = cast(Any, new)
            return made
        case _:
            made = copy.copy(value)
            for name, item in zip(_fields(value), new, strict=True):
                object.__setattr__(made, name, item)
            return made


def _is_dataclass(value: object) -> bool:
    if isinstance(value, (type, Array)):
        return False
    return dataclasses.is_dataclass(value) and not type(value).__module__.startswith(
        ("xetile.language", "xdsl")
    )


def _fields(value: object) -> list[str]:
    return [field.name for field in dataclasses.fields(cast(Any, value))]


def difference(before: object, after: object, name: str) -> tuple[str, object, object] | None:
    """Where two values cannot be carried as one: the name of the part, and what it is in both; None where they can."""
    if is_unavailable(before) or is_unavailable(after):
        return None if before is after else (name, before, after)
    if _is_index(before) and _is_index(after):
        return None
    if isinstance(before, Value) and isinstance(after, Value):
        same = type(before) is type(after) and before.type == after.type
        same = same and before.element == after.element
        return None if same else (name, before, after)
    if not (is_container(before) and is_container(after)):
        return None if is_same(before, after) else (name, before, after)
    if type(before) is not type(after) or _labels(before) != _labels(after):
        return (name, before, after)
    if (
        isinstance(before, Region)
        and isinstance(after, Region)
        and not _same_place(before, after)
    ):
        return (name, before, after)
    for label, one, other in zip(_labels(before), items(before), items(after), strict=True):
        if (found := difference(one, other, f"{name}{label}")) is not None:
            return found
    return None


def _is_index(value: object) -> bool:
    return isinstance(value, Index) or is_number(value)


def is_same(before: object, after: object) -> bool:
    """Whether two Python objects cannot be told apart."""
    if before is after:
        return True
    if type(before) is not type(after) or type(before) not in _PLAIN:
        return False
    return before == after and repr(before) == repr(after)


def _same_place(before: Region, after: Region) -> bool:
    return before.array is after.array and before.shape == after.shape


def _labels(value: object) -> list[str]:
    match value:
        case tuple() | list():
            return [f"[{i}]" for i in range(len(cast("list[object]", value)))]
        case dict():
            return [f"[{key!r}]" for key in cast("dict[object, object]", value)]
        case Region():
            return [f".starts[{i}]" for i in range(len(value.starts))]
        case _:
            return [f".{name}" for name in _fields(value)]


def told(value: object) -> str:
    """What a value is, in a message on two that differ."""
    if is_unavailable(value):
        return "without a value"
    if isinstance(value, Value):
        return value.describe()
    if isinstance(value, (int, float, str)) or value is None:
        return f"Python's {value!r}"
    if isinstance(value, Array):
        return f"an array of {value.type}"
    if isinstance(value, (tuple, list, dict)):
        held = cast("list[object]", value)
        return f"a {type(held).__name__} of {len(held)}"
    return describe(value)
