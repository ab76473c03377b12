"""xetile-layout wgmma: canonical layouts, descriptors, and what the instruction makes of a shared layout."""

import json
from pathlib import Path

import pytest

from xetile.cli.layout import main

NVMMA = (
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
)
FIELDS = (
    "Descriptor: 0x4000004000010000\n - start address 0\n - leading byte offset 16\n"
    " - stride byte offset 1024\n - base offset 0\n - swizzle 128 bytes\n"
)


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["wgmma", *arguments]) == 0
    captured = capsys.readouterr()
    assert all(" wrote " in line for line in captured.err.splitlines())
    return captured.out


def test_a_canonical_layout(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(
        capsys, "--dtype", "bf16", "--major", "K", "--swizzle", "128", "--shape", "64x64"
    )
    assert out.startswith(
        "Canonical layout: Swizzle<3,4,3> o ((8,m),(T,2k)):((8T,SBO),(1,T))\n"
        f"Atom: 8 x 64 elements (mn x k)\n{FIELDS}Byte offsets:\n - mn=1 -> (144)\n"
    )
    assert out.endswith("   k=32 -> (64)\nwhere out dims are: [offset (size 8192)]\n")


def test_given_offsets_and_start(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, "--dtype", "bf16", "--major", "MN", "--swizzle", "0", "--shape", "16x16",
                 "--leading", "128", "--stride", "0x100", "--start", "0x400", "--json")  # fmt: skip
    data = json.loads(out)
    assert data["fields"] == {
        "start": 1024, "leading": 128, "stride": 256, "base_offset": 0, "swizzle": 0,
    }  # fmt: skip
    assert data["descriptor"] == "0x0000001000080040"
    assert data["atom"] == [8, 8]


def test_what_no_instruction_reads_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(
        capsys, "--dtype", "tf32", "--major", "MN", "--swizzle", "128", "--shape", "64x8"
    )
    assert "No instruction reads it: MN-major operands have 16-bit elements\n" in out


def test_a_descriptor_taken_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "--descriptor", "0x4000004000010000") == FIELDS
    assert json.loads(output(capsys, "--descriptor", "1", "--json"))["start"] == 16


def test_a_layout_in_shared_memory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    svg = tmp_path / "tile.svg"
    out = output(capsys, "-l", NVMMA, "-t", "tensor<128x64xbf16>", "--svg", str(svg))
    assert out.startswith("Operand: K-major, 16 bits, 64 of MN at once\n")
    assert FIELDS in out
    assert out.endswith(" - mn 0: 0, 32, 64, 96\n - mn 64: 8192, 8224, 8256, 8288\n")
    assert ">#ttg.nvmma_shared 128x64<" in svg.read_text()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "--dtype is needed, or -l ATTRIBUTE, or --descriptor VALUE"),
        (["-l", NVMMA], "must specify the tensor type argument -t"),
        (["-l", NVMMA.replace("128", "0", 1), "-t", "tensor<128x64xbf16>"], "no swizzle fits a K-major operand"),
        (["--dtype", "bf16", "--major", "K", "--swizzle", "48", "--shape", "64x16"], "swizzle of 48 bytes"),
        (["--dtype", "tf32", "--major", "K", "--swizzle", "32", "--shape", "16x16"], "no linear layout: k=8 lies at byte 32"),
        (["--dtype", "bf16", "--major", "K", "--swizzle", "32", "--shape", "64"], "'64' must be MNxK"),
        (["--descriptor", "x"], "'x' is no number"),
        (["--dtype", "i4", "--major", "K", "--swizzle", "32", "--shape", "64x32"], "elements of i4 share bytes; the layouts are of 8, 16 and 32 bits"),
        (["--dtype", "f4E2M1FN", "--major", "K", "--swizzle", "32", "--shape", "64x32"], "elements of f4E2M1FN share bytes"),
        (["--descriptor", "0xffff"], "descriptor 0xffff sets bits that are no field of wgmma's: 0xc000"),
        (["--descriptor", "5", "-l", "#ttg.nvmma_shared<{}>"], "--descriptor and -l ask two different questions; give one"),
        (["--descriptor", "5", "--dtype", "f16"], "--descriptor and --dtype ask two different questions; give one"),
        (["--descriptor", "1", "--svg", "x.svg"], "a descriptor has no drawing"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["wgmma", *arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_tensor_of_parts_of_bytes_is_refused(capsys: pytest.CaptureFixture[str]):
    assert main(["wgmma", "-l", NVMMA, "-t", "tensor<64x64xi4>"]) == 1
    line = "xetile-layout: error: elements of i4 share bytes; the layouts are of 8, 16 and 32 bits\n"
    assert capsys.readouterr().err == line
