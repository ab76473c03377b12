"""The page of an exploration is one file: nothing of it asks for another, its policy allows its own parts only."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest

from xetile.explorer.page.single_file import page
from xetile.layout.show.inline import packed, stripped

EMPTY: dict[str, object] = {
    "version": 2,
    "file": "a<b>.mlir",
    "device": "bmg",
    "options": {},
    "kernels": [],
    "notes": ["</script>"],
}
SCRIPTS = [
    path
    for room in ("xetile.explorer", "xetile.layout.show")
    if (home := files(room).joinpath("page")).is_dir()
    for path in home.iterdir()
    if path.name.endswith((".js", ".css"))
]

SERVED = files("xetile.explorer").joinpath("page", "served.js")


def part(text: str, tag: str) -> str:
    (found,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return found


def code(text: str) -> str:
    """The script, which is packed in the page."""
    return unpacked(text)[1]


def unpacked(text: str) -> list[str]:
    """Style and script."""
    (data,) = re.findall(r'<script type="text/plain" id="code">([\w+/=]*)</script>', text)
    return zlib.decompress(b64decode(data), -zlib.MAX_WBITS).decode().split("\f")


def hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("served", [False, True])
def test_policy_allows_the_own_script_and_style_only(served: bool) -> None:
    text = page([EMPTY], served=served)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    expected = {
        "default-src": "'none'",
        "script-src": f"{hash_of(part(text, 'script'))} {hash_of(code(text))}",
        "style-src": hash_of(unpacked(text)[0]),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert rules == expected | ({"connect-src": "'self'"} if served else {})


def test_only_a_served_page_asks_a_server() -> None:
    text = page([EMPTY]) + code(page([EMPTY]))
    assert "EventSource" not in text
    assert "EventSource" in code(page([EMPTY], served=True)) or not SERVED.is_file()
    assert not re.search(
        r"\bfetch\(|XMLHttpRequest|WebSocket|https?://(?!www\.w3\.org)|\beval\(", text
    )


def test_the_page_without_its_model_is_small() -> None:
    assert len(page([EMPTY])) <= 76_000


def test_model_comes_back_and_ends_no_script() -> None:
    text = page([EMPTY, EMPTY])
    (data,) = re.findall(
        r'<script type="application/json\+deflate" id="model">([\w+/=]*)</script>', text
    )
    root = json.loads(zlib.decompress(b64decode(data), -zlib.MAX_WBITS))
    assert root == {"explorations": [EMPTY, EMPTY]}
    assert "<title>a&lt;b&gt;.mlir on bmg</title>" in text
    assert page([EMPTY, EMPTY]) == text


def test_packed_is_raw_deflate() -> None:
    assert (
        zlib.decompress(b64decode(packed("äöü" * 100)), -zlib.MAX_WBITS).decode()
        == "äöü" * 100
    )


def test_stripped_leaves_code() -> None:
    text = "// why\n  const a = 1; // kept\n\n/* one */\n/*\n * two\n */\n    b();\n"
    assert stripped(text) == "const a = 1; // kept\nb();"


@pytest.mark.parametrize("path", SCRIPTS, ids=str)
def test_no_text_goes_over_several_lines(path: Traversable) -> None:
    """Indentation is taken away line by line, which would change such a text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.count("`") % 2] == []
