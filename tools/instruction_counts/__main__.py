"""The command line; see the package."""

from argparse import ArgumentParser
from fnmatch import fnmatchcase

from tools.instruction_counts.kernels import KERNELS, counts

SHOWN = (
    "total",
    "load2d",
    "dpas",
    "mov",
    "alu",
    "sync",
    "loop_unroll",
    "outside",
    "spill_size",
)


def main() -> int:
    """One line for each kernel and device; status 1 where one is above its bound or spills."""
    parser = ArgumentParser(
        prog="instruction_counts", description="Instructions of hot loops (needs ocloc)."
    )
    parser.add_argument("--device", nargs="+", default=["bmg"])
    parser.add_argument("--only", nargs="+", default=["*"], metavar="GLOB")
    arguments = parser.parse_args()
    failed = False
    for name, kernel in KERNELS.items():
        if not any(fnmatchcase(name, glob) for glob in arguments.only):
            continue
        for device in (d for d in arguments.device if d in kernel.most):
            found, most = counts(kernel, device), kernel.most[device]
            beside = kernel.outside.get(device, found["outside"])
            failed |= found["total"] > most or found["spill_size"] > 0
            failed |= found["outside"] > beside
            row = ", ".join(f"{key} {found[key]:g}" for key in SHOWN)
            print(f"{name}, {device}: {row}; at most {most:g}", flush=True)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
