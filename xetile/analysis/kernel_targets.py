"""Which target a kernel is lowered for: the option's, else the one that its gpu.module names, else the default.

gpu.module @kernels [#xevm.target<chip = "bmg">] { ... }    // bmg
gpu.module @kernels [#xevm.target] { ... }                  // upstream's default chip
gpu.module @kernels { ... }                                 // DEFAULT, with one remark per command
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation

from xetile.errors import XetileError, fail, position, remark_once
from xetile.targets import DEFAULT, EXAMPLE, by_name, find, names
from xetile.targets.target import ASSUMPTIONS, MOST_COPIES, Assume, Target

_option: ContextVar[str] = ContextVar("option", default="the option 'device'")
"""What messages call the option that names a device."""


@contextmanager
def option_called(spelling: str) -> Generator[None]:
    """Inside, the user gives the device by an option of this spelling, such as `--device`."""
    token = _option.set(spelling)
    try:
        yield
    finally:
        _option.reset(token)


class _Named(Protocol):
    """The attribute of a gpu.module that names a target."""

    @property
    def chip(self) -> StringAttr: ...


_FUNCTIONS = ("gpu.func", "llvm.func", "func.func")

Answer = TypeVar("Answer")
Device = TypeVar("Device", bound=Target)


def target_of(at: Operation, option: str | None = None) -> Target:
    """The target of a kernel, or of a module all of whose kernels are lowered for one.

    XetileError for an unknown name, an option that contradicts a gpu.module, and where the
    gpu.module names several targets and no option chooses.
    """
    check_option(at, option)
    if option is not None:
        return find(option)
    modules = list(_gpu_modules(at))
    silent = [module for module in modules if not _named(module)]
    if len(silent) == len(modules):
        return default_target(next(iter(modules), at))
    found = list(dict.fromkeys(target for module in modules for target in _named(module)))
    if len(found) > 1:
        at = next(module for module in modules if _named(module))
        advice = f"{_option.get()} has to choose one"
        if not any(all(target in (_named(m) or found) for m in modules) for target in found):
            advice = (
                "lower one gpu.module at a time, or one kernel where the command has --kernel"
            )
        fail(at, f"several targets are named, {_listed(found)}; {advice}")
    if silent and found[0] is not find(DEFAULT):
        fail(
            silent[0],
            f"the gpu.module names no target, another one names {found[0].name}; "
            f"name it here too, or choose with {_option.get()}",
        )
    return found[0]


def device_of(at: Operation, family: type[Device], option: str | None = None) -> Device:
    """The device of a kernel, as `target_of`; refused where it is of another family."""
    return narrowed(target_of(at, option), family, at)


def device_named(option: str | None, family: type[Device]) -> Device:
    """The device of a family that a command without IR speaks of."""
    found = default_target(None) if option is None else find(option)
    return narrowed(found, family, None)


def narrowed(found: Target, family: type[Device], at: Operation | None) -> Device:
    """The target, as one of a family.

    Errors: XetileError where it is of another one.
    """
    if not isinstance(found, family):
        raise XetileError(f"'{found.name}' is no {family.family} device", position(at))
    return found


def default_target(at: Operation | None) -> Target:
    """The target where nothing names one, said once in a command."""
    remark_once(at, no_device(at))
    return find(DEFAULT)


def no_device(at: Operation | None) -> str:
    """What the user is told where nothing names a device."""
    example = find(EXAMPLE)
    chip = f'[#{example.attribute}<chip = "{example.name}">]'
    written = "" if at is None else f", or write the gpu.module's target, such as {chip}"
    return (
        f"the device is {DEFAULT}, since nothing names one; choose among {', '.join(names())} "
        f"with {_option.get()}{written}"
    )


def check_option(at: Operation, option: str | None) -> None:
    """Refuse an unknown device, and one that is not among the targets of a gpu.module."""
    if option is None:
        return
    chosen = find(option)
    for module in _gpu_modules(at):
        named = _named(module)
        if named and chosen not in named:
            fail(
                module,
                f"{_option.get()} is {option}, but the gpu.module is for {_listed(named)}",
            )


def assumption(option: str) -> Assume:
    """The assumption of a name on what is known at run time only; an unknown one is refused."""
    for known in ASSUMPTIONS:
        if known == option:
            return known
    raise XetileError(f"unknown assumption '{option}'; expected {', '.join(ASSUMPTIONS)}")


def check_unroll(copies: int | None) -> None:
    """Refuse a number of rounds, written one behind the other, that no loop can have."""
    if copies is not None and not 1 <= copies <= MOST_COPIES:
        raise XetileError(
            f"unroll is {copies}; expected how often rounds are written, from 1 (as they are) to {MOST_COPIES}"
        )


def agreed(
    at: Operation, ask: Callable[[Target], Answer], what: str, option: str | None = None
) -> Answer:
    """What every target that is named answers, else the default one; the option's alone where there is one.

    Errors: XetileError for an unknown target, and for several whose answers differ, which
    are `what` of them.
    """
    named = [find(option)] if option is not None else targets_of(at)
    answers = list(dict.fromkeys(map(ask, named)))
    if len(answers) > 1:
        listed = ", ".join(sorted(map(str, answers)))
        fail(at, f"the targets that are named have different {what}: {listed}; expected one")
    return answers[0]


def targets_of(at: Operation) -> list[Target]:
    """The targets that are named, else the default one; nothing is remarked.

    Errors: XetileError for an unknown target.
    """
    return named_targets(at) or [find(DEFAULT)]


def named_targets(at: Operation) -> list[Target]:
    """The targets that gpu.modules name for an op, or for those in it; errors as `targets_of` has them."""
    return [target for module in _gpu_modules(at) for target in _named(module)]


def subgroup_threads(at: Operation) -> int:
    """Work-items of a subgroup; errors as `agreed` has them."""
    return agreed(at, lambda target: target.threads, "subgroup sizes")


def _listed(found: Sequence[Target]) -> str:
    return ", ".join(target.name for target in found)


def _gpu_modules(at: Operation) -> Iterator[Operation]:
    """The gpu.module that an op is in, else those in it that hold functions."""
    around: Operation | None = at
    while around is not None:
        if around.name == "gpu.module":
            yield around
            return
        around = around.parent_op()
    if at.name == "builtin.module":
        for inner in at.regions[0].block.ops:
            holds = any(op.name in _FUNCTIONS for op in inner.walk())
            if inner.name in ("gpu.module", "builtin.module") and holds:
                yield from _gpu_modules(inner)


def _named(module: Operation) -> list[Target]:
    listed = module.get_attr_or_prop("targets")
    if not isinstance(listed, ArrayAttr):
        return []
    attributes = cast("ArrayAttr[Attribute]", listed)
    known = {target.attribute for target in by_name().values()}
    return [
        _target(module, one.name, cast("_Named", one).chip.data)
        for one in attributes
        if one.name in known
    ]


def _target(module: Operation, attribute: str, chip: str) -> Target:
    try:
        return find(chip)
    except XetileError as unknown:
        fail(module, f"#{attribute}: {unknown.message}")
