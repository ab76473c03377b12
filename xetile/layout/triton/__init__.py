"""Triton's layouts: blocked, slices, dot operands."""
