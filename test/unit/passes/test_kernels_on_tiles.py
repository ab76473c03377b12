"""Kernels as users write them, and kernels of one op: every level computes the same, down to the machine.

How far each comes stands in a table; what is not in it reaches SPIR-V. A kernel that comes further than the table says
is to be taken out of it (`support.tiled.kernels` writes it anew).
"""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy
import pytest
from support.tiled.case import (
    Array,
    Case,
    Given,
    assert_expected,
    copies,
    module_of,
    same_bits,
)
from support.tiled.kernels import (
    BUILT_ELSEWHERE,
    DEVICES,
    FAMILIES,
    TABLE,
    compiled_for,
    stops,
    together,
)
from support.tiled.launching import compiled
from support.tiled.reaching import Level, followed, run
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.utils import FastMathFlag

from tools.device_product.accuracy import ULPS, bound, errors
from xetile.api import lower, text
from xetile.dialects.fast_math import fast_math
from xetile.levels import LevelName
from xetile.runtime.launch import Compiled, execute_compiled
from xetile.runtime.open_device import Device
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

BY_NAME: Mapping[str, Case] = {
    case.name: case for cases in FAMILIES.values() for case in cases()
}
BMG = DEVICES[0]
SPLIT = "\n// -----\n"


def reaching(family: str, level: Level, device: str = BMG) -> list[Case]:
    """The kernels of a family that come at least so far."""
    enough: Mapping[Level, Sequence[str]] = {
        "xegpu": ("xegpu", "xevm", "spirv"),
        "xevm": ("xevm", "spirv"),
        "spirv": ("spirv",),
    }
    stop = stops(device)
    return [
        case for case in FAMILIES[family]() if stop.get(case.name, "spirv") in enough[level]
    ]


@pytest.mark.parametrize("name", BY_NAME)
def test_every_level_computes_the_same(name: str) -> None:
    way = followed(BY_NAME[name], BMG)
    assert way.level == stops(BMG).get(name, "spirv"), way.refusal
    assert "\n" not in way.refusal
    assert not way.refusal.startswith("'result' has"), "a verifier's own words"


def test_the_table_names_kernels() -> None:
    assert {
        line.split("\t")[0] for line in TABLE.read_text().splitlines()[1:]
    } <= BY_NAME.keys()


OTHERS = [
    (family, device)
    for device in DEVICES[1:]
    for family in FAMILIES
    if compiled_for(device, family)
]


def test_lnl_is_bmg_by_another_name() -> None:
    bmg, lnl = find("bmg"), find("lnl")
    assert isinstance(bmg, XeDevice)
    different = [f.name for f in fields(bmg) if getattr(bmg, f.name) != getattr(lnl, f.name)]
    assert different == ["name"]


@pytest.mark.parametrize(("family", "device"), OTHERS)
def test_other_devices_come_as_far(family: str, device: str) -> None:
    found = {
        case.name: followed(case, device, executed=False).level for case in FAMILIES[family]()
    }
    stop = stops(device)
    assert found == {name: stop.get(name, "spirv") for name in found}


@cache
def built(family: str) -> Mapping[str, Compiled]:
    """Kernels of a family that come to SPIR-V, in as few modules of it as can be."""
    found: dict[str, Compiled] = {}
    chosen = [c for c in reaching(family, "spirv") if not BUILT_ELSEWHERE.fullmatch(c.name)]
    for cases in together(chosen):
        found |= compiled(cases, BMG)
    return found


@pytest.mark.opencl
@pytest.mark.timeout(
    900
)  # Intel's CPU runtime compiles the longest family for three minutes where there is no AVX-512
@pytest.mark.parametrize("family", FAMILIES)
def test_a_device_computes_the_same(family: str, opencl_cpu: Device) -> None:
    for name, kernel in built(family).items():
        case = BY_NAME[name]
        found = copies(case.arrays)
        execute_compiled(opencl_cpu, kernel, found)
        module = module_of([case])
        assert_on_device(case, module, run(case, module), found)


def _has_native_functions(module: ModuleOp) -> bool:
    return any(
        op.name in ULPS and FastMathFlag.APPROX_FUNC in fast_math(op).data
        for op in module.walk()
    )


def assert_on_device(
    case: Case, module: ModuleOp, expected: Sequence[Given], found: Sequence[Given]
) -> None:
    """Equal bits, but for functions: what numpy computes within the case's bound, else within that of the function."""
    inexact = {op.name for op in module.walk()} & ULPS.keys()
    if case.expected:
        assert_expected(case, found, native=_has_native_functions(module))
    if not inexact and not case.reorders:
        assert same_bits(expected, found), case.name
    elif not case.expected:
        (function,) = inexact
        for left, right in zip(expected, found, strict=True):
            if isinstance(left, numpy.ndarray) and isinstance(right, numpy.ndarray):
                assert_within(function, left, right)


def assert_within(function: str, expected: Array, found: Array) -> None:
    assert errors(expected, found).max() <= (bound(function, expected.dtype) or 0), function


@pytest.mark.mlir_opt
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("level", ["xegpu", "xevm"])
def test_upstream_reads_it(family: str, level: LevelName, mlir_opt: Path) -> None:
    cases = reaching(family, "xegpu" if level == "xegpu" else "xevm")
    source = SPLIT.join(
        text(lower(module_of(c), to=level, device=BMG)) for c in together(cases)
    )
    done = subprocess.run(
        [mlir_opt, "--split-input-file"],
        input=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.spirv_val
@pytest.mark.parametrize("family", FAMILIES)
def test_its_spirv_is_valid(family: str, spirv_val: Path, tmp_path: Path) -> None:
    for number, spirv in enumerate({kernel.spirv for kernel in built(family).values()}):
        file = tmp_path / f"{number}.spv"
        file.write_bytes(spirv)
        subprocess.run([spirv_val, file], check=True)
