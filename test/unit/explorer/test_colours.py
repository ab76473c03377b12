"""Words of the page stand out from what is behind them: contrast, computed from the style sheet."""

import re
from collections.abc import Sequence
from importlib.resources import files

import pytest


def palettes() -> list[dict[str, str]]:
    style = files("xetile.explorer").joinpath("page", "style.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w{6});", part))
        for part in style.split("@media (prefers-color-scheme: dark)", 1)
    )
    return [light, light | dark]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def too_pale(palette: dict[str, str]) -> Sequence[str]:
    grounds = [
        name for name in palette if name in ("ground", "panel") or name.startswith("ground-")
    ]
    words = [
        name for name in palette if name in ("ink", "soft", "warn") or name.startswith("word-")
    ]
    assert len(grounds) == 5
    assert len(words) == 8
    pairs = [
        (word, ground, contrast(palette[word], palette[ground]))
        for word in words
        for ground in grounds
    ]
    return [f"{word} on {ground}: {ratio:.2f}" for word, ground, ratio in pairs if ratio < 4.5]


@pytest.mark.parametrize("scheme", [0, 1])
def test_words_stand_out_from_every_ground(scheme: int) -> None:
    assert too_pale(palettes()[scheme]) == []


def test_a_pale_colour_is_noticed() -> None:
    assert too_pale(palettes()[0] | {"soft": "#8c959f"})
