"""Options for compiling kernels that are explained, ranked or explored."""

from dataclasses import dataclass

from xetile.targets.target import Assume, RegisterFile


@dataclass(frozen=True)
class Options:
    """The kernel to compile, or None for all, and the other options of `xetile.emit`.

    `assembly` says if ocloc counts instructions and spills; None means if it is installed.
    """

    kernel: str | None = None
    assume: Assume = "block"
    unroll: int | None = None
    grf: RegisterFile | None = None
    assembly: bool | None = None
