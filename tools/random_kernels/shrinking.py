"""Leaving out what a wrong kernel is wrong without."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tools.language_programs.statements import without_each
from tools.random_kernels.drawing import Program
from tools.random_kernels.judging import Judged
from tools.random_kernels.nodes import Step

ATTEMPTS = 300


def smallest(
    program: Program, found: Judged, judge: Callable[[Program], Judged]
) -> tuple[Program, Judged]:
    """A kernel with the same verdict at the same place, without statements and parts of expressions."""
    attempts = ATTEMPTS
    smaller = True
    while smaller and attempts > 0:
        smaller = False
        for other in _smaller(program):
            attempts -= 1
            again = judge(other)
            if (again.verdict, again.place) == (found.verdict, found.place):
                program, found, smaller = other, again, True
                break
            if attempts <= 0:
                break
    return program, found


def _smaller(program: Program) -> Iterator[Program]:
    for field, simple in (("grid", (1, 1)), ("sg_layout", (1, 1)), ("assume", "block")):
        if getattr(program, field) != simple:
            yield program._replace(**{field: simple})
    for body in (*without_each(program.body), *_simpler(program.body)):
        yield _without_unused(program._replace(body=body))
    for number, array in enumerate(program.arrays):
        plain = array._replace(named=array.shape, column_major=False)
        if plain.type() != array.type():
            arrays = [*program.arrays[:number], plain, *program.arrays[number + 1 :]]
            yield program._replace(arrays=arrays)


def _without_unused(program: Program) -> Program:
    text = "\n".join(line for one in program.body for line in one.lines(1))
    return program._replace(arrays=[a for a in program.arrays if f"{a.name}" in text])


def _simpler(body: list[Step]) -> Iterator[list[Step]]:
    """The same statements with a smaller expression in one of them."""
    for number, one in enumerate(body):
        before, after = body[:number], body[number + 1 :]
        for place, node in enumerate(one.nodes):
            for other in node.simpler():
                nodes = (*one.nodes[:place], other, *one.nodes[place + 1 :])
                text = one.form.format(*(each.text() for each in nodes))
                yield [*before, replace(one, nodes=nodes, text=text), *after]
        for place, block in enumerate(one.blocks):
            for smaller in _simpler(block):
                blocks = [*one.blocks[:place], smaller, *one.blocks[place + 1 :]]
                yield [*before, replace(one, blocks=blocks), *after]
