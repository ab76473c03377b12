"""The full product of kernels and devices: what is emitted runs on opencl:cpu, and computes what level V does on numpy.

    python -m tools.device_product [--only GLOB ...] [--device NAME ...] [--jobs N] [--all]
    python -m tools.device_product --measure [FUNCTION ...]

A case (`families/`) is a kernel, or one whose parts are many small ones: `elementwise` every op of arith and math by
type, `movement` loads, stores and cache hints, `messages` every 2D message and matrix instruction of XeVM, `products`
GEMM by type, size and tile, `sources` matrices of all forms, `control` ids, loops and branches, `files` every kernel
of the examples and of the tests' files, `random` chains of ops. For each device it is lowered, executed at level V,
emitted, and launched where its SPIR-V is another one than before. The results' bits are equal, or within the bound
that `accuracy.py` has for the function, or it is said that MLIR leaves them open. `--measure` shows
the largest errors that these bounds cover, over all f16 and bf16 and a million of f32.

The table goes to standard output, progress to standard error. Status 1: something differs.
"""
