"""How kernels are compiled that are explained, ranked or explored."""

from dataclasses import dataclass

from xetile.targets.target import Assume, RegisterFile


@dataclass(frozen=True)
class Options:
    """How kernels are compiled: the only one that is wanted, and what `xetile.emit` has besides.

    `assembly` is whether ocloc counts instructions and spills; None where it is installed.
    """

    kernel: str | None = None
    assume: Assume = "block"
    unroll: int | None = None
    grf: RegisterFile | None = None
    assembly: bool | None = None
