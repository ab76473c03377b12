"""Builders of whole kernels."""
