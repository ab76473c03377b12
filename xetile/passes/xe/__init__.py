"""Passes from level S down to LLVM IR for Intel's Xe GPUs."""
