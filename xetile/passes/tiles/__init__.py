"""Passes between levels W and S, which every target has: maps, tiles of loops, the way to tiles from vectors."""
