"""The options of `xetile-opt`: mlir-opt's names and meanings, and those of xDSL's driver."""

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Collection, Sequence
from functools import partial

from xetile.advice import hint
from xetile.cli.frame.tools import PrintAndLeave, version_text
from xetile.cli.opt.instrumentation import ALL, Dumps
from xetile.cli.opt.pipeline_spec import PIPELINE_OPTION
from xetile.errors import XetileError, warn

SEPARATOR = "// -----"
_WITHOUT_VALUE = {"--split-input-file": SEPARATOR, "--verify-diagnostics": "all"}
"""Options whose value may be omitted, as on LLVM's command lines: the value only ever follows a `=`."""

_TRUE = ("1", "true", "on", "yes")
_FALSE = ("0", "false", "off", "no")


def add_arguments(parser: ArgumentParser, targets: list[str]) -> None:
    """Declare every option of the tool, in the groups that users look for."""
    parser.usage = "%(prog)s [options] [input_file]"
    parser.add_argument(
        "input_file", nargs="?", help="MLIR text; standard input if absent or '-'"
    )
    _add_input(parser.add_argument_group("input").add_argument)
    dumped = "Dumps and reports go to standard error."
    _add_passes(parser.add_argument_group("passes", dumped).add_argument)
    _add_output(parser.add_argument_group("output").add_argument, targets)
    _add_checks(parser.add_argument_group("checks").add_argument)
    _add_listings(parser.add_argument_group("what there is").add_argument)


Add = Callable[..., object]


def _add_input(add: Add) -> None:
    flag = partial(add, action="store_true")
    add("-f", "--frontend", choices=["mlir"], help="the language of the input")
    flag(
        "--allow-unregistered-dialect",
        help="let ops, types and attributes of unknown dialects pass through",
    )
    flag("--no-implicit-module", help="the file has one top-level op")
    add(
        "--split-input-file",
        metavar="MARKER",
        help=f"process the parts between lines of '{SEPARATOR}' (or =MARKER) one by one",
    )


def _add_passes(add: Add) -> None:
    flag = partial(add, action="store_true")
    add("-p", "--passes", default="", help="passes in xDSL's notation: a,b{option=value}")
    add(
        PIPELINE_OPTION,
        metavar="PIPELINE",
        help="passes in mlir-opt's notation, anchors or not",
    )
    flag("--dump-pass-pipeline", help="print the pipeline on standard error")
    flag("--mlir-timing", help="report how long each part took")
    flag("--time-passes", help="as --mlir-timing")
    for place in ("before", "after"):
        flag(f"--mlir-print-ir-{place}-all", help=f"print IR {place} each pass")
        add(
            f"--mlir-print-ir-{place}",
            action="append",
            default=[],
            metavar="PASS",
            help=f"print IR {place} a pass, or several with commas between",
        )
    flag("--mlir-print-ir-after-change", help="... only where it changed")
    flag("--mlir-print-ir-after-failure", help="... only where a pass failed")
    flag(
        "--mlir-print-ir-module-scope",
        help="... the whole module, where a pass runs on an op of it",
    )
    add(
        "--mlir-print-ir-tree-dir",
        metavar="DIR",
        help="... in files there, a folder for each op",
    )
    flag("--mlir-disable-threading", help=SUPPRESS)  # there are none
    flag("--print-between-passes", help="as --mlir-print-ir-after-all")


def _add_output(add: Add, targets: list[str]) -> None:
    flag = partial(add, action="store_true")
    known = ", ".join(targets)
    add(
        "-o", "--output-file", metavar="FILE", help="where to write; a failure leaves it alone"
    )
    add("-t", "--target", default="mlir", help=f"what to print: {known}")
    flag("--print-op-generic", "--mlir-print-op-generic", help="generic form")
    flag("--print-debuginfo", "--mlir-print-debuginfo", help="with locations")
    flag("--print-no-properties", help="generic form with properties among the attributes")
    flag("--mlir-print-local-scope", help=SUPPRESS)  # no aliases are printed
    add(
        "--output-split-marker",
        default=SEPARATOR,
        metavar="MARKER",
        help="between output parts",
    )
    flag("--syntax-highlight", help="colours, on a terminal")


def _add_checks(add: Add) -> None:
    flag = partial(add, action="store_true")
    add(
        "--verify-diagnostics",
        choices=["all", "only-expected"],
        help="hold diagnostics against expected-error, -warning, -remark and -note comments",
    )
    flag("--parsing-diagnostics", help="print errors on standard output and succeed")
    add("--verify-each", default="true", metavar="BOOL", help="verify after each pass (true)")
    flag("--disable-verify", help="verify nothing, not even the input")
    flag("--verify-roundtrip", help="print the input and read it back first")
    flag("--shrink", help="for shrinkray: succeed if ShrinkException is raised")


def _add_listings(add: Add) -> None:
    flag = partial(add, action="store_true")
    help = "print the versions of all parts"
    add("-v", "--version", action=PrintAndLeave, text=version_text, help=help)
    flag("--list-passes", help="print the names of all passes")
    add(
        "--show-pass",
        metavar="PASS",
        help="print what a pass does, its options, IR before, after",
    )
    flag("--show-dialects", help="print the names of all dialects")


def normalized(arguments: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the arguments for argparse: two dashes before long options and passes, optional values written out.

    `known` are the long options and passes, without dashes. LLVM's tools accept one dash or two.
    """
    result: list[str] = []
    for argument in arguments:
        name = argument.partition("=")[0]
        if name[:1] == "-" and name[1:] in known and len(name) > 2:
            argument = f"-{argument}"
        if argument in _WITHOUT_VALUE:
            argument = f"{argument}={_WITHOUT_VALUE[argument]}"
        result.append(argument)
    return result


def dumps(arguments: Namespace) -> Dumps:
    """Return the dumps of IR around passes that the options ask for."""
    after = _named(arguments.mlir_print_ir_after)
    before = _named(arguments.mlir_print_ir_before)
    filters = arguments.mlir_print_ir_after_change or arguments.mlir_print_ir_after_failure
    everywhere = arguments.mlir_print_ir_after_all or arguments.print_between_passes
    if everywhere or (filters and not after):
        after.append(ALL)
    if arguments.mlir_print_ir_before_all:
        before.append(ALL)
    return Dumps(
        before,
        after,
        changed_only=arguments.mlir_print_ir_after_change,
        failed_only=arguments.mlir_print_ir_after_failure,
        module_scope=arguments.mlir_print_ir_module_scope,
        folder=arguments.mlir_print_ir_tree_dir,
    )


def _named(values: Sequence[str]) -> list[str]:
    """Return the passes of an option that may be given several times, each time with commas between."""
    return [name.strip() for value in values for name in value.split(",")]


def check_dumps(
    arguments: Namespace, known: Collection[str], running: Collection[str]
) -> None:
    """Raise for names of unknown passes, and warn about options that print nothing.

    `known` are all passes, `running` those of the pipeline.
    Raise XetileError for an unknown name, and for a folder without a name.
    """
    if arguments.mlir_print_ir_tree_dir == "":
        raise XetileError("argument --mlir-print-ir-tree-dir: expected a folder, found ''")
    for place in ("before", "after"):
        option = f"--mlir-print-ir-{place}"
        for name in _named(getattr(arguments, f"mlir_print_ir_{place}")):
            if not name:
                raise XetileError(
                    f"argument {option}: a name is missing; write passes with commas between"
                )
            if name not in known:
                raise XetileError(
                    f"argument {option}: unknown pass '{name}'{hint(name, known)}"
                )
            if name not in running:
                warn(None, f"{option}={name} prints nothing: the pipeline has no such pass")
    asked = dumps(arguments)
    if asked.before or asked.after:
        return
    for option in ("module_scope", "tree_dir"):
        if getattr(arguments, f"mlir_print_ir_{option}"):
            flag = f"--mlir-print-ir-{option.replace('_', '-')}"
            warn(None, f"{flag} has no effect without a dump; add --mlir-print-ir-after-all")


def truth(option: str, value: str) -> bool:
    """Return the value of a boolean's text.

    Raise XetileError for any other text.
    """
    if value.lower() in (*_TRUE, *_FALSE):
        return value.lower() in _TRUE
    raise XetileError(f"argument {option}: expected true or false, got '{value}'")
