"""Intel's offline compiler: SPIR-V to a device's binary (zebin), and back to assembly."""

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from xetile.errors import XetileError
from xetile.toolchain.assembly import described
from xetile.toolchain.paths import find_ocloc
from xetile.toolchain.sandbox import Outcome, begun, ending, run

TIME_LIMIT = 300.0
"""Seconds that one call of ocloc may take."""

LOADER_SYMBOLS = ("__INTEL_PATCH_", "__INTEL_PER_THREAD_OFF")
"""Prefixes of symbols that the driver resolves when it loads a binary; any other undefined symbol is a
builtin that the compiler does not know (ocloc does not report it).
"""


_VERSION_SECONDS = 30.0


class Disassembly(NamedTuple):
    """A binary as text: the assembly of each kernel, and the description of the kernels (`.ze_info`)."""

    kernels: dict[str, str]
    description: str


def need_ocloc() -> Path:
    """Return the path of ocloc.

    Raise XetileError that says how to name one if there is none.
    """
    found = find_ocloc()
    if found is None:
        raise XetileError("ocloc is needed and not installed; name it in XETILE_OCLOC")
    return found


@cache
def ocloc_version() -> str:
    """Return the version that ocloc prints, such as `26.27.039122`, or an empty string if it prints none.

    Raise XetileError if ocloc is missing, or does not answer.
    """
    return run([need_ocloc(), "--version"], seconds=_VERSION_SECONDS).output.strip()


def compile_spirv(spirv: bytes, device: str, options: Sequence[str] = ()) -> bytes:
    """Return the binary (zebin, an ELF file) of a SPIR-V module for a named device; options are Level Zero's.

    Raise XetileError if ocloc is missing, rejects the module or crashes, or if the
    binary has undefined symbols other than the loader's.
    """
    with compiling(spirv, device, options) as binary:
        return binary()


@contextmanager
def compiling(
    spirv: bytes, device: str, options: Sequence[str] = ()
) -> Generator[Callable[[], bytes]]:
    """Run ocloc in the background; the yielded function is called once, and returns as `compile_spirv` does.

    Raise XetileError if ocloc is missing or cannot be started.
    """
    arguments = ["-spirv_input", "-output", "kernel", "-output_no_suffix"]
    if options:
        arguments += ["-options", " ".join(options)]
    with _at_work("compile", "kernel.spv", spirv, device, arguments) as (folder, command, end):

        def binary() -> bytes:
            outcome = end(TIME_LIMIT)
            if outcome.status != 0:
                # sometimes IGC crashes on input that it accepts the next time
                outcome = run(command, folder=folder, seconds=TIME_LIMIT)
            return _binary(folder / "kernel.bin", outcome, device)

        yield binary


@contextmanager
def _at_work(
    task: str, name: str, data: bytes, device: str, arguments: Sequence[str]
) -> Generator[tuple[Path, list[str | Path], Callable[[float], Outcome]]]:
    """Start ocloc on a file in a new folder; yield the folder, the command, and a function that awaits the result."""
    program = need_ocloc()
    with TemporaryDirectory(prefix="xetile-") as place:
        folder = Path(place)
        (folder / name).write_bytes(data)
        command = [program, task, "-file", name, "-device", device, *arguments]
        with begun(command, folder=folder) as end:
            yield folder, command, end


def _binary(file: Path, outcome: Outcome, device: str) -> bytes:
    """Return the binary that ocloc has written."""
    from xetile.toolchain.elf import undefined_symbols

    if outcome.status != 0 or not file.exists():
        raise XetileError(f"ocloc refuses the kernel for {device}: {_reason(outcome)}")
    data = file.read_bytes()
    unknown = [name for name in undefined_symbols(data) if not name.startswith(LOADER_SYMBOLS)]
    if unknown:
        raise XetileError(f"ocloc knows no {', '.join(unknown)} for {device}")
    return data


def disassemble(zebin: bytes, device: str) -> Disassembly:
    """Return the assembly of every kernel of a binary for a device.

    Raise XetileError if ocloc is missing or cannot read the binary.
    """
    with disassembling(zebin, device) as disassembly:
        return disassembly()


@contextmanager
def disassembling(zebin: bytes, device: str) -> Generator[Callable[[], Disassembly]]:
    """Run ocloc in the background; the yielded function is called once, and returns as `disassemble` does.

    Raise XetileError if ocloc is missing or cannot be started.
    """
    arguments = ["-dump", "dump"]
    with _at_work("disasm", "kernel.bin", zebin, device, arguments) as (folder, _, end):
        yield lambda: _disassembly(folder / "dump", end(TIME_LIMIT), device)


def _disassembly(dump: Path, outcome: Outcome, device: str) -> Disassembly:
    """Return the disassembly that ocloc has written."""
    if outcome.status != 0:
        raise XetileError(f"ocloc cannot disassemble for {device}: {_reason(outcome)}")
    # the files are named after their section, `.text.<kernel>.asm`
    texts = sorted(dump.glob(".text.*.asm"))
    kernels = {text.name[len(".text.") : -len(".asm")]: text.read_text() for text in texts}
    description = (dump / ".ze_info").read_text()
    missing = [kernel for kernel in described(description) if kernel not in kernels]
    if missing:  # the name cannot be that of a file, and ocloc does not say so
        raise XetileError(
            f"ocloc writes no assembly of the kernel '{missing[0]}'; take a name without '/'"
        )
    return Disassembly(kernels, description)


def _reason(outcome: Outcome) -> str:
    """Return ocloc's first error on one line; it prints errors to either stream."""
    printed = f"{outcome.output}\n{outcome.errors}"
    found = re.search(r"error: *(?:IGC:\s*)?(\S.*)", printed, re.IGNORECASE)
    if found is not None:
        return found.group(1).strip()
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return f"{ending(outcome)}, {lines[-1]}" if lines else ending(outcome)
