"""What to make of kernels, and the names of the files that it goes to."""

from dataclasses import dataclass
from pathlib import PurePath

from xetile.errors import XetileError
from xetile.levels import levels
from xetile.targets.target import LLVM, Assume, RegisterFile

_WITH_DIALECTS = [level.name for level in levels() if level.dialect]
*UPPER, LAST = *_WITH_DIALECTS, LLVM.name
"""Levels of IR that are printed as they are made, and the one that code is made of."""

KINDS = (*UPPER, LAST, "ll", "spirv", "zebin", "asm")
"""What can be made."""

SUFFIXES = {"spirv": ".spv", "zebin": ".bin"}
"""What is binary, and is launched as its contract says."""

CONTRACT_SUFFIX = ".json"
"""What the name of a launch contract has behind that of its code."""

_WITHOUT_REGISTERS = (*UPPER, LAST, "ll")
"""What is the same for every register file."""

_TEXT_SUFFIXES = {"ll": ".ll", "asm": ".asm"}


@dataclass(frozen=True)
class Options:
    """What is made of every kernel: each field is part of what decides whether a file is up to date.

    `emit` is one of KINDS; `kernel` the only kernel that is wanted; `assume`, `unroll` and `grf` are as `xetile.lower`
    and `xetile.codegen.emit` have them; `statistics` asks for instruction counts, which need ocloc.
    Errors: XetileError for a register file beside what does not depend on it.
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
        """Whether a launch contract stands beside the code."""
        return self.emit in SUFFIXES

    @property
    def needs_ocloc(self) -> bool:
        """Whether Intel's offline compiler takes part."""
        return self.statistics or self.emit in ("zebin", "asm")


def check_kind(emit: str) -> None:
    """Refuse what cannot be made."""
    if emit not in KINDS:
        raise XetileError(f"unknown kind of code '{emit}'; expected one of {', '.join(KINDS)}")


def suffix(emit: str) -> str:
    """How the name of a file ends that has this kind of output: `.spv`, `.xegpu.mlir`."""
    return SUFFIXES.get(emit) or _TEXT_SUFFIXES.get(emit) or f".{emit}.mlir"


def output_name(stem: str, device: str | None, emit: str) -> str:
    """The file of one input and one device: `gemm.bmg.spv`; without a device, whichever the input names: `gemm.spv`."""
    middle = "" if device is None else f".{device}"
    return f"{stem}{middle}{suffix(emit)}"


def stem(path: str) -> str:
    """What the outputs of an input are named after; `-`, standard input, is `stdin`."""
    return "stdin" if path == "-" else PurePath(path).stem
