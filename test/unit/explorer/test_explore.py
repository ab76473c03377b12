"""xetile-explore: where the page goes, what two explorations are, and data that is read again."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

from xetile.explorer.serving import command as explore
from xetile.explorer.serving.wanted import Wanted, compared

EXAMPLE = Path(__file__).parents[3] / "examples/gemm_f16_plain.mlir"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gemm.mlir").write_text(EXAMPLE.read_text())
    return tmp_path


def explorations(page: Path) -> list[dict[str, Any]]:
    (data,) = re.findall(r'id="model">([^<]*)<', page.read_text())
    return json.loads(zlib.decompress(base64.b64decode(data), -zlib.MAX_WBITS))["explorations"]


def test_page_is_named_after_the_input(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explore.main(["gemm.mlir", "--device", "bmg"]) == 0
    captured = capsys.readouterr()
    size = (here / "gemm.html").stat().st_size
    *_, last = captured.err.splitlines()  # what takes more than two seconds says how far it is
    assert last == f"xetile-explore: wrote gemm.html ({size:,} bytes)"
    (found,) = explorations(here / "gemm.html")
    assert (found["file"], found["device"]) == ("gemm.mlir", "bmg")
    assert [level["id"] for level in found["kernels"][0]["levels"]][:6] == list("WSBXVL")


def test_options_reach_the_model(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--device", "bmg", "--unroll", "2", "--grf", "large", "--json"]
    assert explore.main(["gemm.mlir", *flags]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["options"] == {"assume": "block", "unroll": 2, "grf": "large"}
    assert [path.name for path in here.iterdir()] == ["gemm.mlir"]


def test_data_is_read_again_and_compared(here: Path) -> None:
    assert explore.main(["gemm.mlir", "--device", "bmg", "--json", "-o", "old.json"]) == 0
    assert explore.main(["gemm.mlir", "--device", "bmg", "--compare", "old.json"]) == 0
    one, other = explorations(here / "gemm.html")
    assert one == other
    assert explore.main(["old.json", "-o", "old.html"]) == 0
    assert explorations(here / "old.html") == [one]


def test_two_devices(here: Path) -> None:
    assert explore.main(["gemm.mlir", "--device", "bmg", "--compare", "device=pvc"]) == 0
    found = [(one["file"], one["device"]) for one in explorations(here / "gemm.html")]
    assert found == [("gemm.mlir", "bmg"), ("gemm.mlir", "pvc")]


def test_other_of_compare() -> None:
    wanted = Wanted("a.mlir", "bmg")
    assert compared(wanted, "b.mlir") == Wanted("b.mlir", "bmg")
    changed = Wanted("a.mlir", "pvc", unroll=1, grf="large")
    assert compared(wanted, "device=pvc,unroll=1,grf=large") == changed
    Path("a=b.mlir").touch()
    assert compared(wanted, "a=b.mlir") == Wanted("a=b.mlir", "bmg")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "'old.json' is no exploration: it is not JSON (Expecting property name"),
        ("[" * 100_000, "'old.json' is no exploration: it is not JSON ("),
        ('{"version":' + "9" * 5000 + "}", "'old.json' is no exploration: it is not JSON (a number of 5000 digits; at most 4300 are read)\n"),
        ("{}", "'old.json' is no exploration, which xetile-explore --json writes\n"),
        ('{"version":0,"file":"","device":"","kernels":[]}', "'old.json' is of version 0; this xetile reads version 2\n"),
        ('{"version":2,"file":"","device":"pcv","kernels":[],"options":{},"notes":[]}', "'old.json': unknown device 'pcv'; known are pvc, bmg, lnl, ptl, cri; did you mean 'pvc'?\n"),
        ('{"version":2,"file":"","device":"pvc","kernels":[3],"options":{},"notes":[]}', "'old.json': expected an exploration, which xetile-explore --json writes, found kernels that cannot be read ('int' object is not a mapping)\n"),
        ('{"version":2,"file":"","device":[],"kernels":[],"options":{},"notes":[]}', "'old.json': unknown device '[]'; known are pvc, bmg, lnl, ptl, cri\n"),
        ('{"version":2,"file":"","device":"pvc","kernels":[]}', "'old.json' is no exploration: it has no 'options'\n"),
    ],
)  # fmt: skip
def test_data_that_is_no_exploration(
    here: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (here / "old.json").write_text(text)
    assert explore.main(["old.json"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"xetile-explore: error: {said}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("missing.mlir", "cannot read 'missing.mlir': no such file or directory"),
        ("cut.json", "'cut.json' is no exploration: it is not JSON ("),
        ("binary.mlir", "cannot read 'binary.mlir': it is SPIR-V; expected MLIR text"),
        ("version.json", "'version.json' is of version 0; this xetile reads version 2"),
        ("wrong.mlir", "wrong.mlir:1:1: error: "),
        ("device=pcv", "unknown device 'pcv'; known are pvc, bmg, lnl, ptl, cri; did you mean 'pvc'?"),
        ("kernel=gmm", "there is no kernel 'gmm'; did you mean 'gemm'?"),
        ("", "--compare: expected a file or options such as device=NAME, found ''"),
    ],
)  # fmt: skip
def test_the_other_is_refused_before_anything_is_explored(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    other: str,
    said: str,
) -> None:
    (here / "cut.json").write_text('{"version":2,"file":')
    (here / "version.json").write_text('{"version":0,"file":"","device":"","kernels":[]}')
    (here / "binary.mlir").write_bytes(b"\x03\x02\x23\x07\x00\x04\x01\x00")
    (here / "wrong.mlir").write_text("nonsense")
    explored: list[object] = []

    def begin(*given: object) -> None:
        explored.append(given)

    monkeypatch.setattr("xetile.explorer.serving.wanted._explored", begin)
    assert explore.main(["gemm.mlir", "--device", "bmg", "--compare", other]) == 1
    error, *_ = capsys.readouterr().err.splitlines()
    assert error.removeprefix("xetile-explore: error: ").startswith(said)
    assert explored == []


def test_the_page_has_a_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explore.main(["gemm.mlir", "--device", "bmg", "-o", ""]) == 1
    error = "xetile-explore: error: cannot write '': expected the name of a file; - is standard output\n"
    assert capsys.readouterr().err == error


def test_standard_input_needs_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert explore.main(["-"]) == 1
    error = "xetile-explore: error: the page of standard input needs a place to go; give -o\n"
    assert capsys.readouterr().err == error
