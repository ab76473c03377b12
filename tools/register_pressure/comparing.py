"""The estimate beside what was measured."""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

from tools.register_pressure.kernels import Kernel, module_of
from xetile.codegen import lower_to_llvm
from xetile.codegen.llvm_functions import is_kernel, llvm_functions
from xetile.errors import collected_remarks
from xetile.planning.xe.pressure import Estimate, noted
from xetile.targets.target import RegisterFile

NEAR = 12
"""Registers by which the estimate may differ from IGC's."""


class Row(NamedTuple):
    """A line of the file: what was compiled, IGC's count of registers, bytes that are spilled."""

    device: str
    kernel: Kernel
    file: RegisterFile
    counted: int
    spilled: int


def read_rows(path: Path) -> Iterator[Row]:
    """The lines of a file that the tool wrote."""
    for line in path.read_text().splitlines()[1:]:
        device, kind, element, tile, file, counted, spilled = line.split("\t")
        kernel = Kernel(kind, element, tile)
        yield Row(device, kernel, cast("RegisterFile", file), int(counted), int(spilled))


@cache
def estimated(device: str, kernel: Kernel) -> Estimate:
    """What is estimated of a kernel now."""
    with collected_remarks():
        lowered = lower_to_llvm(module_of(kernel), device)
    (function,) = filter(is_kernel, llvm_functions(lowered))
    return noted(function)


def faults(rows: Iterable[Row]) -> Iterator[str]:
    """One line for each row where the estimate is wrong."""
    for row in rows:
        found = estimated(row.device, row.kernel)
        about = f"{' '.join((row.device, *row.kernel, row.file))}: {found.held.registers} held"
        if row.spilled and found.fits(row.file):
            yield f"{about}, not warned of: {row.spilled} bytes are spilled"
        if row.file == "large" and not row.spilled and not found.fits("large"):
            yield f"{about}, warned of: nothing is spilled"
        if row.kernel.kind == "report" and row.file == "large":
            distance = found.counted.registers - row.counted
            if abs(distance) > NEAR:
                yield f"{about}: {found.counted.registers} counted, IGC counts {row.counted}"
