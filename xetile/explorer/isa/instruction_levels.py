"""Level P, the SPIR-V of a kernel, and level I, its instructions on the device, both linked to ops of level L.

`spirv-dis` writes level P. Without it the level is the LLVM IR of which the SPIR-V is made, and a note says so. If
ocloc refuses the kernel, a note says so in place of level I; if it is missing, the model's notes do.

Debug lines give the instructions before the first op of the kernel only to the function. Their ops are guessed:

    and r255 r0 0xFFFFFFC0         address of the kernel's arguments     of the next
    send.ugm r1 r255 ..            brings them                           of the op that first reads r1
    mov null r255                  waits until r255 is free again        of the message in front
    or cr0 cr0 0x4C0               how floats round                      the compiler's own

The guess is that such an instruction belongs to the first op that reads its result: others may read it too.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from xetile.codegen.build_options import build_options
from xetile.errors import XetileError
from xetile.explorer.isa.debug_lines import Row, line_rows, lines_at, with_lines
from xetile.explorer.isa.isa_operands import Operation, Region, read
from xetile.explorer.isa.spirv_marks import Marked, marked
from xetile.explorer.linking.trace import Traced, number_of
from xetile.explorer.model import Kernel, Level, Op
from xetile.targets.xe.device import REGISTER_BYTES
from xetile.toolchain import sandbox
from xetile.toolchain.assembly import Instruction, Program, parse_assembly
from xetile.toolchain.ocloc import Disassembly, compiling, disassembling, need_ocloc
from xetile.toolchain.paths import find_ocloc, find_spirv_dis


class Listing(NamedTuple):
    """The assembly of a kernel.

    Attributes:
        program: its instructions, which are those of the level, as far as a thread executes them.
        links: for each instruction its op of level L; None for the compiler's own, and for guesses.
        level: the index of the level with the instructions.
        origin: the index of level L.
    """

    program: Program
    links: list[int | None]
    level: int
    origin: int


def listing(kernel: Kernel) -> Listing | None:
    """Return the assembly of a kernel, or None if there is none."""
    found = next((n for n, level in enumerate(kernel.levels) if level.id == "I"), None)
    if found is None or (origin := kernel.levels[found].of) is None:
        return None
    level = kernel.levels[found]
    program = parse_assembly("\n".join(level.lines))
    return Listing(program, _links(kernel, level, len(program.instructions)), found, origin)


def _links(kernel: Kernel, level: Level, count: int) -> list[int | None]:
    """Return the op of each instruction, None for guesses, without instructions after the end of the thread."""
    links = [op.parents[0] if op.parents else None for op in level.ops]
    for number in kernel.inferred:
        links[number] = None
    assert len(links) >= count, (len(links), count)
    return links[:count]


class _Used(NamedTuple):
    """Bytes of registers, from `first` to before `end`."""

    first: int
    end: int

    def meets(self, other: "_Used") -> bool:
        return self.first < other.end and other.first < self.end


def followed(
    instructions: Sequence[Instruction], links: Sequence[int | None]
) -> Mapping[int, int]:
    """Return, for instructions without a link, the ops that they serve; unknown ones are left out."""
    operations = [read(one, REGISTER_BYTES) for one in instructions]
    found: dict[int, int] = {}
    for place in reversed(range(len(links))):
        if links[place] is not None:
            continue
        reader = _reader(operations, place)
        link = None if reader is None else found.get(reader, links[reader])
        if link is not None:
            found[place] = link
    for place, one in enumerate(instructions):
        before = place - 1
        if links[place] is None and before in found and _waits(one, operations[place]):
            is_message = instructions[before].mnemonic.startswith("send")
            if is_message or _waits(instructions[before], operations[before]):
                found[place] = found[before]
    return found


def _waits(one: Instruction, operation: Operation) -> bool:
    """Return True if an instruction only waits: it writes nothing."""
    return one.mnemonic in ("mov", "sync") and operation.words[0].startswith("null")


def _reader(operations: Sequence[Operation], place: int) -> int | None:
    """Return the next instruction in the text that reads the result of one before it is overwritten, or None."""
    target = operations[place].target
    if target is None or target.file != "r":
        return None
    written = _used(target, operations[place])
    for number in range(place + 1, len(operations)):
        other = operations[number]
        sources = (region for region in other.sources if region is not None)
        if any(_used(one, other).meets(written) for one in sources if one.file == "r"):
            return number
        over = None if other.target is None else _used(other.target, other)
        if over is not None and over.first <= written.first and over.end >= written.end:
            return None
    return None


def _used(region: Region, operation: Operation) -> _Used:
    if not region.type:  # of a message: whole registers
        length = max(operation.bytes or 0, REGISTER_BYTES)
        return _Used(region.byte, region.byte + length)
    return _Used(region.byte, region.place(operation.channels - 1) + region.size)


COMPACTED, PLAIN = 8, 16
"""Bytes of a compacted and of a plain instruction. Source: sums of both are the sizes of `.text` of ocloc 26.27."""

DISASSEMBLY_SECONDS = 60.0
"""Time limit of spirv-dis."""

_END = re.compile(r"[{,]EOT\b")
_LABEL = re.compile(r"\w+:$")
_NAME = re.compile(r"\s*(?:%\S+ = )?(?:tail )?(\w+)")
"""A line of SPIR-V or LLVM IR that has an op, and the op's name."""


class Printed(NamedTuple):
    """Instructions of a kernel: lines, and for each instruction its line and its address in bytes."""

    lines: list[str]
    instructions: list[int]
    addresses: list[int]


class Begun(NamedTuple):
    """A kernel that ocloc is compiling, with the data that link its answer.

    Attributes:
        binary: waits for the binary and returns it.
        numbers: for each op of level L, as marks count them, its index in `Level.ops`.
        above: index of level L.
    """

    binary: Callable[[], bytes]
    numbers: Sequence[int | None]
    above: int


class Built(NamedTuple):
    """A kernel whose binary ocloc disassembles: its instructions' lines, and the function that returns their texts."""

    rows: list[Row]
    disassembly: Callable[[], Disassembly]
    begun: Begun


def begin_assembly(trace: Traced, ending: ExitStack) -> Begun | None:
    """Add level P to a kernel that reached level L, and start ocloc; `ending` ends it.

    Return None if ocloc has nothing to do. If LLVM rejects the kernel, a note says so.

    Raise XetileError without ocloc if the options ask for assembly.
    """
    above = trace.level("L")
    if above is None or trace.level("P") is not None:
        return None
    try:
        found = marked(trace.module)
    except XetileError as error:
        trace.kernel.notes.append(f"level P is missing: {error}")
        return None
    numbers = [number_of(op, "L") for op in found.ops]
    binary = _begun(trace, found, ending)  # ocloc runs in the background from here on
    trace.kernel.levels.append(_spirv_level(trace, found, numbers, above))
    return None if binary is None else Begun(binary, numbers, above)


def _begun(trace: Traced, found: Marked, ending: ExitStack) -> Callable[[], bytes] | None:
    """Start ocloc; return the function that waits for the binary, or None."""
    if trace.options.assembly is False:
        return None
    if trace.options.assembly:
        need_ocloc()
    if find_ocloc() is None:
        return None
    device = trace.device.name
    options = build_options(trace.module, device, grf=trace.options.grf).level_zero
    spirv = with_lines(found.spirv, found.instructions, found.parents)
    try:
        return ending.enter_context(compiling(spirv, device, [*options, "-g"]))
    except XetileError as error:
        _note_missing(trace, error)
        return None


def begin_disassembly(trace: Traced, begun: Begun | None, ending: ExitStack) -> Built | None:
    """Once ocloc has compiled a kernel, make it disassemble the binary; `ending` ends it.

    If ocloc rejects the kernel, add a note and return None.
    """
    if begun is None:
        return None
    try:
        binary = begun.binary()
        disassembly = ending.enter_context(disassembling(binary, trace.device.name))
        return Built(line_rows(binary), disassembly, begun)
    except XetileError as error:
        _note_missing(trace, error)
        return None


def end_assembly(trace: Traced, built: Built | None) -> None:
    """Add level I when ocloc is done, and its assembly to the trace. If that fails, add a note."""
    if built is None:
        return
    try:
        trace.disassembly = built.disassembly()
        level = _instruction_level(trace, built.rows, trace.disassembly, built.begun)
    except XetileError as error:
        _note_missing(trace, error)
        return
    trace.kernel.levels.append(level)


def _note_missing(trace: Traced, error: XetileError) -> None:
    trace.kernel.notes.append(f"level I is missing: {error}")


def printed(assembly: str) -> Printed:
    """Return the lines of a kernel's assembly, up to the end of its thread.

    Labels without a jump to them are left out.
    """
    texts = [line.rstrip() for line in assembly.splitlines()]
    used = set(re.findall(r"\bL\d+\b", "\n".join(t for t in texts if not _LABEL.match(t))))
    ends = [number for number, text in enumerate(texts, 1) if _END.search(text)]
    found = Printed([], [], [])
    address = 0
    for text in texts[: ends[-1] if ends else None]:
        is_label = _LABEL.match(text) is not None
        if not text or text.lstrip().startswith(("//", ".")):
            continue
        if is_label and text[:-1] not in used:
            continue
        if not is_label:
            found.instructions.append(len(found.lines))
            found.addresses.append(address)
            address += COMPACTED if "Compacted" in text else PLAIN
        found.lines.append(text)
    return found


def _spirv_level(
    trace: Traced, found: Marked, numbers: Sequence[int | None], above: int
) -> Level:
    try:
        level = Level("P", "SPIR-V", above, lines=_disassembled(found))
        parents = found.parents
    except XetileError as error:
        trace.kernel.notes.append(f"level P is LLVM IR in place of SPIR-V: {error}")
        level = Level("P", "LLVM IR", above, lines=[text for text, _ in found.text])
        parents = [parent for _, parent in found.text]
    for line, (text, parent) in enumerate(zip(level.lines, parents, strict=True)):
        name = _NAME.match(text)
        if name is None:
            continue
        number = None if parent is None else numbers[parent]
        of = () if number is None else (number,)
        first = len(text) - len(text.lstrip())
        level.ops.append(Op(line, first, len(text), trace.name(name[1]), of))
    return level


def _disassembled(found: Marked) -> list[str]:
    """Return the text of a SPIR-V module, a line for each instruction.

    Errors: XetileError if spirv-dis is missing, fails or takes too long.
    """
    program = find_spirv_dis()
    if program is None:
        raise XetileError(
            "spirv-dis is not installed; install spirv-tools or name its spirv-val in XETILE_SPIRV_VAL"
        )
    with TemporaryDirectory(prefix="xetile-") as folder:
        file = Path(folder, "kernel.spv")
        file.write_bytes(found.spirv)
        command = [program, "--no-color", "--no-header", "--no-indent", file]
        outcome = sandbox.run(command, seconds=DISASSEMBLY_SECONDS)
    lines = outcome.output.splitlines()
    if outcome.status != 0 or len(lines) != len(found.instructions):
        raise XetileError(f"spirv-dis cannot read it ({sandbox.ending(outcome)})")
    return lines


def _instruction_level(
    trace: Traced, rows: list[Row], disassembly: Disassembly, begun: Begun
) -> Level:
    name, (_, numbers, above) = trace.kernel.name, begun
    if name not in disassembly.kernels:
        raise XetileError(f"ocloc's binary has no kernel {name}")
    text = printed(disassembly.kernels[name])
    lines = lines_at(rows, f".text.{name}", text.addresses)
    level = Level("I", f"instructions of {trace.device.name}", above, lines=text.lines)
    named = [None if n is None or n > len(numbers) else numbers[n - 1] for n in lines]
    program = parse_assembly("\n".join(text.lines)).instructions
    guessed = _guessed(trace, program, named, above)
    trace.kernel.inferred = sorted(guessed)
    placed = zip(text.instructions, program, named, strict=True)
    for one, (place, instruction, known) in enumerate(placed):
        words = text.lines[place]
        mnemonic = instruction.text.split()[0]
        number = guessed.get(one, known)
        parents = () if number is None else (number,)
        first = len(words) - len(words.lstrip())
        level.ops.append(Op(place, first, len(words), trace.name(mnemonic), parents))
    return level


def _guessed(
    trace: Traced, program: Sequence[Instruction], named: Sequence[int | None], above: int
) -> Mapping[int, int]:
    """Return guessed ops of instructions that have the line of the function or none, up to the end of the thread."""
    ops = trace.kernel.levels[above].ops
    functions = {n for n, op in enumerate(ops) if trace.kernel.names[op.name] == "llvm.func"}
    links = [None if number in functions else number for number in named]
    return followed(program, links)
