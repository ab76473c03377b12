"""lit's configuration: run `lit test` from the project's folder.

Features: `mlir-opt`, `ocloc`, `opencl`, `spirv-val`, present where the tool is. Substitutions: `%mlir-opt`, `%ocloc`,
`%spirv-val`, `%examples`; `FileCheck` is LLVM's where one is found (it starts faster), else the Python one.
"""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import lit.formats

from xetile.runtime.devices import cpu_library
from xetile.toolchain.paths import find_mlir_opt, find_ocloc, find_spirv_val

here = Path(__file__).resolve().parent

config.name = "xetile"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = str(here)
config.test_exec_root = os.environ.get("XETILE_LIT_OUTPUT", str(here.parent / "build" / "lit"))
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "data", "Inputs"]

# the interpreter that runs lit is the one whose console scripts are under test
path = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# whatever copy is installed there, this folder's is tested
config.environment["PYTHONPATH"] = str(here.parent)
for variable in (
    "XETILE_OCLOC",
    "XETILE_MLIR_OPT",
    "XETILE_SPIRV_VAL",
    "XETILE_CACHE",
    "XDG_CACHE_HOME",
    "HOME",
):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
# whatever the tests execute is watched for races on shared memory
config.environment["XETILE_SANITIZE"] = os.environ.get("XETILE_SANITIZE", "1")

oracles = {"mlir-opt": find_mlir_opt(), "ocloc": find_ocloc(), "spirv-val": find_spirv_val()}
required = os.environ.get("XETILE_REQUIRE_ORACLES", "").split()
for name, tool in oracles.items():
    if tool is not None:
        config.available_features.add(name)
        config.substitutions.append((f"%{name}", str(tool)))
    elif name in required:
        lit_config.fatal(f"required and not installed: {name}")

if find_spec("pyopencl") is not None and cpu_library() is not None:
    config.available_features.add("opencl")
elif "opencl" in required:
    lit_config.fatal("required and not installed: opencl")

versions = [f"FileCheck-{version}" for version in range(24, 13, -1)]
file_check = next(filter(None, map(shutil.which, ["FileCheck", *versions])), "filecheck")
config.substitutions.append((r"(?<![-\w/%])FileCheck(?![-\w])", file_check))
config.substitutions.append(("%examples", str(here.parent / "examples")))
