"""The main job on one page, for a reader in a hurry: `xetile-demo`, or `make demo`. It hands out the examples too.

Needs nothing outside of Python; uses ocloc and mlir-opt where they are.
"""

import sys
from argparse import Namespace
from functools import partial
from textwrap import fill

from xetile.cli.frame.process import end_at_once
from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.errors import XetileError
from xetile.targets import EXAMPLE

PROGRAM = "xetile-demo"
KERNEL = "gemm_f16.mlir"
"""The example that is shown."""

_WIDTH = 100
"""Letters in a line of the list."""


def make_parser() -> ToolParser:
    """The command's options."""
    parser = ToolParser(
        PROGRAM,
        "Shows the main job: a GEMM from tiles to SPIR-V, executed on the way. Lists and copies the examples.",
        reads_ir=True,
        has_version=True,
    )
    add = parser.add_argument
    help = f"file with the kernel (the example {KERNEL}, which is installed with xetile)"
    add("--kernel", help=help)
    add("--device", help=f"device to compile for ({EXAMPLE})")
    add("--out", help="folder for the SPIR-V (build/demo)")
    instead = parser.add_argument_group("in place of the demonstration")
    only = instead.add_mutually_exclusive_group().add_argument
    only("--list", action="store_true", help="list the examples, with what each is")
    help = "copy the examples into a folder (examples), and overwrite nothing"
    only("--examples", nargs="?", const="examples", metavar="DIR", help=help)
    return parser


def _run(arguments: list[str]) -> int:
    options = make_parser().parse_args(arguments)
    if options.list or options.examples is not None:
        return _hand_out_examples(options)
    from xetile.cli.demonstration import show
    from xetile.cli.examples import example

    kernel = options.kernel or str(example(KERNEL))
    problems = show(kernel, options.device or EXAMPLE, options.out or "build/demo")
    for problem in problems:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
    if not options.kernel:
        print(f"more examples: {PROGRAM} --list; to copy them: {PROGRAM} --examples")
    return 1 if problems else 0


def _hand_out_examples(options: Namespace) -> int:
    from xetile.cli.examples import copy_examples, summaries
    from xetile.cli.frame.outputs import say_written

    flag = "--list" if options.list else "--examples"
    for name in ("kernel", "device", "out"):
        if getattr(options, name) is not None:
            raise XetileError(f"{flag} shows no kernel and takes no --{name}")
    if options.list:
        print("\n".join(_entry(name, words) for name, words in summaries().items()))
        return 0
    number, size = copy_examples(options.examples)
    say_written(PROGRAM, f"{number} files to {options.examples}", size)
    return 0


def _entry(name: str, words: str) -> str:
    below = fill(words, _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"{name}\n{below}" if words else name


main = partial(run_tool, PROGRAM, _run)

if __name__ == "__main__":
    end_at_once()
    sys.exit(main())
