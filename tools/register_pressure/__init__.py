"""What IGC says of registers, and whether it spills: the truth that the estimate of planning/pressure is held against.

python -m tools.register_pressure FILE [--device bmg pvc] [--only GLOB ...]

writes test/data/registers.tsv; rows that FILE has already stay, so that it goes on where it was stopped. Needs ocloc.
"""
