"""The main job on one page, for a reader in a hurry: `xetile-demo`, or `make demo`. It also copies the examples.

It needs nothing but Python; it uses ocloc and mlir-opt if they are installed.
"""

import os
import re
import sys
from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from itertools import takewhile
from pathlib import Path
from textwrap import fill

from xetile.cli.frame.inputs_outputs import make_folder, write_outputs
from xetile.cli.frame.process import end_at_once
from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.errors import XetileError
from xetile.targets import EXAMPLE

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "examples", _PACKAGE.parent / "examples")
"""In the package if it is installed, next to it in a checkout."""

_QUOTES = '"""'


def example(name: str) -> Path:
    """Return the path of an example, relative to the current folder if it is below that.

    Raise XetileError if no examples are installed.
    """
    path = _folder() / name
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def summaries() -> Mapping[str, str]:
    """Return the examples by their path from the folder, each with the first sentence of its comment or docstring.

    The sentence is empty if a file has neither.

    Raise XetileError if no examples are installed.
    """
    return {name: _summary(path) for name, path in _files().items()}


def copy_examples(to: str) -> tuple[int, int]:
    """Copy all examples into a folder, which is created; return their number and their size in bytes.

    Raise XetileError and copy none if one of their names exists, or if the folder cannot be written.
    """
    contents = {Path(to, name): path.read_bytes() for name, path in _files().items()}
    taken = [path for path in contents if os.path.lexists(path)]
    if taken:
        others = len(taken) - 1
        more = f" and {others} other file{'s' * (others > 1)}" if others else ""
        verb = "are" if others else "is"
        raise XetileError(
            f"'{taken[0]}'{more} {verb} there and {verb} not overwritten; "
            "name another folder, as in --examples DIR"
        )
    for folder in dict.fromkeys((Path(to), *(path.parent for path in contents))):
        make_folder(str(folder))
    write_outputs([(str(path), content) for path, content in contents.items()])
    return len(contents), sum(map(len, contents.values()))


def _folder() -> Path:
    found = next((folder for folder in _FOLDERS if folder.is_dir()), None)
    if found is None:
        raise XetileError(f"no examples are installed: there is no folder '{_FOLDERS[0]}'")
    return found


def _files() -> dict[str, Path]:
    """Return the examples, without the bytecode that Python caches for those that were run."""
    folder = _folder()
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _summary(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    comment = [line.removeprefix("//") for line in takewhile(_is_comment, text.splitlines())]
    docstring = text.removeprefix(_QUOTES).partition(_QUOTES)[0].splitlines()
    said = docstring if text.startswith(_QUOTES) else comment
    paragraph = " ".join(takewhile(bool, (line.strip() for line in said)))
    return re.split(r"\.(?=\s)", paragraph)[0].removesuffix(".")


def _is_comment(line: str) -> bool:
    return line.startswith("//")


PROGRAM = "xetile-demo"
KERNEL = "gemm_f16.mlir"
"""The example that is demonstrated."""

_WIDTH = 100
"""Width of the list (characters)."""


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
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

    kernel = options.kernel or str(example(KERNEL))
    problems = show(kernel, options.device or EXAMPLE, options.out or "build/demo")
    for problem in problems:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
    if not options.kernel:
        print(f"more examples: {PROGRAM} --list; to copy them: {PROGRAM} --examples")
    return 1 if problems else 0


def _hand_out_examples(options: Namespace) -> int:
    from xetile.cli.frame.inputs_outputs import say_written

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
