"""Names that are not the one that was meant."""

from collections.abc import Iterable

from xetile.advice import hint

_NEARNESS = 0.75
"""How alike two names are, of 1, for one to be taken for the other: `l1_hnt` and `l1_hint` are at 0.92."""


def meant(name: str, legal: Iterable[str], nearness: float = _NEARNESS) -> str | None:
    """The legal name that is most like `name`, in whatever case; None where none is much like it."""
    from difflib import get_close_matches

    names = {one.casefold(): one for one in legal}
    found = get_close_matches(name.casefold(), list(names), 1, nearness)
    return names[found[0]] if found else None


def did_you_mean(name: str, legal: Iterable[str]) -> str:
    """`; did you mean 'l1_hint'?`, or nothing."""
    return hint(name, legal)
