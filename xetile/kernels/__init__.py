"""Builders of whole kernels."""

from xetile.kernels.gemm import gemm

__all__ = ["gemm"]
