"""Command lines: flags combined, doubled, misspelled, with wrong values; files that are missing, empty, folders."""

from collections.abc import Mapping, Sequence
from random import Random

from tools.fuzz.case import MAIN_FILE, Case
from tools.fuzz.corpus import executable, host_programs, readable
from tools.fuzz.families.calls import DEVICES, EMITTED, PASSES
from tools.fuzz.families.tokens import mutate_tokens

Flags = Mapping[str, Sequence[str] | None]
"""A tool's flags, each with values that it may be given, right and wrong ones; None for those without."""

_NUMBERS = ("0", "1", "-1", "8", "16", "64", "1e3", "", "x", "99999999999999999999", "0x10", "١", "1_000", " 1 ", "nan")
_FILES = ("out", "out.txt", "-", "", "folder", "no/such/folder/out", "/dev/null", "/dev/full", "in.mlir", "ü.txt", "a b", "a" * 300)
_INPUTS = (MAIN_FILE, MAIN_FILE, MAIN_FILE, MAIN_FILE, "other.mlir", "empty", "missing.mlir", "folder", "binary", "-", "", "/dev/null")
_NAMES = ("main", "copy", "nobody", "", "@main", "product", "π", "a.b", "%x")
_DEVICES = (*DEVICES, "lnl", "PVC", "", "dg2", "b mg", "pvc,bmg")
_ALL_PASSES = (*PASSES, "--mlir", "--mlir-opt", "--dce", "--xetile-to-llvm", "--xetile-to-xevm", "--xetile-blokcing", "--licm")
_PIPELINES = ("canonicalize", "builtin.module(cse)", "xetile-blocking{device=bmg}", "xetile-blocking{device=}", "a,b", "", "{", "cse{",
              "xetile-blocking{nothing=1}", "builtin.module(gpu.module(xetile-blocking))", "mlir{x}", "canonicalize,,cse", "cse{a=\"b}")  # fmt: skip
_PAIRS = ("32x32", "8x16", "256x256", "0x0", "x", "8", "8x16x3", "-8x16", "8X16", "99999999999x1", "1e1x2", "")
_ELEMENTS = ("f16", "bf16", "f32", "i8", "tf32", "f64", "i4", "f8E4M3FN", "", "half", "index", "i1", "f16x2")
_TENSORS = ("tensor<32x32xf16>", "tensor<64x64xbf16>", "tensor<8x16xi8>", "tensor<0x4xf32>", "tensor<f16>", "", "tensor<3x5xf32>",
            "tensor<999999999999x2xf32>", "memref<4xf32>", "tensor<4x4xf16, #ttg.blocked<{sizePerThread=[1,1]}>>")  # fmt: skip
_LAYOUTS = ("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 8], warpsPerCTA = [2, 1], order = [1, 0]}>",
            "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>",
            "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", "#xegpu.layout<sg_layout = [2, 2], sg_data = [16, 16]>",
            "#xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>", "#ttg.slice<{dim = 0, parent = #ttg.blocked<{}>}>", "", "#")  # fmt: skip

OPT: Flags = {
    "--allow-unregistered-dialect": None, "--no-implicit-module": None, "--split-input-file": None, "--split-input-file=": None,
    "--split-input-file=gpu": None, "-p": _PIPELINES, "--passes": _PIPELINES, "--pass-pipeline": _PIPELINES,
    "--dump-pass-pipeline": None, "--mlir-timing": None, "--time-passes": None, "--mlir-print-ir-before-all": None,
    "--mlir-print-ir-after-all": None, "--mlir-print-ir-after-change": None, "--mlir-print-ir-after-failure": None,
    "--mlir-print-ir-before": ("cse", "nobody", ""), "--mlir-print-ir-after": ("cse", "xetile-blocking", "nobody"),
    "--print-between-passes": None, "-o": _FILES, "--output-file": _FILES, "-t": ("mlir", "nothing", "", "mlir{", "mlir{a=1}"),
    "--target": ("mlir", "Mlir"), "--print-op-generic": None, "--mlir-print-op-generic": None, "--print-debuginfo": None,
    "--mlir-print-debuginfo": None, "--print-no-properties": None, "--mlir-print-local-scope": None,
    "--output-split-marker": ("", "// -----", "é"), "--syntax-highlight": None, "--verify-diagnostics": None,
    "--verify-diagnostics=all": None, "--verify-diagnostics=some": None, "--verify-diagnostics=only-expected": None,
    "--parsing-diagnostics": None, "--verify-each": ("true", "0", "maybe", ""), "--verify-roundtrip": None,
    "--list-passes": None, "--show-pass": ("cse", "xetile-blocking", "--xetile-blocking", "nobody", "mlir"), "--show-dialects": None, "--no-snippets": None,
    "--version": None, "--help": None, "-f": ("mlir", "c"), "--frontend": ("mlir",), "--debug": None,
}  # fmt: skip
COMPILE: Flags = {
    "--device": _DEVICES, "--emit": (*EMITTED, *EMITTED, "zebin", "asm", "xetile", "", "LLVM"), "-o": _FILES, "--kernel": _NAMES,
    "--grf": ("small", "large", "huge"), "--stats": None, "--stats=stats.json": None, "--no-snippets": None, "--version": None, "--help": None, "--debug": None,
}  # fmt: skip
RUN: Flags = {
    "--kernel": _NAMES, "--entry": _NAMES, "--seed": _NUMBERS, "--grid": ("1,1,1", "2,1,1", "0,1,1", "1,1", "a,b,c", "", "-1,1,1", "99999,99999,99999"),
    "--arg": ("int", "zeros", "ones", "normal", "iota", "3", "-1.5", "nan", "1e400", "good.npy", "empty.npy", "binary", "", "INT", "99999999999999999999", "missing.npy"),
    "--against": _INPUTS, "--tolerance": ("bits", "0", "1e-3", "-1", "x", "nan", "inf", ""), "--sanitize": None, "--no-sanitize": None, "--no-snippets": None,
    "--out": ("results", "in.mlir", "folder", "", "/dev/null/x", "a/b/c"), "--version": None, "--help": None, "--debug": None,
}  # fmt: skip
KERNEL: Flags = {
    "--m": _NUMBERS, "--n": _NUMBERS, "--k": _NUMBERS, "--a": _ELEMENTS, "--b": _ELEMENTS, "--acc": _ELEMENTS, "--c": _ELEMENTS,
    "--wg": _PAIRS, "--sg": _PAIRS, "--k-step": _NUMBERS, "--prefetch": _NUMBERS, "-o": _FILES, "--version": None, "--help": None,
    "--debug": None,
}  # fmt: skip
_OUTPUTS: Flags = {"--json": None, "--svg": _FILES, "--html": _FILES, "-o": _FILES}
LAYOUT: Flags = {
    **_OUTPUTS, "-l": _LAYOUTS, "-i": (*_INPUTS, "aliases"), "-alias-names": ("a", "a,b", "", ","), "-t": _TENSORS, "-use-hw-view": None,
    "--bases": ('{"register": [[0, 1]], "lane": [[1, 0]]}', "{}", "[", '{"register": 1}', '{"a": [[1e9]]}', '{"lane": [[0, 0], [3]]}', '{"x": [[9999999999999]]}'),
    "--view": ("bases", "hardware", "tensor", "matrix", "all"), "--subgroup": None, "--version": None, "--help": None, "--debug": None,
}  # fmt: skip
BLOCK_LOAD: Flags = {
    **_OUTPUTS, "--device": _DEVICES, "--dtype": _ELEMENTS, "--operand": ("A", "B", "C", "a"), "--shape": _PAIRS, "--warps": _PAIRS,
    "--rep": _PAIRS, "--repeat-count": _NUMBERS, "--transposed": None, "--mask": _PAIRS, "--help": None, "--debug": None,
}  # fmt: skip
WGMMA: Flags = {
    **_OUTPUTS, "--dtype": _ELEMENTS, "--major": ("K", "MN", "N"), "--swizzle": ("0", "32", "64", "128", "7"), "--shape": _PAIRS,
    "--leading": _NUMBERS, "--stride": _NUMBERS, "--start": _NUMBERS, "--base-offset": _NUMBERS, "-l": _LAYOUTS, "-t": _TENSORS,
    "--operand": ("A", "B", "C"), "--descriptor": _NUMBERS, "--help": None, "--debug": None,
}  # fmt: skip
GEMM = ("gemm", "--m", "64", "--n", "64", "--k", "64", "--a", "f16", "--acc", "f32", "--wg", "64x64", "--sg", "32x32", "--k-step", "32")
UNTRIED = {"--disable-verify", "--shrink"}
"""Flags that ask for what wrong input does unchecked, and one that is for another tool."""

_LISTED = "#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [1, 1], order = [1, 0]}>\n"


def make(random: Random) -> Case:
    """A call with up to five flags."""
    tool = random.choices(("opt", "compile", "run", "kernel", "layout"), (3, 3, 4, 2, 3))[0]
    arguments = _MAKERS[tool](random)
    if random.random() < 0.1:
        arguments = _spoiled(random, arguments)
    source = random.choice(executable() + host_programs())
    files = {
        MAIN_FILE: source.encode(), "other.mlir": random.choice(readable()).encode(), "empty": b"", "folder/inside": b"x",
        "binary": random.randbytes(64), "out": b"old", "good.npy": _npy(), "empty.npy": b"", "aliases": _LISTED.encode(),
    }  # fmt: skip
    return Case(f"xetile-{tool}", tuple(arguments), files, input=source.encode())


def flags(random: Random, table: Flags, most: int = 5) -> list[str]:
    """Some flags of a tool with values; those that only answer a question are rare."""
    rare = {"--help", "--version", "--list-passes", "--show-dialects", "--show-pass", "--debug"}
    names = [name for name in table if name not in rare or random.random() < 0.05]
    arguments: list[str] = []
    for name in random.choices(names, k=random.randrange(most + 1)):
        values = table[name]
        if values is None:
            arguments.append(name)
        elif name.startswith("--") and random.random() < 0.2:
            arguments.append(f"{name}={random.choice(values)}")
        else:
            arguments += [name, random.choice(values)]
    return arguments


def _input(random: Random, arguments: list[str]) -> list[str]:
    """With none, one or two files, before or behind the flags."""
    for _ in range(random.choices((0, 1, 2), (1, 20, 1))[0]):
        arguments.insert(random.choice((0, len(arguments))), random.choice(_INPUTS))
    return arguments


def _opt(random: Random) -> list[str]:
    passes = random.sample(_ALL_PASSES, random.choice((0, 0, 1, 2)))
    return _input(random, flags(random, OPT, 4) + passes)


def _compile(random: Random) -> list[str]:
    return _input(random, flags(random, COMPILE))


def _run(random: Random) -> list[str]:
    given = ["--arg", "int"] * random.choice((0, 0, 1, 2, 3))
    return _input(random, given + flags(random, RUN))


def _kernel(random: Random) -> list[str]:
    start = [*GEMM] if random.random() < 0.7 else [random.choice(("gemm", "conv", ""))]
    return start + flags(random, KERNEL, 3)


def _layout(random: Random) -> list[str]:
    match random.randrange(5):
        case 0:
            start = ["block-load", "--dtype", "f16", "--operand", "A", "--shape", "32x32"]
            return start + flags(random, BLOCK_LOAD, 4)
        case 1:
            return ["wgmma", "--dtype", "bf16", "--major", "K", "--shape", "64x64"] + flags(random, WGMMA, 4)
        case 2:
            return ["convert", _attribute(random), _attribute(random), "-t", random.choice(_TENSORS)] + flags(random, _OUTPUTS, 2)
        case 3:
            return ["-l", _attribute(random), "-t", random.choice(_TENSORS)] + flags(random, LAYOUT, 2)
        case _:
            return flags(random, LAYOUT)


def _attribute(random: Random) -> str:
    text = random.choice(_LAYOUTS)
    return mutate_tokens(random, text) if text and random.random() < 0.5 else text


def _spoiled(random: Random, arguments: Sequence[str]) -> list[str]:
    """With an argument dropped, doubled, moved or misspelled."""
    spoiled = list(arguments) or ["--"]
    place = random.randrange(len(spoiled))
    match random.randrange(5):
        case 0:
            del spoiled[place]
        case 1:
            spoiled.insert(place, spoiled[place])
        case 2:
            random.shuffle(spoiled)
        case 3:
            spoiled[place] = spoiled[place][:-1]
        case _:
            spoiled.insert(place, random.choice(("--", "-", "---x", "-x", "--nobody", "@file", "\udcff", "--help=1")))
    return spoiled


def _npy() -> bytes:
    from io import BytesIO

    import numpy

    stream = BytesIO()
    numpy.save(stream, numpy.arange(1024, dtype=numpy.float16).reshape(32, 32))
    return stream.getvalue()


_MAKERS = {"opt": _opt, "compile": _compile, "run": _run, "kernel": _kernel, "layout": _layout}
