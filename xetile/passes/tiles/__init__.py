"""Passes between levels W and S, which every target has: maps, tiles of loops, tiles from vectors."""
