"""Decisions for Intel's Xe GPUs: blocks, messages, register layouts, unrolling."""
