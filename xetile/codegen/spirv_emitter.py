"""The emitter of Xe: LLVM IR, and SPIR-V by the back end in llvmlite, in this process.

The back end of llvmlite 0.50 (LLVM 22) ends the process on some errors: llvm_ir.py
rejects the types on which it does, and kernels that call functions other than those of
`convert-xevm-to-llvm` are compiled apart (llvm_process.py). So are modules in which labels
of an earlier one came back as ids (https://github.com/llvm/llvm-project/issues/160613,
corrected in LLVM 23).

LLVM's back end writes OpLoopMerge somewhere in a block; this emitter moves it to its place before the branch.

Source: SPIR-V specification, OpLoopMerge: "must be the second-to-last instruction in its block".
"""

import re
import struct
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xetile.codegen.llvm_functions import called, llvm_functions
from xetile.codegen.llvm_process import compile_text
from xetile.errors import XetileError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


_LOOP_MERGE = 246
_BRANCHES = frozenset((249, 250, 251))  # OpBranch, OpBranchConditional, OpSwitch


def placed(spirv: bytes) -> bytes:
    """Return the SPIR-V with each OpLoopMerge right before the branch of its block."""
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    made, merge = list(words[:_HEADER_WORDS]), ()
    index = _HEADER_WORDS
    while index < len(words):
        end = index + max(1, words[index] >> 16)
        opcode, found = words[index] & 0xFFFF, words[index:end]
        if opcode == _LOOP_MERGE:
            merge = found
        elif opcode in _BRANCHES:
            made += (*merge, *found)
            merge = ()
        else:
            made += found
        index = end
    return struct.pack(f"<{len(made)}I", *made)


MAGIC = 0x07230203
"""The first word of SPIR-V."""

TIME_LIMIT = 120.0
"""Seconds that a separate process may take."""

_HARMLESS = re.compile(
    r"_Z\d+(intel_sub_group_(2d_block_(read|write|prefetch)|\w+_matrix_mad)_\w+"
    r"|get_(group_id|num_groups|local_id|local_size|global_id)j"
    r"|get_(num_)?sub_groups?(_id|_local_id|_size)?v|barrierj|atomic_work_item_fencejii"
    r"|sub_group_(shuffle(_xor|_up|_down)?|broadcast)([csilfd]|Dh)j"
    r"|sub_group_reduce_(add|min|max)[ijlm]|__spirv_ControlBarrierjjj|printfPU3AS2Kcz)"
    r"|__builtin_IB_((subgroup|simd_block)_\w+|(bftof|ftobf)_\d+)"
    r"|__builtin_IB_lsc_(load|store|prefetch)_global_\w+"
    r"|__internal_intel_sub_group_2d_block_\w+_cache_controls"
    r"|_Z\d+(a?(cos|sin|tan)h?|atan2|cbrt|erf|expm1|log10|log1p|r(int|ound|sqrt)|trunc"
    r"|native_[a-z]+[0-9]*|pown|abs|c[lt]z|popcount|mul_hi|convert_float\d*_rtz)(Dv\d_)?(Dh|[a-m])\w*"
)
"""The names that `convert-xevm-to-llvm` writes."""

_PROGRAM = Path(__file__).with_name("llvm_process.py")

_HEADER_WORDS = 5
_BOUND = 3  # word of the header: all ids are below

_OP_LABEL = 248
_WITHOUT_TYPE = frozenset((7, 11, 73, _OP_LABEL, *range(19, 39)))
"""Instructions with a result but no result type: OpString, OpExtInstImport, OpDecorationGroup, OpLabel, OpType..."""

_WITHOUT_RESULT = frozenset(
    # OpNop, debug, OpExtension, module, OpTypeForwardPointer
    [0, *range(2, 7), 8, 10, *range(14, 18), 39]
    # OpFunctionEnd, OpStore, OpCopyMemory, decorations
    + [56, 62, 63, 64, 71, 72, 74, 75]
    # barriers, atomic store, branches
    + [224, 225, 228, 246, 247, *range(249, 258)]
    # OpNoLine, OpModuleProcessed, OpDecorateId, Intel's block writes, OpAssumeTrueKHR, ...
    + [259, 260, 301, 317, 318, 319, *range(330, 333), 5576, 5578, 5581, 5630, 5632, 5633]
)
"""Instructions without a result. Source: SPIR-V specification, "Instructions"."""


class Instruction(NamedTuple):
    """One SPIR-V instruction: its opcode and the words after it."""

    opcode: int
    operands: tuple[int, ...]


def llvm_ir(module: "ModuleOp") -> str:
    """Return the LLVM IR of a module of the llvm dialect."""
    from xetile.codegen.llvm_ir import convert_module

    return str(convert_module(module))


def code(module: "ModuleOp") -> bytes:
    """Return the SPIR-V of a module of the llvm dialect."""
    from xetile.codegen.llvm_ir import convert_module

    return to_spirv(str(convert_module(module, for_spirv=True)), functions_used(module))


def functions_used(module: "ModuleOp") -> Collection[str]:
    """Return the names of functions that LLVM may know: those that are called, and those that look mangled."""
    functions = list(llvm_functions(module))
    defined = {f.sym_name.data for f in functions if f.body.blocks}
    # LLVM takes a name that looks mangled for a builtin, even if the module defines it
    return called(functions) | {name for name in defined if name.startswith("_")}


def to_spirv(text: str, functions: Collection[str] = ()) -> bytes:
    """Return the SPIR-V of LLVM IR text that calls these functions.

    Raise XetileError if LLVM rejects the text, or cannot go on.
    """
    if not all(map(is_harmless, functions)):
        return compile_apart(text)
    made = placed(_compile(text))
    return made if has_unique_ids(made) else compile_apart(text)


def is_harmless(function: str) -> bool:
    """Return True if LLVM is known to accept a function of this name; it knows many builtins, and ends on some."""
    return _HARMLESS.fullmatch(function) is not None


def instructions(spirv: bytes) -> Iterator[Instruction]:
    """Yield the instructions of a SPIR-V module in the byte order of this machine's LLVM (little-endian)."""
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    index = _HEADER_WORDS
    while index < len(words):
        count = words[index] >> 16
        yield Instruction(words[index] & 0xFFFF, words[index + 1 : index + count])
        index += max(1, count)


def has_unique_ids(spirv: bytes) -> bool:
    """Return True if no id has two definitions, and none is too large."""
    bound = struct.unpack_from("<I", spirv, 4 * _BOUND)[0]
    seen: set[int] = set()
    for instruction in instructions(spirv):
        result = result_of(instruction)
        if result is None:
            continue
        if result in seen or result >= bound:
            return False
        seen.add(result)
    return True


def result_of(instruction: Instruction) -> int | None:
    """Return the id that an instruction defines, or None."""
    place = result_place(instruction.opcode)
    return None if place is None else instruction.operands[place]


def result_place(opcode: int) -> int | None:
    """Return which word of an instruction is the id that it defines, or None."""
    return None if opcode in _WITHOUT_RESULT else 0 if opcode in _WITHOUT_TYPE else 1


def _compile(text: str) -> bytes:
    try:
        return compile_text(text)
    except RuntimeError as error:
        lines = str(error).strip().splitlines()
        reason = next((line for line in lines if "error:" in line), lines[0])
        raise XetileError(f"LLVM refuses the kernel: {reason}") from error


def compile_apart(text: str) -> bytes:
    """Return the SPIR-V of LLVM IR text, whatever it calls, compiled by a separate process.

    Raise XetileError if LLVM rejects the text, ends on it, or takes too long.
    """
    from tempfile import TemporaryDirectory

    from xetile.toolchain.sandbox import ending, run

    with TemporaryDirectory(prefix="xetile-") as name:
        source, target = Path(name, "kernel.ll"), Path(name, "kernel.spv")
        source.write_text(text)
        command = [sys.executable, "-P", _PROGRAM, source, target]
        outcome = run(command, seconds=TIME_LIMIT)
        if outcome.status != 0 or not target.exists():
            lines = outcome.errors.strip().splitlines()
            reason = (
                f", {next((line for line in lines if 'ERROR' in line), lines[-1])}"
                if lines
                else ""
            )
            raise XetileError(f"LLVM cannot compile the kernel: {ending(outcome)}{reason}")
        return placed(target.read_bytes())
