"""What an OpenCL driver does not say in words: sizes with which a kernel cannot be launched."""

from collections.abc import Sequence
from math import prod
from typing import cast

import pyopencl

from xetile.errors import XetileError
from xetile.runtime.driver import Extents

_KERNELS_BLOCK = pyopencl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE
"""The block that a kernel requires, zeros where it takes any."""

_MOST_ITEMS = 1 << 32
"""Work-items in a dimension are fewer: ids have 32 bits on GPUs."""


def check_launch(
    device: pyopencl.Device,
    kernel: pyopencl.Kernel,
    arguments: int,
    items: Sequence[int],
    block: Extents,
) -> None:
    """Refuse a number of arguments, work-items in all and work-items of a workgroup that do not fit."""
    check_count(kernel, arguments)
    if min(*items, *block) < 1:
        raise XetileError(
            f"the launch has {list(items)} work-items, {list(block)} in a workgroup; expected positive sizes"
        )
    if max(items) >= _MOST_ITEMS:
        raise XetileError(
            f"the launch has {list(items)} work-items; expected less than {_MOST_ITEMS} in a dimension"
        )
    wanted = tuple(kernel.get_work_group_info(_KERNELS_BLOCK, device))
    if any(wanted) and wanted != block:
        raise XetileError(f"the block is {list(block)}; the kernel is made for {list(wanted)}")
    if prod(block) > (most := device.max_work_group_size):
        raise XetileError(
            f"a workgroup has {prod(block)} work-items, {list(block)}; the device takes at most {most}"
        )
    _refuse_cut_subgroups(device, kernel, block)


def check_count(kernel: pyopencl.Kernel, arguments: int) -> None:
    """Refuse another number of arguments than the kernel's."""
    if kernel.num_args != arguments:
        raise XetileError(
            f"the emitted kernel takes {kernel.num_args} arguments, {arguments} are given"
        )


def _refuse_cut_subgroups(
    device: pyopencl.Device, kernel: pyopencl.Kernel, block: Extents
) -> None:
    """Refuse a block of other than whole subgroups, which Intel's runtime for CPUs forms along x alone."""
    information = pyopencl.kernel_sub_group_info
    size, count = (
        cast(int, kernel.get_sub_group_info(device, asked, block))
        for asked in (
            information.MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
            information.SUB_GROUP_COUNT_FOR_NDRANGE,
        )
    )
    if size * count != prod(block):
        raise XetileError(
            f"the device makes {count} subgroups of a block of {list(block)}, some of fewer than {size} "
            f"work-items; expected an extent along x that is a multiple of {size}"
        )
