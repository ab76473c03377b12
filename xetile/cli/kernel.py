"""`xetile-kernel`: writes the IR of a kernel from a family, to be read, changed and compiled."""

from collections.abc import Callable
from functools import partial
from inspect import Parameter, signature
from typing import Any, cast

from xetile.cli import library_kernels
from xetile.cli.frame.option_values import read_number, read_pair
from xetile.cli.frame.outputs import STANDARD, write_output
from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.cli.library_kernels import NAMES

PROGRAM = "xetile-kernel"
_NOT_THE_KERNEL = ("debug", "version", "family", "output")


_tile = partial(read_pair, refusal="is no tile; write ROWSxCOLUMNS, such as 256x256")
_number = partial(read_number, refusal="is no whole number")


def make_parser() -> ToolParser:
    """The command's options."""
    parser = ToolParser(
        PROGRAM, "Writes the workgroup-level IR of a kernel.", has_version=True
    )
    listed = "".join(f"; {name}: {what}" for name, what in NAMES.items())
    help = f"what the kernel computes, NAME --help has its options; gemm: C = A * B{listed}"
    parser.add_argument("family", choices=("gemm", *NAMES), metavar="NAME", help=help)
    _add_gemm(parser.add_argument_group("gemm").add_argument)
    parser.add_argument(
        "-o", metavar="OUT", dest="output", help="file to write; else standard output"
    )
    return parser


def _add_gemm(add: Callable[..., object]) -> None:
    """Add a flag for each parameter of `gemm_module`, with its default."""
    from xetile.kernels import gemm_module

    parameters = signature(gemm_module).parameters

    def flag(name: str, meaning: str, **how: Any) -> None:
        parameter = how.pop("of", name)
        default = parameters[parameter].default
        required = default is Parameter.empty
        if not required and default is not None:
            meaning += f"; {_shown(default)} by default"
            how["default"] = default
        add(f"--{name}", required=required, dest=parameter, help=meaning, **how)

    flag("m", "rows of A and C", type=_number)
    flag("n", "columns of B and C", type=_number)
    flag("k", "columns of A, rows of B", type=_number)
    flag("a", "element type of A, such as f16, bf16, i8", metavar="TYPE")
    flag("b", "element type of B; that of A by default", metavar="TYPE")
    flag("acc", "element type of the accumulator", metavar="TYPE", of="accumulator")
    flag("c", "element type of C; that of the accumulator by default", metavar="TYPE")
    flag("wg", "a workgroup's tile of C", type=_tile, metavar="MxN", of="workgroup_tile")
    flag("sg", "a subgroup's tile of C", type=_tile, metavar="MxN", of="subgroup_tile")
    flag("k-step", "how much of K one round of the loop takes", type=_number, of="k_step")
    ahead = "prefetch so many K steps ahead; none by default"
    flag("prefetch", ahead, type=_number, metavar="DISTANCE")


def _shown(default: object) -> str:
    """A default as one types it."""
    if isinstance(default, tuple):
        return "x".join(map(str, cast("tuple[int, ...]", default)))
    return str(default)


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in NAMES:
        return _write_library_kernel(arguments[0], arguments[1:])
    options = make_parser().parse_args(arguments)
    from xetile.api import text
    from xetile.cli.kernel_registers import warn_of_spills
    from xetile.kernels import gemm_module

    request = {
        name: value for name, value in vars(options).items() if name not in _NOT_THE_KERNEL
    }
    made = text(gemm_module(**request))
    write_output(options.output, made, by=PROGRAM)
    written = options.output not in (None, STANDARD)
    warn_of_spills(request, made, options.output if written else "<stdout>")
    return 0


def _write_library_kernel(name: str, arguments: list[str]) -> int:
    options = vars(library_kernels.make_parser(PROGRAM, name).parse_args(arguments))
    made = library_kernels.specialised(name, options)
    write_output(options["output"], f"{made}\n", by=PROGRAM)
    return 0


main = partial(run_tool, PROGRAM, _run)
