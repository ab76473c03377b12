"""Code of a module: LLVM IR, SPIR-V, and with Intel's offline compiler binaries and assembly."""
