"""Gathers, scatters and tiles of shared matrices: the bits of level X at lane level, on numpy and on the device."""

import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.on_device import Place
from support.scattered import DESCRIPTORS, FORMS, MATRICES, elements_of, kernel_of, numbers
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.passes.pipelines import lower

EVERY = [*FORMS, *MATRICES, *DESCRIPTORS]


@cache
def at_lane_level(form: str) -> ModuleOp:
    module = parse(kernel_of(form))
    lower(context(), module, "xevm", "bmg")
    return module


@pytest.mark.parametrize("form", EVERY)
def test_bits_are_those_of_the_subgroup(form: str, place: Place):
    written, lowered = parse(kernel_of(form)), at_lane_level(form)
    results: list[list[bytes]] = []
    for module, run in ((written, execute), (lowered, place.execute)):
        arrays = [
            array
            for t in elements_of(form)
            for array in (numbers(t), np.zeros_like(numbers(t)))
        ]
        run(module, "k", [*arrays, 5])
        assert all(target.any() for target in arrays[1::2])
        results.append([target.tobytes() for target in arrays[1::2]])
    assert results[0] == results[1]


@pytest.mark.mlir_opt
def test_mlir_opt_takes_lane_level(mlir_opt: Path) -> None:
    made = [str(at_lane_level(form)) for form in EVERY]
    outcome = subprocess.run(
        [mlir_opt, "--split-input-file"],
        input="\n// -----\n".join(made),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
