"""Random kernels of xetile.language: executed eagerly and from their trace, the bits are equal.

    python -m tools.language_programs --count 1000

A kernel is drawn as Python source (`drawing.py`), with loops, whiles and conditions that carry tiles, scalars, indices,
tuples, lists and dataclasses, helpers, closures, broadcasts, reductions and masks. Eager execution runs the source as
Python does, so that equal bits say that tracing means what Python means (`judging.py`). One that differs is printed
without the statements that it differs without.
"""
