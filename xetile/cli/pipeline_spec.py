"""The ways in which a pipeline is written on a command line, all brought into xDSL's `-p` syntax.

- `--PASS` and `--PASS="opt=value opt=value"`, in order, as mlir-opt takes them;
- `--pass-pipeline='builtin.module(gpu.module(a,b{opt=value}))'`: the passes here work on whole modules, so
  the anchors are read and dropped;
- `-p 'a,b{opt=value}'`, xDSL's own.

All of them together make one pipeline, in the order of the command line.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from xetile.advice import hint
from xetile.errors import XetileError, warn

if TYPE_CHECKING:
    from xdsl.passes import ModulePass
    from xdsl.utils.arg_spec import ArgSpec
    from xdsl.utils.target import Target

PASSES_OPTIONS = ("-p", "--passes")
PIPELINE_OPTION = "--pass-pipeline"
_OPENING = {"(": ")", "{": "}", "[": "]"}


def collect_pipeline(
    arguments: Sequence[str], passes: Collection[str]
) -> tuple[list[str], list[str]]:
    """Take the passes out of the arguments: the remaining arguments, and the pipeline's pieces.

    Each piece is a list of passes in xDSL's syntax.
    Errors: XetileError for an option without its value and unbalanced parentheses.
    """
    rest: list[str] = []
    pieces: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        option, equals, value = argument.partition("=")
        if option in PASSES_OPTIONS or option == PIPELINE_OPTION:
            if not equals:
                value = next(waiting, None)
            if value is None:
                raise XetileError(f"argument {option}: expected a list of passes")
            pieces.append(flatten_anchors(value) if option == PIPELINE_OPTION else value)
        elif argument.startswith("-p") and not argument.startswith("--"):
            pieces.append(argument[2:])
        elif option.startswith("--") and option[2:] in passes:
            pieces.append(option[2:] + (f"{{{value}}}" if value.strip() else ""))
        else:
            rest.append(argument)
    return rest, [piece for piece in pieces if piece.strip()]


_WHOLE = ("builtin.module", "any")
"""Anchors that say what happens."""


def flatten_anchors(pipeline: str) -> str:
    """The passes of a nested pipeline in order, without the ops that they are anchored on; these are warned of."""
    return ",".join(_flatten(pipeline))


def _flatten(pipeline: str) -> list[str]:
    passes: list[str] = []
    for element in _split(pipeline):
        anchor, opened, inside = element.partition("(")
        if "{" in anchor or "[" in anchor or not opened:
            passes.append(element)
        elif inside.endswith(")"):
            if anchor.strip() not in _WHOLE:
                told = f"the anchor '{anchor.strip()}' has no effect: passes run on the whole module"
                warn(None, told)
            passes.extend(_flatten(inside[:-1]))
        else:
            raise XetileError(
                f"pass pipeline: '{element}' has text behind its closing parenthesis"
            )
    return passes


def _split(pipeline: str) -> list[str]:
    """The parts between commas that stand in no bracket and no string."""
    parts = [""]
    closing: list[str] = []
    for character in pipeline:
        if closing and closing[-1] == '"':
            if character == '"':
                closing.pop()
        elif character == '"':
            closing.append('"')
        elif character in _OPENING:
            closing.append(_OPENING[character])
        elif character in _OPENING.values() and (not closing or closing.pop() != character):
            raise XetileError(f"pass pipeline: unmatched '{character}' in '{pipeline}'")
        if character == "," and not closing:
            parts.append("")
        else:
            parts[-1] += character
    if closing:
        raise XetileError(f"pass pipeline: missing '{closing[-1]}' in '{pipeline}'")
    return [part.strip() for part in parts if part.strip()]


def parse_passes(
    specification: str, available: "dict[str, Callable[[], type[ModulePass]]]"
) -> "tuple[ModulePass, ...]":
    """The passes of a pipeline in xDSL's syntax.

    Errors: XetileError for malformed text, an unknown pass, unknown, missing and ill-typed options.
    """
    if not specification:
        return ()
    from xdsl.utils.arg_spec import parse_pipeline
    from xdsl.utils.exceptions import ArgSpecParseError

    try:
        specs = tuple(parse_pipeline(specification))
    except ArgSpecParseError as error:
        if empty := re.search(r"([\w-]+)=\s*(?=[,}\s]|$)", specification):
            raise XetileError(
                f"pass pipeline '{specification}': the option '{empty[1]}' has no value behind '='"
            ) from error
        reason = str(error).splitlines()[-1].strip()
        raise XetileError(
            f"pass pipeline '{specification}': {reason.lower()}; write it as PASS,PASS{{OPTION=VALUE}}"
        ) from error
    return tuple(_make_pass(spec, available) for spec in specs)


_FLAGS_OF_MLIR = (
    "--print-op-generic, --print-no-properties, --print-debuginfo, --syntax-highlight"
)


def check_target(specification: str, available: "Mapping[str, Callable[..., object]]") -> None:
    """Refuse what `-t` cannot print as: an unknown name, malformed or unknown options."""
    name, opened, _ = specification.partition("{")
    if name not in available:
        known = ", ".join(available)
        raise XetileError(
            f"unknown target '{name}'; expected one of {known}{hint(name, available)}"
        )
    if not opened:
        return
    if name == "mlir":  # xDSL 0.74 reads them and takes the flags
        raise XetileError(f"target 'mlir' takes no options; its flags are {_FLAGS_OF_MLIR}")
    from dataclasses import fields
    from inspect import signature

    from xdsl.utils.arg_spec import parse_spec
    from xdsl.utils.exceptions import ArgSpecParseError

    form = f"write it as {name}{{OPTION=VALUE}}"
    try:
        given = parse_spec(specification).normalize_parameter_names().parameters
    except ArgSpecParseError as error:
        reason = str(error).splitlines()[-1].strip().lower()
        raise XetileError(f"target '{specification}': {reason}; {form}") from error
    made = None if signature(available[name]).parameters else available[name]()
    legal = (
        [f.name.replace("_", "-") for f in fields(cast("type[Target]", made))] if made else []
    )
    for option in given:
        written = option.replace("_", "-")
        if written not in legal:
            raise XetileError(
                f"target '{name}' has no option '{written}'; its options: {', '.join(legal) or 'none'}"
                + hint(written, legal)
            )


def _make_pass(
    spec: "ArgSpec", available: "dict[str, Callable[[], type[ModulePass]]]"
) -> "ModulePass":
    if spec.name not in available:
        raise XetileError(f"unknown pass '{spec.name}'{hint(spec.name, available)}")
    kind = available[spec.name]()
    spec = _switched_on(spec, kind)
    _check_options(spec, kind)
    try:
        return kind.from_pass_spec(spec)
    except ValueError as error:
        raise XetileError(f"pass '{spec.name}': {error}") from error


def _switched_on(spec: "ArgSpec", kind: "type[ModulePass]") -> "ArgSpec":
    """The same with `true` for switches that are named without a value, as mlir-opt takes them."""
    from dataclasses import replace

    from xdsl.passes import get_pass_option_infos

    switches = {i.name for i in get_pass_option_infos(kind) if i.expected_type == "bool"}
    parameters = {
        name: values or ((True,) if name.replace("-", "_") in switches else values)
        for name, values in spec.parameters.items()
    }
    return replace(spec, parameters=parameters)


_SIMPLE_OPTIONS = {
    "int": (int, "a whole number"),
    "int|None": (int, "a whole number"),
    "bool": (bool, "true or false"),
    "str": (str, "one word"),
    "str|None": (str, "one word"),
}
"""By the type that xDSL names: the one type of a value, and what to say of it."""


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_options(spec: "ArgSpec", kind: "type[ModulePass]") -> None:
    """Refuse unknown and missing options, and values of another type, in words of the command line."""
    from xdsl.passes import get_pass_option_infos

    legal = {info.name: info.expected_type for info in get_pass_option_infos(kind)}
    given = spec.normalize_parameter_names().parameters
    names = ", ".join(name.replace("_", "-") for name in legal) or "none"
    for name in given:
        if name not in legal:
            raise XetileError(
                f"pass '{spec.name}' has no option '{name}'; its options: {names}"
                + hint(name.replace("_", "-"), names.split(", "))
            )
    for name in sorted(kind.required_fields() - given.keys()):
        raise XetileError(f"pass '{spec.name}' needs the option '{name}' ({legal[name]})")
    for name, values in given.items():
        kind_of_value, legal_values = _SIMPLE_OPTIONS.get(legal[name], (object, ""))
        if legal_values and [type(value) for value in values] != [kind_of_value]:
            found = ",".join(_written(value) for value in values) or "without a value"
            option = name.replace("_", "-")
            if option == "device":
                from xetile.targets import names as devices

                legal_values = f"one of {', '.join(devices())}"
            raise XetileError(
                f"pass '{spec.name}': option '{option}' is {found}, expected {legal_values}"
            )
