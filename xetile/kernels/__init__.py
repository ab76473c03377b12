"""Builders of whole kernels."""

from xetile.kernels.gemm_module import gemm_module

__all__ = ["gemm_module"]
