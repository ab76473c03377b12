"""Conversions between layouts: registers, lanes, shared memory without conflicts."""
