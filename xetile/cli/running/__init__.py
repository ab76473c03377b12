"""The command `xetile-run`."""
