"""Eager execution: each op of a kernel is executed as it is made, for one workgroup after the other.

The user's own function runs, so `pdb`, `print`, `break` and Python's `if` work in it. The handlers of ops are those
of level W, so the bits are equal.
"""

from collections.abc import Callable, MutableMapping, Sequence
from math import prod
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.interpreter.launcher import launcher
from xetile.interpreter.machine.execution import Frame, Machine
from xetile.interpreter.machine.launch_arguments import place_all
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.runtime_values import Value
from xetile.interpreter.machine.thread_batches import Sizes, Threads
from xetile.language.builder import Builder, Mark, Pair, using
from xetile.language.calling.argument_types import Given, launched
from xetile.language.calling.tracing import (
    Source,
    arguments_of,
    attribute_of,
    called,
    check_result,
)
from xetile.targets import DEFAULT, find


class _Frame(Frame):
    """The values of one workgroup, each as long as an object of the user refers to it."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, np.arange(1))
        self._values: MutableMapping[SSAValue, Value] = WeakKeyDictionary()


class EagerBuilder(Builder):
    """A builder that executes each op put into the kernel's block; ops of inner blocks run with their parent."""

    eager = True

    def __init__(self, sg_layout: Pair, block: Block, frame: Frame) -> None:
        super().__init__(sg_layout, block)
        self.frame = frame

    def insert(self, op: Operation) -> Operation:
        """Execute an op, or append it to the current inner block."""
        if self.block is not self.entry:
            return super().insert(op)
        self.place(op)
        self._execute(op)
        return op

    def once(self, key: object, make: Callable[[], Operation]) -> SSAValue:
        """Return the result of an op; equal ops on single numbers share one result, so that offsets can be compared."""
        op = make()
        return (
            self.result(op) if _is_large(op.results[0].type) else super().once(key, lambda: op)
        )

    def result_at(self, mark: Mark, op: Operation) -> SSAValue:
        """Return the result of an op, which is executed now."""
        return self.result(op) if mark.block is self.entry else super().result_at(mark, op)

    def at_entry(self, op: Operation) -> SSAValue:
        """Return the result of an op, which is executed now."""
        self.place(op)
        self._execute(op)
        return op.results[0]

    def concrete(self, value: SSAValue) -> object | None:
        """Return a Python number for a scalar, a numpy array for a tile, or None in an inner block."""
        found = self.frame.find(value)
        if not isinstance(found, np.ndarray):
            return None
        return found[0] if found.ndim > 1 else found.item(0)

    def _execute(self, op: Operation) -> None:
        machine = self.frame.machine
        handler = machine.handlers.get(op.name)
        if handler is None:
            machine.refuse(op)
        with np.errstate(all="ignore"):
            values = handler(self.frame, op)
        for result, found in zip(op.results, values, strict=True):
            self.frame.bind(result, found)
        _forget_operands(op)


def _is_large(type: Attribute) -> bool:
    return hasattr(type, "get_shape")


def _forget_operands(op: Operation) -> None:
    """Drop the operands, so that an op's result does not keep earlier values alive."""
    for one in op.walk():
        one.operands = ()


def execute_eagerly(
    source: Source, arrays: "Sequence[Given]", *, grid: Sizes, sanitize: bool | None
) -> None:
    """Run a kernel's function for every workgroup of a grid, x fastest; arrays change in place."""
    types, layout = source.types, source.sg_layout
    block = Block(arg_types=[attribute_of(type) for type in types.values()])
    memory, size = Memory(), find(DEFAULT).threads
    threads = Threads(
        "workgroup",
        grid,
        (size * prod(layout), 1, 1),
        prod(layout),
        subgroup_size=size,
        counts_subgroups=False,
    )
    given = place_all(memory, block.args, launched(arrays))
    machine = launcher(sanitize).machine(memory, threads)
    for number in range(prod(grid)):
        threads.workgroups = np.array([number])
        machine.dynamic_base = None
        machine.observer.begin_batch()
        frame = _Frame(machine)
        for argument, value in zip(block.args, given, strict=True):
            frame.bind(argument, value)
        with memory.scope(), using(EagerBuilder(layout, block, frame)):
            found = arguments_of(block.args, types)
            result = called(source.function, found, source.constants)
            check_result(source.name, result, source.place)
