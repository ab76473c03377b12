"""What mkdocs asks while it builds the site: fences of docs/ have words for tests, which its Markdown does not take."""

import re
from typing import Any

_FENCE = re.compile(r"^(```\w+) .*$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page whose fences name their language alone."""
    return _FENCE.sub(r"\1", markdown)
