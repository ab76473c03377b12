"""Costs of conversions between register layouts on Xe: instructions read in ocloc's assembly.

Measured with ocloc 26.27 on OpenCL kernels that load 8 or 16 registers of 32 bits by block
messages, move them, add the originals, and store the sums, 256 registers for a thread; the
kernel's instructions without the moves are subtracted, constant ones are the setup. 16-bit elements
cost as much as 32-bit words, 64-bit elements twice that (both measured).
"""

from xetile.layout.exchange.step_prices import Prices

SWAPS = (0.0, 2.0, 5.0, 7.0, 5.0, 7.0, 9.0, 11.0, 3.0, 5.0, 7.0, 9.0, 4.0, 9.0, 5.0, 13.0)
"""`sub_group_shuffle_xor` by the constant: moves of halves, quarters and single lanes.

Added to 34 instructions of bmg for 8 registers: 17, 40, 56, 40, 56, 72, 88, 25, 39, 55, 71, 33, 71, 41, 103.
"""

XE = Prices(
    # renamed by the compiler, or folded into the users
    move=0.0,
    # `sub_group_broadcast` with a constant: a scalar region of the use, or one mov
    broadcast=1.0,
    swaps=SWAPS,
    # `sub_group_shuffle` with computed lanes: address, its reset, indirect mov, copy; 35 to 37 for 8
    permutation=4.0,
    permutation_setup=4.0,
    # `sel` by a flag: 8 for 8 registers
    select=1.0,
    select_setup=2.0,
    # number of the subgroup, its slice, the lanes' places: 5 and 3
    shared_setup=8.0,
    # `__builtin_IB_simd_block_write_8_local`, and 8 words of each lane (d32x8), each with its address:
    # 4 to 5 for a write and a read of 8 words of any width, 5 for a write and 8 words of each lane
    block_message=2.0,
    lane_message=2.0,
    # 8 words of 16 bits next to each other: 8 to 9 more than 8 of 32 bits, stored as well as loaded
    narrow_word=1.0,
    # not measured (no assembly shows it): it decides between equal costs, and other threads continue meanwhile
    conflict=0.25,
    # as much as the conflicts that this avoids; 30 `mov` for 64 words of softmax, none if they are computed for it
    picked=0.25,
    block_words=8,
    block_bits=(8, 16, 32, 64),
    # as `SHARED_BLOCK_ALIGNMENT`
    block_alignment=16,
    lane_words=8,
    lane_bytes=32,
    # 64 KiB for the 32 subgroups of the largest workgroup with 256 registers, so that buffers have as much
    slice_bytes=2048,
    slice_room=2304,
    # as `shared_banks` of the devices
    banks=16,
    # `barrier` with a fence of local memory
    barrier=4.0,
    # `add` or `sel`; a maximum that keeps NaN and the signs of zeros costs more
    combine=1.0,
    # exchanges with `own ^ 8, 4, 2, 1`, one register after the other, are combined by IGC: 10, 20, 36, 40 for 1, 2, 4,
    # 8 registers (and 160 if it does not find them: register by register is the way to write them)
    reduced=(10.0, 10.0, 9.0, 5.0),
)

ELEMENTWISE = {
    "arith.divf": 18,
    "arith.maximumf": 6,
    "arith.minimumf": 6,
    "arith.remf": 170,
    "math.cos": 248,
    "math.erf": 22,
    "math.exp": 12,
    "math.expm1": 37,
    "math.log": 34,
    "math.log1p": 133,
    "math.log2": 110,
    "math.powf": 119,
    "math.round": 3,
    "math.rsqrt": 2,
    "math.sin": 248,
    "math.sqrt": 18,
    "math.tanh": 159,
}
"""Instructions of elementwise ops on f32 for each register; 1 for all others.

Measured with ocloc 26.27 for bmg: a kernel of 8 registers with one such op against that with one
`arith.addf` (44 instructions); all branches of a function are counted.
"""

CONVERSIONS = {
    ("f32", "bf16"): 2.0,
    ("f32", "f16"): 3.0,
    ("f8E4M3FN", "bf16"): 27.0,
    ("f8E4M3FN", "f16"): 25.0,
    ("f8E5M2", "bf16"): 9.0,
    ("f8E5M2", "f16"): 4.0,
    ("i4", "f16"): 14.0,
    ("i8", "bf16"): 6.0,
    ("i8", "f16"): 5.0,
}
"""Instructions for each register of two converted elements of operand B, for which they are packed; 1 for others.

Measured with ocloc 26.27 for bmg: the loop of a product (workgroup 256x256, 8 x 4 subgroups, K steps of 32) whose
operand is converted after its load, against that without; each subgroup converts 64 registers (32x64) or 8 (8x32).
"""

SHARED_ROUND = 16.0
"""Barrier, fences with their waits and addresses of an exchange in each round of a loop, without its messages.

Measured in the same way: 38 more than without an exchange if the messages of one of 64 registers count as 20.
"""

WIDE_FACTORS = 64
"""Registers that f32 factors of bytes may take in one kernel; a row that is broadcast takes only its own.

Not measured if factors differ in each row. Measured in the same way, scales of columns in the loop of products: a
32x64 part of B takes 626 instructions instead of 696 (4 registers of factors), neither spills.
"""
