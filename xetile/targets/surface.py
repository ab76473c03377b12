"""The former place of `xetile.targets.xe.surface`."""

from xetile.targets.xe.surface import *  # noqa: F403
