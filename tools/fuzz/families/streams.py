"""Standard streams of processes: strange bytes to read, places to write that are closed, full or broken."""

from random import Random

from tools.fuzz.case import MAIN_FILE, Case, Streams
from tools.fuzz.corpus import executable, host_programs
from tools.fuzz.families.commands import GEMM

FRESH = 0.05
"""How many processes start Python anew: nearly a second each."""

_MARK = b"\xef\xbb\xbf"


def make(random: Random) -> Case:
    """A call whose streams are not as usual."""
    source = random.choice(executable() + host_programs()).encode()
    streams = Streams(
        input=random.choice(("given",) * 6 + ("closed",)),
        output=random.choice(("kept",) * 4 + ("closed", "full", "full", "broken")),
        errors=random.choice(("kept",) * 5 + ("closed", "full", "broken")),
        fresh=random.random() < FRESH,
    )
    files = {MAIN_FILE: source, "out": b"old"}
    tool, arguments = random.choice(
        (
            ("xetile-opt", ()), ("xetile-opt", ("-",)), ("xetile-opt", ("-", "-o", "out")), ("xetile-opt",
            (MAIN_FILE,)),
            ("xetile-opt", ("--split-input-file",)), ("xetile-opt", ("--list-passes",)), ("xetile-opt",
            ("--help",)),
            ("xetile-opt", ("--version",)), ("xetile-opt", (MAIN_FILE, "--mlir-print-ir-after-all", "--cse",
            "--mlir-timing")),
            ("xetile-compile", ("-", "--emit", "xegpu")), ("xetile-compile", ("-", "--emit", "spirv", "-o", "-")),
            ("xetile-compile", (MAIN_FILE, "--emit", "spirv", "-o", "out")), ("xetile-run", ("-", "--entry",
            "main")),
            ("xetile-run", (MAIN_FILE, "--entry", "main")), ("xetile-run", ("-", "--arg", "int")),
            ("xetile-kernel", GEMM),
            ("xetile-layout", ("-i", "-", "-t", "tensor<32x32xf16>")), ("xetile-layout", ("--help",)),
        )
    )  # fmt: skip
    return Case(tool, arguments, files, input=_bytes(random, source), streams=streams)


def _bytes(random: Random, source: bytes) -> bytes:
    place = random.randrange(len(source))
    return random.choice(
        (
            source, source, b"", b"\n", _MARK + source, _MARK, source.decode().encode("utf-16"),
                random.randbytes(200),
            source[:place], source[:place] + b"\xc3", source[:place] + b"\0" + source[place:],
                b"// " + b"x" * 1_000_000 + b"\n" + source,
            source.replace(b"\n", b"\r\n"), source.replace(b"\n", b"\r"), source + b"\x1a",
                source[:place] + b"\xff\xfe" + source[place:],
            b"(" * 20_000, b"module {" * 3_000, source.replace(b"%", "%é".encode()), source * 20,
                b"\x1f\x8b\x08" + source,
        )
    )  # fmt: skip
