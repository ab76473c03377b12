"""The machine code of our kernels beside upstream's: counts on every device, compared with those of the last run.

python -m tools.isa_report [--device bmg pvc] [--only GLOB ...] [--write] [--jobs N]

Needs ocloc, and for upstream mlir-opt, opt and llc of LLVM 22. Without --write it says what became better or worse than
the stored figures (figures.json), with status 1 where anything got worse; with it they are stored, and the page
docs/code-quality.md and its picture are written.
"""
