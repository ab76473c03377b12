"""Whether data that was read has the form of explorations: the classes of `model.py`, as `json_form.py` writes them.

All that docs/explorer.schema.json has must be there; what is more is passed over.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, cast, get_args, get_origin, get_type_hints

from xetile.exploration.model import Bases, Model


class Misfit(NamedTuple):
    """What is not as it should be: its place (`.levels[0].lines`), and what would be legal there."""

    place: str
    wrong: str


class _Form(NamedTuple):
    """What is legal in a place: in words, and what is wrong with a value, None if nothing."""

    expected: str
    misfit: "Callable[[object], Misfit | None]"


_SCALARS: Mapping[type, tuple[str, tuple[type, ...]]] = {
    str: ("a text", (str,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    bool: ("true or false", (bool,)),
    NoneType: ("null", (NoneType,)),
}

_OTHERS: Mapping[type, str] = {list: "an array", dict: "an object"}


def misfit(data: object) -> Misfit | None:
    """The first place where data is no exploration; None for one."""
    return _form(Model).misfit(data)


@cache
def _form(hint: Any) -> _Form:
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _SCALARS:
        return _scalar(*_SCALARS[hint])
    if origin is Literal:
        return _choice(parts)
    if origin in (Union, UnionType):
        return _either([_form(part) for part in parts])
    if origin is tuple and parts[-1] is not Ellipsis:
        return _array([_form(part) for part in parts])
    if origin in (list, tuple):
        return _each(_form(parts[0]))
    if origin is not None:
        return _values(_form(parts[1]))
    return _class(hint)


def _class(kind: Any) -> _Form:
    forms = {name: _form(hint) for name, hint in get_type_hints(kind).items()}
    if kind is Bases:
        return _object({"in": forms["inputs"], "out": forms["outputs"]})
    return _object(forms) if is_dataclass(kind) else _array(list(forms.values()))


def _wrong(value: object, expected: str) -> Misfit:
    kind = type(value)
    found = _OTHERS[kind] if kind in _OTHERS else _SCALARS[kind][0]
    return Misfit("", f"is {found}, expected {expected}")


def _scalar(expected: str, kinds: tuple[type, ...]) -> _Form:
    def wrong(value: object) -> Misfit | None:
        return None if type(value) in kinds else _wrong(value, expected)

    return _Form(expected, wrong)


def _choice(legal: Sequence[object]) -> _Form:
    expected = f"one of {', '.join(map(str, legal))}"

    def wrong(value: object) -> Misfit | None:
        if value in legal:
            return None
        return (
            Misfit("", f"is '{value}', expected {expected}")
            if isinstance(value, str)
            else _wrong(value, expected)
        )

    return _Form(expected, wrong)


def _either(forms: Sequence[_Form]) -> _Form:
    expected = " or ".join(form.expected for form in forms)

    def wrong(value: object) -> Misfit | None:
        found = [form.misfit(value) for form in forms]
        if None in found:
            return None
        right = _OTHERS.get(type(value))
        inside = (
            one for form, one in zip(forms, found, strict=True) if form.expected == right
        )
        return next(inside, None) or _wrong(value, expected)

    return _Form(expected, wrong)


def _within(place: str, found: Misfit | None) -> Misfit | None:
    return None if found is None else Misfit(place + found.place, found.wrong)


def _each(form: _Form) -> _Form:
    inner = form.misfit

    def wrong(value: object) -> Misfit | None:
        if not isinstance(value, list):
            return _wrong(value, "an array")
        for number, one in enumerate(cast("list[object]", value)):
            if (found := inner(one)) is not None:
                return _within(f"[{number}]", found)
        return None

    return _Form("an array", wrong)


def _array(forms: Sequence[_Form]) -> _Form:
    def wrong(value: object) -> Misfit | None:
        if not isinstance(value, list):
            return _wrong(value, "an array")
        given = cast("list[object]", value)
        if len(given) != len(forms):
            return Misfit("", f"is an array of {len(given)}, expected {len(forms)}")
        for place, (form, one) in enumerate(zip(forms, given, strict=True)):
            if (found := form.misfit(one)) is not None:
                return _within(f"[{place}]", found)
        return None

    return _Form("an array", wrong)


def _values(form: _Form) -> _Form:
    def wrong(value: object) -> Misfit | None:
        if not isinstance(value, dict):
            return _wrong(value, "an object")
        for name, one in cast("dict[str, object]", value).items():
            if (found := form.misfit(one)) is not None:
                return _within(f".{name}", found)
        return None

    return _Form("an object", wrong)


def _object(forms: Mapping[str, _Form]) -> _Form:
    def wrong(value: object) -> Misfit | None:
        if not isinstance(value, dict):
            return _wrong(value, "an object")
        given = cast("dict[str, object]", value)
        for name, form in forms.items():
            if name not in given:
                return Misfit("", f"has no '{name}'")
            if (found := form.misfit(given[name])) is not None:
                return _within(f".{name}", found)
        return None

    return _Form("an object", wrong)
