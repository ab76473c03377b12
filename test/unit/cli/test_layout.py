"""xetile-layout: the flags of triton-tensor-layout, block loads, drawings, data, and one-line errors."""

import json
import shlex
from pathlib import Path
from random import Random
from typing import cast

import pytest

from xetile.cli.layout_commands.shown_layout import main
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.message_layouts import block_load_layout

DPAS = (
    "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
    "warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>"
)
A = f"#ttg.dot_op<{{opIdx = 0, parent = {DPAS}, kWidth = 1}}>"
BLOCKED = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 1], warpsPerCTA = [1, 1], order = [1, 0]}>"
SMALL = "[[T0:0, T0:1]\n[ T1:0, T1:1]\n[ T2:0, T2:1]\n[ T3:0, T3:1]]\n"
GEMM = ["block-load", "--device", "bmg", "--dtype", "f16", "--warps", "8x4", "--rep", "4x2"]


UNEVEN = "#xetile.wg_map<sg_layout = [3, 2], sg_data = [1, 2]>"


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_the_documents_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, "-l", A, "-t", "tensor<256x32xf16>", "-use-hw-view")
    lines = out.splitlines()
    assert lines[0] == f"Print layout attribute: {A}"
    assert lines[1] == "Warp0:"
    assert lines[2].startswith("(  0, 0), (  0, 1), ")
    assert len(lines) == 1 + 32 * 65


def test_the_tensor_view_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    expected = f"Print layout attribute: {BLOCKED}\n{SMALL}"
    assert output(capsys, "-l", BLOCKED, "-t", "tensor<4x2xf32>") == expected
    assert output(capsys, "-t", f"tensor<4x2xf32, {BLOCKED}>") == expected


def test_aliases_of_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "kernel.mlir"
    sliced = "#ttg.slice<{dim = 1, parent = #blocked}>"
    file.write_text(f"#blocked = {BLOCKED}\n#rows = {sliced}\nmodule {{\n}}\n")
    out = output(capsys, "-i", str(file), "-alias-names=blocked", "-t", "tensor<4x2xf32>")
    assert out == f"Print layout attribute: #blocked = {BLOCKED}\n{SMALL}\n"
    out = output(capsys, "-i", str(file), "-alias-names", "rows", "-t", "tensor<4xf32>")
    written = sliced.replace("#blocked", BLOCKED)
    assert out == f"Print layout attribute: #rows = {written}\n[T0:0, T1:0, T2:0, T3:0]\n\n"


def test_one_alias_that_does_not_fit_leaves_the_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "kernel.mlir"
    sliced = "#ttg.slice<{dim = 1, parent = #blocked}>"
    file.write_text(f"#m = #ttg.amd_mfma<{{}}>\n#blocked = {BLOCKED}\n#rows = {sliced}\n")
    assert main(["-i", str(file), "-t", "tensor<4x2xf32>"]) == 0
    out, err = capsys.readouterr()
    assert out == f"Print layout attribute: #blocked = {BLOCKED}\n{SMALL}"
    first, second = err.splitlines()
    assert first.startswith("warning: #m is not shown: layout #ttg.amd_mfma is not supported")
    assert second.startswith(
        "warning: #rows is not shown: a blocked layout of rank 2 does not"
    )
    assert main(["-i", str(file), "-alias-names=m,rows", "-t", "tensor<4x2xf32>"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "layout #ttg.amd_mfma is not supported" in err


def test_a_workgroup_map_that_is_no_power_of_two(capsys: pytest.CaptureFixture[str]) -> None:
    told = ("-l", UNEVEN, "-t", "tensor<3x8xf16>")
    assert output(capsys, *told) == (
        f"Print layout attribute: {UNEVEN}\n[[T0:0, T0:1, T1:0, T1:1, T0:2, T0:3, T1:2, T1:3]\n"
        "[ T2:0, T2:1, T3:0, T3:1, T2:2, T2:3, T3:2, T3:3]\n"
        "[ T4:0, T4:1, T5:0, T5:1, T4:2, T4:3, T5:2, T5:3]]\n"
    )
    lines = output(capsys, *told, "-use-hw-view").splitlines()
    assert lines[1:7] == ["Subgroup0:", "(0,0)", "(0,1)", "(0,4)", "(0,5)", "Subgroup1:"]
    (data,) = json.loads(output(capsys, *told, "--json"))
    assert (data["shape"], data["sg_layout"]) == ([3, 8], [3, 2])
    assert data["offsets"][5] == [[2, 2], [2, 6]]


def test_a_workgroup_map_that_is_no_power_of_two_is_drawn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    svg, page = tmp_path / "map.svg", tmp_path / "map.html"
    told = ["-l", UNEVEN, "-t", "tensor<3x8xf16>", "--svg", str(svg), "--html", str(page)]
    assert main(told) == 0
    assert "[[T0:0, T0:1, T1:0" in capsys.readouterr().out
    drawn = svg.read_text()
    assert (drawn.count('class="panel"'), drawn.count('class="bits"')) == (1, 0)
    assert "#xetile.wg_map 3x8" in drawn
    assert '"dealt": {"unit": [1, 2]' in page.read_text().replace('":', '": ').replace(
        ",", ", "
    )


def test_an_empty_call_and_help_show_examples_that_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    aliases = f"#blocked = {BLOCKED}\n#mma = {BLOCKED}\n"
    Path("kernel.ttgir").write_text(aliases)
    ran = 0
    for command in ([], ["block-load"], ["convert"], ["dpas"], ["wgmma"]):
        out = output(capsys, *command)
        assert out.startswith(f"usage: {' '.join(['xetile-layout', *command])} ")
        examples = out.partition("\nexamples:\n")[2].replace("\\\n", "").splitlines()
        assert examples
        for example in examples:
            program, *arguments = shlex.split(example)
            assert (program, main(arguments)) == ("xetile-layout", 0), example
            assert capsys.readouterr().out or "--svg" in example or "--html" in example
            ran += 1
    assert ran == 15


def test_what_lanes_hold_of_an_instruction(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, "dpas", "--operand", "B", "--dtype", "f16", "--device", "bmg")
    title, head, _, *rows = out.splitlines()
    assert title == (
        "Operand f16 B 16x16 of DPAS on bmg: 16 registers in each lane, 2 elements in a word"
    )
    assert head == "| " + " | ".join(f"WI {lane}" for lane in range(16)) + " |"
    # Words of two neighbouring rows, as Intel's document on block loads has them.
    assert rows == [
        "| " + " | ".join(f"{k}, {n} : {k + 1}, {n}" for n in range(16)) + " |"
        for k in range(0, 16, 2)
    ]
    out = output(capsys, "dpas", "--operand", "C", "--dtype", "f32", "--device", "bmg", "--view", "bases", "--json")  # fmt: skip
    data = json.loads(out)
    assert data["in"] == [["register", [[1, 0], [2, 0], [4, 0]]], ["lane", [[0, 1], [0, 2], [0, 4], [0, 8]]]]  # fmt: skip


def test_the_index_tables_of_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, *GEMM, "--operand", "A", "--shape", "256x32", "--tables")
    lane = "".join(f"{16 * row} : {row}, 0\n" for row in range(8))
    assert (
        f"[dim0 (size 8), dim1 (size 16)]\n{lane}Block load tile layout after adding it" in out
    )
    starts = [(row, column) for column in (0, 16) for row in (0, 8, 16, 24)]
    ends = "".join(
        f"{n}, 0 : {row}, {column}\n{n}, 127 : {row + 7}, {column + 15}\n"
        for n, (row, column) in enumerate(starts)
    )
    assert (
        f"[dim0 (size 32), dim1 (size 32)]\n{ends}Block load tile layout after adding" in out
    )
    out = output(capsys, *GEMM, "--operand", "B", "--shape", "32x256", "--tables")
    assert "| 0, 0 : 1, 0 | 0, 1 : 1, 1 |" in out
    assert "\n0, 3, 127 : 15, 31\n1, 0, 0 : 128, 0\n1, 0, 127 : 135, 15\n" in out
    assert "\n1, 3, 127 : 143, 31\nConfiguration: 32 rows x 16 columns" in out
    plain = output(capsys, *GEMM, "--operand", "B", "--shape", "32x256")
    assert not set(plain.splitlines()) - set(out.splitlines())


def test_views_of_bases(capsys: pytest.CaptureFixture[str]) -> None:
    bases = '{"register": [[1]], "lane": [[2]]}'
    out = output(capsys, "--bases", bases, "--view", "bases", "--view", "matrix", "--view", "hardware", "--subgroup")  # fmt: skip
    assert out == (
        f"Print layout attribute: {bases}\n"
        " - register=1 -> (1)\n - lane=1 -> (2)\nwhere out dims are: [dim0 (size 4)]\n"
        "       register=1 lane=1\ndim0=1          1      .\ndim0=2          .      1\n"
        "Subgroup0:\n(0), (2)\n(1), (3)\n"
    )


def test_extents_are_the_least_that_hold_the_bases(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, "--bases", '{"register": [[0, 1]], "lane": [[0, 4]]}')
    assert out.endswith("\n[[T0:0, T0:1, , , T1:0, T1:1, , ]]\n")


def test_layouts_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, "-l", BLOCKED, "-t", "tensor<4x2xf32>", "--json")
    assert json.loads(out) == [
        {
            "title": BLOCKED,
            "in": [
                ["register", [[0, 1]]],
                ["lane", [[1, 0], [2, 0]]],
                ["warp", []],
                ["block", []],
            ],
            "out": [["dim0", 4], ["dim1", 2]],
        }
    ]


@pytest.mark.parametrize(
    "operand, configuration, messages, shuffle",
    [
        (
            ["--operand", "A", "--shape", "256x32"],
            "32 rows x 16 columns x 2 blocks of 16 bits",
            ["(0, 0)"],
            "registers 0-63 take elements 0-63",
        ),
        (
            ["--operand", "B", "--shape", "32x256"],
            "32 rows x 16 columns x 2 blocks of 16 bits, packed",
            ["(0, 0)", "(0, 128)"],
            "registers 0-63 take elements 0-15, 32-47, 16-31, 48-63",
        ),
        (
            ["--operand", "B", "--shape", "32x256", "--transposed"],
            "32 rows x 8 columns x 1 block of 32 bits, transposed",
            ["(0, 0)", "(16, 0)", "(0, 128)", "(16, 128)"],
            "registers 0-31 take elements 0-1, 4-5, 8-9, 12-13, 16-17, 20-21, 24-25, 28-29, "
            "2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31",
        ),
    ],
)
def test_block_loads_of_the_document(
    capsys: pytest.CaptureFixture[str],
    operand: list[str],
    configuration: str,
    messages: list[str],
    shuffle: str,
) -> None:
    out = output(capsys, *GEMM, *operand)
    titles = [line for line in out.splitlines() if line.startswith("Block load tile layout")]
    assert titles == [
        "Block load tile layout:",
        "Block load tile layout after adding iterations:",
        "Block load tile layout after adding loads:",
    ]
    tail = out[out.index("Configuration: ") :]
    assert tail.startswith(
        f"Configuration: {configuration}\nMessages: {len(messages)}\n"
        + "".join(f" - message {n} at {at}\n" for n, at in enumerate(messages))
    )
    assert f" - message 0: {shuffle}\n" in tail


BITS = {"f32": 32, "tf32": 32, "f16": 16, "i8": 8}


def test_messages_bring_every_element_to_the_lane_and_register_that_dpas_reads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = Random(3)
    loaded = 0
    for _ in range(60):
        operand = source.choice("ABC")
        dtype = source.choice(("f32", "f16") if operand == "C" else ("tf32", "f16", "i8"))
        rows, columns = source.choice((16, 64, 256)), source.choice((16, 64, 256))
        warps, rep = (
            f"{source.choice((1, 2, 4))}x{source.choice((1, 2, 4))}" for _ in range(2)
        )
        transposed = source.random() < 0.4
        arguments = [
            *GEMM[:3],
            "--dtype",
            dtype,
            "--operand",
            operand,
            "--shape",
            f"{rows}x{columns}",
        ]
        arguments += ["--warps", warps, "--rep", rep, "--json", *["--transposed"] * transposed]
        if main(arguments) != 0:
            assert capsys.readouterr().err.count("\n") == 1
            continue
        data = json.loads(capsys.readouterr().out)
        loaded += 1
        wanted = LinearLayout.from_bases(
            dict(data["layout"]["in"]), dict(data["layout"]["out"]), require_surjective=False
        )
        configuration = data["configuration"]
        width = configuration["columns"] * configuration["element_bits"] // BITS[dtype]
        message = block_load_layout(
            rows=configuration["rows"],
            columns=width,
            blocks=configuration["blocks"],
            element_bits=BITS[dtype],
            packed=configuration["packed"],
            transposed=configuration["transposed"],
        )
        filled: list[int] = []
        for part in data["messages"]:
            filled += part["registers"]
            for register, element in zip(part["registers"], data["shuffle"], strict=True):
                for lane in range(16):
                    row, column, block = message.apply(
                        {"register": element, "lane": lane}
                    ).values()
                    at = (row, column + block * width)
                    place = {"register": register, "lane": lane, "warp": 0, "block": 0}
                    expected = tuple(wanted.apply(place).values())
                    found = zip(
                        part["offset"], reversed(at) if transposed else at, strict=True
                    )
                    assert tuple(map(sum, found)) == expected, arguments
        assert sorted(filled) == list(range(wanted.in_dim_size("register")))
    assert loaded > 30


def test_block_loads_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, *GEMM, "--operand", "B", "--shape", "32x256", "--json")
    data = cast("dict[str, dict[str, object] | list[object]]", json.loads(out))
    assert data["configuration"] == {
        "rows": 32, "columns": 16, "blocks": 2, "element_bits": 16, "packed": True, "transposed": False,
    }  # fmt: skip
    assert [cast("dict[str, object]", m)["offset"] for m in data["messages"]] == [
        [0, 0],
        [0, 128],
    ]
    assert data["shuffle"] == [*range(16), *range(32, 48), *range(16, 32), *range(48, 64)]
    messages = cast("list[dict[str, list[int]]]", data["messages"])
    assert [m["registers"] for m in messages] == [[*range(64)], [*range(64, 128)]]
    assert list(cast("dict[str, object]", data["stages"])) == ["tile", "iterations", "loads"]


def test_drawings_are_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    svg, page = tmp_path / "b.svg", tmp_path / "b.html"
    assert main([*GEMM, "--operand", "B", "--shape", "32x256", "--svg", str(svg), "--html", str(page)]) == 0  # fmt: skip
    told = [line.rpartition(" (")[0] for line in capsys.readouterr().err.splitlines()]
    assert told == [f"xetile-layout: wrote {path}" for path in (svg, page)]
    assert svg.read_text().count('class="panel"') == 2
    assert page.read_text().startswith("<!DOCTYPE html>")
    out = tmp_path / "view.txt"
    assert main(["-l", BLOCKED, "-t", "tensor<4x2xf32>", "-o", str(out)]) == 0
    assert capsys.readouterr() == (
        "",
        f"xetile-layout: wrote {out} ({out.stat().st_size} bytes)\n",
    )
    assert out.read_text().endswith(SMALL)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--json"], "must specify the tensor type argument -t, such as tensor<256x32xf16>"),
        (["-l", BLOCKED], "must specify the tensor type argument -t"),
        (["-t", "tensor<4x2xf32>"], "a layout is needed: -l ATTRIBUTE"),
        (["-t", "vector<4xf32>", "-l", BLOCKED], "'vector<4xf32>' is no tensor type"),
        (["-t", "tensor<4x2xfoo>", "-l", BLOCKED], "element type 'foo' is not known"),
        (["-t", "tensor<4x3xf32>", "-l", BLOCKED], "shape [4, 3] must hold powers of two"),
        (["-t", "tensor<4xf32>", "-l", BLOCKED], "a blocked layout of rank 2 does not fit the shape [4]"),
        (["-t", "tensor<4xf32>", "-l", "#ttg.amd_mfma<{}>"], "layout #ttg.amd_mfma is not supported"),
        (["-t", "tensor<4xf32>", "-i", "/no/such/file"], "cannot read '/no/such/file'"),
        (["--bases", "["], "--bases is no JSON"),
        (["--bases", "[]"], "--bases must be an object"),
        (["--bases", '{"lane": [1]}'], "--bases: 'lane' must be a list of lists of integers"),
        (["--bases", "[" * 100000], "--bases is no JSON"),
        (["--bases", '{"lane": [[4]]}', "-t", "tensor<4xf32>"], "invalid basis 4 at position 0 of in-dim 'lane'"),
        (["-t", "tensor<1048576x1048576xf32>", "-l", BLOCKED], "is too large to show; at most 4194304 of each"),
        (["-t", "tensor<4xf32>", "-l", "#ttg.slice<{parent = " * 100], "expected at most 64 values inside of one another"),
        (["-t", "tensor<4xf32>", "-l", f"#ttg.slice<{{dim = {'9' * 5000}}}>"], "expected a number of at most 18 digits"),
        (["-t", "tensor<4xf32>", "-l", "#ttg.blocked<{order = ["], "expected a value at character 23, found the end"),
        (["blockload"], "unknown command 'blockload'; did you mean 'block-load'?"),
        (["--view", "nothing"], "argument --view: invalid choice: 'nothing'"),
        (["block-load", "--json"], "the following arguments are required: --dtype"),
        (["dpas", "--dtype", "f16"], "the following arguments are required: --operand"),
        (["dpas", "--dtype", "f64", "--operand", "A", "--device", "bmg"], "DPAS of bmg has no operand A of type f64"),
        (["dpas", "--dtype", "f16", "--operand", "A", "--device", "bmg", "--shape", "12x16"], "operand a of shape [12, 16] is not made of DPAS operands of [8, 16]"),
        (["dpas", "--dtype", "f16", "--operand", "A", "--device", "bmg", "--shape", "1048576x1048576"], "the tile takes 68719476736 registers in each lane, at most 65536"),
        (["dpas", "--dtype", "f16", "--operand", "A", "--device", "bmg", "--repeat-count", "3"], "repeat_count = 3 of DPAS must be one of 1, 2, 4, 8"),
        ([*GEMM, "--operand", "A", "--shape", "256x32", "--tables", "--json"], "--tables are text"),
        (["-l", UNEVEN, "-t", "tensor<3x8xf16>", "--view", "matrix"], "no matrix of a map of 3x8 elements to 3x2 subgroups in units of 1x2"),
        (["-l", UNEVEN, "-t", "tensor<5x8xf16>"], "extent 5 of dimension 0 has 5 units of sg_data 1 for 3 subgroups"),
        ([*GEMM, "--operand", "B", "--shape", "32"], "'32' must be ROWSxCOLUMNS, such as 32x256"),
        ([*GEMM, "--operand", "B", "--shape", "24x256"], "must be powers of two"),
        (["block-load", "--device", "a770", "--dtype", "f16", "--operand", "B", "--shape", "32x32"], "unknown device 'a770'; known are pvc, bmg"),
        (["block-load", "--device", "bmg", "--dtype", "f64", "--operand", "A", "--shape", "32x32"], "DPAS of bmg has no operand A of type f64; it has f16, bf16, tf32, i8"),
        ([*GEMM, "--operand", "B", "--shape", "8x8"], "shape 8x8 is smaller than operand B of one DPAS on f16, 16x16"),
        ([*GEMM, "--operand", "A", "--shape", "1048576x1048576"], "the tile takes 8589934592 registers in each lane, at most 65536"),
        (["block-load", "--device", "bmg", "--dtype", "f16", "--operand", "A", "--shape", "32x32", "--repeat-count", "9"], "repeatCount = 9 of DPAS must be one of 1, 2"),
        ([*GEMM, "--operand", "A", "--shape", "256x32", "--mask", "8x8"], "no block message fits operand A of f16 under a mask of 8x8"),
        ([*GEMM, "--operand", "A", "--shape", "256x32", "--mask", "8x12"], "a mask's constancy [8, 12] must hold a power of two"),
        (["block-load", "--device", "bmg", "--dtype", "f16", "--operand", "A", "--shape", "32x32", "--repeat-count", "3"], "repeatCount = 3: the rows of operand A are no power of two"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("xetile-layout: error: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_drawing_that_cannot_be_written_leaves_no_output(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    missing = str(tmp_path / "no" / "folder.svg")
    assert main(["-l", BLOCKED, "-t", "tensor<4x2xf32>", "--svg", missing]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"cannot write '{missing}'" in captured.err
