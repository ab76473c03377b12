import os
import stat
from pathlib import Path

import pytest

from xetile.cli.frame.inputs_outputs import read_input, write_output, write_outputs
from xetile.errors import XetileError


def test_a_file_is_written_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "out.mlir"
    target.write_text("old")
    target.chmod(0o640)
    write_output(str(target), "new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out.mlir"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_output(str(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_to() -> None:
    write_output("/dev/null", "text")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("place", ["missing/out", "."])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    target = tmp_path / place
    with pytest.raises(
        XetileError, match=r"^cannot write '.*': (no such file|is a directory)"
    ):
        write_output(str(target), "text")
    assert os.listdir(tmp_path) == []


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write_output("-", b"\x00\xff")
    write_output(None, "ü")
    assert capsysbinary.readouterr().out == b"\x00\xff\xc3\xbc"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(XetileError, match=r"^cannot read '.*x': no such file or directory$"):
        read_input(str(tmp_path / "x"))
    with pytest.raises(XetileError, match=r"^cannot read '.*': is a directory$"):
        read_input(str(tmp_path))


def test_bytes_that_are_no_text_have_a_place(tmp_path: Path) -> None:
    source = tmp_path / "x.mlir"
    source.write_bytes("// é\nab".encode() + b"\xff\n")
    with pytest.raises(
        XetileError, match=r"x\.mlir:2:3: error: byte 0xff is not valid UTF-8$"
    ):
        read_input(str(source))


def test_a_file_that_was_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.spv"
    write_output(str(target), b"x" * 12345, by="tool")
    assert capsys.readouterr().err == f"tool: wrote {target} (12,345 bytes)\n"
    write_output(str(target), "x", by="tool")
    assert capsys.readouterr().err == f"tool: wrote {target} (1 byte)\n"


@pytest.mark.parametrize("place", [None, "-", "/dev/null"])
def test_streams_and_devices_are_not_named(
    capsys: pytest.CaptureFixture[str], place: str | None
) -> None:
    write_output(place, "x", by="tool")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("gmem.mlir", "no such file or directory; did you mean 'gemm.mlir'?"),
        ("gemm", "no such file or directory; did you mean 'gemm.mlir'?"),
        ("kernels/gmem.mlir", "no such file or directory; did you mean 'kernels/gemm.mlir'?"),
        ("kernles/gemm.mlir", "no such file or directory; there is no folder 'kernles'"),
        ("softmax.mlir", "no such file or directory"),
        ("gemm.mlir/x", "not a directory; 'gemm.mlir' is a file"),
        ("kernels", "is a directory; name a file in it, such as 'kernels/gemm.mlir'"),
        ("empty", "is a directory"),
        ("gemm.spv", "it is SPIR-V; expected MLIR text"),
        ("array.npy", "it is a numpy array; expected MLIR text"),
        ("gemm.mlirbc", "it is MLIR bytecode; expected MLIR text"),
        ("gemm.bin", "it is an ELF file; expected MLIR text"),
        ("nul\0", "embedded null byte"),
    ],
)
def test_inputs_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernels").mkdir()
    Path("empty").mkdir()
    for name in ("gemm.mlir", "kernels/gemm.mlir"):
        Path(name).write_text("module {}\n")
    Path("gemm.spv").write_bytes(b"\x03\x02\x23\x07\x00\x04\x01\x00")
    Path("array.npy").write_bytes(b"\x93NUMPY\x01\x00")
    Path("gemm.mlirbc").write_bytes(b"ML\xefR\x06")
    Path("gemm.bin").write_bytes(b"\x7fELF\x02")
    with pytest.raises(XetileError) as caught:
        read_input(path)
    assert caught.value.message == f"cannot read '{path}': {reason}"


def test_an_input_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", denied)
    with pytest.raises(XetileError, match=r"^cannot read '.*a': permission denied$"):
        read_input(str(tmp_path / "a"))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing/out.mlir", "no such file or directory; there is no folder 'missing'"),
        ("file/out.mlir", "not a directory; 'file' is a file"),
        ("folder", "is a directory; name a file in it"),
    ],
)
def test_outputs_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("")
    with pytest.raises(XetileError) as caught:
        write_output(path, "text")
    assert caught.value.message == f"cannot write '{path}': {reason}"


def test_a_pipe_is_read_whole(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"module {}\n")
    os.close(write)
    assert read_input(f"/dev/fd/{read}")[0] == "module {}\n"
    os.close(read)


def test_all_files_are_written_or_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    Path(first).write_text("old")
    with pytest.raises(XetileError, match=r"cannot write '.*none/b'"):
        write_outputs([(first, "new"), (str(tmp_path / "none" / "b"), "x")], by="tool")
    assert Path(first).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    write_outputs([(first, "new"), (second, b"x"), (first, "newer")], by="tool")
    assert Path(first).read_text() == "newer"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert capsys.readouterr().err.count("tool: wrote") == 3
