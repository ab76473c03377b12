"""What a binary says of its kernels, `.ze_info`: YAML, of which the parts that are asked for are read."""

import re
from collections.abc import Mapping

_NAME = re.compile(r"^  - name: +(\S.*?) *$", re.MULTILINE)

_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_ESCAPED = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
"""Source: YAML 1.2, section 5.7; all other characters stand for themselves."""


def described(description: str) -> Mapping[str, str]:
    """By the name of each kernel the text that follows it."""
    parts = _NAME.split(description)
    # a kernel is named twice: first where it is described, then with the names of its arguments
    found: dict[str, str] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(_scalar(name), text)
    return found


def _scalar(text: str) -> str:
    """A text as YAML writes it: in quotes where it has more than letters and digits."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return _ESCAPE.sub(_character, text[1:-1]) if text.startswith('"') else text


def _character(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)
