"""The main job on one page, for a reader in a hurry: `xetile-demo`, or `make demo`.

Needs nothing outside of Python; uses ocloc and mlir-opt where they are.
"""

import sys
from functools import partial

from xetile.cli.errors import ToolParser, run_tool
from xetile.cli.signals import end_at_once
from xetile.targets import EXAMPLE

PROGRAM = "xetile-demo"
KERNEL = "gemm_f16.mlir"
"""The example that is shown."""


def _run(arguments: list[str]) -> int:
    parser = ToolParser(
        PROGRAM,
        "Shows the main job: a GEMM from tiles to SPIR-V, executed on the way.",
        reads_ir=True,
        has_version=True,
    )
    parser.add_argument(
        "--kernel",
        help=f"file with the kernel (the example {KERNEL}, which is installed with xetile)",
    )
    parser.add_argument("--device", default=EXAMPLE, help=f"device to compile for ({EXAMPLE})")
    parser.add_argument(
        "--out", default="build/demo", help="folder for the SPIR-V (build/demo)"
    )
    options = parser.parse_args(arguments)
    from xetile.cli.demonstration import show
    from xetile.cli.files import example

    problems = show(options.kernel or str(example(KERNEL)), options.device, options.out)
    for problem in problems:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
    return 1 if problems else 0


main = partial(run_tool, PROGRAM, _run)

if __name__ == "__main__":
    end_at_once()
    sys.exit(main())
