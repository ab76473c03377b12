"""Kernels as Python objects: the objects that `@xt.kernel` returns.

| file | contents |
|---|---|
| `decorator.py` | `@xt.kernel` and the class `Kernel` |
| `specialised.py` | a kernel for given types and constants; its code for a device, and launches of it |
| `tracing.py` | from a Python function to a module; the inputs of a specialization |
| `grids.py` | the number of workgroups of a launch |
| `argument_types.py` | the arguments of a call |
| `kept.py` | the caches in the process and on disk |
| `eager.py` | eager execution; imported on demand, as it needs the interpreter |
"""
