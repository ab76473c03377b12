"""`xetile-compile`: kernels at any level to IR at a lower one, LLVM IR, SPIR-V, a binary, assembly.

One source for one device goes to the file OUT; several, or `--jobs`, `--force` or an OUT that ends with `/`, ask for
the batch form (`compile_batch.py`), in which OUT is a folder.
"""

import os
import sys
from argparse import ArgumentTypeError, Namespace
from functools import partial
from pathlib import Path
from typing import get_args

from xetile.batch.one import as_json, compile_text, of_one_or_by_kernel
from xetile.batch.options import CONTRACT_SUFFIX, KINDS, SUFFIXES, Options
from xetile.cli.frame.outputs import (
    STANDARD,
    keep_inputs,
    read_input,
    write_output,
    write_outputs,
)
from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.errors import XetileError
from xetile.targets import DEFAULT, find, names
from xetile.targets.target import ASSUMING, ASSUMPTIONS, UNROLLING, RegisterFile

PROGRAM = "xetile-compile"

STATISTICS_TO_STREAM = ""

EMITTED = "spirv"
"""What is made where nothing says it."""


def make_parser() -> ToolParser:
    """The command's options."""
    parser = ToolParser(
        PROGRAM, "Compiles kernels for Intel Xe GPUs.", has_version=True, reads_ir=True
    )
    add = parser.add_argument
    add(
        "inputs",
        metavar="IN",
        nargs="+",
        help="file with kernels, at any level; - is standard input",
    )
    add("--device", help=_device_help())
    add("--emit", choices=KINDS, help=f"what to make ({EMITTED})")
    add(
        "-o",
        dest="output",
        metavar="OUT",
        help="file to write, - for standard output; by default text goes to standard output, and "
        "spirv and zebin to a file named after the input. Beside such a file, OUT.json says how to "
        "launch it. With several inputs or devices the folder of their outputs, IN.DEVICE.spv",
    )
    add(
        "--stats",
        nargs="?",
        const=STATISTICS_TO_STREAM,
        metavar="FILE",
        help="instruction counts of the hot loop per K step as JSON (needs ocloc): of the kernel, or by "
        "kernel where there are several, or by output; to a file given as --stats=FILE, else to standard "
        "output, or to standard error where the code is there",
    )
    add(
        "--explain",
        action="store_true",
        help="print, in place of code, why it is what it is: messages, loops, registers, conversions of each kernel, "
        "with counts of instructions and spills by ocloc where it is installed",
    )
    add("--kernel", metavar="NAME", help="compile this kernel only")
    add("--assume", choices=ASSUMPTIONS, default="block", help=ASSUMING)
    add("--unroll", type=int, metavar="COPIES", help=UNROLLING)
    add(
        "--grf",
        choices=get_args(RegisterFile),
        help="register file; by default the small one, which leaves room for twice the threads, where it surely "
        "holds all kernels and what they load ahead of products",
    )
    _add_batch(parser)
    return parser


def _add_batch(parser: ToolParser) -> None:
    add = parser.add_argument
    add(
        "--jobs",
        metavar="N",
        type=_jobs,
        help="compile into the folder OUT in N processes at once; by default as many as there are "
        "processors, where there is work for them",
    )
    add(
        "--force",
        action="store_true",
        help="compile into the folder OUT also what is up to date there",
    )


def _device_help() -> str:
    *others, last = names()
    return (
        f"{', '.join(others)} or {last}, or several with commas between; by default the one that "
        f"the gpu.module names, else {DEFAULT}"
    )


def _jobs(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if number < 1:
        raise ArgumentTypeError(f"'{text}' is no number of processes; write one from 1")
    return number


def _separate_statistics(arguments: list[str]) -> list[str]:
    """`--stats` takes a file behind `=` only, so that it may stand before the input."""
    return [f"--stats={STATISTICS_TO_STREAM}" if a == "--stats" else a for a in arguments]


def _run(arguments: list[str]) -> int:
    options = make_parser().parse_intermixed_args(_separate_statistics(arguments))
    if options.explain:
        _refuse_beside_explanation(options, is_batch=_is_batch(options))
    if _is_batch(options):
        from xetile.cli.compile_batch import compile_batch

        return compile_batch(options, _wanted(options))
    import gc

    gc.disable()  # nearly everything that is made lives to the end
    from xetile.analysis.targets import option_called

    with option_called("--device"):
        return _explain(options) if options.explain else _compile(options)


def _is_batch(options: Namespace) -> bool:
    ends_as_folder = options.output is not None and options.output.endswith(
        tuple(filter(None, (os.sep, os.altsep)))
    )
    several = len(options.inputs) > 1 or "," in (options.device or "")
    return several or options.jobs is not None or options.force or ends_as_folder


def _wanted(options: Namespace) -> Options:
    """What is to be made, as the options say."""
    return Options(
        emit=options.emit or EMITTED,
        kernel=options.kernel,
        assume=options.assume,
        unroll=options.unroll,
        grf=options.grf,
        statistics=options.stats is not None,
    )


def _compile(options: Namespace) -> int:
    if options.device is not None:
        find(options.device)
    wanted = _wanted(options)
    if wanted.statistics:
        from xetile.toolchain.ocloc import need_ocloc

        need_ocloc()
    (path,) = options.inputs
    source, name = read_input(path)
    output = _output(options, name)
    to_file = output != STANDARD
    contract = [output + CONTRACT_SUFFIX] if to_file and wanted.has_contract else []
    keep_inputs([output, *contract, options.stats or None], [path])
    made = compile_text(source, name, options.device, wanted, with_contract=to_file)
    outputs: list[tuple[str | None, str | bytes]] = [(output, made.code)]
    if made.contract is not None:
        outputs.append((output + CONTRACT_SUFFIX, made.contract))
    write_outputs(outputs, by=PROGRAM)
    if made.statistics is not None:
        counts = as_json(of_one_or_by_kernel(made.statistics))
        _write_statistics(counts, options.stats, code_on_standard_output=not to_file)
    return 0


def _explain(options: Namespace) -> int:
    from xetile.api import parse_text
    from xetile.explanation import explain

    source, name = read_input(options.inputs[0])
    keep_inputs([options.output], options.inputs)
    explanation = explain(
        parse_text(source, name),
        options.device,
        kernel=options.kernel,
        assume=options.assume,
        unroll=options.unroll,
        grf=options.grf,
    )
    write_output(options.output, f"{explanation}\n", by=PROGRAM)
    return 0


def _refuse_beside_explanation(options: Namespace, *, is_batch: bool) -> None:
    given = {"--emit": options.emit, "--stats": options.stats}
    for option, value in given.items():
        if value is not None:
            raise XetileError(
                f"--explain prints an explanation in place of code and counts; leave out {option}"
            )
    if is_batch:
        raise XetileError(
            "--explain takes one input and one device, and no folder; leave out --jobs and --force"
        )


def _output(options: Namespace, name: str) -> str:
    """The file for the code, or STANDARD."""
    if options.output is not None:
        return options.output
    emit = options.emit or EMITTED
    suffix = SUFFIXES.get(emit)
    if suffix is None:
        return STANDARD
    if options.inputs == [STANDARD]:
        raise XetileError(f"{emit} of standard input needs a place to go; give -o")
    return Path(name).stem + suffix


def _write_statistics(statistics: str, place: str, *, code_on_standard_output: bool) -> None:
    if place == STATISTICS_TO_STREAM and code_on_standard_output:
        sys.stderr.write(statistics)
    else:
        write_output(place or STANDARD, statistics, by=PROGRAM)


main = partial(run_tool, PROGRAM, _run)
