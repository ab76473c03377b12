"""Where the commands begin: what the scripts of an installation call.

Importing this costs next to nothing, so that an interrupt finds a handler while the rest is imported.
"""

from functools import partial

from xetile.cli.frame.process import end_at_once
from xetile.collector import seldom

MODULES = {
    "opt": "xetile.cli.opt.driver",
    "compile": "xetile.cli.compile",
    "run": "xetile.cli.running.run_kernel",
    "kernel": "xetile.cli.kernel",
    "layout": "xetile.cli.layout.shown_layout",
    "explore": "xetile.explorer.serving.command",
    "demo": "xetile.cli.demo",
}
"""The module of each command, which has its `main`."""


def _start(command: str) -> int:
    end_at_once()
    seldom()
    from importlib import import_module

    return import_module(MODULES[command]).main()


opt = partial(_start, "opt")
compile = partial(_start, "compile")
run = partial(_start, "run")
kernel = partial(_start, "kernel")
layout = partial(_start, "layout")
explore = partial(_start, "explore")
demo = partial(_start, "demo")
