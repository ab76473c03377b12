"""What the regions of scf.if and scf.while give, which xDSL 0.74 does not verify (test_scf_regions.py tells when).

`scf.if` does not look at what its regions yield, and `scf.while` compares only what is
there, so that a region with one value too few verifies.
"""

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, Region, SSAValue

from xetile.errors import fail


def verify_regions(op: Operation) -> None:
    """Check an scf.if or scf.while; any other op is left alone.

    Errors: XetileError at the op, or at the terminator whose values do not fit.
    """
    if len(op.regions) != 2:
        return  # either another op, or one that its own verifier refuses
    if op.name == "scf.if":
        _verify_if(op)
    elif op.name == "scf.while":
        _verify_while(op)


def _verify_if(op: Operation) -> None:
    results = _types(op.results)
    if results and not op.regions[1].blocks:
        fail(op, f"it has {len(results)} results and no else region that would give them")
    for region in op.regions:
        if region.blocks:
            _expect_end(op, region, "scf.yield", results)


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
        fail(op, f"each of its regions ends with {name} of {_listed(wanted)}")
    found = _types(last.operands[leading:])
    if found != wanted:
        fail(last, f"it gives {_listed(found)}, expected {_listed(wanted)}")
