"""The target that a kernel is lowered for: the option's, else the one that its gpu.module names, else the default.

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
"""The name that messages use for the option that names a device."""


@contextmanager
def option_called(spelling: str) -> Generator[None]:
    """Within the context, messages spell the option that names the device `spelling`, such as `--device`."""
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
    """Return the target of a kernel, or of a module all of whose kernels are lowered for one target.

    Raise XetileError if a name is unknown, if the option contradicts a gpu.module, or if gpu.modules name several
    targets and no option chooses one.
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
    """Return the device of a kernel, as `target_of` does; raise XetileError if it is of another family."""
    return narrowed(target_of(at, option), family, at)


def device_named(option: str | None, family: type[Device]) -> Device:
    """Return the device of a family for a command that has no IR."""
    found = default_target(None) if option is None else find(option)
    return narrowed(found, family, None)


def narrowed(found: Target, family: type[Device], at: Operation | None) -> Device:
    """Return the target as a device of a family.

    Raise XetileError if it belongs to another family.
    """
    if not isinstance(found, family):
        raise XetileError(f"'{found.name}' is no {family.family} device", position(at))
    return found


def default_target(at: Operation | None) -> Target:
    """Return the target to use if nothing names one, with one remark per command."""
    remark_once(at, no_device(at))
    return find(DEFAULT)


def no_device(at: Operation | None) -> str:
    """Return the remark for the user if nothing names a device."""
    example = find(EXAMPLE)
    chip = f'[#{example.attribute}<chip = "{example.name}">]'
    written = "" if at is None else f", or write the gpu.module's target, such as {chip}"
    return (
        f"the device is {DEFAULT}, since nothing names one; choose among {', '.join(names())} "
        f"with {_option.get()}{written}"
    )


def check_option(at: Operation, option: str | None) -> None:
    """Raise XetileError if the device is unknown or is not among the targets of a gpu.module."""
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
    """Return the named assumption about values known only at run time; raise XetileError if the name is unknown."""
    for known in ASSUMPTIONS:
        if known == option:
            return known
    raise XetileError(f"unknown assumption '{option}'; expected {', '.join(ASSUMPTIONS)}")


def check_unroll(copies: int | None) -> None:
    """Raise XetileError if no loop can be unrolled into so many rounds."""
    if copies is not None and not 1 <= copies <= MOST_COPIES:
        raise XetileError(
            f"unroll is {copies}; expected how often rounds are written, from 1 (as they are) to {MOST_COPIES}"
        )


def agreed(
    at: Operation, ask: Callable[[Target], Answer], what: str, option: str | None = None
) -> Answer:
    """Return the answer that all named targets (or the default) agree on; with `option`, only that target's answer.

    Raise XetileError if a target is unknown, or if several targets answer differently; `what` names their answers.
    """
    named = [find(option)] if option is not None else targets_of(at)
    answers = list(dict.fromkeys(map(ask, named)))
    if len(answers) > 1:
        listed = ", ".join(sorted(map(str, answers)))
        fail(at, f"the targets that are named have different {what}: {listed}; expected one")
    return answers[0]


def targets_of(at: Operation) -> list[Target]:
    """Return the targets that are named, else the default one, without a remark.

    Raise XetileError if a target is unknown.
    """
    return named_targets(at) or [find(DEFAULT)]


def named_targets(at: Operation) -> list[Target]:
    """Return the targets that gpu.modules name for an op or for those in it; raise as `targets_of` does."""
    return [target for module in _gpu_modules(at) for target in _named(module)]


def subgroup_threads(at: Operation) -> int:
    """Return the number of work-items of a subgroup; raise as `agreed` does."""
    return agreed(at, lambda target: target.threads, "subgroup sizes")


def _listed(found: Sequence[Target]) -> str:
    return ", ".join(target.name for target in found)


def _gpu_modules(at: Operation) -> Iterator[Operation]:
    """Yield the gpu.module that an op is in, else those inside it that contain functions."""
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
