"""What is run in both trees: sources at every level, commands of lit files, layouts, executions.

A unit is the least that is run, cached and named by `--only`; it gives several results. All inputs are the base
tree's, below the folder `input`.
"""

import json
import re
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Literal

Kind = Literal["source", "lowering", "direct", "commands", "execution", "product"]

DEVICES = ("pvc", "bmg", "lnl", "ptl", "cri")
QUICK_DEVICE = "bmg"
SEPARATOR = re.compile(r"(?m)^[ \t]*// -----.*$")
RUN = re.compile(r"(?m)^.*?\bRUN:[ \t]*(.*)$")
SPLITS = "splits"

PRODUCTS = (
    ("f16", "f16", "f32", "f32"), ("f16", "f16", "f16", "f16"), ("bf16", "bf16", "f32", "bf16"),
    ("bf16", "bf16", "bf16", "bf16"), ("tf32", "tf32", "f32", "f32"), ("f32", "f32", "f32", "f32"),
    ("f64", "f64", "f64", "f64"), ("f8E4M3FN", "f8E5M2", "f32", "f32"),
    ("f8E5M2", "f8E4M3FN", "bf16", "bf16"), ("i8", "i8", "i32", "i32"), ("si8", "ui8", "i32", "f32"),
    ("ui8", "si8", "i32", "i8"),
)  # fmt: skip
"""Element types of A, B, the accumulator and C of the products that are executed."""

SMALL = ("100x40.npy", "40x72.npy", "100x72.npy", "100", "72", "40", "--grid", "2,2,1")
LAUNCHES = {
    "1-row-major": SMALL,
    "1-transposed-load": ("100x40.npy", "72x40.npy", *SMALL[2:]),
    "2.2-transpose-broadcast-reduce": ("int", "int", "int", "zeros", "--grid", "1,1,1"),
}
"""What examples take that are no product of two matrices; files are made, of random bf16."""
LAUNCH = ("int", "int", "zeros", "--grid", "1,1,1")
NOT_EXECUTED = ("1-column-major-view", "main-text")
"""One takes an address, one has many kernels."""


@dataclass(frozen=True)
class Unit:
    """What is run: `arguments` are a path for sources, command lines for commands, types for products."""

    kind: Kind
    name: str
    device: str
    arguments: tuple[str, ...]

    @property
    def key(self) -> str:
        """What a cache calls it."""
        return sha256(json.dumps(asdict(self)).encode()).hexdigest()


def read_units(text: str) -> list[Unit]:
    """The units of a JSON list."""
    return [
        Unit(u["kind"], u["name"], u["device"], tuple(u["arguments"]))
        for u in json.loads(text)
    ]


def write_units(units: list[Unit]) -> str:
    """The units as a JSON list."""
    return json.dumps([asdict(unit) for unit in units])


def units_of(
    tree: Path, devices: tuple[str, ...], patterns: tuple[str, ...], *, quick: bool
) -> list[Unit]:
    """Everything to run on the inputs of a tree; writes the parts of its lit files beside them."""
    from .layouts import layout_commands

    examples = sorted(str(p.relative_to(tree)) for p in (tree / "examples").rglob("*.mlir"))
    splits = write_splits(tree)
    units: list[Unit] = []
    for path in examples:
        units += _levels(path, devices)
    for path in splits:
        if quick:
            units.append(Unit("direct", _split_name(path), devices[0], (path,)))
        else:
            units += _levels(path, devices)
    for device in devices:
        for number, command in enumerate(layout_commands(device)):
            units.append(Unit("commands", f"xetile-layout {device} {number}", "", (command,)))
    if not quick:
        units += lit_commands(tree)
        units += _executions(examples, devices)
    return [unit for unit in units if not patterns or _is_wanted(unit.name, patterns)]


def _is_wanted(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a pattern fits a name, or the file of which it is a part."""
    return any(fnmatchcase(name, form) for p in patterns for form in (p, f"{p}/*"))


def _split_name(path: str) -> str:
    """What a part of a lit file is called: the file's path and the part's number."""
    return path.replace(f"{SPLITS}/", "test/ir/", 1).removesuffix(".mlir")


def _levels(path: str, devices: tuple[str, ...]) -> list[Unit]:
    """A source without a device, then on each."""
    name = _split_name(path) if path.startswith(f"{SPLITS}/") else path
    lowered = [Unit("lowering", name, device, (path,)) for device in devices]
    return [Unit("source", name, "", (path,)), *lowered]


def _executions(examples: list[str], devices: tuple[str, ...]) -> list[Unit]:
    paths = [Path(name) for name in examples if name.startswith("examples/rfc/")]
    launches = {
        str(p): LAUNCHES.get(p.stem, LAUNCH) for p in paths if p.stem not in NOT_EXECUTED
    }
    units: list[Unit] = []
    for device in ("", *devices):
        units += [Unit("execution", p, device, (p, *launch)) for p, launch in launches.items()]
        units += [Unit("product", f"gemm {' '.join(p)}", device, p) for p in PRODUCTS]
    return units


def write_splits(tree: Path) -> list[str]:
    """The parts of the lit files, each in a file of its own below `splits`; their paths in the tree."""
    paths: list[str] = []
    for path in sorted((tree / "test" / "ir").rglob("*.mlir")):
        folder = tree / SPLITS / path.relative_to(tree / "test" / "ir")
        folder.mkdir(parents=True, exist_ok=True)
        parts = SEPARATOR.split(path.read_bytes().decode(errors="surrogateescape"))
        for number, part in enumerate(parts):
            place = folder / f"{number}.mlir"
            place.write_bytes(part.encode(errors="surrogateescape"))
            paths.append(str(place.relative_to(tree)))
    return paths


def lit_commands(tree: Path) -> list[Unit]:
    """The command lines of each lit file, substitutions for its place made."""
    units: list[Unit] = []
    files = [p for p in (tree / "test" / "ir").rglob("*") if p.suffix in (".mlir", ".test")]
    for path in sorted(files):
        name = str(path.relative_to(tree))
        if "/Inputs/" in name:
            continue
        joined = "\n".join(RUN.findall(path.read_bytes().decode(errors="replace")))
        lines = joined.replace("\\\n", " ").splitlines()
        commands = tuple(_substituted(line, name) for line in lines)
        if any("xetile-" in command for command in commands):
            units.append(Unit("commands", name, "", commands))
    return units


def _substituted(line: str, name: str) -> str:
    """A RUN line with lit's substitutions, without its conditions."""
    line = re.sub(r"%if [\w-]+ %\{(.*)%\}\s*$", r"\1", line)
    folder = name.rpartition("/")[0]
    for mark, text in (
        ("%examples", "input/examples"),
        ("%%", "\0"),
        ("%S", f"input/{folder}"),
    ):
        line = line.replace(mark, text)
    line = re.sub(r"%s\b", f"input/{name}", line)
    return re.sub(r"%t\b", "out", line).replace("\0", "%").strip()
