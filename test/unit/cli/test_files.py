import os
import stat
from pathlib import Path

import pytest

from xetile.cli.files import read_input, write_output
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
