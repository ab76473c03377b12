"""Verify arguments and yields of the regions of scf's ops; xDSL 0.75 does not (test_scf_regions.py fails once it does).

`scf.if` and `scf.execute_region` do not look at what their regions yield, `scf.for` not at
its results (and complains of what it yields at the loop), and `scf.while` compares only
what is there, so that a region with one value too few verifies.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Attribute, Operation, Region, SSAValue

from xetile.errors import fail, notes_at


def verify_regions(op: Operation) -> None:
    """Check an scf.execute_region, scf.for, scf.if or scf.while; any other op is left alone.

    Errors: XetileError at the op, or at the terminator whose values do not fit.
    """
    number, check = _CHECKS.get(op.name, (0, None))
    if check is not None and len(op.regions) == number:  # else its own verifier refuses it
        check(op)


def _verify_if(op: Operation) -> None:
    results = _types(op.results)
    if results and not op.regions[1].blocks:
        fail(op, f"it has {len(results)} results and no else region that would give them")
    for name, region in zip(("then", "else"), op.regions, strict=True):
        if region.blocks:
            _expect_arguments(op, region, name, [])
            _expect_end(op, region, "scf.yield", results)


def _verify_for(op: Operation) -> None:
    carried, results = _types(op.operands[3:]), _types(op.results)
    if carried != results:
        fail(op, f"it carries {_listed(carried)}, its results are {_listed(results)}")
    last = op.regions[0].blocks[-1].last_op if op.regions[0].blocks else None
    if last is not None and last.name == "scf.yield":  # what else ends it is told elsewhere
        _expect_given(op, last, carried)


def _verify_execute_region(op: Operation) -> None:
    (region,) = op.regions
    if not region.blocks:
        return  # its own verifier refuses it
    _expect_arguments(op, region, "only", [])
    wanted = _types(op.results)
    for last in (block.last_op for block in region.blocks):
        if last is not None and last.name == "scf.yield" and _types(last.operands) != wanted:
            fail(
                last, f"it gives {_listed(_types(last.operands))}, expected {_listed(wanted)}"
            )


def _verify_while(op: Operation) -> None:
    before, after = op.regions
    carried, results = _types(op.operands), _types(op.results)
    _expect_arguments(op, before, "before", carried)
    _expect_end(op, before, "scf.condition", results, leading=1)
    _expect_arguments(op, after, "after", results)
    _expect_end(op, after, "scf.yield", carried)


def _types(values: Sequence[SSAValue]) -> list[Attribute]:
    return [value.type for value in values]


def _listed(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


def _expect_arguments(
    op: Operation, region: Region, name: str, wanted: Sequence[Attribute]
) -> None:
    found = _types(region.blocks[0].args) if region.blocks else []
    if found != wanted:
        fail(op, f"its {name} region takes {_listed(found)}, expected {_listed(wanted)}")


def _expect_end(
    op: Operation, region: Region, name: str, wanted: Sequence[Attribute], *, leading: int = 0
) -> None:
    """The region ends with `name`, whose operands after the leading ones have the types `wanted`."""
    last = region.blocks[-1].last_op if region.blocks else None
    if last is None or last.name != name:
        found = "is empty" if last is None else f"ends with '{last.name}'"
        gives = f" of {', '.join(map(str, wanted))}" if wanted else ""
        fail(last or op, f"this body of '{op.name}' {found}; end it with '{name}'{gives}")
    _expect_given(op, last, wanted, leading=leading)


def _expect_given(
    op: Operation, last: Operation, wanted: Sequence[Attribute], *, leading: int = 0
) -> None:
    found = _types(last.operands[leading:])
    if found != wanted:
        notes = notes_at(op, f"expected by this '{op.name}'")
        fail(last, f"it gives {_listed(found)}, expected {_listed(wanted)}", notes)


_CHECKS: Mapping[str, tuple[int, Callable[[Operation], None]]] = {
    "scf.execute_region": (1, _verify_execute_region),
    "scf.for": (1, _verify_for),
    "scf.if": (2, _verify_if),
    "scf.while": (2, _verify_while),
}
"""Number of regions and check, by the name of the op."""
