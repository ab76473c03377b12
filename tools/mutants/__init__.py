"""Faults planted in copies of the project, and which tests notice: what `tools/mutate.py` is made of."""
