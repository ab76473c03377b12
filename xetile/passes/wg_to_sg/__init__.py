"""The parts of `xetile-wg-to-sg`."""
