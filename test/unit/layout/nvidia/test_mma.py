"""Registers of NVIDIA's matrix instructions and their operands, against Triton's own on random parameters."""

import json
import subprocess
import sys
from random import Random
from typing import cast

import pytest

from xetile.layout.text.attribute_text import layout_of

RANDOM_LAYOUTS = 400

# Reads [version, warps, instruction, operand and width or null, shape] cases, writes the bases of each; in a process
# of its own, since a failed precondition ends it.
GLUON = """
import json, sys
from triton._C.libtriton import gluon_ir, ir

context = ir.context()
ir.load_dialects(context)
builder = gluon_ir.GluonOpBuilder(context)
bases = []
for version, warps, instruction, operand, shape in json.load(sys.stdin):
    layout = builder.get_mma_layout([version, 0], warps, [], instruction)
    if operand is not None:
        layout = builder.get_dot_operand_layout(operand[0], layout, operand[1])
    found = builder.to_linear_layout(layout, shape)
    names = ("register", "reg"), ("lane", "lane"), ("warp", "warp"), ("block", "block")
    bases.append({ours: getattr(found, theirs + "_bases") for ours, theirs in names})
json.dump(bases, sys.stdout)
"""
Case = tuple[int, list[int], list[int], list[int] | None, list[int]]


def attribute(case: Case) -> str:
    """A case as an attribute's text."""
    version, warps, instruction, operand, _ = case
    fields = f"versionMajor = {version}, versionMinor = 0, warpsPerCTA = {warps}, instrShape = {instruction}"
    text = f"#ttg.nvidia_mma<{{{fields}}}>"
    if operand is None:
        return text
    index, width = operand
    return f"#ttg.dot_op<{{opIdx = {index}, parent = {text}, kWidth = {width}}}>"


def any_case(random: Random) -> Case:
    shape = [1 << random.randrange(4, 9), 1 << random.randrange(4, 9)]
    if random.random() < 0.5:
        warps = [1 << random.randrange(3), 1 << random.randrange(3)]
        operand = random.choice((None, [random.randrange(2), 1 << random.randrange(4)]))
        return 2, warps, [16, 8], operand, shape
    warps = [4 << random.randrange(2), 1 << random.randrange(2)]
    instruction = [16, 8 << random.randrange(6), 1 << random.randrange(3, 6)]
    return 3, warps, instruction, random.choice((None, [0, 1 << random.randrange(3)])), shape


@pytest.mark.triton
def test_matrix_instructions_are_tritons() -> None:
    random = Random(5)
    cases = [any_case(random) for _ in range(RANDOM_LAYOUTS)]
    ran = subprocess.run(
        [sys.executable, "-c", GLUON],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[:2000]
    theirs = cast("list[dict[str, list[list[int]]]]", json.loads(ran.stdout))
    assert {(case[0], case[3] is None) for case in cases} == {(2, True), (2, False), (3, True), (3, False)}  # fmt: skip
    for case, other in zip(cases, theirs, strict=True):
        layout = layout_of(attribute(case), case[4])
        own = {name: [list(v) for v in vectors] for name, vectors in layout.bases.items()}
        assert own == other, attribute(case)
