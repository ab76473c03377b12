"""Gathers, scatters and tiles of shared matrices: the bits of level X at lane level, on numpy and on the device."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.on_device import Place
from support.scattered import DESCRIPTORS, FORMS, MATRICES, elements_of, kernel_of, numbers

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.passes.pipelines import lower


@pytest.mark.parametrize("form", [*FORMS, *MATRICES, *DESCRIPTORS])
def test_bits_are_those_of_the_subgroup(form: str, place: Place):
    written, lowered = parse(kernel_of(form)), parse(kernel_of(form))
    lower(context(), lowered, "xevm", "bmg")
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
    made: list[str] = []
    for form in (*FORMS, *MATRICES, *DESCRIPTORS):
        module = parse(kernel_of(form))
        lower(context(), module, "xevm", "bmg")
        made.append(str(module))
    outcome = subprocess.run(
        [mlir_opt, "--split-input-file"],
        input="\n// -----\n".join(made),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
