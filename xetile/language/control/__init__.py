"""Control flow of kernels: Python's own statements, which are traced where what they ask is known only when it runs.

| file | has |
|---|---|
| `functions.py` | `@xt.function`; a function's statements, and the function made of others |
| `rewriting.py` | what the statements become, and which names are still read |
| `names.py` | which names a statement binds |
| `flow.py` | the half that runs while a kernel is traced |
| `carried.py` | what names hold: values that are carried, and that no list or object is changed unnoticed |
"""
