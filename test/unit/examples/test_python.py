"""The examples in Python do what they print."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"

SAYS = {
    "fused_gemm": ("lines of IR for (2, 2, 1) workgroups", "lanes give the same bits: True", "bytes of SPIR-V"),
    "library": ("sum to 1.0 and 1.0", "largest error 0.0", "the first query sees one key: True"),
    "rank": ("BM",),
}  # fmt: skip


def test_each_example_is_here() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_it_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    shown = capsys.readouterr().out
    for said in SAYS[name]:
        assert said in shown
