"""Inputs are their names; what they are made from is right."""

import re
import subprocess
import sys

import pytest

from tools.fuzz.case import MAIN_FILE, Case
from tools.fuzz.check import NEVER, check
from tools.fuzz.corpus import executable, host_programs, readable, tokens
from tools.fuzz.differential import refused
from tools.fuzz.families import FAMILIES, family_of, flags, make
from tools.fuzz.lowering import check_lowering
from tools.fuzz.running import run

NUMBERS = range(40)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_input_is_its_name(family: str):
    first = [make(family, 3, number) for number in NUMBERS]
    assert first == [make(family, 3, number) for number in NUMBERS]
    assert len({str(case) for case in first}) > len(first) / 2
    assert first != [make(family, 4, number) for number in NUMBERS]


def test_an_input_is_its_name_in_another_process():
    program = "from tools.fuzz.families import make; print(make({!r}, 1, 5))"
    for family in ("attributes", "commands"):
        command = [sys.executable, "-c", program.format(family)]
        other = subprocess.run(command, capture_output=True, text=True, check=True)
        assert other.stdout == f"{make(family, 1, 5)}\n"


def test_host_programs_have_the_largest_share():
    shares = [family_of(number) for number in range(1000)]
    assert set(shares) == set(FAMILIES)
    assert shares.count("host") * 50 >= 12_500


@pytest.mark.parametrize("kernel", executable())
def test_kernels_run_to_the_same_result(kernel: str):
    assert check_lowering(kernel) == ("same result", None, False)


@pytest.mark.parametrize("program", host_programs())
def test_host_programs_run(program: str):
    case = Case("xetile-run", (MAIN_FILE, "--entry", "main"), {}, threshold=0).with_text(
        program
    )
    assert check(case) == ("status 0", None, True)
    assert run(case).output == run(case._replace(threshold=NEVER)).output != b""


@pytest.mark.mlir_opt
def test_host_programs_are_taken_by_mlir_opt():
    assert not list(refused([text for text in host_programs() if "xetile" not in text]))


@pytest.mark.parametrize("text", readable())
def test_tokens_are_the_text(text: str):
    assert "".join(tokens(text)) == text


@pytest.mark.parametrize("command", [name for name in flags.table() if name])
def test_every_flag_of_the_help_is_tried(command: str):
    tool, *rest = command.split()
    text = run(Case(tool, (*rest, "--help"), {})).output.decode()
    options = text.partition("\npasses, as flags")[0]
    offered = set(re.findall(r"^  (?:-\w(?: \w+)?, )?(--?[a-z][\w-]*)", options, re.MULTILINE))
    assert offered - set(flags.table()[command]) <= flags.UNTRIED
    assert offered


def test_values_of_flags():
    known = flags.table()["xetile-run"]
    assert not known["--sanitize"]
    assert "" in known["--seed"]
    assert {"in.mlir", "-"} <= set(known["--against"])
    assert {"int", "folder"} <= set(known["--arg"])
