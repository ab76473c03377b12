"""The kinds of output that kernels compile to, and the names of their files."""

from dataclasses import dataclass
from pathlib import PurePath

from xetile.errors import XetileError
from xetile.levels import levels
from xetile.targets.target import LLVM, Assume, RegisterFile

_WITH_DIALECTS = [level.name for level in levels() if level.dialect]
*UPPER, LAST = *_WITH_DIALECTS, LLVM.name
"""Levels of IR that are printed when they are reached, and the level that code is generated from."""

KINDS = (*UPPER, LAST, "ll", "spirv", "zebin", "asm")
"""All kinds of output."""

SUFFIXES = {"spirv": ".spv", "zebin": ".bin"}
"""Binary kinds, which are launched as their contract says."""

CONTRACT_SUFFIX = ".json"
"""Suffix that the name of a launch contract adds to that of its code."""

_WITHOUT_REGISTERS = (*UPPER, LAST, "ll")
"""Kinds that do not depend on the register file."""

_TEXT_SUFFIXES = {"ll": ".ll", "asm": ".asm"}


@dataclass(frozen=True)
class Options:
    """The requested output of every kernel; each field is part of the key that tells if a file is up to date.

    `emit` is one of KINDS; `kernel` the only kernel that is wanted; `assume`, `unroll` and `grf` are as `xetile.lower`
    and `xetile.codegen.emit` have them; `statistics` asks for instruction counts, which need ocloc.
    Raise XetileError for a register file if the output does not depend on it.
    """

    emit: str = "spirv"
    kernel: str | None = None
    assume: Assume = "block"
    unroll: int | None = None
    grf: RegisterFile | None = None
    statistics: bool = False

    def __post_init__(self) -> None:
        if self.grf is not None and self.emit in _WITHOUT_REGISTERS and not self.statistics:
            raise XetileError(
                f"grf is {self.grf}, but {self.emit} does not depend on the register file; "
                "give it for spirv, zebin, asm or statistics"
            )

    @property
    def has_contract(self) -> bool:
        """Return True if a launch contract is written next to the code."""
        return self.emit in SUFFIXES

    @property
    def needs_ocloc(self) -> bool:
        """Return True if Intel's offline compiler is needed."""
        return self.statistics or self.emit in ("zebin", "asm")


def check_kind(emit: str) -> None:
    """Raise XetileError if `emit` is not a kind of output."""
    if emit not in KINDS:
        raise XetileError(f"unknown kind of code '{emit}'; expected one of {', '.join(KINDS)}")


def suffix(emit: str) -> str:
    """Return the suffix of the files of this kind of output: `.spv`, `.xegpu.mlir`."""
    return SUFFIXES.get(emit) or _TEXT_SUFFIXES.get(emit) or f".{emit}.mlir"


def output_name(stem: str, device: str | None, emit: str) -> str:
    """Return an output's file name: `gemm.bmg.spv`, or `gemm.spv` for the device that the input itself names."""
    middle = "" if device is None else f".{device}"
    return f"{stem}{middle}{suffix(emit)}"


def stem(path: str) -> str:
    """Return the stem of the names of an input's outputs; for `-`, standard input, it is `stdin`."""
    return "stdin" if path == "-" else PurePath(path).stem
