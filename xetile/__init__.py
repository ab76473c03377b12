"""xetile: a tile-level compiler for matrix kernels on Intel Xe GPUs."""

__version__ = "0.1.0"
