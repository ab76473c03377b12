"""From an XeGPU text to SPIR-V by upstream's own programs: mlir-opt 22 alone, or with opt-22 and llc-22 behind it.

`stock` is `gpu-lower-to-xevm-pipeline` as it is. `block-loads` is the list of its passes with upstream's own
`xegpu-optimize-block-loads` among them, which transposes elements of 16 bits and is not in the list. `scalarized` takes
the pipeline's LLVM bitcode through `opt -passes=scalarizer`: llc cannot legalize vectors of more than 16 elements.
"""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from xetile.errors import XetileError
from xetile.toolchain.paths import MLIR_VERSION, find_mlir_opt
from xetile.toolchain.sandbox import Outcome, ending, run

Level = Literal["workgroup", "subgroup"]
Route = Literal["stock", "block-loads", "scalarized", "block-loads scalarized"]

SECONDS = 60.0
CHIPS = ("pvc", "bmg")
"""The chips of which upstream has tables."""

_SCALARIZER = "function(scalarizer<load-store;min-bits=256>,instcombine)"
_EXTENSIONS = "+SPV_INTEL_cache_controls,+SPV_INTEL_variable_length_array,+SPV_KHR_bfloat16"


def to_spirv(text: str, level: Level, route: Route, device: str) -> bytes:
    """The SPIR-V that upstream makes.

    Errors: XetileError with the program's first complaint, or when a program is missing.
    """
    mlir_opt = find_mlir_opt()
    if mlir_opt is None:
        raise XetileError(
            "mlir-opt 22 is needed and not installed; name it in XETILE_MLIR_OPT"
        )
    chip = device if device in CHIPS else CHIPS[-1]
    ends_in = "llvm" if "scalarized" in route else "bin"
    with TemporaryDirectory(prefix="xetile-") as name:
        folder = Path(name)
        (folder / "kernel.mlir").write_text(text)
        option = (
            _with_block_loads(level, chip, ends_in)
            if "block-loads" in route
            else f"--gpu-lower-to-xevm-pipeline=xegpu-op-level={level} zebin-chip={chip} binary-format={ends_in}"
        )
        printed = _output([mlir_opt, "kernel.mlir", option], folder)
        code = _object(printed)
        if ends_in == "bin":
            return code
        (folder / "kernel.bc").write_bytes(code)
        _output(
            [program("opt"), "kernel.bc", f"-passes={_SCALARIZER}", "-o", "scalar.bc"], folder
        )
        _output(
            [
                program("llc"),
                "-mtriple=spirv64-unknown-unknown",
                "-O2",
                f"--spirv-ext={_EXTENSIONS}",
                "--filetype=obj",
                "scalar.bc",
                "-o",
                "kernel.spv",
            ],
            folder,
        )
        return (folder / "kernel.spv").read_bytes()


def program(name: str) -> Path:
    """A program of LLVM 22."""
    found = shutil.which(f"{name}-{MLIR_VERSION}")
    if found is None:
        raise XetileError(f"{name}-{MLIR_VERSION} is needed and not installed")
    return Path(found)


def _output(command: Sequence[str | Path], folder: Path) -> str:
    outcome = run(command, folder=folder, seconds=SECONDS)
    if outcome.status:
        raise XetileError(f"{Path(command[0]).name}: {_complaint(outcome)}")
    return outcome.output


def _complaint(outcome: Outcome) -> str:
    """The first line that names what is wrong, without its place."""
    lines = [line for line in outcome.errors.splitlines() if "error" in line.lower()]
    if not lines:
        return ending(outcome)
    return re.sub(r"^.*?error: *", "", lines[0], flags=re.IGNORECASE).strip()


def _object(printed: str) -> bytes:
    """The code in the `gpu.binary` of a module."""
    _, _, objects = printed.partition("gpu.binary")
    # a target may have strings too, such as its chip
    texts = re.findall(r'"((?:[^"\\]|\\.)*)"', objects)
    if not texts:
        raise XetileError("mlir-opt: printed no gpu.binary")
    return unescaped(max(texts, key=len))


_ESCAPES = {"\\": 0x5C, '"': 0x22, "n": 0x0A, "t": 0x09}


def unescaped(escaped: str) -> bytes:
    """A string of MLIR without its escapes."""
    code = bytearray()
    for part in re.finditer(r'\\([0-9A-F]{2})|\\([\\"nt])|([^\\]+)', escaped):
        hexadecimal, letter, plain = part.groups()
        if hexadecimal:
            code.append(int(hexadecimal, 16))
        elif letter:
            code.append(_ESCAPES[letter])
        else:
            code += plain.encode()
    return bytes(code)


def _with_block_loads(level: Level, chip: str, ends_in: str) -> str:
    inside = [
        "xegpu-wg-to-sg-distribute",
        "cse",
        "xegpu-propagate-layout{layout-kind=inst}",
        "xegpu-blocking",
        "canonicalize",
        "cse",
    ]
    lanes = [
        "xegpu-propagate-layout{layout-kind=lane}",
        "xegpu-optimize-block-loads",
        "canonicalize",
        "cse",
        "xegpu-subgroup-distribute",
        "canonicalize",
        "cse",
        "loop-invariant-code-motion",
        "cse",
        "xegpu-vector-linearize",
        "convert-math-to-xevm{convert-arith=true}",
        "convert-xegpu-to-xevm",
        "convert-gpu-to-llvm-spv{use-64bit-index=true}",
        "cse",
        "reconcile-unrealized-casts",
    ]
    kernel = [*(inside if level == "workgroup" else ()), *lanes]
    passes = [
        "cse",
        "convert-vector-to-scf{full-unroll=false lower-scalable=false lower-tensors=false target-rank=1}",
        f"xevm-attach-target{{O=2 chip={chip} triple=spirv64-unknown-unknown}}",
        "lower-affine",
        "func.func(gpu-async-region)",
        *(f"gpu.module({one})" for one in kernel),
        "convert-scf-to-cf",
        "expand-strided-metadata",
        "gpu-to-llvm{use-bare-pointers-for-host=false use-bare-pointers-for-kernels=false}",
        "lower-affine",
        "convert-vector-to-llvm",
        "convert-to-llvm",
        "reconcile-unrealized-casts",
        "gpu.module(canonicalize)",
        "gpu.module(cse)",
        f"gpu-module-to-binary{{format={ends_in}}}",
    ]
    return f"--pass-pipeline=builtin.module({','.join(passes)})"
