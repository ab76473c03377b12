"""What `--version` of every tool prints: ours, xDSL's, LLVM's, and the outside tools that were found."""

import argparse
from collections.abc import Sequence
from pathlib import Path


def version_text(program: str) -> str:
    """The versions, one per line."""
    from importlib import import_module
    from importlib.metadata import version

    from xetile import __version__
    from xetile.toolchain.paths import find_mlir_opt, find_ocloc, find_spirv_val, mlir_version

    mlir_opt = find_mlir_opt()
    binding = import_module("llvmlite.binding")
    llvm = ".".join(str(part) for part in binding.llvm_version_info)
    return "\n".join(
        [
            f"{program} {__version__}",
            f"xDSL {version('xdsl')}",
            f"LLVM {llvm} (llvmlite {version('llvmlite')})",
            _tool("mlir-opt", mlir_opt, mlir_version(mlir_opt) if mlir_opt else None),
            _bindings(),
            _tool("ocloc", find_ocloc()),
            _tool("spirv-val", find_spirv_val()),
        ]
    )


def _bindings() -> str:
    """The Python bindings of MLIR; those of another version, or without the library that they need, are not used."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    from xetile.toolchain.mlir import has_bindings

    spec = find_spec("mlir")
    if spec is None:
        return _tool("MLIR bindings", None)
    where = next(iter(spec.submodule_search_locations or ()), None)
    try:
        number = version("mlir-python-bindings")
    except PackageNotFoundError:  # a folder on the module path
        number = "of unknown version"
    line = _tool("MLIR bindings", Path(where or "mlir"), number)
    return line if has_bindings() else f"{line}, not usable"


def _tool(name: str, path: Path | None, version: str | None = None) -> str:
    if path is None:
        return f"{name} not found"
    return f"{name} {version} ({path})" if version else f"{name} ({path})"


class VersionAction(argparse.Action):
    """Prints the versions and leaves."""

    def __init__(
        self, option_strings: Sequence[str], dest: str, help: str | None = None
    ) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        print(version_text(parser.prog))
        parser.exit()
