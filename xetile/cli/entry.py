"""Where the commands begin: what the scripts of an installation call.

Importing this costs next to nothing, so that an interrupt finds a handler while the rest is imported.
"""

from functools import partial

from xetile.cli.signals import end_at_once
from xetile.collector import seldom


def _start(module: str) -> int:
    end_at_once()
    seldom()
    from importlib import import_module

    return import_module(f"xetile.cli.{module}").main()


opt = partial(_start, "opt")
compile = partial(_start, "compile")
run = partial(_start, "run")
kernel = partial(_start, "kernel")
layout = partial(_start, "layout")
explore = partial(_start, "explore")
demo = partial(_start, "demo")
