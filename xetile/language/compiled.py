"""Code of a specialised kernel for one device: SPIR-V and its launch contract; assembly and figures where ocloc is."""

from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

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
        keep: "Callable[[str, Callable[[], bytes]], bytes]",
    ) -> None:
        """`module` gives the kernel's IR where more is made than `code`, `keep` what ocloc made of a kind before."""
        self.name = name
        self.code = code
        self.device = device
        self._options = options
        self._module = module
        self._keep = keep

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
        return self._made("asm").decode()

    @cached_property
    def zebin(self) -> bytes:
        """The binary that ocloc makes.

        Errors: XetileError where ocloc is missing.
        """
        return self._made("zebin")

    def _made(self, kind: 'Literal["asm", "zebin"]') -> bytes:
        from xetile.codegen import emit

        assume, unroll, grf = self._options

        def make() -> bytes:
            found = emit(
                self._module(), kind, self.device, assume=assume, unroll=unroll, grf=grf
            )
            return found.encode() if isinstance(found, str) else found

        return self._keep(kind, make)

    @cached_property
    def stats(self) -> dict[str, float]:
        """Instructions of the hot loop in a K step, spills, registers, as `xetile-compile --stats` prints them.

        Errors: XetileError where ocloc is missing.
        """
        import json

        from xetile.codegen import statistics

        assume, unroll, grf = self._options

        def make() -> bytes:
            module = self._module()
            found = statistics(module, self.device, assume=assume, unroll=unroll, grf=grf)
            return json.dumps(found[self.name]).encode()

        return cast("dict[str, float]", json.loads(self._keep("stats", make)))

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
