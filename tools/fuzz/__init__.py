"""A fuzzer: what people type and write, mutated, through every command.

    python -m tools.fuzz --count 50000 --seed 1 --jobs 2 --against-mlir-opt
    python -m tools.fuzz --family host --seed 1 --only 4711

A family makes a call of a command from a seed and a number alone, so that a find is repeated by its name. The calls
run in workers under a limit of memory and time; the answer must be one that a user can be given: status 0, 1 or 2, no
trace, errors of the form `place: error: ...`, nothing half-written. See CONTRIBUTING.md.
"""
