"""Programs in generic form: operands, successors, regions and types of ops as the custom forms never write them."""

import re
from collections.abc import Callable
from random import Random

from tools.fuzz.case import Case
from tools.fuzz.corpus import everything, host_programs, parsed, readable
from tools.fuzz.families.calls import call_on, printed
from tools.fuzz.families.tokens import mutate_tokens

_OPERANDS = re.compile(r'("[\w.]+")\(([^()]*)\)')
_NAME = re.compile(r'"[a-z_]+\.[\w.]+"')
_SIGNATURE = re.compile(r" : \(([^()]*)\) -> (\([^()]*\)|[^()\s]+)")
_PROPERTIES = re.compile(r" ?<\{.*?\}>")
_SUCCESSORS = re.compile(r"\)\[(\^[^\]]*)\]")
_TYPE = re.compile(
    r"!?\w+(?:\.\w+)?<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>|\b(?:index|i\d+|b?f\d+)\b"
)


def make(random: Random) -> Case:
    """A call on a program whose generic form is changed."""
    source = random.choice(random.choice((everything, readable, host_programs))())
    module = parsed(source)
    text = None if module is None else printed(random, module, generic=1.0)
    if text is None:
        return call_on(random, mutate_tokens(random, source))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(_MUTATIONS)(random, text)
    return call_on(random, text)


def _somewhere(
    random: Random, pattern: re.Pattern[str], text: str, new: Callable[[re.Match[str]], str]
) -> str:
    """One match of the pattern replaced."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = random.choice(found)
    return text[: chosen.start()] + new(chosen) + text[chosen.end() :]


def _shuffled(random: Random, listed: str, others: list[str]) -> str:
    """A list with one part dropped, doubled, exchanged or moved."""
    parts = listed.split(", ") if listed else []
    match random.randrange(4):
        case 0 if parts:
            del parts[random.randrange(len(parts))]
        case 1 if others:
            parts.insert(random.randrange(len(parts) + 1), random.choice(others))
        case 2 if parts and others:
            parts[random.randrange(len(parts))] = random.choice(others)
        case _:
            random.shuffle(parts)
    return ", ".join(parts)


def _operands(random: Random, text: str) -> str:
    names = re.findall(r"%[\w#]+", text)
    return _somewhere(
        random, _OPERANDS, text, lambda m: f"{m[1]}({_shuffled(random, m[2], names)})"
    )


def _signature(random: Random, text: str) -> str:
    """Other types of operands or results, or one more or less."""
    types = _TYPE.findall(text)

    def new(match: re.Match[str]) -> str:
        operands, results = match[1], match[2].strip("()")
        if random.random() < 0.5:
            operands = _shuffled(random, operands, types)
        else:
            results = _shuffled(random, results, types)
        return f" : ({operands}) -> ({results})"

    return _somewhere(random, _SIGNATURE, text, new)


def _same_type(random: Random, text: str) -> str:
    """One type for another wherever it stands."""
    types = sorted(set(_TYPE.findall(text)))
    return text.replace(random.choice(types), random.choice(types)) if types else text


def _name(random: Random, text: str) -> str:
    names = [
        *_NAME.findall(text),
        '"builtin.module"',
        '"func.func"',
        '"nobody.knows"',
        '"scf.yield"',
        '"memref.load"',
    ]
    return _somewhere(random, _NAME, text, lambda m: random.choice(names))


def _properties(random: Random, text: str) -> str:
    """Those of another op, none, or among the attributes."""
    others = _PROPERTIES.findall(text)

    def new(match: re.Match[str]) -> str:
        return random.choice(("", match[0].replace("<{", "{").replace("}>", "}"), *others))

    return _somewhere(random, _PROPERTIES, text, new)


def _successors(random: Random, text: str) -> str:
    labels = [*re.findall(r"\^[\w]+", text), "^nowhere"]
    return _somewhere(
        random, _SUCCESSORS, text, lambda m: f")[{_shuffled(random, m[1], labels)}]"
    )


def _regions(random: Random, text: str) -> str:
    """An empty region, one more, none."""
    ways = ("({\n", "({\n}, {\n", "({\n^bb0(%new: index):\n", "(\n")
    return _somewhere(random, re.compile(r"\(\{\n"), text, lambda m: random.choice(ways))


_MUTATIONS = (_operands, _operands, _signature, _signature, _same_type, _name, _properties, _successors, _regions,
              mutate_tokens)  # fmt: skip
