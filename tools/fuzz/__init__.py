"""A fuzzer: mutated programs through parsing, verification, printing, and lowering to level B, executed at both ends.

    python -m tools.fuzz --count 20000 --seed 1 --jobs 2

Every input is made from its seed number alone, so that a find is repeated by `--only NUMBER`.
"""
