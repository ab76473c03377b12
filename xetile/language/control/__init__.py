"""Control flow of kernels: Python's own statements, which are traced where what they ask is known only when it runs.

| file | has |
|---|---|
| `source.py` | a function's statements, and the function made of others |
| `rewriting.py` | what the statements become, and which names are still read |
| `names.py`, `sites.py` | which names a statement binds |
| `flow.py` | the half that runs while a kernel is traced |
| `state.py` | what Python's lists and objects hold, so that no change of one goes unnoticed |
"""

from xetile.language.control.functions import function
from xetile.language.control.source import rewritten

__all__ = ["function", "rewritten"]
