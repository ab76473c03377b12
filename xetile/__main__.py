"""`python -m xetile`: the commands with a line each; `python -m xetile opt ...` is `xetile-opt ...`."""

import sys

from xetile.cli import entry
from xetile.cli.commands import COMMANDS, listing


def main() -> int:
    """List the commands, or run the one that is named."""
    name = sys.argv[1].removeprefix("xetile-") if len(sys.argv) > 1 else ""
    if name in COMMANDS:
        sys.argv[:2] = [f"xetile-{name}"]
        status: int = getattr(entry, name)()
        return status
    if name not in ("", "-h", "--help"):
        print(
            f"xetile: error: there is no command '{sys.argv[1]}'; these are: {', '.join(COMMANDS)}",
            file=sys.stderr,
        )
        return 1
    print(listing())
    return 0


if __name__ == "__main__":
    sys.exit(main())
