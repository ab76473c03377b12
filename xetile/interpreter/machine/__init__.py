"""The machine: threads in lockstep, memory, launches."""
