"""argparse's errors in words that say what to write."""

import re
from argparse import Action
from collections.abc import Collection, Mapping

from xetile.advice import hint, meant_by_meaning

LAYOUTS = ("block_load", "dpas", "convert", "wgmma")
"""The commands of `xetile-layout`."""


Options = Mapping[str, Action]
"""A parser's actions by the spellings of their options."""


def explained(program: str, options: Options, message: str) -> str:
    """Return a message of argparse with advice on what to write."""
    if found := re.fullmatch(r"unrecognized arguments: (.*)", message, re.DOTALL):
        return unrecognized(program, options, found[1].split(" ")[0])
    if message == "the following arguments are required: IN":
        return "an input is needed: IN, or - for standard input"
    found = re.fullmatch(r"argument (\S+): (.*)", message, re.DOTALL)
    action = None if found is None else options.get(found[1].partition("/")[0])
    if found is None or action is None:
        return message
    flag, reason = found[1].partition("/")[0], found[2]
    if reason.startswith("expected one argument"):
        value = action.metavar or "|".join(action.choices or ()) or action.dest.upper()
        return f"argument {flag}: a value is needed, as in {flag} {value}"
    if found := re.fullmatch(r"ignored explicit argument (.*)", reason, re.DOTALL):
        return f"argument {flag}: it takes no value, but got {found[1]}"
    if action.choices and (found := re.match(r"invalid choice: '(.*)' \(", reason, re.DOTALL)):
        known = [str(choice) for choice in action.choices]
        advice = hint(found[1], known) or f"; choose from {', '.join(known)}"
        return f"argument {flag}: invalid choice: '{found[1]}'{advice}"
    return message


def unrecognized(program: str, options: Collection[str], argument: str) -> str:
    """Return the answer to an argument that no option of a program accepts."""
    if not argument.startswith("-") or argument == "-":
        return _too_many(program, argument)
    flag = argument.partition("=")[0]
    said = f"unrecognized argument '{flag}'"
    if owners := [] if meant_by_meaning(flag, options) else _owners(flag):
        return f"{said}, which is for {' and '.join(owners)}"
    name = flag.removeprefix("--")
    passes = [option.removeprefix("--") for option in options if option.startswith("--")]
    by_meaning = hint(name, meant_by_meaning(name, passes), "--")
    return said + (by_meaning or hint(flag, options) or f"; see {program} --help")


def _too_many(program: str, argument: str) -> str:
    if program not in ("xetile-opt", "xetile-run"):
        return f"unexpected argument '{argument}'"
    said = f"one input at a time: '{argument}' is another"
    if program == "xetile-run":
        said += f"; to compare two kernels write --against {argument}"
    return said


def _owners(flag: str) -> list[str]:
    """Return the commands that have an option."""
    from importlib import import_module

    from xetile.cli.entry import COMMANDS

    modules = {f"xetile-{name}": command.module for name, command in COMMANDS.items()}
    for name in LAYOUTS:
        spelled = name.replace("_", "-")
        modules[f"xetile-layout {spelled}"] = f"xetile.cli.layout_commands.layout_{name}"
    return [
        program
        for program, module in modules.items()
        if flag in import_module(module).make_parser().options
    ]
