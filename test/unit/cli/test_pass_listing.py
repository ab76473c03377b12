"""`--help` and `--show-pass` say the same of a pass's options, as one types them."""

import re
from dataclasses import MISSING, fields

import pytest

from xetile.cli.opt.pass_listing import describe_pass, help_on_passes
from xetile.cli.opt.pipeline_spec import parse_passes
from xetile.passes import PASSES, all_passes, load_pass

AVAILABLE = all_passes()
HELP = help_on_passes(AVAILABLE)


def options_in(text: str) -> dict[str, str]:
    """What is said of each option, on one line."""
    entries = re.split(r"^ +(?=[a-z-]+=[A-Z]+\b)", text, flags=re.MULTILINE)[1:]
    pairs = (" ".join(entry.split()).partition(" ") for entry in entries)
    return {name: meaning for name, _, meaning in pairs}


def described(name: str) -> dict[str, str]:
    text = describe_pass(name, AVAILABLE)
    assert "Parameters:" not in text
    return options_in(text.partition("options:\n")[2].partition("\n\n")[0])


@pytest.mark.parametrize("name", PASSES)
def test_help_and_description_agree(name: str) -> None:
    entry = re.search(rf"^  --{name}\b.*\n(?:   +.*\n)*", f"{HELP}\n", re.MULTILINE)
    assert entry is not None
    assert described(name) == options_in(entry[0])
    assert len(described(name)) == len(PASSES[name].options)


@pytest.mark.parametrize("name", [name for name in PASSES if PASSES[name].options])
def test_options_are_read_as_they_are_shown_with_the_defaults(name: str) -> None:
    kind = load_pass(name)
    example = {
        "DEVICE": "bmg",
        "BYTES": "1024",
        "BOOL": "true",
        "PASSES": '"cse"',
        "WHAT": "check",
        "WHO": "mapped",
        "COPIES": "2",
    }
    defaults = {field.name: field.default for field in fields(kind) if field.name != "name"}
    for shown, meaning in described(name).items():
        option, _, value = shown.partition("=")
        (made,) = parse_passes(f"{name}{{{option}={example[value]}}}", dict(AVAILABLE))
        field = option.replace("-", "_")
        assert getattr(made, field) != defaults[field]
        if defaults[field] is MISSING:
            assert meaning.endswith("; needed")
        elif defaults[field] is not None and "; by default " not in meaning:
            assert meaning.endswith(f"; {str(defaults[field]).lower()} by default")


def test_passes_of_xdsl_are_described_in_the_same_way() -> None:
    from xdsl.universe import Universe

    available = Universe.get_multiverse().all_passes
    text = describe_pass("convert-scf-to-openmp", available)
    assert "\n  collapse=INT              not set by default\n" in text
    assert "\n  nested=BOOL               false by default\n" in text
    assert "\n  schedule=static|dynamic|auto\n" in text
