"""Devices that execute emitted code: the bytes of a SPIR-V module, launched as its contract says."""
