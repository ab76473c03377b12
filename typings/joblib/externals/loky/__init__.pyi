from collections.abc import Callable
from concurrent.futures import Executor

class ReusableExecutor(Executor):
    def shutdown(
        self, wait: bool = True, *, cancel_futures: bool = False, kill_workers: bool = False
    ) -> None: ...

def get_reusable_executor(
    max_workers: int | None = None,
    *,
    timeout: float = 10,
    kill_workers: bool = False,
    reuse: bool | str = "auto",
    initializer: Callable[[], object] | None = None,
) -> ReusableExecutor: ...
