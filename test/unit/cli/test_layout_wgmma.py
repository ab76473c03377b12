"""xetile-layout wgmma: canonical layouts, descriptors, and what the instruction makes of a shared layout."""

import json
from pathlib import Path

import pytest

from xetile.cli.layout_commands.shown_layout import main
from xetile.layout.text.attribute_text import layout_of

NVMMA = (
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
)
FIELDS = (
    "Descriptor: 0x4000004000010000\n - start address 0\n - leading byte offset 16, encoded 1\n"
    " - stride byte offset 1024, encoded 64\n - base offset 0\n - swizzle 128 bytes\n"
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
        "Exact layout: Swizzle<3,4,3> o ((8,8),(8,8)):((64,512),(1,8)) with T = 8, m = 8, k = 4\n"
        f"Atom: 8 x 64 elements (mn x k), 8 x 8 units of 128 bits\n{FIELDS}Byte offsets:\n - mn=1 -> (144)\n"
    )
    assert out.endswith("   k=32 -> (64)\nwhere out dims are: [offset (size 8192)]\n")


@pytest.mark.parametrize(
    "options, exact, atom",
    [
        ("tf32 K 0 16x16", "Swizzle<0,4,3> o ((8,2),(4,4)):((4,32),(1,64)) with T = 4, m = 2, k = 2", "8 x 4 elements (mn x k), 8 x 1"),
        ("bf16 MN 0 16x16 256 128", "Swizzle<0,4,3> o ((8,1,2),(8,2)):((1,8,64),(8,128)) with T = 8, m = 2, k = 2", "8 x 8 elements (mn x k), 1 x 8"),
        ("bf16 MN 32 32x16 256 512", "Swizzle<1,4,3> o ((8,2,2),(8,2)):((1,8,128),(16,256)) with T = 8, m = 2, k = 2", "16 x 8 elements (mn x k), 2 x 8"),
        ("bf16 MN 64 64x16 512 1024", "Swizzle<2,4,3> o ((8,4,2),(8,2)):((1,8,256),(32,512)) with T = 8, m = 2, k = 2", "32 x 8 elements (mn x k), 4 x 8"),
    ],
)  # fmt: skip
def test_the_exact_layouts_of_the_ptx_text(
    capsys: pytest.CaptureFixture[str], options: str, exact: str, atom: str
) -> None:
    flags = ("--dtype", "--major", "--swizzle", "--shape", "--leading", "--stride")
    pairs = zip(flags, options.split(), strict=False)
    out = output(capsys, *(word for pair in pairs for word in pair))
    assert f"Exact layout: {exact}\nAtom: {atom} units of 128 bits\n" in out


def test_why_an_example_of_the_ptx_text_is_no_layout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = ("--dtype", "tf32", "--major", "K", "--swizzle", "32", "--shape", "16x16")
    assert (
        "No single tile: Swizzle<1,4,3> o ((8,2),(4,4)):((8,64),(1,4)) has 136 addresses for 256 elements: "
        "(mn, k) = (0, 8) and (1, 0) both lie at byte 32 before swizzling, for a row of the swizzle ends at k=8\n"
    ) in output(capsys, *told)


def test_a_tile_wider_than_its_swizzle_is_several(capsys: pytest.CaptureFixture[str]) -> None:
    told = ("--dtype", "bf16", "--major", "K", "--swizzle", "128", "--shape", "128x128")
    out = output(capsys, *told)
    assert "Tiles: 2 along K of 128 x 64 elements, 16384 bytes apart, each with a desc" in out
    assert "\nDescriptor of k=64: 0x4000004000010400\n" in out
    data = json.loads(output(capsys, *told, "--json"))
    assert data["tiles"] == {"shape": [128, 64], "count": 2, "step": 16384}
    # Triton lays the same tile out so.
    places = layout_of(NVMMA, (128, 128)).sublayout(["offset"], ["dim0", "dim1"]).invert()
    elements = [[at * 2 for (at,) in places.bases[name]] for name in ("dim0", "dim1")]
    assert elements == [
        [at for (at,) in map(tuple, vectors)] for _, vectors in data["layout"]["in"]
    ]


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
        (["--json"], "--dtype is needed, or -l ATTRIBUTE, or --descriptor VALUE"),
        (["-l", NVMMA], "must specify the tensor type argument -t"),
        (["-l", NVMMA.replace("128", "0", 1), "-t", "tensor<128x64xbf16>"], "no swizzle fits a K-major operand"),
        (["--dtype", "bf16", "--major", "K", "--swizzle", "48", "--shape", "64x16"], "swizzle of 48 bytes"),
        (["--dtype", "tf32", "--major", "K", "--swizzle", "32", "--shape", "4x16"], "no linear layout: k=8 lies at byte 32"),
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
