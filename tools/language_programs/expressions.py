"""Drawing expressions of kernels: of a kind, of names that can be read."""

from random import Random
from typing import NamedTuple, Protocol


class Kind(NamedTuple):
    """What a value is: elements of a type, in a tile of rows and columns, or (0, 0) a single one."""

    element: str
    rows: int = 0
    columns: int = 0


INDEX = Kind("index")
KINDS = (
    Kind("f32", 8, 16),
    Kind("f32", 8, 16),
    Kind("f32", 8, 1),
    Kind("f32", 1, 16),
    Kind("i32", 8, 16),
    Kind("f32"),
    Kind("i32"),
    INDEX,
)
"""What names hold, the likely ones more than once."""

Names = dict[str, Kind]


class Part(Protocol):
    """Draws an expression that stands in another, by default of the same kind."""

    def __call__(self, its: Kind = ...) -> str:
        """The source of one."""
        ...


def drawn_expression(random: Random, names: Names, kind: Kind, depth: int) -> str:
    """An expression of a kind, with operators up to a depth."""
    known = [name for name, its in names.items() if its == kind]
    if depth == 0 or random.random() < 0.2:
        return (
            random.choice(known)
            if known and random.random() < 0.8
            else _leaf(random, names, kind)
        )

    def part(its: Kind = kind) -> str:
        return drawn_expression(random, names, its, depth - 1)

    if kind == INDEX:
        return _index(random, part(), part())
    forms = _FLOATS if kind.element == "f32" else _INTEGERS
    if kind.rows and random.random() < 0.6:
        return _tile(random, names, kind, part)
    condition = drawn_condition(random, {**names})
    if not kind.rows and random.random() < 0.2:
        return f"xt.where({condition}, {part()}, {part()})"
    return random.choice(forms).format(part(), part())


def _tile(random: Random, names: Names, kind: Kind, part: "Part") -> str:
    whole = Kind(kind.element, 8, 16)
    reduction = random.choice(
        ("sum", "max", "min") if kind.element == "i32" else ("max", "min", "sum")
    )
    if kind.columns == 1:
        return f"({part(whole)}).{reduction}(1)"
    if kind.rows == 1:
        return f"({part(whole)}).{reduction}(0)"
    narrow = [Kind(kind.element, *shape) for shape in ((8, 1), (1, 16), (0, 0))]
    other = random.choice(narrow if kind.element == "f32" else narrow[2:])
    choices = [
        f"({part()} + {part(other)})",
        f"({part(other)} * {part()})",
        f"xt.where({part()} > {part(other)}, {part()}, {part(other)})",
        f"xt.maximum({part()}, {part(other)})",
        _load(random, names, kind),
        f"({part()} - ({part()}).{reduction}({random.randint(0, 1)}))",
    ]
    if kind.element == "f32":
        choices.append(f"({part()} + {_product(random, names)})")
        choices.append(f"({part()}).T.T")
    return random.choice(choices)


def _product(random: Random, names: Names) -> str:
    i, j = (drawn_expression(random, names, INDEX, 0) for _ in range(2))
    return f"H[{i}:{i} + 8, 0:16] @ H[0:16, {j}:{j} + 16]"


def _load(random: Random, names: Names, kind: Kind) -> str:
    i, j = (drawn_expression(random, names, INDEX, 1) for _ in range(2))
    array = "F" if kind.element == "f32" else "I"
    return f"{array}[{i} : {i} + {kind.rows}, {j} : {j} + {kind.columns}]"


def _leaf(random: Random, names: Names, kind: Kind) -> str:
    if kind == INDEX:
        return random.choice(("xt.program_id(0)", "2", "5"))
    number = random.choice(
        ("0.5", "-1.25", "2.0") if kind.element == "f32" else ("3", "-2", "7")
    )
    if not kind.rows:
        place = drawn_expression(random, names, INDEX, 0)
        return random.choice(
            (f"xt.{kind.element}({number})", f"xt.index({place}).to(xt.{kind.element})")
        )
    full = f"xt.full(({kind.rows}, {kind.columns}), {number}, xt.{kind.element})"
    return random.choice((full, _load(random, names, kind)))


def _index(random: Random, one: str, other: str) -> str:
    form = random.choice(_INDICES)
    return f"({form.format(one, other)}) % {random.randint(5, 23)}"


def drawn_condition(random: Random, names: Names) -> str:
    """A truth value of the kernel's."""
    i, j = (drawn_expression(random, names, INDEX, 0) for _ in range(2))
    plain = f"({i} + xt.program_id(0) {random.choice(_COMPARED)} {random.randint(0, 6)})"
    scalars = [name for name, kind in names.items() if kind == Kind("f32")]
    if scalars and random.random() < 0.3:
        plain = f"({random.choice(scalars)} {random.choice(('<', '>='))} 0.75)"
    return random.choice(_CONDITIONS).format(plain, f"({j} + xt.program_id(0) < 4)")


_COMPARED = ("<", "<=", ">", ">=", "==", "!=")
_CONDITIONS = ("{0}", "{0}", "(~{0})", "({0} & {1})", "({0} | {1})")
_INDICES = (
    "{0} + {1}",
    "{0} * 2 + 1",
    "({0} + 7) // 3",
    "{0} - {1}",
    "{0} * 3 - {1}",
    "{0} + 1",
)
_FLOATS = (
    "({0} + {1})",
    "({0} - {1})",
    "({0} * {1})",
    "({0} * 0.5 - {1})",
    "(-{0})",
    "xt.maximum({0}, {1})",
    "xt.minimum({0}, {1})",
    "xt.abs({0})",
    "xt.fma({0}, 0.25, {1})",
)
_INTEGERS = (
    "({0} + {1})",
    "({0} - {1})",
    "({0} * {1})",
    "({0} & {1})",
    "({0} | {1})",
    "({0} ^ {1})",
    "xt.maximum({0}, {1})",
    "xt.minimum({0}, {1})",
)
