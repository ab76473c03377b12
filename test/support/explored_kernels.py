"""Kernels of the tests explored and executed, and how many of their elements are not where the exploration says."""

import random
from math import prod
from typing import Any

import numpy
from support.explored_places import Explored, Place, applied, as_bits, size_of
from support.subgroup import fresh
from support.tiled.case import Case, Given, module_of
from xdsl.dialects.builtin import ModuleOp

from xetile.explanation.compile_options import Options
from xetile.explorer.holding.value_holdings import add_holdings
from xetile.explorer.linking.trace import traced

ELEMENTS = 200
TF32 = numpy.uint32(0xFFFFE000)


def explored(module: ModuleOp, device: str, arrays: list[Any]) -> Explored:
    """One kernel, with its holdings, executed."""
    options = Options(None, "block", None, None, None)
    (trace,) = traced(module, device, options)
    add_holdings(trace)
    return Explored(trace, arrays)


def explored_case(case: Case, device: str) -> Explored:
    return explored(module_of([case]), device, [scattered(a) for a in case.arrays])


def scattered(given: Given) -> Given:
    """Numbers hardly two of which are equal, in the place of floats and bytes."""
    if isinstance(given, int | float):
        return given
    numbers = numpy.random.default_rng(3)
    found = fresh(given)
    if found.dtype.kind in "iu" and found.dtype.itemsize == 1:
        found[...] = (
            numbers.integers(0, 256, found.shape).astype(numpy.uint8).view(found.dtype)
        )
    elif found.dtype.kind not in "iub":
        found[...] = numbers.normal(size=found.shape).astype(found.dtype)
    if found.dtype == numpy.float32:  # what tf32 has of it, so that nothing is rounded
        found.view(numpy.uint32)[...] &= TF32
    return found


def wrong_in_registers(one: Explored) -> tuple[int, list[Place]]:
    """How many places of V there are, and those whose bits are not the element's of the subgroup's tile."""
    count, wrong = 0, list[Place]()
    here = one.trace.level("S")
    assert here is not None
    for number, tile in one.found["S"].items():
        for value, holding in one.parts((here, number), "V"):
            found, layout = one.found["V"].get(value), holding.layout
            if found is None or layout is None or tile.ndim != 3 or one.is_partial(value):
                continue
            lanes = one.kernel.lanes
            words = as_bits(found, holding.bits).reshape(len(found) // lanes, lanes, -1)
            elements = as_bits(tile, holding.bits)
            for register in range(size_of(layout, "register")):
                for lane in range(size_of(layout, "lane")):
                    at = applied(layout, register=register, lane=lane)
                    if any(a >= n for a, n in zip(at, holding.sizes, strict=True)):
                        continue
                    count += 1
                    row, column = (
                        a + o for a, o in zip(at, holding.offset or (), strict=True)
                    )
                    outside = row >= elements.shape[1] or column >= elements.shape[2]
                    if outside or (words[:, lane, register] != elements[:, row, column]).any():
                        wrong.append(Place(0, (here, value), register, lane))
    return count, wrong


def wrong_in_subgroups(one: Explored) -> tuple[int, list[tuple[int, int]]]:
    """How many units of tiles of W there are, and those whose elements are others at S."""
    count, wrong = 0, list[tuple[int, int]]()
    for tile, whole, holding, layout in one.units():
        units, elements = one.found["S"].get(tile[1]), one.found["W"].get(whole)
        if units is None or elements is None:
            continue
        sizes = units.shape[1:]
        for subgroup in range(len(units)):
            base = one.holding(*tile)
            assert base is not None
            assert base.base is not None
            first = base.base["unit"] * prod(sizes)
            row, column = applied(layout, register=first, subgroup=subgroup)
            part = elements[0, row : row + sizes[0], column : column + sizes[1]]
            count += 1
            if (as_bits(part, holding.bits) != as_bits(units[subgroup], holding.bits)).any():
                wrong.append((tile[1], subgroup))
    return count, wrong


def wrong_of_chosen(one: Explored) -> tuple[int, list[Place]]:
    """How many of 200 elements of tiles of W were found at V, and the places that have something else."""
    here, chosen = one.trace.level("S"), random.Random(7)
    tiles = [
        (tile, one.found["W"][whole], holding.bits)
        for tile, whole, holding, _ in one.units()
        if whole in one.found["W"] and any(one.parts(tile, "V"))
    ]
    count, wrong = 0, list[Place]()
    assert here is not None
    for _ in range(ELEMENTS):
        tile, elements, bits = chosen.choice(tiles)
        at = tuple(chosen.randrange(n) for n in elements.shape[1:])
        wanted = int(as_bits(elements[0][at], bits).ravel()[0])
        places = [
            place
            for place in one.workgroup_places(tile, at, "V")
            if place.value[1] in one.found["V"] and not one.is_partial(place.value[1])
        ]
        count += bool(places)
        wrong += [place for place in places if one.bits_at(place, bits) != wanted]
    return count, wrong
