"""Kernels written in Python, with references in numpy.

`from xetile.kernels import softmax` is a kernel: `softmax(x, y)` computes, `softmax.specialize(...)` compiles.
"""

from xetile.kernels.activations import gelu, relu, silu
from xetile.kernels.attention import flash_attention
from xetile.kernels.dequantised import dequantised_gemm
from xetile.kernels.embedding import embedding
from xetile.kernels.gemm import gemm
from xetile.kernels.gemm_module import gemm_module
from xetile.kernels.normalisation import layer_norm, rms_norm
from xetile.kernels.reduce import reduce
from xetile.kernels.softmax import softmax
from xetile.kernels.transpose import transpose

__all__ = [
    "dequantised_gemm",
    "embedding",
    "flash_attention",
    "gelu",
    "gemm",
    "gemm_module",
    "layer_norm",
    "reduce",
    "relu",
    "rms_norm",
    "silu",
    "softmax",
    "transpose",
]
