"""`xetile-demo` beside its demonstration: the examples are listed, copied, and never written over what is there."""

from pathlib import Path

import pytest

from xetile.cli import demo, demonstration
from xetile.cli import demo as examples

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_are_listed_with_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--list"]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line[0] != " "] == list(files(EXAMPLES))
    assert max(map(len, out.splitlines())) <= 100
    words = " ".join(out.split())
    assert (
        "softmax.mlir Softmax of each row of a 4096 x 256 matrix: exp(x - max) / sum of those vector/"
        in words
    )
    assert (
        "python/library.py Kernels of the library, called with arrays of numpy python/rank.py"
        in words
    )
    assert (
        'appendix (2.1, "simple GEMM with prefetch"), without its prefetches gemm_f16_sub'
        in words
    )
    assert "vector/linalg-matmul.mlir vector/" in words


def test_copies_are_the_examples(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--examples"]) == 0
    assert files(here / "examples") == files(EXAMPLES)
    number, size = len(files(EXAMPLES)), sum(map(len, files(EXAMPLES).values()))
    assert (
        capsys.readouterr().err
        == f"xetile-demo: wrote {number} files to examples ({size:,} bytes)\n"
    )


def test_copies_go_to_a_folder_that_is_named(here: Path) -> None:
    (here / "a").mkdir()
    (here / "a" / "mine.mlir").write_text("mine")
    assert demo.main(["--examples", "a"]) == 0
    assert files(here / "a") == files(EXAMPLES) | {"mine.mlir": b"mine"}


def test_what_is_there_is_not_overwritten(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "examples" / "rfc").mkdir(parents=True)
    (here / "examples" / "rfc" / "main-text.mlir").write_text("mine")
    (here / "examples" / "softmax.mlir").symlink_to("nowhere")
    assert demo.main(["--examples"]) == 1
    assert capsys.readouterr().err == (
        "xetile-demo: error: 'examples/rfc/main-text.mlir' and 1 other file are there and are not overwritten; "
        "name another folder, as in --examples DIR\n"
    )
    assert files(here) == {"examples/rfc/main-text.mlir": b"mine"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--list", "--examples"], "argument --examples: not allowed with argument --list"),
        (
            ["--examples", "a", "--device", "bmg"],
            "--examples shows no kernel and takes no --device",
        ),
        (["--list", "--out", "a"], "--list shows no kernel and takes no --out"),
        (["--examples", "file"], "cannot make the folder 'file': file exists"),
        (["--exmaples"], "unrecognized argument '--exmaples'; did you mean '--examples'?"),
    ],
)
def test_mistakes(
    arguments: list[str], said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "file").write_text("mine")
    assert demo.main(arguments) == 1
    assert capsys.readouterr().err == f"xetile-demo: error: {said}\n"
    assert files(here) == {"file": b"mine"}


def test_an_installation_without_examples_is_told(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(examples, "_FOLDERS", (here / "none", here / "neither"))
    assert demo.main(["--list"]) == 1
    assert capsys.readouterr().err == (
        f"xetile-demo: error: no examples are installed: there is no folder '{here / 'none'}'\n"
    )


def test_the_demonstration_says_where_the_others_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[tuple[str, str, str]] = []

    def show(kernel: str, device: str, folder: str) -> list[str]:
        shown.append((kernel, device, folder))
        return []

    monkeypatch.setattr(demonstration, "show", show)
    assert demo.main([]) == 0
    assert "xetile-demo --list" in capsys.readouterr().out
    assert demo.main(["--kernel", "k.mlir", "--device", "pvc", "--out", "o"]) == 0
    assert capsys.readouterr().out == ""
    assert shown[0][1:] == ("bmg", "build/demo")
    assert shown[1] == ("k.mlir", "pvc", "o")


def test_examples_are_found_from_anywhere(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (EXAMPLES / "gemm_f16.mlir").read_text()
    assert examples.example("gemm_f16.mlir").read_text() == text
    monkeypatch.chdir(ROOT)
    assert examples.example("gemm_f16.mlir") == Path("examples/gemm_f16.mlir")
