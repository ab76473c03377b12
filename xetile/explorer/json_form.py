"""The model as other programs read it; docs/explorer.schema.json says what is in it."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TypeAlias, cast

from xetile.explorer.model import Bases, Model

Plain: TypeAlias = "str | int | float | list[Plain] | dict[str, Plain] | None"

_SCALARS = frozenset((int, str, float, bool, type(None)))
"""What most of the numbers in a model are, which need no call each."""


def as_json(model: Model) -> "dict[str, Plain]":
    """Dataclasses as objects by their fields, tuples as arrays, layouts as {"in": {...}, "out": {...}}."""
    return cast("dict[str, Plain]", _plain(model))


def _plain(value: object) -> "Plain":
    match value:
        case None | str() | int() | float():
            return value
        case Bases(inputs, outputs):
            return {"in": _plain(inputs), "out": _plain(outputs)}
        case list() | tuple():
            given = cast("list[Plain]", value)
            return [one if type(one) in _SCALARS else _plain(one) for one in given]
        case Mapping():
            items = cast("Mapping[str, object]", value).items()
            return {key: _plain(one) for key, one in items}
        case _:
            return {name: _plain(getattr(value, name)) for name in _names(type(value))}


@cache
def _names(kind: type) -> tuple[str, ...]:
    assert is_dataclass(kind), kind
    return tuple(field.name for field in fields(kind))
