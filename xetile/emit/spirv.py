"""LLVM IR to SPIR-V by the back end in llvmlite, in this process.

The back end of llvmlite 0.50 (LLVM 22) ends the process where it cannot go on; `check` refuses what is known to make it
do so. And it keeps state between modules: labels of an earlier module can come back as ids of the next
(https://github.com/llvm/llvm-project/issues/160613, corrected in LLVM 23), which is then no valid SPIR-V. That is seen
here, and the module is compiled again in a process of its own, `python -m xetile.emit.spirv IN.ll OUT.spv`.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from xetile.errors import XetileError

MAGIC = 0x07230203
"""The first word of SPIR-V."""

TIME_LIMIT = 120.0
"""Seconds that a process of its own may take."""

_HEADER_WORDS = 5
_BOUND = 3  # word of the header: all ids are below

_OP_LABEL = 248
_WITHOUT_TYPE = frozenset((7, 11, 73, _OP_LABEL, *range(19, 39)))
"""Instructions with a result but no result type: OpString, OpExtInstImport, OpDecorationGroup, OpLabel, OpType..."""

_WITHOUT_RESULT = frozenset(
    (
        *(
            0,
            2,
            3,
            4,
            5,
            6,
            8,
            10,
            14,
            15,
            16,
            17,
            39,
        ),  # OpNop, debug, OpExtension, module, OpTypeForwardPointer
        *(56, 62, 63, 64, 71, 72, 74, 75),  # OpFunctionEnd, OpStore, OpCopyMemory, decorations
        *(
            224,
            225,
            228,
            246,
            247,
            249,
            250,
            251,
            252,
            253,
            254,
            255,
            256,
            257,
        ),  # barriers, atomic store, branches
        *(
            259,
            260,
            301,
            317,
            318,
            319,
            330,
            331,
            332,
            5632,
            5633,
        ),  # OpNoLine, OpModuleProcessed, OpDecorateId, ...
    )
)
"""Instructions without a result. Source: SPIR-V specification, "Instructions"."""


class Instruction(NamedTuple):
    """One SPIR-V instruction: its opcode and the words behind it."""

    opcode: int
    operands: tuple[int, ...]


def to_spirv(text: str) -> bytes:
    """SPIR-V of LLVM IR text.

    Errors: XetileError when LLVM refuses the text.
    """
    made = _compile(text)
    return made if has_unique_ids(made) else _compile_apart(text)


def instructions(spirv: bytes) -> Iterator[Instruction]:
    """The instructions of a SPIR-V module in the byte order of this machine's LLVM (little-endian)."""
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    index = _HEADER_WORDS
    while index < len(words):
        count = words[index] >> 16
        yield Instruction(words[index] & 0xFFFF, words[index + 1 : index + count])
        index += max(1, count)


def has_unique_ids(spirv: bytes) -> bool:
    """Whether no id has two definitions, and none is too large."""
    bound = struct.unpack_from("<I", spirv, 4 * _BOUND)[0]
    seen: set[int] = set()
    for opcode, operands in instructions(spirv):
        if opcode in _WITHOUT_RESULT:
            continue
        result = operands[0] if opcode in _WITHOUT_TYPE else operands[1]
        if result in seen or result >= bound:
            return False
        seen.add(result)
    return True


def _compile(text: str) -> bytes:
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    try:
        module = binding.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        lines = str(error).strip().splitlines()
        raise XetileError(f"LLVM refuses the kernel: {lines[-1] if lines else error}") from error
    machine = binding.Target.from_triple("spirv64-unknown-unknown").create_target_machine(
        opt=2, codemodel="default"
    )
    module.data_layout = str(machine.target_data)
    return machine.emit_object(module)


def _compile_apart(text: str) -> bytes:
    from tempfile import TemporaryDirectory

    from xetile.toolchain.sandbox import ending, run

    with TemporaryDirectory(prefix="xetile-") as name:
        source, target = Path(name, "kernel.ll"), Path(name, "kernel.spv")
        source.write_text(text)
        command = [sys.executable, "-m", "xetile.emit.spirv", str(source), str(target)]
        outcome = run(command, seconds=TIME_LIMIT)
        if outcome.status != 0 or not target.exists():
            lines = outcome.errors.strip().splitlines()
            reason = f", {lines[-1]}" if lines else ""
            raise XetileError(f"LLVM cannot compile the kernel: {ending(outcome)}{reason}")
        return target.read_bytes()


def _main(source: str, target: str) -> None:
    Path(target).write_bytes(_compile(Path(source).read_text()))


if __name__ == "__main__":
    _main(*sys.argv[1:])
