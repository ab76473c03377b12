"""The notations of a pipeline on a command line, all converted to xDSL's `-p` syntax.

- `--PASS` and `--PASS="opt=value opt=value"`, in order, as mlir-opt accepts them;
- `--pass-pipeline='builtin.module(gpu.module(a,b{opt=value}))'`, with anchors, which mean what they mean to mlir-opt:
  the passes in `gpu.module(...)` run on each op of that name directly in the module, one after the other;
- `-p 'a,b{opt=value}'`, xDSL's own.

Flags and `-p` make one pipeline on the module, in the order of the command line; `--pass-pipeline` excludes both.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from xetile.advice import hint
from xetile.digits import is_python_limit, longest_number
from xetile.errors import XetileError

if TYPE_CHECKING:
    from xdsl.passes import ModulePass
    from xdsl.utils.arg_spec import ArgSpec
    from xdsl.utils.target import Target

ANY = "any"
"""The anchor of every op that passes may run on."""

PASSES_OPTIONS = ("-p", "--passes")
PIPELINE_OPTION = "--pass-pipeline"
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_WITH_OPTIONS = re.compile(r"([\w-]+)\{([^}]*)\}")
_OPENING = {"(": ")", "{": "}", "[": "]"}


class Nested(NamedTuple):
    """Steps that run on one op after the other: those directly inside that are named `anchor`, or all for `any`."""

    anchor: str
    steps: "tuple[ModulePass | Nested, ...]"


Step: TypeAlias = "ModulePass | Nested"
"""A step of a pipeline."""


def collect_pipeline(
    arguments: Sequence[str], passes: Collection[str]
) -> tuple[list[str], list[str]]:
    """Separate the passes from the arguments; return the remaining arguments and the pipeline's pieces.

    Each piece is a list of passes in xDSL's syntax, and of anchors with such lists in parentheses.
    Raise XetileError for an option without its value, unbalanced parentheses, misplaced anchors, and passes in addition
    to a whole pipeline.
    """
    rest: list[str] = []
    pieces: list[str] = []
    options: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        option, equals, value = argument.partition("=")
        if option in PASSES_OPTIONS or option == PIPELINE_OPTION:
            if not equals:
                value = next(waiting, None)
            if value is None:
                raise XetileError(f"argument {option}: expected a list of passes")
            pieces.append(_on_module(value) if option == PIPELINE_OPTION else _flat(value))
        elif argument.startswith("-p") and not argument.startswith("--"):
            pieces.append(_flat(argument[2:]))
        elif option.startswith("--") and option[2:] in passes:
            pieces.append(option[2:] + (f"{{{value}}}" if value.strip() else ""))
        else:
            rest.append(argument)
            continue
        options.append(option if option.startswith("--") else "-p")
    _refuse_beside_whole(options)
    return rest, [piece for piece in pieces if piece.strip()]


def _refuse_beside_whole(options: Sequence[str]) -> None:
    """Raise for options that mlir-opt rejects with `--pass-pipeline`; of two of these it would drop the first."""
    if options.count(PIPELINE_OPTION) > 1:
        raise XetileError(f"{PIPELINE_OPTION} is given twice; write one pipeline")
    beside = next((option for option in options if option != PIPELINE_OPTION), None)
    if PIPELINE_OPTION in options and beside is not None:
        raise XetileError(
            f"{PIPELINE_OPTION} says the whole pipeline, which {beside} would be beside; write the pass into it"
        )


_WHOLE = ("builtin.module", ANY)
"""Anchors of a whole program."""


def _on_module(pipeline: str) -> str:
    """Return the content of a pipeline's outer anchor; one without anchors, an error in mlir-opt, is the module's."""
    elements = _split(pipeline)
    if not elements:
        raise XetileError(
            f"{PIPELINE_OPTION}: expected passes, such as builtin.module(cse), found '{pipeline}'"
        )
    if not any(_anchor_of(element) for element in elements):
        return pipeline
    anchor, _, inside = elements[0].partition("(")
    if len(elements) > 1:
        raise XetileError(
            f"{PIPELINE_OPTION}: expected one anchor around the whole pipeline; "
            f"write builtin.module({','.join(elements)})"
        )
    _check_closed(elements[0])
    if anchor.strip() not in _WHOLE:
        raise XetileError(
            f"{PIPELINE_OPTION}: the pipeline is anchored on '{anchor.strip()}' and cannot run on 'builtin.module'; "
            f"write builtin.module({elements[0]})"
        )
    return inside[:-1]


def _flat(pipeline: str) -> str:
    """Return a pipeline in xDSL's syntax; raise if it has anchors."""
    for element in _split(pipeline):
        if _anchor_of(element):
            raise XetileError(
                f"pass pipeline '{pipeline}': anchors belong to {PIPELINE_OPTION}; "
                f"write {PIPELINE_OPTION}='builtin.module({element})'"
            )
    return pipeline


def _anchor_of(element: str) -> str:
    """Return the op that an element of a pipeline is anchored on, or an empty string if it is a pass."""
    anchor, opened, _ = element.partition("(")
    return "" if not opened or "{" in anchor or "[" in anchor else anchor.strip()


def _check_closed(element: str) -> None:
    if not element.endswith(")"):
        raise XetileError(
            f"pass pipeline: '{element}' has text behind its closing parenthesis"
        )


def _split(pipeline: str) -> list[str]:
    """Return the parts between commas that are not inside brackets or strings."""
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
    named = [part.strip() for part in parts]
    if len(named) > 1 and "" in named:
        raise XetileError(f"pass pipeline: no pass stands beside a comma in '{pipeline}'")
    return [part for part in named if part]


def parse_steps(
    specification: str, available: "dict[str, Callable[[], type[ModulePass]]]"
) -> "tuple[Step, ...]":
    """Return the steps of a pipeline: passes in xDSL's syntax, and anchors with their steps in parentheses.

    Raise XetileError as `parse_passes` does.
    """
    steps: list[Step] = []
    for element in _split(specification):
        anchor = _anchor_of(element)
        if not anchor:
            steps.extend(parse_passes(element, available))
            continue
        _check_closed(element)
        inside = element.partition("(")[2][:-1]
        if not inside.strip():
            raise XetileError(f"pass pipeline: no pass stands in '{element}'")
        steps.append(Nested(anchor, parse_steps(inside, available)))
    return tuple(steps)


def pass_names(steps: "Iterable[Step]") -> Iterator[str]:
    """Yield the names of all passes that steps run."""
    for step in steps:
        if isinstance(step, Nested):
            yield from pass_names(step.steps)
        else:
            yield step.name


def parse_passes(
    specification: str, available: "dict[str, Callable[[], type[ModulePass]]]"
) -> "tuple[ModulePass, ...]":
    """Return the passes of a pipeline in xDSL's syntax.

    Raise XetileError for malformed text, an unknown pass, unknown, missing and ill-typed options.
    """
    if not specification:
        return ()
    from xdsl.utils.arg_spec import parse_pipeline
    from xdsl.utils.exceptions import ArgSpecParseError

    try:
        specs = tuple(parse_pipeline(specification))
    except ValueError as error:
        raise _too_many_digits("pass pipeline", specification, error) from error
    except ArgSpecParseError as error:
        if empty := re.search(r"([\w-]+)=\s*(?=[,}\s]|$)", specification):
            raise XetileError(
                f"pass pipeline '{specification}': the option '{empty[1]}' has no value behind '='"
            ) from error
        reason = str(error).splitlines()[-1].strip()
        raise XetileError(
            f"pass pipeline '{specification}': {reason.lower()}; write it as PASS,PASS{{OPTION=VALUE}}"
        ) from error
    _refuse_twice(specification)
    return tuple(_make_pass(spec, available) for spec in specs)


def _refuse_twice(specification: str) -> None:
    """Raise if an option of a pass is given twice; xDSL would use the last."""
    for name, options in _WITH_OPTIONS.findall(_STRING.sub('""', specification)):
        seen: set[str] = set()
        for option in (written.partition("=")[0] for written in options.split()):
            meant = option.replace("-", "_")
            if meant in seen:
                raise XetileError(
                    f"pass '{name}': the option '{option}' is given twice; write it once"
                )
            seen.add(meant)


def _too_many_digits(where: str, specification: str, error: ValueError) -> XetileError:
    """Return the error for numbers that are too long, which xDSL leaves to Python to read."""
    assert is_python_limit(error), error
    return XetileError(f"{where}: {longest_number(specification)[1]}")


_FLAGS_OF_MLIR = (
    "--print-op-generic, --print-no-properties, --print-debuginfo, --syntax-highlight"
)


def check_target(specification: str, available: "Mapping[str, Callable[..., object]]") -> None:
    """Raise if `-t` names an unknown target, or has malformed or unknown options."""
    name, opened, _ = specification.partition("{")
    if name not in available:
        known = ", ".join(available)
        raise XetileError(
            f"unknown target '{name}'; expected one of {known}{hint(name, available)}"
        )
    if not opened:
        return
    if name == "mlir":  # xDSL 0.75 reads them and takes the flags
        raise XetileError(f"target 'mlir' takes no options; its flags are {_FLAGS_OF_MLIR}")
    from dataclasses import fields
    from inspect import signature

    from xdsl.utils.arg_spec import parse_spec
    from xdsl.utils.exceptions import ArgSpecParseError

    form = f"write it as {name}{{OPTION=VALUE}}"
    try:
        given = parse_spec(specification).normalize_parameter_names().parameters
    except ValueError as error:
        raise _too_many_digits(f"target '{name}'", specification, error) from error
    except ArgSpecParseError as error:
        reason = str(error).splitlines()[-1].strip().lower()
        raise XetileError(f"target '{specification}': {reason}; {form}") from error
    made = None if signature(available[name]).parameters else available[name]()
    legal = (
        [f.name.replace("_", "-") for f in fields(cast("type[Target]", made))] if made else []
    )
    _refuse_unknown(f"target '{name}'", [option.replace("_", "-") for option in given], legal)


def _refuse_unknown(owner: str, given: Iterable[str], legal: Collection[str]) -> None:
    """Raise for options, as they are written, that a target or a pass does not have."""
    for option in given:
        spelled = option.replace("_", "-")
        if spelled not in legal:
            raise XetileError(
                f"{owner} has no option '{option}'; its options: {', '.join(legal) or 'none'}"
                + hint(spelled, legal)
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
    """Return the same spec with `true` for switches that are named without a value, as mlir-opt accepts them."""
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
"""For each type that xDSL names: the Python type of a value, and its description."""


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_options(spec: "ArgSpec", kind: "type[ModulePass]") -> None:
    """Raise for unknown and missing options, and for values of another type, in terms of the command line."""
    from xdsl.passes import get_pass_option_infos

    legal = {info.name: info.expected_type for info in get_pass_option_infos(kind)}
    given = spec.normalize_parameter_names().parameters
    names = [name.replace("_", "-") for name in legal]
    _refuse_unknown(f"pass '{spec.name}'", spec.parameters, names)
    for name in sorted(kind.required_fields() - given.keys()):
        option = name.replace("_", "-")
        raise XetileError(f"pass '{spec.name}' needs the option '{option}' ({legal[name]})")
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
