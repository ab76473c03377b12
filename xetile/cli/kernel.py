"""`xetile-kernel`: writes the IR of a kernel from a family, to be read, changed and compiled."""

import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence

from xetile.cli.errors import ToolParser, run_tool
from xetile.cli.version import VersionAction

PROGRAM = "xetile-kernel"
FAMILIES = ("gemm",)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; the result is its exit status."""
    return run_tool(PROGRAM, _run, arguments)


def _tile(text: str) -> tuple[int, int]:
    extents = re.fullmatch(r"(\d+)[xX](\d+)", text)
    if extents is None:
        raise ArgumentTypeError(f"'{text}' is no tile; write ROWSxCOLUMNS, such as 256x256")
    return int(extents[1]), int(extents[2])


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"'{text}' is no whole number") from None


def _parser() -> ToolParser:
    parser = ToolParser(PROGRAM, "Writes the workgroup-level IR of a kernel.")
    parser.add_argument("--version", action=VersionAction, help="print the versions of all parts")
    parser.add_argument("family", choices=FAMILIES, help="what the kernel computes: C = A * B")
    add = parser.add_argument_group("gemm").add_argument
    add("--m", type=_number, required=True, help="rows of A and C")
    add("--n", type=_number, required=True, help="columns of B and C")
    add("--k", type=_number, required=True, help="columns of A, rows of B")
    add("--a", metavar="TYPE", required=True, help="element type of A, such as f16, bf16, i8")
    add("--b", metavar="TYPE", help="element type of B; that of A by default")
    add("--acc", metavar="TYPE", required=True, help="element type of the accumulator")
    add("--c", metavar="TYPE", help="element type of C; that of the accumulator by default")
    add("--wg", type=_tile, metavar="MxN", required=True, help="a workgroup's tile of C")
    add("--sg", type=_tile, metavar="MxN", required=True, help="a subgroup's tile of C")
    add("--k-step", type=_number, required=True, help="how much of K one round of the loop takes")
    add("--prefetch", type=_number, metavar="DISTANCE", help="prefetch so many K steps ahead")
    parser.add_argument(
        "-o", metavar="OUT", dest="output", help="file to write; else standard output"
    )
    return parser


def _run(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    from xetile.cli.files import write_output

    write_output(options.output, _gemm(options))
    return 0


def _gemm(options: Namespace) -> str:
    from xetile.api import text
    from xetile.kernels import gemm

    module = gemm(
        m=options.m,
        n=options.n,
        k=options.k,
        a=options.a,
        b=options.b,
        accumulator=options.acc,
        c=options.c,
        workgroup_tile=options.wg,
        subgroup_tile=options.sg,
        k_step=options.k_step,
        prefetch=options.prefetch,
    )
    return text(module)
