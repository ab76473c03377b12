"""Analyses over kernels: they look, they never change anything."""
