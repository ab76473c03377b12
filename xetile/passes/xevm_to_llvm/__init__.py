"""The parts of `convert-xevm-to-llvm`."""
