"""Which device a kernel is made for, and how many subgroups its workgroups may have there."""

import warnings
from math import prod
from typing import TYPE_CHECKING

from xetile.errors import XetileError, is_command
from xetile.targets import DEFAULT, by_name, find

if TYPE_CHECKING:
    from xetile.language.source import Source

_METHOD = 3
"""The frames up to the user's: this function's, the method's that the user calls, the user's."""


def device_for(source: "Source | None", *named: str | None) -> str:
    """The first device that is named, else the default one, of which the user is told.

    A command says it in its remark; a Python program gets a warning at the line that calls the method which asks, so
    that Python shows it once for each such line.
    Errors: XetileError for an unknown device, and at the kernel for more subgroups than a workgroup of the device has.
    """
    name = next((one for one in named if one is not None), None)
    if name is None:
        name = DEFAULT
        _tell_of_default()
    name = find(name).name
    if source is not None:
        check_subgroups(source, name)
    return name


def _tell_of_default() -> None:
    from xetile.analysis.targets import default_target, no_device, option_called

    with option_called("device="):
        if is_command():
            default_target(None)
        else:
            warnings.warn(no_device(None), stacklevel=_METHOD + 1)


def check_subgroups(source: "Source", device: str | None = None) -> None:
    """Refuse a layout of more subgroups than a workgroup has on a device, where none is named on any.

    Errors: XetileError at the kernel.
    """
    count = prod(source.sg_layout)
    wanted = f"sg_layout {source.sg_layout} of '{source.name}' has {count} subgroups"
    if device is not None:
        most = find(device).most_subgroups
        held = f"a workgroup on {device} has {most} at most"
    else:
        most = max(target.most_subgroups for target in by_name().values())
        held = f"a workgroup has {most} at most"
    if count > most:
        raise XetileError(f"{wanted}; {held}", source.place)
