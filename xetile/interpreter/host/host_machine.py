"""The state that all functions of a run on the host share."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.analysis.module_kernels import symbol_name
from xetile.interpreter.machine.execution import Frame, Handlers, Machine
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Observer
from xetile.interpreter.machine.runtime_values import Passed
from xetile.interpreter.machine.thread_batches import Sizes, Threads
from xetile.interpreter.machine.workgroup_batches import Launcher

Progress = Callable[[int, int], None]
"""Called now and then with the finished and the total work, 0 if the total is not known."""


KernelLauncher = Callable[[Operation, Sequence[Passed], Sizes, Sizes], None]
"""Launches a kernel elsewhere: its gpu.func, its arguments (memory, which changes in place, and numbers), the
workgroups and the work-items of each.
"""

DEEPEST_CALL = 500
"""The limit of nested calls, beyond which a program counts as recursing without end."""


class HostMachine(Machine):
    """The host: one thread, and its state in addition to memory.

    `launcher` executes kernels here, unless `launch_kernel` executes them elsewhere.
    `functions` are the module's by name, including declared ones, `calls` counts those being
    executed; `fills` counts random fills, `told` are the names of ignored declared functions,
    so that each is reported once.
    """

    def __init__(
        self,
        module: ModuleOp,
        handlers: Handlers,
        launcher: Launcher,
        memory: Memory,
        *,
        output: Callable[[str], object],
        seed: int,
        progress: Progress | None,
        launch_kernel: KernelLauncher | None = None,
    ) -> None:
        threads = Threads(
            "subgroup", (1, 1, 1), (1, 1, 1), 1, subgroup_size=1, counts_subgroups=True
        )
        threads.workgroups = np.arange(1)
        refuse = launcher.refuse
        super().__init__(
            handlers,
            memory,
            threads,
            refuse=refuse,
            observer=Observer(),
            domain=launcher.domain,
        )
        self.launcher = launcher
        self.launch_kernel = launch_kernel
        self.functions: dict[str, Operation] = {
            symbol_name(op): op for op in module.ops if op.name == "func.func"
        }
        self.output = output
        self.seed = seed
        self.progress = progress
        self.calls = 0
        self.fills = 0
        self.told: set[str] = set()
        self._running: list[list[int]] = []

    @contextmanager
    def steps(self, total: int) -> Generator[Callable[[int], None]]:
        """Announce work of `total` steps and yield a function to report the number of finished ones."""
        place = [0, total]
        self._running.append(place)
        around = self.rounds
        self.rounds = around * max(total, 1)

        def report(done: int) -> None:
            place[0] = done
            if self.progress is not None:
                self.progress(self._running[0][0], self._running[0][1])

        try:
            yield report
        finally:
            self._running.pop()
            self.rounds = around

    def frame(self) -> Frame:
        return Frame(self, np.arange(1))


def host(frame: Frame) -> HostMachine:
    """Return the machine of a frame on the host."""
    assert isinstance(frame.machine, HostMachine)
    return frame.machine
