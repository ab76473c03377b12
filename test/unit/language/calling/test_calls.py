"""A call after a change of what the kernel reads computes with the new value, on numpy and of kept code."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HELPERS = """
FACTOR = 2.0

def scale(x, by=2.0):
    return by * FACTOR / 2.0
"""

KERNEL = """
from dataclasses import dataclass, field

import numpy as np
import xetile.language as xt
import helpers_of_calls as helpers
from helpers_of_calls import scale

NUMBER = 2.0
SIZES = [2.0]
TABLE = {"a": [2.0]}
WEIGHTS = np.array([2.0])


class Settings:
    by = 2.0

    def __init__(self):
        self.own = 2.0


@dataclass(frozen=True)
class Config:
    by: float = 2.0
    held: list = field(default_factory=lambda: [2.0])

    def factor(self):
        return self.by


SETTINGS, CONFIG = Settings(), Config()


def made(by):
    def change(to):
        nonlocal by
        by = to

    @xt.kernel
    def kernel(X, Y, *, N=None):
        Y[0:8, 0:16] = X[0:8, 0:16] * (READ)

    return kernel, change


kernel, change_cell = made(2.0)
"""

CHANGES = {
    "global number": ("NUMBER", "NUMBER = 3.0"),
    "global list": ("SIZES[0]", "SIZES[0] = 3.0"),
    "list in a dictionary": ("TABLE['a'][0]", "TABLE['a'][0] = 3.0"),
    "attribute of a global": ("SETTINGS.own", "SETTINGS.own = 3.0"),
    "attribute of a class": ("Settings.by", "Settings.by = 3.0"),
    "attribute of the class of a global": ("SETTINGS.by", "Settings.by = 3.0"),
    "closure cell": ("by", "change_cell(3.0)"),
    "default of a helper": ("scale(1)", "scale.__defaults__ = (3.0,)"),
    "helper": ("scale(1)", "scale = lambda x: 3.0"),
    "code of a helper": ("scale(1)", "scale.__code__ = (lambda x, by: 3.0).__code__"),
    "global of a helper": ("scale(1)", "helpers.FACTOR = 3.0"),
    "attribute of a module": ("helpers.FACTOR", "helpers.FACTOR = 3.0"),
    "function of a module": ("helpers.scale(1)", "helpers.scale = lambda x: 3.0"),
    "name of a module that is passed on": (
        "getattr(helpers, 'FACTOR')",
        "helpers.FACTOR = 3.0",
    ),
    "array": ("float(WEIGHTS[0])", "WEIGHTS[0] = 3.0"),
    "dataclass": ("CONFIG.by", "CONFIG = Config(3.0)"),
    "list of a dataclass": ("CONFIG.held[0]", "CONFIG.held[0] = 3.0"),
    "method of a dataclass": ("CONFIG.factor()", "Config.factor = lambda self: 3.0"),
    "name of Python": ("max(2.0, 1.0)", "max = lambda *_: 3.0"),
}

CONSTANTS = {
    "number": ("N", "2.0", "3.0"),
    "list": ("N[0]", "SIZES", "SIZES.__setitem__(0, 3.0) or SIZES"),
    "array": ("float(N[0])", "WEIGHTS", "WEIGHTS.__setitem__(0, 3.0) or WEIGHTS"),
    "another array": ("float(N[0])", "np.full(1, 2.0)", "np.full(1, 3.0)"),
    "dataclass": ("N.by", "Config(2.0)", "Config(3.0)"),
    "method": (
        "N.factor()",
        "CONFIG",
        "setattr(Config, 'factor', lambda self: 3.0) or CONFIG",
    ),
    "attribute": ("N.own", "SETTINGS", "setattr(SETTINGS, 'own', 3.0) or SETTINGS"),
    "function": ("N()", "lambda: 2.0", "lambda: 3.0"),
    "class": ("N.by", "Settings", "setattr(Settings, 'by', 3.0) or Settings"),
    "sign of zero": ("2.0 if str(N) == '0.0' else 3.0", "0.0", "-0.0"),
    "type": ("2.0 if isinstance(N, bool) else 3.0", "True", "1"),
}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write the two modules, with what the kernel reads, and import them."""
    monkeypatch.setenv("XETILE_CACHE", str(tmp_path / "kept"))

    def write(read: str) -> Any:
        texts = {"helpers_of_calls": HELPERS, "kernel_of_calls": KERNEL.replace("READ", read)}
        for name, text in texts.items():
            path = tmp_path / f"{name}.py"
            path.write_text(text)
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, name, module)
            spec.loader.exec_module(module)
        return sys.modules["kernel_of_calls"]

    return write


def factor(kernel: Any, **constants: object) -> float:
    """What a call multiplies by; the code that is kept has to be of the same IR."""
    ones, found = np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)
    kernel(ones, found, grid=(1,), **constants)
    return float(found[0, 0])


@pytest.mark.parametrize(("read", "change"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_noticed(written: Any, read: str, change: str):
    module = written(read)
    assert factor(module.kernel) == factor(module.kernel) == 2.0
    exec(change, module.__dict__)
    assert factor(module.kernel) == factor(module.kernel) == 3.0


@pytest.mark.parametrize(("read", "first", "second"), CONSTANTS.values(), ids=CONSTANTS)
def test_constants_are_told_apart(written: Any, read: str, first: str, second: str):
    module = written(read)
    before = eval(first, module.__dict__)
    assert factor(module.kernel, N=before) == factor(module.kernel, N=before) == 2.0
    after = eval(second, module.__dict__)
    assert factor(module.kernel, N=after) == factor(module.kernel, N=after) == 3.0


def test_a_change_compiles_other_code(written: Any):
    import xetile.language as xt

    module = written("NUMBER * SIZES[0]")
    types = xt.f32[8, 16], xt.f32[8, 16]

    def compiled() -> bytes:
        return module.kernel.specialize(*types, grid=(1,)).compile("bmg").spirv

    first = compiled()
    module.SIZES[0] = 3.0
    other = compiled()
    module.SIZES[0] = 2.0
    assert compiled() == first != other
