"""Paths of the optional outside tools: from an environment variable first, then from the search path.

A variable that is set and empty hides its tool: it is not searched for.
"""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from xetile.errors import XetileError

MLIR_VERSION = 22
"""Major version of the MLIR tools whose text xetile reads and writes."""


def _named(variable: str) -> Path | None:
    """Return the tool that an environment variable names, or None; raise if it cannot be run."""
    value = os.environ.get(variable)
    if not value:
        return None
    found = shutil.which(value)
    if found is None:
        raise XetileError(f"{variable} is '{value}', which is no program that can be run")
    return Path(found)


def _candidates(variable: str, *names: str) -> list[Path]:
    """Return the programs of these names on the search path; none if the variable is set and empty."""
    if os.environ.get(variable) == "":
        return []
    return [Path(found) for name in names if (found := shutil.which(name)) is not None]


def _find(variable: str, *names: str) -> Path | None:
    return _named(variable) or next(iter(_candidates(variable, *names)), None)


def find_ocloc() -> Path | None:
    """Return Intel's offline compiler: $XETILE_OCLOC, else `ocloc`, or None if it is not installed."""
    return _find("XETILE_OCLOC", "ocloc")


def find_spirv_val() -> Path | None:
    """Return Khronos' SPIR-V validator: $XETILE_SPIRV_VAL, else `spirv-val`, or None."""
    return _find("XETILE_SPIRV_VAL", "spirv-val")


def find_spirv_dis() -> Path | None:
    """Return Khronos' SPIR-V disassembler: `spirv-dis` in the folder of `spirv-val`, or None."""
    validator = find_spirv_val()
    found = None if validator is None else shutil.which("spirv-dis", path=validator.parent)
    return None if found is None else Path(found)


def find_browser() -> Path | None:
    """Return the browser in which tests view pages: $XETILE_BROWSER, else Chromium, or None."""
    return _find("XETILE_BROWSER", "chromium", "chromium-browser")


@cache
def mlir_version(program: Path) -> str | None:
    """Return the LLVM version that an `mlir-opt` reports, such as `22.1.8`, or None if it names none."""
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"LLVM version (\S+)", answer.stdout)
    return version.group(1) if version else None


def find_mlir_opt() -> Path | None:
    """Return MLIR's own driver, version 22: $XETILE_MLIR_OPT, else `mlir-opt-22`, else `mlir-opt`, or None.

    Raise XetileError if $XETILE_MLIR_OPT names a program of another version.
    """
    named = _named("XETILE_MLIR_OPT")
    if named is not None:
        if not _has_version(named):
            raise XetileError(
                f"XETILE_MLIR_OPT is '{named}' of version {mlir_version(named) or 'unknown'}, "
                f"xetile needs version {MLIR_VERSION}"
            )
        return named
    found = _candidates("XETILE_MLIR_OPT", f"mlir-opt-{MLIR_VERSION}", "mlir-opt")
    return next(filter(_has_version, found), None)


def _has_version(program: Path) -> bool:
    return (mlir_version(program) or "").partition(".")[0] == str(MLIR_VERSION)
