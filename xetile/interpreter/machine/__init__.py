"""Threads in lockstep, memory, launches."""
