"""Kernels of one op each, by op, type and form, which one subgroup runs; what they compute as written is the reference.

Every kernel reads %A (and %B, %C) and stores %r to %R.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy
from support.subgroup import NUMPY, memref, tile, vector
from support.tiled.case import Array, Case, Given

Shape = tuple[int, int]

BOX: Shape = (16, 32)
MATRIX: Shape = (64, 64)


class Operand(NamedTuple):
    """A matrix with the tile of it that is loaded: its name is that of the value, and of the parameter in capitals."""

    name: str
    type: str
    shape: Shape = BOX
    matrix: Shape = MATRIX
    order: str = ""
    at: Shape = (0, 0)
    more: str = ""


def values(shape: Sequence[int], type: str, seed: int = 0) -> Array:
    """Numbers of both signs: whole ones, and halves of floats; none is zero."""
    random = numpy.random.default_rng([seed, *shape])
    if type == "i1":
        return random.integers(0, 2, shape).astype(bool)
    numbers = random.integers(1, 8, shape) * random.choice([-1, 1], shape)
    if type.startswith(("f", "bf", "tf")):
        return (numbers / 2).astype(NUMPY[type])
    return numbers.astype(NUMPY[type])


def one_op(
    name: str,
    lines: str,
    operands: Sequence[Operand] = (Operand("a", "f32"),),
    result: str = "",
    shape: Shape | None = None,
    *,
    order: str = "",
    more: str = "",
    parameters: Sequence[tuple[str, Given]] = (),
    subgroups: int = 1,
) -> Case:
    """Load the operands, do the lines, store %r of this type and shape (the first operand's where not given)."""
    element = result or operands[0].type
    box = shape or operands[0].shape
    matrix = (max(box[0], 64), box[1]) if order else (box[0], max(box[1], 64))
    to = _memory(matrix, element, order)
    body = "".join(_load(operand) for operand in operands)
    body += f"""
    {lines}
    %r_tile = xetile.init_tile %R[0, 0] : {to} -> {tile(box, element, order)}
    xetile.store_tile %r, %r_tile{more} : {vector(box, element)}, {tile(box, element, order)}"""
    given: list[tuple[str, Given]] = [
        (
            f"%{operand.name.upper()}: {_memory(operand.matrix, operand.type, operand.order)}",
            _laid_out(values(operand.matrix, operand.type, seed), operand.order),
        )
        for seed, operand in enumerate(operands)
    ]
    filled = numpy.full(matrix, 1, NUMPY[element])
    given += [*parameters, (f"%R: {to}", _laid_out(filled, order))]
    return Case(
        name,
        [parameter for parameter, _ in given],
        body,
        [value for _, value in given],
        {},
        subgroups=subgroups,
    )


def _memory(shape: Shape, type: str, order: str) -> str:
    return memref(shape, type, f", strided<[1, {shape[0]}]>" if order else "")


def _laid_out(array: Array, order: str) -> Array:
    return array.T.copy().T if order else array


def _load(operand: Operand) -> str:
    name, of = operand.name, tile(operand.shape, operand.type, operand.order)
    memory = _memory(operand.matrix, operand.type, operand.order)
    return f"""
    %{name}_tile = xetile.init_tile %{name.upper()}{list(operand.at)} : {memory} -> {of}
    %{name} = xetile.load_tile %{name}_tile{operand.more} : {of} -> {vector(operand.shape, operand.type)}"""


COLUMNS = "order = [0, 1]"


def bare(
    name: str,
    lines: str,
    parameters: Sequence[tuple[str, Given]],
    before: str = "",
    result: str = "f16",
    shape: Shape = BOX,
) -> Case:
    """Lines that make %r of parameters of their own."""
    to = memref((shape[0], 64), result)
    body = f"""{before}{lines}
    %r_tile = xetile.init_tile %R[0, 0] : {to} -> {tile(shape, result)}
    xetile.store_tile %r, %r_tile : {vector(shape, result)}, {tile(shape, result)}"""
    filled = numpy.full((shape[0], 64), 1, NUMPY[result])
    given = [*parameters, (f"%R: {to}", filled)]
    return Case(name, [text for text, _ in given], body, [value for _, value in given], {})


def literal(shape: Shape) -> str:
    return str(numpy.arange(shape[0] * shape[1]).reshape(shape).tolist())
