"""Rewriting that passes share: one value to many, source positions, index arithmetic from layouts."""
