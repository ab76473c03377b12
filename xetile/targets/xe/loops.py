"""The number of rounds of a loop that are worth unrolling into one: the best in measurements, by device.

Instructions per K step of products of 4096 x 4096 matrices, with 1, 2, 4, 8 and 16 rounds in one, of ocloc 26.27
(`xetile-kernel gemm --m 4096 --n 4096 --k 4096 --a TYPE --sg TILE`, then `xetile-compile --device DEVICE --grf large
--unroll N --stats`). lnl and ptl are as bmg; so is cri, which takes less of small tiles (8x16: 4.62) and of i8 (19.38).

    type, tile, products, loads    bmg                                pvc
    f16   8x16    2  2             12     9      7      6      5.94   12     11     10      9.5   12.62
    f16   16x16   4  2             15     11     9      8.12   8.06   15     12.5   11.75   12.12 12.81
    f16   16x32   8  2             19     15     13     12.5   12.25  19     16.5   15.75   18.88 21.44
    f16   32x32  16  2             27     23     21.5   20.75  20.38  27     24.5   25.25   26.12 26.31
    f16   16x64  16  3             28     24     22.5   21.75  21.38  29     28     32      36    38
    f16   32x64  32  3             44     40.5   38.75  37.88  37.44  45     48.5   50.25   51.5  51.75
    with prefetches                48     44.5   42.75  41.88  41.44  56     60     62      63.5  63.5
    B transposed 32  9             51     48     45.75  44.88  44.44  67     95.5   99      100.5 101.25
    tf32  16x32   8  3             20     16     14     13.88  13.94  21     20     19.5    25.25 28.81
    tf32  16x64  16  5             30     26     24.5   23.75  23.38  35     35     43      50.12 53.06
    tf32  32x64  32  5             46     42.5   40.75  45.88  45.44  51     62.5   66.75   70.12 70.56
    i8    8x16    1  2             11     7.5    5.75   4.88   4.44   11     9.5    8.75    8.38  8.19
    i8    16x64   8  2             18     14     12.25  12.12  12.06  18     16     15.25   16    19.5
    i8    32x64  16  2             26     22.5   21.25  20.62  20.31  26     24.5   26.5    27.62 27.81
    through shared memory 16  2    104    94.5   71.25  60.12  59.5   106    106.5  90      136.6 138.3
    i8 weights computed once  2    133    133    126.75 123.5  120.6  186    186.5  159.2  160.4 160.9
    and scaled            32  2    162    158.5  159.75 157.75 157.9  200    205    210.5  221   223.5

bmg adds a constant to the place of a message within the message; pvc cannot, and needs registers for every place
(source: ocloc's assembly, `flat[A+(0x20,0x0)]`). Above 16 rounds bmg loses again (8x16: 6.31 with 32).

With the small register file it is the same if that has room for the loads of all rounds (AHEAD in device.py).

Rounds of more products of tf32 do not fit pvc's registers in the order that IGC takes for one of them, and do for four
(`python -m tools.register_pressure`; instructions and spilled bytes with 1, 4 and 8 rounds in one; with 2, 32x64x32
spills 5632). A tile of 32x32x64, of as many products as 32x64x32, spills nothing either way, and takes more.

    32x64x32  64  327 2560   109.75 0  110.88 0
    24x64x32  48  126 512    107 0     109 0
    16x64x64  64  164 2048   161 0     164.12 0
    32x32x64  64  107 0      125.75 0  128.88 0

Loops without products, softmax of rows of 4096 in three of them (`python -m tools.isa_report --only 'softmax, three*'`,
instructions for a block of 8x16), by the loads of a block in a round of 1, 2, 4, 8, 16: bmg 94, 86, 81.5, 79, 77.3;
pvc 99, 92, 88, 88.75, 88.1.

Prefetches of a loop of many rounds in one stand before its first product, in whatever order they are written, since
IGC schedules them so (`-igc_opts 'VISAOptions=-noschedule'` leaves them where they are, at 42.25 instructions for
40.1). We leave its own schedule: fewer instructions, and prefetches come earlier, never later: with prefetches
three steps ahead (96 products) 96 to 576 products lie between, of 16 rounds in one (`--stats`).
"""

from typing import NamedTuple

from xetile.targets.xe.dpas import depth


class Row(NamedTuple):
    """A rule for loops of at least `products` products in a round, none deeper than `depth` (elements of K)."""

    products: int
    depth: int
    copies: int


class Unrolling(NamedTuple):
    """How often the rounds of loops are unrolled on a device.

    Attributes:
        rows: the first that applies to a loop says how often.
        exchanging: how often if its operands come through shared memory.
        streaming: loads of a round if there is no product.
        unknown: the most if the number of rounds is known only at run time: the remaining rounds run one by one.
        complete: most rounds that are unrolled without a loop.
    """

    rows: tuple[Row, ...]
    exchanging: int
    streaming: int
    unknown: int = 8
    complete: int = 4


_TF32, _ALL = depth(32), depth(4)

WITH_OFFSETS = Unrolling(
    (Row(64, _ALL, 8), Row(32, _TF32, 4), Row(1, _ALL, 16)), exchanging=16, streaming=16
)
WITHOUT_OFFSETS = Unrolling(
    (Row(33, _TF32, 4), Row(17, _ALL, 1), Row(9, _ALL, 2), Row(3, _ALL, 4), Row(1, _ALL, 8)),
    exchanging=4,
    streaming=4,
)
