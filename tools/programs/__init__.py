"""Random programs on tiles of one subgroup: every level, and a device, computes the same bits.

    python -m tools.programs --count 2000 --seed 0
    python -m tools.programs --seed 0 --only 17 --show

A program is drawn from a seed and a number alone: loads, elementwise ops, casts, broadcasts, reductions, transposes,
slices, masks, products, loops and branches, in any order. It is executed as it is written and after each lowering down
to level V, and, many programs in one build, on opencl:cpu where the extra `device` is installed.
"""
