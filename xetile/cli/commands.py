"""The commands by name, with what each is for."""

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "opt": "run passes on IR, as mlir-opt does",
    "compile": "make SPIR-V, binaries, assembly or a lower level of kernels; explain and count",
    "run": "execute kernels on numpy or a device, and compare results",
    "kernel": "write the IR of a kernel that is there already: gemm, softmax, ...",
    "layout": "show linear layouts: who holds which element, conversions, messages, bank conflicts",
    "explore": "write a page of every level of a kernel, linked down to the device's instructions",
    "demo": "show the main job once: a GEMM from tiles to SPIR-V, executed on the way; copy the examples",
}


def listing() -> str:
    """A line for each command."""
    wide = max(len(name) for name in COMMANDS)
    lines = [f"xetile-{name:{wide}}  {words}" for name, words in COMMANDS.items()]
    return "\n".join([*lines, "", "each has --help; `python -m xetile NAME ...` runs one too"])
