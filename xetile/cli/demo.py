"""The main job on one page, for a reader in a hurry: `python -m xetile.cli.demo`, or `make demo`.

Needs nothing outside of Python; uses ocloc and mlir-opt where they are.
"""

import sys
from functools import partial

from xetile.cli.errors import ToolParser, run_tool
from xetile.cli.signals import end_at_once
from xetile.targets import EXAMPLE

PROGRAM = "xetile-demo"
KERNEL = "examples/gemm_f16.mlir"


def _run(arguments: list[str]) -> int:
    parser = ToolParser(
        PROGRAM,
        "Shows the main job: a GEMM from tiles to SPIR-V, executed on the way.",
        reads_ir=True,
    )
    parser.add_argument("--kernel", default=KERNEL, help=f"file with the kernel ({KERNEL})")
    parser.add_argument("--device", default=EXAMPLE, help=f"device to compile for ({EXAMPLE})")
    parser.add_argument(
        "--out", default="build/demo", help="folder for the SPIR-V (build/demo)"
    )
    options = parser.parse_args(arguments)
    from xetile.cli.demonstration import show

    problems = show(options.kernel, options.device, options.out)
    for problem in problems:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
    return 1 if problems else 0


main = partial(run_tool, PROGRAM, _run)

if __name__ == "__main__":
    end_at_once()
    sys.exit(main())
