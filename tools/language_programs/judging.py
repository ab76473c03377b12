"""Whether a kernel computes eagerly what its trace computes."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import xetile.language as xt
from tools.language_programs.drawing import Program
from tools.language_programs.statements import without_each
from xetile.errors import XetileError

Verdict = Literal["equal", "refused", "differs", "broken"]
"""Broken is Python that is none, which leaving statements out makes."""

TYPES = (xt.f32[32, 64], xt.f16[32, 64], xt.i32[32, 64], xt.f32[16, 16], xt.i32[16, 16])
"""What the arguments of every kernel are: F, H and I are read, O and P written by two workgroups."""


class Judged(NamedTuple):
    """What became of a program, and why it is not equal."""

    program: Program
    verdict: Verdict
    detail: str


def judged(program: Program) -> Judged:
    """Execute a program both ways; its source lies in a file meanwhile, where tracing finds it."""
    with TemporaryDirectory() as folder, np.errstate(all="ignore"):
        path = Path(folder) / f"{program.name}.py"
        path.write_text(program.text())
        names: dict[str, object] = {"__name__": program.name}
        try:
            exec(compile(program.text(), path, "exec"), names)
            kernel = names["kernel"]
            assert isinstance(kernel, xt.Kernel)
            traced = kernel.specialize(*TYPES, grid=(2,))
            given, expected = arguments(), arguments()
            traced(*given)
            traced.eager(*expected)
        except XetileError as error:
            verdict = "broken" if isinstance(error.__cause__, NameError) else "refused"
            return Judged(program, verdict, str(error).replace(f"{folder}/", ""))
        except (NameError, SyntaxError) as error:
            return Judged(program, "broken", str(error))
        except Exception as error:
            return Judged(program, "differs", f"{type(error).__name__}: {error}")
    for name, one, other in zip("FHIOP", given, expected, strict=True):
        if not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
            count = int((one != other).sum())
            return Judged(program, "differs", f"{count} elements of {name}")
    return Judged(program, "equal", "")


def arguments() -> list[NDArray[Any]]:
    """Small whole numbers and halves, the same each time."""
    random = np.random.default_rng(0)
    f = random.integers(-8, 9, (32, 64)) * 0.5
    h, i = (random.integers(-3, 4, (32, 64)) for _ in range(2))
    read = [f.astype(np.float32), h.astype(np.float16), i.astype(np.int32)]
    return [*read, np.zeros((16, 16), np.float32), np.zeros((16, 16), np.int32)]


def smallest(found: Judged, attempts: int = 200) -> Judged:
    """A program that fails alike, without the statements that it fails without."""
    reason = _cause(found)
    while attempts > 0:
        for body in without_each(found.program.body):
            attempts -= 1
            program = found.program
            smaller = judged(Program(program.name, program.helpers, body, program.stores))
            if smaller.verdict == found.verdict and _cause(smaller) == reason:
                found = smaller
                break
            if attempts <= 0:
                return found
        else:
            return found
    return found


def _cause(found: Judged) -> str:
    """Why, without places and numbers."""
    return "".join(c for c in found.detail.rpartition("error: ")[2] if not c.isdigit())
