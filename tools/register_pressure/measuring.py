"""One compilation by ocloc, with what IGC writes of its own estimate."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from xetile.targets.target import RegisterFile
from xetile.targets.xe.device import BUILD_OPTIONS
from xetile.toolchain.assembly import environment
from xetile.toolchain.ocloc import need_ocloc

TIME_LIMIT = 300.0
"""Seconds that one compilation may take."""


class Measured(NamedTuple):
    """Registers that IGC counts (the first time that it compiles the kernel), and bytes that are spilled in the end."""

    counted: int
    spilled: int


def measure(spirv: bytes, kernel: str, device: str, file: RegisterFile) -> Measured:
    """What IGC says of a kernel of a module.

    Errors: CalledProcessError, TimeoutExpired where ocloc does not compile it.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernel.spv").write_bytes(spirv)
        command = [
            *(str(need_ocloc()), "compile", "-file", "kernel.spv", "-spirv_input"),
            *("-device", device, "-output", "kernel", "-output_no_suffix"),
        ]
        dumps = f"ShaderDumpEnable=1,DumpToCustomDir={folder},DumpRegPressureEstimate=1"
        options = [*BUILD_OPTIONS[file].level_zero, f"-igc_opts '{dumps}'"]
        subprocess.run(
            [*command, "-options", " ".join(options)],
            cwd=folder,
            check=True,
            capture_output=True,
            timeout=TIME_LIMIT,
        )
        (description,) = folder.glob("*.zeinfo")
        spilled = environment(description.read_text(), kernel)["spill_size"]
        return Measured(_counted(folder), int(spilled))


def _counted(folder: Path) -> int:
    """The figure of the first compilation; where that spills, IGC compiles again."""
    files = sorted(folder.glob("*_final_RegEst.ll"), key=lambda path: (len(path.name), path))
    found = re.search(r"MaxPressure In Function: (\d+)", files[0].read_text())
    assert found is not None
    return int(found.group(1))
