"""Kernels whose tiles are reached without 2D block messages: the same bits at subgroup level, in blocks and in XeGPU."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray
from support.subgroup import Argument, fresh, kernel, run
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

LEVELS: tuple[LevelName, ...] = ("blocked", "xegpu")
Array = NDArray[Any]


def check(
    body: str,
    arguments: Sequence[Argument],
    mlir_opt: Path,
    *,
    more: str = "",
    below: Sequence[LevelName] = (),
) -> ModuleOp:
    """Execute a body as it is written, then below: the bits that it left are expected there; what XeGPU has of it.

    `more` stands behind the parameters, as workgroup attributions do; `below` are further levels that it reaches.
    """
    text = kernel(body, arguments).replace(") kernel", f"){more} kernel")
    arrays = [fresh(argument.before) for argument in arguments]
    execute(parse(text), "k", arrays, sanitize=True)
    expected = [
        Argument(a.name, a.type, a.before, after)
        for a, after in zip(arguments, arrays, strict=True)
    ]
    assert any((a.before != a.after).any() for a in expected), "nothing was stored"
    _, lowered, *_ = (
        run(text, expected, lambda m, to=level: lower(context(), m, to, "bmg"))
        for level in (*LEVELS, *below)
    )
    assert not any(name.startswith("xetile.") for name in names(lowered))
    done = subprocess.run(
        [mlir_opt], input=str(lowered), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return lowered


def names(module: ModuleOp) -> list[str]:
    """The names of its ops, in order."""
    return [op.name for op in module.walk()]


def distinct(shape: Sequence[int], type: Any, seed: int = 0) -> Array:
    """Numbers of which a type holds each exactly."""
    return numpy.random.default_rng(seed).integers(0, 100, shape).astype(type)
