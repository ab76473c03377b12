"""Runs units in one tree, in this process, through its public names only."""

import gc
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import xetile

from .capture import Answer, Cleaner, Main, captured, files_below, tool_main, tools_of
from .commands import run_line
from .store import Result, Store
from .units import QUICK_DEVICE, Unit

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

Level = Literal["subgroup", "blocked", "xegpu", "xevm", "llvm"]
BELOW_SUBGROUP: tuple[Level, ...] = ("blocked", "xegpu", "xevm", "llvm")
EXECUTED: tuple[Level, ...] = ("blocked", "xegpu", "xevm")
SEED = 20
LARGE, SMALL = "4096", "512"
"""The extents of the examples' matrices, and what they are where they are executed."""
EXTENTS = (40, 64, 64)
"""m, n, k of the products: the last rows of tiles lie outside."""

_DTYPES = {"tf32": "float32", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "bf16": "bfloat16",
           "f16": "float16", "f32": "float32", "f64": "float64", "ui8": "uint8"}  # fmt: skip


@dataclass
class Worker:
    """Runs units of one tree, in a folder of its own that has the inputs as `input`."""

    tools: Mapping[str, Main]
    cleaner: Cleaner
    store: Store
    results: list[Result] = field(default_factory=list[Result])
    parsed: tuple[str, "ModuleOp | None"] = ("", None)

    def run(self, unit: Unit) -> None:
        """Run a unit and store what it answers."""
        self.results = []
        runs: dict[str, Callable[[Unit], None]] = {
            "source": self._source, "lowering": self._lowering, "direct": self._direct,
            "commands": self._commands, "execution": self._execution, "product": self._product,
        }  # fmt: skip
        runs[unit.kind](unit)
        self.store.add(unit.key, self.results)
        gc.collect()

    def _record(self, name: str, answer: Answer, *, timed: bool = False) -> bool:
        """Keep an answer; whether the call succeeded."""
        clean = self.cleaner.clean(answer, timed=timed)
        parts = {part: self.store.keep(data) for part, data in clean.parts().items()}
        self.results.append(Result(name, parts))
        return answer.status == "0"

    def _tool(self, name: str, tool: str, *arguments: str) -> bool:
        before = files_below(Path())
        answer = captured(partial(self.tools[tool], arguments))
        changed = {n for n, stamp in files_below(Path()).items() if before.get(n) != stamp}
        answer.files = {n: Path(n).read_bytes() for n in sorted(changed)}
        return self._record(name, answer)

    def _source(self, unit: Unit) -> None:
        place = f"input/{unit.arguments[0]}"
        name = unit.name
        if not self._tool(f"{name}: printed", "xetile-opt", place):
            return
        self._tool(f"{name}: generic", "xetile-opt", "--print-op-generic", place)
        self._tool(f"{name}: tidied", "xetile-opt", "--canonicalize", "--cse", place)
        module = self._read(place)
        if module is not None:
            self._lowered(f"{name}: subgroup", module, "subgroup", None)

    def _read(self, place: str) -> "ModuleOp | None":
        """The module of a file, None if it is wrong; the last one is remembered."""
        if self.parsed[0] != place:
            found: list[ModuleOp] = []
            captured(lambda: found.append(xetile.parse(place)))
            self.parsed = (place, found[0] if found else None)
        return self.parsed[1]

    def _lowered(
        self, name: str, module: "ModuleOp", level: Level, device: str | None
    ) -> "ModuleOp | None":
        """A module at a lower level, whose text is recorded."""
        found: list[ModuleOp] = []

        def lower() -> int:
            found.append(xetile.lower(module, to=level, device=device))
            sys.stdout.write(xetile.text(found[0]))
            return 0

        return found[0] if self._record(name, captured(lower)) else None

    def _lowering(self, unit: Unit) -> None:
        """Levels below S one after the other, then code by the command line."""
        place = f"input/{unit.arguments[0]}"
        module = self._read(place)
        if module is None:
            return
        name = f"{unit.name} {unit.device}"
        for level in BELOW_SUBGROUP:
            lowered = self._lowered(f"{name}: {level}", module, level, unit.device)
            if lowered is None and not _stands_lower(self.results[-1], self.store):
                return
            module = module if lowered is None else lowered
        Path("lowest.mlir").write_text(xetile.text(module))
        options = ("--device", unit.device)
        self._tool(f"{name}: ll", "xetile-compile", "lowest.mlir", *options, "--emit", "ll")
        # from the source once, from the lowest level elsewhere: the way down is the same and takes long
        start = place if unit.device == QUICK_DEVICE else "lowest.mlir"
        self._tool(f"{name}: spirv", "xetile-compile", start, *options, "-o", "code.spv")

    def _direct(self, unit: Unit) -> None:
        """A source at the lowest level only."""
        place = f"input/{unit.arguments[0]}"
        if self._tool(f"{unit.name}: printed", "xetile-opt", place):
            to_llvm = ("--device", unit.device, "--emit", "llvm")
            self._tool(f"{unit.name} {unit.device}: llvm", "xetile-compile", place, *to_llvm)

    def _commands(self, unit: Unit) -> None:
        number = 0
        for line in unit.arguments:
            for command, answer in run_line(line, self.tools):
                number += 1
                words = " ".join(command.words)
                self._record(f"{unit.name} {number}: {words}", answer, timed=command.timed)

    def _execution(self, unit: Unit) -> None:
        """A small launch of an example, at W and S, or at the levels of a device."""
        path, *launch = unit.arguments
        source = Path(f"input/{path}").read_text().replace(LARGE, SMALL)
        Path("source.mlir").write_text(source)
        self.parsed = ("", None)
        module = self._read("source.mlir")
        if module is None:
            return
        values = [word for word in launch if word.endswith(".npy")]
        for number, file in enumerate(values):
            _write_matrix(file, number)
        split = launch.index("--grid")
        given = [word for value in launch[:split] for word in ("--arg", value)]
        for level, lowered in self._levels(module, unit.device):
            place = f"{level}.mlir"
            Path(place).write_text(xetile.text(lowered))
            name = f"{unit.name} {unit.device}: executed at {level}"
            self._tool(name, "xetile-run", place, *given, *launch[split:], "--out", "arrays")

    def _levels(self, module: "ModuleOp", device: str) -> "list[tuple[str, ModuleOp]]":
        """The module as it is and at S without a device, else at the levels below, as far as they are reached."""
        levels: tuple[Level, ...] = EXECUTED if device else ("subgroup",)
        reached: list[tuple[str, ModuleOp]] = [] if device else [("workgroup", module)]
        for level in levels:
            lowered = _lower(module, level, device or None)
            if lowered is None:
                break
            module = lowered
            reached.append((level, module))
        return reached

    def _product(self, unit: Unit) -> None:
        found: list[ModuleOp] = []
        a, b, accumulator, c = unit.arguments

        def build() -> int:
            m, n, k = EXTENTS
            found.append(
                xetile.kernels.gemm_module(
                    m=m, n=n, k=k, a=a, b=b, accumulator=accumulator, c=c,
                    workgroup_tile=(32, 64), subgroup_tile=(16, 32), k_step=32, prefetch=1,
                )
            )  # fmt: skip
            sys.stdout.write(xetile.text(found[0]))
            return 0

        if not self._record(f"{unit.name} {unit.device}: built", captured(build)):
            return
        for level, module in self._levels(found[0], unit.device):
            answer = captured(partial(_multiply, module, a, b, c))
            self._record(f"{unit.name} {unit.device}: executed at {level}", answer)


def _lower(module: "ModuleOp", level: Level, device: str | None) -> "ModuleOp | None":
    """A module at a lower level, None where it is refused."""
    found: list[ModuleOp] = []
    captured(lambda: found.append(xetile.lower(module, to=level, device=device)))
    return found[0] if found else None


def _stands_lower(result: Result, store: Store) -> bool:
    """Whether a lowering was refused because the kernel stands below that level."""
    return b"already, which is below" in store.text(result.parts["status"])


def _multiply(module: "ModuleOp", a: str, b: str, c: str) -> int:
    m, n, k = EXTENTS
    arrays = [_matrix((m, k), a, 1), _matrix((k, n), b, 2), _matrix((m, n), c, 3)]
    xetile.execute(module, "gemm", *arrays)
    for array in arrays:
        sys.stdout.write(f"{array.dtype} {array.shape} {array.tobytes().hex()}\n")
    return 0


def _matrix(shape: tuple[int, int], element: str, number: int) -> "NDArray[numpy.generic]":
    import ml_dtypes
    import numpy

    generator = numpy.random.default_rng([SEED, number])
    name = _DTYPES.get(element, f"int{element.lstrip('si')}")
    dtype = numpy.dtype(getattr(ml_dtypes, name, name))
    if dtype.kind in "iu":
        return generator.integers(0 if dtype.kind == "u" else -9, 9, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def _write_matrix(name: str, number: int) -> None:
    """Make the file of a bf16 matrix whose name says its extents, as 100x40.npy."""
    import numpy

    rows, columns = Path(name).stem.split("x")
    numpy.save(name, _matrix((int(rows), int(columns)), "bf16", number))


def run_units(
    units: list[Unit], *, tree: Path, inputs: Path, folder: Path, store: Path
) -> None:
    """Run units on a tree that this process imports; a line on standard output per unit done."""
    home = Path(xetile.__file__ or "").resolve().parents[1]
    if home != tree.resolve():
        raise SystemExit(f"golden: xetile comes from '{home}', not from '{tree}'")
    progress = os.fdopen(os.dup(1), "w", buffering=1)
    tools = {name: tool_main(entry) for name, entry in tools_of(tree).items()}
    folders = ((str(inputs), "input"), (str(tree), "<tree>"), (str(folder), "<folder>"))
    worker = Worker(tools, Cleaner(folders), Store(store))
    gc.collect()
    gc.freeze()
    for unit in units:
        place = folder / "work"
        place.mkdir(parents=True)
        (place / "input").symlink_to(inputs)
        os.chdir(place)
        worker.run(unit)
        os.chdir(folder)
        shutil.rmtree(place)
        print(unit.name, file=progress)
