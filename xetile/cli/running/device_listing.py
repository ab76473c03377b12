"""What `xetile-run --list-devices` prints."""

from xetile.errors import XetileError
from xetile.runtime.devices import CPU, INSTALL, list_devices

_HEADINGS = ("name", "instructions", "description")


def device_table() -> str:
    """A line for each device that is there: its name, whether it emulates, the driver's words, why it does not start.

    Errors: XetileError where there is none, with what to install.
    """
    found = list_devices()
    if not found:
        raise XetileError(
            f"there is no device that takes what is emitted; {INSTALL} brings {CPU}"
        )
    rows = [
        _HEADINGS,
        *(
            (
                device.name,
                "emulated" if device.emulates else "its own",
                ": ".join(filter(None, (device.description, device.fault))),
            )
            for device in found
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "\n".join(
        f"{name:{widths[0]}}  {instructions:{widths[1]}}  {description}"
        for name, instructions, description in rows
    )
