"""Compiling one source for one device, for the command's single and batch forms."""

import json
from typing import TYPE_CHECKING, NamedTuple, cast

from xetile.batch.outputs import LAST, UPPER, Options

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.api import Kind

Counts = dict[str, dict[str, float]]
"""Instruction counts by kernel; for the keys see toolchain/assembly.py."""


class Compiled(NamedTuple):
    """Code, its launch contract as JSON, and instruction counts; the latter two are None unless requested."""

    code: str | bytes
    contract: str | None
    statistics: Counts | None


def compile_text(
    text: str, name: str, device: str | None, options: Options, *, with_contract: bool
) -> Compiled:
    """Compile a module's text at any level into what `options` ask for; messages call it `name`.

    `with_contract` asks for the launch contract, if this kind of output has one.
    Raise XetileError as `xetile.lower` and `emit` do.
    """
    from xetile.api import parse_text

    module = parse_text(text, name)
    if options.emit in UPPER:
        code, lowered = _upper_ir(module, device, options), module
    else:
        from xetile.codegen import lower_to_llvm

        lowered = lower_to_llvm(
            module, device, kernel=options.kernel, assume=options.assume, unroll=options.unroll
        )
        code = _code(lowered, device, options)
    counts = _statistics(lowered, device, options) if options.statistics else None
    has_contract = with_contract and options.has_contract
    contract = _contract(module, lowered, device, options) if has_contract else None
    return Compiled(code, contract, counts)


def _upper_ir(module: "ModuleOp", device: str | None, options: Options) -> str:
    """Return the IR of a level above the llvm dialect."""
    from xetile.api import lower, text

    if options.kernel is not None:
        from xetile.codegen import only_kernel

        module = only_kernel(module, options.kernel)
    to = options.emit
    return text(
        lower(module, to=to, device=device, assume=options.assume, unroll=options.unroll)
    )


def _code(lowered: "ModuleOp", device: str | None, options: Options) -> str | bytes:
    if options.emit == LAST:
        from xetile.api import text

        return text(lowered)
    from xetile.codegen import emit

    return emit(lowered, cast("Kind", options.emit), device, grf=options.grf)


def _contract(
    module: "ModuleOp", lowered: "ModuleOp", device: str | None, options: Options
) -> str:
    from xetile.codegen.contract import contract_of, device_otherwise

    otherwise = device_otherwise(module)
    return as_json(contract_of(lowered, device, grf=options.grf, otherwise=otherwise))


def _statistics(module: "ModuleOp", device: str | None, options: Options) -> Counts:
    from xetile.codegen import statistics

    return statistics(module, device, grf=options.grf, kernel=options.kernel)


def of_one_or_by_kernel(counts: Counts) -> dict[str, float] | Counts:
    """Return the counts to print: those of the only kernel, or by kernel if there are several."""
    return next(iter(counts.values())) if len(counts) == 1 else counts


def as_json(value: object) -> str:
    """Return JSON as files have it: with line breaks, two spaces a level."""
    return json.dumps(value, indent=2) + "\n"
