"""`xetile-kernel`: writes the IR of a kernel from a family, to be read, changed and compiled."""

from functools import partial

from xetile.cli.errors import ToolParser, run_tool
from xetile.cli.files import write_output
from xetile.cli.values import read_number, read_pair

PROGRAM = "xetile-kernel"
FAMILIES = ("gemm",)
_NOT_THE_KERNEL = ("debug", "version", "family", "output")


_tile = partial(read_pair, refusal="is no tile; write ROWSxCOLUMNS, such as 256x256")
_number = partial(read_number, refusal="is no whole number")


def _parser() -> ToolParser:
    parser = ToolParser(
        PROGRAM, "Writes the workgroup-level IR of a kernel.", has_version=True
    )
    parser.add_argument("family", choices=FAMILIES, help="what the kernel computes: C = A * B")
    add = parser.add_argument_group("gemm").add_argument
    add("--m", type=_number, required=True, help="rows of A and C")
    add("--n", type=_number, required=True, help="columns of B and C")
    add("--k", type=_number, required=True, help="columns of A, rows of B")
    add("--a", metavar="TYPE", required=True, help="element type of A, such as f16, bf16, i8")
    add("--b", metavar="TYPE", help="element type of B; that of A by default")
    help = "element type of the accumulator"
    add("--acc", metavar="TYPE", required=True, dest="accumulator", help=help)
    add("--c", metavar="TYPE", help="element type of C; that of the accumulator by default")
    for flag, whose in (("--wg", "workgroup"), ("--sg", "subgroup")):
        help = f"a {whose}'s tile of C"
        add(flag, type=_tile, metavar="MxN", required=True, dest=f"{whose}_tile", help=help)
    add(
        "--k-step",
        type=_number,
        required=True,
        help="how much of K one round of the loop takes",
    )
    add("--prefetch", type=_number, metavar="DISTANCE", help="prefetch so many K steps ahead")
    parser.add_argument(
        "-o", metavar="OUT", dest="output", help="file to write; else standard output"
    )
    return parser


def _run(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    from xetile.api import text
    from xetile.kernels import gemm

    request = {
        name: value for name, value in vars(options).items() if name not in _NOT_THE_KERNEL
    }
    write_output(options.output, text(gemm(**request)))
    return 0


main = partial(run_tool, PROGRAM, _run)
