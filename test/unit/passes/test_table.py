"""The table of passes says what the classes say."""

import re
from dataclasses import fields

import pytest
from xdsl.passes import get_pass_option_infos

from xetile import targets
from xetile.passes import PASSES, load_pass
from xetile.targets.target import ASSUMING


@pytest.mark.parametrize("name", PASSES)
def test_summary_and_options_are_those_of_the_class(name: str):
    kind = load_pass(name)
    assert kind.name == name
    text = kind.__doc__
    assert text is not None
    assert PASSES[name].summary == text.splitlines()[0].removesuffix(".")
    documented = {
        option: " ".join(what.split()).removesuffix(".")
        for option, what in re.findall(
            r"^        (\w+): (.+(?:\n {12}.+)*)$", text, re.MULTILINE
        )
    }
    options = PASSES[name].options
    if "assume" in options:  # one text for all that have it
        assert documented.get("assume", ASSUMING) == ASSUMING
        documented = {"assume": ASSUMING, **documented}
    if "device" in options:  # the table has it, with the devices that there are
        documented = {"device": options["device"].meaning, **documented}
        assert ", ".join(targets.names()) in documented["device"]
    assert {option: about.meaning for option, about in options.items()} == documented
    assert list(documented) == [field.name for field in fields(kind) if field.name != "name"]
    assert set(documented) == {info.name for info in get_pass_option_infos(kind)}


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_shows_ir_before_and_after(name: str):
    module = __import__(load_pass(name).__module__, fromlist=["__doc__"])
    if load_pass(name).__module__.endswith(".named_pipelines"):
        return
    assert "Before" in module.__doc__
    assert "After" in module.__doc__
