"""Building explanations from the passes' decisions on a kernel, its code at level L, and ocloc's counts.

While a module is lowered, a listener records what each pass decided for each kernel, as plain data.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from math import prod
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.ir import Operation

from xetile.analysis.kernel_targets import target_of
from xetile.analysis.module_kernels import (
    functions,
    kernel_functions,
    launch_sizes,
    symbol_name,
)
from xetile.codegen import lower_to_llvm, only_kernel, statistics
from xetile.codegen.build_options import known_register_file, register_file
from xetile.codegen.llvm_functions import (
    hot_blocks,
    is_kernel,
    llvm_functions,
    products_of,
    products_per_step,
)
from xetile.errors import XetileError
from xetile.explanation.compile_options import Options
from xetile.explanation.facts import (
    Access,
    Conversion,
    Holder,
    Kernel,
    Loop,
    Owners,
    Place,
    Registers,
)
from xetile.explanation.instructions import instructions
from xetile.explanation.lane_summary import At, Lanes, read_lanes
from xetile.explanation.printed_report import Explanation
from xetile.explanation.sources import Source, Tile, place_of, read_source, read_subgroup
from xetile.levels import LAUNCH_ATTRIBUTE
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.passes.tiles.xetile_wg_to_sg.report import Owners as OwnersOfPass
from xetile.passes.tiles.xetile_wg_to_sg.report import report
from xetile.passes.xe.convert_xevm_to_llvm.control_flow import LOOPS
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView
from xetile.planning.decided import listening
from xetile.planning.xe.pressure import Estimate, noted
from xetile.planning.xe.register_layouts import RegisterLayouts
from xetile.targets.target import RegisterFile, Target
from xetile.targets.xe.device import MOST_HELD, REGISTER_BYTES, REGISTERS
from xetile.toolchain.paths import find_ocloc

_NOWHERE = Place("", 0, 0)


@dataclass
class Heard:
    """The facts about a kernel, as they arrive from the passes."""

    source: Source
    lanes: Lanes = field(default_factory=Lanes)
    owners: tuple[Owners, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    place_held: Place | None = None
    holders: tuple[Holder, ...] = ()
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None

    def accesses(self) -> tuple[Access, ...]:
        """Return the accesses in the order of the source, with their messages; then those that only lower levels have.

        Exchanges through shared memory, which the source does not have, are left out.
        """
        tiles = self.source.accesses
        order = {at: number for number, at in enumerate(tiles)}
        made = [at for at in self.lanes.messages if at.space == "global" or at[:2] in order]
        known = {(at.place, at.kind) for at in made}
        left = [At(*at, None, tiles[at].space) for at in order if at not in known]

        def key(at: At) -> int:
            number = None if at.place is None else order.get((at.place, at.kind))
            return len(order) if number is None else number

        return tuple(self._access(at) for at in sorted([*made, *left], key=key))

    def _access(self, at: At) -> Access:
        known = None if at.place is None else (at.place, at.kind)
        tile = None if known is None else self.source.accesses.get(known)
        own = [] if known is None else self.source.subgroup.get(known, [])
        named = tile or (own[0] if own else Tile(at.space, "", "", None, ()))
        is_workgroup = tile is not None and self.source.is_workgroup
        return Access(
            place=at.place,
            kind=at.kind,
            space=at.space,
            matrix=named.matrix,
            element=named.element,
            bits=named.bits,
            workgroup=named.shape if is_workgroup else None,
            subgroup=own[0].shape if own else None,
            units=len(own),
            messages=self.lanes.of(at),
            loop=at.loop,
        )


class Lowered:
    """A module at level L, and the passes' decisions by kernel."""

    def __init__(self, module: ModuleOp, device: str, options: Options) -> None:
        self.heard: dict[str, Heard] = {}
        for function in kernel_functions(module):
            heard = self.heard[symbol_name(function)] = Heard(read_source(function))
            heard.grid = launch_sizes(function, "known_grid_size")
            heard.block = launch_sizes(function, "known_block_size")
        with listening(self._hear):
            self.module = lower_to_llvm(
                module, device, assume=options.assume, unroll=options.unroll
            )
        self.kernels = list(filter(is_kernel, llvm_functions(self.module)))
        for function in self.kernels:
            if function.sym_name.data not in self.heard:
                raise XetileError(
                    f"kernel '{function.sym_name.data}' is at level llvm already; "
                    "what is explained is how a kernel comes there, so give it at a higher level",
                )

    def _hear(self, at: Operation, what: object) -> None:
        match what:
            case XeTileWgToSg():
                for function in functions(at):
                    if (heard := self.heard.get(symbol_name(function))) is not None:
                        read_subgroup(heard.source, function)
            case OwnersOfPass():
                self._of(at).owners = tuple(
                    Owners(place_of(line.at), line.what, line.how) for line in report(what)
                )
            case RegisterLayouts():
                heard = self._of(at)
                heard.conversions = _conversions(heard.source, what)
            case LLVMView():
                self._of(at).lanes = read_lanes(what)
            case Estimate():
                heard = self._of(at)
                heard.place_held = place_of(what.held.at)
                heard.holders = _holders(heard.source, what)
            case _:
                pass

    def _of(self, function: Operation) -> Heard:
        return self.heard[symbol_name(function)]


def _conversions(source: Source, layouts: RegisterLayouts) -> tuple[Conversion, ...]:
    """Return the conversions in the order of the source, equal ones merged."""
    counts: Counter[Conversion] = Counter()
    for made in layouts.conversions:
        place = place_of(made.op)
        told = source.ops.get(place) if place else None
        name = told or made.op.name.partition(".")[2]
        how = "packing" if made.kind == "none" else made.kind
        type = str(made.value.type)
        loop = _loop_at(made.op, made.depth)
        counts[Conversion(place, name, type, how, made.price, 1, loop, made.reason)] += 1
    found = [replace(one, count=count) for one, count in counts.items()]
    return tuple(sorted(found, key=lambda one: (one.place or _NOWHERE, one.how)))


def _loop_at(op: Operation, depth: int) -> Place | None:
    """Return the place of the loop at `depth` among the loops around an op, or None."""
    around: list[Operation] = []
    outer = op.parent_op()
    while outer is not None:
        if outer.name in LOOPS:
            around.append(outer)
        outer = outer.parent_op()
    return place_of(around[-depth]) if 0 < depth <= len(around) else None


def _holders(source: Source, estimate: Estimate) -> tuple[Holder, ...]:
    """Return the values that occupy registers at the peak, by places of the source."""
    sizes: Counter[Place | None] = Counter()
    for holder in estimate.holders():
        sizes[place_of(holder.op)] += holder.bytes
    return tuple(
        Holder(place, source.ops.get(place, "") if place else "", size / REGISTER_BYTES)
        for place, size in sizes.most_common()
    )


PRINTED = "<module>"
"""The file name of a module's printed text, if its ops have no positions."""


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
    """Return True if ocloc counts."""
    return find_ocloc() is not None if options.assembly is None else options.assembly


def _with_places(module: ModuleOp) -> ModuleOp:
    """Return the module, parsed from its own text if its kernels have no positions."""
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
    """Return the loop with the most matrix instructions, including those of inner loops; of several the innermost."""
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
