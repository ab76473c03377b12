"""Explanations put together: what was heard of a kernel, what level L has of it, and what ocloc counts."""

from math import prod
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp

from xetile.analysis.kernels import kernel_functions
from xetile.analysis.targets import target_of
from xetile.codegen import only_kernel, statistics
from xetile.codegen.functions import hot_blocks, products_of, products_per_step
from xetile.codegen.options import known_register_file, register_file
from xetile.explanation.facts import Kernel, Loop, Registers
from xetile.explanation.instructions import instructions
from xetile.explanation.lowering import Heard, Lowered
from xetile.explanation.options import Options
from xetile.explanation.printing import Explanation
from xetile.explanation.sources import place_of
from xetile.levels import LAUNCH_ATTRIBUTE
from xetile.planning.pressure import noted
from xetile.targets.target import RegisterFile, Target
from xetile.targets.xe.device import MOST_HELD, REGISTER_BYTES, REGISTERS
from xetile.toolchain.paths import find_ocloc

PRINTED = "<module>"
"""What the text of a module is called whose ops have no positions."""


def explained(module: ModuleOp, device: str | None, options: Options) -> Explanation:
    """Explain the kernels of a module; see `xetile.explanation.explain`."""
    if options.kernel is not None:
        module = only_kernel(module, options.kernel)
    module = _with_places(module)
    target = target_of(module, device)
    if options.grf is not None:
        known_register_file(options.grf)
    lowered = Lowered(module, target.name, options)
    counts: dict[str, dict[str, float]] = {}
    if counts_assembly(options):
        counts = statistics(lowered.module, target.name, grf=options.grf)
    file = options.grf or register_file(lowered.module, target.name)
    return Explanation(
        tuple(
            _kernel(
                function,
                lowered.heard[function.sym_name.data],
                target,
                file,
                counts.get(function.sym_name.data),
            )
            for function in lowered.kernels
        )
    )


def counts_assembly(options: Options) -> bool:
    """Whether ocloc counts."""
    return find_ocloc() is not None if options.assembly is None else options.assembly


def _with_places(module: ModuleOp) -> ModuleOp:
    """The module, read from its own text if its kernels have no positions."""
    kernels = kernel_functions(module)
    if not kernels or any(place_of(op) for kernel in kernels for op in kernel.walk()):
        return module
    from io import StringIO

    from xdsl.printer import Printer

    from xetile.dialects.modules import parse

    stream = StringIO()
    Printer(stream=stream).print_op(module)
    return parse(f"{stream.getvalue()}\n", PRINTED)


def _kernel(
    function: llvm.FuncOp,
    heard: Heard,
    target: Target,
    file: RegisterFile,
    counted: dict[str, float] | None,
) -> Kernel:
    lanes, registers = heard.lanes, _registers(function, heard, file)
    hot = _hot(lanes.loops)
    if counted is not None:
        found, outside = counted["total"], int(counted["outside"])
        spilled = int(counted["spill_size"])
    else:
        blocks = hot_blocks(function) or function.body.blocks
        copies = sum(map(products_of, blocks)) / (products_per_step(function) or 1)
        found, outside = instructions(blocks) / (copies or 1), None
        spilled = registers.spilled
    return Kernel(
        name=function.sym_name.data,
        place=heard.source.place,
        device=target.name,
        grid=heard.grid,
        subgroups=None if heard.block is None else prod(heard.block) // target.threads,
        shared_bytes=_shared_bytes(function),
        accesses=heard.accesses(),
        is_tested=lanes.is_tested,
        once=lanes.once,
        loops=tuple(lanes.loops),
        owners=heard.owners,
        conversions=heard.conversions,
        registers=registers,
        hot=hot,
        instructions=found,
        outside=outside,
        counter="estimate" if counted is None else "ocloc",
        spilled=spilled,
    )


def _hot(loops: list[Loop]) -> int | None:
    """The loop with the most matrix instructions, those of loops in it too; of several the innermost."""
    own = [loop.tally.products for loop in loops]
    for number in reversed(range(len(loops))):
        outer = loops[number].outer
        if outer is not None:
            own[outer] += own[number]
    best = max(range(len(loops)), key=lambda number: (own[number], number), default=None)
    return best if best is not None and own[best] else None


def _registers(function: llvm.FuncOp, heard: Heard, file: RegisterFile) -> Registers:
    estimate = noted(function)
    return Registers(
        held=estimate.held.registers,
        counted=estimate.counted.registers,
        place=heard.place_held,
        file=file,
        size=REGISTERS[file],
        most=MOST_HELD[file],
        bytes=REGISTER_BYTES,
        holders=heard.holders,
    )


def _shared_bytes(function: llvm.FuncOp) -> int:
    launch = function.attributes.get(LAUNCH_ATTRIBUTE)
    found = launch.data.get("shared_memory") if isinstance(launch, DictionaryAttr) else None
    return cast("IntegerAttr", found).value.data if isinstance(found, IntegerAttr) else 0
