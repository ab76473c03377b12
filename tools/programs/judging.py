"""Whether a program computes the same at every level, and many of them on a device."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

import numpy
from xdsl.dialects.builtin import ModuleOp

from tools.programs.body import Array, Program, module_of
from xetile.api import execute, lower, parse_text
from xetile.codegen import emit, launch_contract, lower_to_llvm
from xetile.codegen.contract import Plain
from xetile.errors import XetileError
from xetile.levels import LevelName
from xetile.runtime.launch import Compiled, compile_kernel, execute_compiled, find_function
from xetile.runtime.open_device import Device

LEVELS: tuple[LevelName, ...] = ("blocked", "xegpu", "xevm")

Verdict = Literal["equal", "refused", "differs"]


class Judged(NamedTuple):
    """What became of a program: the last level that it reached, why not further or what differs; its results."""

    program: Program
    verdict: Verdict
    level: str
    detail: str
    results: Sequence[Array | int] = ()


@numpy.errstate(all="ignore")
def judged(program: Program, target: str) -> Judged:
    """Execute a program as it is written and at each level below."""
    level, results = "subgroup", list[Array | int]()
    try:
        module = parse_text(program.module, f"{program.name}.mlir")
        results = _executed(module, program)
        for to in LEVELS:
            module = lower(module, to=to, device=target)
            if (wrong := _difference(results, _executed(module, program))) is not None:
                return Judged(program, "differs", to, wrong)
            level = to
        compile_kernel(module, program.name, target)
    except XetileError as error:
        return Judged(program, "refused", level, error.message, results)
    except Exception as error:  # whatever it is, it is ours
        return Judged(program, "differs", level, f"{type(error).__name__}: {error}")
    return Judged(program, "equal", "spirv", "", results)


def _executed(module: ModuleOp, program: Program) -> list[Array | int]:
    arrays = _copied(program)
    execute(module, program.name, *arrays, sanitize=True)
    return arrays


def _copied(program: Program) -> list[Array | int]:
    return [a.copy() if isinstance(a, numpy.ndarray) else a for a in program.arrays]


def on_device(equal: Sequence[Judged], target: str, device: Device) -> list[Judged]:
    """Programs that reached SPIR-V, built at once and launched one by one."""
    if not equal:
        return []
    programs = [judged.program for judged in equal]
    lanes = lower(parse_text(module_of(programs), "programs.mlir"), to="xevm", device=target)
    code = lower_to_llvm(lanes, target)
    contract = launch_contract(code, target)
    entries = cast("list[dict[str, Plain]]", contract["kernels"])
    options = cast("dict[str, str]", contract["build_options"])
    spirv = cast(bytes, emit(code, "spirv", target))
    found: list[Judged] = []
    for one, entry in zip(equal, entries, strict=True):
        arrays = _copied(one.program)
        function = find_function(lanes, one.program.name)
        execute_compiled(device, Compiled(function, spirv, entry, options), arrays)
        wrong = _difference(one.results, arrays)
        found.append(
            one
            if wrong is None
            else one._replace(verdict="differs", detail=f"on the device: {wrong}")
        )
    return found


def _difference(expected: Sequence[Array | int], found: Sequence[Array | int]) -> str | None:
    """The first array that has other bits, but for those of NaNs."""
    for number, (left, right) in enumerate(zip(expected, found, strict=True)):
        if not isinstance(left, numpy.ndarray) or not isinstance(right, numpy.ndarray):
            continue
        nan = left != left
        same = numpy.array_equal(nan, right != right) and (
            numpy.where(nan, numpy.zeros_like(left), left).tobytes()
            == numpy.where(nan, numpy.zeros_like(left), right).tobytes()
        )
        if not same:
            places = numpy.argwhere((left != right) & ~nan)
            place = tuple(int(n) for n in places[0]) if len(places) else ()
            return (
                f"argument {number} differs in {len(places)} elements, first at {list(place)}"
            )
    return None
