"""Analyses over kernels. They never change the IR."""
