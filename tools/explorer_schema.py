"""Writes docs/explorer.schema.json, what xetile/explorer/model.py holds: python -m tools.explorer_schema."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from inspect import cleandoc
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from xetile.explorer.model import VERSION, Bases, Model

SCHEMA = Path(__file__).parents[1] / "docs" / "explorer.schema.json"

_SCALARS: Mapping[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}

Schema = dict[str, Any]


def schema() -> Schema:
    """The schema; each class of the model stands under `$defs` by its name."""
    known: Schema = {}
    _reference(Model, known)
    root = known.pop("Model")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "xetile's explorations",
        **root,
        "$defs": dict(sorted(known.items())),
    }


def _reference(kind: Any, known: Schema) -> Schema:
    name = kind.__name__
    if name not in known:
        known[name] = {}
        known[name] = _object(kind, known) if is_dataclass(kind) else _array(kind, known)
    return {"$ref": f"#/$defs/{name}"}


def _object(kind: Any, known: Schema) -> Schema:
    """A dataclass: all of its fields are always there."""
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    said = _said_of(kind)
    properties = {
        name: {
            **({"description": said[name]} if name in said else {}),
            **_of(hints[name], known),
        }
        for name in names
    }
    if kind is Model:
        properties["version"] = {"const": VERSION}
    return {
        "description": said[""],
        "type": "object",
        "additionalProperties": False,
        "required": names,
        "properties": properties,
    }


def _array(kind: Any, known: Schema) -> Schema:
    """A named tuple: an array in the order of its fields."""
    hints = get_type_hints(kind)
    if kind is Bases:
        of = {"in": hints["inputs"], "out": hints["outputs"]}
        return {
            "description": _said_of(kind)[""],
            "type": "object",
            "additionalProperties": False,
            "required": list(of),
            "properties": {name: _of(hint, known) for name, hint in of.items()},
        }
    items = [{"title": name, **_of(hint, known)} for name, hint in hints.items()]
    return {"description": _said_of(kind)[""], **_tuple(items)}


def _tuple(items: list[Schema]) -> Schema:
    return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}


def _of(hint: Any, known: Schema) -> Schema:
    """The schema of a type."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if hint is NoneType:
        return {"type": "null"}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [_of(part, known) for part in parts]}
    if origin is tuple and parts[-1] is not Ellipsis:
        return _tuple([_of(part, known) for part in parts])
    if origin in (list, tuple):
        return {"type": "array", "items": _of(parts[0], known)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(parts[1], known)}
    return _reference(hint, known)


def _said_of(kind: Any) -> dict[str, str]:
    """What the docstring of a class says of it, under an empty name, and of its attributes."""
    text, _, attributes = cleandoc(kind.__doc__ or "").partition("Attributes:")
    said = {"": " ".join(text.split())}
    for name, what in re.findall(r"(?ms)^    (\w+): (.*?)(?=^    \w+: |\Z)", attributes):
        said[name] = " ".join(what.split())
    return said


def main() -> None:
    """Write the schema."""
    SCHEMA.write_text(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
