"""From one layout to another: registers, lanes, shared memory without conflicts."""
