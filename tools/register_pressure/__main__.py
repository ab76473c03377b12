"""The command line; see the package."""

from argparse import ArgumentParser
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

from tools.register_pressure.comparing import faults, read_rows
from tools.register_pressure.kernels import Kernel, module_of, reported, tiles
from tools.register_pressure.measuring import measure
from xetile.codegen import emit, lower_to_llvm
from xetile.codegen.llvm_functions import is_kernel, llvm_functions
from xetile.errors import collected_remarks
from xetile.targets.target import RegisterFile

COLUMNS = ("device", "kind", "element", "tile", "file", "counted", "spilled")


def main() -> int:
    """Compile what the file has not, and write a line for each."""
    parser = ArgumentParser(
        prog="register_pressure", description="IGC's registers (needs ocloc)."
    )
    parser.add_argument("output", type=Path)
    parser.add_argument("--device", nargs="+", default=["bmg", "pvc"])
    parser.add_argument("--only", nargs="+", default=["*"], metavar="GLOB")
    parser.add_argument("--file", nargs="+", default=get_args(RegisterFile))
    parser.add_argument(
        "--compare",
        action="store_true",
        help="measure nothing; say where the estimate is wrong",
    )
    arguments = parser.parse_args()
    if arguments.compare:
        rows = [row for row in read_rows(arguments.output) if row.device in arguments.device]
        for fault in faults(rows):
            print(fault, flush=True)
        return 0
    done = _done(arguments.output)
    for device in arguments.device:
        for kernel in (*reported(device), *tiles()):
            if not any(fnmatchcase(" ".join(kernel), glob) for glob in arguments.only):
                continue
            missing = [f for f in arguments.file if (device, *kernel, f) not in done]
            for row in _rows(kernel, device, missing):
                print(row, flush=True)
                with arguments.output.open("a") as file:
                    file.write(f"{row}\n")
    return 0


def _done(path: Path) -> set[tuple[str, ...]]:
    if not path.exists():
        path.write_text("\t".join(COLUMNS) + "\n")
    lines = path.read_text().splitlines()[1:]
    return {tuple(line.split("\t")[:5]) for line in lines}


def _rows(kernel: Kernel, device: str, files: list[RegisterFile]) -> Iterator[str]:
    if not files:
        return
    with collected_remarks():
        lowered = lower_to_llvm(module_of(kernel), device)
    spirv = emit(lowered, "spirv", device)
    assert isinstance(spirv, bytes)
    (name,) = (f.sym_name.data for f in llvm_functions(lowered) if is_kernel(f))
    for file in files:
        counted, spilled = measure(spirv, name, device, file)
        yield "\t".join(map(str, (device, *kernel, file, counted, spilled)))


if __name__ == "__main__":
    raise SystemExit(main())
