"""Lines of debug information in SPIR-V, from which Intel's compiler makes `.debug_line`.

Line `n + 1` of a file that does not exist stands for op n. OpLine alone gives no debug section in ocloc 26.27; it takes
a function of OpenCL.DebugInfo.100 with a scope in each block, and `-g`. A line holds until the next one in the block,
so OpNoLine stands where there is no op.
Source: SPIR-V specification, OpLine, OpNoLine; "OpenCL.DebugInfo.100 Extended Instruction Set".
"""

import struct
from collections.abc import Sequence

from xetile.codegen.spirv import Instruction
from xetile.explorer.isa.spirv_words import (
    OP_EXT_INST,
    OP_FUNCTION,
    OP_FUNCTION_END,
    OP_IMPORT,
    OP_LABEL,
    OP_LINE,
    OP_MEMORY_MODEL,
    OP_NAME,
    OP_NO_LINE,
    OP_PARAMETER,
    OP_PHI,
    OP_SOURCE,
    OP_STRING,
    OP_TYPE_VOID,
    OP_VARIABLE,
    bodies,
    text_words,
)

_SET = "OpenCL.DebugInfo.100"
_UNIT, _FUNCTION_TYPE, _FUNCTION, _SCOPE, _SOURCE = 1, 8, 20, 23, 35
_VERSION, _DWARF, _OPENCL_CPP = 0x10000, 4, 4
_DEFINITION = 8
"""Flag of a function; without it ocloc ends in a crash, or never."""

_FILE = "llvm"
_HEADER_WORDS, _BOUND = 5, 3


def with_lines(
    spirv: bytes, module: Sequence[Instruction], parents: Sequence[int | None]
) -> bytes:
    """A module (its instructions are given too) in which each instruction with an op has its line."""
    return _Writer(spirv, module, parents).written()


class _Writer:
    def __init__(
        self, spirv: bytes, module: Sequence[Instruction], parents: Sequence[int | None]
    ) -> None:
        self.header = list(struct.unpack_from(f"<{_HEADER_WORDS}I", spirv))
        self.module, self.parents = module, parents
        self.made: list[int] = []
        self.void = next(op.operands[0] for op in module if op.opcode == OP_TYPE_VOID)
        self.set, self.file, self.no_text = self._id(), self._id(), self._id()
        self.functions = {
            function: (
                self._id(),
                min((n for i in places if (n := parents[i]) is not None), default=0),
            )
            for function, places in bodies(module)
        }

    def written(self) -> bytes:
        """The bytes of the module."""
        texts_done = functions_done = needs_scope = False
        scope: int | None = None
        line: int | None = None
        for place, instruction in enumerate(self.module):
            opcode = instruction.opcode
            if opcode == OP_MEMORY_MODEL:
                self._add(OP_IMPORT, self.set, *text_words(_SET))
            if opcode == OP_FUNCTION and not functions_done:
                functions_done = True
                self._describe()
            if not texts_done and opcode in (OP_SOURCE, OP_NAME, *_BEHIND_TEXTS):
                texts_done = True
                self._add(OP_STRING, self.file, *text_words(_FILE))
                self._add(OP_STRING, self.no_text, *text_words(""))
            if opcode == OP_FUNCTION:
                known = self.functions.get(instruction.operands[1])
                scope = None if known is None else known[0]
            number = self.parents[place]
            if scope is not None and opcode not in _WITHOUT_LINE:
                if needs_scope and opcode not in (OP_PHI, OP_VARIABLE):
                    self._debug(_SCOPE, scope)
                    needs_scope = False
                if number is not None and number != line:
                    self._add(OP_LINE, self.file, number + 1, 0)
                elif number is None and line is not None:
                    self._add(OP_NO_LINE)
                line = number
            self._add(opcode, *instruction.operands)
            if opcode == OP_LABEL:
                needs_scope, line = True, None
        return struct.pack(f"<{len(self.header) + len(self.made)}I", *self.header, *self.made)

    def _describe(self) -> None:
        """What is said of the file and the functions, in front of the first one."""
        source = self._debug(_SOURCE, self.file)
        unit = self._debug(_UNIT, _VERSION, _DWARF, source, _OPENCL_CPP)
        type = self._debug(_FUNCTION_TYPE, 0, self.void)
        for function, (id, first) in self.functions.items():
            words = [
                self.file,
                type,
                source,
                first + 1,
                0,
                unit,
                self.no_text,
                _DEFINITION,
                first + 1,
                function,
            ]
            self._debug(_FUNCTION, *words, result=id)

    def _debug(self, number: int, *words: int, result: int | None = None) -> int:
        result = self._id() if result is None else result
        self._add(OP_EXT_INST, self.void, result, self.set, number, *words)
        return result

    def _add(self, opcode: int, *words: int) -> None:
        self.made += ((len(words) + 1) << 16 | opcode, *words)

    def _id(self) -> int:
        self.header[_BOUND] += 1
        return self.header[_BOUND] - 1


_WITHOUT_LINE = (OP_FUNCTION, OP_PARAMETER, OP_FUNCTION_END, OP_LABEL)
"""A line in front of a parameter keeps ocloc 26.27 busy for ever."""

_BEHIND_TEXTS = (6, 330, 71, 72, *range(19, 40))
"""What follows texts in a module: names, OpModuleProcessed, decorations, types."""
