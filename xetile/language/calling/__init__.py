"""Kernels as Python objects: what a decorated function becomes.

| file | has |
|---|---|
| `decorator.py` | `@xt.kernel` and the class `Kernel` |
| `specialised.py` | a kernel for given types and constants; its code for a device, and launches of it |
| `tracing.py` | from a Python function to a module; what a specialisation is made of |
| `grids.py` | how many workgroups a kernel takes |
| `arguments.py` | what a kernel is called with |
| `kept.py` | what is kept in the process and on disk |
| `eager.py` | eager execution; loaded where it is asked for, as it needs the interpreter |
"""
