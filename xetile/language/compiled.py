"""Code of a specialised kernel for one device: SPIR-V and its launch contract; assembly and figures where ocloc is."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from xdsl.dialects.builtin import ModuleOp

    from xetile.codegen.contract import Plain
    from xetile.runtime.code import Code
    from xetile.targets.target import Assume, RegisterFile


class Options(NamedTuple):
    """How code is made; as `xetile.emit` has them."""

    assume: "Assume" = "block"
    unroll: int | None = None
    grf: "RegisterFile | None" = None


class Compiled:
    """What is emitted of a kernel for `device`."""

    def __init__(
        self,
        name: str,
        code: "Code",
        device: str,
        options: Options,
        module: "Callable[[], ModuleOp]",
    ) -> None:
        """`module` gives the kernel's IR where more is made than `code`."""
        self.name = name
        self.code = code
        self.device = device
        self._options = options
        self._module = module

    def __repr__(self) -> str:
        return f"<{self.name} for {self.device}: {len(self.spirv)} bytes of SPIR-V>"

    @property
    def spirv(self) -> bytes:
        """The SPIR-V module."""
        return self.code.spirv

    @property
    def contract(self) -> "dict[str, Plain]":
        """What a host needs to launch it; the keys stand in docs/launch-contract.schema.json."""
        return self.code.contract

    @cached_property
    def ll(self) -> str:
        """LLVM IR."""
        from xetile.codegen import emit

        assume, unroll, _ = self._options
        return cast(str, emit(self._module(), "ll", self.device, assume=assume, unroll=unroll))

    @cached_property
    def asm(self) -> str:
        """The assembly that ocloc makes.

        Errors: XetileError where ocloc is missing.
        """
        return cast(str, self._made("asm"))

    @cached_property
    def zebin(self) -> bytes:
        """The binary that ocloc makes.

        Errors: XetileError where ocloc is missing.
        """
        return cast(bytes, self._made("zebin"))

    def _made(self, kind: str) -> str | bytes:
        from xetile.codegen import emit

        assume, unroll, grf = self._options
        assert kind in ("asm", "zebin")
        return emit(self._module(), kind, self.device, assume=assume, unroll=unroll, grf=grf)

    @cached_property
    def stats(self) -> dict[str, float]:
        """Instructions of the hot loop in a K step, spills, registers, as `xetile-compile --stats` prints them.

        Errors: XetileError where ocloc is missing.
        """
        from xetile.codegen import statistics

        assume, unroll, grf = self._options
        found = statistics(self._module(), self.device, assume=assume, unroll=unroll, grf=grf)
        return found[self.name]

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the SPIR-V to a file, and its contract beside it as PATH.json, as `xetile-compile` does.

        Errors: XetileError where that cannot be written.
        """
        import json
        from os import fspath

        from xetile.errors import XetileError, reason_of
        from xetile.files import write_files

        name = fspath(path)
        contract = json.dumps(self.contract, indent=2) + "\n"
        try:
            write_files([(name, self.spirv), (f"{name}.json", contract.encode())])
        except OSError as error:
            raise XetileError(f"cannot write '{name}': {reason_of(error)}") from error
