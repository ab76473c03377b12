"""Instructions of hot loops: of products per K step, of flash attention per 64 keys, and what they may be at most.

python -m tools.instruction_counts [--device bmg pvc] [--only GLOB ...]
"""
