"""What IGC says of registers, and whether it spills: what the estimate of planning/xe/pressure is held against.

python -m tools.register_pressure FILE [--device bmg pvc] [--only GLOB ...]

python -m tools.register_pressure FILE --compare

writes test/data/registers.tsv; rows that FILE has already stay, so that it goes on where it was stopped; that needs
ocloc. With --compare it says in which rows a spill was not warned of, a warning was wrong, or the estimate of a kernel
of the report is further than 12 registers from IGC's.
"""
