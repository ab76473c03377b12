"""LLVM's SPIR-V back end, called in this process or run as a program: `python llvm_process.py IN.ll OUT.spv`.

It needs nothing but llvmlite, so that a separate process starts quickly.
"""

import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Thread

_BINDING = "llvmlite.binding"

EXTENSIONS = (
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_min_max",
)
"""Extensions of SPIR-V that modules may need; a module declares one only if it uses it."""


def begin_loading() -> None:
    """Make another thread load LLVM, which takes a tenth of a second, most of it outside of Python.

    A thread that needs LLVM while it is loaded waits for the rest.
    """
    if _BINDING not in sys.modules:
        Thread(target=_load).start()


def _load() -> None:
    with suppress(ImportError):  # code that needs it gets the error
        import_module(_BINDING)


@cache
def _allow_extensions() -> None:
    """Set the back end's option, once for a process; it rejects a second time."""
    from llvmlite import binding

    names = ",".join(f"+{name}" for name in EXTENSIONS)
    binding.set_option("", f"--spirv-ext={names}")


def compile_text(text: str) -> bytes:
    """Return the SPIR-V of LLVM IR text, which names its triple.

    Raise RuntimeError if LLVM rejects the text; on some errors LLVM ends the process.
    """
    from llvmlite import binding

    _allow_extensions()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    module = binding.parse_assembly(text)
    module.verify()
    target = binding.Target.from_triple(module.triple)
    machine = target.create_target_machine(opt=2, codemodel="default")
    module.data_layout = str(machine.target_data)
    return machine.emit_object(module)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(compile_text(Path(sys.argv[1]).read_text()))
