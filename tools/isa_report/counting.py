"""Counts of one kernel on one device, ours and upstream's, by the same counter (xetile/toolchain/assembly.py)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tools.isa_report.bounds import bound
from tools.isa_report.kernels import KERNELS, Kernel
from tools.isa_report.upstream.routes import CHIPS, to_spirv
from xetile.analysis.kernel_targets import device_named
from xetile.api import parse_text
from xetile.codegen import disassembly, lower_to_llvm
from xetile.codegen.build_options import build_options
from xetile.codegen.llvm_functions import is_kernel, llvm_functions
from xetile.codegen.walk import walk
from xetile.errors import XetileError
from xetile.planning.xe.pressure import noted
from xetile.targets.xe.device import XeDevice
from xetile.toolchain.assembly import (
    Work,
    classify,
    loop_ranges,
    parse_assembly,
    pipe_cycles,
    statistics,
)
from xetile.toolchain.ocloc import Disassembly, compile_spirv, disassemble

Counts = dict[str, float]
"""Keys as `xetile-compile --stats` has them."""


class Found(NamedTuple):
    """Counts of one code, or why there is none; and what ocloc was told."""

    counts: Counts | None
    fails: str = ""
    options: tuple[str, ...] = ()


def ours(kernel: Kernel, device: str) -> Found:
    """What xetile makes, and `bound`: the fewest messages of a step."""
    try:
        lowered = lower_to_llvm(parse_text(kernel.text(), "kernel.mlir"), device)
        (function,) = filter(is_kernel, llvm_functions(lowered))
        work = walk(function, kernel.arguments)
        found = disassembly(lowered, device)
    except XetileError as error:
        return Found(None, str(error))
    counts = count(kernel, found, work, device_named(device, XeDevice))
    counts["estimated_registers"] = noted(function).counted.registers
    options = build_options(lowered, device, grf=None).level_zero
    return Found(counts | {"bound": bound(kernel.tiles, device)}, options=options)


def upstreams(
    kernel: Kernel, position: int, options: Mapping[str, Sequence[str]]
) -> dict[str, Found]:
    """What one of upstream's ways makes, by device; SPIR-V is made once for the devices of one of its chips.

    `options` are what ocloc is told for each device.
    """
    way = kernel.ways()[position]
    codes: dict[str, bytes | str] = {}
    found: dict[str, Found] = {}
    for device, told in options.items():
        chip = device if device in CHIPS else CHIPS[-1]
        if chip not in codes:
            try:
                codes[chip] = to_spirv(way.text, way.level, way.route, chip)
            except XetileError as error:
                codes[chip] = str(error)
        code = codes[chip]
        found[device] = (
            Found(None, code) if isinstance(code, str) else _built(kernel, code, device, told)
        )
    return found


def _built(kernel: Kernel, code: bytes, device: str, options: Sequence[str]) -> Found:
    target = device_named(device, XeDevice)
    try:
        listing = disassemble(compile_spirv(code, device, options), device)
    except XetileError as error:
        return Found(None, str(error))
    work = Work(looped=True, products_per_step=kernel.dpas)
    return Found(count(kernel, listing, work, target))


def count(kernel: Kernel, listing: Disassembly, work: Work, device: XeDevice) -> Counts:
    """Counts of the only kernel of a binary."""
    ((name, assembly),) = listing.kernels.items()
    counts = statistics(assembly, listing.description, name, work=work, rates=device.rates)
    return counts if kernel.dpas else counts | per_block(assembly, device, kernel.blocks)


def per_block(assembly: str, device: XeDevice, blocks: int) -> Counts:
    """Of a kernel without matrix instructions: what its loops have for each block that they load, added up.

    Each loop loads `blocks`. Nothing where there is no loop: the kernel was counted whole.
    """
    program = parse_assembly(assembly)
    sums: dict[str, float] = {}
    inside = 0
    executed = len(program.instructions)
    for loop in loop_ranges(program):
        body = program.instructions[loop.start : loop.stop]
        kinds = Counter(map(classify, body))
        loads = kinds["load2d"]
        if not loads:
            continue
        inside += len(body)
        executed += (blocks // loads - 1) * len(body)
        found: Mapping[str, float] = {
            **kinds,
            "total": len(body),
            "cycles": max(pipe_cycles(body, device.rates).values()),
        }
        for key, number in found.items():
            sums[key] = sums.get(key, 0) + number / loads
    if not inside:
        return {}
    keys = ("total", "load2d", "prefetch2d", "store2d", "mov", "alu", "sync", "cycles")
    return {key: round(sums.get(key, 0), 4) for key in keys} | {
        "outside": len(program.instructions) - inside,
        "instructions": executed,
    }


def names_of(globs: list[str]) -> list[str]:
    """The kernels whose names match."""
    from fnmatch import fnmatchcase

    return [name for name in KERNELS if any(fnmatchcase(name, glob) for glob in globs)]
