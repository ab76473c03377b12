"""Loops in the words of SPIR-V: LLVM's back end writes OpLoopMerge somewhere in a block; it stands before the branch.

Source: SPIR-V specification, OpLoopMerge: "must be the second-to-last instruction in its block".
"""

import struct

_HEADER_WORDS = 5
_LOOP_MERGE = 246
_BRANCHES = frozenset((249, 250, 251))  # OpBranch, OpBranchConditional, OpSwitch


def placed(spirv: bytes) -> bytes:
    """SPIR-V with each OpLoopMerge right before the branch of its block."""
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
