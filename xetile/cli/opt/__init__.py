"""The command `xetile-opt`."""
