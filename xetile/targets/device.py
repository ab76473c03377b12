"""The former place of what `xetile.targets` has."""

from xetile.layout.intel.messages import BlockConfiguration
from xetile.targets import find, names
from xetile.targets.target import INDEX_BITS as INDEX_BITS
from xetile.targets.target import Access
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE as GLOBAL_ADDRESS_SPACE
from xetile.targets.xe.device import UPSTREAM_BLOCK_EXTENT as UPSTREAM_BLOCK_EXTENT
from xetile.targets.xe.device import XeDevice as Device
from xetile.targets.xe.devices import DEVICES as _ROWS
from xetile.targets.xe.dpas import COLUMNS as EXECUTION_SIZE
from xetile.targets.xe.dpas import DEPTH as SYSTOLIC_DEPTH
from xetile.targets.xe.dpas import REPEAT_COUNTS as REPEAT_COUNTS
from xetile.targets.xe.dpas import DpasInstruction as MatrixInstruction

SUBGROUP_SIZE = 16
DEVICES = {row.name: row for row in _ROWS}
device = find

__all__ = ["EXECUTION_SIZE", "SYSTOLIC_DEPTH", "MatrixInstruction", "names"]


def plannable(device: Device, access: Access, element_bits: int) -> tuple[BlockConfiguration, ...]:
    return device.messages(access, element_bits)
