"""`xetile-compile`: kernels at any level to IR at a lower one, LLVM IR, SPIR-V, a binary, assembly."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xetile.cli.errors import ToolParser, run_tool
from xetile.cli.files import STANDARD
from xetile.cli.version import VersionAction

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

PROGRAM = "xetile-compile"

LEVELS = ("xegpu", "xevm", "llvm")
"""What is printed as IR."""

SUFFIXES = {"spirv": ".spv", "zebin": ".bin"}
"""What is binary, and the ending of the file that it goes to by default."""

KINDS = (*LEVELS, "ll", "spirv", "zebin", "asm")
STATISTICS_TO_STREAM = ""
CONTRACT_SUFFIX = ".json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; the result is its exit status."""
    return run_tool(PROGRAM, _run, arguments)


def _parser() -> ToolParser:
    parser = ToolParser(PROGRAM, "Compiles kernels for an Intel Xe GPU.")
    add = parser.add_argument
    add("--version", action=VersionAction, help="print the versions of all parts")
    add("input", metavar="IN", help="file with kernels, at any level; - is standard input")
    add("--device", required=True, help="pvc, bmg, lnl, ptl or cri")
    add("--emit", choices=KINDS, default="spirv", help="what to make (spirv)")
    add(
        "-o",
        dest="output",
        metavar="OUT",
        help="file to write, - for standard output; by default text goes to standard output, and "
        "spirv and zebin to a file named after the input. Beside such a file, OUT.json says how to "
        "launch it",
    )
    add(
        "--stats",
        nargs="?",
        const=STATISTICS_TO_STREAM,
        metavar="FILE",
        help="instruction counts of the hot loop per K step as JSON (needs ocloc), to a file given as "
        "--stats=FILE, else to standard output, or standard error where the code is there",
    )
    add("--kernel", metavar="NAME", help="compile this kernel only")
    add("--grf", choices=("small", "large"), default="large", help="register file (large)")
    return parser


def _separate_statistics(arguments: list[str]) -> list[str]:
    """`--stats` takes a file behind `=` only, so that it may stand before the input."""
    return [f"--stats={STATISTICS_TO_STREAM}" if a == "--stats" else a for a in arguments]


def _run(arguments: list[str]) -> int:
    options = _parser().parse_args(_separate_statistics(arguments))
    from xetile.api import parse_text
    from xetile.cli.files import read_input
    from xetile.targets.device import device

    device(options.device)
    if options.stats is not None:
        from xetile.toolchain.ocloc import need_ocloc

        need_ocloc()
    text, name = read_input(options.input)
    output = _output(options, name)
    module = parse_text(text, name)
    if options.kernel is not None:
        _keep_only(module, options.kernel)
    if options.emit in LEVELS:
        _emit_ir(module, options, output)
    else:
        _emit_code(module, options, output)
    return 0


def _output(options: Namespace, name: str) -> str:
    """The file for the code, or STANDARD."""
    from xetile.errors import XetileError

    if options.output is not None:
        return options.output
    suffix = SUFFIXES.get(options.emit)
    if suffix is None:
        return STANDARD
    if options.input == STANDARD:
        raise XetileError(f"{options.emit} of standard input needs a place to go; give -o")
    return Path(name).stem + suffix


def _keep_only(module: "ModuleOp", wanted: str) -> None:
    from xetile.analysis.kernels import kernel_functions
    from xetile.cli.kernels import kernel_name
    from xetile.errors import XetileError

    kernels = kernel_functions(module)
    names = [kernel_name(function) for function in kernels]
    if wanted not in names:
        raise XetileError(f"there is no kernel '{wanted}', but {', '.join(names) or 'none at all'}")
    for function, name in zip(kernels, names, strict=True):
        if name != wanted:
            function.detach()
            function.erase()


def _emit_ir(module: "ModuleOp", options: Namespace, output: str) -> None:
    from xetile.api import lower, text
    from xetile.cli.files import write_output

    lowered = lower(module, to=options.emit, device=options.device)
    statistics = _statistics(module, options) if options.stats is not None else None
    write_output(output, text(lowered))
    _write_statistics(statistics, options, output)
