"""What conversions between register layouts cost in one function."""

from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from xetile.analysis.kernels import subgroup_count
from xetile.dialects.upstream.gpu.functions import FuncOp
from xetile.dialects.xetile.types import memory_bits
from xetile.layout.exchange.prices import Prices
from xetile.targets.xe.device import XeDevice


def conversion_prices(function: Operation, device: XeDevice) -> Prices:
    """The device's prices, with the shared memory that each subgroup of the kernel can have.

    A function that is no gpu.func has none.
    """
    if not isinstance(function, FuncOp):
        return device.prices._replace(slice_bytes=0)
    subgroups = most_subgroups(function, device)
    taken = sum(buffer_bytes(buffer.type) for buffer in function.workgroup_buffers)
    return device.prices.among(subgroups, max(0, device.shared_bytes - taken))


def most_subgroups(function: Operation, device: XeDevice) -> int:
    """Subgroups of a workgroup; where the kernel does not say how many, as many as the largest one has."""
    found = subgroup_count(function)
    return device.most_subgroups if found is None else found


def buffer_bytes(type: Attribute) -> int:
    """Bytes of a buffer of static shape."""
    if not isa(type, MemRefType[Attribute]):
        return 0
    return prod(type.get_shape()) * (memory_bits(type.element_type) or 8) // 8
