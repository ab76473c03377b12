"""Layouts of NVIDIA's hardware: shared memory, wgmma."""
