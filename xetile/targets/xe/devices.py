"""The devices: Intel Xe GPUs by the names that Intel's offline compiler uses, one row each."""

from xetile.targets.xe.device import AHEAD_OF_FEWER, XeDevice

DEVICES = (
    XeDevice(name="pvc", matrix_row_cycles=1, message_offsets=False),
    XeDevice(name="bmg", wide_packed_loads=True),
    XeDevice(name="lnl", wide_packed_loads=True),
    XeDevice(
        name="ptl",
        wide_packed_loads=True,
        float_8_products=True,
        registers_ahead=AHEAD_OF_FEWER,
    ),
    XeDevice(
        name="cri",
        wide_packed_loads=True,
        wide_transposed_loads=True,
        large_prefetches=True,
        float_8_products=True,
        narrow_atomic_sums=True,
        shared_bytes=384 << 10,
        registers_ahead=AHEAD_OF_FEWER,
    ),
)
