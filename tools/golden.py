"""The witness for refactorings: whether this tree answers as another revision does, bit for bit.

    python tools/golden.py compare --base REV [--ignore ATTRIBUTE ...] [--only GLOB ...] [--device NAME ...] [--quick]

Runs both trees on the inputs of the base: every example and every part of the lit files at every level on every device
(text, SPIR-V, launch contract), the command lines of the lit files, layouts, executions of small kernels. Compares
status, streams and files. Nothing is stored in the repository; what a revision answers is kept in
`${XDG_CACHE_HOME:-~/.cache}/xetile-golden`. Status 0: equal, 1: different, 2: wrong usage.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from witness.comparison import Difference, compare, report
from witness.store import Result, Store
from witness.units import DEVICES, QUICK_DEVICE, Unit, read_units, units_of, write_units

ROOT = Path(__file__).resolve().parent.parent
KEPT_REVISIONS = 8
GROUPS = 20
PROCESSES = 2
LIBRARIES = ("xdsl", "numpy", "ml_dtypes", "llvmlite")
ORACLES = ("XETILE_MLIR_OPT", "XETILE_OCLOC", "XETILE_SPIRV_VAL", "XETILE_MLIR_WHEEL")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two trees; the result is the exit status."""
    options = _parser().parse_args(arguments)
    if options.command == "worker":
        return _work(options)
    commit = _commit(options.base)
    if commit is None:
        print(f"golden: unknown revision '{options.base}'", file=sys.stderr)
        return 2
    with TemporaryDirectory(prefix="golden-") as folder:
        return _compare(options, commit, Path(folder).resolve())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compares what two trees answer.")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("compare", help="hold this tree against a revision").add_argument
    add("--base", required=True, metavar="REV", help="the revision to compare with")
    add("--ignore", nargs="+", default=[], metavar="ATTRIBUTE", help="drop these from IR text")
    add("--only", nargs="+", default=[], metavar="GLOB", help="only what is named so")
    add("--device", nargs="+", choices=DEVICES, metavar="NAME", help="only these devices")
    add("--quick", action="store_true", help="one device, parts of lit files at one level")
    add("--all", action="store_true", help=f"show all differences, not {GROUPS}")
    add("--no-cache", action="store_true", help="run the base again")
    add = commands.add_parser(
        "worker", help="run units in one tree (used by compare)"
    ).add_argument
    add("units", type=Path)
    for name in ("--tree", "--inputs", "--folder", "--store"):
        add(name, type=Path, required=True)
    return parser


def _work(options: argparse.Namespace) -> int:
    from witness.worker import run_units

    units = read_units(options.units.read_text())
    run_units(
        units,
        tree=options.tree,
        inputs=options.inputs,
        folder=options.folder,
        store=options.store,
    )
    return 0


def _commit(revision: str) -> str | None:
    command = ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def _compare(options: argparse.Namespace, commit: str, folder: Path) -> int:
    started = time.monotonic()
    base, head = folder / "base", folder / "head"
    _extract(commit, base)
    shutil.copytree(ROOT / "xetile", head / "xetile")
    shutil.copy2(ROOT / "pyproject.toml", head)
    devices = tuple(options.device or ([QUICK_DEVICE] if options.quick else DEVICES))
    units = units_of(base, devices, tuple(options.only), quick=options.quick)
    if not units:
        print(f"golden: nothing is named {' or '.join(options.only)}", file=sys.stderr)
        return 2
    kept = Store(folder / "kept" if options.no_cache else _cache(commit))
    ours = Store(folder / "ours")
    if not _run_both(units, base, head, kept=kept, ours=ours, folder=folder):
        return 2
    left, right = _in_order(units, kept.read()), _in_order(units, ours.read())
    differences = compare(
        left, right, read_base=kept.text, read_head=ours.text, ignored=options.ignore
    )
    return _answer(differences, len(left), started, show_all=options.all)


def _in_order(units: list[Unit], results: dict[str, list[Result]]) -> list[Result]:
    return [result for unit in units for result in results.get(unit.key, [])]


def _answer(
    differences: list[Difference], number: int, started: float, *, show_all: bool
) -> int:
    for line in report(differences, most=None if show_all else GROUPS):
        print(line)
    wrong = len({difference.name for difference in differences})
    seconds = time.monotonic() - started
    verdict = f"{wrong} of {number} differ" if wrong else f"all {number} results are equal"
    print(f"{verdict} ({seconds:.0f} s)")
    return 1 if differences else 0


def _extract(commit: str, folder: Path) -> None:
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)


def _cache(commit: str) -> Path:
    """The folder for a revision's results under this tool, these libraries and oracles; old ones go."""
    sources = [Path(__file__), *sorted((ROOT / "tools" / "witness").glob("*.py"))]
    parts = [path.read_text() for path in sources]
    parts += [platform.python_version(), *(version(name) for name in LIBRARIES)]
    parts += [os.environ.get(name, "") for name in ORACLES]
    name = f"{commit}-{sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xetile-golden"
    (home / name).mkdir(parents=True, exist_ok=True)
    os.utime(home / name)
    others = sorted(home.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in others[KEPT_REVISIONS:]:
        shutil.rmtree(old, ignore_errors=True)
    return home / name


def _run_both(
    units: list[Unit], base: Path, head: Path, *, kept: Store, ours: Store, folder: Path
) -> bool:
    """Run the base where its results are not known, and this tree; whether all went through."""
    known = kept.read()
    missing = [unit for unit in units if unit.key not in known]
    work = _shared(units, head, ours)
    if missing:
        work = [(missing, base, kept), (units, head, ours)]
    processes: list[subprocess.Popen[str]] = []
    for number, (some, tree, store) in enumerate(work):
        processes.append(_start(some, tree, base, store, folder / f"worker{number}"))
    total = sum(len(some) for some, _, _ in work)
    try:
        return _watch(processes, folder, total)
    finally:
        for process in processes:
            process.terminate()


def _shared(
    units: list[Unit], tree: Path, store: Store
) -> list[tuple[list[Unit], Path, Store]]:
    """The units for two processes; those of a name stay together, which reads it once."""
    names = list(dict.fromkeys(unit.name for unit in units))
    parts = [set(names[number::PROCESSES]) for number in range(PROCESSES)]
    return [([unit for unit in units if unit.name in part], tree, store) for part in parts]


def _start(
    units: list[Unit], tree: Path, inputs: Path, store: Store, folder: Path
) -> subprocess.Popen[str]:
    folder.mkdir()
    (folder / "units.json").write_text(write_units(units))
    command = [sys.executable, __file__, "worker", str(folder / "units.json")]
    for name, value in (("tree", tree), ("inputs", inputs), ("store", store.folder)):
        command += [f"--{name}", str(value)]
    environment = os.environ | {
        "PYTHONPATH": str(tree),
        "PYTHONHASHSEED": "0",
        "COLUMNS": "100",
    }
    environment.pop("XETILE_SANITIZE", None)
    with (folder / "progress").open("w") as progress:
        return subprocess.Popen(
            [*command, "--folder", str(folder)], env=environment, stdout=progress, text=True
        )


def _watch(processes: list[subprocess.Popen[str]], folder: Path, total: int) -> bool:
    """Say now and then how far the processes are; whether all ended well."""
    said = time.monotonic()
    while any(process.poll() is None for process in processes):
        time.sleep(0.2)
        if time.monotonic() - said >= 10:
            said = time.monotonic()
            files = folder.glob("worker*/progress")
            done = sum(path.read_text().count("\n") for path in files)
            print(f"golden: {done} of {total} units", file=sys.stderr, flush=True)
    failed = [process.returncode for process in processes if process.returncode != 0]
    if failed:
        print(f"golden: a worker ended with status {failed[0]}", file=sys.stderr)
    return not failed


if __name__ == "__main__":
    sys.exit(main())
