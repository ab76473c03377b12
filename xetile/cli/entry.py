"""Entry points of the commands, which the scripts of an installation call.

Importing this costs next to nothing, so that an interrupt finds a handler while the rest is imported.
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from xetile.cli.frame.process import end_at_once
from xetile.collector import seldom


class Command(NamedTuple):
    """The module of a command, which has its `main`, and the command's purpose."""

    module: str
    purpose: str


COMMANDS: Mapping[str, Command] = {
    "opt": Command(
        "xetile.cli.opt.opt_command",
        "run passes on IR, as mlir-opt does",
    ),
    "compile": Command(
        "xetile.cli.compile",
        "make SPIR-V, binaries, assembly or a lower level of kernels; explain and count",
    ),
    "run": Command(
        "xetile.cli.running.run_kernel",
        "execute kernels on numpy or a device, and compare results",
    ),
    "kernel": Command(
        "xetile.cli.kernel_command",
        "write the IR of a kernel that is there already: gemm, softmax, ...",
    ),
    "layout": Command(
        "xetile.cli.layout_commands.shown_layout",
        "show linear layouts: who holds which element, conversions, messages, bank conflicts",
    ),
    "explore": Command(
        "xetile.explorer.serving.command",
        "write a page of every level of a kernel, linked down to the device's instructions",
    ),
    "demo": Command(
        "xetile.cli.demo",
        "show the main job once: a GEMM from tiles to SPIR-V, executed on the way; copy the examples",
    ),
}


def listing() -> str:
    """Return a line for each command."""
    wide = max(len(name) for name in COMMANDS)
    lines = [f"xetile-{name:{wide}}  {one.purpose}" for name, one in COMMANDS.items()]
    return "\n".join([*lines, "", "each has --help; `python -m xetile NAME ...` runs one too"])


def _start(command: str) -> int:
    end_at_once()
    seldom()
    from importlib import import_module

    return import_module(COMMANDS[command].module).main()


opt = partial(_start, "opt")
compile = partial(_start, "compile")
run = partial(_start, "run")
kernel = partial(_start, "kernel")
layout = partial(_start, "layout")
explore = partial(_start, "explore")
demo = partial(_start, "demo")
