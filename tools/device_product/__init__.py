"""The full product of kernels and devices: what level V computes on numpy, the emitted SPIR-V computes on opencl:cpu.

    python -m tools.device_product [--only GLOB ...] [--device NAME ...] [--jobs N] [--quiet]
"""
