"""Errors of xDSL's verifiers, rewritten to name the operand, its type, and the legal types.

It also explains why an op does not find a symbol: it does not exist, or is in another table.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import FunctionType, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute
from xdsl.irdl import (
    AllOf,
    AnyOf,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    ParamAttrConstraint,
    VarConstraint,
)
from xdsl.traits import SymbolTable

from xetile.advice import counterpart, hint
from xetile.complaints.parsing import plain
from xetile.errors import Note, notes_at


def unseen_symbol(op: Operation, name: str) -> tuple[str, tuple[Note, ...]]:
    """Return a message and notes on a symbol that is not found; similar names come from the whole program."""
    *_, outermost = (op, *_around(op))
    known: dict[str | None, Operation] = {}
    for one in outermost.walk():
        known.setdefault(_symbol_name(one), one)
    found = known.get(name)
    if found is None:
        return f"there is no symbol '@{name}'{hint(name, list(filter(None, known)), '@')}", ()
    here, there = _table(op), _table(found)
    where = _called(here)
    if there in _around(here):
        says = f"'@{name}' stands outside of {where}, where '{op.name}' looks for it; put it there"
    else:
        says = f"'@{name}' stands in {_called(there)}, '{op.name}' looks for it in {where}; put it there"
    return says, notes_at(found, f"'@{name}' is here")


def _around(op: Operation) -> Iterator[Operation]:
    while (outer := op.parent_op()) is not None:
        yield outer
        op = outer


def _table(op: Operation) -> Operation:
    """Return the op in whose symbol table an op's references and its own name are."""
    return next((outer for outer in _around(op) if outer.has_trait(SymbolTable)), op)


def _symbol_name(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def _called(table: Operation) -> str:
    name = _symbol_name(table)
    return f"the {table.name}" + (f" '@{name}'" if name else "")


_TERMINATORS = {
    "func.func": "func.return",
    "gpu.func": "gpu.return",
    "llvm.func": "llvm.return",
    "scf.for": "scf.yield",
    "scf.if": "scf.yield",
    "scf.while": "scf.condition or scf.yield",
    "scf.parallel": "scf.reduce",
    "scf.forall": "scf.forall.in_parallel",
    "scf.index_switch": "scf.yield",
    "scf.execute_region": "scf.yield",
    "gpu.launch": "gpu.terminator",
    "memref.alloca_scope": "memref.alloca_scope.return",
    "vector.mask": "vector.yield",
    "linalg.generic": "linalg.yield",
}
"""The terminator of each op's body."""

_KINDS = {
    "builtin.integer_type": "an integer",
    "integer_type": "an integer",
    "index": "index",
    "vector": "a vector",
    "memref": "a memref",
    "tensor": "a tensor",
    "xetile.tile": "a tile",
    "integer": "a whole number",
    "float": "a number with a point",
    "string": "a string",
    "array": "a list in brackets",
    "unit": "no value",
    "symbol_ref": "a symbol such as @name",
}
"""Names of attributes for users, by xDSL's names."""


_LEGAL = {
    "CombiningKind": (
        *("add", "mul", "minui", "minsi", "minnumf", "minimumf"),
        *("maxui", "maxsi", "maxnumf", "maximumf", "and", "or", "xor"),
    )
}
"""The words of an enumeration, by xDSL's name for it."""


class Verdict(NamedTuple):
    """An error on an op, and notes on other places."""

    message: str
    notes: tuple[Note, ...] = ()


def verify_complaint(op: Operation, message: str) -> Verdict:
    """Rewrite the error of a verifier on an op."""
    line = plain(message)
    for pattern, answer in _ANSWERS:
        if match := re.search(pattern, line):
            return answer(op, match)
    return Verdict(line)


def unbuilt_complaint(name: str, message: str) -> str:
    """Rewrite an error on an op that could not be built: only its name is known."""
    line = plain(message)
    if match := re.fullmatch(r"unexpected attribute (.*)", line):
        other = counterpart(name)
        advice = f"; did you mean '{other}'?" if other else ""
        return f"'{name}' does not take {match[1]}{advice}"
    if match := re.fullmatch(r"(.*) should be of base attribute (.*)", line):
        return f"'{name}' has {match[1]} where {_kind(match[2])} is expected"
    if match := re.fullmatch(r"expected attribute (.*) but got (.*)", line):
        return f"'{name}' has {match[2]} where {match[1]} is expected"
    if match := re.fullmatch(r"'(.*)' is not a valid (\w+)Flag", line):
        legal = _LEGAL.get(match[2], ())
        listed = f"; legal are {', '.join(legal)}{hint(match[1], legal)}" if legal else ""
        return f"'{match[1]}' is no {_spaced(match[2])} of '{name}'{listed}"
    return line


def _spaced(name: str) -> str:
    """Return the name of a class as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _kind(name: str) -> str:
    return _KINDS.get(name, name)


# Operands and results.


def _argument(op: Operation, match: re.Match[str]) -> Verdict:
    """Report an operand, result or attribute of the wrong kind."""
    what, name, reason = match.groups()
    subject = f"{what} '{name}'"
    for pattern, answer in _REASONS:
        if found := re.fullmatch(pattern, plain(reason)):
            return Verdict(f"{subject} is {answer(found)}")
    if found := re.fullmatch(r"unexpected attribute (.*)", plain(reason)):
        return Verdict(f"{subject} is {found[1]}{_legal(op, what, name)}")
    return Verdict(f"{subject}: {plain(reason)}")


_REASONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"(.*) must be (.*)", lambda found: f"{found[1]}, expected {found[2]}"),
    (
        r"expected attribute (.*) but got (.*)",
        lambda found: f"{found[2]}, expected {found[1]}",
    ),
    (
        r"expected one of (.*), but got (.*)",
        lambda found: f"{found[2]}, expected one of {found[1]}",
    ),
    (
        r"(.*) should be of base attribute (.*)",
        lambda found: f"{found[1]}, expected {_kind(found[2])}",
    ),
    (
        r"(.*) should be of attribute subclassing '(.*)'",
        lambda found: f"{found[1]}, expected a {_spaced(found[2])}",
    ),
    (
        r"attribute (.*) expected from variable '.*', but got (.*)",
        lambda found: f"{found[2]}, expected {found[1]} as the operands and results before it",
    ),
)


def _legal(op: Operation, what: str, name: str) -> str:
    """Return the legal types of an operand or result, and the op to use for the type that it has."""
    other = counterpart(op.name)
    advice = f"; did you mean '{other}'?" if other else ""
    if not isinstance(op, IRDLOperation):
        return advice
    definition = op.get_irdl_definition()
    defined = dict(definition.operands if what == "operand" else definition.results)
    constraint = getattr(defined.get(name), "constr", None)
    legal = described(getattr(constraint, "constr", constraint))
    return (
        f", expected {legal}{advice}"
        if legal
        else f", which '{op.name}' does not take{advice}"
    )


def described(constraint: object) -> str:
    """Return the types that a constraint allows, in words, or an empty string if there are none for it."""
    match constraint:
        case MessageConstraint():
            return described(constraint.constr)
        case VarConstraint():
            return described(constraint.constraint)
        case EqAttrConstraint():
            return str(constraint.attr)
        case BaseAttr():
            return _kind(getattr(constraint.attr, "name", ""))
        case ParamAttrConstraint():
            return _parametrized(constraint)
        case AnyOf():
            parts = [
                described(one) for one in cast("Sequence[object]", constraint.attr_constrs)
            ]
            return " or ".join(dict.fromkeys(parts)) if all(parts) else ""
        case AllOf():
            parts = [
                described(one) for one in cast("Sequence[object]", constraint.attr_constrs)
            ]
            return next(filter(None, parts), "")
        case _:
            return ""


def _parametrized(constraint: ParamAttrConstraint[ParametrizedAttribute]) -> str:
    kind = _kind(constraint.base_attr.name)
    if kind not in ("a vector", "a tensor", "a memref"):
        return kind
    parts = [described(one) for one in constraint.param_constrs]
    elements = next(
        (part for part in parts if part in ("an integer", "index") or " or " in part), ""
    )
    return f"{kind} of {elements}" if elements else kind


# Bodies and their terminators.


def terminator_of(op: Operation | None) -> str:
    """Return the op that ends the body of an op, or an empty string if it is not known."""
    return "" if op is None else _TERMINATORS.get(op.name, "")


def _no_terminator(op: Operation, _: re.Match[str]) -> Verdict:
    outer = op.parent_op()
    end = terminator_of(outer)
    if outer is None or not end:
        return Verdict(f"'{op.name}' is the last op of a body, and no op that ends one")
    values = ", ".join(str(result.type) for result in outer.results) if "yield" in end else ""
    gives = f" of {values}" if values else ""
    block = op.parent_block()
    what = "block" if isinstance(block, Block) and _of_several(block) else "body"
    branch = " or a branch" if what == "block" else ""
    return Verdict(
        f"this {what} of '{outer.name}' ends with '{op.name}'; end it with '{end}'{gives}{branch}"
    )


def _of_several(block: Block) -> bool:
    return block.parent is not None and len(block.parent.blocks) > 1


def _empty_body(op: Operation, match: re.Match[str]) -> Verdict:
    end = _TERMINATORS.get(match[1])
    advice = f"; end it with '{end}'" if end else "; an op that ends it is missing"
    return Verdict(f"the body of '{match[1]}' is empty{advice}")


def _parent(op: Operation, match: re.Match[str]) -> Verdict:
    outer = op.parent_op()
    there = "" if outer is None else f", found '{outer.name}'"
    end = terminator_of(outer)
    advice = ""
    if op.name in _TERMINATORS.values():
        advice = f"; write '{end}'" if end else ""
    elif wanted := re.search(r"'([\w.]+)'$", match[0]):
        advice = f"; put it into a '{wanted[1]}'"
    return Verdict(f"{match[0]}{there}{advice}")


def _last(op: Operation, match: re.Match[str]) -> Verdict:
    after = op.next_op
    notes = () if after is None else notes_at(after, "this op stands behind it")
    return Verdict(match[0], notes)


def _from_outside(op: Operation, _: re.Match[str]) -> Verdict:
    message = f"a value from outside of '{op.name}' is used in its body, which sees its arguments alone"
    for inner in op.walk():
        for operand in inner.operands:
            if inner is not op and not op.is_ancestor(operand.owner):
                notes = (
                    *notes_at(inner, "used here"),
                    *notes_at(operand, "defined here"),
                )
                return Verdict(f"{message}; make it an argument", notes)
    return Verdict(f"{message}; make it an argument")


# Properties and counts.


def _missing_property(op: Operation, match: re.Match[str]) -> Verdict:
    return Verdict(f"'{op.name}' needs the {match[1]} '{match[2]}'")


def _unknown_property(op: Operation, match: re.Match[str]) -> Verdict:
    known: list[str] = []
    if isinstance(op, IRDLOperation):
        known = list(op.get_irdl_definition().properties)
    listed = ", ".join(known) or "none"
    advice = hint(match[1], known)
    return Verdict(
        f"'{op.name}' has no property '{match[1]}', its properties: {listed}{advice}"
    )


def _kind_of_attribute(op: Operation, match: re.Match[str]) -> Verdict:
    """Report an attribute of the wrong kind; xDSL's message names the classes but not the attribute."""
    return Verdict(f"an attribute of '{op.name}' is {match[1]}, expected {match[2]}")


def _symbol(op: Operation, match: re.Match[str]) -> Verdict:
    return Verdict(*unseen_symbol(op, match[1]))


def _listed(types: Iterable[Attribute]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def _call(op: Operation, match: re.Match[str]) -> Verdict:
    """Report a call whose operands or results differ from those of its function."""
    callee = op.get_attr_or_prop("callee")
    function = (
        SymbolTable.lookup_symbol(op, callee) if isinstance(callee, SymbolRefAttr) else None
    )
    type = None if function is None else function.get_attr_or_prop("function_type")
    if function is None or not isinstance(type, FunctionType):
        return Verdict(match[0])
    if (match[1] or match[2]) == "operand":
        found, takes, wanted = "gives " + _listed(op.operand_types), "takes", type.inputs
    else:
        found, takes, wanted = "takes " + _listed(op.result_types), "gives", type.outputs
    return Verdict(
        f"the call {found}, the function '{callee}' {takes} {_listed(wanted)}",
        notes_at(function, "defined here"),
    )


def _returned(op: Operation, match: re.Match[str]) -> Verdict:
    function = op.parent_op()
    type = None if function is None else function.get_attr_or_prop("function_type")
    if function is None or not isinstance(type, FunctionType):
        return Verdict(match[0])
    return Verdict(
        f"'{op.name}' gives {_listed(op.operand_types)}, the function's results are "
        f"{_listed(type.outputs)}",
        notes_at(function, "defined here"),
    )


def _count(op: Operation, match: re.Match[str]) -> Verdict:
    found = match[3].partition(" ")[0]
    what = match[2].rstrip("s")
    return Verdict(
        f"'{op.name}' has {found} {what}{'' if found == '1' else 's'}, expected {match[1]}"
    )


def _blocks(op: Operation, match: re.Match[str]) -> Verdict:
    return Verdict(f"the body '{match[1]}' of '{op.name}' has {match[2]} blocks, expected 1")


_ANSWERS: tuple[tuple[str, Callable[[Operation, re.Match[str]], Verdict]], ...] = (
    (
        r"^(operand|result) '(\w+)' at positions? \d+(?: to \d+)? does not verify: (.*)$",
        _argument,
    ),
    (
        r"^operation (\S+) terminates block in (?:single|multi)-block",
        _no_terminator,
    ),
    (r"^operation (\S+) contains empty block in single-block region", _empty_body),
    (r"^'[\w.]+' expects parent op.*$", _parent),
    (r"^'[\w.]+' must be the last operation in its parent block$", _last),
    (
        r"^operation using value defined out of its IsolatedFromAbove parent",
        _from_outside,
    ),
    (r"^(property|attribute) '(\w+)' expected in operation", _missing_property),
    (r"^property '(\w+)' is not defined by the operation", _unknown_property),
    (r"^(.+) where (.+) should stand$", _kind_of_attribute),
    (r"^'@(.+)' could not be found in symbol table$", _symbol),
    (
        r"^incorrect number of (operand|result)s for callee$|^(operand|result) type mismatch:.*$",
        _call,
    ),
    (
        r"^expected arguments to have the same types as the function output types.*$",
        _returned,
    ),
    (r"^expected ((?:at least )?\d+(?: or \d+)?) (\w+), but got (\d+.*)$", _count),
    (
        r"^region '(.*)' at position \d+ expected a single block, but got (\d+)",
        _blocks,
    ),
)
