"""`xetile-explore`: a page that shows a kernel at every level, down to the device's instructions, linked op by op.

The page is one file that needs no network; `--serve` shows one that follows its source, only on this machine.
"""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from xetile.cli.frame.inputs_outputs import STANDARD, keep_inputs, write_output
from xetile.cli.frame.option_values import add_lowering, devices_in_words, read_count
from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.errors import XetileError
from xetile.progress import Stages
from xetile.targets import find
from xetile.targets.target import RegisterFile

if TYPE_CHECKING:
    from xetile.explorer.serving.wanted import Wanted

PROGRAM = "xetile-explore"

PAGE_SUFFIX = ".html"

ANY_PORT = 0
MOST_PORT = 65535


_port = partial(read_count, refusal=f"is no port; write one up to {MOST_PORT}", most=MOST_PORT)


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        PROGRAM,
        "Shows a kernel at every level, linked op by op down to the device's instructions.",
        has_version=True,
        reads_ir=True,
    )
    add = parser.add_argument
    add(
        "input",
        metavar="IN",
        help="file with kernels, at any level; - is standard input. Or FILE.json that --json wrote",
    )
    add("--device", help=devices_in_words())
    add("--kernel", metavar="NAME", help="show this kernel only")
    add(
        "-o",
        dest="output",
        metavar="OUT",
        help="file to write, - for standard output; by default the page goes to a file named after "
        "the input, IN.html, and --json to standard output",
    )
    add("--json", action="store_true", help="write what the page shows as data for programs")
    add(
        "--serve",
        type=_port,
        metavar="PORT",
        help="show the page at http://127.0.0.1:PORT, by default a free port; it follows the file, "
        "and its first pane can be edited. Ctrl-C ends it",
    )
    add(
        "--compare",
        metavar="OTHER",
        help="show two side by side: another file, one that --json wrote, or the same with other "
        "options, such as device=NAME or unroll=1,grf=large",
    )
    add_lowering(add, assume="block")
    add(
        "--grf",
        choices=get_args(RegisterFile),
        help="register file; by default the one that xetile-compile chooses",
    )
    return parser


def _with_port(arguments: list[str]) -> list[str]:
    """Let `--serve` take the next argument as its port only if it is a number, so that it may come before IN."""
    given = list(arguments)
    for place, argument in enumerate(given):
        following = given[place + 1 : place + 2]
        if argument == "--serve" and not (following and following[0].isdigit()):
            given[place] = f"--serve={ANY_PORT}"
    return given


def _run(arguments: list[str]) -> int:
    options = make_parser().parse_intermixed_args(_with_port(arguments))
    _refuse_together(options)
    from xetile.analysis.kernel_targets import option_called

    with option_called("--device"):
        return _explore(options)


def _refuse_together(options: Namespace) -> None:
    if options.serve is not None and options.json:
        raise XetileError("--serve shows a page, which --json does not write; leave out one")
    if options.serve is not None and options.output is not None:
        raise XetileError("--serve writes no file; leave out -o")
    if options.serve is not None and options.input == STANDARD:
        raise XetileError("--serve follows a file, which standard input is not")
    if options.json and options.compare is not None:
        raise XetileError("--json writes one exploration; leave out --compare")
    if options.compare == STANDARD == options.input:
        raise XetileError("standard input is read once; give one of the two as a file")


def _explore(options: Namespace) -> int:
    from xetile.explorer.serving.wanted import Wanted, compared

    if options.device is not None:
        find(options.device)
    wanted = Wanted(
        options.input,
        options.device,
        options.kernel,
        options.assume,
        options.unroll,
        options.grf,
    )
    if wanted.is_earlier:
        _refuse_options_of_earlier(options)
    both = [wanted]
    if options.compare is not None:
        both.append(compared(wanted, options.compare))
    if options.serve is not None:
        from xetile.explorer.serving.server import serve

        return serve(both, options.serve, PROGRAM)
    return _write(both, options)


def _write(both: "Sequence[Wanted]", options: Namespace) -> int:
    from xetile.explorer.model import as_line
    from xetile.explorer.serving.wanted import begun, refuse_alike

    output = _named_after(options) if options.output is None else options.output
    keep_inputs([output], [wanted.file for wanted in both])
    with Stages(PROGRAM) as stage:
        made: list[Mapping[str, object]] = []
        for wanted, make in [(wanted, begun(wanted)) for wanted in both]:
            stage(f"exploring {wanted.title}")
            made.append(make())
        if len(both) > 1:
            refuse_alike(both, made)
        stage("writing")
        from xetile.explorer.page.single_file import page  # exploring has imported it

        content = as_line(made[0]) if options.json else page(made)
    write_output(output, content, by=PROGRAM)
    return 0


def _named_after(options: Namespace) -> str:
    """Return the default output file."""
    if options.json:
        return STANDARD
    if options.input == STANDARD:
        raise XetileError("the page of standard input needs a place to go; give -o")
    return Path(options.input).stem + PAGE_SUFFIX


def _refuse_options_of_earlier(options: Namespace) -> None:
    if options.serve is not None:
        raise XetileError("--serve follows a source, which an exploration is not")
    if options.json:
        raise XetileError(f"'{options.input}' is what --json writes already")
    given = {
        "--device": options.device,
        "--kernel": options.kernel,
        "--unroll": options.unroll,
        "--grf": options.grf,
        "--assume": None if options.assume == "block" else options.assume,
    }
    for option, value in given.items():
        if value is not None:
            raise XetileError(f"'{options.input}' was explored before; leave out {option}")


main = partial(run_tool, PROGRAM, _run)
