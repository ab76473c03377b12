"""Layouts of Intel's hardware: operands of DPAS, 2D block messages."""
