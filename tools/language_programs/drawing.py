"""Drawing kernels: Python source, in which each name is of one kind where it can be read."""

from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from tools.language_programs.expressions import (
    INDEX,
    KINDS,
    Kind,
    Names,
    drawn_condition,
    drawn_expression,
)
from tools.language_programs.statements import Statement

DEPTH = 3
"""Statements in statements."""


class Program(NamedTuple):
    """The source of a kernel: helpers, and the statements of its body before the stores."""

    name: str
    helpers: list[Statement]
    body: list[Statement]
    stores: list[Statement]

    def text(self) -> str:
        """The file."""
        kernel = Statement(
            "def kernel(F, H, I, O, P, *, flag=True):", [[*self.body, *self.stores]]
        )
        parts = [*_HEAD, *self.helpers, Statement("@xt.kernel(sg_layout=(1, 1))"), kernel]
        return "\n".join(line for part in parts for line in part.lines(0)) + "\n"


_HEAD = [
    Statement("from dataclasses import dataclass"),
    Statement("import xetile.language as xt"),
    Statement("@dataclass(frozen=True)"),
    Statement("class Pair:", [[Statement("left: object"), Statement("right: object")]]),
]


class Helper(NamedTuple):
    """A function of a value of a kind and an index that returns one of the kind."""

    name: str
    kind: Kind


@dataclass
class _Drawing:
    random: Random
    helpers: list[Helper] = field(default_factory=list[Helper])
    count: int = 0

    def fresh(self, letter: str) -> str:
        """A name that there is not yet."""
        self.count += 1
        return f"{letter}{self.count}"

    def block(self, names: Names, depth: int, size: int) -> list[Statement]:
        """Statements; `names` gets what they bind."""
        return [one for _ in range(size) for one in self.statements(names, depth)]

    def statements(self, names: Names, depth: int) -> list[Statement]:
        """One statement, or a few that belong together."""
        simple = [self.rebind, self.rebind, self.bind, self.temporary, self.through_containers]
        nested = [
            self.loop,
            self.loop,
            self.branch,
            self.branch,
            self.repetition,
            self.unrolled,
        ]
        nested += [self.python_branch, self.closure]
        choices = [*simple, *(nested if depth else [])]
        return self.random.choice(choices)(names, depth)

    def rebind(self, names: Names, _: int) -> list[Statement]:
        name = self.random.choice([*names])
        return [Statement(f"{name} = {self.value(names, names[name])}")]

    def bind(self, names: Names, _: int) -> list[Statement]:
        kind = self.random.choice(KINDS)
        text = self.value(names, kind)
        name = self.fresh("x")
        names[name] = kind
        return [Statement(f"{name} = {text}")]

    def temporary(self, names: Names, _: int) -> list[Statement]:
        """A name that has another kind each time that it is used."""
        kind = self.random.choice(KINDS)
        bound = Statement(f"temporary = {self.value(names, kind)}")
        name = self.random.choice([*names])
        inner = {**names, "temporary": kind}
        return [bound, Statement(f"{name} = {self.value(inner, names[name])}")]

    def through_containers(self, names: Names, depth: int) -> list[Statement]:
        """Two values of one kind in a tuple, list, dict or dataclass that a loop carries."""
        one = self.random.choice([*names])
        kind = names[one]
        other = self.value(names, kind)
        form, left, right = self.random.choice(_CONTAINERS)
        held, k = self.fresh("h"), self.fresh("k")
        inner = {**names, f"{held}{left}": kind, f"{held}{right}": kind}
        new = form.format(f"{held}{right}", self.value(inner, kind))
        loop = self.random.choice(
            (f"for {k} in xt.range(3):", f"for {k} in range(2):", "if flag:")
        )
        return [
            Statement(f"{held} = {form.format(one, other)}"),
            Statement(loop, [[Statement(f"{held} = {new}")]]),
            Statement(f"{one} = {held}{self.random.choice((left, right))}"),
        ]

    def loop(self, names: Names, depth: int) -> list[Statement]:
        k = self.fresh("k") if "k" in names else "k"
        bounds = self.random.choice(_BOUNDS).format(
            drawn_expression(self.random, names, INDEX, 0)
        )
        inner = {**names, k: INDEX}
        body = self.block(inner, depth - 1, self.random.randint(1, 3))
        return [Statement(f"for {k} in xt.range({bounds}):", [body])]

    def unrolled(self, names: Names, depth: int) -> list[Statement]:
        k = self.fresh("j")
        inner = {**names, k: INDEX}
        body = self.block(inner, depth - 1, self.random.randint(1, 2))
        return [Statement(f"for {k} in range({self.random.randint(1, 2)}):", [body])]

    def branch(self, names: Names, depth: int) -> list[Statement]:
        condition = drawn_condition(self.random, names)
        return self.choice(condition, names, depth)

    def python_branch(self, names: Names, depth: int) -> list[Statement]:
        return self.choice(self.random.choice(("flag", "not flag")), names, depth)

    def choice(self, condition: str, names: Names, depth: int) -> list[Statement]:
        sides = [{**names}, {**names}]
        blocks = [self.block(sides[0], depth - 1, self.random.randint(1, 2))]
        if self.random.random() < 0.6:
            kind = self.random.choice(KINDS)
            blocks.append(self.block(sides[1], depth - 1, self.random.randint(1, 2)))
            name = self.fresh("b")
            for block, side in zip(blocks, sides, strict=True):
                block.append(Statement(f"{name} = {self.value(side, kind)}"))
            names[name] = kind
        return [Statement(f"if {condition}:", blocks)]

    def repetition(self, names: Names, depth: int) -> list[Statement]:
        """A while whose counter is traced, or an int at first."""
        i = self.fresh("i")
        start = self.random.choice((drawn_expression(self.random, names, INDEX, 0), "0"))
        condition = self.random.choice(
            (f"{i} < 9", f"({i} < 8) & {drawn_condition(self.random, names)}")
        )
        inner = {**names, i: INDEX}
        body = self.block(inner, depth - 1, self.random.randint(1, 2))
        del inner[i]
        step = Statement(f"{i} = {i} + {self.random.randint(2, 4)}")
        lower = Statement(f"{i} = ({start}) % 5")
        names[i] = INDEX
        body = [one for one in body if not one.text.startswith(f"{i} =")]
        return [lower, Statement(f"while {condition}:", [[*_without(body, i), step]])]

    def closure(self, names: Names, depth: int) -> list[Statement]:
        """A function that binds a name of the kernel's, called in a loop."""
        name = self.random.choice([*names])
        given = {**names, "given": names[name]}
        add, k = self.fresh("add"), self.fresh("k")
        new = Statement(f"{name} = {self.value(given, names[name])}")
        body = [Statement(f"nonlocal {name}"), new]
        inner = {**names, k: INDEX}
        call = Statement(f"{add}({self.value(inner, names[name])})")
        return [
            Statement(f"def {add}(given):", [body]),
            Statement(f"for {k} in xt.range(2):", [[call]]),
        ]

    def value(self, names: Names, kind: Kind) -> str:
        """An expression, at times through a helper."""
        text = drawn_expression(self.random, names, kind, 2)
        fitting = [helper for helper in self.helpers if helper.kind == kind]
        if fitting and self.random.random() < 0.3:
            place = drawn_expression(self.random, names, INDEX, 0)
            return f"{self.random.choice(fitting).name}(F, H, I, {text}, {place})"
        return text

    def helper(self) -> list[Statement]:
        """A function with `@xt.function`."""
        kind = self.random.choice(KINDS)
        names: Names = {"x": kind, "i": INDEX}
        body = self.block(names, 2, self.random.randint(1, 3))
        name = self.fresh("helper")
        self.helpers.append(Helper(name, kind))
        return [
            Statement("@xt.function"),
            Statement(
                f"def {name}(F, H, I, x, i, *, flag=False):", [[*body, Statement("return x")]]
            ),
        ]


def _without(body: list[Statement], name: str) -> list[Statement]:
    """Statements without those that bind a name, on which it depends when the loop ends."""
    kept = [one for one in body if not one.text.startswith((f"{name} = ", f"nonlocal {name}"))]
    return [
        Statement(one.text, [_without(block, name) for block in one.blocks]) for one in kept
    ]


_CONTAINERS = (
    ("({}, {})", "[0]", "[1]"),
    ("[{}, {}]", "[0]", "[1]"),
    ("{{'a': {}, 'b': {}}}", "['a']", "['b']"),
    ("Pair({}, {})", ".left", ".right"),
)
_BOUNDS = ("3", "{0}, 9, 4", "1, 4", "6, {0}, -3", "({0}) % 3", "2, 2", "0, 7, 3")


def draw(seed: int, number: int) -> Program:
    """The kernel of a number; the same each time."""
    drawing = _Drawing(Random(f"{seed}:{number}"))
    helpers = [one for _ in range(drawing.random.randint(0, 2)) for one in drawing.helper()]
    names: Names = {}
    body = [Statement("m = xt.program_id(0)")]
    names["m"] = INDEX
    body += [
        one for _ in range(drawing.random.randint(3, 6)) for one in drawing.bind(names, 0)
    ]
    body += drawing.block(names, DEPTH, drawing.random.randint(3, 6))
    return Program(f"program_{seed}_{number}", helpers, body, _stores(names))


def _stores(names: Names) -> list[Statement]:
    """What every name holds at the end, summed with weights."""
    stored = {"f32": ["xt.zeros((8, 16), xt.f32)"], "i32": ["xt.zeros((8, 16), xt.i32)"]}
    for weight, (name, kind) in enumerate(names.items(), 1):
        part = f"xt.index({name}).to(xt.i32)" if kind == INDEX else name
        element = "f32" if kind.element == "f32" else "i32"
        stored[element].append(f"{part} * {float(weight) if element == 'f32' else weight}")
    return [
        Statement(
            f"{array}[8 * xt.program_id(0) : 8 * xt.program_id(0) + 8, 0:16] = {' + '.join(parts)}"
        )
        for array, parts in (("O", stored["f32"]), ("P", stored["i32"]))
    ]
