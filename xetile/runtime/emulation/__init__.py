"""Intel's block and matrix builtins as OpenCL C, for devices without them: definitions of a module's imports.

A program with these functions is linked to the module, whose bytes do not change. A family of functions is a
file: its `definition(name)` returns the text of one function, after those that it calls, or none if the name is not of
the family.

Every file names the documents of Intel's that it was written from. None was written from `interpreter/`, and none of
the numbers of `targets/` is used: where they agree, the documents were read twice.
"""

from collections.abc import Sequence

from xetile.errors import XetileError
from xetile.runtime.emulation import (
    address_payloads,
    bfloats,
    block2d,
    cached_accesses,
    dpas_emulation,
    faults,
    row_messages,
)
from xetile.runtime.emulation.faults import FAULT_KERNEL, fault_text

__all__ = ["FAULT_KERNEL", "emulated", "fault_text"]

_PREAMBLE = """
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OVERLOADABLE __attribute__((overloadable))
#define UNROLL_NOT _Pragma("unroll 1")
"""

_FAMILIES = (
    bfloats.definition,
    block2d.definition,
    dpas_emulation.definition,
    address_payloads.definition,
    cached_accesses.definition,
    row_messages.definition,
)

_NATIVE = "__spirv_BuiltIn"
"""Prefix of variables that every device has: SPIR-V's ids and sizes."""


def emulated(imports: Sequence[str], *, surface_checks: bool = True) -> str:
    """Return OpenCL C that defines the imports of a module.

    With `surface_checks`, accesses that the documents leave undefined are reported (see faults.py) and read nothing;
    without, surfaces and lanes are used unchecked.
    Raise XetileError naming an import without a definition.
    """
    checks = faults.CHECKS if surface_checks else faults.NO_CHECKS
    texts = [
        _PREAMBLE,
        faults.RECORD,
        checks,
        block2d.PREAMBLE,
        dpas_emulation.PREAMBLE,
        address_payloads.PREAMBLE,
    ]
    for name in imports:
        if not name.startswith(_NATIVE):
            texts += _definition(name)
    return "\n".join(dict.fromkeys(texts))


def _definition(name: str) -> tuple[str, ...]:
    texts = next(filter(None, (define(name) for define in _FAMILIES)), ())
    if not texts:
        raise XetileError(f"the module imports '{name}', of which there is no emulation")
    return texts
