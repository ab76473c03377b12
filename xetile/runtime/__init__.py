"""Devices that execute what is emitted: the bytes of a SPIR-V module, launched as its contract says."""
