"""`python -m xetile`: the commands with a line each; `python -m xetile opt ...` is `xetile-opt ...`."""

import sys

from xetile.cli import entry
from xetile.cli.entry import COMMANDS, listing

PROGRAM = "xetile"


def main() -> int:
    """List the commands, or run the named one."""
    name = sys.argv[1].removeprefix("xetile-") if len(sys.argv) > 1 else ""
    if name in COMMANDS:
        sys.argv[:2] = [f"xetile-{name}"]
        status: int = getattr(entry, name)()
        return status
    from xetile.cli.frame.tools import run_tool

    return run_tool(PROGRAM, _listed)


def _listed(arguments: list[str]) -> int:
    from xetile.errors import XetileError

    if arguments and arguments[0] not in ("", "-h", "--help"):
        raise XetileError(
            f"there is no command '{arguments[0]}'; these are: {', '.join(COMMANDS)}"
        )
    print(listing())
    return 0


if __name__ == "__main__":
    sys.exit(main())
