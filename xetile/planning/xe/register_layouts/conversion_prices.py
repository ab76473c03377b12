"""What conversions between register layouts cost in one function."""

from xdsl.ir import Operation

from xetile.analysis.kernels import subgroup_count
from xetile.dialects.upstream.gpu.functions import FuncOp
from xetile.layout.exchange.prices import Prices
from xetile.planning.shared_memory import buffer_bytes, plan_shared_memory
from xetile.targets.xe.device import XeDevice


def conversion_prices(function: Operation, device: XeDevice) -> Prices:
    """The device's prices, with the shared memory that each subgroup of the kernel can have.

    A function that is no gpu.func has none.
    """
    if not isinstance(function, FuncOp):
        return device.prices._replace(slice_bytes=0)
    subgroups = most_subgroups(function, device)
    taken = sum(buffer_bytes(buffer.type) for buffer in function.workgroup_buffers)
    taken += plan_shared_memory(function).bytes
    return device.prices.among(subgroups, max(0, device.shared_bytes - taken))


def most_subgroups(function: Operation, device: XeDevice) -> int:
    """Subgroups of a workgroup; where the kernel does not say how many, as many as the largest one has."""
    found = subgroup_count(function)
    return device.most_subgroups if found is None else found
