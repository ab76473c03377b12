"""What pyproject.toml cannot say: wheels carry the examples, and a description without links into the checkout."""

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class WithExamples(build_py):
    """Copies the examples into the package; a checkout has them beside it, once."""

    def run(self) -> None:
        """Build, then copy; an installation that is edited in place finds those of the checkout."""
        super().run()
        if not self.editable_mode:
            shutil.copytree(
                ROOT / "examples",
                Path(self.build_lib, "xetile", "examples"),
                dirs_exist_ok=True,
            )


def described() -> str:
    """README.md, whose links to other files of the project lead nowhere on a page of an index: their words stay."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n?", "", text)
    text = re.sub(r"\[([^]]*)\]\((?!https?:)\1\)", r"`\1`", text)
    text = re.sub(r"\[([^]]*)\]\((?!https?:)([^)#]*)[^)]*\)", r"\1 (`\2`)", text)
    return f"{text}\nFiles that are named here are in the source distribution.\n"


setup(
    cmdclass={"build_py": WithExamples},
    long_description=described(),
    long_description_content_type="text/markdown",
)
