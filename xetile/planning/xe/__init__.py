"""What is decided for Intel's Xe GPUs: blocks, messages, layouts of registers, unrolling."""
