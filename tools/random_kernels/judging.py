"""Whether a kernel stores what numpy computes, at every level and on a device."""

import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

import xetile.language as xt
from tools.random_kernels.drawing import Program
from xetile.errors import XetileError, collected_remarks
from xetile.levels import LevelName
from xetile.runtime.open_device import Device

Verdict = Literal["right", "refused", "wrong", "broken"]
"""Broken is a Python exception, a crash or a hang."""

LETTERS: dict[str, LevelName] = {
    "W": "workgroup",
    "S": "subgroup",
    "B": "blocked",
    "X": "xegpu",
    "V": "xevm",
}
"""The levels by the letters of `--levels`."""


class Judged(NamedTuple):
    """What became of a kernel, where, and why it is not right."""

    verdict: Verdict
    place: str = ""
    detail: str = ""

    @property
    def cause(self) -> str:
        """The reason without numbers."""
        return "".join(c for c in f"{self.place}: {self.detail}" if not c.isdigit())


def judged(program: Program, levels: str = "WSBXV", device: Device | None = None) -> Judged:
    """Execute a kernel at levels, given by their letters, and on a device if there is one."""
    try:
        expected = program.expected()
    except KeyError as error:  # a smaller kernel that lacks a name
        return Judged("refused", "numpy", f"no name {error}")
    place = "W"
    # The source lies in a file meanwhile, where tracing finds it.
    with TemporaryDirectory() as folder, np.errstate(all="ignore"), collected_remarks():
        try:
            kernel = _specialized(program, Path(folder))
            for place in levels:
                if place != "W":
                    kernel = _lowered(kernel, LETTERS[place], program)
                given = program.given()
                kernel(*given, sanitize=True)
                if (wrong := _difference(program, given, expected)) is not None:
                    return Judged("wrong", place, wrong)
            if device is not None:
                place, given = "device", program.given()
                with kernel.on(device, device=program.device) as launched:
                    launched(*given)
                if (wrong := _difference(program, given, expected)) is not None:
                    return Judged("wrong", place, wrong)
        except XetileError as error:
            where = "python" if isinstance(error.__cause__, NameError) else place
            verdict = "broken" if "\n" in error.message else "refused"
            return Judged(verdict, where, error.message.replace(f"{folder}/", ""))
        except (NameError, SyntaxError) as error:
            return Judged("refused", "python", str(error))
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            at = f"{Path(last.filename).name}:{last.lineno}"
            return Judged("broken", place, f"{type(error).__name__}: {error} ({at})")
    return Judged("right")


def _specialized(program: Program, folder: Path) -> xt.Specialised:
    path = folder / f"{program.name}.py"
    path.write_text(program.text())
    names: dict[str, Any] = {"__name__": program.name}
    exec(compile(program.text(), path, "exec"), names)
    kernel = cast(xt.Kernel, names["kernel"])
    return kernel.specialize(*names["TYPES"])


def _lowered(kernel: xt.Specialised, to: LevelName, program: Program) -> xt.Specialised:
    if to == "subgroup":
        return kernel.lower(to)
    return kernel.lower(to, device=program.device, assume=program.assume)


def _difference(
    program: Program, given: list[Any], expected: dict[str, NDArray[Any]]
) -> str | None:
    """The first argument that is not as expected."""
    for array, found in zip(program.arrays, given, strict=True):
        if not array.shape:
            continue
        right = expected.get(array.name, array.data)
        wrong = np.argwhere(found.astype(np.float64) != right.astype(np.float64))
        if len(wrong):
            first = tuple(int(i) for i in wrong[0])
            return (
                f"{len(wrong)} of {found.size} elements of {array.name}, "
                f"first at {list(first)}: {found[first]} instead of {right[first]}"
            )
    return None
