"""A page shown in the user's browser."""

import sys
import webbrowser
from tempfile import NamedTemporaryFile


def is_notebook() -> bool:
    """Whether a notebook runs this program, and shows what its cells give."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def opened(html: str, name: str) -> str:
    """Write a page to a file of its own, which stays, and open it in the browser; the file's path.

    Where no browser can be opened, standard error says where the page is.
    """
    with NamedTemporaryFile(
        "w", prefix=f"xetile-{name}-", suffix=".html", delete=False, encoding="utf-8"
    ) as file:
        file.write(html)
    try:
        found = webbrowser.open(f"file://{file.name}")
    except webbrowser.Error:
        found = False
    if not found:
        print(f"no browser was found; the page is {file.name}", file=sys.stderr)
    return file.name
