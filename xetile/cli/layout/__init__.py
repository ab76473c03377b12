"""The command `xetile-layout`."""
