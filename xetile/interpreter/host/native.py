"""LLVM IR text as a function of this process, compiled by the LLVM in llvmlite."""

import platform
from functools import lru_cache
from importlib import import_module
from typing import Any

from xetile.errors import XetileError

FUNCTION = "loop"
"""The name of the one function of a text."""


class Native:
    """Machine code: `address` is the start of the function; it is valid as long as this object exists."""

    def __init__(self, text: str) -> None:
        binding = _binding()
        machine = _target_machine()
        module = binding.parse_assembly(text)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()
        tuning = binding.create_pipeline_tuning_options(speed_level=2)
        builder = binding.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        self._engine = binding.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        self.address = int(self._engine.get_function_address(FUNCTION))
        if not self.address:
            raise XetileError("LLVM made no code of a loop")


def _binding() -> Any:
    """Return LLVM's module; its Python names have no types."""
    return import_module("llvmlite.binding")


@lru_cache(maxsize=1)
def has_half_conversions() -> bool:
    """Return True if this processor converts f16, so that LLVM calls no library for it."""
    if platform.machine() in ("aarch64", "arm64"):
        return True
    return bool(_binding().get_host_cpu_features().get("f16c"))


def _target_machine() -> Any:
    """Return a new target machine for this processor; an engine takes ownership of it."""
    binding = _binding()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=2,
        jit=True,
    )
