"""The parts of `tools/golden.py`: what is run, the process that runs it in a tree, how results are compared."""
