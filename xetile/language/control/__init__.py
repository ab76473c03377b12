"""Control flow of kernels: Python's own statements, traced if their conditions are known only when the kernel runs.

| file | contents |
|---|---|
| `device_functions.py` | `@xt.function`; the parsed statements of a function, and the rewritten function |
| `statements.py` | how statements are rewritten, and which names are read after them |
| `names.py` | the names that a statement binds |
| `flow.py` | the part that runs while a kernel is traced |
| `carried.py` | the values that a statement carries; checks that no list or object changes unnoticed |
"""
