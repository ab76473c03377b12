"""Calls of commands on one text, and texts of IR."""

from io import StringIO
from random import Random

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from tools.fuzz.case import MAIN_FILE, Case

PASSES = ("--xetile-infer-wg-map", "--xetile-carry-tiles", "--xetile-uncarry-tiles",
          "--xetile-wg-to-sg", "--xetile-init-duplicate", "--xetile-blockop-fallback",
          "--xetile-blocking",
          "--convert-xetile-to-xegpu", "--convert-xegpu-to-xevm", "--convert-xevm-to-llvm", "--canonicalize",
          "--cse")  # fmt: skip
"""The passes of the house in their order, and two that everyone runs between them."""

EMITTED = ("workgroup", "subgroup", "xegpu", "xevm", "llvm", "ll", "spirv")

DEVICES = ("pvc", "bmg")


def printed(random: Random, module: ModuleOp, *, generic: float = 0.5) -> str | None:
    """The text, in generic form with that probability or where the custom one fails; None if both fail."""
    stream = StringIO()
    for form in (random.random() < generic, True):
        try:
            Printer(stream, print_generic_format=form).print_op(module)
            return stream.getvalue() + "\n"
        except Exception:  # the custom form asks for what a mutation has taken away
            stream = StringIO()
    return None


def call_on(random: Random, text: str) -> Case:
    """A command that reads the text: mostly xetile-opt without passes."""
    files = {MAIN_FILE: text.encode(errors="replace")}
    match random.choices(
        ("read", "pass", "passes", "compile", "run", "entry"), (8, 3, 2, 3, 2, 2)
    )[0]:
        case "read":
            flags = ("--print-op-generic", "--verify-roundtrip", "--allow-unregistered-dialect",
                "--split-input-file",
                     "--print-debuginfo", "--no-implicit-module", "--print-no-properties")  # fmt: skip
            return Case(
                "xetile-opt",
                (MAIN_FILE, *random.sample(flags, random.choice((0, 0, 1, 2)))),
                files,
                placed=True,
            )
        case "pass":
            return Case("xetile-opt", (MAIN_FILE, random.choice(PASSES)), files, placed=True)
        case "passes":
            first = random.randrange(len(PASSES))
            return Case(
                "xetile-opt", (MAIN_FILE, *PASSES[first : first + 4]), files, placed=True
            )
        case "compile":
            level = random.choice(EMITTED[2:])
            arguments = (
                MAIN_FILE,
                "--emit",
                level,
                "-o",
                "out",
                "--device",
                random.choice(DEVICES),
            )
            return Case("xetile-compile", arguments, {**files, "out": b"old"})
        case "run":
            given = ("--arg", "int") * random.randrange(4)
            return Case("xetile-run", (MAIN_FILE, *given), files)
        case _:
            return Case("xetile-run", (MAIN_FILE, "--entry", "main"), files)
