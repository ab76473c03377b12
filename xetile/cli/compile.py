"""`xetile-compile`: kernels at any level to IR at a lower one, LLVM IR, SPIR-V, a binary, assembly."""

import json
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from xetile.cli.errors import ToolParser, run_tool
from xetile.cli.files import STANDARD, read_input, write_output, write_outputs
from xetile.errors import XetileError
from xetile.levels import below
from xetile.targets import DEFAULT, find, names
from xetile.targets.target import ASSUMING, ASSUMPTIONS

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

PROGRAM = "xetile-compile"

SUFFIXES = {"spirv": ".spv", "zebin": ".bin"}
"""What is binary, and the ending of the file that it goes to by default."""

*UPPER, LAST = below("blocked")
KINDS = (*UPPER, LAST, "ll", "spirv", "zebin", "asm")
STATISTICS_TO_STREAM = ""
CONTRACT_SUFFIX = ".json"


def make_parser() -> ToolParser:
    """The command's options."""
    parser = ToolParser(
        PROGRAM, "Compiles kernels for an Intel Xe GPU.", has_version=True, reads_ir=True
    )
    add = parser.add_argument
    add("input", metavar="IN", help="file with kernels, at any level; - is standard input")
    add("--device", help=_device_help())
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
        help="instruction counts of the hot loop per K step as JSON (needs ocloc): of the kernel, or by "
        "kernel where there are several; to a file given as --stats=FILE, else to standard output, or "
        "to standard error where the code is there",
    )
    add("--kernel", metavar="NAME", help="compile this kernel only")
    add("--assume", choices=ASSUMPTIONS, default="block", help=ASSUMING)
    add("--grf", choices=("small", "large"), default="large", help="register file (large)")
    return parser


def _device_help() -> str:
    *others, last = names()
    return (
        f"{', '.join(others)} or {last}; by default the one that the gpu.module names, "
        f"else {DEFAULT}"
    )


def _separate_statistics(arguments: list[str]) -> list[str]:
    """`--stats` takes a file behind `=` only, so that it may stand before the input."""
    return [f"--stats={STATISTICS_TO_STREAM}" if a == "--stats" else a for a in arguments]


def _run(arguments: list[str]) -> int:
    options = make_parser().parse_args(_separate_statistics(arguments))
    import gc

    gc.disable()  # nearly everything that is made lives to the end
    from xetile.analysis.targets import option_called

    with option_called("--device"):
        return _compile(options)


def _compile(options: Namespace) -> int:
    from xetile.api import parse_text

    if options.device is not None:
        find(options.device)
    if options.stats is not None:
        from xetile.toolchain.ocloc import need_ocloc

        need_ocloc()
    source, name = read_input(options.input)
    output = _output(options, name)
    module = parse_text(source, name)
    if options.emit in UPPER:
        code, rest = _upper_ir(module, options), module
    else:
        from xetile.codegen import lower_to_llvm

        rest = lower_to_llvm(
            module, options.device, kernel=options.kernel, assume=options.assume
        )
        code = _code(rest, options)
    place: str | None = options.stats
    statistics = "" if place is None else _statistics(rest, options)
    outputs: list[tuple[str | None, str | bytes]] = [(output, code)]
    if options.emit in SUFFIXES and output != STANDARD:
        outputs.append((output + CONTRACT_SUFFIX, _contract(module, rest, options)))
    write_outputs(outputs, by=PROGRAM)
    if place is not None:
        _write_statistics(statistics, place, code_on_standard_output=output == STANDARD)
    return 0


def _output(options: Namespace, name: str) -> str:
    """The file for the code, or STANDARD."""
    if options.output is not None:
        return options.output
    suffix = SUFFIXES.get(options.emit)
    if suffix is None:
        return STANDARD
    if options.input == STANDARD:
        raise XetileError(f"{options.emit} of standard input needs a place to go; give -o")
    return Path(name).stem + suffix


def _upper_ir(module: "ModuleOp", options: Namespace) -> str:
    """The IR of a level above the llvm dialect."""
    from xetile.api import lower, text

    if options.kernel is not None:
        from xetile.codegen import only_kernel

        module = only_kernel(module, options.kernel)
    return text(lower(module, to=options.emit, device=options.device, assume=options.assume))


def _code(lowered: "ModuleOp", options: Namespace) -> str | bytes:
    if options.emit == LAST:
        from xetile.api import text

        return text(lowered)
    from xetile.codegen import emit

    return emit(lowered, options.emit, options.device, grf=options.grf)


def _contract(module: "ModuleOp", lowered: "ModuleOp", options: Namespace) -> str:
    from xetile.codegen.contract import contract_of, device_otherwise

    otherwise = device_otherwise(module)
    return _json(contract_of(lowered, options.device, grf=options.grf, otherwise=otherwise))


def _statistics(module: "ModuleOp", options: Namespace) -> str:
    from xetile.codegen import statistics

    counts = statistics(module, options.device, grf=options.grf, kernel=options.kernel)
    return _json(next(iter(counts.values())) if len(counts) == 1 else counts)


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _write_statistics(statistics: str, place: str, *, code_on_standard_output: bool) -> None:
    if place == STATISTICS_TO_STREAM and code_on_standard_output:
        sys.stderr.write(statistics)
    else:
        write_output(place or STANDARD, statistics, by=PROGRAM)


main = partial(run_tool, PROGRAM, _run)
