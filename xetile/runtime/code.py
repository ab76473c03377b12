"""The code emitted for a module, as bytes that can be stored: SPIR-V and its launch contract."""

import json
import struct
from typing import TYPE_CHECKING, NamedTuple, cast

from xetile.errors import XetileError
from xetile.runtime.driver import Extents

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.codegen.contract import Plain
    from xetile.targets.target import Assume, RegisterFile

_LENGTH = struct.Struct("<Q")
"""Format of the length of the contract, which precedes the module."""


class Code(NamedTuple):
    """A SPIR-V module and its whole launch contract; it contains neither positions nor paths."""

    spirv: bytes
    contract: "dict[str, Plain]"

    @property
    def options(self) -> dict[str, str]:
        """The build options by programming interface."""
        return cast("dict[str, str]", self.contract["build_options"])

    def kernel(self, name: str | None = None) -> "dict[str, Plain]":
        """Return the contract of the kernel of that name, or of the only one.

        Raise XetileError if there is none, or several and no name.
        """
        kernels = cast("list[dict[str, Plain]]", self.contract["kernels"])
        names = ", ".join(str(kernel["name"]) for kernel in kernels)
        if name is None and len(kernels) > 1:
            raise XetileError(f"which kernel is meant is not clear; name one of {names}")
        found = [kernel for kernel in kernels if name in (None, kernel["name"])]
        if not found:
            raise XetileError(f"the module has no kernel '{name}' but {names}")
        if "arguments" not in found[0]:
            raise XetileError(
                "the kernel does not say what it takes (xetile.launch); start from a higher level"
            )
        return found[0]

    def to_bytes(self) -> bytes:
        """Return bytes for `from_bytes`."""
        text = json.dumps(self.contract, sort_keys=True).encode()
        return _LENGTH.pack(len(text)) + text + self.spirv

    @staticmethod
    def from_bytes(data: bytes) -> "Code | None":
        """Return the code of `to_bytes`, or None for other bytes."""
        if len(data) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(data)
        end = _LENGTH.size + length
        try:
            contract: object = json.loads(data[_LENGTH.size : end])
        except ValueError:
            return None
        if end > len(data) or not isinstance(contract, dict):
            return None
        return Code(data[end:], cast("dict[str, Plain]", contract))


def extents_of(sizes: "Plain") -> Extents | None:
    """Return sizes of the contract, or None if it leaves them free."""
    if not isinstance(sizes, list):
        return None
    x, y, z = (cast(int, size) for size in sizes)
    return x, y, z


def compile_code(
    module: "ModuleOp",
    kernel: str | None = None,
    target: str | None = None,
    *,
    assume: "Assume" = "block",
    unroll: int | None = None,
    grf: "RegisterFile | None" = None,
    most_calls: int | None = None,
) -> Code:
    """Compile all kernels of a module at any level, or the named one, for `target` or as the module says.

    `assume` and `unroll` are as `xetile.lower` has them, `grf` as `xetile.emit`. If unrolling loops by default
    leaves the kernels with more than `most_calls` calls of functions (a device's `information` has the number), loops
    stay as they are written.

    Raise XetileError if it cannot be compiled.
    """
    from xetile.analysis.module_kernels import kernel_functions
    from xetile.codegen import emit, lower_to_llvm
    from xetile.codegen.contract import contract_of, device_otherwise
    from xetile.codegen.llvm_functions import calls

    lowered = lower_to_llvm(module, target, kernel=kernel, assume=assume, unroll=unroll)
    is_large = most_calls is not None and calls(lowered) > most_calls
    if is_large and unroll is None and kernel_functions(module):
        lowered = lower_to_llvm(module, target, kernel=kernel, assume=assume, unroll=1)
    contract = contract_of(lowered, target, grf=grf, otherwise=device_otherwise(module))
    return Code(cast(bytes, emit(lowered, "spirv", target, grf=grf)), contract)
